//! `digest_rows`: one digest per row of several columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef, StructArray};
use arrow_schema::{DataType, Fields};
use hashlanes::Algorithm;
use hashlanes_arrow::ColumnHasher;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::array::Array;
use super::digest::{digest_stream, hasher};
use super::error::{refuse_objects, wrong_type};
use super::import::{Input, caught};
use super::pandas::Pandas;
use crate::arguments::name::Named;

/// One digest for each row of a table: an Array, or a ChunkedArray for chunked input. For a frame
/// of pandas, the result is a Series with its index, which is not hashed. The columns are hashed in
/// the order in which they are named; columns=None means all of them.
///
/// A table is anything with the Arrow PyCapsule interface that has columns: a table or a record
/// batch of pyarrow, a DataFrame of polars or pandas, a result of DuckDB, a column of structs. The
/// documentation specifies the framing of a row to the byte.
#[pyfunction]
#[pyo3(
    signature = (
        table, columns = None, algorithm = Named(Algorithm::Sha256), *, hex = false,
        threads = Some(1)
    ),
    text_signature = "(table, columns=None, algorithm='sha256', *, hex=False, threads=1)"
)]
pub(crate) fn digest_rows<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyAny>,
    columns: Option<&Bound<'py, PyAny>>,
    algorithm: Named,
    hex: bool,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    let hasher = hasher(algorithm, hex, threads)?;
    let columns = columns.map(names).transpose()?;
    let columns = columns.as_deref();
    if let Some(pandas) = Pandas::new(table)? {
        return pandas.series(&digest(py, &pandas.values()?, columns, &hasher)?);
    }
    digest(py, table, columns, &hasher)
}

fn digest<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyAny>,
    columns: Option<&[String]>,
    hasher: &ColumnHasher,
) -> PyResult<Bound<'py, PyAny>> {
    match Input::new(table)? {
        Some(Input::Array(array, _)) => {
            let places = places(table, array.data_type(), columns)?;
            let digests = py.detach(|| hash(hasher, &array, &places))?;
            Ok(Bound::new(py, Array::new(String::new(), digests))?.into_any())
        }
        Some(Input::Stream(stream)) => {
            let places = places(table, stream.data_type(), columns)?;
            let (name, data_type) = (String::new(), hasher.row_digest_type());
            digest_stream(py, stream, name, data_type, |array| hash(hasher, &array, &places))
        }
        None => Err(PyTypeError::new_err(format!(
            "digest_rows takes a table with the Arrow PyCapsule interface, not {}",
            table.get_type().name()?
        ))),
    }
}

/// The names in the `columns` argument.
fn names(columns: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if columns.is_instance_of::<PyString>() {
        let message = format!("columns must be a list of names, not one str: [{columns:?}]");
        return Err(PyTypeError::new_err(message));
    }
    let name = |column: PyResult<Bound<'_, PyAny>>| {
        let column = column?;
        let Ok(name) = column.cast::<PyString>() else {
            let class = column.get_type().name()?;
            let message = format!("columns must be a list of names, which are str, not {class}");
            return Err(PyTypeError::new_err(message));
        };
        Ok(name.to_str()?.to_owned())
    };
    columns.try_iter()?.map(name).collect()
}

/// The indices of the columns in a table.
fn places(
    table: &Bound<'_, PyAny>,
    data_type: &DataType,
    columns: Option<&[String]>,
) -> PyResult<Vec<usize>> {
    let DataType::Struct(fields) = data_type else {
        let reason = format!("digest_rows takes a table, not a column of type {data_type}");
        return Err(PyTypeError::new_err(reason));
    };
    let places: Vec<_> = match columns {
        None => (0..fields.len()).collect(),
        Some(columns) => columns.iter().map(|name| place(fields, name)).collect::<PyResult<_>>()?,
    };
    if places.is_empty() {
        return Err(PyValueError::new_err("digest_rows needs at least one column"));
    }
    places.iter().try_for_each(|&place| refuse_objects(table, fields[place].data_type()))?;
    Ok(places)
}

fn place(fields: &Fields, name: &str) -> PyResult<usize> {
    let mut found = fields.iter().enumerate().filter(|(_, field)| field.name() == name);
    match (found.next(), found.next()) {
        (Some((place, _)), None) => Ok(place),
        (Some(_), Some(_)) => {
            Err(PyKeyError::new_err(format!("the table has several columns named {name:?}")))
        }
        (None, _) => {
            let names: Vec<_> = fields.iter().map(|field| field.name().as_str()).collect();
            let reason = format!("the table has no column {name:?}; it has {}", names.join(", "));
            Err(PyKeyError::new_err(reason))
        }
    }
}

/// A null row has no digest. Tables have no null rows, but columns of structs do.
fn hash(hasher: &ColumnHasher, table: &ArrayRef, places: &[usize]) -> PyResult<ArrayRef> {
    let table = table.as_struct();
    let fields: Fields = places.iter().map(|&place| table.fields()[place].clone()).collect();
    let columns = places.iter().map(|&place| Arc::clone(table.column(place))).collect();
    let chosen =
        StructArray::try_new_with_length(fields, columns, table.nulls().cloned(), table.len());
    let chosen = chosen.map_err(|error| PyValueError::new_err(error.to_string()))?;
    caught(|| hasher.digest_structs(&chosen).map_err(wrong_type))
}
