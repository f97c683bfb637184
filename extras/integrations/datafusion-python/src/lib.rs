//! The Python package `hashlanes-datafusion`: the functions of the crate `datafusion-hashlanes`, in
//! capsules that DataFusion's Python package takes.

#[pyo3::pymodule(gil_used = false)]
mod hashlanes_datafusion {
    use std::sync::Arc;

    use datafusion::logical_expr::ScalarUDF;
    use datafusion_ffi::udf::FFI_ScalarUDF;
    use pyo3::exceptions::PyImportError;
    use pyo3::prelude::*;
    use pyo3::types::PyCapsule;

    /// A function for `datafusion.udf`.
    #[pyclass(frozen, module = "hashlanes_datafusion")]
    struct Function(Arc<ScalarUDF>);

    #[pymethods]
    impl Function {
        fn __datafusion_scalar_udf__<'py>(
            &self,
            py: Python<'py>,
        ) -> PyResult<Bound<'py, PyCapsule>> {
            let function = FFI_ScalarUDF::from(Arc::clone(&self.0));
            PyCapsule::new_with_value(py, function, c"datafusion_scalar_udf")
        }

        fn __repr__(&self) -> String {
            format!("hashlanes_datafusion.{}", self.0.name())
        }
    }

    fn functions() -> impl Iterator<Item = Function> {
        // `md5` is in both.
        let spark = [datafusion_hashlanes::spark::sha1(), datafusion_hashlanes::spark::sha2()];
        datafusion_hashlanes::functions().into_iter().chain(spark).map(Function)
    }

    /// Registers all functions with a SessionContext. They replace DataFusion's of the same names.
    #[pyfunction]
    fn register_all(context: &Bound<'_, PyAny>) -> PyResult<()> {
        let udf = context.py().import("datafusion")?.getattr("udf")?;
        for function in functions() {
            context.call_method1("register_udf", (udf.call1((function,))?,))?;
        }
        Ok(())
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        check_version(module.py())?;
        functions().try_for_each(|function| module.add(function.0.name().to_owned(), function))
    }

    /// The structs in the capsules are the same only in versions with the same first number.
    fn check_version(py: Python<'_>) -> PyResult<()> {
        let version: String =
            py.import("importlib.metadata")?.call_method1("version", ("datafusion",))?.extract()?;
        let ours = datafusion_ffi::version();
        if version.split('.').next() == Some(&ours.to_string()) {
            return Ok(());
        }
        let message =
            format!("hashlanes-datafusion is for DataFusion {ours}, but this is {version}");
        Err(PyImportError::new_err(message))
    }
}
