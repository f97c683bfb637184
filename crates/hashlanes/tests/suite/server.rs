//! The server's public interface: every digest is compared with RustCrypto's, however the threads
//! interact.
#![cfg(feature = "std")]

use std::io::{ErrorKind, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use hashlanes::server::{HashServer, ServerHasher, ServerOptions, ServerStats};
use hashlanes::{
    Algorithm, HashFunction, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_256, Sm3,
};
use sha2::Digest;

/// A function of this crate with an independent implementation of it.
trait Checked: HashFunction {
    type Reference: Digest + Clone;
}

macro_rules! checked {
    ($($ours:ident $theirs:ty),*) => { $(impl Checked for $ours { type Reference = $theirs; })* };
}

checked!(
    Md5 md5::Md5, Sha1 sha1::Sha1, Sha224 sha2::Sha224, Sha256 sha2::Sha256,
    Sha384 sha2::Sha384, Sha512 sha2::Sha512, Sha512_256 sha2::Sha512_256,
    Sm3 sm3::Sm3
);

/// A small random number generator (xorshift64*), which makes runs repeatable.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    /// A length of any magnitude, mostly near a power of two.
    fn length(&mut self, max: usize) -> usize {
        let power = self.below(max.ilog2() as usize + 1);
        let jitter = self.below(5);
        match self.below(3) {
            0 => self.below(max + 1),
            _ => ((1_usize << power) + jitter).saturating_sub(2).min(max),
        }
    }
}

/// Bytes from which the tests take pieces.
fn material(len: usize) -> Vec<u8> {
    let mut random = Random::new(7);
    (0..len.div_ceil(8)).flat_map(|_| random.next().to_le_bytes()).take(len).collect()
}

/// A hasher of the server and a reference hasher of the same message.
struct Pair<A: Checked> {
    ours: ServerHasher<A>,
    theirs: A::Reference,
}

impl<A: Checked> Clone for Pair<A> {
    fn clone(&self) -> Self {
        Self { ours: self.ours.clone(), theirs: self.theirs.clone() }
    }
}

impl<A: Checked> Pair<A> {
    fn new(server: &HashServer<A>) -> Self {
        Self { ours: server.hasher(), theirs: A::Reference::new() }
    }

    /// Writes from memory that is overwritten and freed at once, so that a late read gets other
    /// bytes or is a data race.
    fn update(&mut self, bytes: &[u8]) {
        let skew = bytes.as_ptr().addr() % 64;
        let mut memory = vec![0; skew + bytes.len()];
        memory[skew..].copy_from_slice(bytes);
        self.ours.update(&memory[skew..]);
        memory.fill(0xee);
        std::hint::black_box(memory);
        self.theirs.update(bytes);
    }

    fn check(&mut self) {
        let theirs = std::mem::replace(&mut self.theirs, A::Reference::new()).finalize();
        assert_eq!(self.ours.finalize_reset().as_ref(), &theirs[..]);
    }

    fn reset(&mut self) {
        self.ours.reset();
        self.theirs = A::Reference::new();
    }
}

/// A writer's random actions: updates of all sizes, digests, clones, resets, drops, and a rare
/// panic.
fn misbehave<A: Checked>(server: &HashServer<A>, material: &[u8], seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let mut pairs = vec![Pair::new(server)];
    for _ in 0..steps {
        let i = random.below(pairs.len());
        match random.below(100) {
            0..70 => {
                let max = if random.below(8) == 0 { 300_000 } else { 20_000 };
                let len = random.length(max);
                let start = random.below(material.len() - len);
                pairs[i].update(&material[start..start + len]);
            }
            70..80 => pairs[i].check(),
            80..84 => pairs[i].reset(),
            84..88 => {
                let pair = pairs[i].clone();
                pairs.push(pair);
            }
            88..92 => pairs.push(Pair::new(server)),
            92..96 => drop(pairs.swap_remove(i)),
            96..98 => thread::yield_now(),
            _ => {
                let mut pair = pairs.swap_remove(i);
                let len = random.below(70_000);
                let result = catch_unwind(AssertUnwindSafe(move || {
                    pair.update(&material[..len]);
                    // Like a panic, but without a message on the terminal.
                    std::panic::resume_unwind(Box::new("the writer gives up"));
                }));
                assert!(result.is_err());
            }
        }
        if pairs.is_empty() {
            pairs.push(Pair::new(server));
        }
    }
    pairs.iter_mut().for_each(Pair::check);
}

/// Scales a count down under tools that make memory accesses slow (`HASHLANES_STRESS=light`).
fn share(n: usize) -> usize {
    if std::env::var_os("HASHLANES_STRESS").is_some_and(|value| value == "light") {
        n.div_ceil(8)
    } else {
        n
    }
}

fn stress<A: Checked>(options: ServerOptions, threads: usize, steps: usize) -> ServerStats {
    let server = HashServer::<A>::with_options(options);
    let material = material(1 << 20);
    thread::scope(|scope| {
        for seed in 0..share(threads) as u64 {
            let (server, material) = (server.clone(), &material);
            scope.spawn(move || misbehave(&server, material, seed + 1, steps));
        }
    });
    let stats = server.stats();
    assert!(stats.messages > 0 && stats.bytes > 0);
    stats
}

/// With the default options, writers meet regardless of timing: each thread has several hashers,
/// some of which defer, so messages meet even if the threads run one after the other.
fn stress_and_meet<A: Checked>(threads: usize) {
    let stats = stress::<A>(ServerOptions::new(), threads, 60);
    if stats.full_lanes > 1 {
        assert!(stats.rounds > 0 && stats.mean_lanes > 1.0, "so many writers must meet: {stats:?}");
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn hundreds_of_threads_that_drop_panic_clone_and_reset_get_right_digests_md5() {
    stress_and_meet::<Md5>(300);
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn hundreds_of_threads_that_drop_panic_clone_and_reset_get_right_digests_sha1() {
    stress_and_meet::<Sha1>(200);
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn hundreds_of_threads_that_drop_panic_clone_and_reset_get_right_digests_sha256() {
    stress_and_meet::<Sha256>(200);
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn hundreds_of_threads_that_drop_panic_clone_and_reset_get_right_digests_sha512() {
    stress_and_meet::<Sha512>(200);
}

/// This test does not check that writers meet: without memory to defer, two must be in a call at
/// the same time, which depends on the operating system.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn threads_get_right_digests_with_little_memory_to_defer() {
    stress::<Md5>(ServerOptions::new().memory(3 * 4096).staging(4096).ready(2000), 100, 60);
    stress::<Sha512>(ServerOptions::new().memory(0), 50, 60);
    stress::<Sha384>(ServerOptions::new().memory(1 << 20).staging(2048), 50, 60);
    stress::<Sha224>(ServerOptions::new().ready(1), 50, 60);
    stress::<Sha512_256>(ServerOptions::new().staging(1 << 20), 50, 60);
}

/// An event loop: one thread makes small writes to many hashers in turn.
fn round_robin<A: Checked>(hashers: usize, write: usize, rounds: usize) -> ServerStats {
    let server = HashServer::<A>::new();
    let material = material(1 << 18);
    let mut pairs: Vec<Pair<A>> = (0..hashers).map(|_| Pair::new(&server)).collect();
    for round in 0..rounds {
        for (i, pair) in pairs.iter_mut().enumerate() {
            let start = (round * 7919 + i * 104_729) % (material.len() - write);
            pair.update(&material[start..start + write]);
        }
    }
    pairs.iter_mut().for_each(Pair::check);
    server.stats()
}

#[test]
fn one_thread_with_many_hashers_fills_the_lanes() {
    for (hashers, write) in [(16, 4096), (64, 4096), (64, 1000), (1000, 100), (64, 32 << 10)] {
        let stats = round_robin::<Md5>(hashers, write, 40);
        assert_eq!(stats.messages, hashers as u64);
        assert_eq!(stats.bytes, (hashers * write * 40) as u64);
        if stats.full_lanes > 1 {
            let full = stats.full_lanes.min(hashers) as f64;
            // With few bytes or few hashers, the last rounds, which are smaller, are a large part
            // of all.
            let part = if write >= 4096 && hashers >= 64 { 0.9 } else { 0.7 };
            assert!(stats.mean_lanes > part * full, "{hashers} hashers, {write} bytes: {stats:?}");
            assert!(
                stats.bytes_shared > stats.bytes * 8 / 10,
                "{hashers} hashers, {write} bytes: {stats:?}"
            );
        }
    }
    round_robin::<Sha256>(64, 4096, 20);
    round_robin::<Sha512>(3, 4096, 20);
}

/// An event loop that gives all its hashers bytes by one call, and asks for all digests by another.
fn batches<A: Checked>(server: &HashServer<A>, material: &[u8], seed: u64) {
    let mut random = Random::new(seed);
    let mut hashers: Vec<_> = (0..random.below(50)).map(|_| server.hasher()).collect();
    let mut references = vec![A::Reference::new(); hashers.len()];
    for _ in 0..6 {
        let longest = [100, 5000, 60_000][random.below(3)];
        let mut writes = Vec::new();
        for (hasher, reference) in hashers.iter_mut().zip(&mut references) {
            let piece = &material[..random.length(longest)];
            reference.update(piece);
            // Some write by themselves, and may be deferred.
            if random.below(4) == 0 {
                hasher.update(piece);
            } else {
                writes.push((hasher, piece));
            }
        }
        server.update_many(&mut writes);
    }
    let digests = server.finalize_many(&mut hashers.iter_mut().collect::<Vec<_>>());
    for (digest, reference) in digests.iter().zip(references) {
        assert_eq!(digest.as_ref(), &reference.finalize()[..]);
    }
    assert_eq!(digests.len(), hashers.len());
    assert!(hashers.iter().all(ServerHasher::is_empty));
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn many_hashers_of_several_threads_are_updated_and_finalized_at_once() {
    fn run<A: Checked>(options: ServerOptions) {
        let (server, material) = (HashServer::<A>::with_options(options), material(60_000));
        thread::scope(|scope| {
            for thread in 0..4 {
                let (server, material) = (&server, &material);
                scope.spawn(move || (0..4).for_each(|i| batches(server, material, thread * 4 + i)));
            }
        });
        let stats = server.stats();
        assert_eq!((stats.hashers, stats.waiting), (0, 0));
        assert!(stats.full_lanes == 1 || stats.bytes_shared > stats.bytes / 2, "{stats:?}");
    }
    run::<Md5>(ServerOptions::new());
    run::<Sha256>(ServerOptions::new().memory(0));
    run::<Sha512>(ServerOptions::new().staging(4096));
}

#[test]
fn one_call_for_many_hashers_fills_the_lanes_without_a_copy() {
    let server = HashServer::<Md5>::with_options(ServerOptions::new().memory(0));
    let (lanes, material) = (server.stats().full_lanes, material(8192));
    let mut hashers: Vec<_> = (0..2 * lanes).map(|_| server.hasher()).collect();
    for _ in 0..3 {
        let mut writes: Vec<_> = hashers.iter_mut().map(|hasher| (hasher, &*material)).collect();
        server.update_many(&mut writes);
    }
    let stats = server.stats();
    assert_eq!(stats.bytes, (2 * lanes * 3 * material.len()) as u64, "hashed when it returns");
    assert!(lanes == 1 || (stats.bytes_shared, stats.mean_lanes) == (stats.bytes, lanes as f64));
    let mut other = HashServer::<Md5>::new().hasher();
    let mixed = AssertUnwindSafe(|| server.update_many(&mut [(&mut other, &*material)]));
    assert!(catch_unwind(mixed).is_err());
    assert!(other.is_empty());
}

#[test]
fn a_lone_hasher_is_never_deferred() {
    let server = HashServer::<Md5>::new();
    let material = material(1 << 20);
    let mut pair = Pair::new(&server);
    for piece in material.chunks(3000) {
        pair.update(piece);
    }
    pair.check();
    let stats = server.stats();
    assert_eq!((stats.rounds, stats.bytes, stats.bytes_shared), (0, 1 << 20, 0));
}

#[test]
fn stalled_hashers_do_not_harm_others() {
    let server = HashServer::<Md5>::with_options(
        ServerOptions::new().memory(8 * 4096).staging(4096).ready(2048),
    );
    let material = material(1 << 16);
    // They hold all memory for deferred data, and are never used again.
    let mut stalled: Vec<Pair<Md5>> = (0..100).map(|_| Pair::new(&server)).collect();
    stalled.iter_mut().for_each(|pair| pair.update(&material[..3000]));
    let mut others: Vec<Pair<Md5>> = (0..32).map(|_| Pair::new(&server)).collect();
    for i in 0..100 {
        others.iter_mut().for_each(|pair| pair.update(&material[i * 10..][..2000]));
    }
    others.iter_mut().for_each(Pair::check);
    let stats = server.stats();
    // Now each hasher defers at most 1 KiB. Where two lanes are already worthwhile, rounds have few
    // messages: 3.9 on average with AVX2 on Zen 3, more with AVX-512.
    let lanes = if cfg!(target_arch = "x86_64") { 3.0 } else { 2.0 };
    assert!(
        stats.full_lanes == 1 || stats.mean_lanes > lanes,
        "the others still share lanes: {stats:?}"
    );
    stalled.iter_mut().for_each(Pair::check);
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn large_writes_of_several_threads_are_lent_to_each_other() {
    let server = HashServer::<Md5>::new();
    let material = material(9 << 20);
    let threads = share(32);
    let start = Barrier::new(threads);
    let write = |i| {
        let mut pair = Pair::new(&server);
        start.wait();
        for k in 0..4 {
            // Longer and shorter than a round's share of a write.
            pair.update(&material[i * 1001 + k..][..(k + 1) * 600_000 + i]);
        }
        pair.check();
    };
    // Whether threads meet depends on the operating system, so they get several chances.
    let shared = (0..20).any(|_| {
        thread::scope(|scope| {
            let write = &write;
            let threads: Vec<_> = (0..threads).map(|i| scope.spawn(move || write(i))).collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
        let stats = server.stats();
        stats.full_lanes == 1 || stats.bytes_shared > 0
    });
    assert!(shared, "{:?}", server.stats());
}

#[test]
fn a_clone_continues_independently() {
    let server = HashServer::<Sha1>::new();
    let mut first = Pair::new(&server);
    let mut other = Pair::new(&server);
    first.update(&[1; 5000]);
    other.update(&[2; 5000]);
    let mut second = first.clone();
    first.update(b"left");
    second.update(b"right");
    for pair in [&mut first, &mut second, &mut other] {
        pair.check();
    }
}

#[test]
fn an_algorithm_chosen_by_name_hashes_through_a_server() {
    for &algorithm in Algorithm::ALL {
        let server = HashServer::of(algorithm);
        let mut hashers: Vec<_> = (0..20).map(|_| server.hasher()).collect();
        for (i, hasher) in hashers.iter_mut().enumerate() {
            hasher.write_all(&vec![i as u8; 10_000]).expect("hashers take everything");
        }
        let clone = hashers[5].clone();
        hashers[4].reset();
        for (i, hasher) in hashers.into_iter().enumerate() {
            let message = if i == 4 { vec![] } else { vec![i as u8; 10_000] };
            assert_eq!(hasher.finalize(), algorithm.digest(&message));
        }
        assert_eq!(clone.finalize(), algorithm.digest([5; 10_000]));
        assert_eq!(server.stats().messages, 21);
    }
}

#[test]
fn hashers_and_servers_may_be_sent_and_shared() {
    fn check<T: Send + Sync + 'static>() {}
    check::<ServerHasher<Md5>>();
    check::<HashServer<Md5>>();
    check::<HashServer>();
    check::<hashlanes::server::ServerHasher>();
}

#[test]
fn empty_and_one_byte_writes() {
    let server = HashServer::<Sha512>::new();
    let mut pairs: Vec<Pair<Sha512>> = (0..3).map(|_| Pair::new(&server)).collect();
    for i in 0..5000 {
        for pair in &mut pairs {
            pair.update(&[]);
            pair.update(&[i as u8]);
        }
    }
    pairs.iter_mut().for_each(Pair::check);
    assert_eq!(Pair::new(&server).ours.finalize().as_ref(), &sha2::Sha512::digest([])[..]);
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn dropped_hashers_return_their_memory() {
    // Memory for two buffers. If they were not returned, later hashers could not defer.
    let server =
        HashServer::<Md5>::with_options(ServerOptions::new().memory(2 * 8192).staging(8192));
    for _ in 0..100 {
        let mut hashers = [server.hasher(), server.hasher()];
        for hasher in &mut hashers {
            hasher.update([1; 4000]);
        }
    }
    let before = server.stats();
    assert_eq!(before.bytes, 0, "all bytes were deferred, then dropped: {before:?}");
    let dropped = AtomicUsize::new(0);
    let message = Arc::new(());
    thread::scope(|scope| {
        let (dropped, server) = (&dropped, &server);
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let message = Arc::clone(&message);
                scope.spawn(move || {
                    let mut hasher = server.hasher();
                    hasher.update(vec![0; 100_000]);
                    drop((hasher, message));
                    dropped.fetch_add(1, Ordering::Relaxed);
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert_eq!((dropped.into_inner(), Arc::strong_count(&message)), (8, 1));
}

/// Runs `body` with each kind of hasher of an algorithm chosen at run time.
macro_rules! for_each_hasher {
    (|$hasher:ident| $body:block) => {{
        let server = HashServer::<Sha256>::new();
        let _others = server.hasher();
        let mut $hasher = server.hasher();
        $body
        let server = HashServer::of(Algorithm::Sha256);
        let _others = server.hasher();
        let mut $hasher = server.hasher();
        $body
    }};
}

#[test]
fn a_hasher_of_a_server_is_used_like_any_other() {
    let right = |message: &[u8]| sha2::Sha256::digest(message).to_vec();
    for_each_hasher!(|hasher| {
        assert!(hasher.is_empty());
        hasher.update("a").update(b"b").update(vec![b'c']);
        assert!(hasher.len() == 3 && !hasher.is_empty());
        assert!(format!("{hasher:?}").contains("bytes: 3"), "{hasher:?}");
        let snapshot = hasher.clone();
        hasher.write_all(b"d").unwrap();
        assert_eq!((snapshot.len(), hasher.len()), (3, 4));
        assert_eq!(snapshot.finalize().as_ref(), right(b"abc"));
        assert_eq!(hasher.finalize_reset().as_ref(), right(b"abcd"));
        assert!(hasher.is_empty());
        hasher.update("gone").reset();
        assert!(hasher.is_empty());
        assert_eq!(hasher.finalize().as_ref(), right(b""));
    });
}

/// A reader that returns its pieces one by one, with an interruption before each, and then fails or
/// ends.
struct Pieces {
    pieces: Vec<Vec<u8>>,
    interrupted: bool,
    fails: bool,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        match self.pieces.pop() {
            Some(piece) => {
                buffer[..piece.len()].copy_from_slice(&piece);
                Ok(piece.len())
            }
            None if self.fails => Err(ErrorKind::ConnectionReset.into()),
            None => Ok(0),
        }
    }
}

#[test]
fn a_reader_is_hashed_to_its_end_or_to_its_error() {
    let material = material(150_000);
    for fails in [false, true] {
        for_each_hasher!(|hasher| {
            let pieces = || Pieces {
                pieces: material.rchunks(7000).map(<[u8]>::to_vec).collect(),
                interrupted: false,
                fails,
            };
            let mut theirs = sha2::Sha256::new();
            for _ in 0..2 {
                let result = hasher.update_reader(pieces()).map(|hasher| hasher.len());
                assert_eq!(result.is_err(), fails);
                if let Err(error) = result {
                    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
                }
                // The bytes before the error have been appended.
                theirs.update(&material);
            }
            assert_eq!(hasher.update_reader(&b"end"[..]).unwrap().len(), 300_003);
            theirs.update("end");
            assert_eq!(hasher.finalize().as_ref(), &theirs.finalize()[..]);
        });
    }
}

/// No machine has so much memory, so writes are hashed at once instead of deferred.
#[test]
fn without_memory_for_buffers_writes_are_hashed_at_once() {
    let options = ServerOptions::new().memory(usize::MAX).staging(usize::MAX);
    let server = HashServer::<Md5>::with_options(options);
    let mut pairs: Vec<Pair<Md5>> = (0..20).map(|_| Pair::new(&server)).collect();
    for i in 0..10 {
        for pair in &mut pairs {
            pair.update(&vec![i; 3000]);
        }
        // Deferred writes would wait, and would be hashed side by side.
        let stats = server.stats();
        assert_eq!((stats.waiting, stats.rounds, stats.bytes_shared), (0, 0, 0), "{stats:?}");
    }
    pairs.iter_mut().for_each(Pair::check);
    assert_eq!(server.stats().bytes, 20 * 10 * 3000);
}
