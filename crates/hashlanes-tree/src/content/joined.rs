//! Concatenated files.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hashlanes_files::system::{self, Stamp};
use hashlanes_files::{Kind, RegularFile};

use super::{Content, Medium, ReadError};

/// The maximum number of open files, if the process may open this many.
const OPEN: usize = 128;

/// A part of [`Joined`] content.
#[derive(Clone, Debug)]
pub enum Part {
    /// A regular file.
    File(PathBuf),
    /// A regular file that a [walk](hashlanes_files::walk) has found.
    Found(PathBuf, Kind),
    /// A range of a regular file. If the file ends before that, reading fails.
    Range {
        /// The file.
        path: PathBuf,
        /// The offset of the first byte.
        offset: u64,
        /// The number of bytes.
        length: u64,
    },
    /// This number of zeros: the padding between the files of some torrents.
    Zeros(u64),
}

/// Concatenated files, as if they were one. There may be any number of them: they are opened when
/// needed, at most 128 at the same time.
///
/// ```
/// use hashlanes_tree::{Content, Joined, Part};
///
/// let folder = tempfile::tempdir()?;
/// let paths = ["a", "b"].map(|name| folder.path().join(name));
/// std::fs::write(&paths[0], "one")?;
/// std::fs::write(&paths[1], "two")?;
/// let [a, b] = paths.map(Part::File);
/// let joined = Joined::open([a, Part::Zeros(2), b])?;
/// assert_eq!(joined.length(), 8);
/// let mut bytes = [0; 5];
/// joined.read_exact_at(&mut bytes, 2)?;
/// assert_eq!(&bytes, b"e\0\0tw");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Joined {
    parts: Vec<Placed>,
    length: u64,
    /// The maximum number of files that stay open.
    most: usize,
    /// Open files with the numbers of their parts, the most recently used at the end.
    open: Mutex<VecDeque<(usize, Arc<RegularFile>)>>,
}

struct Placed {
    begin: u64,
    length: u64,
    /// The offset in the file.
    offset: u64,
    /// `None` for zeros.
    file: Option<(PathBuf, Kind, Stamp)>,
}

impl Joined {
    /// Examines all files to get their lengths.
    ///
    /// # Errors
    /// The first file that cannot be opened, or is not a regular file.
    pub fn open(parts: impl IntoIterator<Item = Part>) -> Result<Self, ReadError> {
        let mut placed = Vec::new();
        let mut begin = 0_u64;
        for part in parts {
            let (path, kind, range) = match part {
                Part::Zeros(length) => {
                    placed.push(Placed { begin, length, offset: 0, file: None });
                    begin = begin.saturating_add(length);
                    continue;
                }
                Part::File(path) => (path, Kind::Unknown, None),
                Part::Found(path, kind) => (path, kind, None),
                Part::Range { path, offset, length } => {
                    (path, Kind::Unknown, Some((offset, length)))
                }
            };
            let stamp = *open(&path, &kind)?.stamp();
            let (offset, length) = range.unwrap_or((0, stamp.size));
            let file = Some((path, kind, stamp));
            placed.push(Placed { begin, length, offset, file });
            begin = begin.saturating_add(length);
        }
        let most = OPEN.min(system::free_descriptors().div_ceil(2));
        Ok(Self { parts: placed, length: begin, most, open: Mutex::default() })
    }

    /// The length of each part, in order.
    pub fn lengths(&self) -> impl Iterator<Item = u64> {
        self.parts.iter().map(|part| part.length)
    }

    /// The files that were modified since they were examined, or can no longer be opened.
    pub fn changed(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().filter_map(|part| {
            let (path, kind, stamp) = part.file.as_ref()?;
            let now = RegularFile::open_as(path, kind);
            let same = now.is_ok_and(|file| !stamp.is_changed(file.stamp()));
            (!same).then_some(path.as_path())
        })
    }

    fn file(&self, number: usize, path: &Path, kind: &Kind) -> Result<Arc<RegularFile>, ReadError> {
        let lock = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files = lock();
        if let Some(place) = files.iter().rposition(|(other, _)| *other == number) {
            // The last entry stays open longest.
            if let Some(entry) = files.remove(place) {
                files.push_back(entry);
            }
            if let Some((_, file)) = files.back() {
                return Ok(file.clone());
            }
        }
        drop(files);
        let file = Arc::new(open(path, kind)?);
        let mut files = lock();
        if files.len() >= self.most {
            files.pop_front();
        }
        files.push_back((number, file.clone()));
        Ok(file)
    }
}

fn open(path: &Path, kind: &Kind) -> Result<RegularFile, ReadError> {
    RegularFile::open_as(path, kind).map_err(|error| ReadError::of(path, error))
}

impl Content for Joined {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> Result<(), ReadError> {
        // The last part that begins at or before the offset. Empty parts before it contain nothing.
        let mut number = self.parts.partition_point(|part| part.begin <= offset).saturating_sub(1);
        while !buffer.is_empty() {
            let Some(part) = self.parts.get(number) else {
                return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
            };
            let within = offset - part.begin;
            let here = (part.length - within).min(buffer.len() as u64) as usize;
            let (now, later) = buffer.split_at_mut(here);
            match &part.file {
                None => now.fill(0),
                Some((path, kind, _)) if here > 0 => {
                    let file = self.file(number, path, kind)?;
                    file.read_exact_at(now, part.offset + within)
                        .map_err(|error| ReadError::of(path, error))?;
                }
                Some(_) => {}
            }
            buffer = later;
            offset += here as u64;
            number += 1;
        }
        Ok(())
    }

    fn is_hole(&self, range: Range<u64>) -> bool {
        let first = self.parts.partition_point(|part| part.begin <= range.start).saturating_sub(1);
        let parts = self.parts[first..].iter().zip(first..);
        let mut parts = parts.take_while(|(part, _)| part.begin < range.end);
        parts.all(|(part, number)| {
            let Some((path, kind, _)) = &part.file else { return true };
            let begin = range.start.saturating_sub(part.begin).min(part.length);
            let end = (range.end - part.begin).min(part.length);
            let (begin, end) = (part.offset + begin, part.offset + end);
            begin == end || self.file(number, path, kind).is_ok_and(|it| it.is_hole(begin..end))
        })
    }

    /// The medium of the first file: usually all are on the same one.
    fn medium(&self) -> Medium {
        let mut files = self.parts.iter().filter_map(|part| part.file.as_ref());
        let first = files.next().and_then(|(path, kind, _)| RegularFile::open_as(path, kind).ok());
        first.map_or(Medium::Other, |file| file.medium())
    }
}
