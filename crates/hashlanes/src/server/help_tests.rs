//! The limit of a round, loans to other threads, and the rounds that threads run before they sleep.
//!
//! The tests delay a round while its messages are out, so they do not depend on timing.

use std::boxed::Box;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use std::vec::Vec;

use super::options::{Limits, ServerOptions};
use super::policy::Policy;
use super::round::Round;
use super::shared::Shared;
use super::slot::{Home, Locked, Slot};
use super::sync::Arc;
use super::{HashServer, ServerHasher};
use crate::{Engine, Md5};

/// Whatever takes longer than this hangs. Everything here takes milliseconds.
const FOR_EVER: Duration = Duration::from_secs(20);

const MESSAGE: [u8; 2000] = [7; 2000];

/// A server on four cores for which eight messages cost as much as one, with `messages` deferred.
fn with_deferred(messages: usize) -> (HashServer<Md5>, Vec<ServerHasher<Md5>>) {
    let engine = Engine::new();
    let costs = core::array::from_fn(|messages| 1000 * messages.div_ceil(8) as u64);
    let policy = Policy { saved: 0, ..Policy::from_costs(&costs) };
    let limits = Limits { policy, cores: 4, ..Limits::new(ServerOptions::new(), engine) };
    let server = HashServer { shared: Arc::new(Shared::new(engine, limits)) };
    let mut hashers: Vec<_> = (0..messages).map(|_| server.hasher()).collect();
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
fn take(server: &'static HashServer<Md5>) -> Round<'static, Md5> {
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
    slot: &'s Arc<Slot<Md5>>,
    bytes: &[u8],
    meanwhile: impl FnOnce(),
) -> (Home<'s, Md5>, usize) {
    let home = Slot::lock(slot).home().ok().expect("no round has it");
    home.lend(bytes, |mut home| -> Locked<'_, Md5> {
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
    let slot = Arc::clone(&hashers[0].slot);
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
    let slot = Arc::clone(&hashers[0].slot);
    let bytes = std::vec![9; 1500];
    let panics = || resume_unwind(Box::new("without a message on the terminal"));
    let lent = catch_unwind(AssertUnwindSafe(|| lend(&server, &slot, &bytes, panics).1));
    assert!(lent.is_err());
    drop(bytes);
    assert!(help(&server), "other rounds may still take the message");
    assert_eq!(hashers.remove(0).finalize(), digest_with(&[]));
}
