//! The extension module `hashlanes._hashlanes`: what the Python package `hashlanes` is made of.
//!
//! Bytes come in by `messages`, which knows how to read what Python may change meanwhile. Digests
//! go out by `digests`. Between them the library hashes, detached from the interpreter, so that
//! other threads run.
//!
//! | folder | file | what |
//! |---|---|---|
//! | `hashers/` | `hash.rs` | one message, with hashlib's interface |
//! | | `methods.rs` | its methods that are called most |
//! | | `lanes.rs` | messages in pieces, from one place |
//! | | `server.rs` | messages in many threads |
//! | `many/` | `messages.rs` | many messages |
//! | | `chunks.rs` | the chunks of one buffer |
//! | | `window.rs` | as many messages as are gathered at a time |
//! | | `prefetch.rs` | their bytes, into the caches beforehand |
//! | | `parts.rs` | long messages side by side |
//! | | `pipeline.rs` | windows through gathering, hashing and delivery |
//! | `columns/` | | Arrow columns and NumPy arrays |
//! | `files/` | `run.rs` | files on all cores |
//! | | `manifest.rs` | the lines of manifests |
//! | `arguments/` | `name.rs` | algorithms by their names in hashlib |
//! | | `threads.rs` | how many threads may work |
//! | `messages/` | `input.rs` | messages: `bytes`, `str`, buffers |
//! | | `copy.rs` | copies of bytes that others may write |
//! | | `piece.rs` | a piece of one message |
//! | `digests/` | `output.rs` | digests as Python wants them |
//! | | `memory.rs` | what a NumPy array of digests lies in |
//! | `interpreter/` | `only_one.rs` | no subinterpreters |
//! | | `process.rs` | whether the process was forked |
//! | | `turn.rs` | one thread at a time, which never waits for itself |
//! | | `turns.rs` | a value that threads use in turn |
//! | | `steps.rs` | long messages, with a look at signals |

use pyo3::prelude::*;

mod arguments;
mod columns;
mod digests;
mod files;
mod hashers;
mod interpreter;
mod many;
mod messages;

#[pymodule(gil_used = false)]
fn _hashlanes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    interpreter::only_one::check(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    hashers::register(module)?;
    many::register(module)?;
    columns::register(module)?;
    files::register(module)?;
    interpreter::register(module)
}
