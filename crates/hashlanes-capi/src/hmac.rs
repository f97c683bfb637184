//! HMAC.

use std::ffi::c_void;

use hashlanes::{Algorithm, Engine, HashFunction, Hasher, HmacKey, SavedStateError};

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::{array, bytes, destroy, guard, hand_over, shared};
use crate::digest::hash_many;
use crate::error::{Error, hashlanes_error};
use crate::hasher::hashlanes_hasher;
use crate::output::Output;

/// A key for HMAC (RFC 2104, FIPS 198-1), prepared for any number of messages. It is as secret as
/// the bytes it was made from.
pub struct hashlanes_hmac_key(HmacKey);

impl hashlanes_hmac_key {
    /// The key, if it belongs to this algorithm.
    pub(crate) fn of(&self, algorithm: Algorithm) -> Result<&HmacKey, Error> {
        if self.0.algorithm() == algorithm { Ok(&self.0) } else { Err(Error::Key) }
    }

    /// Continues a message under this key.
    pub(crate) fn restore(
        &self,
        saved: &[u8],
    ) -> Result<Hasher<Algorithm, HmacKey>, SavedStateError> {
        self.0.restore(saved)
    }

    /// The key with its function as a type, if it belongs to this one.
    pub(crate) fn typed<A: HashFunction>(&self) -> Result<HmacKey<A>, Error> {
        self.0.typed().ok_or(Error::Key)
    }
}

/// Creates a key from `length` bytes, which are not needed after the call. `bytes` may be NULL if
/// `length` is 0.
///
/// On an error, `*key` is NULL.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hmac_key_create(
    algorithm: hashlanes_algorithm,
    bytes: *const c_void,
    length: usize,
    key: *mut *mut hashlanes_hmac_key,
) -> hashlanes_error {
    let make = || {
        let engine = engine(algorithm)?;
        // SAFETY: *Memory* and *Threads* hold for the `length` bytes of `bytes`.
        let secret = unsafe { self::bytes(bytes, length) }?;
        Ok(hashlanes_hmac_key(HmacKey::with_engine(engine, secret)))
    };
    // SAFETY: *Memory* and *Threads* hold for `key`, which has room for a pointer.
    guard(|| unsafe { hand_over(key, make) })
}

/// Writes the MAC of one message to `mac`, which has room for `size` bytes. A MAC is as long as a
/// digest.
///
/// Errors: `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`.
///
/// Threads: any number at once, even with the same key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hmac(
    key: *const hashlanes_hmac_key,
    data: *const c_void,
    length: usize,
    mac: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `key`, *Memory* and *Threads* for the `length`
        // bytes of `data`.
        let (key, message) = unsafe { (&shared(key)?.0, bytes(data, length)?) };
        let output = Output::new(mac, size, 1, key.algorithm().digest_len())?;
        output.is_apart_from(message)?;
        // SAFETY: *Memory* and *Threads* hold for the `size` bytes of `mac`, which do not overlap
        // the message.
        key.mac_many_into(&[message], unsafe { output.bytes() });
        Ok(())
    })
}

/// Like `hashlanes_digest_many`, but computes the MACs of many messages under one key.
///
/// Errors: `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, even with the same key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hmac_many(
    key: *const hashlanes_hmac_key,
    messages: *const *const c_void,
    lengths: *const usize,
    count: usize,
    macs: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `key`.
        let key = &unsafe { shared(key) }?.0;
        let output = Output::new(macs, size, count, key.algorithm().digest_len())?;
        let hash = |messages: &[&[u8]], output: &mut [u8]| {
            key.mac_many_into(messages, output);
            Ok(())
        };
        // SAFETY: *Memory* and *Threads* hold for `count` pointers and lengths, the messages that
        // they describe, and the `size` bytes of the output.
        unsafe { hash_many(messages, lengths, count, output, hash) }
    })
}

/// Like `hashlanes_hmac_many`, but with a key for each message: `messages[i]` under `keys[i]`. All
/// keys must belong to one algorithm. Several messages may use the same key. The call allocates 24
/// bytes for each message and frees them before it returns. The library chooses the kernel, even if
/// a key was made for a certain one.
///
/// Errors: `HASHLANES_ERROR_KEY`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`,
/// `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, even with the same keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hmac_many_keys(
    keys: *const *const hashlanes_hmac_key,
    messages: *const *const c_void,
    lengths: *const usize,
    count: usize,
    macs: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Memory* and *Threads* hold for the `count` values of `keys`.
        let pointers = unsafe { array(keys, count) }?;
        let Some(&first) = pointers.first() else { return Ok(()) };
        let mut keys = Vec::new();
        keys.try_reserve_exact(count).map_err(|_| Error::Memory)?;
        for &key in pointers {
            // SAFETY: *Life* and *Threads* hold for each key.
            keys.push(unsafe { shared(key) }?);
        }
        // SAFETY: *Life* and *Threads* hold for each key.
        let algorithm = unsafe { shared(first) }?.0.algorithm();
        let output = Output::new(macs, size, count, algorithm.digest_len())?;
        output.is_apart_from(pointers)?;
        let hash = |messages: &[&[u8]], output: &mut [u8]| {
            let mut pairs = Vec::new();
            pairs.try_reserve_exact(count).map_err(|_| Error::Memory)?;
            for (key, &message) in keys.iter().zip(messages) {
                pairs.push((key.of(algorithm)?, message));
            }
            Engine::of(algorithm).hmac_many_into(&pairs, output);
            Ok(())
        };
        // SAFETY: *Memory* and *Threads* hold for `count` pointers and lengths, the messages that
        // they describe, and the `size` bytes of the output.
        unsafe { hash_many(messages, lengths, count, output, hash) }
    })
}

/// Checks that `mac`, of `mac_length` bytes, is the MAC of the message. The time does not depend on
/// where the two differ. Truncated MACs are not accepted.
///
/// Errors: `HASHLANES_ERROR_MISMATCH` if it does not match.
///
/// Threads: any number at once, even with the same key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hmac_verify(
    key: *const hashlanes_hmac_key,
    data: *const c_void,
    length: usize,
    mac: *const u8,
    mac_length: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `key`, *Memory* and *Threads* for the `length`
        // bytes of `data`.
        let (key, message) = unsafe { (&shared(key)?.0, bytes(data, length)?) };
        // SAFETY: *Memory* and *Threads* hold for the `mac_length` values of `mac`.
        let mac = unsafe { array(mac, mac_length) }?;
        if key.verify(message, mac) { Ok(()) } else { Err(Error::Mismatch) }
    })
}

/// Creates a hasher that computes MACs under the key: of its first message, and of each that it
/// begins later. The key may be destroyed before the hasher.
///
/// On an error, `*hasher` is NULL.
///
/// Errors: `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, even with the same key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hmac_hasher(
    key: *const hashlanes_hmac_key,
    hasher: *mut *mut hashlanes_hasher,
) -> hashlanes_error {
    // SAFETY: *Life* and *Threads* hold for `key`.
    let make = || Ok(unsafe { shared(key) }?.0.hasher().into());
    // SAFETY: *Memory* and *Threads* hold for `hasher`, which has room for a pointer.
    guard(|| unsafe { hand_over(hasher, make) })
}

/// Destroys a key. NULL does nothing. Cannot fail.
///
/// Threads: when no other thread uses the key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hmac_key_destroy(key: *mut hashlanes_hmac_key) {
    // SAFETY: *Life* holds for `key` and ends here; by *Threads*, no other thread uses it.
    unsafe { destroy(key) };
}
