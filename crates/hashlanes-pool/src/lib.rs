//! Threads that take jobs in order, work on them in any order, and deliver the results in order.
//!
//! ```text
//!            take                  deliver
//!           ┌──────▶ worker ─────────┐
//!   Supply ─┼──────▶ worker ─────────┼──▶ Ordered ──▶ Consumer
//!           └──────▶ worker ─────────┘
//! ```
//!
//! * [`Supply`] hands out jobs, each with a [`Ticket`] that has the job's number.
//! * [`Ordered`] keeps the results that are early. A worker that delivers the next result in order
//!   passes it to the [`Consumer`], and with it all that are ready after it. Workers that deliver
//!   meanwhile leave their results and go on with their next job. No thread exists only to
//!   consume.
//! * `Ordered` also bounds how far workers may run ahead, and ends the run when the consumer fails
//!   or a worker panics.
//! * [`run`] starts the workers. The calling thread is one of them.
//!
//! ```
//! use hashlanes_pool::{Ordered, Supply, run};
//!
//! let words = Supply::new(["to", "be", "or", "not"].into_iter());
//! let mut lengths = Vec::new();
//! let ordered = Ordered::new(|length| Ok::<(), ()>(lengths.push(length)), 2);
//! run(3, || {
//!     let _guard = ordered.end_on_panic();
//!     while let Some((ticket, word)) = words.take(&ordered, true) {
//!         ordered.deliver([(ticket, word.len())]);
//!     }
//! });
//! ordered.finish()?;
//! assert_eq!(lengths, [2, 2, 2, 3]);
//! # Ok::<(), ()>(())
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod ordered;
mod threads;

pub use ordered::{Consumer, EndOnPanic, Ordered, Supply, Ticket, lock};
pub use threads::{run, start};
