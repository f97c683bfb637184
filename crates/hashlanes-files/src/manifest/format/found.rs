//! The digests of a file in formats that may have several.

use super::super::{Entry, Expected, HashName, Read, Reason, digits};
use super::line::{guess, prefixed_by};

/// What a row or an object says of a file.
pub(super) struct Found {
    /// The only function whose digests are used, if one is given.
    only: Option<HashName>,
    digests: Vec<Expected>,
    /// The names of unknown functions.
    unknown: Vec<String>,
    /// The first thing that is wrong.
    wrong: Option<Reason>,
}

impl Found {
    pub(super) fn new(only: Option<HashName>) -> Self {
        Self { only, digests: Vec::new(), unknown: Vec::new(), wrong: None }
    }

    /// Whether there is a digest, of whatever function.
    pub(super) fn has_any(&self) -> bool {
        !self.digests.is_empty() || !self.unknown.is_empty() || self.wrong.is_some()
    }

    /// Adds a digest that names its function, or whose length implies it.
    pub(super) fn guessed(&mut self, text: &[u8]) {
        let (function, digits) = match prefixed_by(text, b":-_=") {
            Some((function, digits)) => (Some(function), digits),
            None => (self.only.or_else(|| guess(text)), text),
        };
        let is_guessed = self.only.is_none() && digits.len() == text.len();
        match function {
            Some(function) => {
                self.digest(function, digits);
                self.digests.last_mut().into_iter().for_each(|it| it.guessed = is_guessed);
            }
            None => drop(self.wrong.get_or_insert(Reason::of_first_word(text, None))),
        }
    }

    /// Adds a digest, which other tools leave empty if they do not have it.
    pub(super) fn digest(&mut self, function: HashName, text: &[u8]) {
        let wrong = match digits::read(text, function) {
            Ok(_) if self.digests.iter().any(|other| other.function == function) => {
                Reason::Twice(function)
            }
            Ok(digest) => {
                self.digests.push(Expected { function, digest, guessed: false });
                return;
            }
            Err(reason) => reason,
        };
        self.wrong.get_or_insert(wrong);
    }

    /// Adds a digest of the function with this name.
    pub(super) fn named(&mut self, name: &str, text: &[u8]) {
        match HashName::named(name) {
            Some(function) => self.digest(function, text),
            None => self.unknown(name),
        }
    }

    pub(super) fn unknown(&mut self, name: &str) {
        self.unknown.push(name.to_owned());
    }

    pub(super) fn wrong(&mut self, why: &'static str) {
        self.wrong.get_or_insert(Reason::Words(why));
    }

    /// The entry: malformed if a digest is, if two are of the same function, or if there are none.
    pub(super) fn entry(mut self, name: Vec<u8>) -> Result<Read, Reason> {
        if let Some(reason) = self.wrong {
            return Err(reason);
        }
        if let Some(only) = self.only {
            self.digests.retain(|expected| expected.function.is_variant_of(only));
        }
        if self.digests.is_empty() {
            return self.unknown.pop().map(Read::Unknown).ok_or(Reason::NoDigest);
        }
        if name.is_empty() {
            return Err(Reason::NO_NAME);
        }
        let unknown = if self.only.is_none() { self.unknown } else { Vec::new() };
        Ok(Read::Entry(Entry { unknown, ..Entry::new(name, self.digests) }))
    }
}
