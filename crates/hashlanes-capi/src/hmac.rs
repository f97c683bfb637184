//! Messages under keys.

use std::any::Any;
use std::ffi::c_void;

use hashlanes::{Engine, HashFunction, HmacKey, with_function};

use crate::algorithm::{Choice, hashlanes_algorithm};
use crate::border::{array, boxed, bytes, destroy, guard, hand_over, shared};
use crate::digest::hash_many;
use crate::error::{Error, hashlanes_error};
use crate::hasher::{Streaming, hashlanes_hasher};
use crate::output::{Output, as_digests};

/// A key for HMAC (RFC 2104, FIPS 198-1), prepared for any number of messages. It is as secret as
/// what it was made of.
pub struct hashlanes_hmac_key(Box<dyn Key>);

/// An [`HmacKey`] of any function.
trait Key: Any + Send + Sync {
    fn digest_length(&self) -> usize;
    /// Writes the MAC to so many bytes as it has.
    fn mac(&self, message: &[u8], mac: &mut [u8]);
    fn mac_many(&self, messages: &[&[u8]], macs: &mut [u8]);
    fn verify(&self, message: &[u8], mac: &[u8]) -> bool;
    fn hasher(&self) -> Result<hashlanes_hasher, Error>;
    /// As [`mac_many`](Key::mac_many), each message under the key of its place. This key is the
    /// first.
    fn with_keys(
        &self,
        keys: &[&hashlanes_hmac_key],
        messages: &[&[u8]],
        macs: &mut [u8],
    ) -> Result<(), Error>;
}

impl<A: HashFunction> Key for HmacKey<A> {
    fn digest_length(&self) -> usize {
        A::ALGORITHM.digest_len()
    }

    fn mac(&self, message: &[u8], mac: &mut [u8]) {
        mac.copy_from_slice(self.mac(message).as_ref());
    }

    fn mac_many(&self, messages: &[&[u8]], macs: &mut [u8]) {
        self.mac_many_into(messages, as_digests::<A>(macs));
    }

    fn verify(&self, message: &[u8], mac: &[u8]) -> bool {
        self.verify(message, mac)
    }

    fn hasher(&self) -> Result<hashlanes_hasher, Error> {
        hashlanes_hasher::new(Streaming::new(self.hasher()))
    }

    fn with_keys(
        &self,
        keys: &[&hashlanes_hmac_key],
        messages: &[&[u8]],
        macs: &mut [u8],
    ) -> Result<(), Error> {
        let mut pairs = Vec::new();
        pairs.try_reserve_exact(keys.len()).map_err(|_| Error::Memory)?;
        for (key, &message) in keys.iter().zip(messages) {
            pairs.push((key.typed::<A>()?, message));
        }
        Engine::<A>::new().hmac_many_into(&pairs, as_digests::<A>(macs));
        Ok(())
    }
}

impl hashlanes_hmac_key {
    /// The key, if it is of this function.
    pub(crate) fn typed<A: HashFunction>(&self) -> Result<&HmacKey<A>, Error> {
        let key: &dyn Any = &*self.0;
        key.downcast_ref().ok_or(Error::Key)
    }
}

/// Prepares a key of `length` bytes, which are not needed any more when this returns. `bytes` may
/// be NULL if `length` is 0.
///
/// On an error `*key` is NULL.
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
        let choice = Choice::new(algorithm)?;
        // SAFETY: the caller's promise.
        let secret = unsafe { self::bytes(bytes, length) }?;
        with_function!(choice.algorithm, A => {
            let key: HmacKey<A> = HmacKey::with_engine(choice.engine()?, secret);
            Ok(hashlanes_hmac_key(boxed(key)?))
        })
    };
    // SAFETY: the caller's promise.
    guard(|| unsafe { hand_over(key, make) })
}

/// Writes the MAC of one message to `mac`, which has room for `size` bytes. A MAC is as long as a
/// digest.
///
/// Errors: `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`.
///
/// Threads: any number at once, also with the same key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hmac(
    key: *const hashlanes_hmac_key,
    data: *const c_void,
    length: usize,
    mac: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: the caller's promise.
        let (key, message) = unsafe { (&shared(key)?.0, bytes(data, length)?) };
        let output = Output::new(mac, size, 1, key.digest_length())?;
        output.is_apart_from(message)?;
        // SAFETY: the caller's promise, and it does not overlap the message.
        key.mac(message, unsafe { output.bytes() });
        Ok(())
    })
}

/// As `hashlanes_digest_many`, for the MACs of many messages under one key.
///
/// Errors: `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, also with the same key.
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
        // SAFETY: the caller's promise.
        let key = &unsafe { shared(key) }?.0;
        let output = Output::new(macs, size, count, key.digest_length())?;
        let hash = |messages: &[&[u8]], output: &mut [u8]| {
            key.mac_many(messages, output);
            Ok(())
        };
        // SAFETY: the caller's promise.
        unsafe { hash_many(messages, lengths, count, output, hash) }
    })
}

/// As `hashlanes_hmac_many`, each message under a key of its own: `messages[i]` under `keys[i]`.
/// All keys are of one algorithm. Any number of messages may have the same key. 24 bytes for each
/// message are allocated meanwhile. The library chooses the kernel, even if a key was made for one.
///
/// Errors: `HASHLANES_ERROR_KEY`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`,
/// `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, also with the same keys.
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
        // SAFETY: the caller's promise.
        let pointers = unsafe { array(keys, count) }?;
        let Some(&first) = pointers.first() else { return Ok(()) };
        let mut keys = Vec::new();
        keys.try_reserve_exact(count).map_err(|_| Error::Memory)?;
        for &key in pointers {
            // SAFETY: the caller's promise.
            keys.push(unsafe { shared(key) }?);
        }
        // SAFETY: the caller's promise.
        let first = &unsafe { shared(first) }?.0;
        let output = Output::new(macs, size, count, first.digest_length())?;
        let hash = |messages: &[&[u8]], output: &mut [u8]| first.with_keys(&keys, messages, output);
        // SAFETY: the caller's promise.
        unsafe { hash_many(messages, lengths, count, output, hash) }
    })
}

/// Whether `mac`, of `mac_length` bytes, is the MAC of the message. It takes as long wherever they
/// differ. A MAC that was cut short is not accepted.
///
/// Errors: `HASHLANES_ERROR_MISMATCH` if it is not.
///
/// Threads: any number at once, also with the same key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hmac_verify(
    key: *const hashlanes_hmac_key,
    data: *const c_void,
    length: usize,
    mac: *const u8,
    mac_length: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: the caller's promise.
        let (key, message) = unsafe { (&shared(key)?.0, bytes(data, length)?) };
        // SAFETY: the caller's promise.
        let mac = unsafe { array(mac, mac_length) }?;
        if key.verify(message, mac) { Ok(()) } else { Err(Error::Mismatch) }
    })
}

/// Makes a hasher of messages under the key: the first one, and each that it begins later. What it
/// gives is their MACs. The key may be destroyed before the hasher.
///
/// On an error `*hasher` is NULL.
///
/// Errors: `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, also with the same key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hmac_hasher(
    key: *const hashlanes_hmac_key,
    hasher: *mut *mut hashlanes_hasher,
) -> hashlanes_error {
    // SAFETY: the caller's promise.
    let make = || unsafe { shared(key) }?.0.hasher();
    // SAFETY: the caller's promise.
    guard(|| unsafe { hand_over(hasher, make) })
}

/// Ends the life of a key. NULL does nothing. Cannot fail.
///
/// Threads: when no other thread uses the key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hmac_key_destroy(key: *mut hashlanes_hmac_key) {
    // SAFETY: the caller's promise.
    unsafe { destroy(key) };
}
