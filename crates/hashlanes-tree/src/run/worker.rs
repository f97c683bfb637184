//! A worker: reads and hashes on one core.

use std::ops::Range;

use hashlanes_files::Control;
use hashlanes_pool::{Consumer, Ordered, Supply, Ticket};

use super::Progress;
use super::buffer::Buffers;
use super::segments::{Segment, Segments};
use super::streams::{Piece, Streams};
use crate::{Content, Error, Sink};

/// What all workers of a run share.
pub(super) struct Run<'a, 's> {
    pub(super) content: &'a dyn Content,
    pub(super) segments: &'a Segments<'a>,
    pub(super) numbers: Supply<Range<u64>>,
    pub(super) ordered: Ordered<SegmentDigests, Sinks<'s>>,
    pub(super) control: &'a Control,
    pub(super) progress: Progress,
}

/// The digests of a segment's leaves, for each plan.
pub(super) type SegmentDigests = Vec<Vec<u8>>;

/// The sink of each plan.
pub(super) struct Sinks<'s>(pub(super) Vec<&'s mut dyn Sink>);

impl Consumer<SegmentDigests> for Sinks<'_> {
    type Error = Error;

    fn consume(&mut self, digests: SegmentDigests) -> Result<(), Error> {
        for (sink, digests) in self.0.iter_mut().zip(digests).filter(|(_, d)| !d.is_empty()) {
            sink.leaves(&digests).map_err(Error::Sink)?;
        }
        Ok(())
    }
}

pub(super) struct Worker<'a, 's> {
    run: &'a Run<'a, 's>,
    buffers: Buffers,
    cursors: Vec<Option<Cursor>>,
    /// One for each plan.
    streams: Vec<Streams>,
}

/// A position in a segment.
struct Cursor {
    ticket: Ticket,
    segment: Segment,
    position: u64,
    /// Bytes that were read in this turn.
    read: usize,
}

impl<'a, 's> Worker<'a, 's> {
    pub(super) fn new(run: &'a Run<'a, 's>) -> Self {
        let segments = run.segments;
        let count = segments.cursors;
        let plans = segments.region.plans.iter();
        Self {
            run,
            buffers: Buffers::new(count, segments.buffer),
            cursors: (0..count).map(|_| None).collect(),
            streams: plans.map(|plan| Streams::new(plan, count, segments.region.length)).collect(),
        }
    }

    /// Works until no segments are left, or the run fails or is stopped.
    pub(super) fn run(mut self) {
        let ordered = &self.run.ordered;
        let _guard = ordered.end_on_panic();
        while self.take_segments() {
            if self.run.control.is_stopped() {
                return ordered.fail(Error::Stopped);
            }
            if let Err(error) = self.read() {
                return ordered.fail(error);
            }
            self.hash();
            self.advance();
            if ordered.has_ended() {
                return;
            }
        }
    }

    /// Puts a segment on each free cursor, as long as there is room. `false` if there is nothing
    /// left to do.
    fn take_segments(&mut self) -> bool {
        let Run { numbers, ordered, segments, control, .. } = self.run;
        let mut is_idle = self.cursors.iter().all(Option::is_none);
        let mut i = 0;
        while i < self.cursors.len() {
            if self.cursors[i].is_some() {
                i += 1;
                continue;
            }
            if control.is_stopped() {
                return true;
            }
            let Some((ticket, number)) = numbers.take(ordered, is_idle) else { break };
            let segment = segments.segment(number);
            if self.is_hole(&segment) {
                let leaves = self.streams.iter_mut().zip(&segment.leaves);
                let digests = leaves.map(|(streams, leaves)| streams.zeros(leaves)).collect();
                ordered.deliver([(ticket, digests)]);
                self.count(segment.own_end - segment.bytes.start);
                continue;
            }
            is_idle = false;
            for (streams, leaves) in self.streams.iter_mut().zip(&segment.leaves) {
                streams.begin(i, leaves.clone());
            }
            let position = segment.bytes.start;
            self.cursors[i] = Some(Cursor { ticket, segment, position, read: 0 });
        }
        !is_idle
    }

    /// Whether all leaves of a segment are complete, and known to be zeros.
    fn is_hole(&self, segment: &Segment) -> bool {
        let plans = self.run.segments.region.plans.iter().zip(&segment.leaves);
        let mut ends = plans.map(|(plan, leaves)| leaves.end.saturating_mul(plan.leaf));
        ends.all(|end| end <= segment.bytes.end) && self.run.content.is_hole(segment.bytes.clone())
    }

    fn count(&self, bytes: u64) {
        if self.run.progress == Progress::Count {
            self.run.control.add_bytes(bytes);
        }
    }

    fn read(&mut self) -> Result<(), Error> {
        for (i, cursor) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = cursor else { continue };
            let left = cursor.segment.bytes.end - cursor.position;
            cursor.read = left.min(self.buffers.size() as u64) as usize;
            let buffer = &mut self.buffers.get_mut(i)[..cursor.read];
            self.run.content.read_exact_at(buffer, cursor.position)?;
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

    /// Advances the cursors, and delivers finished segments.
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
                self.run.ordered.deliver([(cursor.ticket, digests)]);
                *place = None;
            }
        }
        self.count(bytes);
    }
}

#[cfg(test)]
mod tests {
    use hashlanes::Algorithm;

    use super::super::{Job, Settings, hash_content};
    use crate::{Content, LastLeaf, Plan, ReadError};

    const SIZE: u64 = 9_000_001;
    const HOLE: std::ops::Range<u64> = 1_000_000..8_500_000;

    /// Bytes around a hole, of which little may be read.
    struct Holey(std::sync::atomic::AtomicU64);

    impl Content for Holey {
        fn length(&self) -> u64 {
            SIZE
        }

        fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
            self.0.fetch_add(buffer.len() as u64, std::sync::atomic::Ordering::Relaxed);
            for (at, byte) in (offset..).zip(buffer) {
                *byte = if HOLE.contains(&at) { 0 } else { (at % 251) as u8 };
            }
            Ok(())
        }

        fn is_hole(&self, range: std::ops::Range<u64>) -> bool {
            HOLE.contains(&range.start) && range.end <= HOLE.end
        }
    }

    #[test]
    fn leaves_in_holes_are_hashed_once_and_not_read() {
        let byte = |at| if HOLE.contains(&at) { 0 } else { (at % 251) as u8 };
        let dense: Vec<u8> = (0..SIZE).map(byte).collect();
        let padded = Plan::new(Algorithm::Sha256, 4096).with_last_leaf(LastLeaf::Zeros);
        for plans in [
            vec![Plan::new(Algorithm::Md5, 100_000).with_prefix([7; 9])],
            vec![padded, Plan::new(Algorithm::Sha1, 1 << 18)],
            vec![Plan::new(Algorithm::Blake3, 1000).with_suffix([1])],
        ] {
            let holey = Holey(0.into());
            let digests = |content: &dyn Content| {
                let mut digests = vec![Vec::new(); plans.len()];
                let pairs = plans.iter().zip(&mut digests);
                let mut jobs: Vec<_> = pairs.map(|(plan, to)| Job::new(plan, to)).collect();
                hash_content(content, &mut jobs, &Settings::default()).unwrap();
                drop(jobs);
                digests
            };
            assert_eq!(digests(&holey), digests(&&dense[..]), "{plans:?}");
            assert!(holey.0.into_inner() < SIZE / 2, "{plans:?}");
        }
    }
}
