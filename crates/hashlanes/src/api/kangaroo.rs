//! KangarooTwelve (RFC 9861 section 3): a tree whose leaves TurboSHAKE hashes side by side.
//!
//! The message and the customization string are cut into chunks of 8 KiB. The first one goes into
//! the final node, every other one is a leaf, and the final node continues with the leaves' values.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::ending::{Ending, is_short};
use super::leaves::{
    CHUNK, FINAL, FIRST, LEAF, SINGLE, absorb_chunks, length_encode, value_length,
};
#[cfg(feature = "alloc")]
use super::parts::{InParts, Part};
#[cfg(feature = "alloc")]
use super::saved::{DAMAGED, SavedStateError, Under};
#[cfg(feature = "alloc")]
use super::saved_xof::{parse, save};
use super::xof::squeeze_many;
use super::xof::{EVERY_OUTPUT, EVERY_READER, Xof, XofReader, in_parts};
#[cfg(feature = "alloc")]
use crate::family::{Rules, keccak};
use crate::function::{TurboShake128, TurboShake256, TurboShakeFunction};
#[cfg(feature = "alloc")]
use crate::schedule::Stream;
use crate::wipe::{self, Wiped};

/// The most leaves that are hashed together.
const LEAVES: usize = 32;

/// Bytes of the longest value of a leaf.
const VALUE: usize = 64;

/// A message of KangarooTwelve in pieces: [`Kt128`] or [`Kt256`] (RFC 9861).
///
/// The output is read in the same way as that of a [`Xof`]. A long message fills the lanes, as its
/// chunks of 8 KiB are hashed side by side.
///
/// ```
/// use hashlanes::xof::{Kt128, squeeze_many};
///
/// // One message.
/// let mut output = [0; 4];
/// Kt128::new().update("a").update("b").finalize("").read(&mut output);
///
/// // Many messages.
/// let mut readers = Kt128::absorb_many(&["ab", "another length"], "");
/// let mut outputs = [vec![0; 4], vec![0; 700]];
/// squeeze_many(&mut readers, &mut outputs);
/// assert_eq!(outputs[0], output);
/// ```
#[derive(Clone)]
pub struct KangarooTwelve<X: TurboShakeFunction> {
    /// The first chunk, and the values of the leaves that are complete.
    node: Xof<X>,
    /// The current leaf.
    leaf: Xof<X>,
    /// The number of bytes so far.
    length: u64,
}

/// KT128 (RFC 9861 section 3.2), with 128 bits of security.
pub type Kt128 = KangarooTwelve<TurboShake128>;

/// KT256 (RFC 9861 section 3.3), with 256 bits of security.
pub type Kt256 = KangarooTwelve<TurboShake256>;

impl<X: TurboShakeFunction> Default for KangarooTwelve<X> {
    fn default() -> Self {
        Self::new()
    }
}

impl<X: TurboShakeFunction> KangarooTwelve<X> {
    /// An empty message.
    pub fn new() -> Self {
        Self { node: Xof::with_domain(SINGLE), leaf: Xof::with_domain(LEAF), length: 0 }
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let bytes = bytes.as_ref();
        let room = (CHUNK as u64).saturating_sub(self.length) as usize;
        let (first, mut rest) = bytes.split_at(room.min(bytes.len()));
        self.node.update(first);
        self.length += first.len() as u64;
        if self.length == CHUNK as u64 && !rest.is_empty() {
            self.node.update(FIRST);
        }
        while !rest.is_empty() {
            rest = self.update_leaves(rest);
        }
        self
    }

    /// Appends bytes after the first chunk: whole leaves, or a part of one. Returns the rest.
    fn update_leaves<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let held = (self.length % CHUNK as u64) as usize;
        let whole = (bytes.len() / CHUNK).min(LEAVES);
        let count = if held == 0 && whole > 0 { whole * CHUNK } else { CHUNK - held };
        let (now, later) = bytes.split_at(count.min(bytes.len()));
        self.length = self.length.wrapping_add(now.len() as u64);
        match now.as_chunks() {
            (leaves @ [_, ..], []) if held == 0 => self.put_leaves(leaves),
            _ => {
                self.leaf.update(now);
                if self.length.is_multiple_of(CHUNK as u64) {
                    self.end_leaf();
                }
            }
        }
        later
    }

    /// Hashes whole leaves, at most `LEAVES`.
    fn put_leaves(&mut self, leaves: &[[u8; CHUNK]]) {
        for_each_value::<X>(&mut readers_of(leaves)[..leaves.len()], |value| {
            self.node.update(value);
        });
    }

    /// Ends the current leaf, and begins another one.
    fn end_leaf(&mut self) {
        for_each_value(&mut [self.leaf.finalize()], |value| {
            self.node.update(value);
        });
        self.leaf = Xof::with_domain(LEAF);
    }

    /// What a part of a message, of whole chunks, adds to the final node.
    #[cfg(feature = "alloc")]
    pub(super) fn hash_chunks(part: &mut Part, bytes: &[u8]) {
        let (chunks, _) = bytes.as_chunks::<CHUNK>();
        // The first chunk of the message is no leaf.
        let first = usize::from(part.offset == 0);
        let mut push = |bytes: &[u8]| {
            bytes.as_chunks().0.iter().for_each(|value| part.values.push(Wiped(*value)));
        };
        push(chunks[..first].as_flattened());
        for leaves in chunks[first..].chunks(LEAVES) {
            for_each_value::<X>(&mut readers_of(leaves)[..leaves.len()], &mut push);
        }
    }

    /// Appends a part, whose values are complete.
    #[cfg(feature = "alloc")]
    pub(super) fn append_chunks(&mut self, part: &Part) {
        let mut values = &part.values[..];
        if part.offset == 0 {
            let (first, leaves) = values.split_at(CHUNK / 32);
            first.iter().for_each(|bytes| {
                self.node.update(**bytes);
            });
            self.node.update(FIRST);
            values = leaves;
        }
        values.iter().for_each(|value| {
            self.node.update(**value);
        });
        self.length += part.length;
    }

    /// Ends the message, which is hashed with a string that customizes the function, and returns
    /// its output. `self` is unchanged.
    pub fn finalize(&self, customization: impl AsRef<[u8]>) -> XofReader<X> {
        let customization = customization.as_ref();
        wipe::call::<{ wipe::ALONE }, _>(|| self.clone().end(customization))
    }

    fn end(mut self, customization: &[u8]) -> XofReader<X> {
        self.update(customization).update(length_encode(customization.len() as u64).as_slice());
        if self.length > CHUNK as u64 {
            if !self.length.is_multiple_of(CHUNK as u64) {
                self.end_leaf();
            }
            let leaves = (self.length - 1) / CHUNK as u64;
            self.node.update(length_encode(leaves).as_slice()).update([0xff; 2]);
            self.node.set_domain(FINAL);
        }
        self.node.finalize()
    }

    /// Absorbs many messages with the same customization string.
    #[cfg(feature = "alloc")]
    pub fn absorb_many(
        messages: &[impl AsRef<[u8]>],
        customization: impl AsRef<[u8]>,
    ) -> Vec<XofReader<X>> {
        let mut readers = alloc::vec![XofReader::empty(); messages.len()];
        Self::absorb_many_into(messages, customization, &mut readers);
        readers
    }

    /// Absorbs many messages with the same customization string, and overwrites the readers.
    /// Messages of any lengths share lanes, and so do the chunks of long ones, if the string has
    /// at most 134 bytes. Allocates nothing.
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn absorb_many_into(
        messages: &[impl AsRef<[u8]>],
        customization: impl AsRef<[u8]>,
        readers: &mut [XofReader<X>],
    ) {
        assert_eq!(messages.len(), readers.len(), "{EVERY_READER}");
        let customization = customization.as_ref();
        wipe::call::<{ wipe::TREE }, _>(|| Self::absorb_all(messages, customization, readers));
    }

    fn absorb_all(
        messages: &[impl AsRef<[u8]>],
        customization: &[u8],
        readers: &mut [XofReader<X>],
    ) {
        let length = length_encode(customization.len() as u64);
        let Some(ending) = Ending::new(customization, &length) else {
            for (reader, message) in readers.iter_mut().zip(messages) {
                *reader = Self::new().update(message).finalize(customization);
            }
            return;
        };
        let single = Xof::with_domain(SINGLE);
        // Without leaves, the queue would gain nothing by what it takes to keep it.
        if messages.iter().all(|message| message.as_ref().len() + ending.length <= CHUNK) {
            single.absorb_ended(messages, readers, &|_| ending);
        } else if !single.absorb_copies(messages, readers, &|_| ending) {
            absorb_chunks(messages, readers, ending.as_slice());
            wipe::stack::<{ wipe::MANY }>();
        }
    }

    /// Fills `outputs[i]` with the first bytes of the output for `messages[i]`, for each `i`, all
    /// with the same customization string, side by side. Messages and outputs may have any lengths.
    /// Allocates nothing. See [`Xof::output_many`].
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn output_many(
        messages: &[impl AsRef<[u8]>],
        customization: impl AsRef<[u8]>,
        outputs: &mut [impl AsMut<[u8]>],
    ) {
        assert_eq!(messages.len(), outputs.len(), "{EVERY_OUTPUT}");
        let customization = customization.as_ref();
        let length = length_encode(customization.len() as u64);
        wipe::call::<{ wipe::TREE }, _>(|| match Ending::new(customization, &length) {
            Some(ending) if messages.iter().all(is_short) => {
                Xof::<X>::with_domain(SINGLE).output_ended(messages, outputs, &|_| ending);
            }
            _ => in_parts(messages, outputs, |_, part, readers| {
                Self::absorb_many_into(part, customization, readers);
            }),
        });
    }

    /// The same, of this value's function.
    pub(super) fn same_output_many(
        &self,
        messages: &[impl AsRef<[u8]>],
        customization: &[u8],
        outputs: &mut [impl AsMut<[u8]>],
    ) {
        Self::output_many(messages, customization, outputs);
    }
}

#[cfg(feature = "alloc")]
impl<X: TurboShakeFunction> KangarooTwelve<X> {
    /// Saves the message so far, in the format of [`Hasher::save`](crate::Hasher::save), with the
    /// states and the held back bytes of the final node and of the current leaf.
    pub fn save(&self) -> Vec<u8> {
        save::<X>(name::<X>(), Under::Nothing, |saved| {
            self.node.stream().save(saved);
            self.leaf.stream().save(saved);
            self.length.into()
        })
    }

    /// Continues a message that was [saved](Self::save).
    ///
    /// # Errors
    /// As of [`Hasher::restore`](crate::Hasher::restore).
    pub fn restore(saved: impl AsRef<[u8]>) -> Result<Self, SavedStateError> {
        let saved = parse::<X>(saved.as_ref(), name::<X>())?;
        saved.assert_under(false)?;
        let length = u64::try_from(saved.length).map_err(|_| DAMAGED)?;
        // The first chunk is in the final node, and the others are leaves.
        let (in_node, in_leaf) = match length.checked_sub(CHUNK as u64) {
            None | Some(0) => (length, 0),
            Some(leaves) => {
                let values = leaves / CHUNK as u64 * value_length::<X>() as u64;
                ((CHUNK + FIRST.len()) as u64 + values, leaves % CHUNK as u64)
            }
        };
        let held = (in_node % X::RULES.block() as u64) as usize;
        let node = keccak::LANES * 8 + held;
        let (node, leaf) = saved.body.split_at_checked(node).ok_or(DAMAGED)?;
        let restored = |domain, length: u64, body| {
            let stream = Stream::new(X::RULES, X::with_suffix(domain));
            let stream = stream.restored(length.into(), body).ok_or(DAMAGED)?;
            Ok(Xof::of_stream(stream, None))
        };
        let (node, leaf) = (restored(SINGLE, in_node, node)?, restored(LEAF, in_leaf, leaf)?);
        Ok(Self { node, leaf, length })
    }
}

#[cfg(feature = "alloc")]
fn name<X: TurboShakeFunction>() -> &'static str {
    if value_length::<X>() == 32 { "kt128" } else { "kt256" }
}

#[cfg(feature = "alloc")]
impl<X: TurboShakeFunction> InParts for KangarooTwelve<X> {
    fn hash_part(&self, bytes: &[u8], offset: u64) -> Part {
        let mut part = Part::begin(kind::<X>(), bytes, offset);
        wipe::call::<{ wipe::MANY }, _>(|| Self::hash_chunks(&mut part, bytes));
        part
    }

    fn append(&mut self, part: &Part) {
        part.assert_follows(kind::<X>(), self.length);
        self.append_chunks(part);
    }
}

/// What tells parts of one function from those of others: more than any mode of BLAKE3.
#[cfg(feature = "alloc")]
fn kind<X: TurboShakeFunction>() -> u32 {
    1 << 16 | value_length::<X>() as u32
}

/// Readers of the values of whole leaves, at most `LEAVES`.
fn readers_of<X: TurboShakeFunction>(leaves: &[[u8; CHUNK]]) -> [XofReader<X>; LEAVES] {
    let mut readers = core::array::from_fn(|_| XofReader::empty());
    Xof::<X>::with_domain(LEAF).absorb_many_into(leaves, &mut readers[..leaves.len()]);
    readers
}

/// Passes on the values of leaves.
fn for_each_value<X: TurboShakeFunction>(readers: &mut [XofReader<X>], each: impl FnMut(&[u8])) {
    let mut values = Wiped([[0; VALUE]; LEAVES]);
    let mut values = values.each_mut().map(|value| &mut value[..value_length::<X>()]);
    let values = &mut values[..readers.len()];
    squeeze_many(readers, values);
    values.iter().map(|value| &**value).for_each(each);
}

impl<X: TurboShakeFunction> core::fmt::Debug for KangarooTwelve<X> {
    /// Shows nothing of the message.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("KangarooTwelve").field("bytes", &self.length).finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<X: TurboShakeFunction> zeroize::ZeroizeOnDrop for KangarooTwelve<X> {}
