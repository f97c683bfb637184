//! What an expression computes.

use std::error::Error;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use arrow_select::take::take;
use hashlanes_arrow::{Algorithm, ColumnHasher, Output};

/// At most this many rows of a chunk make one chunk of digests, so that 128 hexadecimal digits of
/// each fit in an array of strings.
const ROWS: usize = 1 << 23;

const OBJECTS: &str = "Python objects have no bytes to hash: cast or map them to String or Binary";

/// What the rows of a column are.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    /// Strings or bytes.
    Values,
    /// Structs, which are framed.
    Rows,
}

/// A function of the plug-in.
#[derive(Clone, Copy)]
pub(crate) struct Function {
    of: Of,
    hasher: ColumnHasher,
}

impl Function {
    pub(crate) fn new(of: Of, algorithm: Algorithm, output: Output) -> Self {
        Self { of, hasher: ColumnHasher::new(algorithm).output(output) }
    }

    /// The column of digests of a column, or an error if such a column cannot be hashed.
    pub(crate) fn field(self, column: &Field) -> Result<Field, Box<dyn Error>> {
        match self.of {
            Of::Values => match column.data_type() {
                // Polars passes Python objects as their addresses in bytes of this type, which no
                // other column of its own has.
                DataType::FixedSizeBinary(_) => return Err(OBJECTS.into()),
                other => drop(self.hasher.digest_type(other)?),
            },
            // The digests of no rows, in order to check the types of the fields.
            Of::Rows => drop(self.digest(&arrow_array::new_empty_array(column.data_type()))?),
        }
        Ok(Field::new(column.name(), self.hasher.row_digest_type(), true))
    }

    /// The digests of the chunks of a column.
    pub(crate) fn digest_chunks(
        self,
        chunks: &[ArrayRef],
    ) -> Result<Vec<ArrayRef>, Box<dyn Error>> {
        let parts = chunks.iter().flat_map(|chunk| {
            // Once for a chunk without rows.
            let starts = (0..chunk.len().max(1)).step_by(ROWS);
            starts.map(|start| chunk.slice(start, ROWS.min(chunk.len() - start)))
        });
        parts.map(|part| self.digest(&part)).collect()
    }

    fn digest(self, column: &ArrayRef) -> Result<ArrayRef, Box<dyn Error>> {
        match self.of {
            Of::Values => flat(self.hasher.digest_array(column)?),
            Of::Rows => match column.as_struct_opt() {
                Some(structs) => Ok(self.hasher.digest_structs(structs)?),
                None => {
                    let other = column.data_type();
                    Err(format!("digest_rows takes a struct of columns, not {other}").into())
                }
            },
        }
    }
}

/// The digests of a categorical are a dictionary, which Polars would take for another categorical.
fn flat(digests: ArrayRef) -> Result<ArrayRef, Box<dyn Error>> {
    match digests.as_any_dictionary_opt() {
        Some(dictionary) => Ok(take(dictionary.values(), dictionary.keys(), None)?),
        None => Ok(digests),
    }
}
