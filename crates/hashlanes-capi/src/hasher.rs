//! One message, in pieces.

use std::ffi::c_void;

use hashlanes::{Algorithm, AnyDigest, Hasher, HmacKey, SavedStateError};

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::{bytes, destroy, exclusive, guard, hand_over, put, shared};
use crate::error::hashlanes_error;
use crate::output::Output;

/// A hasher for one message that comes in pieces.
#[derive(Clone)]
pub struct hashlanes_hasher(Message);

#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "each message has memory of its own for either")]
enum Message {
    /// `beginning` holds the prefix, if any: a reset [`Hasher`] would lose it.
    Digest {
        beginning: Hasher,
        current: Hasher,
    },
    Mac(Hasher<Algorithm, HmacKey>),
}

impl From<Hasher> for hashlanes_hasher {
    fn from(beginning: Hasher) -> Self {
        Self(Message::Digest { current: beginning.clone(), beginning })
    }
}

impl From<Hasher<Algorithm, HmacKey>> for hashlanes_hasher {
    fn from(hasher: Hasher<Algorithm, HmacKey>) -> Self {
        Self(Message::Mac(hasher))
    }
}

impl hashlanes_hasher {
    fn digest_length(&self) -> usize {
        match &self.0 {
            Message::Digest { current, .. } => current.algorithm().digest_len(),
            Message::Mac(hasher) => hasher.algorithm().digest_len(),
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Message::Digest { current, .. } => {
                current.update(bytes);
            }
            Message::Mac(hasher) => {
                hasher.update(bytes);
            }
        }
    }

    fn digest(&self) -> AnyDigest {
        match &self.0 {
            Message::Digest { current, .. } => current.clone().finalize(),
            Message::Mac(hasher) => hasher.clone().finalize(),
        }
    }

    fn reset(&mut self) {
        match &mut self.0 {
            Message::Digest { beginning, current } => current.clone_from(beginning),
            Message::Mac(hasher) => hasher.reset(),
        }
    }

    /// Appends the state of the message so far, without the key.
    pub(crate) fn save_to(&self, saved: &mut Vec<u8>) -> Result<(), SavedStateError> {
        match &self.0 {
            Message::Digest { current, .. } => current.save_to(saved)?,
            Message::Mac(hasher) => hasher.save_to(saved),
        }
        Ok(())
    }

    /// A hasher of a message that was saved. Later ones have no prefix.
    pub(crate) fn restored(current: Hasher) -> Self {
        Self(Message::Digest { beginning: Hasher::of(current.algorithm()), current })
    }

    fn length(&self) -> u128 {
        match &self.0 {
            Message::Digest { beginning, current } => current.len() - beginning.len(),
            Message::Mac(hasher) => hasher.len(),
        }
    }
}

/// Creates a hasher, with an empty message.
///
/// On an error, `*hasher` is NULL.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_create(
    algorithm: hashlanes_algorithm,
    hasher: *mut *mut hashlanes_hasher,
) -> hashlanes_error {
    let make = || Ok(Hasher::with_engine(engine(algorithm)?).into());
    // SAFETY: *Memory* and *Threads* hold for `hasher`, which has room for a pointer.
    guard(|| unsafe { hand_over(hasher, make) })
}

/// Appends bytes to the message. `data` may be NULL if `length` is 0. The bytes are not needed
/// after the call.
///
/// Errors: only those for pointers and lengths; then nothing was appended.
///
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_update(
    hasher: *mut hashlanes_hasher,
    data: *const c_void,
    length: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `hasher`, *Memory* and *Threads* for the `length`
        // bytes of `data`.
        let (hasher, piece) = unsafe { (exclusive(hasher)?, bytes(data, length)?) };
        hasher.update(piece);
        Ok(())
    })
}

/// Writes the digest of the message so far to `digest`, which has room for `size` bytes. The
/// message can be continued.
///
/// Errors: `HASHLANES_ERROR_SIZE`.
///
/// Threads: any number at once, as long as none changes the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_digest(
    hasher: *const hashlanes_hasher,
    digest: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `hasher`.
        let hasher = unsafe { shared(hasher) }?;
        let output = Output::new(digest, size, 1, hasher.digest_length())?;
        // SAFETY: *Memory* and *Threads* hold for the `size` bytes of `digest`.
        unsafe { output.bytes() }.copy_from_slice(hasher.digest().as_bytes());
        Ok(())
    })
}

/// Writes the digest of the message to `digest`, which has room for `size` bytes, and begins a new
/// message. A second call in a row gives the digest of the empty message.
///
/// Errors: `HASHLANES_ERROR_SIZE`; then the message can be continued.
///
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_finish(
    hasher: *mut hashlanes_hasher,
    digest: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `hasher`.
        let hasher = unsafe { exclusive(hasher) }?;
        let output = Output::new(digest, size, 1, hasher.digest_length())?;
        // SAFETY: *Memory* and *Threads* hold for the `size` bytes of `digest`.
        unsafe { output.bytes() }.copy_from_slice(hasher.digest().as_bytes());
        hasher.reset();
        Ok(())
    })
}

/// Abandons the message and begins a new one.
///
/// Errors: only those for pointers.
///
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_reset(hasher: *mut hashlanes_hasher) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `hasher`.
        unsafe { exclusive(hasher) }?.reset();
        Ok(())
    })
}

/// Copies a hasher. The copy continues the same message independently.
///
/// On an error, `*copy` is NULL.
///
/// Errors: `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, as long as none changes the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_clone(
    hasher: *const hashlanes_hasher,
    copy: *mut *mut hashlanes_hasher,
) -> hashlanes_error {
    // SAFETY: *Life* and *Threads* hold for `hasher`.
    let make = || Ok(unsafe { shared(hasher) }?.clone());
    // SAFETY: *Memory* and *Threads* hold for `copy`, which has room for a pointer.
    guard(|| unsafe { hand_over(copy, make) })
}

/// Writes the length of the message so far to `*length`, in bytes and without a prefix. Lengths
/// beyond 64 bits give `UINT64_MAX`.
///
/// Errors: only those for pointers.
///
/// Threads: any number at once, as long as none changes the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_length(
    hasher: *const hashlanes_hasher,
    length: *mut u64,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `hasher`.
        let count = unsafe { shared(hasher) }?.length();
        // SAFETY: *Memory* and *Threads* hold for `length`.
        unsafe { put(length, count.try_into().unwrap_or(u64::MAX)) }
    })
}

/// Destroys a hasher. NULL does nothing. Cannot fail.
///
/// Threads: when no other thread uses the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_destroy(hasher: *mut hashlanes_hasher) {
    // SAFETY: *Life* holds for `hasher` and ends here; by *Threads*, no other thread uses it.
    unsafe { destroy(hasher) };
}
