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
//! | `copy.rs` | copies of bytes that others may write |
//! | `piece.rs` | a piece of one message |
//! | `turns.rs` | what threads use in turn |
//! | `hash.rs` | one message, with hashlib's interface |
//! | `methods.rs` | its methods that are called most |
//! | `many.rs` | many messages |
//! | `window.rs` | as many of them as are gathered at a time |
//! | `prefetch.rs` | their bytes, into the caches beforehand |
//! | `chunks.rs` | the chunks of one buffer |
//! | `lanes.rs` | messages in pieces, from one place |
//! | `server.rs` | messages in many threads |
//! | `file_run.rs` | files on all cores |
//! | `manifest.rs` | the lines of manifests |
//! | `interpreter.rs` | no subinterpreters |
//! | `process.rs` | whether the process was forked |
//! | `parts.rs` | long parts of buffers side by side |
//! | `pipeline.rs` | windows through gathering, hashing and delivery |
//! | `output.rs` | digests as Python wants them |
//! | `memory.rs` | what a NumPy array of digests lies in |
//! | `columns/` | Arrow columns and NumPy arrays |

use pyo3::prelude::*;

mod chunks;
mod columns;
mod copy;
mod file_run;
mod hash;
mod input;
mod interpreter;
mod lanes;
mod manifest;
mod many;
mod memory;
mod methods;
mod name;
mod output;
mod parts;
mod piece;
mod pipeline;
mod prefetch;
mod process;
mod server;
mod turns;
mod window;

#[pymodule(gil_used = false)]
fn _hashlanes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    interpreter::check(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    hash::register(module)?;
    many::register(module)?;
    chunks::register(module)?;
    columns::register(module)?;
    lanes::register(module)?;
    server::register(module)?;
    process::register(module)?;
    file_run::register(module)?;
    manifest::register(module)
}
