//! The cap on rounds, and the help of threads that would sleep.
//!
//! The tests hold a round back while its messages are out, so they need no luck.

use std::boxed::Box;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use std::vec::Vec;

use super::batch::Batch;
use super::options::{Limits, ServerOptions};
use super::policy::Policy;
use super::round::{help_round, run};
use super::shared::Shared;
use super::{HashServer, ServerHasher};
use crate::{Engine, Md5};

/// What waits longer than this waits for ever. Everything here takes milliseconds.
const FOR_EVER: Duration = Duration::from_secs(20);

const MESSAGE: [u8; 2000] = [7; 2000];

/// A server on four cores in which eight messages cost as much as one, with as many deferred
/// messages. Never dropped, so that a failing test can leave a thread behind.
fn deferred(messages: usize) -> (&'static HashServer<Md5>, Vec<ServerHasher<Md5>>) {
    let engine = Engine::new();
    let costs = core::array::from_fn(|messages| 1000 * messages.div_ceil(8) as u64);
    let policy = Policy { saved: 0, ..Policy::from_costs(&costs) };
    let limits = Limits { policy, cores: 4, ..Limits::new(ServerOptions::new(), engine) };
    let shared = super::sync::Arc::new(Shared::new(engine, limits));
    let server: &'static _ = Box::leak(Box::new(HashServer { shared }));
    let mut hashers: Vec<_> = (0..messages).map(|_| server.hasher()).collect();
    hashers.iter_mut().for_each(|hasher| _ = hasher.update(MESSAGE));
    (server, hashers)
}

/// Makes threads that come to share see `rounds` others.
fn see(server: &HashServer<Md5>, rounds: usize) {
    let _underway: Vec<_> = (0..rounds).map(|_| server.shared.company.begin(0)).collect();
    (0..200).for_each(|_| server.shared.company.look_around());
}

/// Takes out what a round of one more message would have.
fn take(server: &'static HashServer<Md5>) -> Batch<'static, Md5> {
    let mut batch = Batch::new(&server.shared).unwrap();
    server.shared.take_company(1, &mut batch.taken);
    batch
}

#[test]
fn a_round_takes_no_more_than_the_cores_leave() {
    for (beside, expected) in [(0, 7), (1, 5), (2, 3), (9, 2), (0, 7)] {
        let (server, _hashers) = deferred(11);
        see(server, beside);
        assert_eq!(take(server).taken.len(), expected, "{beside} rounds beside");
    }
}

#[test]
fn messages_that_are_out_count_as_busy() {
    let (server, _hashers) = deferred(15);
    see(server, 1);
    let first = take(server);
    assert_eq!(first.taken.len(), 7);
    let _underway = server.shared.company.begin(8);
    assert_eq!(take(server).taken.len(), 7, "eight more on two cores are sixteen");
}

#[test]
fn nobody_helps_where_each_is_better_hashed_alone() {
    let (server, _hashers) = deferred(2);
    see(server, 1);
    assert!(!help_round(&server.shared));
    see(server, 0);
    assert!(help_round(&server.shared));
    assert!(!help_round(&server.shared), "nothing is left");
}

#[test]
fn a_thread_whose_message_is_out_runs_a_round_of_the_others() {
    let (server, mut hashers) = deferred(8);
    // The oldest two are out with a round that takes long.
    see(server, 3);
    let long = take(server);
    assert_eq!(long.taken.len(), 2);
    let out = hashers.remove(0);
    let (send, digest) = channel();
    thread::spawn(move || send.send(out.finalize()));
    let begin = std::time::Instant::now();
    while server.shared.pending() > 1 {
        assert!(begin.elapsed() < FOR_EVER, "the thread sleeps and leaves six messages");
        thread::yield_now();
    }
    assert!(digest.try_recv().is_err(), "its message is still out");
    run(long, None);
    let expected = Engine::<Md5>::new().digest(MESSAGE);
    assert_eq!(digest.recv_timeout(FOR_EVER), Ok(expected));
    for hasher in hashers {
        assert_eq!(hasher.finalize(), expected);
    }
}
