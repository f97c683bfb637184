//! Rows of several iterables: one element of each, some rows at a time.
//!
//! An iterable may fill one buffer again for each element. So an element is read before the next
//! one is asked for: `bytes` and `str`, which never change, are kept, and all others are copied.

#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::iter::Fuse;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use super::input::{self, Buffer};
use crate::interpreter::steps::STEP;

/// The rows of `N` iterables: at most `most` of them at a time, and those that follow the first
/// [`STEP`] bytes at another time.
pub(crate) struct Rows<'py, const N: usize> {
    /// As in a `for` loop, an iterator that has ended once is not asked again.
    columns: Vec<(Fuse<Bound<'py, PyIterator>>, Reader)>,
    most: usize,
    /// What is wrong if one iterable has more elements than another.
    unequal: &'static str,
}

/// Reads an element: [`content`] or [`buffer`].
pub(crate) type Reader = for<'a, 'py> fn(&'a Bound<'py, PyAny>) -> PyResult<Cow<'a, [u8]>>;

impl<'py, const N: usize> Rows<'py, N> {
    pub(crate) fn new(
        columns: [(&Bound<'py, PyAny>, Reader); N],
        most: usize,
        unequal: &'static str,
    ) -> PyResult<Self> {
        let column = |(iterable, reader): (&Bound<'py, PyAny>, Reader)| {
            if iterable.is_instance_of::<PyString>() {
                let message = "messages must be an iterable of messages, not one str";
                return Err(PyTypeError::new_err(message));
            }
            Ok((iterable.try_iter()?.fuse(), reader))
        };
        let columns = columns.into_iter().map(column).collect::<PyResult<_>>()?;
        Ok(Self { columns, most, unequal })
    }

    /// The elements of the next rows, a list for each iterable. They are empty at the end.
    pub(crate) fn next(&mut self) -> PyResult<[Vec<Element<'py>>; N]> {
        let mut rows = [const { Vec::new() }; N];
        let (mut count, mut bytes) = (0, 0_usize);
        while count < self.most && bytes < STEP {
            let mut ended = 0;
            for ((elements, read), row) in self.columns.iter_mut().zip(&mut rows) {
                match elements.next() {
                    Some(object) => {
                        let element = Element::read(object?, *read)?;
                        bytes = bytes.saturating_add(element.bytes().len());
                        row.push(element);
                    }
                    None => ended += 1,
                }
            }
            match ended {
                0 => count += 1,
                _ if ended == N => break,
                _ => return Err(PyValueError::new_err(self.unequal)),
            }
        }
        Ok(rows)
    }
}

/// The bytes of an element, which do not change.
pub(crate) enum Element<'py> {
    /// Those of a `bytes` or `str`.
    Kept(Bound<'py, PyAny>),
    Copied(Vec<u8>),
}

impl<'py> Element<'py> {
    fn read(object: Bound<'py, PyAny>, read: Reader) -> PyResult<Self> {
        if let Cow::Owned(copy) = read(&object)? {
            return Ok(Self::Copied(copy));
        }
        Ok(Self::Kept(object))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Copied(copy) => copy,
            Self::Kept(object) => match input::bytes(object) {
                Some(bytes) => bytes,
                // A `str` keeps the UTF-8 that it was read as.
                None => input::utf8(object).and_then(Result::ok).unwrap_or_default(),
            },
        }
    }
}

/// The bytes of elements.
pub(crate) fn all_bytes<'a>(elements: &'a [Element<'_>]) -> Vec<&'a [u8]> {
    elements.iter().map(Element::bytes).collect()
}

/// The UTF-8 of a `str`, the bytes of a `bytes`, or a copy of a buffer, which may change.
pub(crate) fn content<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    match input::utf8(object) {
        Some(text) => Ok(Cow::Borrowed(text?)),
        None => buffer(object),
    }
}

/// The bytes of a `bytes`, or a copy of a buffer, which may change.
pub(crate) fn buffer<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    match input::bytes(object) {
        Some(bytes) => Ok(Cow::Borrowed(bytes)),
        None => Ok(Cow::Owned(Buffer::of_hashlib(object)?.copy()?)),
    }
}
