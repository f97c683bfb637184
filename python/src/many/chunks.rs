//! `digest_chunks`: the digests of the consecutive chunks of one buffer.

#![forbid(unsafe_code)]

use std::ops::Range;

use hashlanes::{Algorithm, Engine};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::parts;
use super::pipeline::{self, Ends, Work};
use crate::arguments::name::Named;
use crate::arguments::threads;
use crate::digests::output::{Digests, Out, Written};
use crate::interpreter::steps::STEP;
use crate::messages::input::Input;

/// Minimum bytes of chunks that a thread takes at a time, if that many remain.
const BYTES: usize = 2 << 20;

/// Minimum number of chunks that a thread takes at a time: the lanes of the widest kernel.
const CHUNKS: usize = 32;

/// Longer chunks are hashed a piece at a time. For a mutable buffer this avoids copying whole
/// chunks; otherwise it allows checks for signals.
const LONG_IF_CHANGING: usize = 64 << 10;
const LONG: usize = STEP / CHUNKS;

/// The digests of the chunks of a buffer, in order.
///
/// Each chunk has `size` bytes, except that the last may be shorter. An empty buffer has no chunks.
#[pyfunction]
#[pyo3(signature = (buffer, size, name, *, out = "bytes", threads = None))]
pub(crate) fn digest_chunks<'py>(
    py: Python<'py>,
    buffer: &Bound<'py, PyAny>,
    size: isize,
    name: Named,
    out: &str,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    let Named(algorithm) = name;
    let out = Out::from_name(py, out)?;
    let threads = threads::count(threads)?;
    if size < 1 {
        return Err(PyValueError::new_err(format!("size must be at least 1, not {size}")));
    }
    let size = size.unsigned_abs();
    let input = Input::of_many_dimensions(buffer)?;
    let count = input.len().div_ceil(size);
    let digests = Digests::new(py, out, algorithm.digest_len(), count)?;
    let mut ends = Chunks { algorithm, out, input: &input, size, begin: 0, digests };
    pipeline::run(py, threads, &mut ends)?;
    ends.digests.finish(py)
}

struct Chunks<'a> {
    algorithm: Algorithm,
    out: Out,
    input: &'a Input<'a>,
    size: usize,
    /// Start of the next part.
    begin: usize,
    digests: Digests,
}

/// A range of chunks.
struct Part<'a> {
    algorithm: Algorithm,
    out: Out,
    input: &'a Input<'a>,
    size: usize,
    begin: usize,
    end: usize,
    /// Copies of mutable bytes.
    copies: Vec<u8>,
    digests: Written,
}

impl<'a> Ends<Part<'a>> for Chunks<'a> {
    fn gather(&mut self, _: Python<'_>, spare: Option<Part<'a>>) -> PyResult<Option<Part<'a>>> {
        let (begin, left) = (self.begin, self.input.len() - self.begin);
        if left == 0 {
            return Ok(None);
        }
        // A multiple of the lanes, or one long chunk per lane.
        let chunks = (BYTES / self.size).next_multiple_of(CHUNKS).max(CHUNKS);
        let end = begin + chunks.saturating_mul(self.size).min(left);
        self.begin = end;
        let &mut Self { algorithm, out, input, size, .. } = self;
        let part =
            |copies, digests| Part { algorithm, out, input, size, begin, end, copies, digests };
        Ok(Some(match spare {
            Some(spare) => part(spare.copies, spare.digests),
            None => part(Vec::new(), Written::default()),
        }))
    }

    fn deliver(&mut self, py: Python<'_>, part: Part<'a>) -> PyResult<Part<'a>> {
        self.digests.add(py, part.digests.bytes(part.out))?;
        Ok(part)
    }
}

impl Work for Part<'_> {
    fn hash(&mut self, go_on: &mut dyn FnMut() -> bool) {
        let &mut Self { algorithm, out, input, size, begin, end, .. } = self;
        let length = algorithm.digest_len();
        let engine = Engine::of(algorithm);
        let copies = &mut self.copies;
        self.digests.write(out, (end - begin).div_ceil(size) * length, |digests| match input {
            Input::Bytes(bytes) if size <= LONG => {
                engine.digest_chunks_into(&bytes[begin..end], size, digests);
            }
            Input::Buffer(buffer) if size <= LONG_IF_CHANGING => {
                copies.resize(end - begin, 0);
                buffer.read(begin, copies);
                engine.digest_chunks_into(copies, size, digests);
            }
            _ => {
                let begins = (begin..end).step_by(size);
                let ranges = begins.map(|begin| begin..end.min(begin.saturating_add(size)));
                let part = |range: Range<usize>| match input {
                    Input::Bytes(bytes) => parts::Part::Bytes(&bytes[range]),
                    Input::Buffer(buffer) => parts::Part::Buffer(buffer, range),
                };
                let parts: Vec<_> = ranges.map(part).collect();
                parts::digest_parts(algorithm, &parts, go_on, |number, digest| {
                    digests[number * length..][..length].copy_from_slice(digest);
                });
            }
        });
    }
}
