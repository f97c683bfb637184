//! What plain and tagged lines share.

use super::super::HashName;

/// The parts of a line.
pub(super) struct Parts<'l> {
    pub(super) function: HashName,
    pub(super) guessed: bool,
    pub(super) digits: &'l [u8],
    pub(super) name: &'l [u8],
}

/// The function that the length of a digest implies.
pub(super) fn guess(digits: &[u8]) -> Option<HashName> {
    // A hexadecimal digest with one or two wrong digits has the length of a longer digest in
    // base64. In base64, two of three digits are not hexadecimal.
    let others = digits.iter().filter(|digit| !digit.is_ascii_hexdigit()).count();
    if matches!(others, 1 | 2) {
        return None;
    }
    HashName::by_length(digest_len(digits)?)
}

/// The length in bytes of a digest with these digits.
pub(super) fn digest_len(digits: &[u8]) -> Option<usize> {
    if digits.iter().all(u8::is_ascii_hexdigit) && digits.len().is_multiple_of(2) {
        return Some(digits.len() / 2);
    }
    let padding = digits.iter().rev().take_while(|digit| **digit == b'=').count();
    let whole = digits.len().is_multiple_of(4) && padding < 3;
    whole.then(|| (digits.len() / 4 * 3).checked_sub(padding))?
}

pub(super) fn trim_blanks(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[blanks..]
}
