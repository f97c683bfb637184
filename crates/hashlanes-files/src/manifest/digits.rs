//! Digests as text: written in hexadecimal or base64, and read in what other programs write, too.

use data_encoding::{
    BASE32, BASE32_NOPAD, BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, Encoding,
};

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

    /// A digest as text.
    pub fn text(self, digest: &[u8]) -> String {
        match self {
            Self::Hex => base16ct::lower::encode_string(digest),
            Self::Base64 => BASE64.encode(digest),
        }
    }
}

/// Reads a digest of this function in any encoding.
pub(super) fn read(digits: &[u8], function: HashName) -> Result<Vec<u8>, Reason> {
    let digest = bytes(digits, function.digest_len());
    digest.ok_or_else(|| Reason::of_digits(digits, function))
}

/// The bytes of a digest of this length. `None` if no encoding gives it that length.
fn bytes(digits: &[u8], length: usize) -> Option<Vec<u8>> {
    // The usual case. As many digits may be of another encoding for a longer digest only.
    if digits.len() == 2 * length
        && let Ok(digest) = base16ct::mixed::decode_vec(digits)
    {
        return Some(digest);
    }
    let digest = if digits.iter().all(u8::is_ascii_hexdigit) {
        // If this is too short, it is a truncated digest rather than base64.
        base16ct::mixed::decode_vec(digits).ok()
    } else if digits.get(2) == Some(&b':') {
        base16ct::mixed::decode_vec(without_colons(digits)?).ok()
    } else if digits.len() == C4_LEN && length == 64 {
        c4(digits)
    } else {
        let encoding = encoding(digits, length)?;
        let upper = || digits.to_ascii_uppercase();
        encoding.decode(digits).or_else(|_| encoding.decode(&upper())).ok()
    };
    digest.filter(|digest| digest.len() == length)
}

/// How the digits of a digest of this length are encoded, if not in hexadecimal.
fn encoding(digits: &[u8], length: usize) -> Option<Encoding> {
    let is_url = digits.iter().any(|byte| matches!(byte, b'-' | b'_'));
    let base64 = if is_url { [BASE64URL, BASE64URL_NOPAD] } else { [BASE64, BASE64_NOPAD] };
    let mut all = base64.into_iter().chain([BASE32, BASE32_NOPAD]);
    all.find(|encoding| encoding.encode_len(length) == digits.len())
}

/// Hexadecimal digits with a colon between bytes, as `openssl dgst -c` writes them.
fn without_colons(digits: &[u8]) -> Option<Vec<u8>> {
    let is_right = |(at, byte): (usize, &u8)| (*byte == b':') == (at % 3 == 2);
    let is_whole = digits.len() % 3 == 2 && digits.iter().enumerate().all(is_right);
    is_whole.then(|| digits.iter().copied().filter(|byte| *byte != b':').collect())
}

/// A digest as the old digits of one were encoded.
pub(super) fn write_like(old: &[u8], digest: &[u8], to: &mut Vec<u8>) {
    let begin = to.len();
    let is_hex = is_hex(old, digest.len());
    match encoding(old, digest.len()).filter(|_| !is_hex) {
        Some(encoding) => to.extend(encoding.encode(digest).bytes()),
        None => Digits::Hex.write(digest, to),
    }
    let is_upper = old.iter().any(u8::is_ascii_uppercase);
    if is_hex && is_upper && !old.iter().any(u8::is_ascii_lowercase) {
        to[begin..].make_ascii_uppercase();
    }
}

/// Whether a digest can be written as these digits are: not with colons, and not as a C4 ID.
pub(super) fn can_write_like(old: &[u8], length: usize) -> bool {
    is_hex(old, length) || encoding(old, length).is_some()
}

fn is_hex(digits: &[u8], length: usize) -> bool {
    digits.len() == 2 * length && digits.iter().all(u8::is_ascii_hexdigit)
}

/// The length of a C4 ID (SMPTE ST 2114): `c4` and a SHA-512 in base58.
pub(super) const C4_LEN: usize = 90;

const BASE58: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Appends the C4 ID of a SHA-512.
pub(super) fn write_c4(digest: &[u8], to: &mut Vec<u8>) {
    let begin = to.len();
    to.extend(b"c4");
    to.resize(begin + C4_LEN, b'1');
    let mut number = digest.to_vec();
    for place in to[begin + 2..].iter_mut().rev() {
        let mut rest = 0;
        for byte in &mut number {
            rest = rest << 8 | u32::from(*byte);
            *byte = (rest / 58) as u8;
            rest %= 58;
        }
        *place = BASE58[rest as usize];
    }
}

fn c4(digits: &[u8]) -> Option<Vec<u8>> {
    let mut number = vec![0_u8; 64];
    for digit in digits.strip_prefix(b"c4")? {
        let mut carry = BASE58.iter().position(|other| other == digit)? as u32;
        for byte in number.iter_mut().rev() {
            carry += u32::from(*byte) * 58;
            *byte = carry as u8;
            carry >>= 8;
        }
        if carry > 0 {
            return None;
        }
    }
    Some(number)
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

    #[test]
    fn encodings_of_other_programs_are_read_and_written_as_they_were() {
        let md5 = base16ct::lower::decode_vec("900150983cd24fb0d6963f7d28e17f72").unwrap();
        for text in [
            "kAFQmDzST7DWlj99KOF/cg",
            "kAFQmDzST7DWlj99KOF_cg==",
            "kAFQmDzST7DWlj99KOF_cg",
            "SAAVBGB42JH3BVUWH56SRYL7OI======",
            "SAAVBGB42JH3BVUWH56SRYL7OI",
            "900150983CD24FB0D6963F7D28E17F72",
        ] {
            assert_eq!(bytes(text.as_bytes(), 16).as_ref(), Some(&md5), "{text}");
            let mut again = Vec::new();
            write_like(text.as_bytes(), &md5, &mut again);
            assert_eq!(again, text.as_bytes());
        }
        let colons = b"90:01:50:98:3c:d2:4f:b0:d6:96:3f:7d:28:e1:7f:72";
        assert_eq!(bytes(colons, 16), Some(md5));
        assert_eq!(bytes(&colons[..44], 16), None);
        assert!(!can_write_like(colons, 16));
    }

    #[test]
    fn c4_ids_are_digests_of_sha_512() {
        // The ID of an empty file, of SMPTE ST 2114.
        let id = concat!(
            "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hB",
            "XmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT"
        );
        let empty = hashlanes::Algorithm::Sha512.digest(b"");
        assert_eq!(bytes(id.as_bytes(), 64).as_deref(), Some(empty.as_bytes()));
        assert_eq!(bytes(id.replace("c459", "c4zz").as_bytes(), 64), None);
    }
}
