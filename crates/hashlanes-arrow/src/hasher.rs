//! [`ColumnHasher`]: the entry point, with all options.

use std::num::NonZero;

use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use hashlanes::Algorithm;

use crate::column::Column;
use crate::output::{Output, check_memory};
use crate::parts::digest_all;
use crate::rows::Frames;
use crate::values::has_values;
use crate::{Error, dictionary};

/// Hashes columns with given options: the function, the output format and the number of threads.
///
/// ```
/// use arrow_array::cast::AsArray;
/// use arrow_array::{Array, StringArray};
/// use hashlanes_arrow::{Algorithm, ColumnHasher, Output};
///
/// let column = StringArray::from(vec![Some("abc"), None]);
/// let hasher = ColumnHasher::new(Algorithm::Md5).output(Output::Hex);
/// let digests = hasher.digest_array(&column)?;
/// assert_eq!(digests.as_string::<i32>().value(0), "900150983cd24fb0d6963f7d28e17f72");
/// assert!(digests.is_null(1));
/// # Ok::<(), hashlanes_arrow::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ColumnHasher {
    algorithm: Algorithm,
    output: Output,
    threads: NonZero<usize>,
}

impl ColumnHasher {
    /// Hashes with `algorithm`, on the calling thread. The digests are bytes.
    pub fn new(algorithm: Algorithm) -> Self {
        Self { algorithm, output: Output::default(), threads: NonZero::<usize>::MIN }
    }

    /// The hash function.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The output format of digests.
    pub fn output_kind(&self) -> Output {
        self.output
    }

    /// Sets the output format of digests.
    #[must_use]
    pub fn output(self, output: Output) -> Self {
        Self { output, ..self }
    }

    /// Sets the maximum number of threads for each call, including the calling thread. Each thread
    /// gets at least 4,096 rows, so short columns use fewer.
    ///
    /// Query engines already hash several columns or batches in parallel, and need no more threads.
    #[must_use]
    pub fn threads(self, threads: NonZero<usize>) -> Self {
        Self { threads, ..self }
    }

    /// The type of the digests of a column of type `input`, for query planners.
    ///
    /// ```
    /// use arrow_schema::DataType;
    /// use hashlanes_arrow::{Algorithm, ColumnHasher};
    ///
    /// let hasher = ColumnHasher::new(Algorithm::Sha256);
    /// assert_eq!(hasher.digest_type(&DataType::Utf8View)?, DataType::FixedSizeBinary(32));
    /// let error = hasher.digest_type(&DataType::Int64).unwrap_err();
    /// assert!(error.to_string().starts_with("a column of type Int64 has no bytes to hash"));
    /// # Ok::<(), hashlanes_arrow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotBytes`] if such a column cannot be hashed.
    pub fn digest_type(&self, input: &DataType) -> Result<DataType, Error> {
        let output = self.output.data_type(self.algorithm);
        match input {
            DataType::Dictionary(keys, values) if has_values(values) => {
                Ok(DataType::Dictionary(keys.clone(), Box::new(output)))
            }
            _ if has_values(input) => Ok(output),
            _ => Err(Error::NotBytes(input.clone())),
        }
    }

    /// The type of the digests of rows.
    pub fn row_digest_type(&self) -> DataType {
        self.output.data_type(self.algorithm)
    }

    /// The digests of a column's values. See [`digest_array`](crate::digest_array).
    ///
    /// # Errors
    /// See [`digest_array`](crate::digest_array).
    pub fn digest_array(&self, array: &dyn Array) -> Result<ArrayRef, Error> {
        match array.data_type() {
            DataType::Dictionary(_, _) => {
                dictionary::digest(array, |values, nulls| self.digest_values(values, nulls))
            }
            _ => {
                let rows = array.len();
                // A `NullArray` has no null buffer, so `logical_nulls` allocates one.
                check_memory(rows, Some(rows / 8))?;
                self.digest_values(array, array.logical_nulls())
            }
        }
    }

    /// The digests of rows. See [`digest_rows`](crate::digest_rows).
    ///
    /// # Errors
    /// See [`digest_rows`](crate::digest_rows).
    pub fn digest_rows(&self, columns: &[ArrayRef]) -> Result<ArrayRef, Error> {
        digest_all(&Frames::new(columns, None)?, self.algorithm, self.output, self.threads)
    }

    /// The digests of structs, whose fields are hashed like the columns of rows. Like
    /// [`digest_rows`](crate::digest_rows), except that a null struct has a null digest.
    ///
    /// # Errors
    /// See [`digest_rows`](crate::digest_rows).
    pub fn digest_structs(&self, structs: &StructArray) -> Result<ArrayRef, Error> {
        let frames = Frames::new(structs.columns(), structs.nulls().cloned())?;
        digest_all(&frames, self.algorithm, self.output, self.threads)
    }

    /// The digests of all values except `nulls`.
    fn digest_values(
        &self,
        values: &dyn Array,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, Error> {
        digest_all(&Column::new(values, nulls)?, self.algorithm, self.output, self.threads)
    }
}
