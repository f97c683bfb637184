//! A file of a manifest, with the content of all its lines.

use std::path::Path;
use std::rc::Rc;

use base16ct::lower::encode_string;
use hashlanes_files::manifest::{Entry, HashName};
use hashlanes_files::name::{quote, quote_name};

use super::Trouble;

pub(super) struct Item {
    pub(super) entry: Entry,
    /// The manifest that lists it.
    pub(super) from: Rc<Path>,
}

impl Item {
    /// The name without a leading `./`: `a` and `./a` are one file.
    pub(super) fn key(&self) -> &[u8] {
        let mut name = &self.entry.name[..];
        while let Some(rest) = name.strip_prefix(b"./").filter(|rest| !rest.is_empty()) {
            name = rest;
        }
        name
    }

    pub(super) fn digest(&self, function: HashName) -> Option<&[u8]> {
        let found = self.entry.digests.iter().find(|other| other.function == function);
        found.map(AsRef::as_ref)
    }

    pub(super) fn functions(&self) -> impl Iterator<Item = HashName> {
        self.entry.digests.iter().map(|expected| expected.function)
    }

    /// Adds the content of another entry with the same name. If digests differ, the first one
    /// stays.
    pub(super) fn join(&mut self, other: Self, trouble: &Trouble) {
        for expected in other.entry.digests {
            let function = expected.function;
            match self.digest(function) {
                None => self.entry.digests.push(expected),
                Some(first) if first == expected.digest => {}
                Some(first) => {
                    let name = quote_name(&self.entry.name);
                    let (first, second) = (encode_string(first), encode_string(&expected.digest));
                    let (here, there) = (quote(&self.from), quote(&other.from));
                    let why =
                        format!("{name}: {function} is {first} in {here} and {second} in {there}");
                    trouble.of(&other.from, why);
                }
            }
        }
        self.entry.size = self.entry.size.or(other.entry.size);
        self.entry.modified = self.entry.modified.or(other.entry.modified);
    }

    /// About how many bytes it takes in memory.
    pub(super) fn memory(&self) -> usize {
        let digests = self.entry.digests.iter().map(|expected| expected.digest.len() + 64);
        size_of::<Self>() + self.entry.name.len() + 32 + digests.sum::<usize>()
    }
}

/// The functions of some items, each once.
pub(super) fn union<'i>(items: impl Iterator<Item = &'i Item>) -> Vec<HashName> {
    let mut functions = Vec::new();
    items.for_each(|item| add(&mut functions, item));
    functions
}

/// Adds the functions of an item that are missing.
pub(super) fn add(functions: &mut Vec<HashName>, item: &Item) {
    for function in item.functions() {
        if !functions.contains(&function) {
            functions.push(function);
        }
    }
}
