#![no_main]
//! Splits of messages: updates of one hasher and of many in lanes, from readers, with clones and
//! resets; by type and by name.

use hashlanes::{HashFunction, Hasher, Md5, Sha1, Sha256, Sha512};
use hashlanes_fuzz::{any_engine, bytes, engine, length, oracle};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

fn run<A: HashFunction>(input: &mut Unstructured) -> Result<()> {
    let engine = engine::<A>(input)?;
    let count = input.int_in_range(1..=40)?;
    let mut hashers = vec![Hasher::with_engine(engine); count];
    let mut messages = vec![Vec::new(); count];
    for _ in 0..12 {
        let i = input.int_in_range(0..=count - 1)?;
        match input.int_in_range(0..=5)? {
            0 => {
                let piece = bytes(input.arbitrary()?, length(input)?);
                hashers[i].update(&piece);
                messages[i].extend(&piece);
            }
            1 => {
                hashers[i].reset();
                messages[i].clear();
            }
            2 => {
                let j = input.int_in_range(0..=count - 1)?;
                hashers[j] = hashers[i].clone();
                messages[j] = messages[i].clone();
            }
            3 => {
                let digest = hashers[i].clone().finalize();
                assert_eq!(digest.as_ref(), oracle(A::ALGORITHM, &messages[i]));
            }
            _ => {
                let pieces = (0..count)
                    .map(|_| Ok(bytes(input.arbitrary()?, length(input)?)))
                    .collect::<Result<Vec<_>>>()?;
                engine.update_many(&mut hashers, &pieces);
                messages.iter_mut().zip(&pieces).for_each(|(message, piece)| message.extend(piece));
            }
        }
    }
    for (hasher, message) in hashers.into_iter().zip(&messages) {
        assert_eq!(hasher.len(), message.len() as u128);
        assert_eq!(
            hasher.finalize().as_ref(),
            oracle(A::ALGORITHM, message),
            "{engine:?}, {} bytes",
            message.len()
        );
    }
    Ok(())
}

/// One message, with an algorithm chosen at run time.
fn by_name(input: &mut Unstructured) -> Result<()> {
    let engine = any_engine(input)?;
    let algorithm = engine.algorithm();
    let mut hasher = Hasher::with_engine(engine);
    let mut message = Vec::new();
    for _ in 0..16 {
        let piece = bytes(input.arbitrary()?, length(input)?);
        match input.int_in_range(0..=5)? {
            0 => {
                hasher.reset();
                message.clear();
            }
            1 => assert_eq!(hasher.clone().finalize(), oracle(algorithm, &message)[..]),
            2 => {
                assert_eq!(hasher.finalize_reset(), oracle(algorithm, &message)[..]);
                message.clear();
            }
            3 => {
                hasher.update_reader(&piece[..]).expect("memory can be read");
                message.extend(&piece);
            }
            _ => {
                hasher.update(&piece);
                message.extend(&piece);
            }
        }
        assert_eq!(hasher.len(), message.len() as u128);
    }
    assert_eq!(hasher.finalize(), oracle(algorithm, &message)[..], "{engine:?}");
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    let mut input = Unstructured::new(input);
    // The input is too short.
    let _ = match input.int_in_range(0..=5) {
        Ok(4..) => by_name(&mut input),
        Ok(0) => run::<Md5>(&mut input),
        Ok(1) => run::<Sha1>(&mut input),
        Ok(2) => run::<Sha256>(&mut input),
        _ => run::<Sha512>(&mut input),
    };
});
