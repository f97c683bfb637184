//! `digest_many`: the digests of many messages.

use hashlanes::Algorithm;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi::{self, compat};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString, PyTuple};

use super::pipeline::{self, Ends, Work};
use super::window::Window;
use crate::arguments::name::Named;
use crate::arguments::threads;
use crate::digests::output::{Digests, Out};

/// The digests of many messages, in order.
///
/// A message is any buffer, or a str, which is hashed as UTF-8. The digests are a list of bytes,
/// with out="hex" a list of str, and with out="numpy" an array of uint8 with one row per message.
/// `threads` is the maximum number of hashing threads, including the calling one. The default is
/// one per CPU.
#[pyfunction]
#[pyo3(signature = (messages, name, *, out = "bytes", threads = None))]
pub(crate) fn digest_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    name: Named,
    out: &str,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    digest(py, messages, name, out, threads, false)
}

/// The digests of many messages, each of which is given in parts: a header and a body, or any
/// number of them.
///
/// A message is an iterable of parts, and a part is any buffer, or a str. The digest is that of the
/// parts joined together. The other arguments and the result are those of digest_many.
#[pyfunction]
#[pyo3(signature = (messages, name, *, out = "bytes", threads = None))]
pub(crate) fn digest_many_parts<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    name: Named,
    out: &str,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    digest(py, messages, name, out, threads, true)
}

fn digest<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    Named(algorithm): Named,
    out: &str,
    threads: Option<isize>,
    in_parts: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if messages.is_instance_of::<PyString>() {
        let message = "messages must be an iterable of messages, not one str";
        return Err(PyTypeError::new_err(message));
    }
    let out = Out::from_name(py, out)?;
    let threads = threads::count(threads)?;
    let source = Messages::new(messages)?;
    let digests = Digests::new(py, out, algorithm.digest_len(), source.expected())?;
    let mut ends = Many { algorithm, out, source, in_parts, number: 0, has_ended: false, digests };
    pipeline::run(py, threads, &mut ends)?;
    ends.digests.finish(py)
}

struct Many<'py> {
    algorithm: Algorithm,
    out: Out,
    source: Messages<'py>,
    in_parts: bool,
    /// Number of the next message.
    number: usize,
    /// Whether the source has ended. As in a `for` loop, it is not asked again.
    has_ended: bool,
    digests: Digests,
}

impl Ends<Window> for Many<'_> {
    fn gather(&mut self, py: Python<'_>, spare: Option<Window>) -> PyResult<Option<Window>> {
        if self.has_ended {
            return Ok(None);
        }
        let mut window = spare.unwrap_or_else(|| Window::new(self.algorithm, self.out));
        if !self.in_parts {
            self.number += self.source.add_immutables(py, self.number, &mut window);
        }
        while !window.is_full() {
            let Some(message) = self.source.next(py, self.number) else {
                self.has_ended = true;
                break;
            };
            let (message, lasts) = (message?, self.source.lasts());
            if self.in_parts {
                window.add_parts(&message, self.number, lasts)?;
            } else {
                window.add(&message, self.number, lasts)?;
            }
            self.number += 1;
        }
        Ok(if window.is_empty() { None } else { Some(window) })
    }

    fn deliver(&mut self, py: Python<'_>, mut window: Window) -> PyResult<Window> {
        self.digests.add(py, window.digests())?;
        window.clear(py);
        Ok(window)
    }
}

impl Work for Window {
    fn hash(&mut self, go_on: &mut dyn FnMut() -> bool) {
        Self::hash(self, go_on);
    }
}

/// The source of messages, read as a `for` loop would read it.
enum Messages<'py> {
    List(Bound<'py, PyList>),
    Tuple(Bound<'py, PyTuple>),
    Other(Bound<'py, PyIterator>),
}

impl<'py> Messages<'py> {
    fn new(messages: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(list) = messages.cast_exact::<PyList>() {
            Ok(Self::List(list.clone()))
        } else if let Ok(tuple) = messages.cast_exact::<PyTuple>() {
            Ok(Self::Tuple(tuple.clone()))
        } else {
            Ok(Self::Other(messages.try_iter()?))
        }
    }

    /// The approximate number of messages: 0 if it is unknown, as for an iterator.
    fn expected(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Tuple(tuple) => tuple.len(),
            Self::Other(_) => 0,
        }
    }

    /// Whether messages stay as they are while others are asked for. An iterator may fill one
    /// buffer again for each.
    fn lasts(&self) -> bool {
        !matches!(self, Self::Other(_))
    }

    /// Adds the `bytes` and `str` of a list to a window, from `number` on, until it is full or an
    /// object of another type comes. Returns how many were added.
    ///
    /// Taking a reference to an object takes longer than copying 16 bytes. No reference is needed
    /// here: no Python code runs, so nothing changes the list. (Prefetching several objects ahead
    /// made 256-byte messages 1.2 times as slow, as it delayed the prefetch of their own lines.)
    #[cfg(not(Py_GIL_DISABLED))]
    fn add_immutables(&self, py: Python<'_>, number: usize, window: &mut Window) -> usize {
        let Self::List(list) = self else { return 0 };
        let (mut next, length) = (number, list.len());
        while next < length && !window.is_full() {
            // SAFETY: `py` shows that the thread is attached. `next` is within the list. The list
            // keeps the object alive, and cannot change while this thread holds the GIL and runs no
            // Python code.
            let object = unsafe { ffi::PyList_GetItem(list.as_ptr(), next as isize) };
            // SAFETY: `PyList_GetItem` returned a borrowed reference, which stays valid as above.
            let object: &Bound<'_, PyAny> = unsafe { Bound::ref_from_ptr(py, &object) };
            if !window.add_immutable(object) {
                break;
            }
            next += 1;
        }
        next - number
    }

    /// Without a GIL other threads can change the list at any time.
    #[cfg(Py_GIL_DISABLED)]
    fn add_immutables(&self, _: Python<'_>, _: usize, _: &mut Window) -> usize {
        0
    }

    /// Message `number`. The numbers must be consecutive.
    #[inline]
    fn next<'a>(&mut self, py: Python<'a>, number: usize) -> Option<PyResult<Bound<'a, PyAny>>>
    where
        'py: 'a,
    {
        match self {
            // As in a loop, the length is read each time, because it may change.
            Self::List(list) => {
                if number >= list.len() {
                    return None;
                }
                // SAFETY: `list` is a list. In a free-threaded interpreter it may have become
                // shorter since the check; the function then returns null and sets IndexError.
                let item = unsafe { compat::PyList_GetItemRef(list.as_ptr(), number as isize) };
                // SAFETY: `item` is a new reference, or null.
                match unsafe { Bound::from_owned_ptr_or_opt(py, item) } {
                    Some(item) => Some(Ok(item)),
                    None => {
                        // SAFETY: `py` shows that the thread is attached.
                        unsafe { ffi::PyErr_Clear() };
                        None
                    }
                }
            }
            Self::Tuple(tuple) => tuple.get_item(number).ok().map(Ok),
            Self::Other(messages) => messages.next(),
        }
    }
}
