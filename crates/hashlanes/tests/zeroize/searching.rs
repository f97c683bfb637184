//! An allocator that searches every block which is given back to it for a secret.
//!
//! What stays on the stack is not seen here.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

struct Searching;

/// What is searched for.
static SECRET: AtomicU64 = AtomicU64::new(0);

/// Freed blocks in which it was.
static FOUND: AtomicUsize = AtomicUsize::new(0);

// SAFETY: calls are passed on to the system's allocator, of which zeroed memory is asked for in
// place of any.
unsafe impl GlobalAlloc for Searching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller of `alloc` promises a layout that is not empty, which `System` asks
        // for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let secret = SECRET.load(Ordering::Relaxed);
        let mut last = 0;
        for i in 0..layout.size() {
            // SAFETY: the block is the caller's until the call below, of `size` bytes, which were
            // zeroed in `alloc`.
            let byte = unsafe { pointer.add(i).read_volatile() };
            last = last << 8 | u64::from(byte);
            if last == secret && secret != 0 {
                FOUND.fetch_add(1, Ordering::Relaxed);
                break;
            }
        }
        // SAFETY: the caller of `dealloc` promises a block of this layout, which `System` made in
        // `alloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Searching = Searching;

/// The blocks with these bytes that are given back during `work`, by any thread. One search at a
/// time: another test waits.
pub(crate) fn found(secret: [u8; 8], work: impl FnOnce()) -> usize {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    SECRET.store(u64::from_be_bytes(secret), Ordering::Relaxed);
    let before = FOUND.load(Ordering::Relaxed);
    work();
    FOUND.load(Ordering::Relaxed) - before
}
