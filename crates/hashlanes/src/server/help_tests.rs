//! What becomes of a write, the limit of a round, loans to other threads, and the rounds that
//! threads run before they sleep.
//!
//! The tests delay a round while its messages are out, so they do not depend on timing.

use std::boxed::Box;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::sync::mpsc::channel;
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;
use std::vec::Vec;

use super::options::{Limits, ServerOptions};
use super::policy::Policy;
use super::round::Round;
use super::shared::Shared;
use super::slot::{Home, Locked, Slot};
use super::staging::SMALL;
use super::sync::Arc;
use super::write::YIELD;
use super::{HashServer, ServerHasher};
use crate::{Engine, Md5};

/// Whatever takes longer than this hangs. Everything here takes milliseconds.
const FOR_EVER: Duration = Duration::from_secs(20);

const MESSAGE: [u8; 2000] = [7; 2000];

/// Four cores and lanes for which eight messages cost as much as one. A search for peers costs more
/// than they save.
fn limits() -> Limits {
    let costs = core::array::from_fn(|messages| 1000 * messages.div_ceil(8) as u64);
    let policy = Policy { saved: 0, ..Policy::from_costs(&costs) };
    Limits { policy, cores: 4, ..Limits::new(ServerOptions::new(), Engine::<Md5>::new()) }
}

/// A server, and hashers of it.
fn with_limits(limits: Limits, hashers: usize) -> (HashServer<Md5>, Vec<ServerHasher<Md5>>) {
    let server = HashServer::of_shared(Md5, Arc::new(Shared::new(Engine::<Md5>::new(), limits)));
    let hashers = (0..hashers).map(|_| server.hasher()).collect();
    (server, hashers)
}

/// A server with `messages` deferred.
fn with_deferred(messages: usize) -> (HashServer<Md5>, Vec<ServerHasher<Md5>>) {
    let (server, mut hashers) = with_limits(limits(), messages);
    hashers.iter_mut().for_each(|hasher| _ = hasher.update(MESSAGE));
    (server, hashers)
}

/// The same, but the server is never dropped, so that a failing test can leave a thread behind.
fn deferred(messages: usize) -> (&'static HashServer<Md5>, Vec<ServerHasher<Md5>>) {
    let (server, hashers) = with_deferred(messages);
    (Box::leak(Box::new(server)), hashers)
}

/// Makes the server see `rounds` beside each thread that comes to share.
fn see(server: &HashServer<Md5>, rounds: usize) {
    let _underway: Vec<_> = (0..rounds).map(|_| server.shared.peers.begin(0)).collect();
    (0..200).for_each(|_| server.shared.peers.look_around());
}

/// The round that a thread would run together with its own message.
fn take(server: &'static HashServer<Md5>) -> Round<'static> {
    Round::of_others(&server.shared, 1).unwrap()
}

#[test]
fn a_round_takes_no_more_than_the_cores_leave() {
    for (beside, expected) in [(0, 7), (1, 5), (2, 3), (9, 2), (0, 7)] {
        let (server, _hashers) = deferred(11);
        see(server, beside);
        assert_eq!(take(server).len(), expected, "{beside} rounds beside");
    }
}

#[test]
fn messages_that_are_out_count_as_busy() {
    let (server, _hashers) = deferred(15);
    see(server, 1);
    let first = take(server);
    assert_eq!(first.len(), 7);
    let _underway = server.shared.peers.begin(8);
    assert_eq!(take(server).len(), 7, "eight more on two cores are sixteen");
}

/// Runs a round of what waits, if that is worth it.
fn help(server: &HashServer<Md5>) -> bool {
    Round::of_others(&server.shared, 0).map(Round::run).is_some()
}

#[test]
fn nobody_helps_where_each_is_better_hashed_singly() {
    let (server, _hashers) = deferred(2);
    see(server, 1);
    assert!(!help(server));
    see(server, 0);
    assert!(help(server));
    assert!(!help(server), "nothing is left");
}

#[test]
fn a_thread_whose_message_is_out_runs_a_round_of_the_others() {
    let (server, mut hashers) = deferred(8);
    // The oldest two are out with a long round.
    see(server, 3);
    let long = take(server);
    assert_eq!(long.len(), 2);
    let out = hashers.remove(0);
    let (send, digest) = channel();
    thread::spawn(move || send.send(out.finalize()));
    let begin = std::time::Instant::now();
    while server.shared.pending() > 1 {
        assert!(begin.elapsed() < FOR_EVER, "the thread sleeps and leaves six messages");
        thread::yield_now();
    }
    assert!(digest.try_recv().is_err(), "its message is still out");
    long.run();
    let expected = Engine::<Md5>::new().digest(MESSAGE);
    assert_eq!(digest.recv_timeout(FOR_EVER), Ok(expected));
    for hasher in hashers {
        assert_eq!(hasher.finalize(), expected);
    }
}

/// Lends `bytes` and enters the queue. Then `meanwhile` runs.
fn lend<'s>(
    server: &HashServer<Md5>,
    slot: &'s Arc<Slot>,
    bytes: &[u8],
    meanwhile: impl FnOnce(),
) -> (Home<'s>, usize) {
    let home = Slot::lock(slot).home().ok().expect("no round has it");
    home.lend(bytes, |mut home| -> Locked<'_> {
        server.shared.enter(&mut home);
        drop(home);
        meanwhile();
        Slot::lock(slot)
    })
}

/// The digest of `MESSAGE` and then `bytes`.
fn digest_with(bytes: &[u8]) -> [u8; 16] {
    Engine::<Md5>::new().digest([&MESSAGE, bytes].concat())
}

#[test]
fn a_lender_gets_back_what_another_thread_hashed() {
    let (server, mut hashers) = with_deferred(2);
    let slot = Arc::clone(&hashers[0].owner.slot);
    let bytes = std::vec![9; 1500];
    let round = || assert!(help(&server));
    let meanwhile = || thread::scope(|scope| scope.spawn(round).join().unwrap());
    let (home, count) = lend(&server, &slot, &bytes, meanwhile);
    let expected = digest_with(&bytes);
    // Freed as soon as the loan has ended.
    drop(bytes);
    assert_eq!((count, home.loan.is_none()), (1500, true));
    drop(home);
    assert_eq!(hashers.remove(0).finalize(), expected);
}

#[test]
fn a_lender_that_panics_takes_its_bytes_back() {
    let (server, mut hashers) = with_deferred(2);
    let slot = Arc::clone(&hashers[0].owner.slot);
    let bytes = std::vec![9; 1500];
    let panics = || resume_unwind(Box::new("without a message on the terminal"));
    let lent = catch_unwind(AssertUnwindSafe(|| lend(&server, &slot, &bytes, panics).1));
    assert!(lent.is_err());
    drop(bytes);
    assert!(help(&server), "other rounds may still take the message");
    assert_eq!(hashers.remove(0).finalize(), digest_with(&[]));
}

/// Slots in the queue, and buffers in use.
fn waiting(server: &HashServer<Md5>) -> (usize, usize) {
    let (queued, buffers, _) = server.shared.left_behind();
    (queued, buffers)
}

/// Whether the last loan met nobody.
fn has_lent_in_vain(server: &HashServer<Md5>) -> bool {
    !server.shared.peers.lends(0)
}

#[test]
fn deferred_bytes_enter_the_queue_become_ready_and_start_a_round() {
    let (server, mut hashers) = with_limits(limits(), 8);
    let ready = server.shared.limits.ready;
    for (i, hasher) in hashers.iter_mut().enumerate() {
        hasher.update([0; SMALL]);
        assert_eq!(waiting(&server), (i, i), "a few bytes are worth neither a round nor a buffer");
        hasher.update([0]);
        assert_eq!(waiting(&server), (i + 1, i + 1));
        hasher.update(std::vec![0; ready - SMALL - 2]);
    }
    for hasher in &mut hashers {
        assert_eq!(server.stats().rounds, 0);
        hasher.update([0]);
    }
    assert_eq!((server.stats().rounds, waiting(&server)), (1, (0, 0)));
}

#[test]
fn what_one_write_makes_ready_starts_a_round_too() {
    let (server, mut hashers) = with_limits(limits(), 8);
    let ready = server.shared.limits.ready;
    for hasher in &mut hashers {
        assert_eq!(server.stats().rounds, 0);
        hasher.update(std::vec![0; ready]);
    }
    assert_eq!((server.stats().rounds, waiting(&server)), (1, (0, 0)));
}

#[test]
fn bytes_of_a_lone_hasher_are_counted_soon() {
    let (server, mut hashers) = with_limits(limits(), 1);
    for i in 1..400 {
        hashers[0].update([0; 1000]);
        let counted = server.stats().bytes;
        // Each report writes to memory that all threads share.
        assert!(counted == 0 || i > 65, "{counted} of {i} writes");
        assert!(counted <= i * 1000 && i * 1000 - counted < 64 << 10, "{counted} of {i} writes");
    }
    assert_eq!(waiting(&server), (0, 0));
    _ = hashers.remove(0).finalize();
    assert_eq!(server.stats().bytes, 399_000);
}

#[test]
fn a_small_message_is_hashed_singly_although_others_wait() {
    for (length, rounds) in [(SMALL, 0), (SMALL + 1, 1)] {
        let (server, mut hashers) = with_limits(limits(), 2);
        hashers[0].update(MESSAGE);
        hashers[1].update(std::vec![0; length]);
        _ = hashers.remove(1).finalize();
        assert_eq!(server.stats().rounds, rounds, "{length} bytes");
    }
}

#[test]
fn without_a_search_a_write_is_hashed_with_those_that_wait() {
    for others in [0, 1] {
        let (server, mut hashers) = with_limits(limits(), 3);
        hashers[..others].iter_mut().for_each(|hasher| _ = hasher.update(MESSAGE));
        (0..2).for_each(|_| server.shared.searched(0));
        assert!(server.shared.peers.is_solo());
        hashers[2].update(MESSAGE);
        assert_eq!(waiting(&server), (0, 0), "nothing is deferred");
        assert_eq!(server.stats().rounds, others as u64);
        assert!(!has_lent_in_vain(&server));
    }
}

#[test]
fn a_write_is_lent_while_rounds_are_large() {
    let (server, _) = with_limits(limits(), 0);
    let (shared, ready) = (&server.shared, server.shared.limits.ready);
    (0..40).for_each(|_| shared.searched(2));
    assert!(!shared.lends(ready), "three messages in a round");
    (0..40).for_each(|_| shared.searched(3));
    assert!(shared.lends(ready) && !shared.lends(ready - 1));
    shared.peers.lent(false);
    assert!(!shared.lends(ready));
}

/// A server whose lanes save a cycle for each block, so that peers pay for a yield from `PAYS`
/// bytes on.
fn saving(hashers: usize) -> (HashServer<Md5>, Vec<ServerHasher<Md5>>) {
    let policy = Policy { saved: 1, ..limits().policy };
    with_limits(Limits { policy, ..limits() }, hashers)
}

const PAYS: usize = 64 * YIELD as usize;

#[test]
fn bytes_are_lent_if_peers_could_save_more_than_a_yield_takes() {
    for (deferred, length) in [(0, PAYS), (0, PAYS - 1), (640, PAYS - 640), (640, PAYS - 641)] {
        let (server, mut hashers) = saving(2);
        hashers[1].update(std::vec![0; deferred]);
        hashers[1].update(std::vec![0; length]);
        assert_eq!(has_lent_in_vain(&server), deferred + length == PAYS, "{deferred} {length}");
        // Longer than a buffer, so hashed when the write returns.
        assert_eq!((waiting(&server), server.stats().bytes), ((0, 0), (deferred + length) as u64));
    }
}

#[test]
fn while_yields_are_late_messages_are_hashed_apart_for_some_time() {
    let (server, mut hashers) = saving(2);
    let (trial, begin) = (&server.shared.peers.trial, std::time::Instant::now());
    // Both ways are equally fast, so trials of hashing apart begin and end.
    while !trial.is_apart() {
        trial.yielded(FOR_EVER);
        hashers[0].update(std::vec![0; PAYS]);
        assert!(begin.elapsed() < FOR_EVER, "no trial");
    }
    server.shared.searched(1);
    server.shared.peers.lent(true);
    hashers[1].update(std::vec![0; PAYS]);
    assert!(!has_lent_in_vain(&server));
    while trial.is_apart() {
        hashers[1].update(std::vec![0; PAYS]);
        assert!(begin.elapsed() < FOR_EVER, "a trial without end");
    }
}

#[test]
fn nothing_is_lent_if_there_are_enough_messages_for_a_round() {
    for (others, lent) in [(7, true), (8, false)] {
        let (server, mut hashers) = saving(others + 1);
        hashers[1..].iter_mut().for_each(|hasher| _ = hasher.update(MESSAGE));
        hashers[0].update(std::vec![0; PAYS]);
        assert_eq!(has_lent_in_vain(&server), lent, "{others} others");
        // Eight are in the first round, and the rest of the write is in the second.
        assert_eq!((server.stats().rounds, waiting(&server)), (others as u64 - 6, (0, 0)));
    }
}

#[test]
fn what_nobody_took_is_deferred_if_it_fits() {
    let policy = Policy { saved: YIELD, ..limits().policy };
    let (server, mut hashers) = with_limits(Limits { policy, lend: 0, ..limits() }, 2);
    let ready = server.shared.limits.ready;
    hashers[0].update(std::vec![0; ready]);
    assert!(has_lent_in_vain(&server));
    assert_eq!((waiting(&server), server.stats().bytes), ((1, 1), 0));
    // A message that already fills a buffer is hashed.
    hashers[0].update(std::vec![0; server.shared.limits.staging]);
    assert_eq!((waiting(&server).1, server.stats().bytes > 0), (0, true));
}

/// Polls until the future is ready. Returns how often.
fn polls(future: impl Future) -> usize {
    let (mut future, mut polls) = (pin!(future), 1);
    while future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
        polls += 1;
    }
    polls
}

#[test]
fn a_poll_handles_one_buffer_or_eight_of_a_message_by_itself() {
    let buffer = limits().staging;
    // Two buffers of two hashers: defer the first, let others run, hash both, be ready.
    for (count, length, expected) in [
        (1, 8 * buffer, 1),
        (1, 9 * buffer, 2),
        (1, 17 * buffer, 3),
        (2, buffer, 1),
        (2, 2 * buffer, 4),
        (2, 3 * buffer, 4),
        (2, 4 * buffer, 7),
    ] {
        let (_server, mut hashers) = with_limits(limits(), count);
        let taken = polls(hashers[0].update_async(std::vec![0; length]));
        assert_eq!(taken, expected, "{length} bytes, {count} hashers");
    }
    let (server, mut hashers) = with_limits(limits(), 2);
    (0..2).for_each(|_| server.shared.searched(0));
    assert_eq!(polls(hashers[0].update_async(std::vec![0; 9 * buffer])), 2, "without a search");
}

#[test]
fn a_task_lets_others_run_once_before_it_hashes_much() {
    let few = 16 << 10;
    for (length, expected) in [(few - 1, 2), (few, 3)] {
        // Without memory for buffers, so that nothing is deferred.
        let (_server, mut hashers) = with_limits(Limits { buffers: 0, ..limits() }, 2);
        assert_eq!(polls(hashers[0].update_async(std::vec![0; length])), expected, "{length}");
        // Deferred bytes count as well.
        hashers[0].update([0; SMALL]);
        let rest = std::vec![0; length - SMALL];
        assert_eq!(polls(hashers[0].update_async(rest)), expected, "{length}");
    }
    for (length, expected) in [(0, 1), (few - 1, 2), (few, 3)] {
        let (_server, mut hashers) = with_limits(limits(), 2);
        hashers[0].update(std::vec![0; length]);
        assert_eq!(polls(hashers.remove(0).finalize_async()), expected, "{length}");
    }
    // There are others, so that nobody is searched for.
    let (server, mut hashers) = with_deferred(3);
    (0..2).for_each(|_| server.shared.searched(0));
    assert_eq!(polls(hashers[0].update_async(std::vec![0; few])), 2);
    assert_eq!(server.stats().rounds, 1);
}

#[test]
fn a_task_enters_the_queue_with_more_than_a_few_bytes_before_others_run() {
    for (buffers, entered) in [(0, 0), (9, 1)] {
        let (server, mut hashers) = with_limits(Limits { buffers, ..limits() }, 2);
        hashers[0].update([0; SMALL]);
        let bytes = std::vec![0; limits().staging];
        let mut future = pin!(hashers[0].update_async(bytes));
        assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert_eq!(waiting(&server).0, entered);
    }
}

#[test]
fn what_is_not_worth_an_offer_is_hashed() {
    let (server, mut hashers) = with_limits(Limits { lend: 0, ..limits() }, 2);
    let ready = server.shared.limits.ready;
    hashers[0].update(std::vec![0; ready]);
    assert_eq!((waiting(&server), server.stats().bytes), ((0, 0), ready as u64));
    assert!(!has_lent_in_vain(&server));
}

#[test]
fn tasks_that_are_not_ready_start_no_round() {
    let (server, mut hashers) = with_limits(Limits { ready: 32 << 10, ..limits() }, 8);
    for hasher in &mut hashers {
        hasher.update(std::vec![0; 20 << 10]);
        let digest = pin!(hasher.finalize_reset_async());
        assert!(digest.poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert_eq!((server.stats().rounds, waiting(&server)), (0, (8, 8)));
}

#[test]
fn there_is_a_seat_for_each_hasher() {
    for hashers in [1, 2, 15, 16, 17, 32, 33] {
        let (server, hashers) = with_deferred(hashers);
        assert_eq!(waiting(&server).0, if hashers.len() == 1 { 0 } else { hashers.len() });
    }
}

#[test]
fn a_round_counts_with_all_its_messages() {
    let (server, mut hashers) = with_deferred(8);
    for _ in 0..2 {
        assert!(help(&server));
        hashers.iter_mut().for_each(|hasher| _ = hasher.update(MESSAGE));
    }
    // The mean of the last four, two of which had eight.
    assert_eq!(server.shared.peers.recent(), 3);
}

#[test]
fn what_was_put_aside_follows_what_a_round_leaves() {
    let (server, mut hashers) = deferred(2);
    hashers[1].update(std::vec![8; 20_000]);
    let round = take(server);
    assert_eq!(round.len(), 2);
    let mut long = hashers.remove(1);
    let (send, written) = channel();
    thread::spawn(move || {
        long.update(std::vec![9; 30_000]);
        send.send(long)
    });
    let long = written.recv_timeout(FOR_EVER).expect("a write does not wait for a round");
    // The short message ends long before the other one.
    round.run();
    assert_eq!(waiting(server).0, 1);
    let message = [&MESSAGE[..], &[8; 20_000], &[9; 30_000]].concat();
    assert_eq!(long.finalize(), Engine::<Md5>::new().digest(message));
}

#[test]
fn what_a_round_leaves_of_a_loan_waits_for_the_next() {
    let (server, mut hashers) = with_deferred(2);
    let slot = Arc::clone(&hashers[1].owner.slot);
    let bytes = std::vec![9; 60_000];
    let (home, count) = lend(&server, &slot, &bytes, || {
        assert!(help(&server));
        let all = (2 * MESSAGE.len() + bytes.len()) as u64;
        assert_eq!(waiting(&server).0, usize::from(server.stats().bytes < all));
    });
    drop(home);
    hashers[1].update(&bytes[count..]);
    assert_eq!(hashers.remove(1).finalize(), digest_with(&bytes));
}

#[test]
fn many_hashers_of_one_call_know_their_lengths_and_share_lanes() {
    let (server, mut hashers) = with_deferred(8);
    let mut writes: Vec<_> = hashers.iter_mut().map(|hasher| (hasher, &MESSAGE[..])).collect();
    server.update_many(&mut writes);
    assert!(hashers.iter().all(|hasher| hasher.len() == 4000));
    hashers.iter_mut().for_each(|hasher| _ = hasher.update(MESSAGE));
    let digests = server.finalize_many(&mut hashers.iter_mut().collect::<Vec<_>>());
    assert_eq!(digests, [Engine::<Md5>::new().digest([7; 6000]); 8]);
    let stats = server.stats();
    assert_eq!((stats.bytes_shared, stats.bytes), (48_000, 48_000));
}
