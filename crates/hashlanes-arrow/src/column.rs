//! One digest for each value of a column.

use std::ops::Range;

use arrow_array::Array;
use arrow_buffer::NullBuffer;

use crate::Error;
use crate::output::Sink;
use crate::parts::Rows;
use crate::values::Values;

/// Rows that are hashed at a time. The lanes run empty between windows, so a window is several
/// times longer than the 2,048 messages that the library sorts by length.
const WINDOW: usize = 8192;

/// The values of a column.
pub(crate) struct Column<'a> {
    values: Values<'a>,
    length: usize,
    nulls: Option<NullBuffer>,
}

impl<'a> Column<'a> {
    /// All rows of `array` except `nulls`.
    ///
    /// # Errors
    /// If the column does not contain strings or bytes.
    pub(crate) fn new(array: &'a dyn Array, nulls: Option<NullBuffer>) -> Result<Self, Error> {
        let wrong_type = || Error::NotBytes(array.data_type().clone());
        let values = Values::of(array).ok_or_else(wrong_type)?;
        Ok(Self {
            values,
            length: array.len(),
            nulls: nulls.filter(|nulls| nulls.null_count() > 0),
        })
    }
}

impl Rows for Column<'_> {
    fn len(&self) -> usize {
        self.length
    }

    fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    fn hash(&self, rows: Range<usize>, mut sink: Sink<'_>) -> Result<(), Error> {
        let nulls = self.nulls();
        let mut messages = Vec::with_capacity(rows.len().min(WINDOW));
        for start in rows.clone().step_by(WINDOW) {
            let window = start..rows.end.min(start + WINDOW);
            messages.clear();
            self.values.gather(window.clone(), nulls, &mut messages).map_err(outside)?;
            if start == rows.start {
                // Estimated as if all windows had as many bytes as the first.
                let bytes: usize = messages.iter().map(|message| message.len()).sum();
                sink.expect(bytes.saturating_mul(rows.len().div_ceil(WINDOW)));
            }
            sink.put(&messages, nulls.map(|nulls| nulls.slice(start, window.len())));
        }
        Ok(())
    }
}

fn outside(row: usize) -> Error {
    Error::Invalid { column: 0, row, reason: OUTSIDE }
}

pub(crate) const OUTSIDE: &str = "the value lies outside the column's data";
