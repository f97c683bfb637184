//! Every entry point, with few and short messages: small enough for Miri (`cargo xtask miri`),
//! which checks each memory access against the aliasing rules.
//!
//! Each test takes another path through the scheduler, with kernels of many lanes. `tests/kernels`
//! covers the kernels themselves and all lengths. MD5 and SHA-512 differ in everything that
//! determines the memory layout: word size, byte order, number of lanes, and length of the state.
#![cfg(feature = "std")]

use std::future::Future;
use std::task::{Context, Waker};

use crate::common::{available, noise, oracle};
use hashlanes::server::{HashServer, ServerOptions};
use hashlanes::{Done, Engine, HashFunction, Hasher, HmacKey, Lanes, Prefix};

/// Messages of these lengths, with their digests.
struct Messages {
    bytes: Vec<u8>,
    spans: Vec<(usize, usize)>,
    answers: Vec<Vec<u8>>,
}

impl Messages {
    fn new<A: HashFunction>(lengths: impl IntoIterator<Item = usize>) -> Self {
        // Messages begin at various offsets, and overlap.
        let offsets = (0..61).step_by(7).cycle();
        let spans: Vec<_> = offsets.zip(lengths).collect();
        let end = spans.iter().map(|(offset, length)| offset + length).max().unwrap_or(0);
        let mut messages = Self { bytes: noise(1, end), spans, answers: Vec::new() };
        messages.answers =
            messages.all().iter().map(|message| oracle(A::ALGORITHM, message)).collect();
        messages
    }

    fn all(&self) -> Vec<&[u8]> {
        self.spans.iter().map(|&(offset, length)| &self.bytes[offset..][..length]).collect()
    }
}

/// The lanes of the widest kernel that can run here.
fn most_lanes<A: HashFunction>() -> usize {
    available(A::ALGORITHM).iter().map(|kernel| kernel.lanes).max().expect("a kernel")
}

fn check_digest_many<A: HashFunction>(engine: Engine<A>, lengths: impl IntoIterator<Item = usize>) {
    let messages = Messages::new::<A>(lengths);
    let digests = engine.digest_many(&messages.all());
    for ((digest, right), message) in digests.iter().zip(&messages.answers).zip(messages.all()) {
        assert_eq!(digest.as_ref(), right, "{engine:?}, {} bytes", message.len());
    }
}

/// Fewer messages than lanes, in one group.
fn one_group<A: HashFunction>() {
    check_digest_many::<A>(Engine::new(), [16; 3]);
}

/// More groups than the kernel gets in one call. The first messages share their padding, the others
/// their whole tail.
fn equal_lengths<A: HashFunction>() {
    let lanes = most_lanes::<A>();
    let whole_block = A::ALGORITHM.block_len();
    let lengths = [16].repeat(4 * lanes).into_iter().chain([whole_block].repeat(lanes + 2));
    check_digest_many::<A>(Engine::new(), lengths);
}

/// Groups whose messages differ by one or two blocks.
fn nearly_equal_lengths<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let lengths = (0..2 * most_lanes::<A>() + 1).map(|i| block + i * 29 % (2 * block));
    check_digest_many::<A>(Engine::new(), lengths);
}

/// Few messages of any lengths, with the automatic choice and with each kernel that has lanes:
/// lanes become idle.
fn few<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let lengths = [4 * block, 0, 9 * block + 3, 1, block + 20];
    check_digest_many::<A>(Engine::new(), lengths);
    for kernel in available(A::ALGORITHM) {
        check_digest_many(Engine::<A>::with_kernel(kernel.name).expect("available"), lengths);
    }
}

/// A window: long messages go through refilled lanes, short ones of equal and of mixed lengths in
/// groups.
fn window<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let long = [33, 38, 34].map(|blocks| blocks * block);
    let short = (0..most_lanes::<A>() + 4).map(|i| i * 3 * block / 2 % (5 * block));
    check_digest_many::<A>(Engine::new(), long.into_iter().chain(short));
}

/// Chunks of one buffer, the last of which is short: one at a time, in groups, and in refilled
/// lanes.
fn chunks<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    for length in [3, block, block + 9, 34 * block] {
        let chunks = if length < 2 * block { 2 * most_lanes::<A>() + 1 } else { 3 };
        let data = noise(2, chunks * length - 1);
        let digests = hashlanes::digest_chunks::<A>(&data, length);
        assert_eq!(digests.len(), chunks);
        for (digest, chunk) in digests.iter().zip(data.chunks(length)) {
            assert_eq!(digest.as_ref(), oracle(A::ALGORITHM, chunk), "chunks of {length} bytes");
        }
    }
}

/// Messages after a prefix that is shorter than a block, a multiple of the block length, or
/// neither.
fn prefixes<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let messages = Messages::new::<A>([3, block, 3 * block + 1, 0, 9 * block]);
    for length in [1, block, block + 7] {
        let bytes = noise(3, length);
        let prefix = Prefix::<A>::new(&bytes);
        for (digest, message) in prefix.digest_many(&messages.all()).iter().zip(messages.all()) {
            let right = oracle(A::ALGORITHM, &[&bytes, message].concat());
            assert_eq!(digest.as_ref(), right, "prefix of {length} bytes");
        }
    }
}

/// MACs under one key and under many.
fn macs<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let keys = ["one", "two", "three"].map(HmacKey::<A>::new);
    for lengths in [vec![20; 9], vec![3, block, 0, 9 * block, 2 * block - 9]] {
        let messages = Messages::new::<A>(lengths);
        let messages = messages.all();
        let each = keys.iter().cycle();
        let macs = Engine::new().hmac_many(&each.clone().zip(messages.clone()).collect::<Vec<_>>());
        for ((mac, key), message) in macs.iter().zip(each).zip(&messages) {
            assert_eq!(*mac, key.hasher().update(message).finalize_reset());
        }
        let right: Vec<_> = messages.iter().map(|message| keys[0].mac(message)).collect();
        assert_eq!(keys[0].mac_many(&messages), right);
    }
}

/// Messages in pieces, updated in step.
fn in_step<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let messages = Messages::new::<A>([4 * block, 5, 6 * block + 7, block, 0, 2 * block - 1]);
    let engine = Engine::new();
    let mut hashers = vec![Hasher::<A>::with_engine(engine); messages.spans.len()];
    for part in 0..3 {
        let piece = |message: &&[u8]| {
            let end = |part| message.len() * part / 3;
            message[end(part)..end(part + 1)].to_vec()
        };
        engine.update_many(&mut hashers, &messages.all().iter().map(piece).collect::<Vec<_>>());
    }
    for (hasher, right) in hashers.into_iter().zip(&messages.answers) {
        assert_eq!(hasher.finalize().as_ref(), right);
    }
}

/// The manager with more messages than its capacity, whole or in two pieces.
fn manager<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let messages = Messages::new::<A>((0..14).map(|i| i * 53 % (4 * block)));
    let mut lanes = Lanes::<A, &[u8], usize>::with_engine(Engine::new(), 6);
    let mut digests = vec![None; messages.answers.len()];
    let mut waiting = messages.all().into_iter().enumerate();
    loop {
        let (mut done, submitted) = match waiting.next() {
            Some((i, message)) if i % 3 == 0 => {
                (lanes.first(&message[..message.len() / 2], i), true)
            }
            Some((i, message)) => (lanes.entire(message, i), true),
            None => (lanes.flush(), false),
        };
        if done.is_none() && !submitted {
            break;
        }
        while let Some(latest) = done.take() {
            match latest {
                Done::Message { tag, digest, .. } => digests[tag] = Some(digest),
                Done::Piece { job, buffer } => {
                    let rest = &messages.all()[*job.tag()][buffer.len()..];
                    done = lanes.last(job, rest);
                }
            }
        }
    }
    for (digest, right) in digests.iter().zip(&messages.answers) {
        assert_eq!(digest.as_ref().expect("flushed").as_ref(), right);
    }
}

/// Threads that share a server: small writes are staged, large ones are lent to the thread that
/// runs the round.
fn server<A: HashFunction>() {
    const STAGING: usize = 2048;
    let messages = Messages::new::<A>([STAGING, STAGING + 600, 5, STAGING + 509]);
    let server = HashServer::<A>::with_options(ServerOptions::new().staging(STAGING));
    std::thread::scope(|scope| {
        for (message, right) in messages.all().into_iter().zip(&messages.answers) {
            let mut hasher = server.hasher();
            scope.spawn(move || {
                let (first, rest) = message.split_at(message.len() / 9);
                hasher.update(first);
                hasher.update(rest);
                assert_eq!(hasher.finalize().as_ref(), right);
            });
        }
    });
}

/// An event loop: one call for many hashers, and then tasks, which copy what they do not hash.
fn event_loop<A: HashFunction>() {
    const STAGING: usize = 2048;
    let messages = Messages::new::<A>([STAGING, STAGING + 600, 5, STAGING + 509]);
    let server = HashServer::<A>::with_options(ServerOptions::new().staging(STAGING));
    let mut hashers: Vec<_> = messages.all().iter().map(|_| server.hasher()).collect();
    server.update_many(&mut hashers.iter_mut().zip(messages.all()).collect::<Vec<_>>());
    let digests = server.finalize_many(&mut hashers.iter_mut().collect::<Vec<_>>());
    for (digest, right) in digests.iter().zip(&messages.answers) {
        assert_eq!(digest.as_ref(), right);
    }
    let mut tasks: Vec<_> = hashers
        .into_iter()
        .zip(messages.all())
        .zip(&messages.answers)
        .map(|((mut hasher, message), right)| {
            Box::pin(async move {
                let (first, rest) = message.split_at(message.len() / 9);
                hasher.update_async(first).await;
                hasher.update_async(rest).await;
                assert_eq!(hasher.finalize_async().await.as_ref(), right);
            })
        })
        .collect();
    let mut context = Context::from_waker(Waker::noop());
    while !tasks.is_empty() {
        tasks.retain_mut(|task| task.as_mut().poll(&mut context).is_pending());
    }
}

macro_rules! every_way {
    ($($module:ident: $function:ident),*) => {
        $(mod $module {
            every_way!(@tests $function:
                one_group, equal_lengths, nearly_equal_lengths, few, window, chunks, prefixes, macs,
                in_step, manager, event_loop
            );

            #[test]
            #[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
            fn server() {
                super::server::<hashlanes::$function>();
            }
        })*
    };
    (@tests $function:ident: $($test:ident),*) => {
        $(#[test]
        fn $test() {
            super::$test::<hashlanes::$function>();
        })*
    };
}

every_way!(md5: Md5, sha512: Sha512);
