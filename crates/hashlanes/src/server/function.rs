//! A hash function as the server sees it: by values, so that all other code is compiled once.

use std::boxed::Box;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::vec::Vec;

use super::message::{AnyStream, Message};
use super::task::{self, Task};
use crate::function::Function;
use crate::function::choice::Visit;
use crate::kernel;
use crate::schedule::{Midstate, Scheduled};

/// What a server needs of its function.
pub(super) trait Served: Send + Sync + UnwindSafe + RefUnwindSafe {
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
pub(super) fn served<A: Function>(function: A) -> Box<dyn Served> {
    struct Serve;

    impl Visit for Serve {
        type Output = Box<dyn Served>;

        fn visit<R: Scheduled>(self, beginning: Midstate<'static, R>) -> Self::Output {
            Box::new(Of(beginning))
        }
    }

    function.visit(Serve)
}

/// What precedes a message of the function.
struct Of<R: Scheduled>(Midstate<'static, R>);

// Nothing in it changes.
impl<R: Scheduled> UnwindSafe for Of<R> {}
impl<R: Scheduled> RefUnwindSafe for Of<R> {}

impl<R: Scheduled> Served for Of<R> {
    fn message(&self) -> Box<Message> {
        Message::new(self.0.stream())
    }

    fn restart(&self, stream: &mut dyn AnyStream) {
        *stream.of::<R>() = self.0.stream();
    }

    fn hash(&self, tasks: &mut [Task<'_>], waiting: &mut Vec<usize>, forced: Option<usize>) {
        task::hash(self.0.rules, tasks, waiting, forced);
    }

    fn row(&self, messages: usize, forced: Option<usize>) -> usize {
        self.0.rules.row(messages, forced)
    }

    fn kernel(&self, row: usize) -> Option<(&'static str, usize)> {
        let kernel = self.0.rules.table().rows.get(row)?;
        Some((kernel.name, kernel.lanes))
    }

    fn cycles(&self, messages: usize, forced: Option<usize>) -> u64 {
        kernel::cycles(self.0.rules.table(), messages, forced)
    }
}
