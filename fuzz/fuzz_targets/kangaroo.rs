#![no_main]
//! KangarooTwelve: messages of a few bytes and of many chunks in one queue, with a customization
//! string that may share their last chunk, and one message in pieces.

use hashlanes::xof::{
    KangarooTwelve, TurboShake128, TurboShake256, TurboShakeFunction, squeeze_many,
};
use hashlanes_fuzz::{bytes, length};
use k12::{CustomRefKt128, CustomRefKt256, ExtendableOutput, Update};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

/// Bytes in a chunk.
const CHUNK: usize = 8192;

type Oracle = fn(&[u8], &[u8], &mut [u8]);

fn kt128(message: &[u8], customization: &[u8], output: &mut [u8]) {
    let mut hasher = CustomRefKt128::new_customized(customization);
    hasher.update(message);
    hasher.finalize_xof_into(output);
}

fn kt256(message: &[u8], customization: &[u8], output: &mut [u8]) {
    let mut hasher = CustomRefKt256::new_customized(customization);
    hasher.update(message);
    hasher.finalize_xof_into(output);
}

/// A length: mostly up to a few blocks, otherwise around the ends of chunks.
fn any_length(input: &mut Unstructured) -> Result<usize> {
    if input.ratio(2, 3)? {
        return length(input);
    }
    let chunks = if input.ratio(1, 16)? { 40 } else { 4 };
    let end = CHUNK * input.int_in_range(1..=chunks)?;
    Ok(end + 20 - input.int_in_range(0..=200)?)
}

fn run<X: TurboShakeFunction>(input: &mut Unstructured, oracle: Oracle) -> Result<()> {
    let customization = match input.int_in_range(0..=3)? {
        0 => bytes(0, 0),
        1 => bytes(1, any_length(input)?),
        _ => bytes(2, input.int_in_range(0..=140)?),
    };
    let count = input.int_in_range(0..=40)?;
    let messages = (0..count)
        .map(|_| Ok(bytes(input.arbitrary()?, any_length(input)?)))
        .collect::<Result<Vec<_>>>()?;
    let mut outputs =
        (0..count).map(|_| Ok(bytes(0, length(input)? % 400))).collect::<Result<Vec<_>>>()?;
    let mut at_once: Vec<_> = outputs.iter().map(|output| vec![0; output.len()]).collect();
    squeeze_many(&mut KangarooTwelve::<X>::absorb_many(&messages, &customization), &mut outputs);
    KangarooTwelve::<X>::output_many(&messages, &customization, &mut at_once);
    for ((message, output), at_once) in messages.iter().zip(&outputs).zip(&at_once) {
        let mut right = vec![0; output.len()];
        oracle(message, &customization, &mut right);
        assert_eq!(output[..], right, "{} and {} bytes", message.len(), customization.len());
        assert_eq!(at_once, &right, "{} and {} bytes", message.len(), customization.len());
    }

    let message = messages.concat();
    let mut hasher = KangarooTwelve::<X>::new();
    let mut rest = &message[..];
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(any_length(input)?.clamp(1, rest.len()));
        hasher.update(piece);
        rest = later;
    }
    let (mut output, mut right) = ([0; 40], [0; 40]);
    hasher.finalize(&customization).read(&mut output);
    oracle(&message, &customization, &mut right);
    assert_eq!(output, right, "{} and {} bytes", message.len(), customization.len());
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    let mut input = Unstructured::new(input);
    // The input is too short.
    let _ = match input.arbitrary() {
        Ok(true) => run::<TurboShake256>(&mut input, kt256),
        _ => run::<TurboShake128>(&mut input, kt128),
    };
});
