//! The files to hash: named one by one, in a list, or as trees.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::vec;

use hashlanes_files::list::{self, End, ListError};
use hashlanes_files::replace::Own;
use hashlanes_files::walk::{SortedFiles, Walk, WalkError};
use hashlanes_files::{Entry, Kind, Source, is_special, system};

use crate::objects::{Below, Found, Stores};
use crate::options::path;
use crate::options::walk::Tree;
use crate::resume::Kept;
use crate::terminal::message::{reason, say_of, wrong_usage};

/// Options for a list of names.
#[derive(clap::Args)]
pub(crate) struct List {
    /// Hash the files that LIST names, one per line, in its order; `-` is the standard input. With
    /// -r, directories stand for the files below them
    #[arg(long, value_name = "LIST", value_parser = path(), conflicts_with = "files")]
    files_from: Option<PathBuf>,

    /// Names in LIST end with NUL instead of newline, as `find -print0` writes them
    #[arg(short = '0', long, requires = "files_from")]
    null: bool,
}

impl List {
    /// Whether a list was given.
    pub(crate) fn is_given(&self) -> bool {
        self.files_from.is_some()
    }

    /// The path of the list.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.files_from.as_deref()
    }

    /// The files of the list, or else the given ones.
    ///
    /// # Errors
    /// An exit status if the list cannot be opened. The reason has been printed.
    pub(crate) fn names(
        &self,
        tree: &Tree,
        walk: &Walk,
        files: Vec<PathBuf>,
        stores: &Stores,
    ) -> Result<Names, ExitCode> {
        let Some(path) = &self.files_from else {
            return Ok(if tree.recursive {
                Names::Sorted(Box::new(Below::new(walk, files, stores).map_err(wrong_usage)?))
            } else {
                Names::Given(files.into_iter())
            });
        };
        let end = if self.null { End::Nul } else { End::Newline };
        match list::List::open(path, end) {
            Ok(list) => {
                let walk = tree.recursive.then(|| walk.clone());
                Ok(Names::Listed(Box::new(Listed { list, walk, current: None })))
            }
            Err(error) => {
                say_of(path, reason(&error));
                Err(ExitCode::FAILURE)
            }
        }
    }
}

/// The files.
pub(crate) enum Names {
    /// In the order of the arguments.
    Given(vec::IntoIter<PathBuf>),
    /// Sorted, including the trees below them.
    Sorted(Box<Below>),
    /// In the order of a list.
    Listed(Box<Listed>),
    /// Any of these, without the files that this run writes.
    Others(Box<Self>, Own, Walk),
    /// Any of these, without the files that an earlier run has hashed.
    Resumed(Box<Self>, Box<Kept>),
}

/// The files of a list.
pub(crate) struct Listed {
    list: list::List,
    /// How to walk directories, if they are walked at all.
    walk: Option<Walk>,
    /// The rest of the directory that was named last.
    current: Option<SortedFiles>,
}

/// What an entry is about.
pub(crate) enum Note {
    None,
    /// A directory cannot be read.
    Walk(WalkError),
    /// The line for a file that an earlier run has hashed.
    Kept(Vec<u8>),
    /// An entry of the list is not a name, or the list cannot be read.
    List(ListError),
}

impl Names {
    /// Leaves out files that the run itself writes, and counts them among those that the walk has
    /// skipped.
    pub(crate) fn without(self, own: Own, walk: &Walk) -> Self {
        Self::Others(Box::new(self), own, walk.clone())
    }

    /// Leaves out the files that an earlier run has hashed.
    pub(crate) fn resume(self, kept: Kept) -> Self {
        Self::Resumed(Box::new(self), Box::new(kept))
    }

    /// Whether the files come in the order of their paths.
    pub(crate) fn is_sorted(&self) -> bool {
        match self {
            Self::Sorted(files) => files.has_order(),
            Self::Others(names, ..) => names.is_sorted(),
            Self::Given(_) | Self::Listed(_) | Self::Resumed(..) => false,
        }
    }

    /// The next file, or something to report.
    fn found(&mut self) -> Option<Result<Found, Note>> {
        match self {
            Self::Given(paths) => Some(Ok((paths.next()?, Kind::Unknown).into())),
            Self::Sorted(files) => Some(files.next()?.map_err(Note::Walk)),
            Self::Listed(listed) => Some(listed.next()?.map(Found::from)),
            Self::Others(names, own, walk) => loop {
                match names.found()? {
                    Ok(found) if own.has(&found.path) => walk.skipped().count_own(&found.path),
                    found => return Some(found),
                }
            },
            Self::Resumed(names, kept) => loop {
                let found = names.found()?;
                if let Ok(Found { path, content, .. }) = &found {
                    if kept.is_own(path) {
                        continue;
                    }
                    if let Some(line) = kept.line(path, content.as_deref()) {
                        return Some(Err(Note::Kept(line)));
                    }
                }
                return Some(found);
            },
        }
    }

    /// The total length of all files, if it can be determined without a walk.
    pub(crate) fn total(&self) -> impl FnOnce() -> Option<u64> + Send + 'static {
        let paths = self.given();
        move || {
            let sizes = paths?.into_iter().map(|path| {
                // What cannot be examined will not be hashed.
                let metadata = (!is_special(&path)).then(|| system::metadata(&path))?;
                Some(metadata.map_or(0, |metadata| metadata.len()))
            });
            sizes.sum()
        }
    }

    /// The paths, if they were given one by one.
    fn given(&self) -> Option<Vec<PathBuf>> {
        match self {
            Self::Given(paths) => Some(paths.as_slice().to_vec()),
            Self::Others(names, ..) => names.given(),
            Self::Sorted(_) | Self::Resumed(..) | Self::Listed(_) => None,
        }
    }
}

impl Listed {
    fn next(&mut self) -> Option<Result<(PathBuf, Kind), Note>> {
        loop {
            if let Some(found) = self.current.as_mut().and_then(Iterator::next) {
                return Some(found.map_err(Note::Walk));
            }
            match (self.list.next()?, &self.walk) {
                (Err(error), _) => return Some(Err(Note::List(error))),
                (Ok(path), None) => return Some(Ok((path, Kind::Unknown))),
                (Ok(path), Some(walk)) => self.current = Some(walk.files(vec![path])),
            }
        }
    }
}

impl Source for Names {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        Some(match self.found()? {
            Ok(found) => found.entry(0, Note::None),
            Err(note) => Entry::Note(note),
        })
    }

    fn remaining(&self) -> Option<usize> {
        match self {
            Self::Given(paths) => Some(paths.len()),
            Self::Others(names, ..) => names.remaining(),
            Self::Sorted(_) | Self::Resumed(..) | Self::Listed(_) => None,
        }
    }

    fn is_ready(&self) -> bool {
        match self {
            Self::Given(_) => true,
            Self::Sorted(files) => files.is_ready(),
            Self::Listed(listed) => listed.list.is_ready(),
            Self::Others(names, ..) | Self::Resumed(names, _) => names.is_ready(),
        }
    }
}
