//! One message that comes in pieces.

use std::ffi::c_void;

use hashlanes::{HashFunction, Hasher, HmacHasher, with_function};

use crate::algorithm::{Choice, hashlanes_algorithm};
use crate::border::{boxed, bytes, destroy, exclusive, guard, hand_over, put, shared};
use crate::error::{Error, hashlanes_error};
use crate::output::Output;

/// A hasher of one message that comes in pieces.
pub struct hashlanes_hasher(Box<dyn Message>);

/// What a hasher of any function and any kind does.
trait Message: Send + Sync {
    fn digest_length(&self) -> usize;
    fn update(&mut self, bytes: &[u8]);
    /// Writes the digest to so many bytes as it has.
    fn digest(&self, digest: &mut [u8]);
    fn reset(&mut self);
    fn length(&self) -> u128;
    fn copy(&self) -> Result<hashlanes_hasher, Error>;
}

/// A hasher, and what it is when nothing of a message has come: after a prefix or a key, that is
/// not what a new one is.
pub(crate) struct Streaming<H> {
    beginning: H,
    current: H,
}

/// A hasher of the library.
pub(crate) trait Pieces: Clone + Send + Sync + 'static {
    const DIGEST_LENGTH: usize;
    fn append(&mut self, bytes: &[u8]);
    fn write_digest(self, digest: &mut [u8]);
    fn count(&self) -> u128;
}

macro_rules! pieces {
    ($($hasher:ident)*) => {
        $(impl<A: HashFunction> Pieces for $hasher<A> {
            const DIGEST_LENGTH: usize = size_of::<A::Digest>();

            fn append(&mut self, bytes: &[u8]) {
                self.update(bytes);
            }

            fn write_digest(self, digest: &mut [u8]) {
                digest.copy_from_slice(self.finalize().as_ref());
            }

            fn count(&self) -> u128 {
                self.len()
            }
        })*
    };
}

pieces!(Hasher HmacHasher);

impl<H: Pieces> Streaming<H> {
    pub(crate) fn new(beginning: H) -> Self {
        Self { current: beginning.clone(), beginning }
    }
}

impl<H: Pieces> Message for Streaming<H> {
    fn digest_length(&self) -> usize {
        H::DIGEST_LENGTH
    }

    fn update(&mut self, bytes: &[u8]) {
        self.current.append(bytes);
    }

    fn digest(&self, digest: &mut [u8]) {
        self.current.clone().write_digest(digest);
    }

    fn reset(&mut self) {
        self.current.clone_from(&self.beginning);
    }

    fn length(&self) -> u128 {
        self.current.count() - self.beginning.count()
    }

    fn copy(&self) -> Result<hashlanes_hasher, Error> {
        hashlanes_hasher::new(Self {
            beginning: self.beginning.clone(),
            current: self.current.clone(),
        })
    }
}

impl hashlanes_hasher {
    pub(crate) fn new<H: Pieces>(message: Streaming<H>) -> Result<Self, Error> {
        Ok(Self(boxed(message)?))
    }
}

/// Makes a hasher of an empty message.
///
/// On an error `*hasher` is NULL.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_create(
    algorithm: hashlanes_algorithm,
    hasher: *mut *mut hashlanes_hasher,
) -> hashlanes_error {
    let make = || {
        let choice = Choice::new(algorithm)?;
        with_function!(choice.algorithm, A => {
            let hasher: Hasher<A> = Hasher::with_engine(choice.engine()?);
            hashlanes_hasher::new(Streaming::new(hasher))
        })
    };
    // SAFETY: the caller's promise.
    guard(|| unsafe { hand_over(hasher, make) })
}

/// Appends bytes to the message. `data` may be NULL if `length` is 0. The bytes are not needed any
/// more when this returns.
///
/// Errors: those for pointers and lengths only; then nothing was appended.
///
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_update(
    hasher: *mut hashlanes_hasher,
    data: *const c_void,
    length: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: the caller's promise.
        let (hasher, piece) = unsafe { (exclusive(hasher)?, bytes(data, length)?) };
        hasher.0.update(piece);
        Ok(())
    })
}

/// Writes the digest of the message so far to `digest`, which has room for `size` bytes. The
/// message goes on.
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
        // SAFETY: the caller's promise.
        let hasher = unsafe { shared(hasher) }?;
        let output = Output::new(digest, size, 1, hasher.0.digest_length())?;
        // SAFETY: the caller's promise.
        hasher.0.digest(unsafe { output.bytes() });
        Ok(())
    })
}

/// Writes the digest of the message to `digest`, which has room for `size` bytes, and begins a new
/// message. Called twice in a row, it gives the digest of the empty message the second time.
///
/// Errors: `HASHLANES_ERROR_SIZE`; then the message goes on.
///
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_finish(
    hasher: *mut hashlanes_hasher,
    digest: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: the caller's promise.
        let hasher = unsafe { exclusive(hasher) }?;
        let output = Output::new(digest, size, 1, hasher.0.digest_length())?;
        // SAFETY: the caller's promise.
        hasher.0.digest(unsafe { output.bytes() });
        hasher.0.reset();
        Ok(())
    })
}

/// Abandons the message and begins a new one.
///
/// Errors: those for pointers only.
///
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_reset(hasher: *mut hashlanes_hasher) -> hashlanes_error {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { exclusive(hasher) }?.0.reset();
        Ok(())
    })
}

/// Makes another hasher, which goes on from the same message independently.
///
/// On an error `*copy` is NULL.
///
/// Errors: `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, as long as none changes the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_clone(
    hasher: *const hashlanes_hasher,
    copy: *mut *mut hashlanes_hasher,
) -> hashlanes_error {
    // SAFETY: the caller's promise.
    let make = || unsafe { shared(hasher) }?.0.copy();
    // SAFETY: the caller's promise.
    guard(|| unsafe { hand_over(copy, make) })
}

/// Tells how many bytes of the message have come, a prefix not counted; at most `UINT64_MAX`.
///
/// Errors: those for pointers only.
///
/// Threads: any number at once, as long as none changes the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_length(
    hasher: *const hashlanes_hasher,
    length: *mut u64,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: the caller's promise.
        let count = unsafe { shared(hasher) }?.0.length();
        // SAFETY: the caller's promise.
        unsafe { put(length, count.try_into().unwrap_or(u64::MAX)) }
    })
}

/// Ends the life of a hasher. NULL does nothing. Cannot fail.
///
/// Threads: when no other thread uses the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_destroy(hasher: *mut hashlanes_hasher) {
    // SAFETY: the caller's promise.
    unsafe { destroy(hasher) };
}
