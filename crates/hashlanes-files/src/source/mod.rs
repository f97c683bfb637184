//! The sources of what a user names: arguments, lists, folders, and URLs.
//!
//! A name is that of a file, unless [it is a URL](is_url). Then [`Stores`] give the stream that it
//! names, and [`Ahead`] fetches streams before their turn. The crate `hashlanes-objects` has the
//! stores of clouds.

mod ahead;
mod stores;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

pub use ahead::Ahead;
pub use stores::{NoStores, Stores};

use crate::list::{List, ListError};
use crate::walk::{SortedFiles, Walk, WalkError};
use crate::{Entry, Input, Kind, Source, is_url};

/// What an entry of these sources is about.
pub enum Note {
    /// A file or a stream.
    None,
    /// A directory cannot be read, or the names below a URL.
    Walk(WalkError),
    /// An entry of a list is not a name, or the list cannot be read.
    List(ListError),
    /// The line of a file that an earlier run has hashed.
    Kept(Vec<u8>),
}

/// What a name stands for: a stream of these stores if it is a URL, and otherwise a file.
pub fn input(name: &Path, kind: Kind, stores: &dyn Stores) -> Input {
    if is_url(name) { Input::Stream(stores.stream(name)) } else { Input::File(kind) }
}

/// Names in their order, of which some may be URLs.
pub struct Arguments {
    names: vec::IntoIter<PathBuf>,
    stores: Arc<dyn Stores>,
}

impl Arguments {
    /// These names.
    pub fn new(names: Vec<PathBuf>, stores: Arc<dyn Stores>) -> Self {
        Self { names: names.into_iter(), stores }
    }
}

impl Source for Arguments {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        let name = self.names.next()?;
        let input = input(&name, Kind::Unknown, &*self.stores);
        Some(Entry::named(name, input, 0, Note::None))
    }

    fn remaining(&self) -> Option<usize> {
        Some(self.names.len())
    }
}

/// The names of a list, in its order.
pub struct Listed {
    list: List,
    /// How to walk directories, if they are walked at all.
    walk: Option<Walk>,
    /// The rest of the directory that was named last.
    current: Option<SortedFiles>,
    stores: Arc<dyn Stores>,
}

impl Listed {
    /// The files of a list. If they are walked, directories stand for the files below them.
    pub fn new(list: List, walk: Option<Walk>, stores: Arc<dyn Stores>) -> Self {
        Self { list, walk, current: None, stores }
    }
}

impl Source for Listed {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        loop {
            if let Some(found) = self.current.as_mut().and_then(Source::next) {
                return Some(found);
            }
            match (self.list.next()?, &self.walk) {
                (Err(error), _) => return Some(Entry::Note(Note::List(error))),
                (Ok(path), Some(walk)) if !is_url(&path) => {
                    self.current = Some(walk.files(vec![path]));
                }
                (Ok(path), _) => {
                    let input = input(&path, Kind::Unknown, &*self.stores);
                    return Some(Entry::named(path, input, 0, Note::None));
                }
            }
        }
    }

    fn is_ready(&self) -> bool {
        self.list.is_ready()
    }
}

impl Source for SortedFiles {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        Some(match Iterator::next(self)? {
            Ok((path, kind)) => Entry::file(path, kind, 0, Note::None),
            Err(error) => Entry::Note(Note::Walk(error)),
        })
    }
}

/// What is below folders, or below URLs, in the order of the paths of each root.
///
/// # Errors
/// If there are folders and URLs, with what to say.
pub fn below(
    walk: &Walk,
    roots: Vec<PathBuf>,
    stores: &Arc<dyn Stores>,
) -> Result<Box<dyn Source<Note = Note>>, &'static str> {
    match roots.iter().filter(|root| is_url(root)).count() {
        0 => Ok(Box::new(walk.files(roots))),
        urls if urls < roots.len() => {
            Err("URLs and local files cannot be walked in the same run; start a run for each")
        }
        _ => Ok(Arc::clone(stores).below(walk, roots)),
    }
}
