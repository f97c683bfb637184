//! Hash functions that were guessed from the length of a digest.

use std::collections::BTreeMap;

use hashlanes_files::manifest::{Expected, HashName};
use hashlanes_files::{Function, Hashed};

/// The guessed functions of a manifest, each with whether a digest of it matched.
#[derive(Default)]
pub(in crate::commands) struct Guessed(BTreeMap<HashName, bool>);

impl Guessed {
    /// Counts the digests of a file that was read.
    pub(in crate::commands) fn compare(&mut self, expected: &[Expected], hashed: &Hashed) {
        for (expected, digest) in expected.iter().zip(&hashed.digests) {
            if expected.guessed {
                *self.0.entry(expected.function).or_default() |=
                    expected.digest == digest.as_bytes();
            }
        }
    }

    /// Counts a digest of each of these functions that matched.
    pub(in crate::commands) fn matched(&mut self, functions: &[HashName]) {
        for function in functions {
            self.0.insert(*function, true);
        }
    }

    /// Names the functions that plain lines may belong to, if no digest matched the guessed one.
    pub(in crate::commands) fn hints(&self) -> impl Iterator<Item = String> {
        self.unmatched().filter_map(hint)
    }

    /// These functions.
    pub(in crate::commands) fn others(&self) -> Vec<Function> {
        self.unmatched().flat_map(others).collect()
    }

    fn unmatched(&self) -> impl Iterator<Item = HashName> {
        self.0.iter().filter(|(_, matched)| !**matched).map(|(taken, _)| *taken)
    }
}

/// The functions whose plain lines look like those of this one.
fn others(taken: HashName) -> impl Iterator<Item = Function> {
    let others = taken.look_alikes().filter(move |other| *other != taken);
    others.filter_map(|other| Function::from_name(&other.name()).ok())
}

fn hint(taken: HashName) -> Option<String> {
    let others: Vec<String> = others(taken).map(|other| other.to_string()).collect();
    (!others.is_empty()).then(|| {
        format!(
            "lines with {} digits were taken for {taken}, and none matched; if they are of \
             another function, name it with -a: {}",
            2 * taken.digest_len(),
            others.join(", ")
        )
    })
}
