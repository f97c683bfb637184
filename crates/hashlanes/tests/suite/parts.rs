//! Messages whose parts are hashed apart, compared with the crate `blake3`.

use crate::common::{engines_of, noise};
use hashlanes::Blake3;
use hashlanes::xof::{
    InParts, KangarooTwelve, Kt128, Kt256, TurboShake128, TurboShake256, TurboShakeFunction, Xof,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Lengths of parts, and of what follows them.
const PARTS: [usize; 4] = [16 << 10, 64 << 10, 256 << 10, 1 << 20];
const RESTS: [usize; 9] = [0, 1, 63, 64, 65, 1023, 1024, 1025, (16 << 10) - 1];

/// Appends `count` parts, which are hashed from the last one to the first.
fn append(message: &mut impl InParts, bytes: &[u8], part: usize, first: usize, count: usize) {
    let hash = |i: usize| message.hash_part(&bytes[i * part..][..part], (i * part) as u64);
    let parts: Vec<_> = (first..first + count).rev().map(hash).collect();
    parts.iter().rev().for_each(|part| message.append(part));
}

fn beginning<const N: usize>(xof: &Xof<Blake3>) -> [u8; N] {
    let mut output = [0; N];
    xof.finalize().read(&mut output);
    output
}

/// The same of the crate `blake3`.
fn peer<const N: usize>(hasher: &blake3::Hasher) -> [u8; N] {
    let mut output = [0; N];
    hasher.finalize_xof().fill(&mut output);
    output
}

#[test]
fn parts_of_blake3_in_every_mode() {
    let bytes = noise(1, 5 << 20);
    let (key, context) = ([7; 32], "hashlanes 2026 parts");
    for (empty, theirs) in [
        (Xof::<Blake3>::new(), blake3::Hasher::new()),
        (Xof::keyed(&key), blake3::Hasher::new_keyed(&key)),
        (Xof::derive_key(context), blake3::Hasher::new_derive_key(context)),
    ] {
        for part in PARTS {
            for count in 1..=4 {
                let (mut xof, mut theirs) = (empty.clone(), theirs.clone());
                append(&mut xof, &bytes, part, 0, count);
                theirs.update(&bytes[..count * part]);
                assert_eq!(beginning::<100>(&xof), peer(&theirs), "{count} parts of {part} bytes");
                for rest in RESTS {
                    let rest = &bytes[count * part..][..rest];
                    let (mut xof, mut theirs) = (xof.clone(), theirs.clone());
                    xof.update(rest);
                    theirs.update(rest);
                    let what = format!("{count} parts of {part} bytes, then {}", rest.len());
                    assert_eq!(beginning::<100>(&xof), peer(&theirs), "{what}");
                    let many = xof.absorb_many(&["", "a", "b"]);
                    for (mut reader, end) in many.into_iter().zip(["", "a", "b"]) {
                        let mut output = [0; 40];
                        reader.read(&mut output);
                        let theirs = peer(theirs.clone().update(end.as_bytes()));
                        assert_eq!(output, theirs, "{what}, then {end:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn parts_of_blake3_after_bytes_and_before_them_in_every_kernel() {
    let (bytes, part) = (noise(2, 300_000), 16 << 10);
    for engine in engines_of::<Blake3>() {
        let mut xof = Xof::with_engine(engine);
        let mut at = 0;
        // The number of parts, and that of parts that are appended as bytes, in two pieces.
        for (in_parts, as_bytes) in [(1, 1), (2, 1), (3, 0), (0, 3), (4, 1), (1, 0)] {
            append(&mut xof, &bytes, part, at, in_parts);
            at += in_parts;
            assert_eq!(beginning(&xof), *blake3::hash(&bytes[..at * part]).as_bytes());
            let piece = &bytes[at * part..][..as_bytes * part];
            xof.update(&piece[..piece.len() / 3]).update(&piece[piece.len() / 3..]);
            at += as_bytes;
            assert_eq!(beginning(&xof), *blake3::hash(&bytes[..at * part]).as_bytes(), "{at}");
        }
    }
}

fn of_kangaroo<X: TurboShakeFunction>(kangaroo: &KangarooTwelve<X>) -> [u8; 64] {
    let mut output = [0; 64];
    kangaroo.finalize("custom").read(&mut output);
    output
}

/// Compares with messages that are not hashed in parts, which other tests compare with vectors.
fn kangaroo_in_parts<X: TurboShakeFunction>() {
    let bytes = noise(3, 3 << 20);
    let expected = |length: usize| {
        let mut whole = KangarooTwelve::<X>::new();
        of_kangaroo(whole.update(&bytes[..length]))
    };
    for part in &PARTS[..3] {
        for count in [1, 2, 5] {
            let mut kangaroo = KangarooTwelve::<X>::new();
            append(&mut kangaroo, &bytes, *part, 0, count);
            for rest in RESTS.into_iter().chain([8191, 8192, 8193]) {
                let mut kangaroo = kangaroo.clone();
                kangaroo.update(&bytes[count * part..][..rest]);
                let what = format!("{count} parts of {part} bytes, then {rest}");
                assert_eq!(of_kangaroo(&kangaroo), expected(count * part + rest), "{what}");
            }
        }
    }
    let mut after_bytes = KangarooTwelve::<X>::new();
    after_bytes.update(&bytes[..64 << 10]);
    append(&mut after_bytes, &bytes, 64 << 10, 1, 2);
    assert_eq!(of_kangaroo(&after_bytes), expected(3 * (64 << 10)));
}

#[test]
fn parts_of_kangaroo() {
    kangaroo_in_parts::<TurboShake128>();
    kangaroo_in_parts::<TurboShake256>();
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let bytes = vec![0; 2 << 20];
    let (mut xof, kangaroo) = (Xof::<Blake3>::new(), Kt128::new());
    let refused = |what: &str, run: &mut dyn FnMut()| {
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err(), "{what}");
    };
    for (length, offset) in [(0, 0), (8 << 10, 0), (24 << 10, 0), (2 << 20, 0), (16 << 10, 8 << 10)]
    {
        let what = format!("{length} bytes at {offset}");
        refused(&what, &mut || drop(xof.hash_part(&bytes[..length], offset)));
        refused(&what, &mut || drop(kangaroo.hash_part(&bytes[..length], offset)));
    }
    let second = xof.hash_part(&bytes[..16 << 10], 16 << 10);
    refused("the second part before the first", &mut || xof.clone().append(&second));
    refused("a part after a byte", &mut || {
        let first = xof.hash_part(&bytes[..16 << 10], 0);
        xof.update("a").append(&first);
    });
}

#[test]
fn blake3_of_many_subtrees_at_once_and_in_pieces() {
    let bytes = noise(4, (3 << 20) + 5000);
    let chunk = 1024;
    for chunks in
        [127, 128, 129, 136, 137, 255, 256, 1000, 1023, 1024, 1025, 1152, 2048, 2049, 3072]
    {
        for length in [chunk * chunks - 1, chunk * chunks, chunk * chunks + 1] {
            let message = &bytes[..length];
            let expected = *blake3::hash(message).as_bytes();
            assert_eq!(Blake3::digest(message), expected, "{length} bytes");
            for piece in [100_000, 131_072, 300_000, 1 << 20, (1 << 20) + 64, 2 << 20] {
                let mut hasher = Blake3::hasher();
                for piece in message.chunks(piece) {
                    hasher.update(piece);
                }
                assert_eq!(hasher.finalize(), expected, "{length} bytes in pieces of {piece}");
            }
            let mut hasher = Blake3::hasher();
            hasher.update(&message[..10 * chunk]).update(&message[10 * chunk..]);
            assert_eq!(hasher.finalize(), expected, "{length} bytes after ten chunks");
        }
    }
}

#[test]
fn a_part_of_another_function_or_mode_is_refused() {
    let message = vec![3; 32 << 10];
    let refuses = |append: &mut (dyn FnMut() + Send)| {
        let panic = catch_unwind(AssertUnwindSafe(append)).expect_err("a panic");
        let text = panic.downcast_ref::<&str>().expect("a text");
        assert_eq!(*text, "a part of another function, or of another mode of BLAKE3");
    };
    let plain = Xof::<Blake3>::new().hash_part(&message, 0);
    let of_128 = Kt128::new().hash_part(&message, 0);
    refuses(&mut || Xof::<Blake3>::keyed(&[1; 32]).append(&plain));
    refuses(&mut || Xof::<Blake3>::new().append(&of_128));
    refuses(&mut || Kt256::new().append(&of_128));
    refuses(&mut || Kt128::new().append(&plain));
}
