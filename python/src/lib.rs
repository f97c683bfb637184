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
//! | `many/` | `digest_many.rs` | many messages |
//! | | `chunks.rs` | the chunks of one buffer |
//! | | `window.rs` | a bounded batch of messages |
//! | | `prefetch.rs` | loads messages into the caches |
//! | | `parts.rs` | long messages, hashed side by side |
//! | | `pipeline.rs` | gathering, hashing and delivery of windows |
//! | | `derivation.rs` | many keys from passwords and secrets |
//! | | `chains.rs` | hash chains |
//! | | `outputs.rs` | output of any length |
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

use columns::array::{Array, ChunkedArray};
use columns::{digest::digest_array, rows::digest_rows};
use files::manifest::{ManifestReader, ManifestWriter, can_hash_files_with};
use files::run::{FileRun, check_names};
use hashers::lanes::PyLanes;
use hashers::server::{_unchanging, Server, ServerHasher};
use interpreter::{process::_forked, turn::PyTurn};
use many::derivation::{hkdf_many, pbkdf2_many};
use many::{
    chains::digest_chains,
    chunks::digest_chunks,
    digest_many::{digest_many, digest_many_parts},
    outputs::xof_many,
};
use signatures::{signing::SigningKey, verifying::VerifyingKey};

#[pymodule(gil_used = false)]
fn _hashlanes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    interpreter::only_one::check(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    hashers::hash::register(module)?;
    hashers::methods::add_to(&module.py().get_type::<hashers::hash::Hash>())?;
    module.add_class::<Array>()?;
    module.add_class::<ChunkedArray>()?;
    module.add_class::<FileRun>()?;
    module.add_class::<ManifestReader>()?;
    module.add_class::<ManifestWriter>()?;
    module.add_class::<PyLanes>()?;
    module.add_class::<PyTurn>()?;
    module.add_class::<Server>()?;
    module.add_class::<ServerHasher>()?;
    module.add_class::<SigningKey>()?;
    module.add_class::<VerifyingKey>()?;
    module.add_function(wrap_pyfunction!(_forked, module)?)?;
    module.add_function(wrap_pyfunction!(_unchanging, module)?)?;
    module.add_function(wrap_pyfunction!(can_hash_files_with, module)?)?;
    module.add_function(wrap_pyfunction!(check_names, module)?)?;
    module.add_function(wrap_pyfunction!(digest_array, module)?)?;
    module.add_function(wrap_pyfunction!(digest_chains, module)?)?;
    module.add_function(wrap_pyfunction!(digest_chunks, module)?)?;
    module.add_function(wrap_pyfunction!(digest_many, module)?)?;
    module.add_function(wrap_pyfunction!(digest_many_parts, module)?)?;
    module.add_function(wrap_pyfunction!(digest_rows, module)?)?;
    module.add_function(wrap_pyfunction!(hkdf_many, module)?)?;
    module.add_function(wrap_pyfunction!(pbkdf2_many, module)?)?;
    module.add_function(wrap_pyfunction!(xof_many, module)?)?;
    for value in module.dict().values() {
        if let Ok(class) = value.cast::<PyType>() {
            interpreter::types::complete(class)?;
        }
    }
    interpreter::types::complete(&module.py().get_type::<digests::memory::Memory>())
}
