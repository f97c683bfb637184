//! One digest for each row of several columns.
//!
//! The message of a row is its *frame*: its values one after the other, each framed as `frame.rs`
//! specifies. Rows are framed and hashed a window at a time, so that a table is never copied as a
//! whole.

pub mod frame;
mod framer;
mod nested;

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;

use self::frame::Framed;
use self::framer::framer;
use crate::Error;
use crate::output::Sink;
use crate::parts::Rows;

/// A window ends with the row that reaches one of these limits: as many rows as the library sorts
/// at a time, or enough bytes to keep the lanes full of rows of 64 KiB.
const WINDOW_ROWS: usize = 2048;
const WINDOW_BYTES: usize = 4 << 20;

/// Appends the frame of a column's value in a given row.
type Framer<'a> = Box<dyn Fn(usize, &mut Vec<u8>) -> Framed + Send + Sync + 'a>;

/// Returns the framer of a column.
type FramerOf = for<'a> fn(&'a ArrayRef) -> Result<Framer<'a>, Error>;

/// Columns that can be framed row by row.
pub(crate) struct Frames<'a> {
    length: usize,
    nulls: Option<NullBuffer>,
    columns: Vec<Framer<'a>>,
}

impl<'a> Frames<'a> {
    /// All rows except `nulls`.
    pub(crate) fn new(columns: &'a [ArrayRef], nulls: Option<NullBuffer>) -> Result<Self, Error> {
        let expected = columns.first().ok_or(Error::NoColumns)?.len();
        for (column, array) in columns.iter().enumerate() {
            let rows = array.len();
            if rows != expected {
                return Err(Error::Lengths { column, rows, expected });
            }
        }
        let framers = columns.iter().map(|array| framer(array));
        let columns = framers.collect::<Result<_, _>>()?;
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        Ok(Self { length: expected, nulls, columns })
    }

    /// Appends the frame of a row.
    fn frame(&self, row: usize, frames: &mut Vec<u8>) -> Result<(), Error> {
        for (column, framer) in self.columns.iter().enumerate() {
            framer(row, frames).map_err(|reason| Error::Invalid { column, row, reason })?;
        }
        Ok(())
    }
}

impl Rows for Frames<'_> {
    fn len(&self) -> usize {
        self.length
    }

    /// The null structs. A row whose values are all null is not one of them.
    fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    fn hash(&self, mut rows: Range<usize>, mut sink: Sink<'_>) -> Result<(), Error> {
        let (mut frames, mut ends) = (Vec::new(), Vec::new());
        while !rows.is_empty() {
            frames.clear();
            ends.clear();
            let first = rows.start;
            while rows.start - first < WINDOW_ROWS && frames.len() < WINDOW_BYTES {
                let Some(row) = rows.next() else { break };
                if self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
                    self.frame(row, &mut frames)?;
                    ends.push(frames.len());
                }
            }
            let mut start = 0;
            let messages = ends.iter().map(|&end| &frames[std::mem::replace(&mut start, end)..end]);
            let nulls = self.nulls.as_ref().map(|nulls| nulls.slice(first, rows.start - first));
            sink.put(&messages.collect::<Vec<_>>(), nulls);
        }
        Ok(())
    }
}
