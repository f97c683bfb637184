//! Reads the lines of checksum files as GNU's tools do.
//!
//! | format | line |
//! |---|---|
//! | tagged | `MD5 (NAME) = DIGEST`, `BLAKE2b-256 (NAME) = DIGEST` |
//! | untagged | `DIGEST  NAME` or `DIGEST *NAME` |
//! | reversed, of old BSD | `DIGEST NAME` |

use hashlanes_files::manifest::NameField;
use hashlanes_files::{Function, name};

use super::family::Family;
use super::tool::Tool;

/// The content of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) function: Function,
    /// The digits as written in the line.
    pub(super) digest: Vec<u8>,
    pub(super) name: Vec<u8>,
}

/// Reads lines one after another. A line can change how the following ones are read.
pub(super) struct Reader {
    /// The function or family of all lines, if the options set it.
    given: Option<Family>,
    /// The latest one that a line named.
    latest: Family,
    base64: bool,
    /// An untagged line may end after the digest and one blank; the name is then empty.
    may_lack_names: bool,
    names: NameField,
}

impl Reader {
    pub(super) fn new(tool: Tool, given: Option<Family>) -> Self {
        Self {
            given,
            latest: given.unwrap_or(Family::Crc),
            base64: tool == Tool::Cksum,
            may_lack_names: matches!(tool, Tool::Cksum | Tool::B2sum),
            names: NameField::default(),
        }
    }

    /// The function to name in a message about an improper line.
    pub(super) fn family(&self) -> Family {
        self.latest
    }

    /// Reads a line without its terminator. `None` if it is improperly formatted.
    pub(super) fn read(&mut self, line: &[u8]) -> Option<Line> {
        let line = trim_blanks(line);
        let (escaped, line) = match line.strip_prefix(b"\\") {
            Some(line) => (true, line),
            None => (false, line),
        };
        let (function, digest, name) = match self.tag(line) {
            Some((family, rest)) => {
                self.latest = family;
                if self.given == Some(Family::Sha2) {
                    // From now on, only this function is read.
                    self.given = Some(family);
                }
                self.tagged(family, rest)?
            }
            None => self.untagged(self.given?, line)?,
        };
        let name = if escaped {
            name::unescape(name).filter(|name| !name.contains(&0))?
        } else {
            // A name ends at the first NUL.
            name.split(|&byte| byte == 0).next().unwrap_or_default().to_vec()
        };
        Some(Line { function, digest: digest.to_vec(), name })
    }

    /// The family whose tag begins the line, and the rest of the line.
    fn tag<'l>(&self, line: &'l [u8]) -> Option<(Family, &'l [u8])> {
        let end = line.iter().position(|byte| b" \t-(\0".contains(byte)).unwrap_or(line.len());
        let (tag, rest) = line.split_at(end);
        let is_tag = |family: &Family| family.tag().as_bytes() == tag && !family.is_legacy();
        let family = Family::all().find(is_tag)?;
        let is_expected = match self.given {
            None => true,
            Some(Family::Sha2) => matches!(
                family,
                Family::Sha2 | Family::Sha224 | Family::Sha256 | Family::Sha384 | Family::Sha512
            ),
            Some(given) => given == family,
        };
        is_expected.then_some((family, rest))
    }

    /// Function, digest and name of the rest of a tagged line: `-256 (NAME) = DIGEST`.
    fn tagged<'l>(&self, family: Family, rest: &'l [u8]) -> Option<Parts<'l>> {
        let (bits, rest) = length(rest)?;
        let function = match bits {
            None if family == Family::Blake2b => family.function(Some(512)),
            bits => family.function(bits),
        }?;
        if bits.is_some_and(|bits| usize::from(bits) != 8 * function.digest_len()) {
            return None;
        }
        let name = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
        let close = name.iter().rposition(|&byte| byte == b')')?;
        let (name, rest) = name.split_at(close);
        let digest = trim_blanks(trim_blanks(&rest[1..]).strip_prefix(b"=")?);
        self.is_digest(digest, function.digest_len()).then_some((function, digest, name))
    }

    /// Function, digest and name of an untagged or reversed line.
    fn untagged<'l>(&mut self, family: Family, line: &'l [u8]) -> Option<Parts<'l>> {
        let end = line.iter().position(|byte| matches!(byte, b' ' | b'\t'))?;
        let (digest, rest) = line.split_at(end);
        let function = match family.function(None) {
            Some(function) => function,
            None => family.function(self.bits(digest))?,
        };
        if !self.is_digest(digest, function.digest_len()) {
            return None;
        }
        let rest = &rest[1..];
        if rest.is_empty() && !self.may_lack_names {
            return None;
        }
        let name = self.names.read(rest)?;
        Some((function, digest, name))
    }

    /// Whether the text is a digest of this many bytes.
    fn is_digest(&self, text: &[u8], length: usize) -> bool {
        is_hex(text) && text.len() == 2 * length
            || self.base64 && base64_length(text) == Some(length)
    }

    /// The length of the digest in bits, by its text.
    fn bits(&self, digest: &[u8]) -> Option<u16> {
        let bytes = if is_hex(digest) && digest.len().is_multiple_of(2) {
            digest.len() / 2
        } else if self.base64 {
            base64_length(digest)?
        } else {
            return None;
        };
        u16::try_from(8 * bytes).ok()
    }
}

/// Function, digest and name.
type Parts<'l> = (Function, &'l [u8], &'l [u8]);

/// The length after a tag, if any, and the rest: `-256 (..`. As in C, the number may be hexadecimal
/// or octal.
fn length(text: &[u8]) -> Option<(Option<u16>, &[u8])> {
    let Some(text) = text.strip_prefix(b"-") else { return Some((None, text)) };
    let text = trim_blanks(text);
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (digits, radix) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        [b'0', ..] => (text, 8),
        _ => (text, 10),
    };
    let count = digits.iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let (digits, rest) = digits.split_at(count);
    let bits = u16::from_str_radix(str::from_utf8(digits).ok()?, radix).ok()?;
    Some((Some(bits), rest))
}

/// How many bytes the text represents in base64 with padding (RFC 4648). `None` if it is not
/// base64.
fn base64_length(text: &[u8]) -> Option<usize> {
    let padding = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    let digits = &text[..text.len() - padding];
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let is_base64 = !text.is_empty()
        && text.len().is_multiple_of(4)
        && padding <= 2
        && digits.iter().all(is_digit);
    is_base64.then(|| text.len() / 4 * 3 - padding)
}

fn is_hex(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_hexdigit)
}

fn trim_blanks(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[blanks..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

    /// The tag and the name of a line, read as the tool does.
    fn read(tool: Tool, line: &str) -> Option<(String, String)> {
        let given = (tool != Tool::Cksum).then(|| tool.family());
        let line = Reader::new(tool, given).read(line.as_bytes())?;
        Some((line.function.tag().into_owned(), String::from_utf8(line.name).unwrap()))
    }

    #[test]
    fn tagged_lines_name_the_function() {
        let is = |tag: &str, name: &str| Some((tag.to_owned(), name.to_owned()));
        let cksum = |line: &str| read(Tool::Cksum, line);
        assert_eq!(cksum(&format!("MD5 (a) = {MD5}")), is("MD5", "a"));
        assert_eq!(cksum(&format!(" \\MD5(a\\n) b)= {MD5}")), is("MD5", "a\n) b"));
        assert_eq!(cksum("MD5 (a) = kAFQmDzST7DWlj99KOF/cg=="), is("MD5", "a"));
        assert_eq!(cksum(&format!("BLAKE2b-128 (a) = {MD5}")), is("BLAKE2b-128", "a"));
        assert_eq!(cksum(&format!("BLAKE2b-0x80 (a) = {MD5}")), is("BLAKE2b-128", "a"));
        assert_eq!(cksum(&format!("SHA2-256 (a) = {MD5}{MD5}")), is("SHA256", "a"));
        for wrong in ["SHA1 (a)", "MD5  (a)", "md5 (a)", "MD5-8 (a)", "BLAKE2b (a)", "SHA2 (a)"] {
            assert_eq!(cksum(&format!("{wrong} = {MD5}")), None, "{wrong}");
        }
        assert_eq!(cksum(&format!("{MD5}  a")), None);
    }

    /// A truncated digest would match far too many files.
    #[test]
    fn a_digest_is_never_compared_in_part() {
        assert_eq!(read(Tool::Cksum, "SHA256-8 (a) = ba"), None);
        assert_eq!(read(Tool::Cksum, "SHA256 (a) = ba"), None);
    }

    #[test]
    fn base64_has_a_length() {
        for (text, length) in [("Zg==", 1), ("Zm8=", 2), ("Zm9v", 3), ("Zm9vYg==", 4)] {
            assert_eq!(base64_length(text.as_bytes()), Some(length), "{text}");
        }
        for wrong in ["", "Zg", "Zg=", "Z===", "====", "Zm9*", "Zg==Zg==", "Zm9v\n"] {
            assert_eq!(base64_length(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn base64_is_for_cksum_only() {
        let line = "MD5 (a) = kAFQmDzST7DWlj99KOF/cg==";
        assert!(read(Tool::Cksum, line).is_some());
        assert_eq!(read(Tool::Md5sum, line), None);
    }

    #[test]
    fn the_length_of_a_digest_tells_that_of_blake2b() {
        let is = |tag: &str| Some((tag.to_owned(), "a".to_owned()));
        assert_eq!(read(Tool::B2sum, &format!("{MD5}  a")), is("BLAKE2b-128"));
        assert_eq!(read(Tool::B2sum, &format!("{}  a", MD5.repeat(4))), is("BLAKE2b"));
        assert_eq!(read(Tool::B2sum, &format!("{}0  a", MD5)), None);
        assert_eq!(read(Tool::B2sum, &format!("{}00  a", MD5.repeat(4))), None);
    }

    #[test]
    fn the_first_tag_of_sha2_settles_the_length() {
        let mut reader = Reader::new(Tool::Cksum, Some(Family::Sha2));
        let (short, long) = (MD5.repeat(2), MD5.repeat(4));
        assert!(reader.read(format!("{short}  a").as_bytes()).is_some());
        assert!(reader.read(format!("SHA512 (a) = {long}").as_bytes()).is_some());
        assert!(reader.read(format!("{short}  a").as_bytes()).is_none());
        assert_eq!(reader.family(), Family::Sha512);
    }

    #[test]
    fn reversed_lines_go_on_reversed() {
        let mut reader = Reader::new(Tool::Md5sum, Some(Family::Md5));
        let mut name = |rest: &str| Some(reader.read(format!("{MD5}{rest}").as_bytes())?.name);
        assert_eq!(name(" a"), Some(b"a".to_vec()));
        assert_eq!(name("  a"), Some(b" a".to_vec()));
        let mut reader = Reader::new(Tool::Md5sum, Some(Family::Md5));
        let mut name = |rest: &str| Some(reader.read(format!("{MD5}{rest}").as_bytes())?.name);
        assert_eq!(name("\t*a\0b"), Some(b"a".to_vec()));
        assert_eq!(name(" a"), None);
        assert_eq!(name(" "), None);
    }
}
