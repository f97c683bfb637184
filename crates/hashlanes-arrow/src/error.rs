//! What can be wrong with columns.

use std::fmt;

use arrow_schema::{ArrowError, DataType};

/// Why columns were not hashed. The message names the type, or the column and the row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// [`digest_array`](crate::digest_array) hashes strings and bytes only. Numbers have no bytes
    /// that everybody agrees on; [`digest_rows`](crate::digest_rows) says which it takes.
    NotBytes(DataType),
    /// [`digest_rows`](crate::digest_rows) has no framing for this type.
    NotFramed(DataType),
    /// A string array has at most 2³¹ - 1 bytes, so this many hexadecimal digests are too many for
    /// one. A slice of the array can be hashed, or digests can be bytes.
    TooManyDigits {
        /// Digests that one string array has room for.
        at_most: usize,
        /// Digests asked for.
        digests: usize,
    },
    /// There is no memory for the digests of this many rows.
    NoMemory {
        /// Rows of the array.
        rows: usize,
    },
    /// [`digest_rows`](crate::digest_rows) got no column, so nobody knows how many rows there are.
    NoColumns,
    /// A column has another number of rows than the first.
    Lengths {
        /// Its number, from 0.
        column: usize,
        /// Rows that it has.
        rows: usize,
        /// Rows that the first column has.
        expected: usize,
    },
    /// A value cannot be read: the array that another program made is wrong.
    Invalid {
        /// The number of the column, from 0.
        column: usize,
        /// The number of the row, from 0.
        row: usize,
        /// What is wrong with it.
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
                "{digests} digests in hexadecimal are too many for one string array, which has \
                 room for {at_most}: hash slices of it, or take digests as bytes"
            ),
            Self::NoMemory { rows } => {
                write!(f, "there is no memory for the digests of {rows} rows")
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
