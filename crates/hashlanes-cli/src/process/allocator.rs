//! Ends the program with a message where memory is exhausted.
//!
//! The runtime would abort, with a backtrace if the environment asks for backtraces. The GNU tools
//! say `memory exhausted` and end with status 1. So does this.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

#[global_allocator]
static ALLOCATOR: Checked = Checked;

/// Whether the program can go on without memory.
static MAY_FAIL: AtomicBool = AtomicBool::new(false);

/// From now on, who asks for memory is told that there is none. For commands that check.
pub(crate) fn let_fail() {
    MAY_FAIL.store(true, Ordering::Relaxed);
}

/// The allocator of the system.
struct Checked;

#[expect(unsafe_code, reason = "an allocator is unsafe to write")]
// SAFETY: All is passed to the allocator of the system, and what that returns is returned.
unsafe impl GlobalAlloc for Checked {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller promises what `System` asks for.
        checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller promises what `System` asks for.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: The caller promises what `System` asks for.
        checked(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: The caller promises what `System` asks for.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn checked(memory: *mut u8) -> *mut u8 {
    if memory.is_null() && !MAY_FAIL.load(Ordering::Relaxed) {
        exhausted();
    }
    memory
}

#[cold]
fn exhausted() -> ! {
    // Neither of these needs memory.
    let _ = std::io::stderr().write_all(b"hashlanes: memory exhausted\n");
    std::process::exit(1)
}
