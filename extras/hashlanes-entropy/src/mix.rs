//! Keys that depend on two sources.

use hashlanes::{HmacKey, Sha256};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::provider::Provider;
use crate::source::Source;

/// Bytes in a sample, a key and a SHA-256 digest.
const KEY: usize = 32;

/// Fills a long-lived key from two samples, and returns the sources that were used.
///
/// The key is HMAC-SHA256 of the second sample with the first as its key. It is as good as the
/// better of the two samples: anyone who knows one of them still has to guess the other. The
/// sources should be different, and of different origin. The CPU and the operating system are a
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
/// The samples are wiped. With the feature `zeroize`, the states of the HMAC are wiped too.
///
/// # Errors
/// If either provider has no working source. The key is then all zeros.
pub fn mix(first: &Provider, second: &Provider, key: &mut [u8; KEY]) -> Result<[Source; 2], Error> {
    key.fill(0);
    let mut samples = Zeroizing::new([[0; KEY]; 2]);
    let sources = [first.fill(&mut samples[0])?, second.fill(&mut samples[1])?];
    let [first, second] = &*samples;
    *key = HmacKey::<Sha256>::new(first).mac(second);
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake;
    use crate::machine::Machine;

    #[test]
    fn the_key_is_the_mac_of_the_second_sample_keyed_with_the_first() {
        let system = |out: &mut [u8]| {
            out.copy_from_slice(b"a sample of thirty-two bytes....");
            Ok(())
        };
        let machine = || {
            let (rdseed, rdrand) = (fake::working(), fake::working());
            &*Box::leak(Box::new(Machine { rdseed, rdrand, system }))
        };
        let of_source = |source| Provider::of_source(source).on(machine());
        let first: [u8; 32] = of_source(Source::Rdseed).bytes().unwrap();
        let mut key = [0; KEY];
        let sources = mix(&of_source(Source::Rdseed), &of_source(Source::Os), &mut key);
        assert_eq!(sources, Ok([Source::Rdseed, Source::Os]));
        // RFC 2104, spelled out.
        let pad = |byte: u8| {
            let mut block = [byte; 64];
            block.iter_mut().zip(first).for_each(|(block, key)| *block ^= key);
            block
        };
        let message = b"a sample of thirty-two bytes....";
        let inner = Sha256::digest([&pad(0x36)[..], message].concat());
        assert_eq!(key, Sha256::digest([&pad(0x5c)[..], &inner].concat()));
    }
}
