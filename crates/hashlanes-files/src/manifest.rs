//! Writes and reads checksum lines.
//!
//! | format | line |
//! |---|---|
//! | plain | `DIGEST  NAME`, or `DIGEST *NAME` for a file read as binary |
//! | reversed, of old BSD | `DIGEST NAME` |
//! | tagged | `SHA256 (NAME) = DIGEST`; OpenSSL's `SHA2-256(NAME)= DIGEST` is read too |
//!
//! Backslashes, newlines and carriage returns in the name are escaped. Then the line begins with a
//! backslash.

use std::path::Path;

use hashlanes::Algorithm;

use crate::{Digest, Function, name, system};

/// How to write lines.
pub struct Format {
    /// Lines are tagged.
    pub tag: bool,
    /// Lines end in NUL, and no name is escaped.
    pub zero: bool,
    /// Plain lines say that the file was read as binary.
    pub binary: bool,
}

impl Format {
    /// Appends the line for a file, with its end.
    pub fn write(&self, line: &mut Vec<u8>, algorithm: Function, digest: &Digest, path: &Path) {
        let name = &*system::name(path);
        let escaped = !self.zero && name::needs_escape(name);
        if escaped {
            line.push(b'\\');
        }
        if self.tag {
            line.extend(algorithm.tag().as_bytes());
            line.extend(b" (");
        } else {
            write_hex(line, digest);
            line.extend(if self.binary { b" *" } else { b"  " });
        }
        if escaped {
            name::escape(name, line);
        } else {
            line.extend(name);
        }
        if self.tag {
            line.extend(b") = ");
            write_hex(line, digest);
        }
        line.push(if self.zero { 0 } else { b'\n' });
    }
}

fn write_hex(line: &mut Vec<u8>, digest: &Digest) {
    let bytes = digest.as_bytes();
    let begin = line.len();
    line.resize(begin + 2 * bytes.len(), 0);
    base16ct::lower::encode(bytes, &mut line[begin..]).expect("there are two digits for each byte");
}

/// What a line says about a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// The hash function.
    pub algorithm: Function,
    /// As many bytes as the function's digests have.
    pub digest: Vec<u8>,
    /// The name, not escaped.
    pub name: Vec<u8>,
}

/// Reads the lines of one manifest.
pub struct Parser {
    /// The algorithm of all lines, if it is given. Otherwise a line's tag or the length of its
    /// digest tells it.
    algorithm: Option<Function>,
    /// Whether the plain lines are reversed. Not known before the first plain line.
    ///
    /// A manifest cannot have both kinds: a reversed line for a name that begins with a space or
    /// `*` looks like a usual line for another name.
    reversed: Option<bool>,
}

impl Parser {
    /// A parser for the lines of a manifest that are all of `algorithm`, if it is given.
    pub fn new(algorithm: Option<Function>) -> Self {
        Self { algorithm, reversed: None }
    }

    /// Reads a line without its end. `None` if it is improperly formatted.
    pub fn parse(&mut self, line: &[u8]) -> Option<Line> {
        let line = trim_blanks(line);
        let (escaped, line) = match line.strip_prefix(br"\") {
            Some(line) => (true, line),
            None => (false, line),
        };
        let (algorithm, digest, name) = match tagged(line) {
            Some((algorithm, rest)) => {
                let (name, digest) = split_tagged(rest)?;
                (algorithm, digest, name)
            }
            None => self.split_plain(line)?,
        };
        if self.algorithm.is_some_and(|only| only != algorithm)
            || digest.len() != 2 * algorithm.digest_len()
        {
            return None;
        }
        let digest = base16ct::mixed::decode_vec(digest).ok()?;
        let name = if escaped { name::unescape(name)? } else { name.to_vec() };
        Some(Line { algorithm, digest, name })
    }

    /// Algorithm, digest and name of a plain or reversed line.
    fn split_plain<'l>(&mut self, line: &'l [u8]) -> Option<(Function, &'l [u8], &'l [u8])> {
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let algorithm = match self.algorithm {
            Some(algorithm) => algorithm,
            None => {
                let is_as_long = |algorithm: &&Algorithm| 2 * algorithm.digest_len() == digits;
                Function::Lanes(*BY_LENGTH.iter().find(is_as_long)?)
            }
        };
        let (digest, rest) = line.split_at(digits);
        let [b' ' | b'\t', rest @ ..] = rest else { return None };
        let usual = match rest {
            [] => return None,
            [b' ' | b'*', name @ ..] if !name.is_empty() && self.reversed != Some(true) => {
                Some(name)
            }
            _ => None,
        };
        if usual.is_none() && self.reversed == Some(false) {
            return None;
        }
        self.reversed = Some(usual.is_none());
        Some((algorithm, digest, usual.unwrap_or(rest)))
    }
}

/// The algorithms that can be found by the length of a digest. The digests of all others are as
/// long as one of these, which are far more common.
const BY_LENGTH: [Algorithm; 6] = [
    Algorithm::Md5,
    Algorithm::Sha1,
    Algorithm::Sha224,
    Algorithm::Sha256,
    Algorithm::Sha384,
    Algorithm::Sha512,
];

fn trim_blanks(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[blanks..]
}

/// The algorithm of a line that begins with a tag and `(`, and the rest of the line.
fn tagged(line: &[u8]) -> Option<(Function, &[u8])> {
    // No tag is longer, and none has a parenthesis.
    let open = line.iter().take(16).position(|&byte| byte == b'(')?;
    let tag = &line[..open];
    let tag = tag.strip_suffix(b" ").unwrap_or(tag);
    let function = Function::from_tag(str::from_utf8(tag).ok()?)?;
    Some((function, &line[open + 1..]))
}

/// The name and the digest of the rest of a tagged line: `NAME) = DIGEST`.
fn split_tagged(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let close = rest.iter().rposition(|&byte| byte == b')')?;
    let (name, rest) = rest.split_at(close);
    let digest = trim_blanks(trim_blanks(&rest[1..]).strip_prefix(b"=")?);
    Some((name, digest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;

    const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";

    fn parse(line: &str) -> Option<(Function, String)> {
        let line = Parser::new(None).parse(line.as_bytes())?;
        assert_eq!(line.digest.len(), line.algorithm.digest_len());
        Some((line.algorithm, String::from_utf8(line.name).unwrap()))
    }

    #[test]
    fn every_format_is_read() {
        let md5 = |name: &str| Some((Algorithm::Md5.into(), name.to_owned()));
        assert_eq!(parse(&format!("{MD5}  a b ")), md5("a b "));
        assert_eq!(parse(&format!("{MD5} *a")), md5("a"));
        assert_eq!(parse(&format!("{MD5} a")), md5("a"));
        assert_eq!(parse(&format!(" \t{}  a", MD5.to_uppercase())), md5("a"));
        assert_eq!(parse(&format!("\\{MD5}  a\\n\\\\n")), md5("a\n\\n"));
        assert_eq!(parse(&format!("MD5 (a) = {MD5}")), md5("a"));
        assert_eq!(parse(&format!("MD5(a)= {MD5}")), md5("a"));
        assert_eq!(parse(&format!("\\MD5 (a\\rb) = b) = {MD5}")), md5("a\rb) = b"));
        assert_eq!(
            parse(&format!("SHA2-512/256(a)= {MD5}{MD5}")),
            Some((Algorithm::Sha512_256.into(), "a".into()))
        );
        for algorithm in Function::all() {
            let line = format!("{} (x) = {}", algorithm.tag(), Engine::new(algorithm).digest(b""));
            assert_eq!(parse(&line), Some((algorithm, "x".into())));
        }
    }

    #[test]
    fn what_is_cut_or_garbled_is_refused() {
        let whole = format!("\\{MD5}  a\\nb");
        for end in 0..=MD5.len() + 2 {
            assert_eq!(parse(&whole[..end]), None, "{}", &whole[..end]);
        }
        let whole = format!("MD5 (a) = {MD5}");
        for end in 0..whole.len() {
            assert_eq!(parse(&whole[..end]), None, "{}", &whole[..end]);
        }
        assert_eq!(parse(&format!("{MD5}0  a")), None);
        assert_eq!(parse(&format!("x{}  a", &MD5[1..])), None);
        assert_eq!(parse(&format!("\\{MD5}  a\\x")), None);
        assert_eq!(parse(&format!("SHA1 (a) = {MD5}")), None);
        assert_eq!(parse(&format!("MD6 (a) = {MD5}")), None);
    }

    #[test]
    fn a_given_algorithm_refuses_others() {
        let mut parser = Parser::new(Some(Algorithm::Sha512_256.into()));
        assert_eq!(parser.parse(format!("{MD5}  a").as_bytes()), None);
        assert_eq!(parser.parse(format!("SHA256 (a) = {MD5}{MD5}").as_bytes()), None);
        assert_eq!(
            parser.parse(format!("{MD5}{MD5}  a").as_bytes()).unwrap().algorithm,
            Algorithm::Sha512_256.into()
        );
    }

    #[test]
    fn reversed_and_usual_lines_do_not_mix() {
        let mut parser = Parser::new(None);
        assert!(parser.parse(format!("{MD5}  a").as_bytes()).is_some());
        assert!(parser.parse(format!("{MD5} a").as_bytes()).is_none());
        let mut parser = Parser::new(None);
        assert!(parser.parse(format!("{MD5} a").as_bytes()).is_some());
        assert_eq!(parser.parse(format!("{MD5}  a").as_bytes()).unwrap().name, b" a");
    }
}
