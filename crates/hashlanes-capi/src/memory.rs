//! Reserve memory for allocations that Rust does not let fail: those of the parts that threads
//! share.
//!
//! Rust aborts the process when there is no memory for an `Arc`. So a call that needs one first
//! allocates reserve blocks, which may fail. When C's allocator has no memory left, the reserve is
//! used.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;

use crate::error::Error;

/// Bytes of a block: more than any of these allocations needs.
const BLOCK: usize = 4096;

/// The most blocks that a call reserves.
const MOST: usize = 10;

/// The alignment that C's allocators guarantee.
const ALIGN: usize = 2 * size_of::<usize>();

type Blocks = [*mut u8; MOST];

thread_local! {
    /// This thread's reserve, with nulls for blocks that are not there. Other threads cannot take
    /// them.
    static ASIDE: Cell<Blocks> = const { Cell::new([null_mut(); MOST]) };
}

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// Runs a call that makes at most `count` infallible allocations, of at most a block each. If there
/// is no memory for the reserve, the call is not made.
///
/// In a thread's first call, the system may allocate this thread's copy of `ASIDE`, if the library
/// was loaded with `dlopen`.
pub(crate) fn set_aside<T>(
    count: usize,
    call: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let _aside = Aside::new(count)?;
    call()
}

/// Holds the reserve while it lives.
struct Aside;

impl Aside {
    fn new(count: usize) -> Result<Self, Error> {
        let aside = Self;
        let mut blocks = [null_mut(); MOST];
        for block in &mut blocks[..count] {
            // SAFETY: `malloc` accepts any size.
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
            // SAFETY: the block is null, or it came from `malloc` and `take` has not handed it out.
            unsafe { free(block.cast()) };
        }
    }
}

/// Takes a block from this thread's reserve, or returns null.
fn take() -> *mut u8 {
    let mut blocks = ASIDE.get();
    let block = blocks.iter_mut().find(|block| !block.is_null());
    let block = block.map_or(null_mut(), |block| std::mem::replace(block, null_mut()));
    ASIDE.set(blocks);
    block
}

/// C's allocator, backed by the reserve.
struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

/// Whether C's `malloc` serves an allocation. `free` needs no size, so a reserve block may serve a
/// smaller one.
fn is_plain(layout: Layout) -> bool {
    layout.align() <= ALIGN
}

// SAFETY: the alignment decides whether memory comes from `malloc` and goes to `free`, or comes
// from and goes to the system's allocator; an allocation's alignment does not change. A reserve
// block came from `malloc`, is at least as large as the allocation, and is taken once. Nothing here
// panics.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !is_plain(layout) {
            // SAFETY: `GlobalAlloc::alloc` asks the caller for a layout of non-zero size, and so
            // does `System`.
            return unsafe { System.alloc(layout) };
        }
        // SAFETY: `malloc` accepts any size.
        let memory = unsafe { malloc(layout.size()) };
        if memory.is_null() && layout.size() <= BLOCK { take() } else { memory.cast() }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if is_plain(layout) {
            // SAFETY: `GlobalAlloc::dealloc` asks the caller for memory that came from `alloc` with
            // this layout. `is_plain` holds for it, so it came from `malloc` or the reserve.
            unsafe { free(memory.cast()) };
        } else {
            // SAFETY: `GlobalAlloc::dealloc` asks the caller for memory that came from `alloc` with
            // this layout. `is_plain` does not hold for it, so it came from `System`.
            unsafe { System.dealloc(memory, layout) };
        }
    }
}
