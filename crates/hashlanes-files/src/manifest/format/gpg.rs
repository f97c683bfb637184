//! The output of `gpg --print-md`: groups of digits, over several lines if they are long.
//!
//! ```text
//! a:    MD5 = 90 01 50 98 3C D2 4F B0  D6 96 3F 7D 28 E1 7F 72
//! a: SHA256 = BA7816BF 8F01CFEA 414140DE 5DAE2223 B00361A3 96177A9C B410FF61
//!             F20015AD
//! a-name-of-more-than-38-characters-ends-its-line:
//! BA7816BF 8F01CFEA 414140DE 5DAE2223 B00361A3 96177A9C B410FF61 F20015AD
//! ```

use super::super::{HashName, Read, Reason};
use super::line::guess;
use super::{Given, LineReader};

/// More digits than a digest has.
const MAX_DIGITS: usize = 256;

#[derive(Default)]
pub(super) struct Reader {
    /// The digest that the next line may continue.
    begun: Option<Begun>,
}

struct Begun {
    name: Vec<u8>,
    function: Option<HashName>,
    digits: Vec<u8>,
    /// Another line has come, so nothing can continue this.
    is_closed: bool,
}

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        if self.begun.as_mut().is_some_and(|begun| begun.take(line)) {
            return Ok(Read::Nothing);
        }
        match begin(line) {
            Some(next) => {
                let before = self.begun.replace(next);
                before.map_or(Ok(Read::Nothing), |before| before.finish(given))
            }
            None if line.starts_with(b"#") => Ok(Read::Nothing),
            None => {
                // What was begun is given with a later line.
                self.begun.iter_mut().for_each(|begun| begun.is_closed = true);
                Err(Reason::Words("expected a name and a digest"))
            }
        }
    }

    fn end(&mut self, given: &mut Given) -> Result<Read, Reason> {
        self.begun.take().map_or(Ok(Read::Nothing), |begun| begun.finish(given))
    }
}

impl Begun {
    fn finish(self, given: &Given) -> Result<Read, Reason> {
        let function = self.function.or(given.function).or_else(|| guess(&self.digits));
        let function = function.ok_or(Reason::Length(self.digits.len()))?;
        given.entry(self.name, function, &self.digits, self.function.is_none())
    }

    /// Whether this line continues the digest.
    fn take(&mut self, line: &[u8]) -> bool {
        if self.is_closed {
            return false;
        }
        if self.digits.is_empty() && self.function.is_none() {
            let Some((function, digits)) = digest(line.trim_ascii()) else { return false };
            (self.function, self.digits) = (function, digits);
            return !self.digits.is_empty();
        }
        let more = line.starts_with(b" ").then(|| groups(line)).flatten();
        let more = more.filter(|digits| !digits.is_empty());
        self.digits.extend(more.iter().flatten());
        self.digits.truncate(MAX_DIGITS);
        more.is_some()
    }
}

/// Whether SFV's readers must leave the line to this one: it ends in groups of digits.
pub(super) fn ends_in_groups(line: &[u8]) -> bool {
    let words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let is_group = |word: &&[u8]| {
        word.len() == 8 && word.iter().all(|it| matches!(it, b'0'..=b'9' | b'A'..=b'F'))
    };
    let groups = words.clone().rev().take_while(is_group).count();
    groups > 2 || groups > 0 && line.starts_with(b" ") && words.count() == groups
}

/// Digits without the blanks between their groups.
fn groups(text: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)
}

/// The function, if it is named, and the digits of `DIGITS` or `FUNCTION = DIGITS`.
fn digest(text: &[u8]) -> Option<(Option<HashName>, Vec<u8>)> {
    let (function, digits) = match text.windows(3).position(|mark| mark == b" = ") {
        None => (None, text),
        Some(at) => {
            let name = str::from_utf8(text[..at].trim_ascii()).ok()?;
            (Some(HashName::named(name)?), &text[at + 3..])
        }
    };
    // A single group is a digest of another program.
    let is_grouped = digits.is_empty() || function.is_some() || digits.contains(&b' ');
    Some((function, groups(digits).filter(|_| is_grouped)?))
}

/// A line `NAME: DIGITS` or `NAME: FUNCTION = DIGITS`. The digits may be in the next line.
fn begin(line: &[u8]) -> Option<Begun> {
    let colon = line.windows(2).rposition(|pair| pair == b": ").filter(|colon| *colon > 0)?;
    let (function, digits) = digest(line[colon + 1..].trim_ascii())?;
    Some(Begun { name: line[..colon].to_vec(), function, digits, is_closed: false })
}

#[cfg(test)]
mod tests {
    use super::super::super::{Format, Read, Reader, ReaderOptions};

    const SHA256: &str = "BA7816BF 8F01CFEA 414140DE 5DAE2223 B00361A3 96177A9C B410FF61 F20015AD";
    const SHA384: [&str; 2] = [
        "CB00753F 45A35E8B B5A03D69 9AC65007 272C32AB 0EDED163 1A8B605A",
        "43FF5BED 8086072B A1E7CC23 58BAECA1 34C825A7",
    ];
    const LONG: &str = "a-name-that-has-more-than-38-characters.iso";

    /// The functions and names of the entries, and the number of malformed lines.
    fn read(text: &str) -> (Vec<String>, usize) {
        let format = Some(Format::Gpg);
        let mut reader = Reader::new(ReaderOptions { format, ..ReaderOptions::default() });
        let (mut entries, mut malformed) = (Vec::new(), 0);
        let mut take = |read| match read {
            Read::Entry(entry) => {
                let function = entry.digests[0].function;
                entries.push(format!("{function} {}", String::from_utf8(entry.name).unwrap()));
            }
            Read::Malformed(_) => malformed += 1,
            Read::Nothing => {}
            other => panic!("{other:?}"),
        };
        text.lines().for_each(|line| take(reader.read(line.as_bytes())));
        take(reader.end());
        (entries, malformed)
    }

    #[test]
    fn a_line_that_is_cut_after_a_whole_digest_is_malformed() {
        let whole = format!("a: {SHA256}\nb: {SHA256}");
        assert_eq!(read(&whole), (vec!["sha256 a".into(), "sha256 b".into()], 0));
        for end in [whole.len() - 1, whole.len() - 11, whole.len() - 66, whole.len() - 72] {
            assert_eq!(read(&whole[..end]), (vec!["sha256 a".into()], 1), "{}", &whole[..end]);
        }
        let garbled = format!("a: {SHA256}\nb: {SHA256}x\n   F20015AD\nc: {SHA256}\n");
        assert_eq!(read(&garbled), (vec!["sha256 a".into(), "sha256 c".into()], 2));
        assert!(Format::Gpg.is_strict());
    }

    #[test]
    fn digests_of_long_names_begin_in_the_next_line() {
        let plain = format!("{LONG}: \n{SHA256}\na: {SHA256}\n");
        assert_eq!(read(&plain), (vec![format!("sha256 {LONG}"), "sha256 a".into()], 0));
        let [first, second] = SHA384;
        let named = format!(
            "{LONG}: \n  SHA1 = A999 3E36 4706 816A BA3E  2571 7850 C26C 9CD0 D89D\n\
             {LONG}: \nSHA384 = {first}\n         {second}\n{LONG}: \nb: {SHA256}\n"
        );
        let entries = [format!("sha1 {LONG}"), format!("sha384 {LONG}"), "sha256 b".into()];
        assert_eq!(read(&named), (entries.into(), 1));
    }

    #[test]
    fn groups_of_eight_digits_are_not_taken_for_sfv() {
        let [first, second] = SHA384;
        for text in [
            format!("a: {SHA256}\n"),
            format!("{LONG}: \n{SHA256}\n"),
            format!("a: SHA384 = {first}\n            {second}\n"),
            format!("a: {}\n   {}\n", &SHA256[..53], &SHA256[54..]),
        ] {
            let format = Format::of_sample(text.as_bytes(), &ReaderOptions::default(), true);
            assert_eq!(format, Some(Format::Gpg), "{text}");
        }
        let sfv = Format::of_sample(b"BA7816BF 8F01CFEA\n", &ReaderOptions::default(), true);
        assert_eq!(sfv, Some(Format::Sfv));
    }
}
