//! What is hashed: files and streams, with their names.

mod kind;
mod stream;
mod url;

use std::path::PathBuf;

pub use kind::{Kind, Origin};
pub use stream::Stream;
pub use url::{has_query, is_url, public, split_url};

/// What a source gives next.
pub enum Entry<N> {
    /// Something to hash.
    Named {
        /// Its path, or the URL of a stream. `-` is the standard input.
        path: PathBuf,
        /// Where its bytes are.
        input: Input,
        /// The index of its plan in the slice passed to [`hash_files`](crate::hash_files).
        plan: usize,
        /// Passed to the report with the digests.
        note: N,
    },
    /// Nothing to hash, only a note that the report gets in order.
    Note(N),
}

/// Where the bytes of a name are.
pub enum Input {
    /// In a file, of which this is known.
    File(Kind),
    /// Somewhere else.
    Stream(Box<dyn Stream>),
}

impl<N> Entry<N> {
    /// The entry of a file.
    pub fn file(path: PathBuf, kind: Kind, plan: usize, note: N) -> Self {
        Self::Named { path, input: Input::File(kind), plan, note }
    }

    /// The entry of a name, which may be a URL. Its path has no [secrets](public).
    pub fn named(path: PathBuf, input: Input, plan: usize, note: N) -> Self {
        match input {
            Input::File(kind) => Self::file(path, kind, plan, note),
            input => Self::Named { path: public(&path).into_owned(), input, plan, note },
        }
    }
}

impl From<Kind> for Input {
    fn from(kind: Kind) -> Self {
        Self::File(kind)
    }
}

/// Gives the names of what is hashed. [`source`](crate::source) has those that users have.
pub trait Source: Send {
    /// What the source passes to the report with an entry.
    type Note: Send;

    /// The next entry. May wait for input.
    fn next(&mut self) -> Option<Entry<Self::Note>>;

    /// The number of entries left, if known.
    fn remaining(&self) -> Option<usize> {
        None
    }

    /// Whether `next` returns without waiting for another process, such as the writer of a pipe,
    /// and without reading from anything that may also be one of the source's files.
    fn is_ready(&self) -> bool {
        true
    }
}

impl<S: Source + ?Sized> Source for Box<S> {
    type Note = S::Note;

    fn next(&mut self) -> Option<Entry<S::Note>> {
        (**self).next()
    }

    fn remaining(&self) -> Option<usize> {
        (**self).remaining()
    }

    fn is_ready(&self) -> bool {
        (**self).is_ready()
    }
}
