#![no_main]
//! The chunks of a buffer, of any length, and pairs of digests, in any kernel.

use hashlanes::{HashFunction, Md5, Sha1, Sha256, Sha512};
use hashlanes_fuzz::{any_engine, bytes, engine, length, oracle};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

/// A buffer and the length of its chunks: a few long ones, or many short ones.
fn buffer(input: &mut Unstructured) -> Result<(Box<[u8]>, usize)> {
    let chunk = length(input)?.max(1);
    let most = (40_000 / chunk).clamp(2, 300);
    let rest = input.int_in_range(0..=chunk - 1)?;
    let data = bytes(input.arbitrary()?, input.int_in_range(0..=most)? * chunk + rest);
    // A chunk may also be longer than the buffer.
    let chunk = if input.ratio(1, 50)? { input.arbitrary::<usize>()?.max(1) } else { chunk };
    Ok((data, chunk))
}

fn by_name(input: &mut Unstructured) -> Result<()> {
    let engine = any_engine(input)?;
    let (data, chunk) = buffer(input)?;
    let digests = engine.digest_chunks(&data, chunk);
    assert_eq!(digests.len(), data.len().div_ceil(chunk));
    for (digest, part) in digests.iter().zip(data.chunks(chunk)) {
        assert_eq!(
            digest.as_bytes(),
            oracle(engine.algorithm(), part),
            "{engine:?}: {} bytes in chunks of {chunk}",
            data.len()
        );
    }
    Ok(())
}

fn pairs<A: HashFunction>(input: &mut Unstructured) -> Result<()> {
    let engine = engine::<A>(input)?;
    let count = input.int_in_range(0..=200)?;
    let seed: u8 = input.arbitrary()?;
    let pairs: Vec<_> = (0..count).map(|i| [A::digest([seed]), A::digest([seed, i])]).collect();
    let mut nodes = vec![A::digest("old"); pairs.len()];
    engine.digest_pairs(&pairs, &mut nodes);
    for (node, [left, right]) in nodes.iter().zip(&pairs) {
        let right = oracle(A::ALGORITHM, &[left.as_ref(), right.as_ref()].concat());
        assert_eq!(node.as_ref(), right, "{engine:?}: {count} pairs");
    }
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    let mut input = Unstructured::new(input);
    // The input is too short.
    let _ = match input.int_in_range(0..=7) {
        Ok(0) => pairs::<Md5>(&mut input),
        Ok(1) => pairs::<Sha1>(&mut input),
        Ok(2) => pairs::<Sha256>(&mut input),
        Ok(3) => pairs::<Sha512>(&mut input),
        _ => by_name(&mut input),
    };
});
