//! Saved states: continued on any kernel, refused if damaged, and never a panic if forged.

use crate::common::{engines_of, for_each_function, log_uniform, noise, oracle};
use hashlanes::xof::{InParts, KangarooTwelve, Kt128, Kt256, TurboShake128, TurboShake256};
use hashlanes::xof::{TurboShakeFunction, Xof, XofFunction, XofReader};
use hashlanes::{Algorithm, Blake2Params, Blake2b512, Blake2s256, Blake3, Engine, HashFunction};
use hashlanes::{Hasher, HmacKey, Md5, Prefix, SavedStateError, Sha256, Shake128, Shake256};

/// States as the first version wrote them, a line each: function, length, and the state in
/// hexadecimal. Byte `i` of the message is `i` modulo 251.
const FIRST_VERSION: &str = include_str!("states.txt");

/// Lengths around blocks, chunks and subtrees of any function.
fn lengths(block: usize) -> Vec<usize> {
    let mut lengths = vec![0, 1];
    for edge in [block, 2 * block, 1024, 2048, 3072, 4096, 16 << 10, 128 << 10, 384 << 10] {
        lengths.extend([edge - 1, edge, edge + 1, edge + block]);
    }
    lengths
}

#[test]
fn a_message_is_continued_from_any_length_on_any_kernel() {
    fn test<A: HashFunction>() {
        let mut rng = fastrand::Rng::with_seed(61);
        for engine in engines_of::<A>() {
            for length in lengths(A::ALGORITHM.block_len()) {
                let message = noise(rng.u64(..), length + log_uniform(&mut rng, 5000));
                let mut hasher = Hasher::with_engine(engine);
                // In pieces, the state may be another than at once.
                let cut = rng.usize(..=length);
                hasher.update(&message[..cut]).update(&message[cut..length]);
                let saved = hasher.save().unwrap();
                let mut typed = Hasher::<A>::restore(&saved).unwrap();
                let mut named = Hasher::<Algorithm>::restore(&saved).unwrap();
                assert_eq!((typed.len(), named.algorithm()), (length as u128, A::ALGORITHM));
                assert_eq!(typed.save().unwrap(), saved, "{engine:?}, {length}");
                assert_eq!(named.save().unwrap(), saved, "{engine:?}, {length}");
                let expected = oracle(A::ALGORITHM, &message[..length]);
                assert_eq!(typed.clone().finalize().as_ref(), expected, "{engine:?}, {length}");
                let expected = oracle(A::ALGORITHM, &message);
                let digest = typed.update(&message[length..]).finalize_reset();
                assert_eq!(digest.as_ref(), expected, "{engine:?}, {length}");
                assert_eq!(named.update(&message[length..]).finalize_reset().as_ref(), expected);
                // A new message begins empty.
                assert_eq!(typed.finalize(), A::digest(""));
            }
        }
    }
    for_each_function!(test());
}

#[test]
fn a_message_under_a_key_for_hmac_is_continued_with_the_key() {
    fn test<A: HashFunction>() {
        let key = HmacKey::<A>::new("a key");
        let message = noise(62, 5000);
        for length in [0, 1, 63, 64, 65, 128, 136, 1024, 4096] {
            let saved = key.hasher().update(&message[..length]).save();
            let mut hasher = key.restore(&saved).unwrap();
            assert_eq!((hasher.len(), hasher.save()), (length as u128, saved.clone()));
            assert_eq!(hasher.clone().finalize(), key.mac(&message[..length]));
            assert_eq!(hasher.update(&message[length..]).finalize_reset(), key.mac(&message));
            assert_eq!(hasher.finalize(), key.mac(""));
            let named = HmacKey::of(A::ALGORITHM, "a key").restore(&saved).unwrap();
            let mac = key.mac(&message[..length]);
            assert_eq!(named.finalize().as_bytes(), mac.as_ref());
            assert_eq!(text(Hasher::<A>::restore(&saved)), FOR_HMAC);
        }
        let plain = Hasher::<A>::new().save().unwrap();
        let not = "the saved state is not of HMAC, but a key is given";
        assert_eq!(text(key.restore(plain)), not);
    }
    const FOR_HMAC: &str = "the saved state is of HMAC: its key is needed";
    for_each_function!(test());
}

/// The message of an error.
fn text<T>(result: Result<T, SavedStateError>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn keys_of_blake_are_saved_on_request_only() {
    fn test<A: HashFunction>(keyed: &Prefix<A>, key: &[u8]) {
        let message = noise(63, 9000);
        for length in [0, 1, 64, 65, 128, 129, 1024, 1025, 4096] {
            let mut hasher = keyed.hasher();
            hasher.update(&message[..length]);
            assert!(
                text(hasher.save()).ends_with("contains the key, which is saved only on request")
            );
            let saved = hasher.save_with_key();
            let mut restored = Hasher::<A>::restore(&saved).unwrap();
            assert!(restored.save().is_err());
            assert_eq!(restored.save_with_key(), saved);
            restored.update(&message[length..]);
            assert_eq!(restored.finalize(), keyed.digest(&message));
        }
        // Without a key, parameters are saved as anything else.
        let saved = Prefix::<A>::new([]).hasher().save().unwrap();
        assert!(!saved.windows(key.len()).any(|window| window == key));
    }
    let key = [7; 32];
    test(&Prefix::<Blake3>::keyed(&key), &key);
    test(&Prefix::<Blake3>::derive_key("a context"), &key);
    let params = Blake2Params::new().key(&key).salt(b"salt");
    test(&Prefix::<Blake2b512>::with_params(params).unwrap(), &key);
    test(&Prefix::<Blake2s256>::with_params(params).unwrap(), &key);
    let salted = Prefix::<Blake2b512>::with_params(Blake2Params::new().salt(b"salt")).unwrap();
    let saved = salted.hasher().update("ab").save().unwrap();
    let digest = Hasher::<Blake2b512>::restore(saved).unwrap().update("c").finalize_reset();
    assert_eq!(digest, salted.digest("abc"));
}

#[test]
fn messages_side_by_side_are_saved_and_continued_in_other_places() {
    for &algorithm in Algorithm::ALL {
        let (mut some, mut others) =
            (Engine::of(algorithm).hashers(3), Engine::of(algorithm).hashers(2));
        let message = noise(67, 9000);
        some.update(&[b"", &message[..5000], b"abc"]);
        let saved = some.save(1);
        assert_eq!(saved, Hasher::of(algorithm).update(&message[..5000]).save().unwrap());
        others.update(&[b"lost", b"kept"]);
        others.restore(0, &saved).unwrap();
        others.update(&[&message[5000..], b""]);
        assert_eq!(others.finalize_reset(0), algorithm.digest(&message));
        assert_eq!(others.finalize_reset(1), algorithm.digest("kept"));
        others.update(&[b"", b"kept"]);
        let mut damaged = saved;
        *damaged.last_mut().unwrap() ^= 1;
        assert_eq!(text(others.restore(1, damaged)), "the saved state is damaged");
        let other = if algorithm == Algorithm::Md5 { Algorithm::Sha1 } else { Algorithm::Md5 };
        let foreign = Hasher::of(other).save().unwrap();
        assert!(text(others.restore(1, foreign)).starts_with("a saved state of '"));
        assert_eq!(others.finalize_reset(1), algorithm.digest("kept"));
    }
    let keyed = Prefix::<Blake3>::keyed(&[7; 32]).hasher().save_with_key();
    let mut hashers = Engine::of(Algorithm::Blake3).hashers(1);
    assert_eq!(text(hashers.restore(0, keyed)), "the saved state is damaged");
}

/// The first bytes of the output of a message.
fn output<X: XofFunction>(mut reader: XofReader<X>) -> [u8; 200] {
    let mut output = [0; 200];
    reader.read(&mut output);
    output
}

/// Lengths near the edges of blocks, chunks and leaves.
const EDGES: [usize; 14] =
    [0, 1, 135, 136, 167, 168, 1024, 8191, 8192, 8193, 16384, 16385, 24576, 40_000];

#[test]
fn messages_of_any_output_are_continued_before_it_is_read() {
    fn test<X: XofFunction>(empty: &Xof<X>) {
        let message = noise(68, 60_000);
        for length in EDGES {
            let saved = empty.clone().update(&message[..length]).save().unwrap();
            let mut restored = Xof::<X>::restore(&saved).unwrap();
            assert_eq!(restored.save().unwrap(), saved);
            let expected = output(empty.clone().update(&message).finalize());
            assert_eq!(output(restored.update(&message[length..]).finalize()), expected);
            let changed = |at: usize| {
                let mut changed = saved.clone();
                changed[at] ^= 1;
                Xof::<X>::restore(&changed).is_err()
            };
            assert!((0..saved.len()).all(changed));
            assert!((0..saved.len()).all(|end| Xof::<X>::restore(&saved[..end]).is_err()));
        }
    }
    test(&Xof::<Shake128>::new());
    test(&Xof::<Shake256>::new());
    test(&Xof::<Shake256>::customized("", "a text"));
    test(&Xof::<TurboShake128>::new());
    test(&Xof::<TurboShake256>::with_domain(0x55));
    test(&Xof::<Blake3>::new());
    // A hasher of the same function continues it, but not if it has another domain.
    let saved = Xof::<Shake128>::new().update("ab").save().unwrap();
    assert_eq!(saved, Shake128::hasher().update("ab").save().unwrap());
    let custom = Xof::<Shake128>::customized("", "a text").update("ab").save().unwrap();
    assert_eq!(text(Hasher::<Shake128>::restore(&custom)), "the saved state is damaged");
    let other = "a saved state of 'shake128', not of shake256";
    assert_eq!(text(Xof::<Shake256>::restore(&custom)), other);
    // A domain that no function has.
    let at = 7 + "turboshake256".len() + 16;
    for (domain, is_possible) in [(1, true), (0x7f, true), (0, false), (0x80, false)] {
        let saved = Xof::<TurboShake256>::with_domain(0x55).save().unwrap();
        let mut forged = saved[..saved.len() - 8].to_vec();
        forged[at] = domain;
        let check = output(Xof::<TurboShake256>::new().update(&forged).finalize());
        forged.extend(&check[..8]);
        assert_eq!(Xof::<TurboShake256>::restore(forged).is_ok(), is_possible, "{domain}");
    }
    let keyed = Xof::<Blake3>::keyed(&[7; 32]);
    assert!(text(keyed.save()).ends_with("contains the key, which is saved only on request"));
    let restored = Xof::<Blake3>::restore(keyed.save_with_key()).unwrap();
    assert_eq!(output(restored.finalize()), output(keyed.finalize()));
}

#[test]
fn messages_of_kangaroo_twelve_are_continued() {
    fn test<X: TurboShakeFunction>() {
        let message = noise(69, 60_000);
        for length in EDGES {
            let mut whole = KangarooTwelve::<X>::new();
            let saved = whole.update(&message[..length]).save();
            let mut restored = KangarooTwelve::<X>::restore(&saved).unwrap();
            assert_eq!(restored.save(), saved);
            restored.update(&message[length..]);
            let expected = output(whole.update(&message[length..]).finalize("text"));
            assert_eq!(output(restored.finalize("text")), expected, "{length}");
            for at in 0..saved.len() {
                let mut changed = saved.clone();
                changed[at] ^= 0x80;
                assert!(KangarooTwelve::<X>::restore(&changed).is_err());
                assert!(KangarooTwelve::<X>::restore(&saved[..at]).is_err());
            }
        }
        // In parts.
        let (part, rest) = message.split_at(32 << 10);
        let mut joined = KangarooTwelve::<X>::new();
        let first = joined.hash_part(part, 0);
        joined.append(&first);
        let mut restored = KangarooTwelve::<X>::restore(joined.save()).unwrap();
        let mut whole = KangarooTwelve::<X>::new();
        assert_eq!(
            output(restored.update(rest).finalize("")),
            output(whole.update(&message).finalize(""))
        );
    }
    test::<TurboShake128>();
    test::<TurboShake256>();
    let other = "a saved state of 'kt128', not of kt256";
    assert_eq!(text(Kt256::restore(Kt128::new().save())), other);
}

/// A state of each function.
fn states() -> impl Iterator<Item = (Algorithm, Vec<u8>)> {
    Algorithm::ALL.iter().flat_map(|&algorithm| {
        [0, 1, 64, 100, 1024, 5 * 1024 + 1, 9 << 10].map(|length| {
            let mut hasher = Hasher::of(algorithm);
            (algorithm, hasher.update(noise(64, length)).save().unwrap())
        })
    })
}

#[test]
fn a_changed_byte_is_refused() {
    for (algorithm, saved) in states() {
        for at in 0..saved.len() {
            for bit in [0x01, 0x80] {
                let mut changed = saved.clone();
                changed[at] ^= bit;
                let restored = Hasher::<Algorithm>::restore(&changed);
                assert!(restored.is_err(), "{algorithm}: byte {at} of {}", saved.len());
            }
        }
        for length in 0..saved.len() {
            let restored = Hasher::<Algorithm>::restore(&saved[..length]);
            assert!(restored.is_err(), "{algorithm}: {length} of {} bytes", saved.len());
        }
        let longer = [&saved[..], b"\0"].concat();
        assert_eq!(text(Hasher::<Algorithm>::restore(longer)), "the saved state is damaged");
    }
}

/// Whoever can forge the check can choose the state, but nothing else.
#[test]
fn a_forged_state_never_panics() {
    let mut rng = fastrand::Rng::with_seed(65);
    for (algorithm, saved) in states() {
        let start = 7 + algorithm.name().len();
        let body = saved.len() - 8;
        for round in 0..2000 {
            let mut forged = saved[..body].to_vec();
            for _ in 0..rng.usize(1..4) {
                let at = match round % 3 {
                    0 => rng.usize(start..start + 16),
                    1 => rng.usize(start..body),
                    // The key, the mode and the number of blocks of BLAKE3.
                    _ => rng.usize(start + 16..body.min(start + 16 + 18 * 4).max(start + 17)),
                };
                let at = at.min(forged.len() - 1);
                forged[at] = [0, 1, 0xff, 0x40, rng.u8(..)][rng.usize(..5)];
            }
            if rng.u8(..8) == 0 {
                // The length almost overflows.
                forged[start..start + [8, 16][rng.usize(..2)]].fill(0xff);
                forged[start] = [0x80, 0xc0, 0xff][rng.usize(..3)];
            }
            if rng.u8(..8) == 0 {
                forged.truncate(rng.usize(start..=body));
            }
            let check = algorithm.digest(&forged);
            forged.extend(&check.as_bytes()[..8]);
            if let Ok(mut hasher) = Hasher::<Algorithm>::restore(&forged) {
                let again = hasher.save_with_key();
                hasher.update(noise(66, log_uniform(&mut rng, 20_000)));
                let _ = hasher.finalize();
                assert_eq!(Hasher::<Algorithm>::restore(&again).unwrap().save_with_key(), again);
            }
            let mut side_by_side = Engine::of(algorithm).hashers(2);
            if side_by_side.restore(1, &forged).is_ok() {
                side_by_side.update(&[&b"abc"[..], &noise(67, 1000)]);
                let _ = side_by_side.finalize_reset(1);
            }
        }
    }
}

/// Else a key would pass for none, and be saved without a request.
#[test]
fn blake3_without_a_key_begins_with_its_initial_value() {
    let (mut forged, start) = (Blake3::hasher().update(noise(69, 5000)).save().unwrap(), 7 + 6);
    forged.truncate(forged.len() - 8);
    for (changed, is_possible) in [(0, true), (1, false)] {
        // Words of the key follow the length and the value.
        forged[start + 16 + 32] ^= changed;
        let signed = [&forged[..], &Blake3::digest(&forged)[..8]].concat();
        assert_eq!(Hasher::<Algorithm>::restore(&signed).is_ok(), is_possible);
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let saved = Md5::hasher().save().unwrap();
    assert_eq!(text(Hasher::<Sha256>::restore(&saved)), "a saved state of 'md5', not of sha256");
    let key = HmacKey::of(Algorithm::Sha1, "");
    let of_md5 = HmacKey::<Md5>::new("").hasher().save();
    assert_eq!(text(key.restore(of_md5)), "a saved state of 'md5', not of sha1");
    let text_of = |bytes: &[u8]| text(Hasher::<Algorithm>::restore(bytes));
    assert_eq!(text_of(b"md5\x01"), "not a saved state: it does not begin with 'hlst'");
    let newer = "a saved state of format version 2; this version reads format 1";
    assert_eq!(text_of(b"hlst\x02"), newer);
    let unknown = "a saved state of the function 'tiger', which this build does not have";
    assert_eq!(text_of(b"hlst\x01\0\x05tiger"), unknown);
}

#[test]
fn states_of_the_first_version_are_read() {
    let mut functions = Vec::new();
    for line in FIRST_VERSION.lines().filter(|line| !line.starts_with('#')) {
        let [name, length, hex] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (algorithm, length) = (Algorithm::from_name(name).unwrap(), length.parse().unwrap());
        assert_eq!(line_of(algorithm, length), line);
        let saved: Vec<_> = (0..hex.len() / 2)
            .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
            .collect();
        let mut hasher = Hasher::<Algorithm>::restore(&saved).unwrap();
        let digest = hasher.update("more").finalize_reset();
        let whole = [&message(length)[..], b"more"].concat();
        assert_eq!(digest.as_bytes(), oracle(algorithm, &whole));
        functions.push(algorithm);
    }
    let missing = Algorithm::ALL.iter().filter(|algorithm| !functions.contains(algorithm));
    let lines = |&algorithm| [0, 3, 64, 200, 5 * 1024 + 7].map(|it| line_of(algorithm, it));
    let missing: Vec<_> = missing.flat_map(lines).collect();
    assert!(missing.is_empty(), "lines to add to states.txt:\n{}", missing.join("\n"));
}

/// A message of the states.
fn message(length: usize) -> Vec<u8> {
    (0..251).cycle().take(length).collect()
}

/// The line of a state.
fn line_of(algorithm: Algorithm, length: usize) -> String {
    let saved = Hasher::of(algorithm).update(message(length)).save().unwrap();
    let hex: String = saved.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{algorithm} {length} {hex}")
}
