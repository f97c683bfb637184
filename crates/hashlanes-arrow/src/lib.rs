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
#[doc(hidden)]
pub use self::rows::frame;

/// The digests of a column's values: an array with the same number of rows, in the same order.
///
/// | column | digests |
/// |---|---|
/// | `Utf8`, `LargeUtf8`, `Utf8View` | `FixedSizeBinary(n)`, or `Utf8` for [`Output::Hex`] |
/// | `Binary`, `LargeBinary`, `BinaryView`, `FixedSizeBinary` | the same |
/// | `Null` | nulls of the same types |
/// | a `Dictionary` of these | a `Dictionary` of digests with the same keys |
///
/// Strings are hashed as UTF-8. Nulls stay null. Values are hashed in place, without copying. Each
/// value of a dictionary is hashed once. A value that no key refers to is not hashed, and is null
/// in the new dictionary.
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
/// [`Error::NotBytes`] for a column of another type; [`Error::TooManyDigits`]; [`Error::Invalid`]
/// if a value lies outside the column's data.
pub fn digest_array(
    array: &dyn Array,
    algorithm: Algorithm,
    output: Output,
) -> Result<ArrayRef, Error> {
    ColumnHasher::new(algorithm).output(output).digest_array(array)
}

/// One digest for each row of several columns. No digest is null: a row of nulls is hashed too.
///
/// The message for a row is its values in column order, framed so that different rows give
/// different messages. Column names are not hashed. Equal values have equal frames, whatever the
/// width of their type and the layout of the array: an `Int8` is framed like an `Int64`, and a
/// `Utf8View` or a dictionary of strings like a `Utf8`. `docs/guide/frames.md` in the repository
/// specifies the framing to the byte.
///
/// It accepts all types except unions and run-end-encoded columns: numbers, booleans, strings,
/// binary types, decimals, dates, times, timestamps, durations, intervals, lists, structs, maps,
/// and dictionaries of them.
///
/// Rows are framed a window at a time: up to 2,048 rows or 4 MiB, or a single longer row.
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
/// // Text is framed as the tag 6, its length and its bytes; an integer as the tag 3 and its value.
/// let frame = b"\x06\x03\0\0\0\0\0\0\0abc\x03\x05\0\0\0\0\0\0\0";
/// let expected = Algorithm::Sha256.digest(frame);
/// assert_eq!(digests.as_fixed_size_binary().value(0), expected.as_bytes());
/// # Ok::<(), hashlanes_arrow::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotFramed`] for a column of another type; [`Error::NoColumns`]; [`Error::Lengths`] if
/// columns have different numbers of rows; [`Error::TooManyDigits`]; [`Error::Invalid`] if a value
/// cannot be read, or is a `Date64` that is not a whole number of days.
pub fn digest_rows(
    columns: &[ArrayRef],
    algorithm: Algorithm,
    output: Output,
) -> Result<ArrayRef, Error> {
    ColumnHasher::new(algorithm).output(output).digest_rows(columns)
}
