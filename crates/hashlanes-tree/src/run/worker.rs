//! A worker: reads and hashes on one core.

use hashlanes_files::Control;

use super::Progress;
use super::buffer::Buffers;
use super::order::Order;
use super::segments::{Segment, Segments};
use super::streams::{Piece, Streams, streams};
use crate::{Content, Error};

pub(super) struct Worker<'a, 's, C: ?Sized> {
    content: &'a C,
    segments: &'a Segments<'a>,
    order: &'a Order<'s>,
    progress: Progress,
    buffers: Buffers,
    cursors: Vec<Option<Cursor>>,
    /// One for each plan.
    streams: Vec<Box<dyn Streams>>,
}

/// A place in a segment.
struct Cursor {
    number: u64,
    segment: Segment,
    position: u64,
    /// Bytes that were read in this turn.
    read: usize,
}

impl<'a, 's, C: Content + ?Sized> Worker<'a, 's, C> {
    pub(super) fn new(
        content: &'a C,
        segments: &'a Segments<'a>,
        order: &'a Order<'s>,
        progress: Progress,
    ) -> Self {
        let count = segments.cursors();
        let plans = segments.region.plans.iter();
        Self {
            content,
            segments,
            order,
            progress,
            buffers: Buffers::new(count, segments.buffer()),
            cursors: (0..count).map(|_| None).collect(),
            streams: plans.map(|plan| streams(plan, count, segments.length())).collect(),
        }
    }

    /// Works until all segments are handed out and the own ones done, or the run fails.
    pub(super) fn run(mut self) {
        let _guard = FailOnPanic(self.order);
        while !self.order.is_over() {
            self.take_segments();
            if self.cursors.iter().all(Option::is_none) {
                if !self.order.wait() {
                    return;
                }
                continue;
            }
            if let Err(error) = self.read() {
                return self.order.fail(error);
            }
            self.hash();
            self.advance();
        }
    }

    fn take_segments(&mut self) {
        let free = self.cursors.iter().filter(|cursor| cursor.is_none()).count();
        let mut numbers = self.order.take(free as u64);
        for (i, place) in self.cursors.iter_mut().enumerate().filter(|(_, c)| c.is_none()) {
            let Some(number) = numbers.next() else { return };
            let segment = self.segments.segment(number);
            for (streams, leaves) in self.streams.iter_mut().zip(&segment.leaves) {
                streams.begin(i, leaves.clone());
            }
            let position = segment.bytes.start;
            *place = Some(Cursor { number, segment, position, read: 0 });
        }
    }

    fn read(&mut self) -> Result<(), Error> {
        for (i, cursor) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = cursor else { continue };
            let left = cursor.segment.bytes.end - cursor.position;
            cursor.read = left.min(self.buffers.size() as u64) as usize;
            let buffer = &mut self.buffers.get_mut(i)[..cursor.read];
            self.content.read_exact_at(buffer, cursor.position)?;
        }
        Ok(())
    }

    fn hash(&mut self) {
        let piece = |(i, cursor): (usize, &Option<Cursor>)| match cursor {
            Some(cursor) => {
                Piece { bytes: &self.buffers.get(i)[..cursor.read], offset: cursor.position }
            }
            None => Piece { bytes: &[], offset: 0 },
        };
        let pieces: Vec<Piece<'_>> = self.cursors.iter().enumerate().map(piece).collect();
        self.streams.iter_mut().for_each(|streams| streams.turn(&pieces));
    }

    /// Moves the cursors on, and delivers the segments that are done.
    fn advance(&mut self) {
        let mut bytes = 0;
        for (i, place) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = place else { continue };
            let own_end = cursor.segment.own_end;
            let before = cursor.position.min(own_end);
            cursor.position += cursor.read as u64;
            bytes += cursor.position.min(own_end) - before;
            if cursor.position == cursor.segment.bytes.end {
                let digests = self.streams.iter_mut().map(|streams| streams.take(i)).collect();
                self.order.deliver(cursor.number, digests);
                *place = None;
            }
        }
        if self.progress == Progress::Count {
            Control::add_bytes(self.order.control(), bytes);
        }
    }
}

/// Lets the others end if this worker panics, as it may in a sink or in the content.
struct FailOnPanic<'a, 's>(&'a Order<'s>);

impl Drop for FailOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(Error::Stopped);
        }
    }
}
