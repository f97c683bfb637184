//! A file that was pulled, on its way to its outcome.

use std::path::PathBuf;

use hashlanes_pool::Ticket;

use super::delivery::Done;
use super::{Kind, Outcome};
use crate::system::Stamp;

/// A file that is to be hashed.
pub(super) struct Pending<N> {
    pub(super) ticket: Ticket,
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    /// Its stamp, if the system has been asked for it.
    pub(super) stamp: Option<Stamp>,
    /// It is one of the large files that a disk is reading.
    pub(super) is_counted: bool,
    pub(super) plan: usize,
    pub(super) note: N,
}

impl<N> Pending<N> {
    pub(super) fn done(self, outcome: Outcome) -> (Ticket, Done<N>) {
        (self.ticket, Done::File { path: self.path, note: self.note, outcome })
    }
}

#[cfg(test)]
impl Pending<()> {
    /// A file of the first plan that nobody counts.
    pub(super) fn numbered(number: u64, path: &std::path::Path) -> Self {
        Self {
            ticket: Ticket { number, cost: 0 },
            path: path.to_owned(),
            kind: Kind::Unknown,
            stamp: None,
            is_counted: false,
            plan: 0,
            note: (),
        }
    }
}
