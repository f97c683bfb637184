#![no_main]
//! Messages with a common prefix: many, chunks, one whole and one in pieces.

use hashlanes::{HashFunction, Md5, Prefix, Sha1, Sha256, Sha512};
use hashlanes_fuzz::{bytes, engine, length, oracle};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

fn run<A: HashFunction>(input: &mut Unstructured) -> Result<()> {
    let engine = engine::<A>(input)?;
    let beginning = bytes(input.arbitrary()?, length(input)?);
    let prefix = Prefix::with_engine(engine, &beginning);
    let check = |digest: &A::Digest, message: &[u8]| {
        let right = oracle(A::ALGORITHM, &[&beginning, message].concat());
        let lengths = (beginning.len(), message.len());
        assert_eq!(digest.as_ref(), right, "{engine:?}: {lengths:?} bytes");
    };

    let count = input.int_in_range(0..=80)?;
    let messages = (0..count)
        .map(|_| Ok(bytes(input.arbitrary()?, length(input)?)))
        .collect::<Result<Vec<_>>>()?;
    let digests = prefix.digest_many(&messages);
    assert_eq!(digests.len(), count);
    digests.iter().zip(&messages).for_each(|(digest, message)| check(digest, message));

    let data = bytes(input.arbitrary()?, input.int_in_range(0..=10_000)?);
    let chunk = length(input)?.max(1 + data.len() / 200);
    let digests = prefix.digest_chunks(&data, chunk);
    assert_eq!(digests.len(), data.len().div_ceil(chunk));
    digests.iter().zip(data.chunks(chunk)).for_each(|(digest, chunk)| check(digest, chunk));

    let cut = input.int_in_range(0..=data.len())?;
    let mut hasher = prefix.hasher();
    hasher.update(&data[..cut]).update(&data[cut..]);
    check(&hasher.finalize(), &data);
    check(&prefix.digest(&data[cut..]), &data[cut..]);
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    let mut input = Unstructured::new(input);
    // The input is too short.
    let _ = match input.int_in_range(0..=3) {
        Ok(0) => run::<Md5>(&mut input),
        Ok(1) => run::<Sha1>(&mut input),
        Ok(2) => run::<Sha256>(&mut input),
        _ => run::<Sha512>(&mut input),
    };
});
