//! Ends the program with a message where memory is exhausted.
//!
//! The runtime would abort, with a backtrace if the environment asks for backtraces. The GNU tools
//! print `memory exhausted` and exit with status 1, and so does this program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

#[global_allocator]
static ALLOCATOR: Checked = Checked;

/// Whether failed allocations are returned to the caller.
static MAY_FAIL: AtomicBool = AtomicBool::new(false);

/// From now on, failed allocations are returned to the caller. For commands that check for them.
#[cfg(feature = "lab")]
pub(crate) fn let_fail() {
    MAY_FAIL.store(true, Ordering::Relaxed);
}

/// The system's allocator, with this check.
struct Checked;

#[expect(unsafe_code, reason = "an allocator is unsafe to write")]
// SAFETY: Every call is forwarded to `System` with its arguments unchanged, and returns what
// `System` returns, so this upholds `GlobalAlloc`'s contract as `System` does. No call unwinds.
unsafe impl GlobalAlloc for Checked {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller of `alloc` promises a layout of non-zero size, as `System.alloc`
        // requires.
        checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller of `alloc_zeroed` promises a layout of non-zero size, as `System`
        // requires.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: The caller of `realloc` promises that `memory` came from this allocator, hence
        // from `System`, with this layout, and that `size` is non-zero and does not overflow when
        // aligned.
        checked(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: The caller of `dealloc` promises that `memory` came from this allocator, hence
        // from `System`, with this layout.
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
    const MESSAGE: &[u8] = b"hashlanes: memory exhausted\n";
    // Writing by way of the standard library, or its exit, may need memory in turn (glibc aborts
    // where it cannot note a destructor of the thread), so the system is asked directly.
    #[cfg(unix)]
    {
        let _ = rustix::io::write(rustix::stdio::stderr(), MESSAGE);
        #[expect(unsafe_code, reason = "no safe function ends the program at once")]
        // SAFETY: `_exit` takes no pointer, may be called in every thread at any time, and runs no
        // code of this process.
        unsafe {
            libc::_exit(1)
        }
    }
    #[cfg(not(unix))]
    {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), MESSAGE);
        std::process::exit(1)
    }
}
