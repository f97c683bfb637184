//! Hash chains: the digest of a digest, many times, of many chains side by side.

use hashlanes::hazmat::wipe;
use hashlanes::{Engine, Prefix};

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::{array, guard};
use crate::error::{Error, hashlanes_error};
use crate::output::Output;

/// Continues chains of values that follow each other in `values`.
fn continue_chains(engine: Engine, values: &mut [u8], lengths: &[u64]) {
    Prefix::with_engine(engine, []).digest_chains(values, lengths);
}

/// Continues `count` hash chains side by side: replaces each value by its digest, that by its
/// digest, and so on, `lengths[i]` times for value number `i`. The values follow each other in
/// `values`, which has room for `size` bytes, and each is as long as a digest.
///
/// A chain is serial, but different chains are independent: many take much less time together. The
/// call returns after all links, and cannot be interrupted. Nothing is allocated.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP` if
/// `values` overlaps `lengths`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_digest_chains(
    algorithm: hashlanes_algorithm,
    lengths: *const u64,
    count: usize,
    values: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        let engine = engine(algorithm)?;
        // SAFETY: *Memory* and *Threads* hold for the `count` values of `lengths`.
        let lengths = unsafe { array(lengths, count) }?;
        let output = Output::new(values, size, count, engine.algorithm().digest_len())?;
        output.is_apart_from(lengths)?;
        // SAFETY: *Memory* and *Threads* hold for the `size` bytes of `values`, which are
        // initialised and do not overlap the lengths.
        continue_chains(engine, unsafe { output.bytes() }, lengths);
        Ok(())
    })
}

/// Verifies `count` segments of hash chains side by side, as in a proof of history: writes to
/// `valid[i]` whether `lengths[i]` hashes lead from start number `i` to end number `i`. Starts and
/// ends follow each other, and each is as long as a digest. `ends` may overlap `starts`: where each
/// end is the next start, it is one array.
///
/// The call allocates as many bytes as the starts have and frees them before it returns.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_OVERLAP`, `HASHLANES_ERROR_MEMORY`. A
/// segment that is not valid is not an error.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_verify_chains(
    algorithm: hashlanes_algorithm,
    starts: *const u8,
    ends: *const u8,
    lengths: *const u64,
    count: usize,
    valid: *mut bool,
) -> hashlanes_error {
    guard(|| {
        let engine = engine(algorithm)?;
        let length = engine.algorithm().digest_len();
        let size = count.saturating_mul(length);
        // SAFETY: *Memory* and *Threads* hold for `count` starts, ends and lengths.
        let (starts, ends, lengths) =
            unsafe { (array(starts, size)?, array(ends, size)?, array(lengths, count)?) };
        let output = Output::new(valid.cast(), count, count, 1)?;
        output.is_apart_from(starts)?;
        output.is_apart_from(ends)?;
        output.is_apart_from(lengths)?;
        let mut values = Vec::new();
        values.try_reserve_exact(size).map_err(|_| Error::Memory)?;
        values.extend_from_slice(starts);
        continue_chains(engine, &mut values, lengths);
        let same = values.chunks_exact(length).zip(ends.chunks_exact(length)).map(|(a, b)| a == b);
        // SAFETY: *Memory* and *Threads* hold for the `count` values of `valid`, in which 0 and 1
        // are values of `bool`, and which overlap no input.
        let places = unsafe { output.bytes() };
        places.iter_mut().zip(same).for_each(|(place, same)| *place = same.into());
        // The ends of the chains.
        wipe::clear(&mut values);
        Ok(())
    })
}
