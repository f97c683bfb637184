//! A hash function as the server sees it: by values, so that all other code is compiled once.

use std::any::Any;
use std::boxed::Box;
use std::marker::PhantomData;
use std::panic::RefUnwindSafe;
use std::vec::Vec;

use super::slot::Message;
use super::task::{self, Task};
use crate::function::HashFunction;
use crate::kernel;
use crate::schedule::{Scheduled, Stream, Tabled};

/// The stream of a message, of any family.
pub(super) trait AnyStream: Any + Send {
    /// Continues the message, in the kernel for one message.
    fn update(&mut self, piece: &[u8], forced: Option<usize>);

    /// Writes the digest of the message.
    fn write_digest(&self, forced: Option<usize>, digest: &mut [u8]);

    /// A message that continues from here.
    fn fork(&self) -> Box<Message>;
}

impl<R: Scheduled> AnyStream for Stream<R> {
    fn update(&mut self, piece: &[u8], forced: Option<usize>) {
        self.update(piece, forced);
    }

    fn write_digest(&self, forced: Option<usize>, digest: &mut [u8]) {
        self.write_digest(forced, digest);
    }

    fn fork(&self) -> Box<Message> {
        Message::new(self.clone())
    }
}

impl dyn AnyStream {
    /// # Panics
    /// If the message is of another family.
    pub(super) fn of<R: Scheduled>(&mut self) -> &mut Stream<R> {
        (self as &mut dyn Any).downcast_mut().expect("a server has messages of its function")
    }
}

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
