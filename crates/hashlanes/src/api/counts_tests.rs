//! Messages near the limits of the length count. They are too long to be hashed from the start, so
//! a stream is resumed there. The expected digests come from RustCrypto's compression functions and
//! padding that these tests write.

use alloc::vec;
use alloc::vec::Vec;

use super::engine::Engine;
use super::hasher::Hasher;
use crate::family::padding::MAX_BLOCK;
use crate::family::{Rules, State};
use crate::function::sealed::Typed;
use crate::function::{Md5, MdFunction, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_256, Sm3};
use crate::schedule::Stream;

/// An independent implementation of a family's compression and conventions.
pub(crate) struct Peer<W> {
    pub(crate) compress: fn(&mut [W; 8], &[u8]),
    /// The length field of a message of this number of bits, modulo 2^128.
    pub(crate) length_field: fn(u128) -> Vec<u8>,
    /// The width of the counter of bits: the count is modulo 2 to this power.
    pub(crate) counter_bits: u32,
}

pub(crate) trait HasPeer: MdFunction {
    const PEER: Peer<<Self::Rules as Rules>::Word>;
}

fn compress_md5(state: &mut [u32; 8], blocks: &[u8]) {
    md5::block_api::compress(state.first_chunk_mut().unwrap(), blocks.as_chunks().0);
}

fn compress_sha1(state: &mut [u32; 8], blocks: &[u8]) {
    sha1::block_api::compress(state.first_chunk_mut().unwrap(), blocks.as_chunks().0);
}

fn compress_sha256(state: &mut [u32; 8], blocks: &[u8]) {
    sha2::block_api::compress256(state, blocks.as_chunks().0);
}

fn compress_sha512(state: &mut [u64; 8], blocks: &[u8]) {
    sha2::block_api::compress512(state, blocks.as_chunks().0);
}

/// Goes through a hasher's serialised state, because the crate does not export its compression
/// function.
fn compress_sm3(state: &mut [u32; 8], blocks: &[u8]) {
    use sm3::block_api::Sm3Core;
    use sm3::digest::block_api::UpdateCore;
    use sm3::digest::common::hazmat::SerializableState;

    let mut bytes = Sm3Core::default().serialize();
    for (bytes, word) in bytes.chunks_exact_mut(4).zip(&*state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let mut hasher = Sm3Core::deserialize(&bytes).unwrap();
    for block in blocks.as_chunks::<64>().0 {
        hasher.update_blocks(&[(*block).into()]);
    }
    for (word, bytes) in state.iter_mut().zip(hasher.serialize().chunks_exact(4)) {
        *word = u32::from_le_bytes(bytes.try_into().unwrap());
    }
}

macro_rules! peers {
    ($($function:ty: $compress:ident, $counter_bits:literal, |$bits:ident| $field:expr;)*) => {
        $(impl HasPeer for $function {
            const PEER: Peer<<Self::Rules as Rules>::Word> = Peer {
                compress: $compress,
                length_field: |$bits| $field.to_vec(),
                counter_bits: $counter_bits,
            };
        })*
    };
}

peers! {
    // "the low-order 64 bits" of the length, low-order word and byte first: RFC 1321 section 3.2.
    Md5: compress_md5, 64, |bits| (bits as u64).to_le_bytes();
    Sha1: compress_sha1, 64, |bits| (bits as u64).to_be_bytes();
    Sha224: compress_sha256, 64, |bits| (bits as u64).to_be_bytes();
    Sha256: compress_sha256, 64, |bits| (bits as u64).to_be_bytes();
    Sha384: compress_sha512, 128, |bits| bits.to_be_bytes();
    Sha512: compress_sha512, 128, |bits| bits.to_be_bytes();
    Sha512_256: compress_sha512, 128, |bits| bits.to_be_bytes();
    Sm3: compress_sm3, 64, |bits| (bits as u64).to_be_bytes();
}

/// The digest of a message whose first `before` bytes, a multiple of the block length, led to
/// `state`, and which continues with `rest`.
pub(crate) fn right_digest<A: HasPeer>(
    state: State<A::Rules>,
    before: u128,
    rest: &[u8],
) -> Vec<u8> {
    let block = A::RULES.block();
    let bits = before.wrapping_add(rest.len() as u128).wrapping_mul(8);
    let field = (A::PEER.length_field)(bits);
    let mut padded = rest.to_vec();
    padded.push(0x80);
    while !(padded.len() + field.len()).is_multiple_of(block) {
        padded.push(0);
    }
    padded.extend(field);
    let mut state = state;
    (A::PEER.compress)(&mut state, &padded);
    let mut digest = A::ZERO;
    A::RULES.write_digest(&state, digest.as_mut());
    digest.as_ref().to_vec()
}

/// Lengths in bytes, multiples of the block length, a few hundred bytes before each carry of the
/// count.
pub(crate) fn interesting_lengths<A: HasPeer>() -> Vec<u128> {
    let block = A::RULES.block() as u128;
    let mut lengths = vec![0, block];
    // Counts in bits cross 2^32 (where a 32-bit count of bits overflows), 2^35 (the same of bytes),
    // 2^64, and the limit.
    for power in [32, 35, 63, 64, 65, 67, 96, 127, 128] {
        if power <= A::PEER.counter_bits {
            // 2^power bits are 2^(power - 3) bytes.
            let end = 1_u128 << (power - 3);
            lengths.extend((1..=5).map(|blocks| end - blocks * block));
            lengths.push(end);
        }
    }
    lengths
}

/// An arbitrary state, so that an error in the state cannot hide one in the count.
pub(crate) fn some_state<A: HasPeer>() -> State<A::Rules> {
    let mut state = A::INITIAL;
    (A::PEER.compress)(&mut state, &[0xa5; 128][..A::RULES.block()]);
    state
}

fn rests<A: HasPeer>() -> impl Iterator<Item = Vec<u8>> {
    let block = A::RULES.block();
    let lengths = (0..=2 * block + 1).chain([
        3 * block - 1,
        4 * block,
        5 * block - 9,
        5 * block - 1,
        5 * block,
    ]);
    lengths.map(|len| (0..len).map(|i| (i * 31 + len) as u8).collect())
}

fn alone<A: HasPeer>() {
    let state = some_state::<A>();
    for before in interesting_lengths::<A>() {
        for rest in rests::<A>() {
            let mut hasher = Hasher::<A>::new();
            *hasher.stream_mut() = Stream::resume(A::RULES, state, before);
            let (first, second) = rest.split_at(rest.len() / 3);
            hasher.update(first);
            hasher.update(second);
            assert_eq!(
                hasher.clone().finalize().as_ref(),
                right_digest::<A>(state, before, &rest),
                "{:?}: {before} bytes and {} more",
                A::ALGORITHM,
                rest.len()
            );
            assert_eq!(hasher.len(), before + rest.len() as u128);
        }
    }
}

fn in_lanes<A: HasPeer>() {
    let state = some_state::<A>();
    for before in interesting_lengths::<A>() {
        let rests: Vec<_> = rests::<A>().collect();
        let mut hashers = vec![Hasher::<A>::new(); rests.len()];
        for hasher in &mut hashers {
            *hasher.stream_mut() = Stream::resume(A::RULES, state, before);
        }
        let engine = Engine::<A>::new();
        let (first, second): (Vec<_>, Vec<_>) =
            rests.iter().map(|rest| rest.split_at(rest.len() / 4)).unzip();
        engine.update_many(&mut hashers, &first);
        engine.update_many(&mut hashers, &second);
        for (hasher, rest) in hashers.into_iter().zip(&rests) {
            assert_eq!(
                hasher.finalize().as_ref(),
                right_digest::<A>(state, before, rest),
                "{:?}",
                A::ALGORITHM
            );
        }
    }
}

macro_rules! counts {
    ($($function:ident: $alone:ident, $in_lanes:ident;)*) => {
        $(#[test]
        fn $alone() {
            alone::<$function>();
        }

        #[test]
        fn $in_lanes() {
            in_lanes::<$function>();
        })*
    };
}

counts! {
    Md5: md5_counts_alone, md5_counts_in_lanes;
    Sha1: sha1_counts_alone, sha1_counts_in_lanes;
    Sha224: sha224_counts_alone, sha224_counts_in_lanes;
    Sha256: sha256_counts_alone, sha256_counts_in_lanes;
    Sha384: sha384_counts_alone, sha384_counts_in_lanes;
    Sha512: sha512_counts_alone, sha512_counts_in_lanes;
    Sha512_256: sha512_256_counts_alone, sha512_256_counts_in_lanes;
    Sm3: sm3_counts_alone, sm3_counts_in_lanes;
}

/// MD5 counts modulo 2^64 bits: a message of 2^61 + n bytes is padded like one of n bytes.
#[test]
fn md5_counts_modulo_2_to_the_64() {
    let state = some_state::<Md5>();
    for rest in [&b""[..], b"abc", &[1; 200]] {
        let finish = |before| {
            let mut stream = Stream::resume(Md5::RULES, state, before);
            stream.update(rest, None);
            stream.finish(None)
        };
        assert_eq!(finish(64), finish((1 << 61) + 64));
    }
}

/// The longest messages have 2^61 - 1 or 2^125 - 1 bytes. Their count in bits is ones followed by
/// three zeros.
#[test]
fn the_longest_message_ends_in_a_count_of_ones() {
    fn field<A: HasPeer>() -> Vec<u8> {
        let longest = u128::MAX >> (128 - A::PEER.counter_bits) >> 3;
        let mut tail = [0; 2 * MAX_BLOCK];
        let blocks = A::RULES.pad(&A::INITIAL, &mut tail, &[], longest);
        let end = blocks * A::RULES.block();
        tail[end - A::PEER.counter_bits as usize / 8..end].to_vec()
    }
    assert_eq!(field::<Sha256>(), [255, 255, 255, 255, 255, 255, 255, 0xf8]);
    assert_eq!(field::<Md5>(), [0xf8, 255, 255, 255, 255, 255, 255, 255]);
    let ones = [255; 15];
    assert_eq!(field::<Sha512>(), [&ones[..], &[0xf8]].concat());
}
