//! What is below folders, or below the URLs of prefixes.

use std::io;
use std::path::{Path, PathBuf};
use std::vec;

use hashlanes_files::Kind;
use hashlanes_files::walk::{SortedFiles, Walk, WalkError};
use hashlanes_objects::{Listed, Listing, Location};

use super::Stores;
use super::found::Found;
use crate::url::{is_url, public};

/// Files in the order of their paths, or objects in that of their names.
pub(crate) enum Below {
    Folders(SortedFiles),
    Prefixes(Box<Prefixes>),
}

pub(crate) struct Prefixes {
    walk: Walk,
    stores: Stores,
    roots: vec::IntoIter<PathBuf>,
    current: Option<(Location, Listing)>,
    /// The current root has no objects so far.
    is_empty: bool,
}

impl Below {
    /// # Errors
    /// If there are folders and URLs.
    pub(crate) fn new(
        walk: &Walk,
        roots: Vec<PathBuf>,
        stores: &Stores,
    ) -> Result<Self, &'static str> {
        if !roots.iter().any(|root| is_url(root)) {
            return Ok(Self::Folders(walk.files(roots)));
        }
        Ok(Self::Prefixes(Box::new(Prefixes::new(walk, roots, stores)?)))
    }

    /// Whether everything comes in the order of its path.
    pub(crate) fn has_order(&self) -> bool {
        match self {
            Self::Folders(_) => true,
            Self::Prefixes(prefixes) => prefixes.roots.as_slice().len() == 1,
        }
    }

    /// Whether `next` returns without waiting for a store.
    pub(crate) fn is_ready(&self) -> bool {
        match self {
            Self::Folders(_) => true,
            Self::Prefixes(prefixes) => prefixes.is_ready(),
        }
    }
}

impl Iterator for Below {
    type Item = Result<Found, WalkError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Folders(files) => Some(files.next()?.map(Found::from)),
            Self::Prefixes(prefixes) => Some(prefixes.next()?.map(found)),
        }
    }
}

impl Prefixes {
    /// # Errors
    /// If there are folders, too.
    pub(super) fn new(
        walk: &Walk,
        mut roots: Vec<PathBuf>,
        stores: &Stores,
    ) -> Result<Self, &'static str> {
        if !roots.iter().all(|root| is_url(root)) {
            return Err("folders and URLs cannot be listed in the same run");
        }
        roots.sort();
        let (walk, stores, roots) = (walk.clone(), stores.clone(), roots.into_iter());
        Ok(Self { walk, stores, roots, current: None, is_empty: true })
    }

    pub(super) fn is_ready(&self) -> bool {
        self.current.as_ref().is_none_or(|(_, listing)| listing.is_ready())
    }
}

impl Iterator for Prefixes {
    type Item = Result<Listed, WalkError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((root, listing)) = &mut self.current {
                for listed in listing.by_ref() {
                    self.is_empty = false;
                    match listed {
                        Err(error) => return Some(Err(failed(&root.path(), error))),
                        Ok(listed) if takes(&self.walk, root, &listed) => {
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
            let begun = Location::of(&path)
                .and_then(|root| Ok((self.stores.listing(&root)?, root)))
                .map(|(listing, root)| (root, listing));
            match begun {
                Ok(begun) => self.current = Some(begun),
                Err(error) => return Some(Err(failed(&path, error))),
            }
        }
    }
}

fn failed(path: &Path, error: io::Error) -> WalkError {
    WalkError { path: public(path).into_owned(), error }
}

/// Whether an object below this root is wanted.
pub(crate) fn takes(walk: &Walk, root: &Location, listed: &Listed) -> bool {
    let key = &listed.location.key;
    // The object that stands for the folder itself, in stores without folders.
    let folder = root.key.trim_end_matches('/');
    let is_root = !folder.is_empty() && key.strip_suffix('/') == Some(folder);
    let below = key.strip_prefix(&root.key).unwrap_or_default();
    !is_root && walk.takes(Path::new(below.trim_start_matches('/')))
}

fn found(listed: Listed) -> Found {
    let path = listed.location.path();
    Found { path, kind: Kind::Unknown, content: Some(Box::new(listed.object)) }
}
