//! States after which messages come, if not all come after the same one.

use super::list::List;
use super::members::MOST;
use super::messages::Numbers;
use crate::family::{Family, State};

/// For each of many messages the state after which it comes: an object, as
/// [`Messages`](super::messages::Messages) are.
pub(crate) trait States<'s, F: Family> {
    /// That of message number `i`.
    fn state(&self, i: usize) -> &'s State<F>;

    /// Appends those of the messages with these numbers to `states`.
    fn put(&self, numbers: Numbers<'_>, states: &mut List<&'s State<F>, MOST>);
}

/// The states of many messages, if not all come after the same one.
pub(super) type EachState<'s, F> = Option<&'s dyn States<'s, F>>;

impl<'s, F: Family, S: Fn(usize) -> &'s State<F>> States<'s, F> for S {
    fn state(&self, i: usize) -> &'s State<F> {
        self(i)
    }

    fn put(&self, numbers: Numbers<'_>, states: &mut List<&'s State<F>, MOST>) {
        (0..numbers.count).for_each(|i| states.push(self(numbers.number(i))));
    }
}
