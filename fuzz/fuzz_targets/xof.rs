#![no_main]
//! Output of any length: messages absorbed side by side or in pieces behind a prefix, outputs
//! squeezed in steps of different lengths from readers that are cloned and repeated, and outputs in
//! one pass.

use hashlanes::xof::{Xof, XofFunction};
use hashlanes::{Algorithm, Blake3, HashFunction, Shake128, Shake256};
use hashlanes::xof::{XofReader, squeeze_many};
use hashlanes_fuzz::{bytes, engine, length};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tiny_keccak::{Hasher, Shake, Xof as _};

/// The output of `tiny-keccak`, or of the crate `blake3`.
fn oracle(algorithm: Algorithm, message: &[u8], length: usize) -> Vec<u8> {
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

fn run<X: XofFunction + HashFunction>(input: &mut Unstructured) -> Result<()> {
    let engine = engine::<X>(input)?;
    let mut xof = Xof::with_engine(engine);
    let prefix = bytes(input.arbitrary()?, if input.ratio(1, 3)? { length(input)? } else { 0 });
    xof.update(&prefix);

    let count = input.int_in_range(0..=40)?;
    let mut messages = (0..count)
        .map(|_| Ok(bytes(input.arbitrary()?, length(input)?)))
        .collect::<Result<Vec<_>>>()?;
    let mut readers = vec![XofReader::empty(); count];
    if input.arbitrary()? {
        xof.absorb_many_into(&messages, &mut readers);
    } else {
        for (reader, message) in readers.iter_mut().zip(&messages) {
            let (first, rest) = message.split_at(input.int_in_range(0..=message.len())?);
            *reader = xof.clone().update(first).update(rest).finalize();
        }
    }

    // What each reader has given.
    let mut given = vec![Vec::<u8>::new(); count];
    for _ in 0..input.int_in_range(0..=8)? {
        if count > 0 && input.ratio(1, 4)? {
            let from = input.int_in_range(0..=count - 1)?;
            let to = input.int_in_range(0..=count - 1)?;
            readers[to] = readers[from].clone();
            messages[to] = messages[from].clone();
            given[to] = given[from].clone();
            continue;
        }
        let first = input.int_in_range(0..=count)?;
        let mut outputs = (first..count)
            .map(|_| Ok(bytes(0, if input.ratio(1, 4)? { 0 } else { length(input)? })))
            .collect::<Result<Vec<_>>>()?;
        squeeze_many(&mut readers[first..], &mut outputs);
        given[first..].iter_mut().zip(&outputs).for_each(|(all, output)| all.extend(output));
    }
    let mut outputs =
        (0..count).map(|_| Ok(bytes(0, length(input)? % 200))).collect::<Result<Vec<_>>>()?;
    xof.output_many(&messages, &mut outputs);

    for ((message, given), output) in messages.iter().zip(&given).zip(&outputs) {
        let whole = [&prefix[..], message].concat();
        let right = oracle(X::ALGORITHM, &whole, given.len().max(output.len()));
        assert_eq!(given[..], right[..given.len()], "{engine:?}: {} bytes", whole.len());
        assert_eq!(output[..], right[..output.len()], "{engine:?}: {} bytes", whole.len());
    }
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    let mut input = Unstructured::new(input);
    // The input is too short.
    let _ = match input.int_in_range(0..=2) {
        Ok(0) => run::<Shake128>(&mut input),
        Ok(1) => run::<Shake256>(&mut input),
        _ => run::<Blake3>(&mut input),
    };
});
