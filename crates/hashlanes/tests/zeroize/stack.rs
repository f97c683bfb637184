//! With the feature `zeroize`, no call leaves words of a message on the stack, nor those of a long
//! output below the frames of its callers.
//!
//! What is below a thread's stack pointer belongs to nobody, so the kernel reads it for the test.
#![cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]

use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::thread;

use crate::searching::ONE;
use hashlanes::xof::{Kt128, Xof, XofFunction, squeeze_many};
use hashlanes::{
    Algorithm, Blake2b512, Blake3, Engine, HashFunction, Hasher, HmacKey, Lanes, Md5, Prefix,
    Sha3_256, Sha256, Sha512, Shake128, digest_many,
};

/// Messages are repetitions of this word, so that it survives any transposition, and any move by
/// fewer bytes.
pub(crate) const WORD: [u8; 8] = *b"\xc3\x5a\x99\xe1\xc3\x5a\x99\xe1";

/// What HMAC mixes a key with.
const PADS: [u8; 3] = [0, 0x36, 0x5c];

/// Bytes of stack that are searched.
const DEPTH: usize = 300 << 10;

/// The frames of the search itself end here, and those of the test, to which generic functions of
/// the library belong. They copy states, of which that of BLAKE3 has two KiB.
pub(crate) const OWN: usize = 5 << 10;

/// The same if the test moves hashers or keys with several such states.
pub(crate) const OWN_OF_MOVES: usize = 32 << 10;

/// Calls `work` with `count` messages, and searches the stack for their word, in either order of
/// bytes and as HMAC mixes it, and for the words that `work` returns. Returns how far below this
/// function's frame the deepest one is, or 0 if there is none.
fn depth_of_words(
    own: usize,
    work: &dyn Fn(&[&[u8]]) -> Vec<u8>,
    length: usize,
    count: usize,
) -> usize {
    let message = WORD.repeat(length.div_ceil(8));
    let messages = vec![&message[..length]; count];
    let memory = File::open("/proc/self/mem").unwrap();
    let mut below = vec![0; DEPTH - own];
    clear();
    let mut words = work(&messages);
    for pad in PADS {
        let twice = [WORD, WORD].as_flattened().iter().map(|byte| byte ^ pad).collect::<Vec<_>>();
        for start in 0..4 {
            words.extend(&twice[start..start + 8]);
            words.extend(twice[start..start + 8].iter().rev());
        }
    }
    let mut here = 0_u64;
    let here = (&raw const *black_box(&mut here)).addr();
    memory.read_exact_at(&mut below, (here - DEPTH) as u64).unwrap();
    let is_left = |at: &[u8]| words.chunks_exact(8).any(|word| word == at);
    below.chunks_exact(8).position(is_left).map_or(0, |i| DEPTH - 8 * i)
}

#[inline(never)]
fn clear() {
    black_box([0_u8; DEPTH + 4 * OWN]);
}

/// Lengths of messages and their numbers.
const CALLS: [(usize, usize); 11] = [
    (100, 1),
    (1000, 1),
    (2000, 1),
    (20_000, 1),
    (200_000, 1),
    (100, 40),
    (5000, 3),
    (9000, 33),
    (20_000, 5),
    (70_000, 2),
    (300_000, 2),
];

/// Fails if calls of `work` leave words.
fn assert_wiped(what: &str, work: impl Fn(&[&[u8]]) -> Vec<u8> + Sync) {
    let left = left_by(OWN, &CALLS, &work);
    assert!(left.is_empty(), "{what} leaves words {}", left.join(", "));
}

/// Calls `work` in frames that are all searched.
#[inline(never)]
fn below_own<T>(work: impl FnOnce() -> T) -> T {
    let own = black_box([0_u8; OWN]);
    let result = work();
    black_box(&own);
    result
}

#[test]
fn bytes_before_a_body_leave_nothing() {
    let _one = ONE.lock();
    assert_wiped("Engine::digest_many_parts", |messages| {
        let parts: Vec<_> = messages.iter().map(|message| message.split_at(40).into()).collect();
        below_own(|| Engine::<Sha256>::new().digest_many_parts::<&[u8]>(&parts as &[[_; 2]]));
        Vec::new()
    });
}

/// Where calls of `work` with messages of these lengths and numbers leave words, below the frames
/// of the test itself.
pub(crate) fn left_by(
    own: usize,
    calls: &[(usize, usize)],
    work: &(dyn Fn(&[&[u8]]) -> Vec<u8> + Sync),
) -> Vec<String> {
    let mut left = Vec::new();
    for &(length, count) in calls {
        // A stack of its own, which is large enough.
        let search = thread::Builder::new().stack_size(2 << 20);
        let depth = thread::scope(|scope| {
            let search = search.spawn_scoped(scope, || depth_of_words(own, work, length, count));
            search.unwrap().join().unwrap()
        });
        if depth > 0 {
            left.push(format!("{depth} bytes deep after {count} of {length} bytes"));
        }
    }
    left
}

/// [`assert_wiped`] of work that returns nothing.
fn assert_forgets<T>(what: &str, work: impl Fn(&[&[u8]]) -> T + Sync) {
    assert_wiped(what, |messages| {
        black_box(work(messages));
        Vec::new()
    });
}

fn assert_digests<A: HashFunction>() {
    let name = A::ALGORITHM;
    assert_forgets(&format!("{name}"), |messages| digest_many::<A>(messages));
    let prefix = Prefix::<A>::new([WORD; 20].as_flattened());
    assert_forgets(&format!("{name} after a prefix"), |messages| prefix.digest_many(messages));
    assert_forgets(&format!("a hasher of {name}"), |messages| {
        let mut hasher = Hasher::<A>::new();
        messages.iter().for_each(|message| _ = hasher.update(message));
        hasher.clone().finalize()
    });
    assert_forgets(&format!("the end of a hasher of {name}"), |messages| {
        Hasher::<A>::new().update(messages[0]).clone().finalize()
    });
    assert_forgets(&format!("hashers of {name}"), |messages| {
        let mut hashers = vec![Hasher::<A>::new(); messages.len()];
        Engine::<A>::new().update_many(&mut hashers, messages);
    });
    // A manager moves the states of trees, which have 2 KiB (SECURITY.md).
    if A::ALGORITHM != Algorithm::Blake3 {
        assert_forgets(&format!("the manager of {name}"), |messages| {
            let mut lanes = Lanes::<A, _, _>::new();
            messages.iter().for_each(|message| _ = lanes.entire(*message, ()));
            while lanes.flush().is_some() {}
        });
    }
}

fn assert_outputs<X: XofFunction>(name: &str) {
    let xof = Xof::<X>::new();
    let empty = |messages: &[&[u8]], length| vec![vec![0; length]; messages.len()];
    for length in [32, 400] {
        assert_wiped(&format!("{name}, {length} bytes of output"), |messages| {
            let mut outputs = empty(messages, length);
            xof.output_many(messages, &mut outputs);
            outputs.remove(0)
        });
    }
    assert_wiped(&format!("readers of {name}"), |messages| {
        let mut outputs = empty(messages, 400);
        squeeze_many(&mut xof.absorb_many(messages), &mut outputs);
        outputs.remove(0)
    });
    assert_wiped(&format!("a reader of {name}"), |messages| {
        let mut output = vec![0; 400];
        xof.clone().update(messages[0]).finalize().read(&mut output);
        output
    });
}

#[test]
fn the_search_finds_a_word() {
    fn deep(_: &[&[u8]]) -> Vec<u8> {
        black_box([WORD; 1000]);
        Vec::new()
    }

    let _one = ONE.lock();
    assert!(depth_of_words(OWN, &deep, 8, 1) > 8000);
}

#[test]
fn no_words_of_messages_are_left_on_the_stack() {
    let _one = ONE.lock();
    assert_digests::<Md5>();
    assert_digests::<Sha256>();
    assert_digests::<Sha512>();
    assert_digests::<Sha3_256>();
    assert_digests::<Blake2b512>();
    assert_digests::<Blake3>();
    let key = HmacKey::<Sha256>::new([WORD; 5].as_flattened());
    assert_forgets("HMAC", |messages| key.mac_many(messages));
}

#[test]
fn no_words_of_outputs_are_left_on_the_stack() {
    let _one = ONE.lock();
    assert_outputs::<Shake128>("SHAKE128");
    assert_outputs::<Blake3>("BLAKE3");
    for length in [32, 400] {
        assert_wiped(&format!("KangarooTwelve, {length} bytes of output"), |messages| {
            let mut outputs = vec![vec![0; length]; messages.len()];
            Kt128::output_many(messages, "", &mut outputs);
            outputs.remove(0)
        });
    }
    assert_wiped("a reader of KangarooTwelve", |messages| {
        let mut output = vec![0; 400];
        Kt128::new().update(messages[0]).finalize("").read(&mut output);
        output
    });
}
