//! The server's async interface, in an executor of this file: it does not depend on a runtime.
#![cfg(feature = "std")]

use std::collections::VecDeque;
use std::future::Future;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use hashlanes::server::{HashServer, ServerHasher, ServerOptions};
use hashlanes::{Algorithm, Md5, Sha256};
use sha2::Digest;

/// A queue of tasks for any number of threads.
#[derive(Default)]
struct Executor {
    ready: Mutex<VecDeque<Arc<Task>>>,
}

struct Task {
    future: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
    executor: Arc<Executor>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let executor = Arc::clone(&self.executor);
        executor.ready.lock().unwrap().push_back(self);
    }
}

impl Executor {
    fn spawn(self: &Arc<Self>, future: impl Future<Output = ()> + Send + 'static) -> Arc<Task> {
        let task = Arc::new(Task {
            future: Mutex::new(Some(Box::pin(future))),
            executor: Arc::clone(self),
        });
        Arc::clone(&task).wake();
        task
    }

    /// Polls until all tasks are done; returns the number of polls.
    fn run(self: &Arc<Self>, tasks: &[Arc<Task>], threads: usize) -> usize {
        let done =
            || tasks.iter().all(|task| task.future.try_lock().is_ok_and(|future| future.is_none()));
        let work = || {
            let mut polls = 0;
            while !done() {
                let Some(task) = self.ready.lock().unwrap().pop_front() else {
                    thread::yield_now();
                    continue;
                };
                let waker = Waker::from(Arc::clone(&task));
                let mut place = task.future.lock().unwrap();
                if let Some(future) = place.as_mut() {
                    polls += 1;
                    if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
                        *place = None;
                    }
                }
            }
            polls
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        })
    }
}

fn piece(i: usize, k: usize) -> Vec<u8> {
    let len = [1, 63, 4096, 20_000, 70_000, 300_000][(i + k) % 6] + i;
    (0..len).map(|at| (at * 31 + i * 7 + k) as u8).collect()
}

async fn upload(mut hasher: ServerHasher<Md5>, i: usize) {
    let mut reference = md5::Md5::new();
    for k in 0..12 {
        let piece = piece(i, k);
        hasher.update_async(&piece).await;
        reference.update(&piece);
        if k == 5 {
            let expected = std::mem::take(&mut reference).finalize();
            assert_eq!(hasher.finalize_reset_async().await[..], expected[..]);
        }
    }
    assert_eq!(hasher.finalize_async().await[..], reference.finalize()[..]);
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn tasks_of_one_thread_and_of_several_share_lanes_and_get_right_digests() {
    for threads in [1, 4] {
        let server = HashServer::<Md5>::with_options(ServerOptions::new().memory(4 << 20));
        let executor = Arc::new(Executor::default());
        let tasks: Vec<_> = (0..50).map(|i| executor.spawn(upload(server.hasher(), i))).collect();
        executor.run(&tasks, threads);
        let stats = server.stats();
        assert_eq!(stats.messages, 100);
        if threads == 1 && stats.full_lanes > 1 {
            assert!(stats.mean_lanes > 0.6 * stats.full_lanes as f64, "{stats:?}");
        }
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn a_long_update_lets_other_tasks_run() {
    let server = HashServer::<Sha256>::new();
    let executor = Arc::new(Executor::default());
    let mut hasher = server.hasher();
    let task = executor.spawn(async move {
        hasher.update_async(vec![7; 4 << 20]).await;
        assert_eq!(hasher.finalize_async().await[..], sha2::Sha256::digest(vec![7; 4 << 20])[..]);
    });
    let polls = executor.run(&[task], 1);
    // A single hasher's portion has 512 KiB.
    assert!(polls >= 8, "4 MiB are not hashed at once: {polls}");
}

#[test]
fn a_dropped_future_harms_nobody_else() {
    let server = HashServer::<Md5>::new();
    let mut others: Vec<_> = (0..20).map(|_| server.hasher()).collect();
    let mut hasher = server.hasher();
    for _ in 0..20 {
        for other in &mut others {
            other.update([1; 5000]);
        }
        let bytes = vec![2; 500_000];
        let mut update = Box::pin(hasher.update_async(&bytes));
        let polled = update.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending(), "more than can be deferred");
        drop(update);
        drop(bytes);
        hasher.reset();
    }
    hasher.update(b"abc");
    assert_eq!(hasher.finalize()[..], md5::Md5::digest(b"abc")[..]);
    for other in others {
        assert_eq!(other.finalize()[..], md5::Md5::digest(vec![1; 100_000])[..]);
    }
}

/// Polls a future once and drops it. Returns whether it was ready.
fn poll_once(future: impl Future) -> bool {
    pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

/// The message with which `work` panics.
fn panic_of<T>(work: impl FnOnce() -> T) -> String {
    let payload = catch_unwind(AssertUnwindSafe(work)).err().expect("a panic");
    *payload
        .downcast::<String>()
        .or_else(|payload| payload.downcast::<&str>().map(|text| Box::new(text.to_string())))
        .expect("a message")
}

/// A hasher, and enough others that it defers its writes.
fn deferring_hasher(server: &HashServer<Md5>) -> (ServerHasher<Md5>, [ServerHasher<Md5>; 20]) {
    (server.hasher(), std::array::from_fn(|_| server.hasher()))
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "a panic ends a program of WebAssembly")]
fn a_hasher_whose_update_was_dropped_half_way_refuses_to_go_on_until_reset() {
    let server = HashServer::<Md5>::new();
    let (mut hasher, _others) = deferring_hasher(&server);
    let half_way = |hasher: &mut ServerHasher<Md5>| {
        hasher.reset();
        hasher.update("before");
        assert!(!poll_once(hasher.update_async(vec![2; 500_000])), "more than can be deferred");
    };
    type Use = fn(&mut ServerHasher<Md5>);
    let refusals: [(&str, Use); 8] = [
        ("update", |hasher| _ = hasher.update("more")),
        ("update with nothing", |hasher| _ = hasher.update("")),
        ("write", |hasher| _ = hasher.write(b"more")),
        ("update_reader", |hasher| _ = hasher.update_reader(&b"more"[..])),
        ("update_async", |hasher| _ = poll_once(hasher.update_async("more"))),
        ("finalize_reset", |hasher| _ = hasher.finalize_reset()),
        ("finalize_reset_async", |hasher| _ = poll_once(hasher.finalize_reset_async())),
        ("clone", |hasher| _ = hasher.clone()),
    ];
    for (name, refused) in refusals {
        half_way(&mut hasher);
        for _ in 0..2 {
            let reason = panic_of(|| refused(&mut hasher));
            assert!(reason.contains("update_async"), "{name}: {reason}");
            assert!(reason.contains("reset the hasher"), "{name}: {reason}");
        }
    }
    half_way(&mut hasher);
    hasher.reset();
    assert!(hasher.is_empty());
    assert_eq!(hasher.update("abc").clone().finalize()[..], md5::Md5::digest(b"abc")[..]);
    half_way(&mut hasher);
    assert!(panic_of(|| hasher.finalize()).contains("update_async"));
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "a panic ends a program of WebAssembly")]
fn a_hasher_by_name_whose_update_was_dropped_half_way_refuses_too() {
    let server = HashServer::of(Algorithm::Sha1);
    let (mut hasher, _others) = (server.hasher(), server.hasher());
    assert!(!poll_once(hasher.update_async(vec![2; 5_000_000])));
    assert!(panic_of(|| _ = hasher.update("x")).contains("update_async"));
    hasher.reset();
    assert_eq!(hasher.update("abc").finalize_reset(), Algorithm::Sha1.digest(b"abc"));
}

#[test]
fn an_update_that_was_never_polled_has_done_nothing() {
    let server = HashServer::<Md5>::new();
    let (mut hasher, _others) = deferring_hasher(&server);
    hasher.update("a");
    drop(hasher.update_async(vec![2; 500_000]));
    assert_eq!(hasher.len(), 1);
    assert!(poll_once(hasher.update_async("bc")), "the bytes can be deferred");
    assert_eq!(hasher.finalize()[..], md5::Md5::digest(b"abc")[..]);
}

#[test]
fn a_message_continues_after_a_cancelled_digest() {
    let server = HashServer::<Md5>::new();
    let (mut hasher, _others) = deferring_hasher(&server);
    hasher.update([1; 50_000]);
    assert!(!poll_once(hasher.finalize_reset_async()), "other tasks may run first");
    hasher.update([2; 50_000]);
    let message = [[1; 50_000], [2; 50_000]].concat();
    assert_eq!(hasher.finalize()[..], md5::Md5::digest(message)[..]);
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn an_algorithm_chosen_by_name_can_be_awaited() {
    let server = HashServer::of(Algorithm::Sha512);
    let executor = Arc::new(Executor::default());
    let mut hasher = server.hasher();
    let task = executor.spawn(async move {
        hasher.update_async(b"ab").await;
        assert_eq!(hasher.clone().finalize_async().await, Algorithm::Sha512.digest(b"ab"));
        hasher.update_async(b"c").await;
        assert_eq!(hasher.finalize_reset_async().await, Algorithm::Sha512.digest(b"abc"));
        hasher.update_async(b"").await;
        assert_eq!(hasher.finalize_async().await, Algorithm::Sha512.digest(b""));
    });
    executor.run(&[task], 2);
}

/// Data of a waker that calls a function when the last waker is dropped.
struct OnDrop<F: FnOnce() + Send>(Mutex<Option<F>>);

impl<F: FnOnce() + Send> Wake for OnDrop<F> {
    fn wake(self: Arc<Self>) {}
}

impl<F: FnOnce() + Send> Drop for OnDrop<F> {
    fn drop(&mut self) {
        if let Some(deed) = self.0.lock().unwrap().take() {
            deed();
        }
    }
}

/// Whatever takes longer is considered a hang.
const FOR_EVER: Duration = Duration::from_secs(20);

/// Runs `work` on another thread, which is abandoned if it hangs.
fn elsewhere<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let _ = send.send(work());
    });
    receive
}

/// A task waits while a round has its message, and is dropped with its hasher, so that the slot
/// holds the last reference to its waker. The waker's destructor calls `deed` with another hasher
/// of the round. Returns the digest of the round's third hasher.
fn waker_dropped_during_a_round<F: FnOnce() + Send + 'static>(
    deed: impl FnOnce(ServerHasher<Md5>) -> F,
) -> [u8; 16] {
    let server = HashServer::<Md5>::new();
    let [mut first, mut second, mut third] = std::array::from_fn(|_| server.hasher());
    first.update(vec![1; 60_000]);
    second.update(vec![2; 60_000]);
    let data = Arc::new(OnDrop(Mutex::new(Some(deed(second)))));
    let waker = Waker::from(Arc::clone(&data));
    let round = thread::spawn(move || {
        third.update(vec![3; 1 << 20]);
        third.finalize()
    });
    // With a third reference, the slot has the waker, so a round has the message.
    while Arc::strong_count(&data) == 2 && !round.is_finished() {
        // Pauses, because a round does not take messages that their owners are using.
        (0..1000).for_each(|_| std::hint::spin_loop());
        // The first poll hashes nothing.
        let future = pin!(first.finalize_reset_async());
        let _ = future.poll(&mut Context::from_waker(&waker));
    }
    let _ = catch_unwind(AssertUnwindSafe(|| drop((waker, data))));
    let _ = catch_unwind(AssertUnwindSafe(|| drop(first)));
    round.join().unwrap()
}

/// Repeats this several times, because it depends on the timing of threads. Fails if a thread
/// hangs.
fn wakers_dropped_during_rounds<F: FnOnce() + Send + 'static>(
    deed: impl Fn(ServerHasher<Md5>) -> F + Clone + Send + 'static,
) {
    for _ in 0..20 {
        let deed = deed.clone();
        let digest = elsewhere(move || waker_dropped_during_a_round(deed));
        let digest = digest.recv_timeout(FOR_EVER).expect("a thread hung or panicked");
        assert_eq!(digest[..], md5::Md5::digest(vec![3; 1 << 20])[..]);
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn a_waker_whose_destructor_panics_harms_no_other_hasher_of_the_round() {
    wakers_dropped_during_rounds(|second| {
        // Like a panic, but without a message on the terminal.
        move || {
            let _second = second;
            resume_unwind(Box::new("rude"))
        }
    });
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn a_wakers_destructor_may_finalize_another_hasher_of_the_round() {
    wakers_dropped_during_rounds(|second| {
        move || assert_eq!(second.finalize()[..], md5::Md5::digest(vec![2; 60_000])[..])
    });
}
