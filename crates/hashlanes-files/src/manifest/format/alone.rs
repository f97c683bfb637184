//! The digest alone, in a file that is named for the file that it is of: `a.iso.sha256`.

use super::super::{HashName, Read, Reason};
use super::line::{first_word, guess, prefixed};
use super::{Given, LineReader, digest_len};

#[derive(Default)]
pub(super) struct Reader {
    /// The functions of the lines so far. Several digests of one function are of several files.
    seen: Vec<HashName>,
}

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        if line.starts_with(b"#") {
            return Ok(Read::Nothing);
        }
        let (word, rest) = first_word(line.trim_ascii());
        let file = given.file.clone().filter(|_| rest.is_none()).ok_or(Reason::NO_NAME)?;
        let (function, digits) = match prefixed(word) {
            Some((function, digits)) => (Some(function), digits),
            None => {
                let likely = given.likely.filter(|it| digest_len(word) == Some(it.digest_len()));
                (given.function.or(likely).or_else(|| guess(word)), word)
            }
        };
        let function = function.ok_or_else(|| Reason::of_first_word(word, None))?;
        if self.seen.contains(&function) {
            return Err(Reason::NO_NAME);
        }
        let guessed = given.function.is_none() && given.likely != Some(function);
        let read = given.entry(file, function, digits, guessed)?;
        self.seen.push(function);
        Ok(read)
    }
}
