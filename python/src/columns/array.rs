//! The classes `Array` and `ChunkedArray`: digests with the PyCapsule interface.

use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PySlice};

use super::export;
use super::value::{type_name, value};

/// Digests in chunks: an array is one chunk.
struct Digests {
    name: String,
    data_type: DataType,
    chunks: Vec<ArrayRef>,
}

impl Digests {
    fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for chunk in &self.chunks {
            for row in 0..chunk.len() {
                list.append(value(py, chunk, row)?)?;
            }
        }
        Ok(list)
    }
}

/// A class with what both have, the name of pyarrow's function that makes the like of it, and its
/// own methods.
macro_rules! class {
    ($(#[$doc:meta])* $class:ident of $function:literal: $($own:tt)*) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "hashlanes", sequence)]
        pub(crate) struct $class(Digests);

        #[pymethods]
        impl $class {
            /// The Arrow name of the digests' type: fixed_size_binary[32], string, or a dictionary
            /// of these.
            #[getter]
            fn r#type(&self) -> String {
                type_name(&self.0.data_type)
            }

            /// The name of the column, or an empty str.
            #[getter]
            fn name(&self) -> &str {
                &self.0.name
            }

            /// The number of nulls.
            #[getter]
            fn null_count(&self) -> usize {
                self.0.chunks.iter().map(|chunk| chunk.logical_null_count()).sum()
            }

            fn __len__(&self) -> usize {
                self.0.len()
            }

            fn __getitem__<'py>(
                &self,
                py: Python<'py>,
                index: isize,
            ) -> PyResult<Bound<'py, PyAny>> {
                let mut place = place(index, self.0.len())?;
                for chunk in &self.0.chunks {
                    if place < chunk.len() {
                        return value(py, chunk, place);
                    }
                    place -= chunk.len();
                }
                Err(outside())
            }

            /// A list of bytes or str, with None for each null.
            fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
                self.0.to_list(py)
            }

            /// A NumPy array of uint8 with one row per digest. Copies the digests, which must be
            /// bytes, without nulls.
            fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                to_numpy(py, &self.0)
            }

            #[doc = concat!("A pyarrow.", stringify!($class), ", without copying.")]
            fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                slf.py().import("pyarrow")?.call_method1($function, (slf,))
            }

            /// A polars.Series, with the name of the column or another one.
            #[pyo3(signature = (name = None))]
            fn to_polars<'py>(
                slf: &Bound<'py, Self>,
                name: Option<&str>,
            ) -> PyResult<Bound<'py, PyAny>> {
                series(slf.as_any(), name)
            }

            /// A NumPy array of bytes or str, with None for each null.
            #[pyo3(signature = (dtype = None, copy = None))]
            fn __array__<'py>(
                &self,
                py: Python<'py>,
                dtype: Option<Bound<'py, PyAny>>,
                copy: Option<bool>,
            ) -> PyResult<Bound<'py, PyAny>> {
                objects(&self.0.to_list(py)?, dtype, copy)
            }

            fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
                export::schema(py, &self.0.name, &self.0.data_type)
            }

            $($own)*
        }
    };
}

class! {
    /// The digests of an array, in order, with None for each null.
    ///
    /// pyarrow.array(digests), polars.Series(digests), pandas.Series.from_arrow(digests) and every
    /// other consumer of the Arrow PyCapsule interface accept them directly.
    Array of "array":

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (builtins, digest) = (slf.py().import("builtins")?, slf.getattr("__getitem__")?);
        builtins.call_method1("map", (digest, builtins.call_method1("range", (slf.len()?,))?))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface lets a producer ignore the requested type.
        drop(requested_schema);
        export::array(py, &self.0.name, &self.0.chunks[0])
    }

    fn __repr__(&self) -> String {
        format!("<hashlanes.Array of {} digests, {}>", self.0.len(), self.r#type())
    }
}

class! {
    /// The digests of a chunked array or of a stream, in order and in the same chunks.
    ///
    /// pyarrow.chunked_array(digests), polars.Series(digests), pandas.Series.from_arrow(digests)
    /// and every other consumer of the Arrow PyCapsule interface accept them directly.
    ChunkedArray of "chunked_array":

    /// The chunks, each an Array.
    #[getter]
    fn chunks(&self) -> Vec<Array> {
        let array = |digests: &ArrayRef| Array::new(self.0.name.clone(), digests.clone());
        self.0.chunks.iter().map(array).collect()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let chain = py.import("itertools")?.getattr("chain")?;
        chain.call_method1("from_iterable", (self.chunks(),))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer ignore the requested type.
        drop(requested_schema);
        export::stream(py, &self.0.name, &self.0.data_type, &self.0.chunks)
    }

    fn __repr__(&self) -> String {
        let (digests, chunks) = (self.0.len(), self.0.chunks.len());
        format!(
            "<hashlanes.ChunkedArray of {digests} digests in {chunks} chunks, {}>",
            self.r#type()
        )
    }
}

impl Array {
    pub(super) fn new(name: String, digests: ArrayRef) -> Self {
        let data_type = digests.data_type().clone();
        Self(Digests { name, data_type, chunks: vec![digests] })
    }
}

impl ChunkedArray {
    /// All `chunks` must have the type `data_type`.
    pub(super) fn new(name: String, data_type: DataType, chunks: Vec<ArrayRef>) -> Self {
        Self(Digests { name, data_type, chunks })
    }
}

/// A NumPy array of the digests.
fn to_numpy<'py>(py: Python<'py>, digests: &Digests) -> PyResult<Bound<'py, PyAny>> {
    let Digests { data_type, chunks, .. } = digests;
    let &DataType::FixedSizeBinary(length) = data_type else {
        let name = type_name(data_type);
        let message = format!("to_numpy takes digests as bytes, not {name}");
        return Err(PyTypeError::new_err(message));
    };
    if chunks.iter().any(|chunk| chunk.null_count() > 0) {
        return Err(PyValueError::new_err("to_numpy does not support nulls"));
    }
    let rows = digests.len();
    let bytes = PyBytes::new_with(py, rows * length as usize, |mut to| {
        for chunk in chunks {
            let digests = chunk.as_fixed_size_binary().value_data();
            let place;
            (place, to) = std::mem::take(&mut to).split_at_mut(digests.len());
            place.copy_from_slice(digests);
        }
        Ok(())
    })?;
    let numpy = py.import("numpy")?;
    let flat = numpy.call_method1("frombuffer", (bytes, "uint8"))?;
    flat.call_method1("reshape", (rows, length))
}

/// A NumPy array of the objects in a list.
fn objects<'py>(
    list: &Bound<'py, PyList>,
    dtype: Option<Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    if copy == Some(false) {
        let message = "a NumPy array of digests is always a copy, which copy=False does not allow";
        return Err(PyValueError::new_err(message));
    }
    let py = list.py();
    let array = py.import("numpy")?.call_method1("empty", (list.len(), "object"))?;
    array.set_item(PySlice::full(py), list)?;
    dtype.map_or_else(|| Ok(array.clone()), |dtype| array.call_method1("astype", (dtype,)))
}

fn series<'py>(digests: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let series = digests.py().import("polars")?.call_method1("Series", (digests,))?;
    // The constructor of a Polars Series ignores its name argument for PyCapsule input.
    name.map_or_else(|| Ok(series.clone()), |name| series.call_method1("alias", (name,)))
}

/// The row for a Python index, which counts from the end if it is negative.
fn place(index: isize, length: usize) -> PyResult<usize> {
    let place = if index < 0 { length.checked_add_signed(index) } else { Some(index as usize) };
    place.filter(|&place| place < length).ok_or_else(outside)
}

fn outside() -> PyErr {
    PyIndexError::new_err("index out of range")
}
