//! Digests as text, in hexadecimal or base64.

use data_encoding::BASE64;

use super::{HashName, Reason};

/// The text encoding of digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digits {
    /// Written in lower case. Both cases are read.
    #[default]
    Hex,
    /// RFC 4648 with padding, as `cksum --base64` writes it.
    Base64,
}

impl Digits {
    /// Appends a digest.
    pub fn write(self, digest: &[u8], to: &mut Vec<u8>) {
        let begin = to.len();
        match self {
            Self::Hex => {
                to.resize(begin + 2 * digest.len(), 0);
                base16ct::lower::encode(digest, &mut to[begin..]).expect("two digits for a byte");
            }
            Self::Base64 => {
                to.resize(begin + BASE64.encode_len(digest.len()), 0);
                BASE64.encode_mut(digest, &mut to[begin..]);
            }
        }
    }
}

/// Reads a digest of this function in either encoding.
pub(super) fn read(digits: &[u8], function: HashName) -> Result<Vec<u8>, Reason> {
    let digest = bytes(digits, function.digest_len());
    digest.ok_or_else(|| Reason::of_digits(digits, function))
}

/// The bytes of a digest of this length in either encoding. `None` if it is neither.
fn bytes(digits: &[u8], length: usize) -> Option<Vec<u8>> {
    if digits.iter().all(u8::is_ascii_hexdigit) {
        // If this is too short, it is a truncated digest rather than base64.
        return base16ct::mixed::decode_vec(digits).ok().filter(|digest| digest.len() == length);
    }
    if digits.len() != BASE64.encode_len(length) {
        return None;
    }
    BASE64.decode(digits).ok().filter(|digest| digest.len() == length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_come_back_and_nothing_else_is_read() {
        for length in [4, 16, 20, 24, 28, 32, 48, 64] {
            let digest: Vec<u8> = (0..length).map(|i| (i * 37) as u8 | 0x80).collect();
            for digits in [Digits::Hex, Digits::Base64] {
                let mut text = Vec::new();
                digits.write(&digest, &mut text);
                assert_eq!(bytes(&text, length).as_ref(), Some(&digest));
                assert_eq!(bytes(&text[1..], length), None);
                assert_eq!(bytes(&text, length + 1), None);
            }
        }
        assert_eq!(bytes(&[b'a'; 64], 48), None);
        // The last digit has bits that do not belong to the digest.
        assert_eq!(bytes(b"AAAAAAAAAAAAAAAAAAAAAB==", 16), None);
        assert!(bytes(b"AAAAAAAAAAAAAAAAAAAAAA==", 16).is_some());
    }
}
