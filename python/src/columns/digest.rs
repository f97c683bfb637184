//! `digest_array`: one digest per value of a column.

use std::num::NonZero;

use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::DataType;
use hashlanes_arrow::{ColumnHasher, Output};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::array::{Array, ChunkedArray};
use super::error::{refuse_objects, wrong_type};
use super::import::{Input, Stream, caught};
use super::numpy;
use super::pandas::Pandas;
use crate::arguments::name::Named;
use crate::arguments::threads;

/// The digests of the values of a column, in order: an Array, or a ChunkedArray for chunked input.
/// Those of a Series of pandas are a Series with its index and name.
///
/// A column is anything with the Arrow PyCapsule interface (an array or a Series of pyarrow,
/// polars, pandas or arro3, a table of one column, a result of DuckDB), or a NumPy array of type S,
/// V or uint8. Strings are hashed as UTF-8. A null stays null.
///
/// The digests have the type fixed_size_binary, or string with hex=True. threads is the maximum
/// number of threads; None means one per core.
#[pyfunction]
#[pyo3(signature = (array, algorithm, *, hex = false, threads = Some(1)))]
pub(crate) fn digest_array<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    algorithm: Named,
    hex: bool,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    let hasher = hasher(algorithm, hex, threads)?;
    if let Some(pandas) = Pandas::new(array)? {
        return pandas.series(&digest(py, &pandas.values()?, &hasher)?);
    }
    digest(py, array, &hasher)
}

fn digest<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    hasher: &ColumnHasher,
) -> PyResult<Bound<'py, PyAny>> {
    match Input::new(array)? {
        Some(Input::Array(array, name)) => {
            let name = column_name(array.data_type(), &name);
            let digests = py.detach(|| hash(hasher, column(array)?))?;
            Ok(Bound::new(py, Array::new(name, digests))?.into_any())
        }
        Some(Input::Stream(stream)) => {
            let name = column_name(stream.data_type(), stream.name());
            let column_type = column_type(stream.data_type())?;
            refuse_objects(array, &column_type)?;
            let data_type = hasher.digest_type(&column_type).map_err(wrong_type)?;
            digest_stream(py, stream, name, data_type, |array| hash(hasher, column(array)?))
        }
        None => {
            let digests = numpy::digest(py, array, hasher)?;
            Ok(Bound::new(py, Array::new(String::new(), digests))?.into_any())
        }
    }
}

/// The hasher for a caller's arguments.
pub(super) fn hasher(
    algorithm: Named,
    hex: bool,
    threads: Option<isize>,
) -> PyResult<ColumnHasher> {
    // `count` never returns 0.
    let threads = NonZero::new(threads::count(threads)?).unwrap_or(NonZero::<usize>::MIN);
    let output = if hex { Output::Hex } else { Output::Binary };
    Ok(ColumnHasher::new(algorithm.0).output(output).threads(threads))
}

/// The digests of a stream's arrays. Each array is hashed and released before the next one is
/// requested.
pub(super) fn digest_stream<'py>(
    py: Python<'py>,
    mut stream: Stream,
    name: String,
    data_type: DataType,
    hash: impl Fn(ArrayRef) -> PyResult<ArrayRef> + Send + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let mut chunks = Vec::new();
    while let Some(digests) = py.detach(|| stream.next()?.map(&hash).transpose())? {
        chunks.push(digests);
        py.check_signals()?;
    }
    // Releasing the stream may join a producer's threads, which may need the interpreter.
    py.detach(|| drop(stream));
    Ok(Bound::new(py, ChunkedArray::new(name, data_type, chunks))?.into_any())
}

fn hash(hasher: &ColumnHasher, array: ArrayRef) -> PyResult<ArrayRef> {
    caught(|| hasher.digest_array(&array).map_err(wrong_type))
}

/// The name of the only column of a table, or of the array itself.
fn column_name(data_type: &DataType, name: &str) -> String {
    match data_type {
        DataType::Struct(fields) if fields.len() == 1 => fields[0].name().clone(),
        _ => name.to_owned(),
    }
}

/// The only column of a table, or the array itself.
fn column(array: ArrayRef) -> PyResult<ArrayRef> {
    match array.as_struct_opt() {
        Some(table) if table.null_count() == 0 && table.num_columns() == 1 => {
            Ok(table.column(0).clone())
        }
        Some(table) => Err(several_columns(table.data_type())),
        None => Ok(array),
    }
}

fn column_type(data_type: &DataType) -> PyResult<DataType> {
    match data_type {
        DataType::Struct(fields) if fields.len() == 1 => Ok(fields[0].data_type().clone()),
        DataType::Struct(_) => Err(several_columns(data_type)),
        other => Ok(other.clone()),
    }
}

fn several_columns(table: &DataType) -> PyErr {
    let names: Vec<_> = match table {
        DataType::Struct(fields) => fields.iter().map(|field| field.name().as_str()).collect(),
        _ => Vec::new(),
    };
    let columns = names.join(", ");
    PyTypeError::new_err(format!(
        "digest_array takes one column, not a table of {} ({columns}): choose one, or use \
         digest_rows",
        names.len()
    ))
}
