//! Determines which special file is read next.

use std::collections::BTreeMap;

use super::special::Special;

/// The special files that were pulled, in the order of the source.
///
/// Workers pull entries in order, but several look at their entries at the same time. So a special
/// file is read after all entries before it have been looked at and all special files among them
/// are finished.
pub(super) struct Turns {
    /// Files that no worker has started, by number.
    waiting: BTreeMap<u64, Special>,
    /// A worker is reading one.
    under_way: bool,
    /// The first number of each pull that has not been looked at. At most one per worker.
    unseen: Vec<u64>,
}

impl Turns {
    pub(super) fn new() -> Self {
        Self { waiting: BTreeMap::new(), under_way: false, unseen: Vec::new() }
    }

    /// Records that a worker pulls entries starting at this number.
    pub(super) fn pulled(&mut self, first: u64) {
        self.unseen.push(first);
    }

    /// Records that all special files of the pull that starts at this number have been pushed.
    pub(super) fn looked_at(&mut self, first: u64) {
        self.unseen.retain(|&unseen| unseen != first);
    }

    pub(super) fn push(&mut self, special: Special) {
        self.waiting.insert(special.file.ticket.number, special);
    }

    /// The number of the file whose turn it is.
    pub(super) fn next(&self) -> Option<u64> {
        let (&number, _) = self.waiting.first_key_value()?;
        let is_next = !self.under_way && self.unseen.iter().all(|&unseen| number < unseen);
        is_next.then_some(number)
    }

    /// Takes the file whose turn it is. The caller must call `finished` later.
    pub(super) fn take(&mut self) -> Option<Special> {
        let number = self.next()?;
        self.under_way = true;
        self.waiting.remove(&number)
    }

    pub(super) fn finished(&mut self) {
        self.under_way = false;
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.under_way
    }

    /// Whether no file is waiting for its turn.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether all special files that were pulled are finished.
    pub(super) fn all_done(&self) -> bool {
        self.waiting.is_empty() && !self.under_way && self.unseen.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::pending::Pending;
    use super::*;

    fn push(turns: &mut Turns, number: u64) {
        let file = Pending::numbered(number, "-".as_ref());
        turns.push(Special { file, opened: None });
    }

    #[test]
    fn files_take_turns_in_the_order_of_the_source() {
        let mut turns = Turns::new();
        turns.pulled(0);
        turns.pulled(10);
        push(&mut turns, 17);
        push(&mut turns, 12);
        turns.looked_at(10);
        // There may be one among the first ten.
        assert_eq!(turns.next(), None);
        assert!(turns.take().is_none());
        push(&mut turns, 3);
        turns.looked_at(0);
        for number in [3, 12, 17] {
            assert_eq!(turns.next(), Some(number));
            assert_eq!(turns.take().unwrap().file.ticket.number, number);
            // One at a time.
            assert!(turns.take().is_none());
            assert!(!turns.all_done());
            turns.finished();
        }
        assert!(turns.all_done());
    }

    #[test]
    fn a_turn_does_not_wait_for_later_files() {
        let mut turns = Turns::new();
        turns.pulled(0);
        push(&mut turns, 3);
        turns.looked_at(0);
        turns.pulled(10);
        assert_eq!(turns.next(), Some(3));
    }
}
