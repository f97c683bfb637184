//! An allocator that searches every freed block for a secret.
//!
//! It does not see what remains on the stack.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

struct Searching;

/// The secret to search for.
static SECRET: AtomicU64 = AtomicU64::new(0);

/// The number of freed blocks that contained it.
static FOUND: AtomicUsize = AtomicUsize::new(0);

// SAFETY: calls are passed on to the system's allocator. `alloc` returns zeroed memory, which is
// also valid.
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
            // SAFETY: the caller of `dealloc` promises a block of this layout, which is still
            // allocated here. `alloc` has initialised all its bytes with zeros.
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

/// Held by each test from beginning to end, because a test may free what another one searches for.
pub(crate) static ONE: Mutex<()> = Mutex::new(());

/// The number of blocks with these bytes that any thread frees during `work`.
pub(crate) fn found(secret: [u8; 8], work: impl FnOnce()) -> usize {
    assert!(ONE.try_lock().is_err(), "the test holds the lock");
    SECRET.store(u64::from_be_bytes(secret), Ordering::Relaxed);
    let before = FOUND.load(Ordering::Relaxed);
    work();
    FOUND.load(Ordering::Relaxed) - before
}
