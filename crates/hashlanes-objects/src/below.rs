//! The objects below URLs, as a source of names.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

use hashlanes_files::source::Note;
use hashlanes_files::walk::{Walk, WalkError};
use hashlanes_files::{Entry, Input, Source, public};

use crate::{Listed, Listing, Location, Stores};

/// The objects below URLs, one URL after another.
pub(crate) struct Below {
    walk: Walk,
    stores: Arc<Stores>,
    roots: vec::IntoIter<PathBuf>,
    current: Option<(Location, Listing)>,
    /// The current root has no objects so far.
    is_empty: bool,
}

impl Below {
    pub(crate) fn new(walk: &Walk, mut roots: Vec<PathBuf>, stores: Arc<Stores>) -> Self {
        roots.sort();
        let (walk, roots) = (walk.clone(), roots.into_iter());
        Self { walk, stores, roots, current: None, is_empty: true }
    }

    /// The next object that the walk takes.
    fn listed(&mut self) -> Option<Result<Listed, WalkError>> {
        loop {
            if let Some((root, listing)) = &mut self.current {
                for listed in listing.by_ref() {
                    self.is_empty = false;
                    match listed {
                        Err(error) => return Some(Err(failed(&root.path(), error))),
                        Ok(listed) if listed.is_taken(&self.walk, root) => {
                            return Some(Ok(listed));
                        }
                        Ok(_) => {}
                    }
                }
            }
            if let Some((root, _)) = self.current.take()
                && self.is_empty
                && !root.key.is_empty()
            {
                let error = io::Error::new(io::ErrorKind::NotFound, "no object has this prefix");
                return Some(Err(failed(&root.path(), error)));
            }
            let path = self.roots.next()?;
            self.is_empty = true;
            let begin = |root| self.stores.listing(&root).map(|listing| (root, listing));
            match Location::of(&path).and_then(begin) {
                Ok(begun) => self.current = Some(begun),
                Err(error) => return Some(Err(failed(&path, error))),
            }
        }
    }
}

impl Source for Below {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        Some(match self.listed()? {
            Ok(Listed { location, object, .. }) => {
                let input = Input::Stream(Box::new(object));
                Entry::Named { path: location.path(), input, plan: 0, note: Note::None }
            }
            Err(error) => Entry::Note(Note::Walk(error)),
        })
    }

    fn is_ready(&self) -> bool {
        self.current.as_ref().is_none_or(|(_, listing)| listing.is_ready())
    }
}

fn failed(path: &Path, error: io::Error) -> WalkError {
    WalkError { path: public(path).into_owned(), error }
}
