//! Where IVs come from.

use std::error::Error;

/// Why there are no IVs.
pub type IvError = Box<dyn Error + Send + Sync>;

/// A source of initialisation vectors. They must not be predictable: who can guess the IV of the
/// next record can test guesses of plaintext (RFC 4346 section 6.2.3.2, "BEAST").
///
/// A function that fills a slice is a source:
///
/// ```
/// use hashlanes_records::RecordSealer;
///
/// # let cryptographically_secure = |bytes: &mut [u8]| bytes.fill(4);
/// let sealer = RecordSealer::with_ivs(move |ivs: &mut [u8]| {
///     cryptographically_secure(ivs);
///     Ok(())
/// });
/// ```
pub trait IvSource {
    /// Fills the slice with random bytes.
    ///
    /// # Errors
    /// If there are none. Then nothing is sealed.
    fn fill(&mut self, ivs: &mut [u8]) -> Result<(), IvError>;
}

impl<F: FnMut(&mut [u8]) -> Result<(), IvError>> IvSource for F {
    fn fill(&mut self, ivs: &mut [u8]) -> Result<(), IvError> {
        self(ivs)
    }
}

/// The random numbers of the operating system, by the crate `getrandom`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIvs;

impl IvSource for SystemIvs {
    fn fill(&mut self, ivs: &mut [u8]) -> Result<(), IvError> {
        Ok(getrandom::fill(ivs)?)
    }
}
