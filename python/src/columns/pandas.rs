//! Series and frames of pandas: their digests are a Series with the same index.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

/// A Series or a frame.
pub(super) struct Pandas<'py> {
    object: Bound<'py, PyAny>,
    series: Bound<'py, PyType>,
    /// Its name, which a frame does not have.
    name: Option<Bound<'py, PyAny>>,
}

impl<'py> Pandas<'py> {
    /// `None` for any other object.
    pub(super) fn new(object: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        let modules = object.py().import("sys")?.getattr("modules")?;
        // Nobody has objects of a package that was not imported.
        let pandas = modules.call_method1("get", ("pandas",))?;
        let class = |name| {
            let class = if pandas.is_none() { None } else { pandas.getattr_opt(name)? };
            PyResult::Ok(class.and_then(|class| class.cast_into::<PyType>().ok()))
        };
        let (Some(series), Some(frame)) = (class("Series")?, class("DataFrame")?) else {
            return Ok(None);
        };
        let object = object.clone();
        if object.is_instance(&series)? {
            let name = Some(object.getattr("name")?);
            return Ok(Some(Self { object, series, name }));
        }
        Ok(object.is_instance(&frame)?.then_some(Self { object, series, name: None }))
    }

    /// Its values as an Arrow array or table, without the index.
    pub(super) fn values(&self) -> PyResult<Bound<'py, PyAny>> {
        let py = self.object.py();
        let options = PyDict::new(py);
        if self.name.is_none() {
            // Its own stream would have an index that is not a range as one more column.
            options.set_item("preserve_index", false)?;
            let table = py.import("pyarrow")?.getattr("Table")?;
            return table.call_method("from_pandas", (&self.object,), Some(&options));
        }
        if self.object.hasattr("__arrow_c_stream__")? {
            return Ok(self.object.clone());
        }
        // Before pandas 3.
        options.set_item("from_pandas", true)?;
        py.import("pyarrow")?.call_method("array", (&self.object,), Some(&options))
    }

    /// Digests of its values as a Series with its index.
    pub(super) fn series(&self, digests: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let series = if self.series.hasattr("from_arrow")? {
            self.series.call_method1("from_arrow", (digests,))?
        } else {
            let options = PyDict::new(digests.py());
            options.set_item("dtype", "object")?;
            self.series.call((digests.call_method0("to_pylist")?,), Some(&options))?
        };
        series.setattr("index", self.object.getattr("index")?)?;
        series.setattr("name", &self.name)?;
        Ok(series)
    }
}
