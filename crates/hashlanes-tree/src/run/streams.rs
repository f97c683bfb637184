//! Hashes the buffers of all cursors by one plan.

use std::mem;
use std::ops::Range;

use hashlanes_files::{Engine, Hashers};

use crate::affixed::Affixed;
use crate::{LastLeaf, Plan};

/// The bytes that a cursor has read in a turn, or the rest of them.
#[derive(Clone, Copy, Default)]
pub(super) struct Piece<'b> {
    pub(super) bytes: &'b [u8],
    /// The offset in the content.
    pub(super) offset: u64,
}

/// The streams of one plan, one for each cursor.
pub(super) struct Streams {
    plan: Plan,
    /// Hashes complete leaves side by side. `None` for a function without lanes.
    lanes: Option<Affixed>,
    /// Where the content ends.
    length: u64,
    /// One message for the current leaf of each cursor.
    hashers: Hashers,
    cursors: Vec<Cursor>,
    /// The digest of a leaf of zeros, once it is needed.
    zeros: Option<Vec<u8>>,
}

#[derive(Clone, Default)]
struct Cursor {
    /// The current leaf if the hasher has begun one, or else the next.
    next: u64,
    /// The end of the cursor's leaves.
    end: u64,
    /// The hasher has begun a leaf.
    is_open: bool,
    /// The bytes of the leaf that it has hashed.
    hashed: u64,
    digests: Vec<u8>,
}

impl Cursor {
    fn new(leaves: Range<u64>) -> Self {
        Self { next: leaves.start, end: leaves.end, ..Self::default() }
    }

    /// The part of a piece with leaves of the cursor. `leaf` is their size.
    fn wanted<'b>(&self, leaf: u64, mut piece: Piece<'b>) -> Piece<'b> {
        if !self.is_open {
            let begin = self.next.saturating_mul(leaf);
            let end = piece.offset.saturating_add(piece.bytes.len() as u64);
            if self.next >= self.end || begin >= end {
                return Piece::default();
            }
            piece.split((begin - piece.offset) as usize);
        }
        piece
    }

    /// The end of the cursor's current leaf.
    fn leaf_end(&self, leaf: u64, length: u64) -> u64 {
        (self.next + 1).saturating_mul(leaf).min(length)
    }
}

impl<'b> Piece<'b> {
    fn split(&mut self, length: usize) -> &'b [u8] {
        let (now, later) = self.bytes.split_at(length);
        self.bytes = later;
        self.offset += length as u64;
        now
    }
}

impl Streams {
    /// Streams for content of this length.
    pub(super) fn new(plan: &Plan, cursors: usize, length: u64) -> Self {
        let Plan { engine, prefix, suffix, last_leaf, .. } = plan;
        let lanes = match engine {
            Engine::Lanes(engine) => Some(Affixed::new(*engine, prefix, suffix)),
            Engine::Single(_) => {
                let is_plain =
                    prefix.is_empty() && suffix.is_empty() && *last_leaf == LastLeaf::Short;
                assert!(is_plain, "a function without lanes takes no prefix, suffix or padding");
                None
            }
        };
        let hashers = engine.hashers(cursors);
        Self {
            plan: plan.clone(),
            lanes,
            length,
            hashers,
            cursors: vec![Cursor::default(); cursors],
            zeros: None,
        }
    }

    /// Starts a cursor on other leaves.
    pub(super) fn begin(&mut self, cursor: usize, leaves: Range<u64>) {
        // The previous content may have ended with an error within a leaf.
        if self.cursors[cursor].is_open {
            self.hashers.reset(cursor);
        }
        self.cursors[cursor] = Cursor::new(leaves);
    }

    /// Hashes a piece of each cursor, which may be empty. The pieces of a cursor are consecutive.
    pub(super) fn turn(&mut self, pieces: &[Piece<'_>]) {
        let pairs = self.cursors.iter().zip(pieces);
        let mut rests: Vec<Piece<'_>> =
            pairs.map(|(cursor, &piece)| cursor.wanted(self.plan.leaf, piece)).collect();
        // A second round is needed if a leaf that an earlier piece began has ended.
        while rests.iter().any(|rest| !rest.bytes.is_empty()) {
            self.round(&mut rests);
        }
    }

    /// Hashes the complete leaves at the beginning of each rest, then the beginning of the leaf
    /// that follows them; or else the next part of the current leaf.
    fn round(&mut self, rests: &mut [Piece<'_>]) {
        let (mut whole, mut counts) = (Vec::new(), Vec::new());
        let mut parts = vec![&[][..]; rests.len()];
        let mut opened = Vec::new();
        for (i, rest) in rests.iter_mut().enumerate() {
            if rest.bytes.is_empty() {
                continue;
            }
            if !self.cursors[i].is_open {
                let count = self.whole(i, rest, &mut whole);
                if count > 0 {
                    counts.push((i, count));
                }
                if rest.bytes.is_empty() || self.cursors[i].next == self.cursors[i].end {
                    *rest = Piece::default();
                    continue;
                }
                self.cursors[i].is_open = true;
                opened.push(i);
            }
            let to_end = self.cursors[i].leaf_end(self.plan.leaf, self.length) - rest.offset;
            parts[i] = rest.split(to_end.min(rest.bytes.len() as u64) as usize);
            self.cursors[i].hashed += parts[i].len() as u64;
        }
        self.hash_whole(&whole, &counts);
        append(&mut self.hashers, rests.len(), &opened, &self.plan.prefix);
        if parts.iter().any(|part| !part.is_empty()) {
            self.hashers.update(&parts);
        }
        let ends = |&i: &usize| {
            let end = self.cursors[i].leaf_end(self.plan.leaf, self.length);
            !parts[i].is_empty() && rests[i].offset == end
        };
        let ended: Vec<usize> = (0..rests.len()).filter(ends).collect();
        self.close(&ended);
        for i in ended {
            if self.cursors[i].next == self.cursors[i].end {
                rests[i] = Piece::default();
            }
        }
    }

    /// Moves the complete leaves at the beginning of the rest of a piece to `to`. Returns their
    /// number.
    fn whole<'b>(&mut self, cursor: usize, rest: &mut Piece<'b>, to: &mut Vec<&'b [u8]>) -> usize {
        let Cursor { next, end, .. } = &mut self.cursors[cursor];
        let count = (rest.bytes.len() as u64 / self.plan.leaf).min(*end - *next) as usize;
        if count > 0 {
            let leaf = self.plan.leaf as usize;
            to.extend(rest.split(count * leaf).chunks_exact(leaf));
            *next += count as u64;
        }
        count
    }

    /// Hashes complete leaves. `counts` has pairs of a cursor and its number of leaves.
    fn hash_whole(&mut self, leaves: &[&[u8]], counts: &[(usize, usize)]) {
        let digests = match &mut self.lanes {
            Some(lanes) => lanes.digest_many(leaves),
            None => {
                let mut digests = Vec::new();
                for leaf in leaves {
                    digests.extend_from_slice(self.plan.engine.digest(leaf).as_bytes());
                }
                digests
            }
        };
        let mut rest = &*digests;
        for &(cursor, count) in counts {
            let (own, others) = rest.split_at(count * self.plan.digest_len());
            self.cursors[cursor].digests.extend_from_slice(own);
            rest = others;
        }
    }

    /// Ends the content: the current leaves of these cursors have no more bytes.
    pub(super) fn close(&mut self, cursors: &[usize]) {
        let mut open = cursors.to_vec();
        open.retain(|&i| mem::take(&mut self.cursors[i].is_open));
        if open.is_empty() {
            return;
        }
        if self.plan.last_leaf == LastLeaf::Zeros {
            self.append_zeros(&open);
        }
        append(&mut self.hashers, self.cursors.len(), &open, &self.plan.suffix);
        for i in open {
            let cursor = &mut self.cursors[i];
            cursor.digests.extend_from_slice(self.hashers.finalize_reset(i).as_bytes());
            cursor.next += 1;
            cursor.hashed = 0;
        }
    }

    /// Appends zeros to the current leaves of these cursors, up to the size of a leaf.
    fn append_zeros(&mut self, cursors: &[usize]) {
        const ZEROS: [u8; 4096] = [0; 4096];
        let mut pieces = vec![&[][..]; self.cursors.len()];
        loop {
            for &i in cursors {
                let left = self.plan.leaf - self.cursors[i].hashed;
                pieces[i] = &ZEROS[..left.min(ZEROS.len() as u64) as usize];
                self.cursors[i].hashed += pieces[i].len() as u64;
            }
            if pieces.iter().all(|piece| piece.is_empty()) {
                return;
            }
            self.hashers.update(&pieces);
        }
    }

    /// The digests of these leaves, all of which are complete and consist of zeros.
    pub(super) fn zeros(&mut self, leaves: &Range<u64>) -> Vec<u8> {
        let one = self.zeros.get_or_insert_with(|| {
            let mut streams = Self::new(&self.plan, 1, self.plan.leaf);
            streams.begin(0, 0..1);
            let (zeros, mut offset) = ([0; 4096], 0);
            while offset < self.plan.leaf {
                let bytes = &zeros[..(self.plan.leaf - offset).min(4096) as usize];
                streams.turn(&[Piece { bytes, offset }]);
                offset += bytes.len() as u64;
            }
            streams.take(0)
        });
        one.repeat((leaves.end - leaves.start) as usize)
    }

    /// Takes the digests of a cursor's finished leaves.
    pub(super) fn take(&mut self, cursor: usize) -> Vec<u8> {
        mem::take(&mut self.cursors[cursor].digests)
    }
}

/// Appends bytes to some of `count` messages.
fn append(hashers: &mut Hashers, count: usize, messages: &[usize], bytes: &[u8]) {
    if messages.is_empty() || bytes.is_empty() {
        return;
    }
    let mut pieces = vec![&[][..]; count];
    messages.iter().for_each(|&message| pieces[message] = bytes);
    hashers.update(&pieces);
}

#[cfg(test)]
mod tests {
    use hashlanes_files::Single;

    use super::*;

    #[test]
    fn nothing_is_left_of_an_abandoned_leaf() {
        let piece = |bytes| [Piece { bytes, offset: 0 }];
        for plan in [Plan::single(Single::Crc32, 9), Plan::new(hashlanes::Algorithm::Md5, 9)] {
            let mut streams = Streams::new(&plan, 1, u64::MAX);
            streams.begin(0, 0..9);
            streams.turn(&piece(b"xyz"));
            streams.begin(0, 0..9);
            streams.turn(&piece(b"abc"));
            streams.close(&[0]);
            assert_eq!(streams.take(0), Engine::digest(&plan.engine(), b"abc").as_bytes());
        }
    }
}
