//! The slots with something to hash, in two lines: the ready ones, and those that have only
//! started.
//!
//! A line is a linked list of *seats* in one vector. Entering, leaving from any position and
//! changing the line take a few stores. They allocate nothing: whoever makes a slot reserves a seat
//! for it first ([`Queue::room`], [`Queue::grow`]), so nobody calls the allocator while holding the
//! queue's lock.

use std::collections::TryReserveError;
use std::vec::Vec;

/// A line of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Slots with enough bytes for a good round.
    Ready,
    /// The other slots. A round takes some of them if it has lanes to spare.
    Started,
}

/// The number of a seat, valid until its guest leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket(usize);

/// No seat: the end of a list.
const NONE: usize = usize::MAX;

pub(super) struct Seat<T> {
    /// `None` if the seat is free.
    guest: Option<T>,
    line: Line,
    /// The seat before this one in its line.
    before: usize,
    /// The seat after this one in its line, or in the list of free seats.
    after: usize,
}

/// Where a line begins and ends.
#[derive(Clone, Copy)]
struct Ends {
    first: usize,
    last: usize,
    len: usize,
}

pub(super) struct Queue<T> {
    seats: Vec<Seat<T>>,
    /// The first free seat.
    free: usize,
    ready: Ends,
    started: Ends,
}

impl<T> Queue<T> {
    pub(super) const fn new() -> Self {
        let empty = Ends { first: NONE, last: NONE, len: 0 };
        Self { seats: Vec::new(), free: NONE, ready: empty, started: empty }
    }

    /// Memory for at least `count` seats, for [`grow`](Queue::grow).
    pub(super) fn room(count: usize) -> Result<Vec<Seat<T>>, TryReserveError> {
        let mut room = Vec::new();
        room.try_reserve_exact(count.next_power_of_two().max(16))?;
        Ok(room)
    }

    /// Moves to `room` if that has more seats, and leaves the unneeded memory there, to be freed
    /// without the lock. Returns how many seats there are.
    pub(super) fn grow(&mut self, room: &mut Vec<Seat<T>>) -> usize {
        if room.capacity() > self.seats.capacity() {
            room.append(&mut self.seats);
            core::mem::swap(room, &mut self.seats);
        }
        self.seats.capacity()
    }

    /// Slots in both lines.
    pub(super) fn len(&self) -> usize {
        self.ready.len + self.started.len
    }

    /// Slots in the ready line.
    pub(super) fn ready(&self) -> usize {
        self.ready.len
    }

    fn ends(&mut self, line: Line) -> &mut Ends {
        match line {
            Line::Ready => &mut self.ready,
            Line::Started => &mut self.started,
        }
    }

    /// Enters at the end of a line.
    pub(super) fn enter(&mut self, guest: T, line: Line) -> Ticket {
        let seat = self.free;
        if seat == NONE {
            debug_assert!(self.seats.len() < self.seats.capacity(), "a seat for each slot");
            self.seats.push(Seat { guest: Some(guest), line, before: NONE, after: NONE });
            self.link(self.seats.len() - 1, line)
        } else {
            self.free = self.seats[seat].after;
            self.seats[seat].guest = Some(guest);
            self.link(seat, line)
        }
    }

    /// Takes a slot out, wherever it is.
    pub(super) fn leave(&mut self, ticket: Ticket) -> T {
        let seat = &mut self.seats[ticket.0];
        let guest = seat.guest.take().expect("a ticket is valid until its slot leaves");
        self.unlink(ticket.0);
        self.seats[ticket.0].after = self.free;
        self.free = ticket.0;
        guest
    }

    /// Moves a slot to the end of the ready line, unless it is in that line.
    pub(super) fn make_ready(&mut self, ticket: Ticket) {
        if self.seats[ticket.0].line == Line::Started {
            self.unlink(ticket.0);
            self.link(ticket.0, Line::Ready);
        }
    }

    /// Offers slots to `choose`, the ready ones first and each line from its beginning, until it
    /// has accepted `count`. They leave, and `chosen` gets them with what `choose` returned.
    ///
    /// A line is abandoned after `count` refusals.
    pub(super) fn take<M>(
        &mut self,
        count: usize,
        choose: impl Fn(&T) -> Option<M>,
        mut chosen: impl FnMut(T, M),
    ) {
        let mut left = count;
        for line in [Line::Ready, Line::Started] {
            let mut refused = 0;
            let mut seat = self.ends(line).first;
            while left > 0 && refused < count && seat != NONE {
                let after = self.seats[seat].after;
                match self.seats[seat].guest.as_ref().and_then(&choose) {
                    Some(made) => {
                        chosen(self.leave(Ticket(seat)), made);
                        left -= 1;
                    }
                    None => refused += 1,
                }
                seat = after;
            }
        }
    }

    /// Appends a seat to a line.
    fn link(&mut self, seat: usize, line: Line) -> Ticket {
        let ends = self.ends(line);
        let last = core::mem::replace(&mut ends.last, seat);
        ends.len += 1;
        if last == NONE {
            ends.first = seat;
        } else {
            self.seats[last].after = seat;
        }
        let place = &mut self.seats[seat];
        (place.line, place.before, place.after) = (line, last, NONE);
        Ticket(seat)
    }

    /// Takes a seat out of its line.
    fn unlink(&mut self, seat: usize) {
        let Seat { line, before, after, .. } = self.seats[seat];
        let ends = self.ends(line);
        ends.len -= 1;
        if before == NONE {
            ends.first = after;
        }
        if after == NONE {
            ends.last = before;
        }
        if before != NONE {
            self.seats[before].after = after;
        }
        if after != NONE {
            self.seats[after].before = before;
        }
    }
}

#[cfg(all(test, feature = "all", not(loom)))]
mod tests {
    use std::vec;

    use super::*;

    /// A queue of numbers that does the same with two vectors.
    #[derive(Default)]
    struct Plain {
        ready: Vec<u32>,
        started: Vec<u32>,
    }

    impl Plain {
        fn leave(&mut self, guest: u32) {
            self.ready.retain(|&other| other != guest);
            self.started.retain(|&other| other != guest);
        }

        fn take(&mut self, count: usize, busy: impl Fn(u32) -> bool) -> Vec<u32> {
            let mut taken = Vec::new();
            for line in [&self.ready, &self.started] {
                let mut refused = 0;
                for &guest in line {
                    if taken.len() == count || refused == count {
                        break;
                    }
                    if busy(guest) {
                        refused += 1;
                    } else {
                        taken.push(guest);
                    }
                }
            }
            taken.iter().for_each(|&guest| self.leave(guest));
            taken
        }
    }

    #[test]
    fn it_does_as_two_vectors_whatever_the_order_of_calls() {
        let mut random = fastrand::Rng::with_seed(3);
        let (mut queue, mut plain) = (Queue::new(), Plain::default());
        let mut tickets: Vec<(u32, Ticket)> = Vec::new();
        for step in 0..50_000_u32 {
            let some = (!tickets.is_empty()).then(|| random.usize(..tickets.len().max(1)));
            match (random.u8(..10), some) {
                (0..4, _) if tickets.len() < 100 => {
                    queue.grow(&mut Queue::room(tickets.len() + 1).unwrap());
                    let ready = random.bool();
                    let line = if ready { Line::Ready } else { Line::Started };
                    tickets.push((step, queue.enter(step, line)));
                    if ready { &mut plain.ready } else { &mut plain.started }.push(step);
                }
                (4..6, Some(i)) => {
                    let (guest, ticket) = tickets.swap_remove(i);
                    assert_eq!(queue.leave(ticket), guest);
                    plain.leave(guest);
                }
                (6..8, Some(i)) => {
                    let (guest, ticket) = tickets[i];
                    queue.make_ready(ticket);
                    if !plain.ready.contains(&guest) {
                        plain.leave(guest);
                        plain.ready.push(guest);
                    }
                }
                (8, _) => {
                    let (count, busy) = (random.usize(..6), random.u32(1..5));
                    let is_busy = |guest: u32| guest.is_multiple_of(busy + 1);
                    let mut taken = Vec::new();
                    queue.take(
                        count,
                        |&guest| (!is_busy(guest)).then_some(guest),
                        |guest, same| {
                            assert_eq!(guest, same);
                            taken.push(guest);
                        },
                    );
                    assert_eq!(taken, plain.take(count, is_busy));
                    tickets.retain(|(guest, _)| !taken.contains(guest));
                }
                _ => {}
            }
            assert_eq!(queue.len(), plain.ready.len() + plain.started.len());
            assert_eq!(queue.ready(), plain.ready.len());
        }
        assert!(queue.seats.len() <= 100, "seats are used again");
    }

    #[test]
    fn entering_uses_the_room_that_was_made() {
        let mut queue = Queue::new();
        let mut room = Queue::room(5).unwrap();
        assert!(queue.grow(&mut room) >= 5);
        let memory = queue.seats.as_ptr();
        let tickets: Vec<_> = (0..5).map(|guest| queue.enter(guest, Line::Ready)).collect();
        assert_eq!(queue.seats.as_ptr(), memory);
        let mut room = Queue::room(queue.seats.capacity() + 1).unwrap();
        queue.grow(&mut room);
        assert_ne!(queue.seats.as_ptr(), memory);
        assert_eq!(room.as_ptr(), memory, "the old memory comes back");
        let guests: Vec<_> = tickets.into_iter().map(|ticket| queue.leave(ticket)).collect();
        assert_eq!(guests, [0, 1, 2, 3, 4]);
        assert_eq!(queue.grow(&mut vec![]), queue.seats.capacity(), "never to less");
    }
}
