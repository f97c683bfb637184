//! The files to hash: named one by one, in a list, or as trees.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hashlanes_files::list::{self, End};
use hashlanes_files::replace::Own;
use hashlanes_files::source::{Ahead, Arguments, Listed, Note, Stores, below};
use hashlanes_files::walk::Walk;
use hashlanes_files::{Entry, Source, is_special, is_url, system};

use crate::objects;
use crate::options::machine::Machine;
use crate::options::path;
use crate::options::walk::Tree;
use crate::resume::Kept;
use crate::terminal::message::{failed, reason, wrong_usage};
use crate::terminal::progress::Progress;

/// What `sum` and `tree` read.
#[derive(clap::Args)]
pub(crate) struct Inputs {
    #[command(flatten)]
    pub(crate) tree: Tree,

    #[command(flatten)]
    pub(crate) list: List,

    #[command(flatten)]
    pub(crate) progress: Progress,

    #[command(flatten)]
    pub(crate) machine: Machine,

    #[command(flatten)]
    pub(crate) stores: objects::Options,

    /// Files, or with -r also directories; `-` is the standard input. Objects are URLs, as in
    /// `s3://bucket/name`
    #[arg(
        value_name = "FILE",
        value_parser = path(),
        default_value = "-",
        hide_default_value = true
    )]
    pub(crate) files: Vec<PathBuf>,
}

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
}

impl Inputs {
    /// The files of the list, or else the given ones.
    ///
    /// # Errors
    /// An exit status if the list cannot be opened. The reason has been printed.
    pub(crate) fn names(&self, walk: &Walk, stores: &Arc<dyn Stores>) -> Result<Names, ExitCode> {
        let Self { tree, list, files, .. } = self;
        let (files, is_listed) = (files.clone(), list.is_given());
        let may_stream = is_listed || files.iter().any(|file| is_url(file));
        let is_sorted = tree.recursive && !is_listed && (!may_stream || files.len() == 1);
        let given = (!tree.recursive && !is_listed).then(|| files.clone());
        let source: Box<dyn Source<Note = Note>> = match &list.files_from {
            None if tree.recursive => below(walk, files, stores).map_err(wrong_usage)?,
            None => Box::new(Arguments::new(files, Arc::clone(stores))),
            Some(path) => {
                let end = if list.null { End::Nul } else { End::Newline };
                let list =
                    list::List::open(path, end).map_err(|error| failed(path, reason(&error)))?;
                let walk = tree.recursive.then(|| walk.clone());
                Box::new(Listed::new(list, walk, Arc::clone(stores)))
            }
        };
        Ok(Names { source, is_sorted, may_stream, given })
    }
}

/// The files.
pub(crate) struct Names {
    pub(crate) source: Box<dyn Source<Note = Note>>,
    /// Whether they come in the order of their paths.
    pub(crate) is_sorted: bool,
    /// Whether there may be streams among them.
    may_stream: bool,
    /// The paths, if they were given one by one.
    given: Option<Vec<PathBuf>>,
}

impl Names {
    /// Leaves out files that the run itself writes, and counts them among those that the walk has
    /// skipped.
    pub(crate) fn without(self, own: Own, walk: &Walk) -> Self {
        Self { source: Box::new(Others { source: self.source, own, walk: walk.clone() }), ..self }
    }

    /// Leaves out the files that an earlier run has hashed.
    pub(crate) fn resume(self, kept: Kept) -> Self {
        Self { source: Box::new(kept.of(self.source)), ..self }
    }

    /// What is hashed. Streams are fetched before their turn.
    pub(crate) fn ahead(self, stores: Arc<dyn Stores>) -> Box<dyn Source<Note = Note>> {
        if self.may_stream { Box::new(Ahead::new(self.source, stores)) } else { self.source }
    }

    /// The total length of all files, if it can be determined without a walk.
    pub(crate) fn total(&self) -> impl FnOnce() -> Option<u64> + Send + 'static {
        let paths = self.given.clone();
        move || {
            let sizes = paths?.into_iter().map(|path| {
                // What cannot be examined will not be hashed.
                let metadata = (!is_special(&path)).then(|| system::metadata(&path))?;
                Some(metadata.map_or(0, |metadata| metadata.len()))
            });
            sizes.sum()
        }
    }
}

/// A source without the files that this run writes.
struct Others {
    source: Box<dyn Source<Note = Note>>,
    own: Own,
    walk: Walk,
}

impl Source for Others {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        loop {
            match self.source.next()? {
                Entry::Named { path, .. } if self.own.has(&path) => {
                    self.walk.skipped().count_own(&path);
                }
                entry => return Some(entry),
            }
        }
    }

    fn remaining(&self) -> Option<usize> {
        self.source.remaining()
    }

    fn is_ready(&self) -> bool {
        self.source.is_ready()
    }
}
