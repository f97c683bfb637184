//! What plain and tagged lines share.

use super::super::{HashName, digits};

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
    match digits.iter().filter(|digit| !digit.is_ascii_hexdigit()).count() {
        0 if digits.len().is_multiple_of(2) => return HashName::by_length(digits.len() / 2),
        1 | 2 => return None,
        _ => {}
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
    let has = |is: fn(&u8) -> bool| digits.iter().any(is);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase);
    // Without padding, a word may have this length.
    if padding == 0 && !whole && is_mixed && has(u8::is_ascii_uppercase) {
        return (digits.len() % 4 > 1).then_some(digits.len() * 3 / 4);
    }
    whole.then(|| (digits.len() / 4 * 3).checked_sub(padding))?
}

/// The function and the digits of a word that names its function: `sha256:HEX` as in OCI's
/// digests, `sha256-BASE64` as in subresource integrity, `sha1:BASE32` as in WARC files,
/// `XXH3_HEX`, and C4 IDs.
pub(super) fn prefixed(word: &[u8]) -> Option<(HashName, &[u8])> {
    if word.len() == digits::C4_LEN && word.starts_with(b"c4") {
        return HashName::named("c4").map(|function| (function, word));
    }
    prefixed_by(word, b":-_")
}

/// The function and the digits of a word with one of these marks between them.
pub(super) fn prefixed_by<'w>(word: &'w [u8], marks: &[u8]) -> Option<(HashName, &'w [u8])> {
    let is_mark = |(_, byte): &(usize, &u8)| marks.contains(byte);
    word.iter().enumerate().take(MAX_PREFIX).filter(is_mark).find_map(|(at, _)| {
        let function = HashName::named(str::from_utf8(&word[..at]).ok()?)?;
        let digits = &word[at + 1..];
        digits::read(digits, function).is_ok().then_some((function, digits))
    })
}

/// The most bytes of a function's name before its digest.
const MAX_PREFIX: usize = 24;

/// The first word of a line, and what follows the blank after it.
pub(super) fn first_word(line: &[u8]) -> (&[u8], Option<&[u8]>) {
    match line.iter().position(|byte| matches!(byte, b' ' | b'\t')) {
        Some(at) => (&line[..at], Some(&line[at + 1..])),
        None => (line, None),
    }
}

pub(super) fn trim_blanks(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[blanks..]
}
