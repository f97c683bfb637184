//! Many messages in memory, each given in parts that follow each other.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Deref, Range};

use super::engine::Engine;
use crate::function::Function;
use crate::function::choice::{Many, Visit};
use crate::schedule::{Batch, Midstate, Output, Scheduled, Slices};
use crate::wipe::{self, Wiped};

/// Messages of up to this many bytes are copied together. Longer ones take less time in place.
const SHORT: usize = 1536;

/// As many short messages are hashed in one call, if they are short enough.
const MOST: usize = 128;

/// Lanes are filled by this many messages.
const LANES: usize = 32;

/// Parts of longer messages are copied together up to this many bytes, so that many parts of a few
/// bytes are hashed in few calls.
const COPIED: usize = 512;

/// Bytes after which no more messages are copied than fill the lanes.
const ENOUGH: usize = 48 << 10;

impl<A: Function> Engine<A> {
    /// The digests of many messages, each of which is given in parts: a header and a body, or any
    /// number of slices. A message's digest is that of its parts joined together.
    ///
    /// Parts are `&[u8]`, [`IoSlice`](std::io::IoSlice), `Vec<u8>` or whatever dereferences to
    /// bytes. Messages longer than 1,536 bytes are read where they are, in lanes, but for parts of
    /// up to 512 bytes; shorter ones are copied together first. A long one is fastest if all of its
    /// parts but the last one are shorter than a block.
    ///
    /// ```
    /// use hashlanes::{Engine, Sha1};
    ///
    /// // Git hashes a file behind its length.
    /// let blobs = [(b"blob 6\0", b"hello\n".as_slice()), (b"blob 0\0", b"")];
    /// let blobs = blobs.map(|(header, content)| [&header[..], content]);
    /// let ids = Engine::<Sha1>::new().digest_many_parts(&blobs);
    /// assert_eq!(ids[1], Sha1::digest("blob 0\0"));
    /// ```
    pub fn digest_many_parts<P: Deref<Target = [u8]>>(
        &self,
        messages: &[impl AsRef<[P]>],
    ) -> Vec<A::Digest> {
        let fill = |digests: &mut _| self.digest_many_parts_into(messages, digests);
        self.function().collect(messages.len(), fill)
    }

    /// Writes the digests of many messages in parts to `digests`. See
    /// [`digest_many_parts`](Self::digest_many_parts).
    ///
    /// # Panics
    /// If there are not as many digests as messages.
    pub fn digest_many_parts_into<P: Deref<Target = [u8]>>(
        &self,
        messages: &[impl AsRef<[P]>],
        digests: &mut A::Digests,
    ) {
        let part = |i: usize, part: usize| messages[i].as_ref().get(part).map(|part| &**part);
        let copy = |i: usize, most: usize, bytes: &mut Vec<u8>| {
            let end = bytes.len() + most;
            messages[i].as_ref().iter().all(|part| {
                // Each time it is asked, a caller's `Deref` may give other bytes.
                let part: &[u8] = part;
                let fits = part.len() <= end - bytes.len();
                bytes.extend_from_slice(if fits { part } else { &[] });
                fits
            })
        };
        let digests = A::bytes_mut(digests);
        assert!(
            digests.len() == messages.len() * self.digest_len(),
            "as many digests are written as there are messages: the slices must have the same \
             length"
        );
        wipe::call::<{ wipe::MANY }, _>(|| self.join(messages.len(), &part, &copy, digests));
    }

    fn join(&self, count: usize, part: Part<'_, '_>, copy: Copy<'_>, digests: &mut [u8]) {
        let bytes = Vec::with_capacity((count.min(MOST) * SHORT).min(ENOUGH + LANES * SHORT));
        let mut short = Short { bytes, places: Vec::new() };
        let (mut behind, mut long) = (Vec::new(), Vec::new());
        for number in 0..count {
            if short.add(number, SHORT, copy) {
                if short.is_full() {
                    self.hash_short(&mut short, digests);
                }
                continue;
            }
            let most = self.algorithm().block_len() - 1;
            // Filled in place, and never reallocated, so that no copy is left behind.
            behind.reserve_exact(if behind.is_empty() { MOST } else { 0 });
            behind.push(Behind::empty(number));
            let place = behind.last_mut();
            if !place.is_some_and(|place| place.fill(most, &|j| part(number, j))) {
                behind.truncate(behind.len() - 1);
                long.push(number);
            }
            if behind.len() == MOST {
                self.hash_behind(&behind, digests);
                behind.clear();
            }
            if long.len() == MOST {
                self.hash_long(&long, part, digests);
                long.clear();
            }
        }
        self.hash_short(&mut short, digests);
        self.hash_behind(&behind, digests);
        self.hash_long(&long, part, digests);
    }

    /// Hashes messages behind a few bytes each.
    fn hash_behind(&self, messages: &[Behind<'_>], digests: &mut [u8]) {
        let bodies: Vec<_> = messages.iter().map(|message| message.body).collect();
        let numbers: Vec<_> = messages.iter().map(|message| message.number).collect();
        self.put_numbered(&numbers, digests, &mut |output| {
            let bodies = Slices(&bodies);
            let many = self.many(&bodies);
            self.function().visit(HashBehind { messages, many, output });
        });
    }

    /// Writes the digests of messages with these numbers, in increasing order.
    fn put_numbered(
        &self,
        numbers: &[usize],
        digests: &mut [u8],
        hash: &mut dyn FnMut(&mut Output<'_>),
    ) {
        let (size, count) = (self.digest_len(), numbers.len());
        let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return };
        if last - first + 1 == count {
            hash(&mut Output::new(&mut digests[first * size..][..count * size], size, count));
        } else {
            let mut apart = vec![0; count * size];
            hash(&mut Output::new(&mut apart, size, count));
            put_apart(&apart, size, numbers.iter().copied(), digests);
        }
    }

    fn hash_short(&self, short: &mut Short, digests: &mut [u8]) {
        let messages: Vec<_> =
            short.places.iter().map(|(_, place)| &short.bytes[place.clone()]).collect();
        let numbers: Vec<_> = short.places.iter().map(|&(number, _)| number).collect();
        self.put_numbered(&numbers, digests, &mut |output| {
            self.function().put_digests(self.many(&Slices(&messages)), output);
        });
        short.clear();
    }

    /// A piece of each after the other, in lanes. Those that have only their last one left wait for
    /// the others.
    fn hash_long(&self, numbers: &[usize], part: Part<'_, '_>, digests: &mut [u8]) {
        if numbers.is_empty() {
            return;
        }
        let size = self.digest_len();
        let mut hashers = self.hashers(numbers.len());
        let mut copies = vec![Wiped([0; COPIED]); numbers.len()];
        // The number of each message's next part, and whether its last piece begins there.
        let mut next = vec![(0, false); numbers.len()];
        loop {
            let mut pieces = Vec::with_capacity(numbers.len());
            let all_last = next.iter().all(|&(_, is_last)| is_last);
            for ((&i, next), copy) in numbers.iter().zip(&mut next).zip(&mut copies) {
                let mut piece = &[][..];
                if all_last || !next.1 {
                    let (taken, after) = piece_at(&|j| part(i, j), next.0, &mut **copy);
                    if all_last || part(i, after).is_some() {
                        (piece, next.0) = (taken, after);
                    } else {
                        next.1 = true;
                    }
                }
                pieces.push(piece);
            }
            if all_last {
                let mut apart = vec![0; numbers.len() * size];
                hashers.finish(&pieces, &mut apart);
                return put_apart(&apart, size, numbers.iter().copied(), digests);
            }
            if pieces.iter().any(|piece| !piece.is_empty()) {
                hashers.update(&pieces);
            }
        }
    }
}

/// The next piece of a message, from part `first` on: a part, or copies of as many as fit in
/// `copy`. Also the number of the part behind it.
fn piece_at<'p>(
    part: &dyn Fn(usize) -> Option<&'p [u8]>,
    first: usize,
    copy: &'p mut [u8],
) -> (&'p [u8], usize) {
    let (mut filled, mut behind) = (0, first);
    while let Some(part) = part(behind) {
        let Some(to) = copy.get_mut(filled..filled + part.len()) else { break };
        to.copy_from_slice(part);
        filled += part.len();
        behind += 1;
    }
    if behind > first {
        return (&copy[..filled], behind);
    }
    part(first).map_or((&[], first), |part| (part, first + 1))
}

/// Copies digests to those with these numbers.
fn put_apart(apart: &[u8], size: usize, numbers: impl Iterator<Item = usize>, digests: &mut [u8]) {
    for (digest, number) in apart.chunks(size).zip(numbers) {
        digests[number * size..][..size].copy_from_slice(digest);
    }
}

/// A part of a message, both by number. `None` after the last one.
type Part<'p, 'a> = &'p dyn Fn(usize, usize) -> Option<&'a [u8]>;

/// Appends the parts of a message, which is given by its number, if they have at most this many
/// bytes. Returns whether they do; otherwise some parts may have been appended.
type Copy<'p> = &'p dyn Fn(usize, usize, &mut Vec<u8>) -> bool;

/// A message of a part behind a few bytes.
struct Behind<'a> {
    number: usize,
    /// Copies of the parts before the last one.
    carry: Wiped<[u8; MAX_BLOCK]>,
    carried: usize,
    body: &'a [u8],
}

/// The most bytes in a block of any function.
const MAX_BLOCK: usize = 168;

impl<'a> Behind<'a> {
    fn empty(number: usize) -> Self {
        Self { number, carry: Wiped([0; MAX_BLOCK]), carried: 0, body: &[] }
    }

    /// Puts a message here if all its parts but the last one have at most `most` bytes together,
    /// and that does not fit. Returns whether it is so.
    fn fill(&mut self, most: usize, part: &dyn Fn(usize) -> Option<&'a [u8]>) -> bool {
        for i in 0.. {
            let Some(body) = part(i) else { return false };
            let end = self.carried + body.len();
            if end > most {
                self.body = body;
                return part(i + 1).is_none();
            }
            self.carry[self.carried..end].copy_from_slice(body);
            self.carried = end;
        }
        false
    }
}

/// Hashes messages, each behind its few bytes.
struct HashBehind<'b, 'o, 'd> {
    messages: &'b [Behind<'b>],
    many: Many<'b, 'b>,
    output: &'o mut Output<'d>,
}

impl Visit for HashBehind<'_, '_, '_> {
    type Output = ();

    fn visit<R: Scheduled>(self, beginning: Midstate<'static, R>) {
        let carry = |i: usize| {
            let Behind { carry, carried, .. } = &self.messages[i];
            &carry[..*carried]
        };
        let batch = Batch { carries: Some(&carry), ..self.many.batch(beginning) };
        beginning.rules.hash_many(&batch, self.output);
    }
}

/// Short messages, copied together.
struct Short {
    /// As many bytes as it ever has are allocated at first, so that no copy is left behind.
    bytes: Vec<u8>,
    /// Which of all messages they are, and where.
    places: Vec<(usize, Range<usize>)>,
}

impl Short {
    /// Copies a message, if it is short. Returns whether it is.
    fn add(&mut self, number: usize, most: usize, copy: Copy<'_>) -> bool {
        let start = self.bytes.len();
        let is_short = copy(number, most, &mut self.bytes);
        if is_short {
            self.places.push((number, start..self.bytes.len()));
        } else {
            self.bytes.truncate(start);
        }
        is_short
    }

    fn is_full(&self) -> bool {
        let count = self.places.len();
        count == MOST || count.is_multiple_of(LANES) && self.bytes.len() > ENOUGH
    }

    fn clear(&mut self) {
        wipe::clear(&mut self.bytes);
        self.places.clear();
    }
}

/// Also if a caller's code panics.
#[cfg(feature = "zeroize")]
impl Drop for Short {
    fn drop(&mut self) {
        self.clear();
    }
}
