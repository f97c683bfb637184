//! Hashes the buffers of all cursors by one plan.

use std::mem;
use std::ops::Range;

use hashlanes::{AnyEngine, Engine, HashFunction, Hasher, Prefix, with_function};
use hashlanes_files::{Engine as FileEngine, Hashers};

use crate::{LastLeaf, Plan};

/// The bytes that a cursor has read in a turn.
#[derive(Clone, Copy)]
pub(super) struct Piece<'b> {
    pub(super) bytes: &'b [u8],
    /// The offset in the content.
    pub(super) offset: u64,
}

/// The streams of one plan, one for each cursor.
pub(super) trait Streams: Send {
    /// Starts a cursor on other leaves.
    fn begin(&mut self, cursor: usize, leaves: Range<u64>);

    /// Hashes a piece of each cursor, which may be empty. The pieces of a cursor are consecutive.
    fn turn(&mut self, pieces: &[Piece<'_>]);

    /// Ends the content: the current leaf of a cursor has no more bytes.
    fn close(&mut self, cursor: usize);

    /// Takes the digests of a cursor's finished leaves.
    fn take(&mut self, cursor: usize) -> Vec<u8>;
}

/// Streams for content of this length.
pub(super) fn streams(plan: &Plan, cursors: usize, length: u64) -> Box<dyn Streams> {
    match plan.engine {
        FileEngine::Lanes(engine) => with_function!(engine.algorithm(), A => {
            Box::new(Typed::<A>::new(engine, plan, cursors, length))
        }),
        FileEngine::Single(_) => Box::new(Alone::new(plan, cursors, length)),
    }
}

struct Typed<A: HashFunction> {
    engine: Engine<A>,
    prefix: Prefix<A>,
    suffix: Vec<u8>,
    last_leaf: LastLeaf,
    /// Bytes of a leaf.
    leaf: u64,
    /// Where the content ends.
    length: u64,
    /// A hasher for the current leaf of each cursor.
    hashers: Vec<Hasher<A>>,
    cursors: Vec<Cursor>,
    digests: Vec<A::Digest>,
    /// Copies of leaves with their suffixes.
    copies: Vec<u8>,
}

#[derive(Clone, Default)]
struct Cursor {
    /// The current leaf if the hasher has begun one, or else the next.
    next: u64,
    /// The end of the cursor's leaves.
    end: u64,
    /// The hasher has begun a leaf.
    is_open: bool,
    digests: Vec<u8>,
}

/// The rest of a piece.
#[derive(Clone, Copy, Default)]
struct Rest<'b> {
    bytes: &'b [u8],
    offset: u64,
}

impl Cursor {
    fn new(leaves: Range<u64>) -> Self {
        Self { next: leaves.start, end: leaves.end, is_open: false, digests: Vec::new() }
    }

    /// The part of a piece with leaves of the cursor. `leaf` is their size.
    fn wanted<'b>(&self, leaf: u64, piece: Piece<'b>) -> Rest<'b> {
        let mut rest = Rest { bytes: piece.bytes, offset: piece.offset };
        if !self.is_open {
            let begin = self.next.saturating_mul(leaf);
            let end = rest.offset.saturating_add(rest.bytes.len() as u64);
            if self.next >= self.end || begin >= end {
                return Rest::default();
            }
            rest.split((begin - rest.offset) as usize);
        }
        rest
    }

    /// The end of the cursor's current leaf.
    fn leaf_end(&self, leaf: u64, length: u64) -> u64 {
        (self.next + 1).saturating_mul(leaf).min(length)
    }
}

impl<'b> Rest<'b> {
    fn split(&mut self, length: usize) -> &'b [u8] {
        let (now, later) = self.bytes.split_at(length);
        self.bytes = later;
        self.offset += length as u64;
        now
    }
}

impl<A: HashFunction> Typed<A> {
    fn new(engine: AnyEngine, plan: &Plan, cursors: usize, length: u64) -> Self {
        let engine = engine.typed::<A>();
        Self {
            engine,
            prefix: Prefix::with_engine(engine, &plan.prefix),
            suffix: plan.suffix.clone(),
            last_leaf: plan.last_leaf,
            leaf: plan.leaf,
            length,
            hashers: vec![Hasher::with_engine(engine); cursors],
            cursors: vec![Cursor::default(); cursors],
            digests: Vec::new(),
            copies: Vec::new(),
        }
    }

    /// Moves the complete leaves at the beginning of the rest of a piece to `to`. Returns their
    /// number.
    fn whole<'b>(&mut self, cursor: usize, rest: &mut Rest<'b>, to: &mut Vec<&'b [u8]>) -> usize {
        let Cursor { next, end, .. } = &mut self.cursors[cursor];
        let count = (rest.bytes.len() as u64 / self.leaf).min(*end - *next) as usize;
        if count > 0 {
            let leaf = self.leaf as usize;
            to.extend(rest.split(count * leaf).chunks_exact(leaf));
            *next += count as u64;
        }
        count
    }

    /// Hashes complete leaves. `counts` has pairs of a cursor and its number of leaves.
    fn hash_whole(&mut self, leaves: &[&[u8]], counts: &[(usize, usize)]) {
        self.digests.resize(leaves.len(), A::ZERO);
        if self.suffix.is_empty() {
            self.prefix.digest_many_into(leaves, &mut self.digests);
        } else {
            self.copies.clear();
            for leaf in leaves {
                self.copies.extend_from_slice(leaf);
                self.copies.extend_from_slice(&self.suffix);
            }
            let length = self.leaf as usize + self.suffix.len();
            self.prefix.digest_chunks_into(&self.copies, length, &mut self.digests);
        }
        let mut digests = self.digests.iter();
        for &(cursor, count) in counts {
            let to = &mut self.cursors[cursor].digests;
            digests.by_ref().take(count).for_each(|digest| to.extend_from_slice(digest.as_ref()));
        }
    }
}

impl<A: HashFunction> Streams for Typed<A> {
    fn begin(&mut self, cursor: usize, leaves: Range<u64>) {
        self.cursors[cursor] = Cursor::new(leaves);
    }

    fn turn(&mut self, pieces: &[Piece<'_>]) {
        let pairs = self.cursors.iter().zip(pieces);
        let mut rests: Vec<Rest<'_>> =
            pairs.map(|(cursor, &piece)| cursor.wanted(self.leaf, piece)).collect();
        // A second round is needed if a leaf that an earlier piece began has ended.
        while rests.iter().any(|rest| !rest.bytes.is_empty()) {
            let (mut whole, mut counts) = (Vec::new(), Vec::new());
            let mut parts = vec![&[][..]; rests.len()];
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
                        *rest = Rest::default();
                        continue;
                    }
                    self.hashers[i] = self.prefix.hasher();
                    self.cursors[i].is_open = true;
                }
                let to_end = self.cursors[i].leaf_end(self.leaf, self.length) - rest.offset;
                parts[i] = rest.split(to_end.min(rest.bytes.len() as u64) as usize);
            }
            if !whole.is_empty() {
                self.hash_whole(&whole, &counts);
            }
            if parts.iter().any(|part| !part.is_empty()) {
                self.engine.update_many(&mut self.hashers, &parts);
            }
            for (i, rest) in rests.iter_mut().enumerate() {
                if !parts[i].is_empty()
                    && rest.offset == self.cursors[i].leaf_end(self.leaf, self.length)
                {
                    self.close(i);
                    if self.cursors[i].next == self.cursors[i].end {
                        *rest = Rest::default();
                    }
                }
            }
        }
    }

    fn close(&mut self, cursor: usize) {
        let Cursor { next, is_open, digests, .. } = &mut self.cursors[cursor];
        if !mem::take(is_open) {
            return;
        }
        let hasher = &mut self.hashers[cursor];
        if self.last_leaf == LastLeaf::Zeros {
            let hashed = (hasher.len() - self.prefix.len()) as u64;
            add_zeros(hasher, self.leaf - hashed);
        }
        if !self.suffix.is_empty() {
            hasher.update(&self.suffix);
        }
        digests.extend_from_slice(hasher.finalize_reset().as_ref());
        *next += 1;
    }

    fn take(&mut self, cursor: usize) -> Vec<u8> {
        mem::take(&mut self.cursors[cursor].digests)
    }
}

fn add_zeros<A: HashFunction>(hasher: &mut Hasher<A>, mut count: u64) {
    const ZEROS: [u8; 4096] = [0; 4096];
    while count > 0 {
        let now = count.min(ZEROS.len() as u64);
        hasher.update(&ZEROS[..now as usize]);
        count -= now;
    }
}

/// Streams for a function without lanes.
struct Alone {
    /// Bytes of a leaf.
    leaf: u64,
    /// Where the content ends.
    length: u64,
    /// One message for the current leaf of each cursor.
    hashers: Vec<Hashers>,
    cursors: Vec<Cursor>,
}

impl Alone {
    fn new(plan: &Plan, cursors: usize, length: u64) -> Self {
        let Plan { prefix, suffix, last_leaf, .. } = plan;
        let is_plain = prefix.is_empty() && suffix.is_empty() && *last_leaf == LastLeaf::Short;
        assert!(is_plain, "a function without lanes takes no prefix, suffix or padding");
        let hashers = (0..cursors).map(|_| plan.engine.hashers(1)).collect();
        Self { leaf: plan.leaf, length, hashers, cursors: vec![Cursor::default(); cursors] }
    }
}

impl Streams for Alone {
    fn begin(&mut self, cursor: usize, leaves: Range<u64>) {
        // The previous content may have ended with an error within a leaf.
        self.hashers[cursor].reset(0);
        self.cursors[cursor] = Cursor::new(leaves);
    }

    fn turn(&mut self, pieces: &[Piece<'_>]) {
        for (i, &piece) in pieces.iter().enumerate() {
            let mut rest = self.cursors[i].wanted(self.leaf, piece);
            while !rest.bytes.is_empty() && self.cursors[i].next < self.cursors[i].end {
                self.cursors[i].is_open = true;
                let end = self.cursors[i].leaf_end(self.leaf, self.length);
                let now = (end - rest.offset).min(rest.bytes.len() as u64);
                self.hashers[i].update(&[rest.split(now as usize)]);
                if rest.offset == end {
                    self.close(i);
                }
            }
        }
    }

    fn close(&mut self, cursor: usize) {
        let Cursor { next, is_open, digests, .. } = &mut self.cursors[cursor];
        if mem::take(is_open) {
            digests.extend_from_slice(self.hashers[cursor].finalize_reset(0).as_bytes());
            *next += 1;
        }
    }

    fn take(&mut self, cursor: usize) -> Vec<u8> {
        mem::take(&mut self.cursors[cursor].digests)
    }
}

#[cfg(test)]
mod tests {
    use hashlanes_files::{Engine, Single};

    use super::*;

    #[test]
    fn nothing_is_left_of_an_abandoned_leaf() {
        let piece = |bytes| [Piece { bytes, offset: 0 }];
        for plan in [Plan::single(Single::Crc32, 9), Plan::new(hashlanes::Algorithm::Md5, 9)] {
            let mut streams = streams(&plan, 1, u64::MAX);
            streams.begin(0, 0..9);
            streams.turn(&piece(b"xyz"));
            streams.begin(0, 0..9);
            streams.turn(&piece(b"abc"));
            streams.close(0);
            assert_eq!(streams.take(0), Engine::digest(&plan.engine(), b"abc").as_bytes());
        }
    }
}
