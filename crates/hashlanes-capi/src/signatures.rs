//! Signatures by SLH-DSA.

use std::ffi::{c_char, c_void};
use std::slice;

use hashlanes_slh_dsa::{Check, Domain, ParameterSet, SigningKey, VerifyingKey};

use crate::algorithm::{algorithm, hashlanes_algorithm};
use crate::border::{array, bytes, guard, put, shared, text};
use crate::digest::hash_many;
use crate::error::{Error, hashlanes_error};
use crate::output::Output;

/// A parameter set of SLH-DSA (FIPS 205): one of the constants such as
/// `HASHLANES_SLH_DSA_SHA2_128S`. Sets whose names end in S have small signatures, and those in F
/// sign fast.
///
/// Any number may be passed. An unknown one is an error.
pub type hashlanes_slh_dsa_set = u32;

/// SLH-DSA-SHA2-128s.
pub const HASHLANES_SLH_DSA_SHA2_128S: hashlanes_slh_dsa_set = 1;
/// SLH-DSA-SHAKE-128s.
pub const HASHLANES_SLH_DSA_SHAKE_128S: hashlanes_slh_dsa_set = 2;
/// SLH-DSA-SHA2-128f.
pub const HASHLANES_SLH_DSA_SHA2_128F: hashlanes_slh_dsa_set = 3;
/// SLH-DSA-SHAKE-128f.
pub const HASHLANES_SLH_DSA_SHAKE_128F: hashlanes_slh_dsa_set = 4;
/// SLH-DSA-SHA2-192s.
pub const HASHLANES_SLH_DSA_SHA2_192S: hashlanes_slh_dsa_set = 5;
/// SLH-DSA-SHAKE-192s.
pub const HASHLANES_SLH_DSA_SHAKE_192S: hashlanes_slh_dsa_set = 6;
/// SLH-DSA-SHA2-192f.
pub const HASHLANES_SLH_DSA_SHA2_192F: hashlanes_slh_dsa_set = 7;
/// SLH-DSA-SHAKE-192f.
pub const HASHLANES_SLH_DSA_SHAKE_192F: hashlanes_slh_dsa_set = 8;
/// SLH-DSA-SHA2-256s.
pub const HASHLANES_SLH_DSA_SHA2_256S: hashlanes_slh_dsa_set = 9;
/// SLH-DSA-SHAKE-256s.
pub const HASHLANES_SLH_DSA_SHAKE_256S: hashlanes_slh_dsa_set = 10;
/// SLH-DSA-SHA2-256f.
pub const HASHLANES_SLH_DSA_SHA2_256F: hashlanes_slh_dsa_set = 11;
/// SLH-DSA-SHAKE-256f.
pub const HASHLANES_SLH_DSA_SHAKE_256F: hashlanes_slh_dsa_set = 12;

/// The set of a number from C.
fn set(number: hashlanes_slh_dsa_set) -> Result<ParameterSet, Error> {
    let place = (number as usize).checked_sub(1).ok_or(Error::Algorithm)?;
    ParameterSet::ALL.get(place).copied().ok_or(Error::Algorithm)
}

/// How signatures are checked before they are returned, against faults in the computation: one of
/// the constants such as `HASHLANES_SLH_DSA_CHECK_TWICE`. If a check fails, signing fails with
/// `HASHLANES_ERROR_FAULT`.
///
/// Any number may be passed. An unknown one is an error.
pub type hashlanes_slh_dsa_check = u32;

/// The root of the highest tree must be that of the key, which costs nothing.
pub const HASHLANES_SLH_DSA_CHECK_ROOT: hashlanes_slh_dsa_check = 0;
/// Each signature must also be valid. This does not detect faults in lower trees, whose signatures
/// are valid although they endanger the key.
pub const HASHLANES_SLH_DSA_CHECK_VERIFY: hashlanes_slh_dsa_check = 1;
/// Each signature is computed twice, which takes twice as long, and both must be the same.
pub const HASHLANES_SLH_DSA_CHECK_TWICE: hashlanes_slh_dsa_check = 2;

/// The check of a number from C.
fn check(number: hashlanes_slh_dsa_check) -> Result<Check, Error> {
    match number {
        HASHLANES_SLH_DSA_CHECK_ROOT => Ok(Check::Root),
        HASHLANES_SLH_DSA_CHECK_VERIFY => Ok(Check::Verify),
        HASHLANES_SLH_DSA_CHECK_TWICE => Ok(Check::Twice),
        _ => Err(Error::Option),
    }
}

fn code(error: hashlanes_slh_dsa::Error) -> Error {
    use hashlanes_slh_dsa::Error::*;
    match error {
        Context(_) | PreHash(_) => Error::Option,
        KeyLength(..) | SeedsLength(..) => Error::Key,
        Fault => Error::Fault,
        _ => Error::Internal,
    }
}

/// The lengths of a parameter set, in bytes.
#[repr(C)]
pub struct hashlanes_slh_dsa_lengths {
    /// The number of random bytes from which a private key is made.
    pub seeds: usize,
    /// The length of a private key, which ends with its public key.
    pub private_key: usize,
    /// The length of a public key.
    pub public_key: usize,
    /// The number of random bytes for a signature.
    pub random: usize,
    /// The length of a signature.
    pub signature: usize,
}

/// A key, and what its signatures are bound to besides the message. Nothing is kept after a call.
#[repr(C)]
pub struct hashlanes_slh_dsa_key {
    /// The parameter set.
    pub set: hashlanes_slh_dsa_set,
    /// The function with which messages are hashed before they are signed (HashSLH-DSA), or 0 if
    /// the messages themselves are signed.
    pub pre_hash: hashlanes_algorithm,
    /// The bytes of the key: of a private key to sign, and of a public key to verify.
    pub bytes: *const u8,
    /// The number of these bytes.
    pub length: usize,
    /// The context, which signer and verifier agree on. It may be NULL if it is empty.
    pub context: *const c_void,
    /// The number of bytes of the context, at most 255.
    pub context_length: usize,
    /// How signatures are checked before they are returned. It is not used to verify.
    pub check: hashlanes_slh_dsa_check,
}

/// What a key from C consists of.
struct Parts<'a> {
    key: &'a hashlanes_slh_dsa_key,
    set: ParameterSet,
    bytes: &'a [u8],
    context: &'a [u8],
    domain: Domain<'a>,
}

impl<'a> Parts<'a> {
    /// # Safety
    /// A non-null pointer points to a key whose pointers lead to as many bytes as it says. Nobody
    /// changes any of this during `'a`.
    unsafe fn of(key: *const hashlanes_slh_dsa_key) -> Result<Self, Error> {
        // SAFETY: `# Safety` above asks the caller for a key that nobody changes during `'a`.
        let key: &hashlanes_slh_dsa_key = unsafe { shared(key) }?;
        // SAFETY: `# Safety` above asks the caller for `length` and `context_length` bytes at these
        // pointers, which nobody changes during `'a`.
        let (bytes, context) = unsafe {
            (array(key.bytes, key.length)?, self::bytes(key.context, key.context_length)?)
        };
        let domain = match key.pre_hash {
            0 => Domain::pure(context),
            number => Domain::pre_hash(context, algorithm(number)?),
        };
        Ok(Self { key, set: set(key.set)?, bytes, context, domain: domain.map_err(code)? })
    }

    /// Fails if the output would overwrite any of them.
    fn are_apart_from(&self, output: &Output) -> Result<(), Error> {
        output.is_apart_from(slice::from_ref(self.key))?;
        output.is_apart_from(self.bytes)?;
        output.is_apart_from(self.context)
    }
}

/// Finds a parameter set by its name, such as "SLH-DSA-SHA2-128s", in any case.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_slh_dsa_from_name(
    name: *const c_char,
    set: *mut hashlanes_slh_dsa_set,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Memory* and *Threads* hold for the string `name`.
        let name = unsafe { text(name) }?.ok_or(Error::Algorithm)?;
        let found = ParameterSet::from_name(name).ok_or(Error::Algorithm)?;
        let place = ParameterSet::ALL.iter().position(|&other| other == found);
        // SAFETY: *Memory* and *Threads* hold for `set`.
        unsafe { put(set, place.map_or(0, |place| place as u32 + 1)) }
    })
}

/// Writes the lengths of a parameter set to `lengths`.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_slh_dsa_lengths_of(
    set: hashlanes_slh_dsa_set,
    lengths: *mut hashlanes_slh_dsa_lengths,
) -> hashlanes_error {
    guard(|| {
        let set = self::set(set)?;
        let private_key = set.private_key_len();
        let of_set = hashlanes_slh_dsa_lengths {
            seeds: private_key / 4 * 3,
            private_key,
            public_key: set.public_key_len(),
            random: private_key / 4,
            signature: set.signature_len(),
        };
        // SAFETY: *Memory* and *Threads* hold for `lengths`.
        unsafe { put(lengths, of_set) }
    })
}

/// Makes a private key from random bytes, and writes it to `private_key`, which has room for `size`
/// bytes. `length` is the number of the random bytes, which must be the `seeds` of
/// `hashlanes_slh_dsa_lengths_of`. They must come from a source for keys, such as `getrandom`, and
/// should be wiped after the call. The public key is the second half of the private key.
///
/// If there is no memory, this function ends the process.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_KEY` if `length` is wrong,
/// `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_slh_dsa_keygen(
    set: hashlanes_slh_dsa_set,
    seeds: *const u8,
    length: usize,
    private_key: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        let set = self::set(set)?;
        // SAFETY: *Memory* and *Threads* hold for the `length` bytes of `seeds`.
        let seeds = unsafe { array(seeds, length) }?;
        let output = Output::new(private_key, size, 1, set.private_key_len())?;
        output.is_apart_from(seeds)?;
        let key = SigningKey::from_seeds(set, seeds).map_err(code)?;
        // SAFETY: *Memory* and *Threads* hold for the `size` bytes of `private_key`, which do not
        // overlap the seeds.
        unsafe { output.bytes() }.copy_from_slice(key.as_bytes());
        Ok(())
    })
}

/// Signs a message with a private key, and writes the signature to `signature`, which has room for
/// `size` bytes.
///
/// `random` points to random bytes, as many as the `random` of `hashlanes_slh_dsa_lengths_of`. They
/// make attacks through faults and side channels harder. If it is NULL, the same message always
/// gets the same signature.
///
/// If there is no memory, this function ends the process.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_KEY` if the length of the key is not that
/// of its set, `HASHLANES_ERROR_OPTION` if the context is too long, the standard does not allow
/// `pre_hash` or no `check` has this number, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`,
/// `HASHLANES_ERROR_FAULT`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_slh_dsa_sign(
    key: *const hashlanes_slh_dsa_key,
    data: *const c_void,
    length: usize,
    random: *const u8,
    signature: *mut u8,
    size: usize,
) -> hashlanes_error {
    // SAFETY: the rules of this function are those of the other for one message.
    unsafe { hashlanes_slh_dsa_sign_many(key, &data, &length, 1, random, signature, size) }
}

/// Signs `count` messages as `hashlanes_slh_dsa_sign` does, several side by side. `messages[i]`
/// points to `lengths[i]` bytes. The signatures are written to `signatures`, one after another, and
/// `random`, if it is not NULL, has the random bytes for each message, one after another.
///
/// If there is no memory, this function ends the process or returns `HASHLANES_ERROR_MEMORY`. After
/// `HASHLANES_ERROR_FAULT`, the memory for the signatures is zero.
///
/// Errors: those of `hashlanes_slh_dsa_sign`, and `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_slh_dsa_sign_many(
    key: *const hashlanes_slh_dsa_key,
    messages: *const *const c_void,
    lengths: *const usize,
    count: usize,
    random: *const u8,
    signatures: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Memory* and *Threads* hold for the key and the bytes that it points to.
        let parts = unsafe { Parts::of(key) }?;
        let key = SigningKey::from_bytes(parts.set, parts.bytes).map_err(code)?;
        let key = key.with_check(check(parts.key.check)?);
        let output = Output::new(signatures, size, count, parts.set.signature_len())?;
        parts.are_apart_from(&output)?;
        let random = match random.is_null() {
            true => None,
            // SAFETY: *Memory* and *Threads* hold for the random bytes of each message.
            false => Some(unsafe { array(random, count.saturating_mul(parts.bytes.len() / 4)) }?),
        };
        output.is_apart_from(random.unwrap_or_default())?;
        let sign = |messages: &[&[u8]], output: &mut [u8]| {
            let signed = sign_to(&key, messages, parts.domain, random, output);
            signed.inspect_err(|_| output.fill(0)).map_err(code)
        };
        // SAFETY: *Memory* and *Threads* hold for `count` pointers and lengths, the messages that
        // they describe, and the `size` bytes of the output.
        unsafe { hash_many(messages, lengths, count, output, sign) }
    })
}

/// Messages that are signed before their signatures are copied to the output.
const AT_ONCE: usize = 16;

fn sign_to(
    key: &SigningKey,
    messages: &[&[u8]],
    domain: Domain<'_>,
    random: Option<&[u8]>,
    output: &mut [u8],
) -> Result<(), hashlanes_slh_dsa::Error> {
    let n = key.as_bytes().len() / 4;
    let mut places = output.chunks_exact_mut(key.parameter_set().signature_len());
    for (i, messages) in messages.chunks(AT_ONCE).enumerate() {
        let signed = match random {
            None => key.sign_many(messages, domain, None)?,
            Some(random) => {
                key.sign_with(messages, domain, &random[i * AT_ONCE * n..][..messages.len() * n])?
            }
        };
        for (place, signature) in places.by_ref().zip(signed) {
            place.copy_from_slice(signature.as_ref());
        }
    }
    Ok(())
}

/// Checks that `signature`, of `signature_length` bytes, is a valid signature of the message under
/// a public key.
///
/// If there is no memory, this function ends the process.
///
/// Errors: `HASHLANES_ERROR_MISMATCH` if it is not valid, `HASHLANES_ERROR_ALGORITHM`,
/// `HASHLANES_ERROR_KEY`, `HASHLANES_ERROR_OPTION`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_slh_dsa_verify(
    key: *const hashlanes_slh_dsa_key,
    data: *const c_void,
    length: usize,
    signature: *const u8,
    signature_length: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Memory* and *Threads* hold for the key and the bytes that it points to.
        let parts = unsafe { Parts::of(key) }?;
        let key = VerifyingKey::from_bytes(parts.set, parts.bytes).map_err(code)?;
        // SAFETY: *Memory* and *Threads* hold for the message and the signature.
        let (message, signature) =
            unsafe { (bytes(data, length)?, array(signature, signature_length)?) };
        match key.is_valid(message, signature, parts.domain) {
            true => Ok(()),
            false => Err(Error::Mismatch),
        }
    })
}

/// Verifies `count` signatures under a public key, several side by side, and writes to `valid[i]`
/// whether the one of `messages[i]` is valid. The signatures follow each other in `signatures`.
/// Each has the length of signatures of its parameter set.
///
/// If there is no memory, this function ends the process or returns `HASHLANES_ERROR_MEMORY`.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_KEY`, `HASHLANES_ERROR_OPTION`,
/// `HASHLANES_ERROR_OVERLAP`, `HASHLANES_ERROR_MEMORY`. A signature that is not valid is not an
/// error.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_slh_dsa_verify_many(
    key: *const hashlanes_slh_dsa_key,
    messages: *const *const c_void,
    lengths: *const usize,
    count: usize,
    signatures: *const u8,
    valid: *mut bool,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Memory* and *Threads* hold for the key and the bytes that it points to.
        let parts = unsafe { Parts::of(key) }?;
        let key = VerifyingKey::from_bytes(parts.set, parts.bytes).map_err(code)?;
        let length = parts.set.signature_len();
        // SAFETY: *Memory* and *Threads* hold for `count` signatures.
        let signatures = unsafe { array(signatures, count.saturating_mul(length)) }?;
        let output = Output::new(valid.cast(), count, count, 1)?;
        output.is_apart_from(signatures)?;
        parts.are_apart_from(&output)?;
        let verify = |messages: &[&[u8]], output: &mut [u8]| {
            let signatures: Vec<_> = signatures.chunks_exact(length).collect();
            let found = key.verify_many(messages, &signatures, parts.domain);
            output.iter_mut().zip(found).for_each(|(place, valid)| *place = valid.into());
            Ok(())
        };
        // SAFETY: *Memory* and *Threads* hold for `count` pointers and lengths, the messages that
        // they describe, and the `count` values of `valid`, in which 0 and 1 are values of `bool`.
        unsafe { hash_many(messages, lengths, count, output, verify) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_those_of_the_sets() {
        for (number, name) in [
            (HASHLANES_SLH_DSA_SHA2_128S, "SLH-DSA-SHA2-128s"),
            (HASHLANES_SLH_DSA_SHAKE_128S, "SLH-DSA-SHAKE-128s"),
            (HASHLANES_SLH_DSA_SHA2_128F, "SLH-DSA-SHA2-128f"),
            (HASHLANES_SLH_DSA_SHAKE_128F, "SLH-DSA-SHAKE-128f"),
            (HASHLANES_SLH_DSA_SHA2_192S, "SLH-DSA-SHA2-192s"),
            (HASHLANES_SLH_DSA_SHAKE_192S, "SLH-DSA-SHAKE-192s"),
            (HASHLANES_SLH_DSA_SHA2_192F, "SLH-DSA-SHA2-192f"),
            (HASHLANES_SLH_DSA_SHAKE_192F, "SLH-DSA-SHAKE-192f"),
            (HASHLANES_SLH_DSA_SHA2_256S, "SLH-DSA-SHA2-256s"),
            (HASHLANES_SLH_DSA_SHAKE_256S, "SLH-DSA-SHAKE-256s"),
            (HASHLANES_SLH_DSA_SHA2_256F, "SLH-DSA-SHA2-256f"),
            (HASHLANES_SLH_DSA_SHAKE_256F, "SLH-DSA-SHAKE-256f"),
        ] {
            assert_eq!(set(number).unwrap().name(), name);
        }
        assert_eq!(set(0), Err(Error::Algorithm));
        assert_eq!(set(13), Err(Error::Algorithm));
    }
}
