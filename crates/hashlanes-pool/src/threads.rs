//! Starts worker threads, and does with fewer if the system has no more.

use std::thread::{self, Builder, Scope};

/// Runs `work` on `threads` threads, the calling one included, and returns when all have ended.
///
/// If the system refuses a thread, the others do its work. So each must be able to do all of it.
///
/// # Panics
/// If `work` panics on any thread.
pub fn run(threads: usize, work: impl Fn() + Sync) {
    run_all(threads, &work);
}

/// Compiled once, as all that starts threads is: the standard library's part of it is long.
fn run_all(threads: usize, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        for number in 1..threads {
            if !start(scope, format!("worker {number}"), work) {
                break;
            }
        }
        work();
    });
}

/// Starts one thread. Returns `false` if the system refuses it; the caller goes on without.
#[must_use = "the system may refuse a thread"]
pub fn start<'s>(scope: &'s Scope<'s, '_>, name: String, work: impl FnOnce() + Send + 's) -> bool {
    start_boxed(scope, name, Box::new(work))
}

fn start_boxed<'s>(
    scope: &'s Scope<'s, '_>,
    name: String,
    work: Box<dyn FnOnce() + Send + 's>,
) -> bool {
    Builder::new().name(name).spawn_scoped(scope, work).is_ok()
}
