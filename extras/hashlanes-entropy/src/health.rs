//! Health tests that detect faulty sources.
//!
//! These are the tests of NIST SP 800-90B section 4.4, for words of 64 bits with full entropy. Two
//! equal words are enough to fail. In a good source, one pair in 2^64 is equal. At a rate of 200
//! MB/s that happens once in some ten thousand years.

use crate::failure::{Failure, Fault};

/// Window of the adaptive proportion test (SP 800-90B section 4.4.2): its first word must not
/// recur.
const WINDOW: u32 = 512;

/// The repetition count test (section 4.4.1) and the adaptive proportion test (4.4.2).
pub(crate) struct Continuous {
    last: Option<u64>,
    /// The first word of the window, and the number of words left in the window.
    first: Option<u64>,
    left: u32,
}

impl Continuous {
    pub(crate) const fn new() -> Self {
        Self { last: None, first: None, left: 0 }
    }

    pub(crate) fn see(&mut self, word: u64) -> Result<(), Fault> {
        if self.last.replace(word) == Some(word) {
            return Err(Fault::Repeats);
        }
        if self.left == 0 {
            self.first = Some(word);
            self.left = WINDOW;
        } else if self.first == Some(word) {
            return Err(Fault::Recurs);
        }
        self.left -= 1;
        Ok(())
    }
}

impl Drop for Continuous {
    fn drop(&mut self) {
        use zeroize::Zeroize;
        self.last.zeroize();
        self.first.zeroize();
    }
}

/// Words in the startup test. SP 800-90B section 4.3 requires 1,024.
pub(crate) const START: usize = 1024;

/// Maximum deviation of the number of ones in a bit position from half: 8 standard deviations. A
/// good source fails once in some 10^13 starts.
const MAX_DEVIATION: u32 = 128;

/// The startup test: the continuous tests, and whether every bit is one about half of the time. The
/// words are not used for anything else.
pub(crate) fn start(mut word: impl FnMut() -> Result<u64, Failure>) -> Result<(), Failure> {
    let mut continuous = Continuous::new();
    let mut ones = [0; 64];
    for _ in 0..START {
        let word = word()?;
        continuous.see(word)?;
        for (bit, ones) in ones.iter_mut().enumerate() {
            *ones += (word >> bit & 1) as u32;
        }
    }
    let half = START as u32 / 2;
    if ones.iter().any(|ones| ones.abs_diff(half) > MAX_DEVIATION) {
        return Err(Fault::Biased.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::good;

    fn verdict(words: impl IntoIterator<Item = u64>) -> Result<(), Failure> {
        let mut words = words.into_iter();
        start(|| Ok(words.next().unwrap()))
    }

    #[test]
    fn good_words_pass() {
        assert_eq!(verdict((0..).map(good)), Ok(()));
    }

    #[test]
    fn two_equal_words_in_a_row_are_a_fault() {
        for at in [0, 1, 511, 512, 1022] {
            let words = (0..).map(|i| good(if i == at + 1 { at } else { i }));
            assert_eq!(verdict(words), Err(Fault::Repeats.into()), "{at}");
        }
    }

    #[test]
    fn cycles_as_long_as_the_window_are_a_fault() {
        for period in [2, 3, 100, 511] {
            let words = (0..).map(|i| good(i % period));
            assert_eq!(verdict(words), Err(Fault::Recurs.into()), "{period}");
        }
    }

    #[test]
    fn a_biased_bit_is_a_fault() {
        let stuck = (0..).map(|i| good(i) & !(1 << 63));
        assert_eq!(verdict(stuck), Err(Fault::Biased.into()));
        // The bit is one in three quarters of the words.
        let often = (0..).map(|i| good(i) | good(i + 5000) & 1);
        assert_eq!(verdict(often), Err(Fault::Biased.into()));
    }

    #[test]
    fn a_counter_is_biased() {
        assert_eq!(verdict(1..), Err(Fault::Biased.into()));
    }
}
