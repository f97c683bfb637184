//! Memory for allocations of the library that cannot report a failure: the parts that threads
//! share.
//!
//! Rust ends the process when there is no memory for an `Arc` or a `Box`. So a call that needs one
//! first sets blocks of memory aside, which may fail. When C's allocator has nothing left, the
//! blocks are used.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;

use crate::error::Error;

/// Bytes of a block: more than any of these allocations.
const BLOCK: usize = 4096;

/// The most blocks that a call sets aside.
const MOST: usize = 9;

/// The least alignment of C's allocators.
const ALIGN: usize = 2 * size_of::<usize>();

type Blocks = [*mut u8; MOST];

thread_local! {
    /// This thread's blocks, or null. Other threads cannot take them.
    static ASIDE: Cell<Blocks> = const { Cell::new([null_mut(); MOST]) };
}

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// Runs a call that makes at most `count` allocations while it cannot report a failure, of at most
/// a block each. Without memory for all of them, the call is not made.
///
/// In a thread's first call the system may allocate this thread's copy of `ASIDE`, if the library
/// was loaded with `dlopen`.
pub(crate) fn set_aside<T>(
    count: usize,
    call: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let _aside = Aside::new(count)?;
    call()
}

/// Blocks are set aside as long as this value lives.
struct Aside;

impl Aside {
    fn new(count: usize) -> Result<Self, Error> {
        let aside = Self;
        let mut blocks = [null_mut(); MOST];
        for block in &mut blocks[..count] {
            // SAFETY: any size may be asked for.
            *block = unsafe { malloc(BLOCK) }.cast();
        }
        ASIDE.set(blocks);
        if blocks[..count].iter().any(|block| block.is_null()) {
            return Err(Error::Memory);
        }
        Ok(aside)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        for block in ASIDE.replace([null_mut(); MOST]) {
            // SAFETY: it is null, or `malloc` gave it and nobody took it.
            unsafe { free(block.cast()) };
        }
    }
}

/// A block of this thread, or null.
fn take() -> *mut u8 {
    let mut blocks = ASIDE.get();
    let block = blocks.iter_mut().find(|block| !block.is_null());
    let block = block.map_or(null_mut(), |block| std::mem::replace(block, null_mut()));
    ASIDE.set(blocks);
    block
}

/// C's allocator, and the blocks that are set aside.
struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

/// Whether C's `malloc` serves an allocation. `free` needs no size, so a block may serve a smaller
/// one.
fn is_plain(layout: Layout) -> bool {
    layout.align() <= ALIGN
}

// SAFETY: memory comes from `malloc` and goes to `free`, or comes from the system's allocator and
// goes back there: the alignment decides, which does not change. A block that was set aside came
// from `malloc`, has room for what it is taken for, and is taken once. Nothing here panics.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !is_plain(layout) {
            // SAFETY: as the caller promises.
            return unsafe { System.alloc(layout) };
        }
        // SAFETY: any size may be asked for.
        let memory = unsafe { malloc(layout.size()) };
        if memory.is_null() && layout.size() <= BLOCK { take() } else { memory.cast() }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if is_plain(layout) {
            // SAFETY: `malloc` gave it.
            unsafe { free(memory.cast()) };
        } else {
            // SAFETY: as the caller promises.
            unsafe { System.dealloc(memory, layout) };
        }
    }
}
