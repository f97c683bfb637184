//! Every way through the library with few and short messages: what Miri runs, which takes a
//! thousand times as long as the CPU (`cargo xtask miri`).
#![cfg(feature = "alloc")]

mod common;

use common::{engines, noise, oracle};
use hashlanes::{
    AnyEngine, Done, Engine, HashFunction, Hasher, Lanes, Md5, Prefix, Sha256, Sha512,
};

fn check<A: HashFunction>(digest: &A::Digest, message: &[u8]) {
    assert_eq!(digest.as_ref(), oracle(A::ALGORITHM, message), "{} bytes", message.len());
}

/// Each kernel that can run here.
fn for_each_engine<A: HashFunction>(test: impl Fn(Engine<A>)) {
    test(Engine::new());
    for kernel in A::ALGORITHM.kernels().filter(|kernel| kernel.is_available()) {
        test(Engine::with_kernel(kernel.name).unwrap());
    }
}

/// Lengths around the ends of blocks.
fn lengths(block: usize) -> [usize; 9] {
    [0, 1, 17, block - 9, block - 8, block - 1, block, block + 5, 2 * block]
}

/// Groups of one length, of two, and of lengths too uneven for a group.
fn many<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let noise = noise(1, 40 * block);
    for_each_engine::<A>(|engine| {
        let mut digests = [A::digest(""); 11];
        let mut check_all = |messages: &[&[u8]]| {
            let digests = &mut digests[..messages.len()];
            engine.digest_many_into(messages, digests);
            digests.iter().zip(messages).for_each(|(digest, message)| check::<A>(digest, message));
        };
        for length in lengths(block) {
            // One more than there are lanes, so that slots are used again.
            check_all(&[&noise[..length], &noise[1..][..length], &noise[2..][..length]]);
            check_all(&[&noise[..length], &noise[3..][..length + 1], &noise[5..][..length / 2]]);
        }
        let uneven: Vec<_> = (0..11).map(|i| &noise[i..i + i * 3 * block + i]).collect();
        check_all(&uneven[..4]);
        check_all(&uneven);
    });
}

fn chunks_and_prefixes<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let noise = noise(2, 5 * block + 3);
    for_each_engine::<A>(|engine| {
        for length in [1, block, block + 9, 2 * block, 9 * block] {
            let data = &noise[..noise.len().min(7 * length)];
            let digests = engine.digest_chunks(data, length);
            assert_eq!(digests.len(), data.len().div_ceil(length));
            digests.iter().zip(data.chunks(length)).for_each(|(d, chunk)| check::<A>(d, chunk));
        }
        for length in [0, 1, block, block + 1] {
            let (bytes, rest) = noise.split_at(length);
            let prefix = Prefix::with_engine(engine, bytes);
            let messages = [&rest[..3], &rest[..block], &rest[..block + 1], &rest[..0]];
            for (digest, message) in prefix.digest_many(&messages).iter().zip(messages) {
                check::<A>(digest, &[bytes, message].concat());
            }
        }
    });
}

fn pieces<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let noise = noise(3, 3 * block);
    for_each_engine::<A>(|engine| {
        let mut hashers = vec![Hasher::with_engine(engine); 3];
        let (a, b) = (&noise[..block / 2], &noise[..block + 7]);
        engine.update_many(&mut hashers, &[a, b, &noise]);
        engine.update_many(&mut hashers, &[b, a, a]);
        let wholes = [[a, b].concat(), [b, a].concat(), [&noise, a].concat()];
        for (hasher, whole) in hashers.into_iter().zip(wholes) {
            check::<A>(&hasher.finalize(), &whole);
        }

        let mut lanes = Lanes::<A, &[u8], usize>::with_engine(engine, 3);
        let mut done = Vec::new();
        for end in [0, 5, block, 2 * block, 3 * block] {
            done.extend(lanes.entire(&noise[..end], end));
        }
        done.extend(lanes.first(&noise[..block + 1], 3 * block));
        while let Some(result) = lanes.flush() {
            done.push(result);
        }
        while let Some(result) = done.pop() {
            match result {
                Done::Message { tag, digest, .. } => check::<A>(&digest, &noise[..tag]),
                Done::Piece { job, .. } => {
                    done.extend(lanes.last(job, &noise[block + 1..]));
                    done.extend(lanes.flush());
                }
            }
        }
    });
}

macro_rules! ways {
    ($($name:ident: $function:ty;)*) => {
        $(mod $name {
            use super::*;

            #[test]
            fn many_messages() {
                many::<$function>();
            }

            #[test]
            fn chunks_and_prefixes() {
                super::chunks_and_prefixes::<$function>();
            }

            #[test]
            fn pieces() {
                super::pieces::<$function>();
            }
        })*
    };
}

ways! {
    md5: Md5;
    sha256: Sha256;
    sha512: Sha512;
}

#[test]
fn algorithms_by_name() {
    for (name, engine) in engines(hashlanes::Algorithm::Md5) {
        let engine: AnyEngine = engine;
        let mut hashers = engine.hashers(3);
        hashers.update(&[b"a", b"", b"abc"]);
        assert_eq!(
            hashers.finalize_reset(2).as_bytes(),
            oracle(engine.algorithm(), b"abc"),
            "{name}"
        );
    }
}
