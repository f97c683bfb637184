//! The expression plug-in of the Python package `hashlanes-polars`. Polars calls the functions of
//! `exports.rs` by their names; the package's Python code makes the expressions.

mod exports;
mod function;
mod interface;
mod series;

#[pyo3::pymodule]
mod _hashlanes_polars {
    use hashlanes_arrow::Algorithm;
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;

    /// An algorithm in the names of the plug-in's functions, or a ValueError that lists them all.
    #[pyfunction]
    fn algorithm_name(algorithm: &str) -> PyResult<String> {
        let algorithm = Algorithm::from_name(algorithm);
        let name = algorithm.map_err(|error| PyValueError::new_err(error.to_string()))?.name();
        Ok(name.replace('-', "_"))
    }
}
