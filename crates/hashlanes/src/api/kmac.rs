//! KMAC (NIST SP 800-185 section 4).

use super::ending::right_encode;
use super::equal::equal;
use super::xof::{Xof, XofReader, customized};
use crate::function::ShakeFunction;
use crate::wipe::{self, Wiped};

/// A key for KMAC128 or KMAC256 (NIST SP 800-185 section 4), prepared for any number of messages:
/// `KmacKey<Shake128>` or `KmacKey<Shake256>`.
///
/// Only the state after the key is kept. It is as secret as the key: with the feature `zeroize`, it
/// is wiped when it is dropped.
///
/// ```
/// use hashlanes::xof::KmacKey;
/// use hashlanes::Shake128;
///
/// let key = KmacKey::<Shake128>::new("a key of at least 16 bytes", "an application");
/// let mut macs = [[0; 32]; 3];
/// key.mac_many_into(&["one", "two", "three"], &mut macs);
/// let mut mac = [0; 32];
/// key.mac("two", &mut mac);
/// assert_eq!(macs[1], mac);
/// assert!(key.verify("two", mac) && !key.verify("three", mac));
/// ```
#[derive(Clone)]
pub struct KmacKey<X: ShakeFunction> {
    /// All that precedes a message: whole blocks.
    before: Xof<X>,
}

/// Messages whose MACs' lengths are on the stack at the same time.
const AT_ONCE: usize = 64;

impl<X: ShakeFunction> KmacKey<X> {
    /// A key of any length, with a string that customizes the function, which may be empty.
    pub fn new(key: impl AsRef<[u8]>, customization: impl AsRef<[u8]>) -> Self {
        let (key, customization) = (key.as_ref(), customization.as_ref());
        wipe::call::<{ wipe::ALONE }, _>(|| {
            let mut before = customized::<X>(b"KMAC", customization);
            before.update_padded(&[key]);
            Self { before }
        })
    }

    /// Writes the MAC of a message to `mac`. MACs of different lengths are independent of each
    /// other.
    pub fn mac(&self, message: impl AsRef<[u8]>, mac: &mut [u8]) {
        self.mac_many_into(&[message], &mut [mac]);
    }

    /// Whether `mac` is the MAC of the message with that length. The time does not depend on where
    /// the two differ. An empty MAC is not accepted.
    #[must_use]
    pub fn verify(&self, message: impl AsRef<[u8]>, mac: impl AsRef<[u8]>) -> bool {
        let (message, mac) = (message.as_ref(), mac.as_ref());
        wipe::call::<{ wipe::ALONE }, _>(|| {
            let mut xof = self.before.clone();
            let length = right_encode(8 * mac.len() as u64);
            let mut reader = xof.update(message).update(length.as_slice()).finalize();
            let mut part = Wiped([0; 64]);
            let same = mac.chunks(part.len()).fold(true, |same, given| {
                let right = &mut part[..given.len()];
                reader.read(right);
                equal(right, given) & same
            });
            !mac.is_empty() && same
        })
    }

    /// Writes the MACs of many messages to `macs`, in the same order, side by side. Each may have a
    /// different length. Allocates nothing.
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn mac_many_into(&self, messages: &[impl AsRef<[u8]>], macs: &mut [impl AsMut<[u8]>]) {
        assert_eq!(
            messages.len(),
            macs.len(),
            "every message has a MAC: the slices must have the same length"
        );
        for (messages, macs) in messages.chunks(AT_ONCE).zip(macs.chunks_mut(AT_ONCE)) {
            let mut lengths = [0; AT_ONCE];
            for (length, mac) in lengths.iter_mut().zip(&mut *macs) {
                *length = 8 * mac.as_mut().len() as u64;
            }
            self.before.output_ended(messages, macs, &|i| right_encode(lengths[i]));
        }
    }
}

impl<X: ShakeFunction> KmacKey<X> {
    /// KMACXOF (section 4.3.1): fills `outputs[i]` with the first bytes of the output for
    /// `messages[i]`, for each `i`, side by side. Unlike with MACs, a shorter output is the
    /// beginning of a longer one. Allocates nothing.
    ///
    /// ```
    /// use hashlanes::xof::KmacKey;
    /// use hashlanes::Shake256;
    ///
    /// let key = KmacKey::<Shake256>::new("a key of at least 32 bytes, for SHAKE256", "");
    /// let mut outputs = [vec![0; 20], vec![0; 500]];
    /// key.output_many(&["a message", "a message"], &mut outputs);
    /// assert_eq!(outputs[0], outputs[1][..20]);
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn output_many(&self, messages: &[impl AsRef<[u8]>], outputs: &mut [impl AsMut<[u8]>]) {
        self.before.output_ended(messages, outputs, &|_| right_encode(0));
    }

    /// Appends bytes to what precedes messages.
    pub(super) fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.before.update(bytes);
        self
    }

    /// KMACXOF's output for what precedes messages.
    pub(super) fn finalize(&self) -> XofReader<X> {
        wipe::call::<{ wipe::ALONE }, _>(|| {
            self.before.clone().update(right_encode(0).as_slice()).finalize()
        })
    }
}

impl<X: ShakeFunction> core::fmt::Debug for KmacKey<X> {
    /// Shows nothing of the key.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("KmacKey").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<X: ShakeFunction> zeroize::ZeroizeOnDrop for KmacKey<X> {}
