//! Parts of one message, which threads hash on their own, and one of them puts together.

#[cfg(feature = "blake3")]
use super::xof::Xof;
#[cfg(feature = "blake3")]
use crate::family::blake3::MODE;
#[cfg(feature = "blake3")]
use crate::function::Blake3;
use crate::wipe::{Wiped, WipedVec};

/// Values of 32 bytes.
pub(super) type Values = WipedVec<Wiped<[u8; 32]>>;

/// What a part adds to its message.
pub struct Part {
    /// The function: the mode of BLAKE3, or what KangarooTwelve has in its place.
    pub(super) kind: u32,
    /// Where it begins in the message, and its length.
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) values: Values,
}

/// A long message of [`Xof<Blake3>`](Xof) or of [`KangarooTwelve`](super::kangaroo::KangarooTwelve)
/// whose parts are hashed on several threads.
///
/// ```
/// use std::thread;
///
/// use hashlanes::Blake3;
/// use hashlanes::xof::{InParts, Xof};
///
/// let message = vec![1; 100_000];
/// let mut xof = Xof::<Blake3>::new();
/// let parts = message.chunks_exact(32 << 10).enumerate();
/// let parts: Vec<_> = thread::scope(|scope| {
///     let empty = &xof;
///     let hash = |(i, part)| scope.spawn(move || empty.hash_part(part, (i as u64) * (32 << 10)));
///     parts.map(hash).collect::<Vec<_>>().into_iter().map(|part| part.join().unwrap()).collect()
/// });
/// for part in &parts {
///     xof.append(part);
/// }
/// // The rest is not a whole part.
/// xof.update(&message[3 * (32 << 10)..]);
/// let mut digest = [0; 32];
/// xof.finalize().read(&mut digest);
/// assert_eq!(digest, Blake3::digest(&message));
/// ```
pub trait InParts: Send + Sync {
    /// Hashes the part of a message that begins at `offset`. What this message has already makes no
    /// difference, apart from its key.
    ///
    /// # Panics
    /// If the length is not a power of two from 16 KiB to 1 MiB, or the offset is not a multiple of
    /// it.
    fn hash_part(&self, bytes: &[u8], offset: u64) -> Part;

    /// Appends a part that was hashed.
    ///
    /// # Panics
    /// If it does not begin where this message ends, or is of another function or mode. A part
    /// under another key of BLAKE3 leads to a wrong digest.
    fn append(&mut self, part: &Part);
}

impl Part {
    /// A part without its values.
    pub(super) fn begin(kind: u32, bytes: &[u8], offset: u64) -> Self {
        let length = bytes.len() as u64;
        assert!(
            length.is_power_of_two() && (16 << 10..=1 << 20).contains(&length),
            "a part of {length} bytes: it must be a power of two from 16 KiB to 1 MiB"
        );
        assert!(
            offset.is_multiple_of(length),
            "a part of {length} bytes at {offset}: it must begin at a multiple of its length"
        );
        Self { kind, offset, length, values: WipedVec::new() }
    }

    /// Panics if the message so far is of another function, or does not end where the part begins.
    pub(super) fn assert_follows(&self, kind: u32, length: u64) {
        assert!(self.kind == kind, "a part of another function, or of another mode of BLAKE3");
        let offset = self.offset;
        assert!(offset == length, "a part at {offset}, but the message has {length} bytes so far");
    }
}

#[cfg(feature = "blake3")]
impl InParts for Xof<Blake3> {
    fn hash_part(&self, bytes: &[u8], offset: u64) -> Part {
        let mut part = Part::begin(kind_of(self), bytes, offset);
        for value in self.stream().hash_halves(bytes, offset, self.forced()) {
            part.values.push(Wiped(value));
        }
        part
    }

    fn append(&mut self, part: &Part) {
        part.assert_follows(kind_of(self), self.stream().length() as u64);
        let forced = self.forced();
        let stream = self.stream_mut();
        let halves = Wiped([*part.values[0], *part.values[1]]);
        stream.append_halves(&halves, part.length as usize, forced);
    }
}

/// The mode of BLAKE3.
#[cfg(feature = "blake3")]
fn kind_of(xof: &Xof<Blake3>) -> u32 {
    xof.stream().midstate().state[MODE]
}
