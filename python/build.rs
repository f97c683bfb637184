//! Sets the `cfg`s of the Python version that the code is compiled for: `cfg(Py_3_10)`,
//! `cfg(Py_GIL_DISABLED)`.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
