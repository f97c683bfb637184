//! The digest alone, in a file that is named for the file that it is of: `a.iso.sha256`.

use super::super::{Entry, Expected, HashName, Read, Reason, digits};
use super::line::{first_word, guess, prefixed};
use super::{Given, LineReader, digest_len};

pub(super) struct Reader {
    function: Option<HashName>,
    likely: Option<HashName>,
    /// The file that the manifest is about.
    file: Option<Vec<u8>>,
    /// The functions of the lines so far. Several digests of one function are of several files.
    seen: Vec<HashName>,
}

impl Reader {
    pub(super) fn new(given: &Given) -> Self {
        let &Given { function, likely, .. } = given;
        Self { function, likely, file: given.file.clone(), seen: Vec::new() }
    }
}

impl LineReader for Reader {
    fn read(&mut self, line: &[u8]) -> Read {
        if line.starts_with(b"#") {
            return Read::Nothing;
        }
        let (word, rest) = first_word(line.trim_ascii());
        let Some(file) = self.file.clone().filter(|_| rest.is_none()) else {
            return Read::Malformed(Reason::NO_NAME);
        };
        let (function, digits) = match prefixed(word) {
            Some((function, digits)) => (Some(function), digits),
            None => {
                let likely = self.likely.filter(|it| digest_len(word) == Some(it.digest_len()));
                (self.function.or(likely).or_else(|| guess(word)), word)
            }
        };
        let Some(function) = function else {
            return Read::Malformed(Reason::of_first_word(word, None));
        };
        if let Some(only) = self.function.filter(|only| !function.is_variant_of(*only)) {
            return Read::Malformed(Reason::Other(function, only));
        }
        if self.seen.contains(&function) {
            return Read::Malformed(Reason::NO_NAME);
        }
        match digits::read(digits, function) {
            Ok(digest) => {
                self.seen.push(function);
                let guessed = self.function.is_none() && self.likely != Some(function);
                Read::Entry(Entry::new(file, vec![Expected { function, digest, guessed }]))
            }
            Err(reason) => Read::Malformed(reason),
        }
    }
}
