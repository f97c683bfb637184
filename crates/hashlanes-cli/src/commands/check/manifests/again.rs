//! A manifest that is read once more, to know whether it lists a file under its own name.
//!
//! Only a name that is found in another spelling needs this. It takes some 30 bytes for each name,
//! and the content of a manifest that comes through a pipe, up to a limit.

use std::collections::{HashMap, HashSet};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlanes_files::{is_stdin, open_or_stdin};

use super::super::bag::names::{Key, key};
use super::how::How;

/// The most bytes that are kept of a manifest that can be read only once. None of the names of a
/// longer one is taken in another spelling.
const MAX_CONTENT: u64 = 64 << 20;

/// Reads all names of a manifest, in each exact spelling. `None` if it cannot be read to its end.
pub(super) type NamesOf = fn(Box<dyn Read + Send>, &Path, &How) -> Option<HashSet<Key>>;

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
        let (mut content, mut names) = (None, None);
        if how.spelling.is_folding() && (is_stdin(path) || !path.is_file()) {
            let mut bytes = Vec::new();
            // An error comes again when the rest is read.
            let _ = file.by_ref().take(MAX_CONTENT).read_to_end(&mut bytes);
            if bytes.len() as u64 == MAX_CONTENT {
                names = Some(Names::Unknown);
            }
            let bytes = Arc::<[u8]>::from(bytes);
            file = Box::new(Cursor::new(Arc::clone(&bytes)).chain(file));
            content = Some(bytes);
        }
        let (path, how) = (path.to_owned(), how.clone());
        (file, Self { path, how, content, names, taken: HashMap::new() })
    }

    /// Whether a file that was found in another spelling may be the one of this name: the manifest
    /// does not list it under its own, and no other name has led to it.
    pub(super) fn is_free(&mut self, found: &[u8], name: &[u8], names_of: NamesOf) -> bool {
        if self.names.is_none() {
            self.names = Some(self.read(names_of).map_or(Names::Unknown, Names::Known));
        }
        let (found, name) = (key(found), key(name));
        let is_listed = match &self.names {
            Some(Names::Known(names)) => names.contains(&found),
            _ => true,
        };
        !is_listed && *self.taken.entry(found).or_insert(name) == name
    }

    fn read(&self, names_of: NamesOf) -> Option<HashSet<Key>> {
        let file: Box<dyn Read + Send> = match &self.content {
            Some(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            None => Box::new(open_or_stdin(&self.path).ok()?),
        };
        names_of(file, &self.path, &self.how)
    }
}
