//! The extension module `hashlanes._hashlanes`: what the Python package `hashlanes` is made of.
//!
//! Bytes come in by `input`, which knows how to read what Python may change meanwhile. Digests go
//! out by `output`. Between them the library hashes, detached from the interpreter, so that other
//! threads run.
//!
//! | file | what |
//! |---|---|
//! | `name.rs` | algorithms by their names in hashlib |
//! | `input.rs` | messages: `bytes`, `str`, buffers |
//! | `hash.rs` | one message, with hashlib's interface |
//! | `many.rs`, `window.rs` | many messages |
//! | `output.rs` | digests as Python wants them |

use pyo3::prelude::*;

mod hash;
mod input;
mod many;
mod name;
mod output;
mod window;

#[pymodule(gil_used = false)]
fn _hashlanes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    hash::register(module)?;
    many::register(module)
}
