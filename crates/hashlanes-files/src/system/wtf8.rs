//! WTF-8: Windows' names as bytes, without loss.
//!
//! Windows names are sequences of 16-bit units that should be UTF-16. Nothing enforces that, so a
//! surrogate may be unpaired. WTF-8 is UTF-8 that encodes such a unit in three bytes, as if it were
//! a character. All other names are UTF-8.

/// Appends 16-bit units as WTF-8.
pub(super) fn encode(units: impl IntoIterator<Item = u16>, bytes: &mut Vec<u8>) {
    for decoded in char::decode_utf16(units) {
        match decoded {
            Ok(c) => bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(alone) => bytes.extend(three_bytes(alone.unpaired_surrogate())),
        }
    }
}

/// The 16-bit units of a name in WTF-8. `None` if the bytes are not WTF-8.
///
/// A pair of surrogates in three bytes each is not WTF-8, either, because UTF-8 encodes the pair in
/// four bytes. So different bytes are never the same units.
pub(super) fn decode(mut bytes: &[u8]) -> Option<Vec<u16>> {
    let mut units = Vec::with_capacity(bytes.len());
    // The latest unit, if it was an unpaired first surrogate.
    let mut alone = None;
    while !bytes.is_empty() {
        let valid = match str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => str::from_utf8(&bytes[..error.valid_up_to()]).ok()?,
        };
        units.extend(valid.encode_utf16());
        if !valid.is_empty() {
            alone = None;
        }
        bytes = &bytes[valid.len()..];
        if let Some((three, rest)) = bytes.split_at_checked(3) {
            let unit = surrogate(three)?;
            if alone.is_some_and(|before| before < LOW) && unit >= LOW {
                return None;
            }
            units.push(unit);
            alone = Some(unit);
            bytes = rest;
        } else if !bytes.is_empty() {
            return None;
        }
    }
    Some(units)
}

/// The first of the low surrogates, which come second in a pair.
const LOW: u16 = 0xdc00;

/// The surrogate that these three bytes encode.
fn surrogate(bytes: &[u8]) -> Option<u16> {
    match *bytes {
        [0xed, middle @ 0xa0..=0xbf, last @ 0x80..=0xbf] => {
            Some(0xd000 | u16::from(middle & 0x3f) << 6 | u16::from(last & 0x3f))
        }
        _ => None,
    }
}

/// A surrogate, encoded as UTF-8 encodes characters from U+0800 to U+FFFF.
fn three_bytes(unit: u16) -> [u8; 3] {
    let six_bits = |shift: u32| 0x80 | (unit >> shift & 0x3f) as u8;
    [0xe0 | (unit >> 12) as u8, six_bits(6), six_bits(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(units: &[u16]) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(units.iter().copied(), &mut bytes);
        bytes
    }

    #[test]
    fn names_come_back() {
        let name = |text: &str| text.encode_utf16().collect::<Vec<_>>();
        let alone = [0xd800, 0xdbff, 0xdc00, 0xdfff];
        let mut names = vec![vec![], name("a"), name("é€𝄞"), alone.into(), vec![0xdfff, 0xd800]];
        // Unpaired high and low surrogates at each position.
        names.extend([vec![0xd834, 0x61, 0xdd1e], vec![0x61, 0xd834], vec![0xdd1e, 0x61]]);
        names.push([name("𝄞"), vec![0xdd1e], name("𝄞"), vec![0xd834], name("z")].concat());
        for units in names {
            assert_eq!(decode(&encoded(&units)).as_ref(), Some(&units), "{units:x?}");
        }
        for unit in 0..=u16::MAX {
            assert_eq!(decode(&encoded(&[unit])), Some(vec![unit]));
        }
    }

    #[test]
    fn unicode_is_utf_8_and_a_surrogate_three_bytes() {
        assert_eq!(encoded(&[0xd834, 0xdd1e, 0xe9]), "𝄞é".as_bytes());
        assert_eq!(encoded(&[0x61, 0xd800]), b"a\xed\xa0\x80");
        assert_eq!(encoded(&[0xdfff]), b"\xed\xbf\xbf");
    }

    #[test]
    fn other_bytes_are_refused() {
        for bytes in [
            &b"\xff"[..],
            b"caf\xe9",
            b"\xed",
            b"\xed\xa0",
            b"\xed\xa0a",
            b"\xed\xc0\x80",
            b"a\x80",
            b"\xc0\xaf",
            b"\xf4\x90\x80\x80",
            // A pair, whose character takes four bytes.
            b"\xed\xa0\xb4\xed\xb4\x9e",
        ] {
            assert_eq!(decode(bytes), None, "{bytes:x?}");
        }
    }
}
