//! Messages that wait to be hashed.

use crate::schedule::batch::messages::Numbers;

/// Messages in the order in which they are hashed: those of a range, or selected ones of a window.
pub(crate) struct Queue<'q> {
    /// The number of the range's or window's first message.
    first: usize,
    places: Option<&'q mut [u16]>,
    /// The messages before this position are hashed or set aside.
    at: usize,
    end: usize,
    /// How many are set aside, at the start of the places.
    aside: usize,
}

impl<'q> Queue<'q> {
    /// Messages `0..count` in the given order.
    pub(crate) fn all(count: usize) -> Self {
        Self { first: 0, places: None, at: 0, end: count, aside: 0 }
    }

    /// The messages at these places of the window that begins with message `first`.
    pub(crate) fn of_window(first: usize, places: &'q mut [u16]) -> Self {
        let end = places.len();
        Self { first, places: Some(places), at: 0, end, aside: 0 }
    }

    /// Whether the messages are those of a range, and not selected ones.
    pub(crate) fn is_range(&self) -> bool {
        self.places.is_none()
    }

    /// How many messages wait.
    pub(crate) fn left(&self) -> usize {
        self.end - self.at
    }

    /// The number of the first message of a range that waits.
    pub(crate) fn first(&self) -> usize {
        self.first + self.at
    }

    /// At most `count` of the messages that wait, after the first `skip`.
    pub(crate) fn next(&self, skip: usize, count: usize) -> Numbers<'_> {
        let begin = self.end.min(self.at + skip);
        let end = self.end.min(begin + count);
        match &self.places {
            None => Numbers { first: self.first + begin, count: end - begin, places: None },
            Some(places) => {
                Numbers { first: self.first, count: end - begin, places: Some(&places[begin..end]) }
            }
        }
    }

    /// Records that the next `count` messages are hashed.
    pub(crate) fn advance(&mut self, count: usize) {
        self.at += count;
    }

    /// Takes the next message, and returns its number.
    pub(crate) fn pop(&mut self) -> usize {
        let number = self.next(0, 1).number(0);
        self.advance(1);
        number
    }

    /// Sets the next `count` messages aside. Returns false if the queue is a range, which has no
    /// memory for them.
    pub(crate) fn set_aside(&mut self, count: usize) -> bool {
        let Some(places) = &mut self.places else { return false };
        places.copy_within(self.at..self.at + count, self.aside);
        self.at += count;
        self.aside += count;
        true
    }

    /// The places of the messages that were set aside or still wait.
    pub(crate) fn rest(mut self) -> &'q [u16] {
        self.set_aside(self.left());
        let aside = self.aside;
        self.places.map_or(&[], |places| &places[..aside])
    }
}

#[cfg(all(test, feature = "all"))]
mod tests {
    use super::*;

    #[test]
    fn messages_set_aside_come_first_in_the_rest() {
        let mut places = [10, 11, 12, 13, 14, 15, 16];
        let mut queue = Queue::of_window(100, &mut places);
        assert_eq!(queue.next(1, 2).places, Some(&[11, 12][..]));
        assert_eq!(queue.pop(), 110);
        assert!(queue.set_aside(2));
        queue.advance(1);
        assert!(queue.set_aside(1));
        assert_eq!(queue.left(), 2);
        assert_eq!(queue.next(0, 9).count, 2);
        assert_eq!(queue.rest(), [11, 12, 14, 15, 16]);
    }

    #[test]
    fn a_range_keeps_its_order() {
        let mut queue = Queue::all(5);
        queue.advance(2);
        assert!(!queue.set_aside(1));
        let Numbers { first, count, places } = queue.next(1, 9);
        assert_eq!((first, count, places), (3, 2, None));
        assert_eq!((queue.pop(), queue.first(), queue.left()), (2, 3, 2));
    }
}
