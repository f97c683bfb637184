//! Shared by the targets: the expected digests, and how the input chooses an engine.

use hashlanes::{Algorithm, Engine, HashFunction};
use libfuzzer_sys::arbitrary::{Result, Unstructured};

#[path = "../crates/hashlanes/tests/common/oracle.rs"]
mod oracle;

pub use oracle::oracle;

/// The name of a kernel that can run here, or `None` for the automatic choice.
fn kernel(algorithm: Algorithm, input: &mut Unstructured) -> Result<Option<&'static str>> {
    let names: Vec<_> = algorithm
        .kernels()
        .filter(|kernel| kernel.is_available())
        .map(|kernel| Some(kernel.name))
        .chain([None])
        .collect();
    input.choose(&names).copied()
}

/// An engine of any algorithm.
pub fn any_engine(input: &mut Unstructured) -> Result<Engine> {
    let algorithm = *input.choose(Algorithm::ALL)?;
    Ok(match kernel(algorithm, input)? {
        Some(name) => Engine::of(algorithm).kernel(name).expect("available"),
        None => Engine::of(algorithm),
    })
}

/// An engine of one algorithm.
pub fn engine<A: HashFunction>(input: &mut Unstructured) -> Result<Engine<A>> {
    Ok(match kernel(A::ALGORITHM, input)? {
        Some(name) => Engine::with_kernel(name).expect("available"),
        None => Engine::new(),
    })
}

/// A length: mostly a few blocks, rarely many.
pub fn length(input: &mut Unstructured) -> Result<usize> {
    Ok(match input.int_in_range(0..=15)? {
        0 => 0,
        1 => input.int_in_range(0..=20_000)?,
        2..=4 => 64 * input.int_in_range(0..=9)?,
        _ => input.int_in_range(0..=500)?,
    })
}

/// Bytes that differ everywhere, so that bytes from a wrong place give a wrong digest. The
/// allocation has exactly this size, so that the sanitizer notices reads past it.
pub fn bytes(seed: u8, len: usize) -> Box<[u8]> {
    let mut x = u32::from(seed) | 0x5a00;
    (0..len)
        .map(|_| {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (x >> 24) as u8
        })
        .collect()
}
