//! Keys that no single source decides.

use hashlanes::{Prefix, Sha256};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::provider::Provider;
use crate::source::Source;

/// Bytes of a sample, of a key and of SHA-256.
const KEY: usize = 32;

/// Bytes of a block of SHA-256.
const BLOCK: usize = 64;

/// Fills a long-lived key from two samples, and returns the sources that served.
///
/// The key is HMAC-SHA256 of the second sample with the first as its key. It is as good as the
/// better of the two samples: whoever knows one of them still has to guess the other. So the
/// sources should differ, and have different makers. The CPU's and the operating system's are a
/// good choice.
///
/// ```
/// use hashlanes_entropy::{Grade, Provider, Source, mix};
///
/// # fn main() -> Result<(), hashlanes_entropy::Error> {
/// let mut key = [0; 32];
/// let system = Provider::of_source(Source::Os);
/// let sources = mix(&Provider::of_grade(Grade::Key), &system, &mut key)?;
/// assert_eq!(sources[1], Source::Os);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If one of the two has no source that can serve. The key is all zeros then.
pub fn mix(first: &Provider, second: &Provider, key: &mut [u8; KEY]) -> Result<[Source; 2], Error> {
    key.fill(0);
    let mut samples = Zeroizing::new([[0; KEY]; 2]);
    let sources = [first.fill(&mut samples[0])?, second.fill(&mut samples[1])?];
    *key = hmac(&samples[0], &samples[1]);
    Ok(sources)
}

/// HMAC-SHA256 (RFC 2104) with a key that is no longer than a block.
fn hmac(key: &[u8; KEY], message: &[u8]) -> [u8; KEY] {
    let pad = |byte: u8| {
        let mut block = Zeroizing::new([byte; BLOCK]);
        block.iter_mut().zip(key).for_each(|(block, key)| *block ^= key);
        Prefix::<Sha256>::new(block.as_slice())
    };
    let inner = Zeroizing::new(pad(0x36).digest(message));
    pad(0x5c).digest(inner.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mac_is_that_of_rfc_4231() {
        // Test case 1. HMAC fills the key up with zeros.
        let mut key = [0; KEY];
        key[..20].fill(0x0b);
        let mac: String =
            hmac(&key, b"Hi There").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(mac, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    }
}
