//! The states that messages continue, if they differ.

use crate::family::{Rules, State};
use crate::schedule::batch::members::MOST;
use crate::schedule::batch::messages::Numbers;
use crate::schedule::list::List;

/// The state that each of many messages continues, as a trait object like
/// [`Messages`](super::messages::Messages).
pub(crate) trait States<'s, R: Rules> {
    /// The state of message number `i`.
    fn state(&self, i: usize) -> &'s State<R>;

    /// Appends the states of the messages with these numbers to `states`.
    fn put(&self, numbers: Numbers<'_>, states: &mut List<&'s State<R>, MOST>);
}

/// The states of many messages, if they differ.
pub(crate) type EachState<'s, R> = Option<&'s dyn States<'s, R>>;

impl<'s, R: Rules, S: Fn(usize) -> &'s State<R>> States<'s, R> for S {
    fn state(&self, i: usize) -> &'s State<R> {
        self(i)
    }

    fn put(&self, numbers: Numbers<'_>, states: &mut List<&'s State<R>, MOST>) {
        (0..numbers.count).for_each(|i| states.push(self(numbers.number(i))));
    }
}
