//! Concurrent use by many threads.
#![cfg(feature = "alloc")]

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Barrier;

use crate::common::{noise, oracle, this_program};
use hashlanes::{Algorithm, Engine, HashFunction, Sha256};

/// Runs in a separate process, where all threads use the library for the first time at once.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly starts no processes")]
fn concurrent_first_uses_give_correct_digests() {
    const ALONE: &str = "HASHLANES_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return begin_together();
    }
    let name = "threads::concurrent_first_uses_give_correct_digests";
    let alone = this_program().args([name, "--exact"]).env(ALONE, "1").output().unwrap();
    let text = String::from_utf8_lossy(&alone.stdout);
    let passed = alone.status.success() && text.contains("1 passed");
    assert!(passed, "{text}{}", String::from_utf8_lossy(&alone.stderr));
}

fn begin_together() {
    const THREADS: usize = 8;
    let messages: Vec<_> = (0..150).map(|i| noise(i as u64, i * 7919 % 3000)).collect();
    let right: Vec<Vec<_>> = Algorithm::ALL
        .iter()
        .map(|&algorithm| messages.iter().map(|message| oracle(algorithm, message)).collect())
        .collect();
    let start = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (messages, right, start) = (&messages, &right, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..20 {
                    // Half of the threads begin with the same algorithm, the others with different
                    // ones. Counts differ, too.
                    let offset = if thread % 2 == 0 { 0 } else { thread };
                    for i in 0..Algorithm::ALL.len() {
                        let i = (i + offset) % Algorithm::ALL.len();
                        let algorithm = Algorithm::ALL[i];
                        let count = 1 + (thread * 31 + round * 7) % messages.len();
                        let digests = algorithm.digest_many(&messages[..count]);
                        assert!(
                            digests
                                .iter()
                                .zip(&right[i])
                                .all(|(digest, right)| digest.as_bytes() == right)
                        );
                        let mut hashers = Engine::of(algorithm).hashers(2);
                        hashers.update(&[&messages[thread], &messages[count - 1]]);
                        assert_eq!(hashers.finalize_reset(1).as_bytes(), right[i][count - 1]);
                    }
                }
            });
        }
    });
}

/// Engines, hashers, jobs and managers can be sent to other threads, and shared.
#[test]
fn everything_is_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<hashlanes::Engine<hashlanes::Sha1>>();
    check::<hashlanes::Hasher<hashlanes::Sha512>>();
    check::<hashlanes::Lanes<hashlanes::Md5, Vec<u8>, u32>>();
    check::<hashlanes::LaneJob<hashlanes::Md5, u32>>();
    check::<hashlanes::Done<hashlanes::Md5, Vec<u8>, u32>>();
    check::<hashlanes::Hashers>();
    #[cfg(feature = "std")]
    {
        check::<hashlanes::server::HashServer<hashlanes::Sha256>>();
        check::<hashlanes::server::ServerHasher<hashlanes::Sha256>>();
        check::<hashlanes::server::ServerHasher<Sha256, hashlanes::HmacKey<Sha256>>>();
        check::<hashlanes::server::HashServer>();
        check::<hashlanes::server::ServerHasher>();
    }
    check::<hashlanes::Engine>();
    check::<hashlanes::AnyDigest>();
}

/// What a panic leaves behind can be used, also by code that is generic over the function.
#[test]
fn engines_and_servers_are_unwind_safe() {
    fn check<T: UnwindSafe + RefUnwindSafe>() {}
    fn generic<A: HashFunction>() {
        check::<Engine<A>>();
        #[cfg(feature = "std")]
        {
            check::<hashlanes::server::HashServer<A>>();
            check::<hashlanes::server::ServerHasher<A>>();
        }
    }
    generic::<Sha256>();
    #[cfg(feature = "std")]
    {
        check::<hashlanes::server::ServerHasher<Sha256, hashlanes::HmacKey<Sha256>>>();
        check::<hashlanes::server::HashServer>();
        check::<hashlanes::server::ServerHasher>();
    }
}
