//! A file of a manifest, with the content of all its lines.

use std::path::Path;
use std::rc::Rc;

use base16ct::lower::encode_string;
use hashlanes_files::manifest::{Entry, HashName, Time};
use hashlanes_files::name::{quote, quote_name};

use super::Trouble;

pub(super) struct Item {
    pub(super) name: Vec<u8>,
    pub(super) size: Option<u64>,
    pub(super) modified: Option<Time>,
    pub(super) digests: Vec<(HashName, Vec<u8>)>,
    /// The manifest that lists it.
    pub(super) from: Rc<Path>,
}

impl Item {
    pub(super) fn new(listed: Entry, from: Rc<Path>) -> Self {
        let Entry { name, digests, size, modified, .. } = listed;
        let digests = digests.into_iter().map(|expected| (expected.function, expected.digest));
        Self { name, size, modified, digests: digests.collect(), from }
    }

    /// The name without a leading `./`: `a` and `./a` are one file.
    pub(super) fn key(&self) -> &[u8] {
        let mut name = &self.name[..];
        while let Some(rest) = name.strip_prefix(b"./").filter(|rest| !rest.is_empty()) {
            name = rest;
        }
        name
    }

    pub(super) fn digest(&self, function: HashName) -> Option<&[u8]> {
        let found = self.digests.iter().find(|(other, _)| *other == function);
        found.map(|(_, digest)| digest.as_slice())
    }

    pub(super) fn functions(&self) -> impl Iterator<Item = HashName> {
        self.digests.iter().map(|(function, _)| *function)
    }

    /// Adds the content of another entry with the same name. If digests differ, the first one
    /// stays.
    pub(super) fn join(&mut self, other: Self, trouble: &Trouble) {
        for (function, digest) in other.digests {
            match self.digest(function) {
                None => self.digests.push((function, digest)),
                Some(first) if first == digest => {}
                Some(first) => {
                    let name = quote_name(&self.name);
                    let (first, second) = (encode_string(first), encode_string(&digest));
                    let (here, there) = (quote(&self.from), quote(&other.from));
                    let why =
                        format!("{name}: {function} is {first} in {here} and {second} in {there}");
                    trouble.of(&other.from, why);
                }
            }
        }
        self.size = self.size.or(other.size);
        self.modified = self.modified.or(other.modified);
    }

    /// About how many bytes it takes in memory.
    pub(super) fn memory(&self) -> usize {
        let digests: usize = self.digests.iter().map(|(_, digest)| digest.len() + 64).sum();
        size_of::<Self>() + self.name.len() + 32 + digests
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
