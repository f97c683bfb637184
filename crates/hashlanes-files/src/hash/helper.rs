//! What a thread does for files that are hashed in parts: workers between other files, and helpers
//! all the time.

use hashlanes_pool::Ticket;

use super::delivery::{Delivery, Done};
use super::parts::PART;
use super::queue::Queue;

/// A thread that hashes parts.
#[derive(Default)]
pub(super) struct Helper {
    buffer: Box<[u8]>,
}

impl Helper {
    /// Hashes the next part of a file. If it was the last one, the file is `done`. `false` if there
    /// is no part.
    pub(super) fn hash_next(
        &mut self,
        queue: &Queue<'_>,
        delivery: &Delivery<'_>,
        done: &mut Vec<(Ticket, Done)>,
    ) -> bool {
        let Some((file, ticket)) = queue.take_part() else { return false };
        if self.buffer.is_empty() {
            self.buffer = vec![0; PART].into();
        }
        let buffer = &mut *self.buffer;
        let control = delivery.control();
        let read = file.hash(ticket.number, buffer);
        if matches!(read, Ok(Some(_))) {
            control.add_bytes(PART as u64);
        }
        if let Some(pending) = file.deliver(ticket, read) {
            let outcome = file.end(buffer, |bytes| control.add_bytes(bytes as u64));
            queue.finished_large(&pending);
            done.push(pending.done(outcome));
        }
        true
    }

    /// Hashes parts until there are none.
    pub(super) fn run(mut self, queue: &Queue<'_>, delivery: &Delivery<'_>) {
        let _guard = delivery.end_on_panic();
        let mut done = Vec::new();
        while !delivery.is_stopped() && self.hash_next(queue, delivery, &mut done) {
            if !done.is_empty() {
                delivery.deliver(&mut done);
            }
        }
        delivery.leave();
        queue.wake();
    }
}
