//! Lists of names, each followed by a newline or a NUL byte.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use crate::manifest::{Record, Records};
use crate::{is_stdin, open_or_stdin, system};

/// The terminator of names in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A newline. Names that contain one cannot be listed.
    Newline,
    /// A zero byte, which no name contains.
    Nul,
}

/// Reads the names of a list one by one. The last name may be unterminated. The length of a name is
/// [bounded](crate::manifest::MAX_RECORD), so that a list without separators does not fill the
/// memory.
///
/// # Examples
/// ```
/// use hashlanes_files::list::{End, List};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("list");
/// std::fs::write(&path, "one\0two words\0")?;
/// let names: Result<Vec<_>, _> = List::open(&path, End::Nul)?.collect();
/// assert_eq!(names?, ["one", "two words"].map(std::path::PathBuf::from));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct List {
    path: PathBuf,
    is_stdin: bool,
    /// Whether reading the list may wait for a writer, or take bytes from a listed file.
    is_special: bool,
    records: Records<BufReader<File>>,
    end: End,
    /// The number of names read so far.
    names: u64,
    ended: bool,
}

/// An entry of a list that is not a name, or a list that cannot be read any further.
#[derive(Debug)]
pub struct ListError {
    /// The path of the list.
    pub list: PathBuf,
    /// The number of the entry, starting at 1.
    pub entry: u64,
    /// The error.
    pub error: io::Error,
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: entry {}: {}", self.list.display(), self.entry, self.error)
    }
}

impl std::error::Error for ListError {}

impl List {
    /// Opens a list. The path `-` is the standard input.
    ///
    /// # Errors
    /// Any error from the operating system.
    pub fn open(path: &Path, end: End) -> io::Result<Self> {
        let is_stdin = is_stdin(path);
        let file = open_or_stdin(path)?;
        let kind = file.metadata().map(|metadata| metadata.file_type());
        if kind.as_ref().is_ok_and(|kind| kind.is_dir()) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self {
            path: path.to_owned(),
            is_stdin,
            is_special: is_stdin || !kind.is_ok_and(|kind| kind.is_file()),
            records: Records::new(BufReader::with_capacity(64 << 10, file), end == End::Nul),
            end,
            names: 0,
            ended: false,
        })
    }

    /// Whether the next name is available without waiting for another process.
    pub fn is_ready(&self) -> bool {
        let (read, end) = (self.records.get_ref().buffer(), self.records.end());
        self.ended || !self.is_special || read.contains(&end)
    }

    /// The next entry without its terminator. `None` at the end of the list.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut name = Vec::new();
        let Some(record) = self.records.next(&mut name)? else { return Ok(None) };
        self.names += 1;
        if record == Record::TooLong {
            return Err(refused("the name is longer than 1 MiB"));
        }
        if cfg!(windows) && self.end == End::Newline && name.last() == Some(&b'\r') {
            name.pop();
        }
        Ok(Some(name))
    }

    fn path(&self, name: Vec<u8>) -> io::Result<PathBuf> {
        if name.is_empty() {
            return Err(refused("the name is empty"));
        }
        if self.end == End::Newline && name.contains(&0) {
            return Err(refused(
                "a zero byte in a name: perhaps the names end in NUL, not newline",
            ));
        }
        let path = system::path(name)
            .map_err(|_| refused("no file can have this name: it is not valid Unicode"))?;
        if self.is_stdin && is_stdin(&path) {
            return Err(refused("a list from the standard input cannot contain `-`"));
        }
        Ok(path)
    }
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

impl Iterator for List {
    type Item = Result<PathBuf, ListError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let found = match self.read() {
            Ok(Some(name)) => self.path(name),
            Ok(None) => {
                self.ended = true;
                return None;
            }
            Err(error) => {
                // Reading can continue after an invalid entry, but not after other errors.
                self.ended = error.kind() != io::ErrorKind::InvalidData;
                self.names += u64::from(self.ended);
                Err(error)
            }
        };
        Some(found.map_err(|error| ListError { list: self.path.clone(), entry: self.names, error }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::MAX_RECORD;

    fn names(list: &[u8], end: End) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        std::fs::write(&path, list).unwrap();
        List::open(&path, end)
            .unwrap()
            .map(|name| match name {
                Ok(path) => path.to_str().unwrap().to_owned(),
                Err(ListError { entry, error, .. }) => format!("entry {entry}: {error}"),
            })
            .collect()
    }

    #[test]
    fn names_end_in_newline_or_nul() {
        assert_eq!(names(b"a\nb c\n", End::Newline), ["a", "b c"]);
        assert_eq!(names(b"a\nb c", End::Newline), ["a", "b c"]);
        assert_eq!(names(b"a\nb\0c\0", End::Nul), ["a\nb", "c"]);
        assert!(names(b"", End::Newline).is_empty());
    }

    #[test]
    fn what_is_no_name_is_refused_and_the_rest_is_read() {
        let empty = "entry 2: the name is empty";
        assert_eq!(names(b"a\n\nb\n", End::Newline), ["a", empty, "b"]);
        assert_eq!(names(b"a\0\0b", End::Nul), ["a", empty, "b"]);
        assert!(names(b"a\0b\0", End::Newline)[0].starts_with("entry 1: a zero byte"));
        for length in [MAX_RECORD - 1, MAX_RECORD, MAX_RECORD + 1, 3 * MAX_RECORD] {
            let list = [vec![b'x'; length], b"\nafter\n".to_vec()].concat();
            let found = names(&list, End::Newline);
            assert_eq!(found[1], "after");
            assert_eq!(found[0].starts_with("entry 1: the name is longer"), length > MAX_RECORD);
        }
    }

    #[test]
    fn a_directory_is_no_list() {
        let folder = tempfile::tempdir().unwrap();
        assert!(List::open(folder.path(), End::Newline).is_err());
    }
}
