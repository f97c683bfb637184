//! What all formats are given: what is known of a manifest, and lines without what surrounds them.

use super::super::{Entry, Expected, HashName, Read, Reason, digits};

/// What the readers of all formats are given.
#[derive(Clone)]
pub(in super::super) struct Given {
    pub(in super::super) function: Option<HashName>,
    /// The function that the manifest's name suggests.
    pub(in super::super) likely: Option<HashName>,
    /// The file that the manifest's name suggests.
    pub(in super::super) file: Option<Vec<u8>>,
    /// Names are not escaped.
    pub(in super::super) literal: bool,
    /// The manifest's name or a comment suggests SFV.
    pub(in super::super) is_sfv: bool,
    /// The lines so far show that the format is the one that is read, even without an entry.
    pub(in super::super) is_shown: bool,
}

/// Endings of the names of manifests that do not name a function.
const ENDINGS: [&str; 6] = ["sum", "sums", "hash", "digest", "checksum", "checksums"];

impl Given {
    /// `literal` says that names are not escaped, and `name` is that of the manifest.
    pub(in super::super) fn new(function: Option<HashName>, literal: bool, name: &[u8]) -> Self {
        // `a.iso.sha256.txt` is about `a.iso`, but `a.txt` about nothing.
        let plain = name.strip_suffix(b".txt").filter(|name| Self::is_of_file(name));
        let name = plain.unwrap_or(name);
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0);
        let ending = dot.map_or(&b""[..], |dot| &name[dot + 1..]);
        let ending = String::from_utf8_lossy(ending).to_ascii_lowercase();
        let plain = ENDINGS.iter().find_map(|end| ending.strip_suffix(end)).unwrap_or(&ending);
        // `SHA3-256SUMS`, or `sha256sums.txt`.
        let all = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let all = String::from_utf8_lossy(all).to_ascii_lowercase();
        let of_all = all.strip_suffix("sums").or_else(|| all.strip_suffix("sums.txt"));
        let likely = HashName::named(plain).or_else(|| HashName::named(of_all?));
        let is_of_file = Self::is_of_file(name);
        let file = dot.map(|dot| name[..dot].to_vec()).filter(|_| is_of_file);
        let file = file.filter(|file| !file.ends_with(b"/"));
        Self { function, likely, file, literal, is_sfv: ending == "sfv", is_shown: false }
    }

    /// The entry of a line with one digest.
    pub(super) fn entry(
        &self,
        name: Vec<u8>,
        function: HashName,
        digits: &[u8],
        guessed: bool,
    ) -> Result<Read, Reason> {
        if let Some(only) = self.function.filter(|only| !function.is_variant_of(*only)) {
            return Err(Reason::Other(function, only));
        }
        let digest = digits::read(digits, function)?;
        Ok(Read::Entry(Entry::new(name, vec![Expected { function, digest, guessed }])))
    }

    /// Whether the ending of a manifest's name says that the rest is the name of a file.
    fn is_of_file(name: &[u8]) -> bool {
        let ending = name.rsplit(|byte| *byte == b'.').next().filter(|it| it.len() < name.len());
        let ending = String::from_utf8_lossy(ending.unwrap_or_default()).to_ascii_lowercase();
        let plain = ENDINGS.iter().find_map(|end| ending.strip_suffix(end)).unwrap_or(&ending);
        ENDINGS.contains(&&*ending) || HashName::named(plain).is_some()
    }
}

/// Where a line is in a text that is signed with OpenPGP. The signature is not verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum Armor {
    #[default]
    None,
    Header,
    Text,
    Signature,
    /// After the comment of a signature of signify.
    Signify,
}

/// What lines of a signature and of the header of a signed text begin with.
const KEYS: [&[u8]; 7] = [
    b"Hash: ",
    b"Version: ",
    b"Comment: ",
    b"Charset: ",
    b"MessageID: ",
    b"SaltedHash: ",
    b"NotDashEscaped: ",
];

impl Armor {
    /// The line as it was before the text was signed. `None` if it belongs to the signature.
    /// `may_begin` says that it may be the comment before a signature of signify.
    pub(in super::super) fn text<'l>(
        &mut self,
        line: &'l [u8],
        may_begin: bool,
    ) -> Option<&'l [u8]> {
        let mark = line
            .strip_prefix(b"-----")
            .and_then(|mark| mark.trim_ascii_end().strip_suffix(b"-----"));
        let begun = mark.and_then(|mark| mark.strip_prefix(b"BEGIN PGP "));
        let is_end = mark.is_some_and(|mark| mark.starts_with(b"END PGP "));
        if begun.is_some() || is_end {
            *self = match begun {
                Some(b"SIGNED MESSAGE") => Self::Header,
                Some(_) => Self::Signature,
                None => Self::None,
            };
            return None;
        }
        let is_empty = || line.trim_ascii().is_empty();
        let has_key = || KEYS.iter().any(|key| line.starts_with(key));
        match self {
            Self::None if may_begin && line.starts_with(b"untrusted comment: ") => {
                *self = Self::Signify;
                return None;
            }
            Self::Signify if is_base64(line) => {
                *self = Self::None;
                return None;
            }
            Self::None => return Some(line),
            Self::Signify => *self = Self::None,
            Self::Text => return Some(line.strip_prefix(b"- ").unwrap_or(line)),
            Self::Header if has_key() => return None,
            Self::Header => *self = Self::Text,
            // A signature may have no end. Its lines are in base64.
            Self::Signature if has_key() || is_empty() || is_base64(line) => return None,
            Self::Signature => {}
        }
        (!is_empty()).then_some(line)
    }
}

pub(in super::super) fn is_base64(line: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    !line.is_empty() && line.trim_ascii_end().iter().all(is_digit)
}

/// A line without the carriage returns of Windows at its end.
pub(in super::super) fn without_end(mut line: &[u8]) -> &[u8] {
    while let Some(rest) = line.strip_suffix(b"\r") {
        line = rest;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::super::{Read, Reader, ReaderOptions};

    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
    const BEGIN: &str = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n";
    const END: &str =
        "-----BEGIN PGP SIGNATURE-----\nVersion: 1 x\n\niQIz\n=AbCd\n-----END PGP SIGNATURE-----";

    /// The names of the entries, and the number of malformed lines.
    fn read(text: &str) -> (String, usize) {
        let mut reader = Reader::new(ReaderOptions::default());
        let (mut names, mut malformed) = (String::new(), 0);
        let mut take = |read: &Read| match read {
            Read::Entry(entry) => names.push_str(str::from_utf8(&entry.name).unwrap()),
            Read::Malformed(_) => malformed += 1,
            Read::Nothing => {}
            other => panic!("{other:?}"),
        };
        text.lines().for_each(|line| take(&reader.read(line.as_bytes())));
        while let read @ (Read::Entry(_) | Read::Malformed(_)) = reader.end() {
            take(&read);
        }
        (names, malformed)
    }

    #[test]
    fn what_is_around_a_signed_text_is_read_and_nothing_in_it_is_lost() {
        let line = |name: &str| format!("{MD5}  {name}\n");
        let (a, b) = (line("a"), line("b"));
        for (text, names, malformed) in [
            (format!("{BEGIN}\n{a}{END}\n{b}"), "ab", 0),
            (format!("{BEGIN} \t\n{a}{END}"), "a", 0),
            (format!("{BEGIN}\n- {a}- -----\n{b}{END}"), "ab", 1),
            (format!("{a}-----\n----- x\n{b}"), "ab", 2),
            (format!("{a}-----BEGIN OTHER-----\n{b}"), "ab", 1),
            (format!("text\n{BEGIN}\n{a}{END}\ntext"), "a", 2),
            // What is not complete.
            (format!("{BEGIN}\n{a}"), "a", 1),
            (format!("{BEGIN}{a}{b}"), "ab", 1),
            (format!("{a}{BEGIN}"), "a", 1),
            (format!("{BEGIN}\n{a}-----BEGIN PGP SIGNATURE-----\n\niQIz\n{b}"), "ab", 1),
        ] {
            assert_eq!(read(&text), (names.to_owned(), malformed), "{text}");
        }
    }
}
