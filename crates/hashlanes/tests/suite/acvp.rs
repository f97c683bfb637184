//! NIST's ACVP vectors with every kernel that can run here.
//!
//! `acvp.txt` has some. The variable `HASHLANES_ACVP` names a folder whose file `hashes.txt` has
//! more in the same form, which `acvp.py` makes of NIST's JSON files. Each kind of vectors prints
//! what ran as a row of a table.
#![cfg(feature = "alloc")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::common::{available, engines, engines_of, for_each_function};
use hashlanes::xof::{KmacKey, ShakeFunction, Xof, squeeze_many};
use hashlanes::{Algorithm, HashFunction, HmacKey, Shake128, Shake256};

/// The bytes of a hexadecimal field. A dash stands for none.
fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.trim_matches('-').as_bytes().chunks_exact(2);
    digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// The vectors of a kind, by function: the fields of each line after these two.
fn vectors(kind: &str) -> BTreeMap<String, Vec<Vec<String>>> {
    let more = std::env::var_os("HASHLANES_ACVP").map(|folder| {
        let path = Path::new(&folder).join("hashes.txt");
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    let mut vectors: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let all = include_str!("acvp.txt").lines().chain(more.iter().flat_map(|more| more.lines()));
    for line in all.filter(|line| !line.starts_with('#')) {
        let mut fields = line.split(' ').map(str::to_owned);
        let of = fields.next().unwrap();
        assert!(KINDS.contains(&&*of), "not a vector: {line}");
        if of == kind {
            vectors.entry(fields.next().unwrap()).or_default().push(fields.collect());
        }
    }
    vectors
}

const KINDS: [&str; 8] = ["aft", "mct", "ldt", "xof", "xof-mct", "hmac", "kmac", "pbkdf2"];

/// Prints a row of the table of what ran.
fn ran(kind: &str, function: &str, cases: usize, kernels: &str) {
    println!("| {kind} | {function} | {cases} | {kernels} |");
}

/// The names of an algorithm's kernels that can run here.
fn kernels(algorithm: Algorithm) -> String {
    let mut names = "automatic".to_owned();
    for kernel in available(algorithm) {
        let _ = write!(names, ", {}", kernel.name);
    }
    names
}

/// Algorithm functional tests: messages and their digests.
#[test]
fn messages() {
    for (function, cases) in vectors("aft") {
        let algorithm: Algorithm = function.parse().unwrap();
        let (messages, right): (Vec<_>, Vec<_>) =
            cases.iter().map(|case| (bytes(&case[0]), bytes(&case[1]))).unzip();
        for (name, engine) in engines(algorithm) {
            let digests = engine.digest_many(&messages);
            for ((digest, right), message) in digests.iter().zip(&right).zip(&messages) {
                assert_eq!(digest.as_bytes(), right, "{name}: {} bytes", message.len());
            }
        }
        ran("AFT", &function, cases.len(), &kernels(algorithm));
    }
}

/// Monte Carlo tests, in all lanes at once: 100 rounds of 1,000 digests. In SHA-1 and SHA-2, a
/// message is the three digests before it; in SHA-3, the digest before it. The alternate version
/// cuts each message to the length of the seed, or fills it with zeros.
#[test]
fn monte_carlo() {
    for (function, cases) in vectors("mct") {
        let algorithm: Algorithm = function.parse().unwrap();
        for case in &cases {
            let [version, seed, right] = &case[..] else { panic!("{function}: {case:?}") };
            assert!(["standard", "alternate"].contains(&&**version), "{function}: {version}");
            let first = bytes(seed);
            for (name, engine) in engines(algorithm) {
                let mut seed = first.clone();
                for _ in 0..100 {
                    let kept = if function.starts_with("sha3-") { 1 } else { 3 };
                    let mut latest = vec![seed; kept];
                    for _ in 0..1000 {
                        let mut message = latest.concat();
                        if version == "alternate" {
                            message.resize(first.len(), 0);
                        }
                        let digests = engine.digest_many(&vec![&message; engine.lanes()]);
                        assert!(digests.iter().all(|digest| digest == &digests[0]), "{name}");
                        latest.rotate_left(1);
                        latest[kept - 1] = digests[0].as_bytes().to_vec();
                    }
                    seed = latest.swap_remove(kept - 1);
                }
                assert_eq!(seed, bytes(right), "{name}");
            }
        }
        ran("MCT", &function, cases.len(), &kernels(algorithm));
    }
}

/// A message that repeats a few bytes.
struct Large {
    /// A mebibyte of it.
    piece: Vec<u8>,
    pieces: usize,
    digest: Vec<u8>,
}

/// Large data tests: messages of gigabytes, side by side. A kernel that is chosen by name hashes
/// those of at most 2 GiB.
#[test]
#[ignore = "takes minutes"]
fn large_messages() {
    const PIECE: usize = 1 << 20;
    for (function, cases) in vectors("ldt") {
        let algorithm: Algorithm = function.parse().unwrap();
        let large = |case: &Vec<String>| {
            let (content, pieces) = (bytes(&case[0]), case[1].parse::<usize>().unwrap() << 10);
            assert!(PIECE.is_multiple_of(content.len()), "{function}: {case:?}");
            let piece = content.repeat(PIECE / content.len());
            Large { piece, pieces, digest: bytes(&case[2]) }
        };
        let all: Vec<_> = cases.iter().map(large).collect();
        for (name, engine) in engines(algorithm) {
            let most = if engine.forced_kernel().is_some() { 2 << 10 } else { usize::MAX };
            let some: Vec<_> = all.iter().filter(|large| large.pieces <= most).collect();
            let mut hashers = engine.hashers(some.len());
            for at in 0..some.iter().map(|large| large.pieces).max().unwrap_or(0) {
                // Messages that have ended get empty pieces.
                let length = |large: &Large| if at < large.pieces { PIECE } else { 0 };
                let pieces = some.iter().map(|large| &large.piece[..length(large)]);
                hashers.update(&pieces.collect::<Vec<_>>());
            }
            for (index, large) in some.iter().enumerate() {
                let digest = hashers.finalize_reset(index);
                assert_eq!(digest.as_bytes(), large.digest, "{name}: {} MiB", large.pieces);
            }
            ran("LDT", &function, some.len(), name.split_once(' ').unwrap().1);
        }
    }
}

/// Outputs of SHAKE and cSHAKE. Only SHAKE's kernel can be chosen by name.
#[test]
fn outputs() {
    fn test<X: ShakeFunction + HashFunction>(
        function: &str,
        customized: impl Fn(&[u8], &[u8]) -> Xof<X>,
    ) {
        let Some(cases) = vectors("xof").remove(function) else { return };
        for case in &cases {
            let [name, custom, message, right] = &case[..] else { panic!("{function}: {case:?}") };
            let (name, custom, message, right) =
                (bytes(name), bytes(custom), bytes(message), bytes(right));
            let plain = name.is_empty() && custom.is_empty();
            let kernels = engines_of::<X>().into_iter().map(Xof::with_engine);
            let mut xofs = vec![customized(&name, &custom)];
            xofs.extend(kernels.filter(|_| plain));
            for xof in xofs {
                let mut readers = xof.absorb_many(&[&message; 5]);
                let mut outputs = vec![vec![0; right.len()]; readers.len()];
                squeeze_many(&mut readers, &mut outputs);
                assert!(outputs.iter().all(|output| *output == right), "{function}: {case:?}");
            }
        }
        let plain = cases.iter().filter(|case| case[0] == "-" && case[1] == "-").count();
        ran("AFT, VOT", function, plain, &kernels(X::ALGORITHM));
        ran("AFT", &format!("c{function}"), cases.len() - plain, "automatic");
    }

    test::<Shake128>("shake128", |name, custom| Xof::<Shake128>::customized(name, custom));
    test::<Shake256>("shake256", |name, custom| Xof::<Shake256>::customized(name, custom));
}

/// SHAKE's Monte Carlo test: 100 rounds of 1,000 outputs. A message is the first 128 bits of the
/// output before it, whose last 16 bits choose the length of the next output.
#[test]
fn monte_carlo_of_outputs() {
    fn test<X: ShakeFunction + HashFunction>(function: &str) {
        let Some(cases) = vectors("xof-mct").remove(function) else { return };
        for case in &cases {
            let [least, most, seed, right] = &case[..] else { panic!("{function}: {case:?}") };
            let (least, most): (usize, usize) = (least.parse().unwrap(), most.parse().unwrap());
            for engine in engines_of::<X>() {
                let (mut length, mut output) = (most, bytes(seed));
                for _ in 0..100_000 {
                    output.resize(16, 0);
                    let mut reader = Xof::with_engine(engine).update(&output).finalize();
                    output = vec![0; length];
                    reader.read(&mut output);
                    let last = output.last_chunk().copied().map_or(0, u16::from_be_bytes);
                    length = least + usize::from(last) % (most - least + 1);
                }
                assert_eq!(output, bytes(right), "{engine:?}");
            }
        }
        ran("MCT", function, cases.len(), &kernels(X::ALGORITHM));
    }

    test::<Shake128>("shake128");
    test::<Shake256>("shake256");
}

/// Calls a test with each hash function of which there are vectors of a kind.
macro_rules! for_each_with {
    ($kind:literal, $test:ident) => {
        fn run<A: HashFunction>(vectors: &BTreeMap<String, Vec<Vec<String>>>) {
            if let Some(cases) = vectors.get(A::ALGORITHM.name()) {
                $test::<A>(cases);
            }
        }
        for_each_function!(run(&vectors($kind)));
    };
}

/// A vector may have only the first bytes of the MAC.
#[test]
fn hmac() {
    fn test<A: HashFunction>(cases: &[Vec<String>]) {
        for engine in engines_of::<A>() {
            let key = |case: &Vec<String>| HmacKey::with_engine(engine, bytes(&case[0]));
            let pairs: Vec<_> = cases.iter().map(|case| (key(case), bytes(&case[1]))).collect();
            for (mac, case) in engine.hmac_many(&pairs).iter().zip(cases) {
                let right = bytes(&case[2]);
                assert!(!right.is_empty() && mac.as_ref().starts_with(&right), "{case:?}");
            }
        }
        ran("AFT", &format!("HMAC-{}", A::ALGORITHM), cases.len(), &kernels(A::ALGORITHM));
    }

    for_each_with!("hmac", test);
}

#[test]
fn pbkdf2() {
    fn test<A: HashFunction>(cases: &[Vec<String>]) {
        for engine in engines_of::<A>() {
            for case in cases {
                let [password, salt, rounds, right] = &case[..] else { panic!("{case:?}") };
                let (right, rounds) = (bytes(right), rounds.parse().unwrap());
                let mut keys = vec![vec![0; right.len()]; engine.lanes()];
                let (passwords, salts) =
                    (vec![password; keys.len()], vec![bytes(salt); keys.len()]);
                engine.pbkdf2_many(&passwords, &salts, rounds, &mut keys);
                assert!(keys.iter().all(|key| *key == right), "{engine:?}: {case:?}");
            }
        }
        ran("AFT", &format!("PBKDF2-{}", A::ALGORITHM), cases.len(), &kernels(A::ALGORITHM));
    }

    for_each_with!("pbkdf2", test);
}

#[test]
fn kmac() {
    fn test<X: ShakeFunction>(function: &str) {
        let Some(cases) = vectors("kmac").remove(function) else { return };
        for case in &cases {
            let [key, custom, message, right] = &case[..] else { panic!("{function}: {case:?}") };
            let right = bytes(right);
            let key = KmacKey::<X>::new(bytes(key), bytes(custom));
            let mut macs = vec![vec![0; right.len()]; 5];
            let messages = vec![bytes(message); macs.len()];
            key.mac_many_into(&messages, &mut macs);
            assert!(macs.iter().all(|mac| *mac == right), "{function}: {case:?}");
        }
        ran("AFT", &format!("KMAC of {function}"), cases.len(), "automatic");
    }

    test::<Shake128>("shake128");
    test::<Shake256>("shake256");
}
