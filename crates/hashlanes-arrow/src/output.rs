//! Output formats of digests.

use std::sync::Arc;

use arrow_array::{ArrayRef, FixedSizeBinaryArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use hashlanes::{Algorithm, Engine};

use crate::Error;

/// The output format of digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Output {
    /// Bytes: `FixedSizeBinary` of the digest's length.
    #[default]
    Binary,
    /// Lower-case hexadecimal digits: `Utf8`.
    Hex,
}

impl Output {
    /// The type of an array of digests.
    pub fn data_type(self, algorithm: Algorithm) -> DataType {
        match self {
            // A digest has at most 64 bytes.
            Self::Binary => DataType::FixedSizeBinary(algorithm.digest_len() as i32),
            Self::Hex => DataType::Utf8,
        }
    }

    /// Bytes of a digest in the array.
    fn size(self, algorithm: Algorithm) -> usize {
        match self {
            Self::Binary => algorithm.digest_len(),
            Self::Hex => 2 * algorithm.digest_len(),
        }
    }

    /// Bytes for the digests of `rows` rows, `valid` of them not null. A null takes as much space
    /// as a digest in an array of fixed size, and none among strings.
    pub(crate) fn bytes(self, algorithm: Algorithm, rows: usize, valid: usize) -> usize {
        match self {
            Self::Binary => rows * self.size(algorithm),
            Self::Hex => valid * self.size(algorithm),
        }
    }

    /// Memory for the digests of an array.
    ///
    /// # Errors
    /// If strings would exceed the range of their offsets, or there is not enough memory.
    pub(crate) fn memory(
        self,
        algorithm: Algorithm,
        rows: usize,
        valid: usize,
    ) -> Result<Vec<u8>, Error> {
        self.check_room(algorithm, valid)?;
        let of_row = self.size(algorithm) + size_of::<i32>();
        check_memory(rows, rows.checked_mul(of_row))?;
        // A zeroed allocation gets fresh pages from the system without writing to them.
        // `MutableBuffer` would write the zeros.
        Ok(vec![0; self.bytes(algorithm, rows, valid)])
    }

    /// Checks that an array can hold `digests` digests.
    pub(crate) fn check_room(self, algorithm: Algorithm, digests: usize) -> Result<(), Error> {
        let at_most = i32::MAX as usize / self.size(algorithm);
        match self {
            Self::Hex if digests > at_most => Err(Error::TooManyDigits { at_most, digests }),
            _ => Ok(()),
        }
    }

    /// The array of the digests in `bytes`.
    pub(crate) fn array(
        self,
        algorithm: Algorithm,
        bytes: Vec<u8>,
        rows: usize,
        nulls: Option<NullBuffer>,
    ) -> ArrayRef {
        let bytes = Buffer::from_vec(bytes);
        match self {
            Self::Binary => {
                let size = algorithm.digest_len() as i32;
                Arc::new(FixedSizeBinaryArray::new(size, bytes, nulls))
            }
            Self::Hex => {
                let offsets = offsets(self.size(algorithm), rows, nulls.as_ref());
                Arc::new(StringArray::new(offsets, bytes, nulls))
            }
        }
    }
}

/// Checks that the system can provide `bytes` bytes; `None` means that the number overflowed. The
/// system may still refuse them later, but this rejects an array that claims 2⁴⁰ rows.
pub(crate) fn check_memory(rows: usize, bytes: Option<usize>) -> Result<(), Error> {
    let no_memory = Error::NoMemory { rows };
    let Some(bytes) = bytes else { return Err(no_memory) };
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| no_memory)
}

/// The offsets of strings of `size` bytes, with empty ones for nulls.
fn offsets(size: usize, rows: usize, nulls: Option<&NullBuffer>) -> OffsetBuffer<i32> {
    match nulls {
        None => OffsetBuffer::new((0..=rows).map(|row| (row * size) as i32).collect()),
        Some(nulls) => {
            let mut offsets = Vec::with_capacity(rows + 1);
            let mut end = 0;
            offsets.push(end);
            offsets.extend(nulls.iter().map(|valid| {
                end += i32::from(valid) * size as i32;
                end
            }));
            OffsetBuffer::new(ScalarBuffer::from(offsets))
        }
    }
}

/// Columns of at least this many bytes are assumed to exceed the caches.
const UNCACHED: usize = 8 << 20;

/// Hashes windows of messages, and writes their digests to the memory of an array, in order.
pub(crate) struct Sink<'o> {
    engine: Engine,
    output: Output,
    /// The rest of the memory.
    to: &'o mut [u8],
    /// A buffer for the digests of one window.
    digests: Vec<u8>,
}

impl<'o> Sink<'o> {
    pub(crate) fn new(algorithm: Algorithm, output: Output, to: &'o mut [u8]) -> Self {
        Self { engine: Engine::of(algorithm), output, to, digests: Vec::new() }
    }

    /// Announces the total number of bytes of all messages.
    pub(crate) fn expect(&mut self, bytes: usize) {
        if bytes >= UNCACHED {
            self.engine = self.engine.uncached();
        }
    }

    /// Hashes the next window. `messages` are its rows that are not null.
    pub(crate) fn put(&mut self, messages: &[&[u8]], nulls: Option<NullBuffer>) {
        let rows = nulls.as_ref().map_or(messages.len(), NullBuffer::len);
        let algorithm = self.engine.algorithm();
        let bytes = self.output.bytes(algorithm, rows, messages.len());
        let (to, rest) = std::mem::take(&mut self.to).split_at_mut(bytes);
        self.to = rest;
        let length = algorithm.digest_len();
        match (self.output, nulls) {
            (Output::Binary, None) => self.engine.digest_many_into(messages, to),
            (Output::Binary, Some(nulls)) => {
                let digests = self.digest(messages).chunks_exact(length);
                for (row, digest) in nulls.valid_indices().zip(digests) {
                    to[row * length..(row + 1) * length].copy_from_slice(digest);
                }
            }
            (Output::Hex, _) => {
                let digests = self.digest(messages);
                const_hex::encode_to_slice(digests, to).expect("two digits for each byte");
            }
        }
    }

    fn digest(&mut self, messages: &[&[u8]]) -> &[u8] {
        self.digests.resize(messages.len() * self.engine.algorithm().digest_len(), 0);
        self.engine.digest_many_into(messages, &mut self.digests);
        &self.digests
    }
}
