//! Without the feature `objects`, there are only files.

mod found;

use std::io;
use std::path::{Path, PathBuf};

use hashlanes_files::walk::{SortedFiles, Walk, WalkError};
use hashlanes_files::{Function, Hashed, Source};
use hashlanes_tree::ReadError;

pub(crate) use found::{Contents, Found, file as content};

/// There are none.
pub(crate) struct Stores;

#[derive(clap::Args)]
#[group(id = "stores")]
pub(crate) struct Options {}

impl Options {
    pub(crate) fn open(&self) -> Stores {
        Stores
    }
}

#[derive(clap::Args)]
#[group(id = "write_back")]
pub(crate) struct WriteBackOptions {}

impl WriteBackOptions {
    pub(crate) fn begin(&self, _: &Stores, _: &[Function]) -> Option<WriteBack> {
        None
    }
}

/// There is none.
pub(crate) enum WriteBack {}

impl WriteBack {
    pub(crate) fn add(&mut self, _: &Path, _: &Hashed) -> Result<(), (PathBuf, io::Error)> {
        match *self {}
    }

    pub(crate) fn end(&mut self) -> Option<Result<(), (PathBuf, io::Error)>> {
        match *self {}
    }
}

/// There is none.
pub(crate) enum Remote {}

impl hashlanes_tree::Content for Remote {
    fn length(&self) -> u64 {
        match *self {}
    }

    fn read_exact_at(&self, _: &mut [u8], _: u64) -> Result<(), ReadError> {
        match *self {}
    }
}

pub(crate) fn remote(_: &Path) -> io::Result<Remote> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn ahead<S: Source>(source: S, _: &Stores) -> S {
    source
}

pub(crate) fn contents(
    walk: &Walk,
    roots: Vec<PathBuf>,
    _: &Stores,
) -> Result<Contents, &'static str> {
    Ok(found::opened(walk.files(roots)))
}

/// Files in the order of their paths.
pub(crate) struct Below(SortedFiles);

impl Below {
    pub(crate) fn new(walk: &Walk, roots: Vec<PathBuf>, _: &Stores) -> Result<Self, &'static str> {
        Ok(Self(walk.files(roots)))
    }

    pub(crate) fn is_ready(&self) -> bool {
        true
    }

    pub(crate) fn has_order(&self) -> bool {
        true
    }
}

impl Iterator for Below {
    type Item = Result<Found, WalkError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next()?.map(Found::from))
    }
}
