//! The server's awaitable face, in an executor of this file's own: nothing in it depends on a
//! runtime.
#![cfg(feature = "std")]

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use hashlanes::{Algorithm, AnyHashServer, HashServer, Md5, ServerHasher, ServerOptions, Sha256};
use sha2::Digest;

/// A queue of tasks that any number of threads work on.
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
fn a_long_update_lets_other_tasks_run() {
    let server = HashServer::<Sha256>::new();
    let executor = Arc::new(Executor::default());
    let mut hasher = server.hasher();
    let task = executor.spawn(async move {
        hasher.update_async(vec![7; 4 << 20]).await;
        assert_eq!(hasher.finalize_async().await[..], sha2::Sha256::digest(vec![7; 4 << 20])[..]);
    });
    let polls = executor.run(&[task], 1);
    assert!(polls >= 32, "4 MiB in portions, not at once: {polls}");
}

#[test]
fn a_dropped_future_harms_nobody_else() {
    let server = HashServer::<Md5>::new();
    let mut others: Vec<_> = (0..20).map(|_| server.hasher()).collect();
    let mut hasher = server.hasher();
    for _ in 0..20 {
        others.iter_mut().for_each(|other| other.update([1; 5000]));
        let bytes = vec![2; 500_000];
        let mut update = Box::pin(hasher.update_async(&bytes));
        let polled = update.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(polled, Poll::Pending, "more than can be deferred");
        drop(update);
        drop(bytes);
    }
    hasher.reset();
    hasher.update(b"abc");
    assert_eq!(hasher.finalize()[..], md5::Md5::digest(b"abc")[..]);
    for other in others {
        assert_eq!(other.finalize()[..], md5::Md5::digest(vec![1; 100_000])[..]);
    }
}

#[test]
fn an_algorithm_chosen_by_name_can_be_awaited() {
    let server = AnyHashServer::new(Algorithm::Sha512);
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
