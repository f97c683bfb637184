//! Models of the server under loom: every interleaving of a few threads, up to a bound on
//! preemptions.
//!
//! They run the code that ships, with thresholds so low that a few bytes are deferred, lent and
//! hashed side by side. Loom reports deadlocks (lost wake-ups), data races on what its types
//! protect, and assertions that fail in some order of events. To run them:
//!
//! ```text
//! cargo xtask loom server::model
//! ```

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::vec::Vec;

use loom::thread;

use super::options::Limits;
use super::policy::Policy;
use super::shared::Shared;
use super::sync::Arc;
use super::{HashServer, ServerHasher};
use crate::{Engine, Md5};

/// Two messages fill the lanes. More than 1 KiB is ready and worth a yield. There are `buffers` of
/// 2 KiB.
fn limits(buffers: usize) -> Limits {
    Limits {
        policy: policy(2),
        cores: 2,
        block: 64,
        lend: usize::MAX / 4,
        staging: 2048,
        ready: 1025,
        buffers,
        slice: 4096,
    }
}

/// The policy if `full` messages fill the lanes and cost no more than one.
fn policy(full: usize) -> Policy {
    let costs = core::array::from_fn(|messages| 1_000_000 * messages.div_ceil(full) as u64);
    Policy { batch: full, ..Policy::from_costs(&costs) }
}

fn server(buffers: usize) -> HashServer<Md5> {
    with_limits(limits(buffers))
}

fn with_limits(limits: Limits) -> HashServer<Md5> {
    let engine = Engine::<Md5>::with_kernel("portable-x2").unwrap_or_default();
    HashServer::of_shared(Md5::default(), Arc::new(Shared::new(engine, limits)))
}

fn bytes(seed: u8, len: usize) -> Vec<u8> {
    (0..len).map(|i| (i as u8).wrapping_mul(7) ^ seed).collect()
}

fn check(hasher: ServerHasher<Md5>, message: &[u8]) {
    assert_eq!(hasher.finalize(), Engine::<Md5>::new().digest(message));
}

/// Hashes a message that is written in pieces of this many bytes. Each is freed as soon as its
/// update returns.
fn hash(mut hasher: ServerHasher<Md5>, message: &[u8], piece: usize) {
    for piece in message.chunks(piece) {
        hasher.update(piece.to_vec());
    }
    check(hasher, message);
}

/// Explores all interleavings with at most `preemptions` forced switches, or fewer if
/// `LOOM_MAX_PREEMPTIONS` says so. The model returns its server after dropping all hashers. In some
/// interleavings messages must have met, or the model would prove little. Returns the number of
/// preemptions.
fn explore(
    preemptions: usize,
    model: impl Fn() -> HashServer<Md5> + Send + Sync + 'static,
) -> usize {
    let mut builder = loom::model::Builder::new();
    let bound = builder.preemption_bound.map_or(preemptions, |bound| bound.min(preemptions));
    builder.preemption_bound = Some(bound);
    builder.max_branches = 100_000;
    // Not loom's atomic, since it outlives each interleaving.
    let met = std::sync::Arc::new(AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&met);
    builder.check(move || {
        let server = model();
        // Nothing is left behind: no slot in the queue, no buffer in use, no hasher.
        assert_eq!(server.shared.left_behind(), (0, 0, 0));
        if server.stats().rounds > 0 {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert!(met.load(Ordering::Relaxed) > 0, "no two messages ever met in a round");
    bound
}

#[test]
fn deferred_bytes_of_two_writers_meet_in_a_round() {
    explore(4, || {
        let server = server(4);
        let other = server.hasher();
        let thread = thread::spawn(move || hash(other, &bytes(1, 1100), 1100));
        hash(server.hasher(), &bytes(2, 1300), 1300);
        thread.join().unwrap();
        server
    });
}

#[test]
fn a_lent_slice_is_taken_back_before_update_returns() {
    explore(2, || {
        let server = server(2);
        let other = server.hasher();
        // Too much to be deferred, enough to be lent.
        let thread = thread::spawn(move || hash(other, &bytes(1, 20_000), 20_000));
        hash(server.hasher(), &bytes(2, 17_000), 17_000);
        thread.join().unwrap();
        server
    });
}

#[test]
fn a_write_that_fits_is_lent_and_what_is_left_of_it_deferred() {
    explore(2, || {
        // Writes are lent even if they fit.
        let server = with_limits(Limits { lend: 0, ..limits(4) });
        let other = server.hasher();
        let thread = thread::spawn(move || hash(other, &bytes(1, 1100), 1100));
        hash(server.hasher(), &bytes(2, 2 * 1900), 1900);
        thread.join().unwrap();
        server
    });
}

#[test]
fn bytes_deferred_while_a_round_has_the_message_come_after_it() {
    explore(3, || {
        let server = server(4);
        let other = server.hasher();
        let thread = thread::spawn(move || hash(other, &bytes(1, 3 * 1100), 1100));
        hash(server.hasher(), &bytes(2, 2 * 1200), 1200);
        thread.join().unwrap();
        server
    });
}

#[test]
fn a_hasher_dropped_or_reset_during_a_round_leaves_nothing_behind() {
    explore(3, || {
        let server = server(4);
        let (first, second) = (server.hasher(), server.hasher());
        let dropping = thread::spawn(move || {
            let mut hasher = first;
            hasher.update(bytes(1, 1500));
            hasher.reset();
            hasher.update(bytes(3, 1100));
        });
        hash(second, &bytes(2, 1300), 1300);
        dropping.join().unwrap();
        server
    });
}

#[test]
fn three_writers_none_is_forgotten() {
    explore(1, || {
        let server = server(2);
        let hashers: Vec<_> = (0..2).map(|_| server.hasher()).collect();
        let threads: Vec<_> = hashers
            .into_iter()
            .zip([1100, 17_000])
            .map(|(hasher, len)| thread::spawn(move || hash(hasher, &bytes(len as u8, len), len)))
            .collect();
        hash(server.hasher(), &bytes(2, 1200), 1200);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        server
    });
}

#[test]
fn a_task_that_waits_for_a_round_is_woken() {
    explore(3, || {
        let server = server(1);
        let other = server.hasher();
        let thread = thread::spawn(move || hash(other, &bytes(1, 1100), 1100));
        let (mut hasher, message) = (server.hasher(), bytes(2, 3000));
        let digest = loom::future::block_on(async {
            hasher.update_async(&message).await;
            hasher.finalize_async().await
        });
        assert_eq!(digest, Engine::<Md5>::new().digest(&message));
        thread.join().unwrap();
        server
    });
}

/// Finalizes a hasher when the last waker with this data is dropped.
struct Finalizes(std::sync::Mutex<Option<(ServerHasher<Md5>, Vec<u8>)>>);

impl Wake for Finalizes {
    fn wake(self: std::sync::Arc<Self>) {}
}

impl Drop for Finalizes {
    fn drop(&mut self) {
        if let Some((hasher, message)) = self.0.get_mut().unwrap().take() {
            check(hasher, &message);
        }
    }
}

/// Three hashers with a deferred message each. The last one is finalized in its own thread, so a
/// round may have all three. Meanwhile a task polls the first one. The task's waker finalizes the
/// second one when it is dropped. If the task has to wait, `wait` continues with the first one.
fn explore_a_waker_that_finalizes(wait: fn(ServerHasher<Md5>, Vec<u8>)) {
    // Not loom's atomic, since it outlives each interleaving.
    let out = std::sync::Arc::new(AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&out);
    let preemptions = explore(3, move || {
        // Peers save nothing, so rounds begin without letting others run first.
        let policy = Policy { saved: 0, ..policy(4) };
        let server = with_limits(Limits { policy, ..limits(4) });
        let mut pairs: Vec<_> = (1..4).map(|i| (server.hasher(), bytes(i, 1100))).collect();
        for (hasher, message) in &mut pairs {
            hasher.update(message);
        }
        let (last, last_message) = pairs.pop().unwrap();
        let thread = thread::spawn(move || check(last, &last_message));
        let data = std::sync::Arc::new(Finalizes(std::sync::Mutex::new(pairs.pop())));
        let waker = Waker::from(std::sync::Arc::clone(&data));
        let (mut first, message) = pairs.pop().unwrap();
        let polled = pin!(first.finalize_reset_async()).poll(&mut Context::from_waker(&waker));
        // A third reference means that the message is out and the slot has the waker.
        count.fetch_add(usize::from(std::sync::Arc::strong_count(&data) > 2), Ordering::Relaxed);
        drop((waker, data));
        match polled {
            Poll::Pending => wait(first, message),
            Poll::Ready(digest) => assert_eq!(digest, Engine::<Md5>::new().digest(&message)),
        }
        thread.join().unwrap();
        server
    });
    // This takes a switch to the other thread, in the middle of its round, and one back.
    if preemptions >= 2 {
        assert!(out.load(Ordering::Relaxed) > 0, "no task ever waited for a round");
    }
}

#[test]
fn a_waker_that_an_owner_leaves_behind_may_finalize_another_hasher() {
    explore_a_waker_that_finalizes(|first, _| drop(first));
}

#[test]
fn a_waker_that_a_round_wakes_may_finalize_another_hasher() {
    explore_a_waker_that_finalizes(|first, message| check(first, &message));
}

#[test]
fn a_waker_that_is_replaced_may_finalize_another_hasher() {
    explore_a_waker_that_finalizes(|mut first, message| {
        let digest = loom::future::block_on(first.finalize_reset_async());
        assert_eq!(digest, Engine::<Md5>::new().digest(&message));
    });
}

#[test]
fn a_hasher_whose_update_was_dropped_half_way_goes_on_after_a_reset() {
    explore(2, || {
        let server = server(2);
        let other = server.hasher();
        let thread = thread::spawn(move || hash(other, &bytes(1, 1100), 1100));
        let mut hasher = server.hasher();
        hasher.update(bytes(2, 1500));
        let waker = Waker::noop();
        let update =
            pin!(hasher.update_async(bytes(3, 5000))).poll(&mut Context::from_waker(waker));
        if update.is_pending() {
            hasher.reset();
        } else {
            hasher.finalize_reset();
        }
        hash(hasher, &bytes(4, 1100), 1100);
        thread.join().unwrap();
        server
    });
}

/// `count` hashers with a deferred message of 1100 bytes each, on a server where `full` messages
/// cost no more than one, and which has seen two rounds run at the same time.
///
/// Peers save `saved` cycles. If that is 0, rounds begin without letting others run first.
fn deferred(
    count: u8,
    full: usize,
    saved: u64,
) -> (HashServer<Md5>, Vec<(ServerHasher<Md5>, Vec<u8>)>) {
    let policy = Policy { saved, batch: 8, ..policy(full) };
    let server = with_limits(Limits { policy, ..limits(8) });
    let underway = server.shared.peers.begin(0);
    (0..100).for_each(|_| server.shared.peers.look_around());
    drop(underway);
    let mut pairs: Vec<_> = (0..count).map(|i| (server.hasher(), bytes(i, 1100))).collect();
    for (hasher, message) in &mut pairs {
        hasher.update(message);
    }
    (server, pairs)
}

#[test]
fn a_round_leaves_messages_to_the_other_core() {
    explore(3, || {
        let (server, mut pairs) = deferred(4, 4, 0);
        let (other, other_message) = pairs.pop().unwrap();
        let thread = thread::spawn(move || check(other, &other_message));
        let (hasher, message) = pairs.pop().unwrap();
        check(hasher, &message);
        thread.join().unwrap();
        for (hasher, message) in pairs {
            check(hasher, &message);
        }
        // The lanes have room for all four, but no round has taken more than half of them.
        let stats = server.stats();
        assert!(stats.bytes_shared <= stats.rounds * 2 * 1100, "{stats:?}");
        server
    });
}

#[test]
fn a_thread_whose_message_is_out_helps_before_it_sleeps() {
    // Not loom's atomic, since it outlives each interleaving.
    let helped = std::sync::Arc::new(AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&helped);
    let preemptions = explore(3, move || {
        let (server, mut pairs) = deferred(6, 2, 0);
        let mut next = || pairs.remove(0);
        // The round of the first message takes the second one too, which may then be out when its
        // owner looks for it.
        let ((first, first_message), (second, second_message)) = (next(), next());
        let thread = thread::spawn(move || check(first, &first_message));
        check(second, &second_message);
        // Each thread has taken at most one more into the round of its own message.
        if server.shared.pending() == 0 {
            count.fetch_add(1, Ordering::Relaxed);
        }
        thread.join().unwrap();
        for (hasher, message) in pairs {
            check(hasher, &message);
        }
        server
    });
    if preemptions >= 1 {
        assert!(helped.load(Ordering::Relaxed) > 0, "no thread ever helped");
    }
}

#[test]
fn a_lender_may_help_while_its_loan_is_out() {
    explore(2, || {
        let (server, mut pairs) = deferred(4, 2, 1_000_000);
        let lend = |hasher: &mut ServerHasher<Md5>, seed| {
            // Too much to be deferred. Freed as soon as the update returns.
            hasher.update(bytes(seed, 5000));
        };
        let (mut other, mut other_message) = pairs.pop().unwrap();
        let thread = thread::spawn(move || {
            lend(&mut other, 9);
            other_message.extend(bytes(9, 5000));
            check(other, &other_message);
        });
        let (mut hasher, mut message) = pairs.pop().unwrap();
        lend(&mut hasher, 8);
        message.extend(bytes(8, 5000));
        check(hasher, &message);
        thread.join().unwrap();
        for (hasher, message) in pairs {
            check(hasher, &message);
        }
        server
    });
}

#[test]
fn one_call_for_two_hashers_meets_a_writer_and_its_round() {
    explore(2, || {
        let server = server(4);
        let other = server.hasher();
        let thread = thread::spawn(move || hash(other, &bytes(1, 1100), 1100));
        let mut hashers = [server.hasher(), server.hasher()];
        let messages = [bytes(2, 1500), bytes(3, 1300)];
        // One is deferred, so the other thread's round may have it when the call begins.
        hashers[0].update(&messages[0][..1100]);
        let [first, second] = &mut hashers;
        server.update_many(&mut [(first, &messages[0][1100..]), (second, &messages[1][..])]);
        let digests = server.finalize_many(&mut hashers.each_mut());
        for (digest, message) in digests.iter().zip(&messages) {
            assert_eq!(*digest, Engine::<Md5>::new().digest(message));
        }
        thread.join().unwrap();
        drop(hashers);
        server
    });
}

#[test]
fn two_threads_may_ask_one_hasher_for_its_digest() {
    explore(2, || {
        let (server, mut pairs) = deferred(4, 2, 0);
        let (hasher, message) = pairs.pop().unwrap();
        let hasher = Arc::new(hasher);
        let other = Arc::clone(&hasher);
        let thread = thread::spawn(move || other.digest_so_far());
        let digest = Engine::<Md5>::new().digest(&message);
        assert_eq!(hasher.digest_so_far(), digest);
        assert_eq!(thread.join().unwrap(), digest);
        for (hasher, message) in pairs {
            check(hasher, &message);
        }
        server
    });
}
