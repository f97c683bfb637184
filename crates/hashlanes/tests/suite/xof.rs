//! Outputs of any length, compared with those of tiny-keccak and of the crate `blake3`, and with
//! published vectors.

use crate::common::{engines_of, log_uniform, noise};
use hashlanes::{
    Algorithm, Blake3, Engine, HashFunction, KangarooTwelve, KmacKey, Kt128, Kt256, Sha256,
    Shake128, Shake256, ShakeFunction, TurboShake128, TurboShake256, TurboShakeFunction, Xof,
    XofAlgorithm, XofFunction, XofReader, squeeze_many,
};
use tiny_keccak::{CShake, Hasher, Kmac, Shake, Xof as _};

/// The output of SHAKE, from tiny-keccak, or of BLAKE3, from its authors.
fn oracle<X: HashFunction>(message: &[u8], length: usize) -> Vec<u8> {
    let mut output = vec![0; length];
    let mut shake = match X::ALGORITHM {
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

#[test]
fn kangaroo_vectors_of_rfc_9861() {
    type Case<'a> = (&'a [u8], &'a [u8], usize, [&'a str; 2]);
    let cases: [Case; 5] = [
        (b"", b"", 32, ["1ac2d450fc3b4205d19da7bfca1b3751", "b23d2e9cea9f4904e02bec06817fc10c"]),
        (
            b"",
            &pattern(1),
            32,
            ["fab658db63e94a246188bf7af69a1330", "9280f5cc39b54a5a594ec63de0bb9937"],
        ),
        (
            &[0xff; 7],
            &pattern(41 * 41 * 41),
            32,
            ["75d2f86a2e644566726b4fbcfc5657b9", "e0911cc00025e1540831e266d94add9b"],
        ),
        (
            &pattern(17 * 17 * 17 * 17),
            b"",
            32,
            ["8701045e22205345ff4dda05555cbb5c", "b06275d284cd1cf205bcbe57dccd3ec1"],
        ),
        (
            &pattern(8192),
            &pattern(8189),
            32,
            ["3ed12f70fb05ddb58689510ab3e4d23c", "74e47879f10a9c5d11bd2da7e194fe57"],
        ),
    ];
    for (message, customization, length, [right_128, right_256]) in cases {
        let output = kangaroo::<TurboShake128>(message, customization, length);
        assert_eq!(hex(&output[..16]), right_128);
        let output = kangaroo::<TurboShake256>(message, customization, length);
        assert_eq!(hex(&output[..16]), right_256);
    }
    let output = kangaroo::<TurboShake128>(b"", b"", 10_032);
    assert_eq!(hex(&output[10_000..10_016]), "e8dc563642f7228c84684c898405d3a8");
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

/// Short messages in lanes, between long ones.
#[test]
fn kangaroo_of_many_short_messages() {
    let messages: Vec<_> =
        (0..100).map(|i| pattern(if i % 40 == 39 { 20_000 } else { 37 * i })).collect();
    for customization in ["", "a", "seven b", "eight by"] {
        let mut outputs = [[0; 33]; 100];
        let mut readers = vec![XofReader::empty(); 100];
        Kt256::absorb_many_into(&messages, customization, &mut readers);
        squeeze_many(&mut readers, &mut outputs);
        for (message, output) in messages.iter().zip(outputs) {
            let right = kangaroo::<TurboShake256>(message, customization.as_bytes(), 33);
            assert_eq!(output[..], right, "{} bytes", message.len());
        }
    }
    assert!(Kt128::absorb_many(&[""; 0], "").is_empty());
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
