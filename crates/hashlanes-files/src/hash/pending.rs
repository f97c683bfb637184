//! A file between the source and its outcome.

use std::path::PathBuf;

use hashlanes_pool::Ticket;

use super::delivery::Done;
use super::{Input, Outcome};
use crate::system::Stamp;

/// Something that is to be hashed, with where its bytes are: a [`Kind`](super::Kind) if it is known
/// to be a file, and nothing once it was opened.
pub(super) struct Pending<I = Input> {
    pub(super) ticket: Ticket,
    pub(super) path: PathBuf,
    pub(super) input: I,
    /// Its stamp, if it has been read.
    pub(super) stamp: Option<Stamp>,
    /// The stamp is from before the file was opened: it may be that of another file.
    pub(super) is_before: bool,
    /// It counts as one of the large files that are being read from a disk.
    pub(super) is_counted: bool,
    pub(super) plan: usize,
}

impl<I> Pending<I> {
    /// The same with another input, and the one that it had.
    pub(super) fn with<J>(self, input: J) -> (Pending<J>, I) {
        let Self { ticket, path, input: old, stamp, is_before, is_counted, plan } = self;
        (Pending { ticket, path, input, stamp, is_before, is_counted, plan }, old)
    }

    pub(super) fn done(self, outcome: Outcome) -> (Ticket, Done) {
        (self.ticket, Done::File { number: self.ticket.number, path: self.path, outcome })
    }
}

#[cfg(test)]
impl<I: From<super::Kind>> Pending<I> {
    /// A file of the first plan, with no cost.
    pub(super) fn numbered(number: u64, path: &std::path::Path) -> Self {
        Self {
            ticket: Ticket { number, cost: 0 },
            path: path.to_owned(),
            input: super::Kind::Unknown.into(),
            stamp: None,
            is_before: false,
            is_counted: false,
            plan: 0,
        }
    }
}
