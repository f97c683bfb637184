//! The extension module `hashlanes._hashlanes`, on which the Python package `hashlanes` is built.
//!
//! `messages` reads the input safely, even while Python code changes it. `digests` converts the
//! output. In between, the library hashes while detached from the interpreter, so that other
//! threads can run.
//!
//! | folder | file | contents |
//! |---|---|---|
//! | `hashers/` | `hash.rs` | one message, with hashlib's interface |
//! | | `methods.rs` | its most frequently called methods |
//! | | `lanes.rs` | messages in pieces, in one thread |
//! | | `server.rs` | messages in many threads |
//! | `many/` | `messages.rs` | many messages |
//! | | `chunks.rs` | the chunks of one buffer |
//! | | `window.rs` | a bounded batch of messages |
//! | | `prefetch.rs` | loads messages into the caches |
//! | | `parts.rs` | long messages, hashed side by side |
//! | | `pipeline.rs` | gathering, hashing and delivery of windows |
//! | | `derivation.rs` | many keys from passwords and secrets |
//! | | `chains.rs` | hash chains |
//! | | `outputs.rs` | output of any length |
//! | | `xof.rs` | the same, of one long message |
//! | `columns/` | | Arrow columns and NumPy arrays |
//! | `files/` | `run.rs` | files on all cores |
//! | | `manifest.rs` | manifest lines |
//! | `signatures/` | `signing.rs` | private keys of SLH-DSA |
//! | | `verifying.rs` | public keys |
//! | | `domain.rs` | parameter sets and domains |
//! | `arguments/` | `name.rs` | algorithm names |
//! | | `threads.rs` | the number of threads |
//! | `messages/` | `input.rs` | messages: `bytes`, `str`, buffers |
//! | | `rows.rs` | the elements of iterables, some rows at a time |
//! | | `copy.rs` | copies of bytes that other threads may write |
//! | | `piece.rs` | a piece of one message |
//! | `digests/` | `output.rs` | conversion of digests to Python objects |
//! | | `memory.rs` | the memory of a NumPy array of digests |
//! | `interpreter/` | `only_one.rs` | rejects subinterpreters |
//! | | `process.rs` | detects forks |
//! | | `turn.rs` | a mutex that knows its owner |
//! | | `turns.rs` | a value that threads use in turn |
//! | | `steps.rs` | long work, with checks for signals |
//! | | `types.rs` | completes the classes |

use pyo3::prelude::*;
use pyo3::types::PyType;

mod arguments;
mod columns;
mod digests;
mod files;
mod hashers;
mod interpreter;
mod many;
mod messages;
mod signatures;

#[pymodule(gil_used = false)]
fn _hashlanes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    interpreter::only_one::check(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    hashers::register(module)?;
    many::register(module)?;
    columns::register(module)?;
    files::register(module)?;
    signatures::register(module)?;
    interpreter::register(module)?;
    for value in module.dict().values() {
        if let Ok(class) = value.cast::<PyType>() {
            interpreter::types::complete(class)?;
        }
    }
    interpreter::types::complete(&module.py().get_type::<digests::memory::Memory>())
}
