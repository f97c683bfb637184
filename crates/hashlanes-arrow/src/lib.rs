#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod builder;
mod column;
mod dictionary;
mod error;
mod hasher;
mod output;
mod parts;
mod rows;
mod values;

use arrow_array::{Array, ArrayRef};
pub use hashlanes::Algorithm;

pub use self::builder::DigestBuilder;
pub use self::error::Error;
pub use self::hasher::ColumnHasher;
pub use self::output::Output;

/// The digests of a column's values, in their order: an array of as many rows.
///
/// | column | digests |
/// |---|---|
/// | `Utf8`, `LargeUtf8`, `Utf8View` | `FixedSizeBinary(n)`, or `Utf8` for [`Output::Hex`] |
/// | `Binary`, `LargeBinary`, `BinaryView`, `FixedSizeBinary` | the same |
/// | `Null` | nulls of the same types |
/// | a `Dictionary` of these | a `Dictionary` of digests under the same keys |
///
/// Strings are hashed as UTF-8. Nulls are not hashed, and stay null. Nothing is copied: the lanes
/// read the column's own memory. Of a dictionary each value is hashed once. A value that no key
/// names is not hashed, and its place in the new dictionary is null.
///
/// ```
/// use arrow_array::cast::AsArray;
/// use arrow_array::{Array, StringArray};
/// use hashlanes_arrow::{Algorithm, Output, digest_array};
///
/// let column = StringArray::from(vec![Some("abc"), None, Some("")]);
/// let digests = digest_array(&column, Algorithm::Sha256, Output::Binary)?;
/// let digests = digests.as_fixed_size_binary();
/// assert_eq!(digests.value(0), Algorithm::Sha256.digest("abc").as_bytes());
/// assert!(digests.is_null(1));
/// # Ok::<(), hashlanes_arrow::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotBytes`] for a column of another type; [`Error::TooManyDigits`];
/// [`Error::Invalid`] if a value is outside of the column's memory.
pub fn digest_array(
    array: &dyn Array,
    algorithm: Algorithm,
    output: Output,
) -> Result<ArrayRef, Error> {
    ColumnHasher::new(algorithm).output(output).digest_array(array)
}

/// One digest for each row of several columns. There are no nulls among them: a row of nulls has a
/// digest too.
///
/// A row is hashed as its values in the columns' order, each framed such that different rows have
/// different frames. The columns' names are not hashed. Equal values are framed alike, however wide
/// their type is and however the array is laid out: an `Int8` as an `Int64`, a `Utf8View` or a
/// dictionary of strings as a `Utf8`. The repository's `docs/guide/frames.md` specifies the frames.
///
/// It takes all types but unions and run-end-encoded columns: numbers, booleans, strings, binary
/// types, decimals, dates, times, timestamps, durations, intervals, lists, structs, maps, and
/// dictionaries of them.
///
/// Rows are framed a window at a time: up to 2,048 rows and 4 MiB, or one row if it is longer.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::cast::AsArray;
/// use arrow_array::{ArrayRef, Int32Array, StringArray};
/// use hashlanes_arrow::{Algorithm, Output, digest_rows};
///
/// let names: ArrayRef = Arc::new(StringArray::from(vec![Some("abc"), None]));
/// let numbers: ArrayRef = Arc::new(Int32Array::from(vec![5, 6]));
/// let digests = digest_rows(&[names, numbers], Algorithm::Sha256, Output::Binary)?;
///
/// // Text has the tag 6, then its length and itself. An integer has the tag 3, then its value.
/// let frame = b"\x06\x03\0\0\0\0\0\0\0abc\x03\x05\0\0\0\0\0\0\0";
/// let expected = Algorithm::Sha256.digest(frame);
/// assert_eq!(digests.as_fixed_size_binary().value(0), expected.as_bytes());
/// # Ok::<(), hashlanes_arrow::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotFramed`] for a column of another type; [`Error::NoColumns`]; [`Error::Lengths`] if
/// columns have different numbers of rows; [`Error::TooManyDigits`]; [`Error::Invalid`] if a value
/// cannot be read, or is a `Date64` that is no whole day.
pub fn digest_rows(
    columns: &[ArrayRef],
    algorithm: Algorithm,
    output: Output,
) -> Result<ArrayRef, Error> {
    ColumnHasher::new(algorithm).output(output).digest_rows(columns)
}
