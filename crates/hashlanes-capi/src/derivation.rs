//! Keys from many passwords (PBKDF2) and secrets (HKDF).

use std::ffi::c_void;

use hashlanes::with_function;

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::guard;
use crate::digest::hash_many;
use crate::error::{Error, hashlanes_error};
use crate::messages::with_messages;
use crate::output::Output;

/// The most blocks of a key of HKDF (RFC 5869).
const HKDF_BLOCKS: usize = 255;

/// Consecutive keys.
fn places(keys: &mut [u8], key_length: usize) -> Result<Vec<&mut [u8]>, Error> {
    let mut places = Vec::new();
    places.try_reserve_exact(keys.len() / key_length).map_err(|_| Error::Memory)?;
    places.extend(keys.chunks_exact_mut(key_length));
    Ok(places)
}

/// Derives `count` keys from passwords by PBKDF2 (RFC 8018) with HMAC, many side by side. Key
/// number `i` comes from the `password_lengths[i]` bytes of `passwords[i]` and the
/// `salt_lengths[i]` bytes of `salts[i]`, in `rounds` rounds. Each key has `key_length` bytes. The
/// keys are written to `keys`, one after another, which has room for `size` bytes.
///
/// If there is no memory, this function ends the process or returns `HASHLANES_ERROR_MEMORY`.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_OPTION` if `rounds` or `key_length` is 0,
/// or a key is longer than 2^32 - 1 digests, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`,
/// `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_pbkdf2_many(
    algorithm: hashlanes_algorithm,
    passwords: *const *const c_void,
    password_lengths: *const usize,
    salts: *const *const c_void,
    salt_lengths: *const usize,
    count: usize,
    rounds: u32,
    keys: *mut u8,
    key_length: usize,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        let engine = engine(algorithm)?;
        let blocks = key_length.div_ceil(engine.algorithm().digest_len());
        if rounds == 0 || blocks == 0 || blocks > u32::MAX as usize {
            return Err(Error::Option);
        }
        let output = Output::new(keys, size, count, key_length)?;
        let derive = |passwords: &[&[u8]], salts: &[&[u8]], keys: &mut [u8]| {
            let mut keys = places(keys, key_length)?;
            with_function!(engine.algorithm(), A => {
                engine.typed::<A>().pbkdf2_many(passwords, salts, rounds, &mut keys);
            });
            Ok(())
        };
        // SAFETY: *Memory* and *Threads* hold for `count` pointers and lengths of passwords and
        // salts, what they describe, and the `size` bytes of the output.
        unsafe {
            with_messages(passwords, password_lengths, count, &output, |passwords| {
                hash_many(salts, salt_lengths, count, output, |salts, keys| {
                    derive(passwords, salts, keys)
                })
            })
        }
    })
}

/// Derives `count` keys from secrets by HKDF (RFC 5869), many side by side. Key number `i` comes
/// from `secrets[i]`, `salts[i]` and `infos[i]`, which have as many bytes as their lengths say, and
/// may be NULL if they have none. Each key has `key_length` bytes, at most 255 digests. The keys
/// are written to `keys`, one after another, which has room for `size` bytes.
///
/// If there is no memory, this function ends the process or returns `HASHLANES_ERROR_MEMORY`.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_OPTION` if `key_length` is 0 or too large,
/// `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hkdf_many(
    algorithm: hashlanes_algorithm,
    secrets: *const *const c_void,
    secret_lengths: *const usize,
    salts: *const *const c_void,
    salt_lengths: *const usize,
    infos: *const *const c_void,
    info_lengths: *const usize,
    count: usize,
    keys: *mut u8,
    key_length: usize,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        let engine = engine(algorithm)?;
        if !(1..=HKDF_BLOCKS * engine.algorithm().digest_len()).contains(&key_length) {
            return Err(Error::Option);
        }
        let output = Output::new(keys, size, count, key_length)?;
        let derive = |inputs: [&[&[u8]]; 3], keys: &mut [u8]| {
            let ([secrets, salts, infos], mut keys) = (inputs, places(keys, key_length)?);
            with_function!(engine.algorithm(), A => {
                engine.typed::<A>().hkdf_many(salts, secrets, infos, &mut keys);
            });
            Ok(())
        };
        // SAFETY: *Memory* and *Threads* hold for `count` pointers and lengths of secrets, salts
        // and infos, what they describe, and the `size` bytes of the output.
        unsafe {
            with_messages(secrets, secret_lengths, count, &output, |secrets| {
                with_messages(salts, salt_lengths, count, &output, |salts| {
                    hash_many(infos, info_lengths, count, output, |infos, keys| {
                        derive([secrets, salts, infos], keys)
                    })
                })
            })
        }
    })
}
