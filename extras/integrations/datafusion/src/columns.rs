//! Columns, which cross from DataFusion's version of Arrow to that of hashlanes, and back.

use std::mem::transmute;
use std::sync::Arc;

use arrow_array::ffi as ours;
use datafusion_arrow::array::{Array, ArrayRef, AsArray, BinaryArray, StringViewArray, make_array};
use datafusion_arrow::buffer::OffsetBuffer;
use datafusion_arrow::datatypes::DataType;
use datafusion_arrow::ffi;
use datafusion_common::{DataFusionError, Result, exec_err};
use hashlanes_arrow::{Algorithm, ColumnHasher, Output};

/// The digests of a column, as a column of a type that a function of the engine returns.
pub(crate) fn digest(column: &ArrayRef, algorithm: Algorithm, to: &DataType) -> Result<ArrayRef> {
    let output = match to {
        DataType::Binary => Output::Binary,
        DataType::Utf8 | DataType::Utf8View => Output::Hex,
        other => return exec_err!("no digests of type {other}"),
    };
    let hasher = ColumnHasher::new(algorithm).output(output);
    let digests = import(&hasher.digest_array(&export(column)?).map_err(external)?)?;
    match to {
        DataType::Binary => binary(&digests),
        DataType::Utf8View => Ok(Arc::new(StringViewArray::from(digests.as_string::<i32>()))),
        _ => Ok(digests),
    }
}

/// The digests of rows, as bytes.
pub(crate) fn digest_rows(columns: &[ArrayRef], algorithm: Algorithm) -> Result<ArrayRef> {
    let columns = columns.iter().map(export).collect::<Result<Vec<_>>>()?;
    let digests = ColumnHasher::new(algorithm).digest_rows(&columns).map_err(external)?;
    binary(&import(&digests)?)
}

fn external(error: hashlanes_arrow::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// The same bytes, with offsets.
fn binary(digests: &ArrayRef) -> Result<ArrayRef> {
    let digests = digests.as_fixed_size_binary();
    let (size, rows) = (digests.value_size(), digests.len());
    if size.checked_mul(rows).is_none_or(|bytes| bytes > i32::MAX as usize) {
        return exec_err!("{rows} digests of {size} bytes do not fit in one array");
    }
    let offsets = OffsetBuffer::from_repeated_length(size, rows);
    let values = digests.values().clone();
    Ok(Arc::new(BinaryArray::try_new(offsets, values, digests.nulls().cloned())?))
}

/// A column of the engine as one of hashlanes. The memory stays where it is.
fn export(column: &ArrayRef) -> Result<arrow_array::ArrayRef> {
    let (array, schema) = ffi::to_ffi(&column.to_data())?;
    // SAFETY: both versions of Arrow declare the structs of the C data interface, with the same
    // fields. They are moved, so the receiver is the one that releases them.
    let (array, schema) = unsafe {
        (
            transmute::<ffi::FFI_ArrowArray, ours::FFI_ArrowArray>(array),
            transmute::<ffi::FFI_ArrowSchema, ours::FFI_ArrowSchema>(schema),
        )
    };
    // SAFETY: `to_ffi` described an array that is valid, and owns its memory.
    let data = unsafe { ours::from_ffi(array, &schema) };
    let data = data.map_err(|error| DataFusionError::External(Box::new(error)))?;
    Ok(arrow_array::make_array(data))
}

/// A column of hashlanes as one of the engine.
fn import(column: &arrow_array::ArrayRef) -> Result<ArrayRef> {
    let exported = ours::to_ffi(&arrow_array::Array::to_data(column));
    let (array, schema) = exported.map_err(|error| DataFusionError::External(Box::new(error)))?;
    // SAFETY: as above, in the other direction.
    let (array, schema) = unsafe {
        (
            transmute::<ours::FFI_ArrowArray, ffi::FFI_ArrowArray>(array),
            transmute::<ours::FFI_ArrowSchema, ffi::FFI_ArrowSchema>(schema),
        )
    };
    // SAFETY: as above.
    Ok(make_array(unsafe { ffi::from_ffi(array, &schema) }?))
}
