//! CBC in every kernel that the CPU has, compared with RustCrypto.

use crate::common::engines;
use aes::{Aes128, Aes192, Aes256};
use cbc::cipher::block_padding::NoPadding;
use cbc::cipher::{BlockModeEncrypt, KeyIvInit};
use hashlanes_records::{AesKey, CbcBuffer, CbcEngine, CbcLengthError, cbc_encrypt_many};

/// What RustCrypto makes of a buffer.
fn oracle(key: &[u8], iv: &[u8; 16], data: &[u8]) -> Vec<u8> {
    macro_rules! encrypt {
        ($aes:ty) => {
            cbc::Encryptor::<$aes>::new_from_slices(key, iv)
                .unwrap()
                .encrypt_padded_vec::<NoPadding>(data)
        };
    }
    match key.len() {
        16 => encrypt!(Aes128),
        24 => encrypt!(Aes192),
        _ => encrypt!(Aes256),
    }
}

/// A buffer of a test: its key by number, its IV, and where it lies.
struct Case {
    key: usize,
    iv: [u8; 16],
    length: usize,
}

/// Keys of all sizes, as bytes and expanded.
struct Keys {
    bytes: Vec<Vec<u8>>,
    expanded: Vec<AesKey>,
}

impl Keys {
    fn random(random: &mut fastrand::Rng, count: usize) -> Self {
        let bytes: Vec<Vec<u8>> =
            (0..count).map(|i| (0..16 + 8 * (i % 3)).map(|_| random.u8(..)).collect()).collect();
        let expanded = bytes.iter().map(|bytes| AesKey::new(bytes).unwrap()).collect();
        Self { bytes, expanded }
    }
}

/// Bytes between two buffers, which no kernel may touch. They are odd, so that buffers lie at any
/// alignment.
const GUARD: usize = 33;

/// Encrypts the cases in one call, and compares each with the oracle, and the bytes between them
/// with what they were.
fn check(random: &mut fastrand::Rng, engine: &CbcEngine, keys: &Keys, cases: &[Case]) {
    check_apart(random, engine, keys, cases, GUARD);
}

/// The same with so many bytes between buffers.
fn check_apart(
    random: &mut fastrand::Rng,
    engine: &CbcEngine,
    keys: &Keys,
    cases: &[Case],
    guard: usize,
) {
    let bytes: usize = cases.iter().map(|case| case.length + guard).sum();
    let plain: Vec<u8> = (0..bytes + guard).map(|_| random.u8(..)).collect();
    let mut expected = plain.clone();
    let mut at = guard;
    for case in cases {
        let range = at..at + case.length;
        let encrypted = oracle(&keys.bytes[case.key], &case.iv, &plain[range.clone()]);
        expected[range].copy_from_slice(&encrypted);
        at += case.length + guard;
    }
    let mut memory = plain;
    let mut rest = &mut memory[guard..];
    let mut buffers = Vec::new();
    for case in cases {
        let (data, after) = rest.split_at_mut(case.length);
        buffers.push(CbcBuffer { key: &keys.expanded[case.key], iv: case.iv, data });
        rest = &mut after[guard..];
    }
    let lane_use = engine.encrypt_many(&mut buffers).unwrap();
    let blocks = cases.iter().map(|case| case.length as u64 / 16).sum::<u64>();
    assert_eq!(lane_use.blocks(), blocks, "{engine:?}");
    assert!(lane_use.lane_blocks() >= blocks);
    assert!(memory == expected, "{engine:?}");
}

#[test]
fn every_count_in_every_kernel() {
    let mut random = fastrand::Rng::with_seed(1);
    let keys = Keys::random(&mut random, 9);
    for engine in engines() {
        for count in 0..=70 {
            for own_keys in [true, false] {
                let cases: Vec<_> = (0..count)
                    .map(|i| Case {
                        key: if own_keys { i % 9 } else { count % 3 },
                        iv: random.u128(..).to_ne_bytes(),
                        length: 16 * (i % 7),
                    })
                    .collect();
                check(&mut random, &engine, &keys, &cases);
            }
        }
    }
}

#[test]
fn mixed_lengths_and_keys_in_every_kernel() {
    let mut random = fastrand::Rng::with_seed(2);
    let keys = Keys::random(&mut random, 12);
    for engine in engines() {
        for _ in 0..20 {
            let cases: Vec<_> = (0..random.usize(..200))
                .map(|_| Case {
                    key: random.usize(..12),
                    iv: random.u128(..).to_ne_bytes(),
                    length: 16 * (random.usize(..512) >> random.usize(..9)),
                })
                .collect();
            check(&mut random, &engine, &keys, &cases);
        }
    }
}

/// Pages: their lanes start apart.
#[test]
fn buffers_a_page_apart_in_every_kernel() {
    let mut random = fastrand::Rng::with_seed(4);
    let keys = Keys::random(&mut random, 3);
    for engine in engines() {
        for length in [4096 - 16, 64, 16] {
            for count in [5, 16, 17, 40, 70] {
                let mut cases: Vec<_> = (0..count)
                    .map(|_| Case { key: count % 3, iv: random.u128(..).to_ne_bytes(), length })
                    .collect();
                check_apart(&mut random, &engine, &keys, &cases, 4096 - length);
                cases[count / 2].length = 0;
                cases.iter_mut().enumerate().for_each(|(i, case)| case.key = i % 3);
                check_apart(&mut random, &engine, &keys, &cases, 4096 - length);
            }
        }
    }
}

#[test]
fn a_thousand_buffers_and_one_long_one() {
    let mut random = fastrand::Rng::with_seed(3);
    let keys = Keys::random(&mut random, 3);
    let mut cases: Vec<_> = (0..1000)
        .map(|i| Case { key: i % 3, iv: random.u128(..).to_ne_bytes(), length: 16 * (i % 40) })
        .collect();
    cases.push(Case { key: 2, iv: [9; 16], length: 1 << 20 });
    for engine in engines() {
        check(&mut random, &engine, &keys, &cases);
    }
}

#[test]
fn a_length_that_is_no_multiple_is_refused_and_nothing_is_encrypted() {
    let key = AesKey::new(&[1; 16]).unwrap();
    for length in [1, 15, 17, 31] {
        let (mut good, mut bad) = ([7; 32], vec![7; length]);
        let error = cbc_encrypt_many(&mut [
            CbcBuffer { key: &key, iv: [0; 16], data: &mut good },
            CbcBuffer { key: &key, iv: [0; 16], data: &mut bad },
        ])
        .unwrap_err();
        let CbcLengthError { index, length: refused, .. } = error;
        assert_eq!((index, refused), (1, length));
        assert_eq!(
            error.to_string(),
            format!("buffer 1 has {length} bytes, which is not a multiple of 16")
        );
        assert!(good == [7; 32] && bad == vec![7; length]);
    }
}

#[test]
fn the_last_block_continues_a_buffer() {
    let key = AesKey::new(&[5; 32]).unwrap();
    let mut whole = [3; 160];
    cbc_encrypt_many(&mut [CbcBuffer { key: &key, iv: [8; 16], data: &mut whole }]).unwrap();
    let mut parts = [3; 160];
    let (first, second) = parts.split_at_mut(64);
    cbc_encrypt_many(&mut [CbcBuffer { key: &key, iv: [8; 16], data: first }]).unwrap();
    let iv = first[48..].try_into().unwrap();
    cbc_encrypt_many(&mut [CbcBuffer { key: &key, iv, data: second }]).unwrap();
    assert_eq!(parts, whole);
}

#[test]
fn idle_lanes_are_told() {
    let key = AesKey::new(&[5; 16]).unwrap();
    for kernel in hashlanes_records::cbc_kernels().filter(|kernel| kernel.available) {
        let engine = CbcEngine::with_kernel(kernel.name).unwrap();
        let mut data = vec![0; 160 * (kernel.lanes + 1)];
        let mut buffers: Vec<_> =
            data.chunks_mut(160).map(|data| CbcBuffer { key: &key, iv: [0; 16], data }).collect();
        let full = engine.encrypt_many(&mut buffers[1..]).unwrap();
        assert_eq!((full.filled(), full.main_kernel()), (1.0, Some(kernel.name)));
        let one_more = engine.encrypt_many(&mut buffers).unwrap();
        assert_eq!(one_more.lane_blocks(), 20 * kernel.lanes as u64);
    }
}

#[test]
fn kernels_have_names() {
    assert!(CbcEngine::with_kernel("portable").is_ok());
    let error = CbcEngine::with_kernel("none").unwrap_err();
    assert_eq!(error.to_string(), "CBC kernel \"none\": no kernel has this name");
    for kernel in hashlanes_records::cbc_kernels().filter(|kernel| !kernel.available) {
        let error = CbcEngine::with_kernel(kernel.name).unwrap_err().to_string();
        assert!(error.ends_with("this CPU cannot run it"));
    }
}
