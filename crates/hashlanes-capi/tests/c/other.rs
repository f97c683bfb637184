//! Another Rust library for C, which unwinds, allocates and starts threads.

/// Returns 1 + 2 + .. + `threads`, with a thread for each summand, after catching a panic.
#[unsafe(no_mangle)]
pub extern "C" fn other_sum_of_threads(threads: u64) -> u64 {
    let caught = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new("on purpose")));
    assert!(caught.is_err());
    let sum = std::sync::Mutex::new(std::collections::BTreeMap::new());
    std::thread::scope(|scope| {
        for i in 1..=threads {
            let sum = &sum;
            scope.spawn(move || sum.lock().unwrap().insert(format!("{i}"), i));
        }
    });
    sum.into_inner().unwrap().values().sum()
}
