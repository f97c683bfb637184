//! Reads and writes manifest lines with the crate `hashlanes-files`.

#![forbid(unsafe_code)]

use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use hashlanes_files::manifest::{
    self, Digits, Entry, Format, HashName, Reader, ReaderOptions, Record, Records, Writer, Written,
};
use hashlanes_files::{Function, system};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Bytes of a manifest that are read at a time.
const BUFFER: usize = 64 << 10;

/// Formats the manifest lines of files.
#[pyclass(frozen, module = "hashlanes._hashlanes")]
pub(crate) struct ManifestWriter(Writer);

#[pymethods]
impl ManifestWriter {
    #[new]
    fn new(format: &str, names: Vec<String>) -> PyResult<Self> {
        let format = format_named(format)?;
        let functions = names.iter().map(|name| hash_name(name)).collect::<PyResult<Vec<_>>>()?;
        if let Some(why) = format.refuses(&functions) {
            return Err(PyValueError::new_err(why));
        }
        let digits = Digits::Hex;
        Ok(Self(Writer { format, functions, digits, zero: false, binary: false }))
    }

    /// The lines before those of the first file.
    fn header<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut lines = Vec::new();
        self.0.header(&mut lines);
        PyBytes::new(py, &lines)
    }

    /// The lines of a file.
    fn file<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        size: u64,
        digests: Vec<Vec<u8>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let name = system::name(&path);
        let file = Written {
            name: &name,
            size: Some(size),
            modified: None,
            version: None,
            digests: &digests,
        };
        let mut lines = Vec::new();
        match self.0.file(&file, &mut lines) {
            Ok(()) => Ok(PyBytes::new(py, &lines)),
            Err(why) => Err(PyValueError::new_err(format!("{}: {why}", path.display()))),
        }
    }
}

/// An iterator over the entries of a manifest, as tuples of three:
/// * path, function names (known to the library or not) and digests, for a file;
/// * None, None and the line number, for a malformed line;
/// * None, a name and the line number, for a hash function that the library does not know.
#[pyclass(module = "hashlanes._hashlanes")]
pub(crate) struct ManifestReader {
    records: Records<BufReader<Source>>,
    reader: Reader,
    line: u64,
    /// The most recent line lacks a terminator.
    #[pyo3(get)]
    is_unterminated: bool,
}

/// An unbuffered binary Python file. Reading it through Python lets signal handlers run while it
/// blocks.
struct Source(Py<PyAny>);

impl Read for Source {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let read = self.0.bind(py).call_method1("read", (to.len(),))?;
            // A non-blocking file returns None when it has no data.
            let read = read.cast::<PyBytes>().map_err(|_| io::ErrorKind::WouldBlock)?;
            let bytes = read.as_bytes();
            let place = to.get_mut(..bytes.len()).ok_or(io::ErrorKind::InvalidData)?;
            place.copy_from_slice(bytes);
            Ok(bytes.len())
        })
    }
}

#[derive(IntoPyObject)]
enum Line<'py> {
    File(PathBuf, Vec<String>, Vec<Bound<'py, PyBytes>>),
    Other(Option<PathBuf>, Option<String>, u64),
}

#[pymethods]
impl ManifestReader {
    #[new]
    #[pyo3(signature = (file, path, format = None, name = None))]
    fn new(
        file: Py<PyAny>,
        path: PathBuf,
        format: Option<&str>,
        name: Option<&str>,
    ) -> PyResult<Self> {
        let format = format.map(format_named).transpose()?;
        let function = name.map(hash_name).transpose()?;
        let manifest = system::name(&path).into_owned();
        let reader = Reader::new(ReaderOptions { format, function, zero: false, manifest });
        let records = Records::new(BufReader::with_capacity(BUFFER, Source(file)), false);
        Ok(Self { records, reader, line: 0, is_unterminated: false })
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Line<'py>>> {
        let mut line = Vec::new();
        loop {
            let Some(record) = next(py, &mut self.records, &mut line)? else {
                let cut = self.reader.is_within_record();
                // Resets the reader, so that the truncated record is reported once.
                self.reader = Reader::new(ReaderOptions::default());
                return Ok(cut.then_some(Line::Other(None, None, self.line)));
            };
            self.line += 1;
            self.is_unterminated = record == Record::Cut;
            let read = match record {
                Record::TooLong => {
                    manifest::Read::Malformed(manifest::Reason::Words("the line is too long"))
                }
                Record::Whole | Record::Cut => self.reader.read(&line),
            };
            match read {
                manifest::Read::Nothing | manifest::Read::More => {}
                manifest::Read::Malformed(_) | manifest::Read::Unverified(..) => {
                    return Ok(Some(Line::Other(None, None, self.line)));
                }
                manifest::Read::Unknown(name) => {
                    return Ok(Some(Line::Other(None, Some(name), self.line)));
                }
                manifest::Read::Entry(entry) => return self.entry(py, entry).map(Some),
            }
        }
    }
}

impl ManifestReader {
    fn entry<'py>(&self, py: Python<'py>, entry: Entry) -> PyResult<Line<'py>> {
        let Ok(path) = system::path(entry.name) else {
            return Ok(Line::Other(None, None, self.line));
        };
        let names = entry.digests.iter().map(|expected| expected.function.name().into_owned());
        let digests = entry.digests.iter().map(|expected| PyBytes::new(py, &expected.digest));
        Ok(Line::File(path, names.collect(), digests.collect()))
    }
}

fn next(
    py: Python<'_>,
    records: &mut Records<impl BufRead + Send>,
    line: &mut Vec<u8>,
) -> io::Result<Option<Record>> {
    py.detach(|| records.next(line))
}

/// Whether files can be hashed with the function of this name.
#[pyfunction]
pub(crate) fn can_hash_files_with(name: &str) -> bool {
    Function::from_name(name).is_ok()
}

fn format_named(name: &str) -> PyResult<Format> {
    Ok(match name {
        "text" => Format::Text,
        "tagged" => Format::Tagged,
        "json" => Format::Json,
        "csv" => Format::Csv,
        "hashdeep" => Format::Hashdeep,
        "sfv" => Format::Sfv,
        "bagit" => Format::BagIt,
        _ => {
            let message = format!(
                "format must be 'text', 'tagged', 'json', 'csv', 'hashdeep', 'sfv' or 'bagit', \
                 not {name:?}"
            );
            return Err(PyValueError::new_err(message));
        }
    })
}

fn hash_name(name: &str) -> PyResult<HashName> {
    let unknown = || PyValueError::new_err(format!("unknown hash function {name:?}"));
    HashName::named(name).ok_or_else(unknown)
}
