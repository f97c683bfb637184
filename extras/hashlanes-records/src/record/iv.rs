//! Where IVs come from.

use std::error::Error;

use hashlanes_entropy::{Grade, Provider, Source};

/// The reason why a source has no IVs.
pub type IvError = Box<dyn Error + Send + Sync>;

/// A source of initialisation vectors. They must be unpredictable: an attacker who can guess the IV
/// of the next record can test guesses of plaintext (RFC 4346 section 6.2.3.2, "BEAST").
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
    /// If the source fails. Then nothing is sealed.
    fn fill(&mut self, ivs: &mut [u8]) -> Result<(), IvError>;
}

impl<F: FnMut(&mut [u8]) -> Result<(), IvError>> IvSource for F {
    fn fill(&mut self, ivs: &mut [u8]) -> Result<(), IvError> {
        self(ivs)
    }
}

/// From this many bytes on, the operating system is faster than RDRAND (on Zen 4).
const MANY: usize = 100;

/// Unpredictable bytes of [`Grade::Nonce`] from the crate `hashlanes-entropy`. For more than a few
/// IVs, the operating system is asked first, because it is faster then.
#[derive(Clone, Copy, Debug, Default)]
pub struct NonceIvs;

impl IvSource for NonceIvs {
    fn fill(&mut self, ivs: &mut [u8]) -> Result<(), IvError> {
        if ivs.len() < MANY || Provider::of_source(Source::Os).fill(ivs).is_err() {
            Provider::of_grade(Grade::Nonce).fill(ivs)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_ivs_are_all_different() {
        for count in [1, 2, 6, 7, 256] {
            let mut ivs = vec![0; 16 * count];
            NonceIvs.fill(&mut ivs).unwrap();
            let mut seen: Vec<_> = ivs.chunks(16).filter(|iv| *iv != [0; 16]).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), count);
        }
    }
}
