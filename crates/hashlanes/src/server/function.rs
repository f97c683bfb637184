//! A hash function as the server sees it: by values, so that all other code is compiled once.

use std::boxed::Box;
use std::marker::PhantomData;
use std::panic::RefUnwindSafe;
use std::vec::Vec;

use super::message::{AnyStream, Message};
use super::task::{self, Task};
use crate::function::HashFunction;
use crate::kernel;
use crate::schedule::{Stream, Tabled};

/// What a server needs of its function.
pub(super) trait Served: Sync + RefUnwindSafe {
    /// An empty message.
    fn message(&self) -> Box<Message>;

    /// Replaces the message of a stream by an empty one.
    fn restart(&self, stream: &mut dyn AnyStream);

    /// Hashes tasks side by side: see [`task::hash`].
    fn hash(&self, tasks: &mut [Task<'_>], waiting: &mut Vec<usize>, forced: Option<usize>);

    /// The row of the kernel for a number of messages.
    fn row(&self, messages: usize, forced: Option<usize>) -> usize;

    /// The name and the lanes of a row's kernel.
    fn kernel(&self, row: usize) -> Option<(&'static str, usize)>;

    /// The cycles for a block of each of some messages.
    fn cycles(&self, messages: usize, forced: Option<usize>) -> u64;
}

/// A function, as a value.
pub(super) fn served<A: HashFunction>() -> &'static dyn Served {
    &Of::<A>(PhantomData)
}

struct Of<A>(PhantomData<fn() -> A>);

impl<A: HashFunction> Served for Of<A> {
    fn message(&self) -> Box<Message> {
        Message::new(Stream::new(A::RULES, A::INITIAL))
    }

    fn restart(&self, stream: &mut dyn AnyStream) {
        *stream.of::<A::Rules>() = Stream::new(A::RULES, A::INITIAL);
    }

    fn hash(&self, tasks: &mut [Task<'_>], waiting: &mut Vec<usize>, forced: Option<usize>) {
        task::hash(A::RULES, tasks, waiting, forced);
    }

    fn row(&self, messages: usize, forced: Option<usize>) -> usize {
        A::RULES.row(messages, forced)
    }

    fn kernel(&self, row: usize) -> Option<(&'static str, usize)> {
        let kernel = A::RULES.table().rows.get(row)?;
        Some((kernel.name, kernel.lanes))
    }

    fn cycles(&self, messages: usize, forced: Option<usize>) -> u64 {
        kernel::cycles(A::RULES.table(), messages, forced)
    }
}
