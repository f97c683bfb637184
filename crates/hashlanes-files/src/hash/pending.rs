//! A file between the source and its outcome.

use std::path::PathBuf;

use hashlanes_pool::Ticket;

use super::delivery::Done;
use super::{Content, Kind, Outcome};
use crate::system::Stamp;

/// A file that is to be hashed.
pub(super) struct Pending<N> {
    pub(super) ticket: Ticket,
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    /// The bytes, if it is no file.
    pub(super) content: Option<Box<dyn Content>>,
    /// Its stamp, if it has been read.
    pub(super) stamp: Option<Stamp>,
    /// It counts as one of the large files that are being read from a disk.
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
    /// A file of the first plan, with no cost.
    pub(super) fn numbered(number: u64, path: &std::path::Path) -> Self {
        Self {
            ticket: Ticket { number, cost: 0 },
            path: path.to_owned(),
            kind: Kind::Unknown,
            content: None,
            stamp: None,
            is_counted: false,
            plan: 0,
            note: (),
        }
    }
}
