//! A column of digests of messages that are not in columns.

use arrow_array::ArrayRef;
use hashlanes::Algorithm;

use crate::Error;
use crate::output::{Output, Sink};

/// Builds a column of digests of messages that are not in Arrow arrays, such as records of a file.
///
/// ```
/// use arrow_array::cast::AsArray;
/// use hashlanes_arrow::{Algorithm, DigestBuilder, Output};
///
/// let mut digests = DigestBuilder::new(Algorithm::Md5, Output::Hex);
/// for batch in [&["abc", ""][..], &["any number of messages"]] {
///     digests.append(&batch.iter().map(|text| text.as_bytes()).collect::<Vec<_>>());
/// }
/// let digests = digests.finish()?;
/// assert_eq!(digests.as_string::<i32>().value(0), "900150983cd24fb0d6963f7d28e17f72");
/// assert_eq!(digests.len(), 3);
/// # Ok::<(), hashlanes_arrow::Error>(())
/// ```
#[derive(Debug)]
pub struct DigestBuilder {
    algorithm: Algorithm,
    output: Output,
    rows: usize,
    memory: Vec<u8>,
}

impl DigestBuilder {
    /// An empty column.
    pub fn new(algorithm: Algorithm, output: Output) -> Self {
        Self { algorithm, output, rows: 0, memory: Vec::new() }
    }

    /// Reserves memory for the digests of `rows` rows.
    ///
    /// # Errors
    /// [`Error::NoMemory`]
    pub fn reserve(&mut self, rows: usize) -> Result<(), Error> {
        let reserved =
            rows.checked_mul(self.bytes(1)).map(|bytes| self.memory.try_reserve_exact(bytes));
        match reserved {
            Some(Ok(())) => Ok(()),
            _ => Err(Error::NoMemory { rows }),
        }
    }

    /// Appends the digests of some messages, in order. About a hundred messages are needed to fill
    /// the lanes.
    pub fn append(&mut self, messages: &[&[u8]]) {
        let (begin, bytes) = (self.memory.len(), self.bytes(messages.len()));
        self.memory.resize(begin + bytes, 0);
        let to = &mut self.memory[begin..];
        Sink::new(self.algorithm, self.output, to).put(messages, None);
        self.rows += messages.len();
    }

    fn bytes(&self, rows: usize) -> usize {
        self.output.bytes(self.algorithm, rows, rows)
    }

    /// Returns the column.
    ///
    /// # Errors
    /// [`Error::TooManyDigits`]
    pub fn finish(self) -> Result<ArrayRef, Error> {
        self.output.check_room(self.algorithm, self.rows)?;
        Ok(self.output.array(self.algorithm, self.memory, self.rows, None))
    }
}
