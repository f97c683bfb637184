#![no_main]
//! Messages of any lengths and overlaps, in any kernel.

use hashlanes_fuzz::{any_engine, bytes, length, oracle};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

fn run(input: &mut Unstructured) -> Result<()> {
    let engine = any_engine(input)?;
    let count = input.int_in_range(0..=100)?;
    let messages = (0..count)
        .map(|_| Ok(bytes(input.arbitrary()?, length(input)?)))
        .collect::<Result<Vec<_>>>()?;
    // Some messages are parts of others.
    let mut views: Vec<&[u8]> = messages.iter().map(AsRef::as_ref).collect();
    for _ in 0..input.int_in_range(0..=20)? {
        if !views.is_empty() {
            let whole = *input.choose(&views)?;
            let cut = input.int_in_range(0..=whole.len())?;
            views.push(if input.arbitrary()? { &whole[cut..] } else { &whole[..cut] });
        }
    }
    let digests = engine.digest_many(&views);
    assert_eq!(digests.len(), views.len());
    for (digest, view) in digests.iter().zip(&views) {
        assert_eq!(
            digest.as_bytes(),
            oracle(engine.algorithm(), view),
            "{engine:?}, {} bytes",
            view.len()
        );
    }
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    // The input is too short.
    let _ = run(&mut Unstructured::new(input));
});
