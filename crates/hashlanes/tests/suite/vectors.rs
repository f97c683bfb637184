//! Published test vectors with every kernel that can run here: NIST's CAVP files, RFC 1321's test
//! suite, those of SM3, BLAKE2 and BLAKE3, and blocks of Bitcoin.
//!
//! The CAVP files come with the Python package `cryptography-vectors`. The environment variable
//! `HASHLANES_CAVP` names its folder `hashes`. In the repository, `.cargo/config.toml` sets it, and
//! `cargo xtask setup` downloads the files. Elsewhere it may be unset: then these tests are
//! skipped, with a message on standard error that the test harness does not capture.
#![cfg(feature = "alloc")]

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use crate::common::{engines, engines_of};
use hashlanes::xof::{Xof, XofFunction, squeeze_many};
use hashlanes::{Algorithm, Engine, Sha256d, Shake128, Shake256};

const INSTALL: &str = "`cargo xtask setup` gets the NIST vectors";

/// The folder with the vectors of hash functions, if the environment names one.
static FOLDER: LazyLock<Option<OsString>> = LazyLock::new(|| {
    let folder = std::env::var_os("HASHLANES_CAVP").filter(|folder| !folder.is_empty());
    if folder.is_none() {
        let _ =
            writeln!(std::io::stderr(), "NIST's vectors: NOT RUN HERE: HASHLANES_CAVP is not set");
    }
    folder
});

/// The lines `NAME = VALUE` of a file, if the environment names the folder.
fn fields(file: &str) -> Option<Vec<(String, String)>> {
    let path = Path::new(FOLDER.as_ref()?).join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|e| panic!("{}: {e}; {INSTALL}", path.display()));
    let pairs =
        text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('='));
    Some(pairs.map(|(name, value)| (name.trim().into(), value.trim().into())).collect())
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    assert!(hex.len().is_multiple_of(2), "'{hex}' has an odd number of digits");
    hex.as_bytes().chunks(2).map(byte).collect()
}

/// The messages of a file and their digests.
fn messages(file: &str) -> Option<(Vec<Vec<u8>>, Vec<String>)> {
    let (mut messages, mut digests) = (Vec::new(), Vec::new());
    let mut len = 0;
    for (name, value) in fields(file)? {
        match name.as_str() {
            "Len" => len = value.parse::<usize>().unwrap() / 8,
            // The empty message is written as one byte, with a length of 0.
            "Msg" => {
                let mut message = bytes(&value);
                assert!(
                    message.len() == len || len == 0,
                    "{file}: {} bytes, not {len}",
                    message.len()
                );
                message.truncate(len);
                messages.push(message);
            }
            "MD" => digests.push(value),
            _ => {}
        }
    }
    assert_eq!(messages.len(), digests.len(), "{file}");
    Some((messages, digests))
}

fn check_messages(algorithm: Algorithm, file: &str, at_least: usize) {
    let Some((messages, right)) = messages(file) else { return };
    assert!(messages.len() >= at_least, "{file} has only {} vectors", messages.len());
    for (name, engine) in engines(algorithm) {
        let digests = engine.digest_many(&messages);
        for ((digest, right), message) in digests.iter().zip(&right).zip(&messages) {
            assert_eq!(&digest.to_string(), right, "{name}: {file}, {} bytes", message.len());
        }
    }
}

/// The Monte Carlo test (SHAVS section 6.4): 100 rounds of 1000 digests. Each message consists of
/// the three digests before it, and the last digest of a round is the seed of the next. All seeds
/// are in the file, so the rounds are hashed side by side.
fn check_monte_carlo(algorithm: Algorithm, file: &str) {
    let Some(fields) = fields(file) else { return };
    let mut seeds = vec![bytes(
        &fields.iter().find(|(name, _)| name == "Seed").unwrap_or_else(|| panic!("{file}")).1,
    )];
    seeds.extend(fields.iter().filter(|(name, _)| name == "MD").map(|(_, value)| bytes(value)));
    assert_eq!(seeds.len(), 101, "{file}");
    for (name, engine) in engines(algorithm) {
        let mut latest: Vec<[Vec<u8>; 3]> =
            seeds[..100].iter().map(|seed| [seed.clone(), seed.clone(), seed.clone()]).collect();
        for _ in 0..1000 {
            let messages: Vec<_> = latest.iter().map(|three| three.concat()).collect();
            for (three, digest) in latest.iter_mut().zip(engine.digest_many(&messages)) {
                three.rotate_left(1);
                three[2] = digest.as_bytes().to_vec();
            }
        }
        for (round, (three, right)) in latest.iter().zip(&seeds[1..]).enumerate() {
            assert_eq!(&three[2], right, "{name}: {file}, COUNT = {round}");
        }
    }
}

macro_rules! cavp {
    ($($test:ident: $algorithm:ident, $prefix:literal;)*) => {
        $(mod $test {
            use super::*;

            #[test]
            fn short_messages() {
                check_messages(Algorithm::$algorithm, concat!($prefix, "ShortMsg.rsp"), 65);
            }

            #[test]
            fn long_messages() {
                check_messages(Algorithm::$algorithm, concat!($prefix, "LongMsg.rsp"), 64);
            }

            #[test]
            fn monte_carlo() {
                check_monte_carlo(Algorithm::$algorithm, concat!($prefix, "Monte.rsp"));
            }
        })*
    };
}

cavp! {
    cavp_sha1: Sha1, "SHA1/SHA1";
    cavp_sha224: Sha224, "SHA2/SHA224";
    cavp_sha256: Sha256, "SHA2/SHA256";
    cavp_sha384: Sha384, "SHA2/SHA384";
    cavp_sha512: Sha512, "SHA2/SHA512";
    cavp_sha512_256: Sha512_256, "SHA2/SHA512_256";
}

/// The Monte Carlo test of SHA-3 (SHA3VS section 6.2.3): each message is the digest before it.
fn check_chains(algorithm: Algorithm, file: &str) {
    let Some(fields) = fields(file) else { return };
    let of = |wanted: &'static str| fields.iter().filter(move |(name, _)| name == wanted);
    let seeds: Vec<_> = of("Seed").chain(of("MD")).map(|(_, value)| bytes(value)).collect();
    assert_eq!(seeds.len(), 101, "{file}");
    for (name, engine) in engines(algorithm) {
        let mut latest = seeds[..100].to_vec();
        for _ in 0..1000 {
            let digests = engine.digest_many(&latest);
            latest = digests.iter().map(|digest| digest.as_bytes().to_vec()).collect();
        }
        assert_eq!(latest, seeds[1..], "{name}: {file}");
    }
}

macro_rules! cavp_sha3 {
    ($($test:ident: $algorithm:ident, $prefix:literal, $messages:literal;)*) => {
        $(mod $test {
            use super::*;

            #[test]
            fn messages() {
                let file = concat!("SHA3/", $prefix, "ShortMsg.rsp");
                check_messages(Algorithm::$algorithm, file, $messages);
                let file = concat!("SHA3/", $prefix, "LongMsg.rsp");
                check_messages(Algorithm::$algorithm, file, 100);
            }

            #[test]
            fn monte_carlo() {
                check_chains(Algorithm::$algorithm, concat!("SHA3/", $prefix, "Monte.rsp"));
            }
        })*
    };
}

// The short messages have up to a block.
cavp_sha3! {
    cavp_sha3_224: Sha3_224, "SHA3_224", 145;
    cavp_sha3_256: Sha3_256, "SHA3_256", 137;
    cavp_sha3_384: Sha3_384, "SHA3_384", 105;
    cavp_sha3_512: Sha3_512, "SHA3_512", 73;
}

/// NIST's outputs of different lengths.
fn check_outputs<X: XofFunction>(file: &str) {
    let Some(fields) = fields(file) else { return };
    let of = |wanted: &'static str| {
        fields.iter().filter(move |(name, _)| name == wanted).map(|(_, value)| bytes(value))
    };
    let (messages, right): (Vec<_>, Vec<_>) = (of("Msg").collect(), of("Output").collect());
    assert!(messages.len() > 1000 && messages.len() == right.len(), "{file}");
    let mut readers = Xof::<X>::new().absorb_many(&messages);
    let mut outputs: Vec<_> = right.iter().map(|output| vec![0; output.len()]).collect();
    squeeze_many(&mut readers, &mut outputs);
    assert_eq!(outputs, right, "{file}");
}

#[test]
fn cavp_shake() {
    check_outputs::<Shake128>("SHAKE/SHAKE128VariableOut.rsp");
    check_outputs::<Shake256>("SHAKE/SHAKE256VariableOut.rsp");
}

/// The vectors of China's Office of State Commercial Cryptography Administration.
#[test]
fn sm3_of_oscca() {
    check_messages(Algorithm::Sm3, "SM3/oscca.txt", 6);
}

/// GB/T 32905-2016, appendices A.1 and A.2.
#[test]
fn sm3_examples_of_the_standard() {
    let abcd = "abcd".repeat(16);
    let examples = [
        ("abc", "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),
        (&abcd, "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732"),
    ];
    for (name, engine) in engines(Algorithm::Sm3) {
        for (message, right) in examples {
            for count in [1, 2, 40] {
                for digest in engine.digest_many(&vec![message; count]) {
                    assert_eq!(digest.to_string(), right, "{name}");
                }
            }
        }
    }
}

/// RFC 1321, appendix A.5.
#[test]
fn md5_test_suite_of_rfc_1321() {
    let suite = [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f",
        ),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a",
        ),
    ];
    let (messages, right): (Vec<_>, Vec<_>) = suite.into_iter().unzip();
    for (name, engine) in engines(Algorithm::Md5) {
        let digests: Vec<_> =
            engine.digest_many(&messages).iter().map(ToString::to_string).collect();
        assert_eq!(digests, right, "{name}");
    }
}

/// The message of BLAKE3's test vectors (102,400 bytes), and `abc` of RFC 7693, appendices A and B.
#[test]
fn blake_examples() {
    let long: Vec<_> = (0..102_400).map(|index| (index % 251) as u8).collect();
    let examples: [(Algorithm, &[u8], &str); 5] = [
        (
            Algorithm::Blake2b512,
            b"abc",
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
             7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
        ),
        (
            Algorithm::Blake2b512,
            &long,
            "cbd9d7d77a4d66c0a2ddea931b1e7d91271005545f56f444decea823f7adc9bb\
             0791bead840bdd341f04bc1baf1847248aa536baeafa40bda3a06229ae62ffd5",
        ),
        (
            Algorithm::Blake2s256,
            b"abc",
            "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982",
        ),
        (
            Algorithm::Blake3,
            b"abc",
            "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
        ),
        (
            Algorithm::Blake3,
            &long,
            "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085",
        ),
    ];
    for (algorithm, message, right) in examples {
        for (name, engine) in engines(algorithm) {
            for digest in engine.digest_many(&[message; 5]) {
                assert_eq!(digest.to_string(), right, "{name}");
            }
        }
    }
}

/// Digests as Bitcoin shows them: with their bytes in reverse order.
fn reversed(hex: &str) -> [u8; 32] {
    let mut digest: [u8; 32] = bytes(hex).try_into().unwrap();
    digest.reverse();
    digest
}

/// The header of Bitcoin's first block, and the transactions of blocks 170 and 100,000 with the
/// roots of their Merkle trees.
#[test]
fn blocks_of_bitcoin() {
    let header = bytes(
        "010000000000000000000000000000000000000000000000000000000000000000000000\
         3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a\
         29ab5f49ffff001d1dac2b7c",
    );
    let name = reversed("000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
    let trees: [(&[&str], &str); 2] = [
        (
            &[
                "b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082",
                "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
            ],
            "7dac2c5666815c17a3b36427de37bb9d2e2c5ccec3f8633eb91a4205cb4c10ff",
        ),
        (
            &[
                "8c14f0db3df150123e6f3dbbf30f8b955a8249b62ac1d1ff16284aefa3d06d87",
                "fff2525b8931402dd09222c50775608f75787bd2b87e56995a7bdd30f79702c4",
                "6359f0868171b1d194cbee1af2f16ea598ae8fad666d9b012c8ed2b79a236ec4",
                "e9a66845e05d5abc0ad04ec80f774a7e585c6e8db975962d069a522137b80c1d",
            ],
            "f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766",
        ),
    ];
    for engine in engines_of::<Sha256d>() {
        assert_eq!(engine.digest(&header), name, "{engine:?}");
        assert_eq!(engine.digest_many(&[&header; 9]), [name; 9], "{engine:?}");
        for (transactions, root) in trees {
            let leaves = transactions.iter().map(|name| reversed(name)).collect();
            assert_eq!(merkle_root(engine, leaves), reversed(root), "{engine:?}");
        }
    }
}

/// The root of a tree with a power of two leaves.
fn merkle_root(engine: Engine<Sha256d>, mut level: Vec<[u8; 32]>) -> [u8; 32] {
    while level.len() > 1 {
        let mut nodes = vec![[0; 32]; level.len() / 2];
        engine.digest_pairs(level.as_chunks().0, &mut nodes);
        level = nodes;
    }
    level[0]
}
