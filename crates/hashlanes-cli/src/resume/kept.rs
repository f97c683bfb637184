//! Tells which files need not be read again.

use std::collections::HashMap;
use std::io;
use std::iter::Peekable;
use std::path::Path;

use hashlanes_files::replace::Own;
use hashlanes_files::source::Note;
use hashlanes_files::system::{self, Stamp};
use hashlanes_files::{Entry, Input, Source};

use super::state::{Known, States};

/// The results of an earlier run.
pub(crate) struct Kept {
    known: Files,
    /// The files that this run writes, which are left out of the manifest.
    own: Own,
}

enum Files {
    /// In the order of the walk, in which they are requested.
    Sorted(Peekable<Box<dyn Iterator<Item = io::Result<Known>> + Send>>),
    /// For requests in any order.
    Table(HashMap<Vec<u8>, Known>),
}

impl Kept {
    pub(super) fn new(known: Option<States>, is_sorted: bool, own: Own) -> io::Result<Self> {
        let known = known.into_iter().flatten();
        let known = if is_sorted {
            let known: Box<dyn Iterator<Item = _> + Send> = Box::new(known);
            Files::Sorted(known.peekable())
        } else {
            let table = known.map(|known| known.map(|known| (known.name.clone(), known)));
            Files::Table(table.collect::<io::Result<_>>()?)
        };
        Ok(Self { known, own })
    }

    /// The line for a file, with its terminator, if the file has not changed.
    fn line(&mut self, path: &Path, input: &Input) -> Option<Vec<u8>> {
        let known = self.known.find(&system::name(path))?;
        let is_same = match input {
            Input::Stream(stream) => known.is_of(&stream.stamp()?, stream.tag().as_deref()),
            Input::File(_) => {
                let metadata = system::metadata(path).ok().filter(|metadata| metadata.is_file())?;
                let stamp = Stamp::from(&metadata);
                // Whoever gets the files leaves out outputs.
                !self.own.is(&stamp) && known.is_of(&stamp, None)
            }
        };
        is_same.then(|| [&known.line[..], b"\n"].concat())
    }

    /// The entries of a source. Files that have not changed become the lines that are kept, and
    /// those that this run writes are left out.
    pub(crate) fn of(self, source: Box<dyn Source<Note = Note>>) -> Resumed {
        Resumed { source, kept: self }
    }
}

/// The files of a resumed manifest.
pub(crate) struct Resumed {
    source: Box<dyn Source<Note = Note>>,
    kept: Kept,
}

impl Source for Resumed {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        loop {
            let entry = self.source.next()?;
            match &entry {
                Entry::Named { path, .. } if self.kept.own.has(path) => {}
                Entry::Named { path, input, .. } => {
                    let line = self.kept.line(path, input);
                    return Some(line.map_or(entry, |line| Entry::Note(Note::Kept(line))));
                }
                Entry::Note(_) => return Some(entry),
            }
        }
    }

    fn is_ready(&self) -> bool {
        self.source.is_ready()
    }
}

impl Files {
    fn find(&mut self, name: &[u8]) -> Option<&Known> {
        match self {
            Self::Table(table) => table.get(name),
            Self::Sorted(known) => {
                let is_before = |known: &io::Result<Known>| {
                    known.as_ref().is_ok_and(|known| *known.name < *name)
                };
                // After a read error, the remaining files are read again.
                while known.next_if(is_before).is_some() {}
                let known = known.peek()?.as_ref().ok()?;
                (known.name == name).then_some(known)
            }
        }
    }
}
