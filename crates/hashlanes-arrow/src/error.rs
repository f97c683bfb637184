//! The errors of columns.

use std::fmt;

use arrow_schema::{ArrowError, DataType};

/// The reason why columns were not hashed. The message names the type, or the column and the row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// [`digest_array`](crate::digest_array) hashes only strings and bytes, because numbers have no
    /// agreed byte representation. [`digest_rows`](crate::digest_rows) accepts more types.
    NotBytes(DataType),
    /// [`digest_rows`](crate::digest_rows) has no framing for this type.
    NotFramed(DataType),
    /// A string array holds at most 2³¹ - 1 bytes, too few for this many hexadecimal digits. Hash
    /// slices of the array, or request the digests as bytes.
    TooManyDigits {
        /// Maximum digests in a string array.
        at_most: usize,
        /// Digests requested.
        digests: usize,
    },
    /// There is not enough memory for the digests of this many rows.
    NoMemory {
        /// Rows of the array.
        rows: usize,
    },
    /// [`digest_rows`](crate::digest_rows) got no columns, so the number of rows is unknown.
    NoColumns,
    /// A column has a different number of rows from the first.
    Lengths {
        /// The column's index.
        column: usize,
        /// Its number of rows.
        rows: usize,
        /// The number of rows in the first column.
        expected: usize,
    },
    /// A value cannot be read, because the array was malformed by another program.
    Invalid {
        /// The column's index.
        column: usize,
        /// The row's index.
        row: usize,
        /// The reason.
        reason: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBytes(data_type) => write!(
                f,
                "a column of type {data_type} has no bytes to hash: digest_array takes strings, \
                 binary types and dictionaries of them (digest_rows takes numbers and dates too)"
            ),
            Self::NotFramed(data_type) => {
                write!(f, "digest_rows has no framing for a column of type {data_type}")
            }
            Self::TooManyDigits { at_most, digests } => write!(
                f,
                "{digests} hexadecimal digests do not fit in one string array, which holds at \
                 most {at_most}: hash slices of the array, or request binary digests"
            ),
            Self::NoMemory { rows } => {
                write!(f, "not enough memory for the digests of {rows} rows")
            }
            Self::NoColumns => write!(f, "digest_rows needs at least one column"),
            Self::Lengths { column, rows, expected } => {
                write!(f, "column {column} has {rows} rows, but column 0 has {expected}")
            }
            Self::Invalid { column, row, reason } => {
                write!(f, "column {column}, row {row}: {reason}")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for ArrowError {
    fn from(error: Error) -> Self {
        Self::ExternalError(Box::new(error))
    }
}
