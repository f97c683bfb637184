//! A manifest that is read once more, to know whether it lists a file under its own name.
//!
//! Only a name that is found in another spelling needs this. It takes some 30 bytes for each name,
//! and the whole content of a manifest that comes through a pipe.

use std::collections::{HashMap, HashSet};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlanes_files::{is_stdin, open_or_stdin};

use super::bag::names::{Key, key};
use super::how::How;
use super::lines::{Found, Lines};
use super::listed::Listed;
use super::spelling::Spelling;
use super::why::End;
use crate::commands::tree::check as trees;

pub(super) struct Again {
    path: PathBuf,
    how: How,
    /// The content, if it can be read only once.
    content: Option<Arc<[u8]>>,
    /// The names, once they are needed.
    names: Option<Names>,
    /// The files that were found in another spelling, with the name of each.
    taken: HashMap<Key, Key>,
}

enum Names {
    Known(HashSet<Key>),
    /// The manifest could not be read again.
    Unknown,
}

impl Again {
    /// What can be read again, and the manifest to read first.
    pub(super) fn new(
        mut file: Box<dyn Read + Send>,
        path: &Path,
        how: &How,
    ) -> (Box<dyn Read + Send>, Self) {
        let mut content = None;
        if how.spelling.is_folding() && (is_stdin(path) || !path.is_file()) {
            let mut bytes = Vec::new();
            // An error comes again when the rest is read.
            let _ = file.read_to_end(&mut bytes);
            let bytes = Arc::<[u8]>::from(bytes);
            file = Box::new(Cursor::new(Arc::clone(&bytes)).chain(file));
            content = Some(bytes);
        }
        let (path, how) = (path.to_owned(), how.clone());
        (file, Self { path, how, content, names: None, taken: HashMap::new() })
    }

    /// Whether a file that was found in another spelling may be the one of this name: the manifest
    /// does not list it under its own, and no other name has led to it.
    pub(super) fn is_free(&mut self, found: &[u8], name: &[u8]) -> bool {
        if self.names.is_none() {
            self.names = Some(self.read().map_or(Names::Unknown, Names::Known));
        }
        let (found, name) = (key(found), key(name));
        let is_listed = match &self.names {
            Some(Names::Known(names)) => names.contains(&found),
            _ => true,
        };
        !is_listed && *self.taken.entry(found).or_insert(name) == name
    }

    /// All names, in each exact spelling. `None` if the manifest cannot be read to its end.
    fn read(&self) -> Option<HashSet<Key>> {
        let file: Box<dyn Read + Send> = match &self.content {
            Some(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            None => Box::new(open_or_stdin(&self.path).ok()?),
        };
        let plain = How { spelling: Spelling::default(), ..self.how.clone() };
        let mut lines = Lines::new(file, &self.path, &plain);
        let mut names = HashSet::new();
        loop {
            match lines.next() {
                Found::Listed(Listed { name, .. })
                | Found::Unverified(name, _)
                | Found::Tree(trees::Line { name, .. }) => {
                    names.extend(self.how.spelling.exact(&name).iter().map(|name| key(name)));
                }
                Found::Unused(_) => {}
                Found::End(End::Failed(_)) => return None,
                Found::End(_) => return Some(names),
            }
        }
    }
}
