//! The states that messages continue, if they differ.

use super::list::List;
use super::members::MOST;
use super::messages::Numbers;
use crate::family::{Family, State};

/// The state that each of many messages continues, as a trait object like
/// [`Messages`](super::messages::Messages).
pub(crate) trait States<'s, F: Family> {
    /// The state of message number `i`.
    fn state(&self, i: usize) -> &'s State<F>;

    /// Appends the states of the messages with these numbers to `states`.
    fn put(&self, numbers: Numbers<'_>, states: &mut List<&'s State<F>, MOST>);
}

/// The states of many messages, if they differ.
pub(super) type EachState<'s, F> = Option<&'s dyn States<'s, F>>;

impl<'s, F: Family, S: Fn(usize) -> &'s State<F>> States<'s, F> for S {
    fn state(&self, i: usize) -> &'s State<F> {
        self(i)
    }

    fn put(&self, numbers: Numbers<'_>, states: &mut List<&'s State<F>, MOST>) {
        (0..numbers.count).for_each(|i| states.push(self(numbers.number(i))));
    }
}
