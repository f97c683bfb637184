//! Small files: a worker reads them one after the other into one buffer, and hashes them together.
//!
//! Most of the cost of a small file is the system's work to look at it, open, read and close it. So
//! this makes one other system call, after the read, and allocates no memory per file. Files that
//! are not cached in memory are read last ([`ahead`](crate::system::ahead)).

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::ops::Range;

use super::buffer::{Buffer, after};
use super::filled::fill_to_end;
use super::pending::Pending;
use super::special::Special;
use super::way::{SMALL, Way};
use super::{Begun, Hashed, Input, Kind, Outcome, Plan, Share, Stream, width};
use crate::Digest;
use crate::full::read_full;
use crate::system::ahead::{self, Attempt};
use crate::system::{Stamp, read_at, stamp};

/// The buffer is hashed when it has this many bytes and a file for each lane. The bytes should then
/// still be in the core's second-level cache.
const ENOUGH: usize = 256 << 10;

/// The buffer is hashed at this many bytes even if lanes stay idle.
const MOST: usize = 1 << 20;

/// After a file for which the system cannot tell whether it is cached, this many files are read
/// without asking.
const UNASKED: usize = 255;

/// A file in the buffer.
struct Read {
    file: Pending<()>,
    /// The position of its content.
    range: Range<usize>,
    tag: Option<Box<str>>,
    is_changed: bool,
}

pub(super) struct SmallFiles {
    /// The contents of the files. It never grows.
    buffer: Buffer,
    /// Where the next file begins.
    filled: usize,
    files: Vec<Read>,
    /// The number of lanes of the widest kernel of any plan.
    lanes: usize,
    /// Files that the disk is fetching.
    fetched: VecDeque<(Pending<Kind>, File)>,
    /// The maximum number of `fetched`.
    most: usize,
    /// How many files to read without asking whether they are cached.
    unasked: usize,
}

impl SmallFiles {
    pub(super) fn new(plans: &[Plan], share: Share) -> Self {
        Self {
            // The additional byte reveals a file longer than `SMALL`.
            buffer: Buffer::new(MOST + SMALL + 1),
            filled: 0,
            files: Vec::new(),
            lanes: plans.iter().map(width).max().unwrap_or(1),
            fetched: VecDeque::new(),
            most: share.fetched,
            unasked: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether `hash` must be called before the next `read` or `read_fetched`.
    pub(super) fn is_full(&self) -> bool {
        self.filled >= MOST || self.filled >= ENOUGH && self.files.len() >= self.lanes
    }

    /// Bytes of the files in the buffer.
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|read| read.range.len() as u64).sum()
    }

    /// Reads a file into the buffer, which must not be full. Never waits for a writer. Leaves a
    /// file that is not cached to `read_fetched`.
    pub(super) fn read(&mut self, file: Pending) -> Begun {
        let (file, input) = file.with(());
        let kind = match input {
            Input::File(kind) => kind,
            Input::Stream(stream) => return self.read_stream(file, stream),
        };
        let opened = match kind.open(&file.path) {
            Ok(opened) => opened,
            Err(error) => return Begun::Failed(file, error),
        };
        let (mut file, ()) = file.with(kind);
        match stamp_of(&file, &opened) {
            Ok(Some(stamp)) => {
                file.stamp = Some(stamp);
                if Way::regular(stamp.size) == Way::Large {
                    return large(file);
                }
            }
            // Windows has no metadata for devices.
            _ => return Begun::Special(Special { file, opened: Some(opened) }),
        }
        if self.unasked > 0 || self.fetched.len() >= self.most {
            self.unasked = self.unasked.saturating_sub(1);
            return self.read_rest(file, opened, 0);
        }
        match ahead::read(&opened, self.buffer.get_mut(self.space())) {
            Attempt::Read(length) => self.read_rest(file, opened, length),
            Attempt::Fetching => {
                self.fetched.push_back((file, opened));
                Begun::Taken
            }
            Attempt::Unknown => {
                self.unasked = UNASKED;
                self.read_rest(file, opened, 0)
            }
        }
    }

    /// Reads a stream. One that may be long is left to `LargeFiles`.
    fn read_stream(&mut self, mut file: Pending<()>, mut stream: Box<dyn Stream>) -> Begun {
        if stream.length().is_none_or(|length| length > SMALL as u64) {
            return Begun::Large(file.with(Input::Stream(stream)).0);
        }
        let space = self.buffer.get_mut(self.space());
        let length = match fill_to_end(&mut *stream, space) {
            Ok(length) => length,
            Err(error) => return Begun::Failed(file, error),
        };
        file.stamp = stream.stamp();
        let range = self.filled..self.filled + length;
        self.files.push(Read { file, range, tag: stream.tag(), is_changed: false });
        self.filled = after(self.filled, length);
        Begun::Taken
    }

    /// Reads the next file that was not cached. `None` if there is none. The buffer must not be
    /// full.
    pub(super) fn read_fetched(&mut self) -> Option<Begun> {
        let (file, opened) = self.fetched.pop_front()?;
        Some(self.read_rest(file, opened, 0))
    }

    /// Where the next file goes.
    fn space(&self) -> Range<usize> {
        self.filled..self.filled + SMALL + 1
    }

    /// Reads the rest of a file whose first `begun` bytes are in the buffer.
    fn read_rest(&mut self, mut file: Pending<Kind>, opened: File, begun: usize) -> Begun {
        let size = file.stamp.map_or(0, |stamp| stamp.size);
        let read = |space: &mut [u8], offset| {
            let offset = begun + offset;
            if offset > 0 && offset as u64 == size {
                // It ended at the expected size: no further read is needed.
                return Ok(0);
            }
            // Fails for a file without offsets, such as a FIFO.
            read_at(&opened, space, offset as u64)
        };
        let space = self.space();
        let space = self.buffer.get_mut(space.start + begun..space.end);
        match read_full(space, read).map(|length| begun + length) {
            Ok(length) if length <= SMALL => {
                let now = stamp(&opened);
                if std::mem::take(&mut file.is_before) {
                    let Ok(Some(now)) = now else {
                        return Begun::Special(Special { file, opened: Some(opened) });
                    };
                    let before = file.stamp.replace(now);
                    if before.is_none_or(|before| !before.has_content_of(&now)) {
                        // Another file was looked at, or this one before it was changed.
                        return self.read_rest(file, opened, 0);
                    }
                }
                let later = now.ok().flatten();
                let is_changed =
                    file.stamp.zip(later).is_some_and(|(it, later)| it.is_changed(&later));
                let range = self.filled..self.filled + length;
                let (file, _) = file.with(());
                self.files.push(Read { file, range, tag: None, is_changed });
                self.filled = after(self.filled, length);
                Begun::Taken
            }
            Ok(_) if matches!(stamp(&opened), Ok(Some(_))) => large(file),
            Err(error) if !is_unlike_a_file(&error) => Begun::Failed(file.with(()).0, error),
            _ => Begun::Special(Special { file, opened: Some(opened) }),
        }
    }

    /// Hashes the files and empties the buffer.
    pub(super) fn hash(&mut self, plans: &[Plan], mut done: impl FnMut(Pending<()>, Outcome)) {
        self.files.sort_by_key(|read| read.file.plan);
        let mut messages: Vec<&[u8]> = Vec::with_capacity(self.files.len());
        let mut digests: Vec<Vec<Digest>> = Vec::with_capacity(self.files.len());
        for files in self.files.chunk_by(|a, b| a.file.plan == b.file.plan) {
            messages.clear();
            messages.extend(files.iter().map(|read| self.buffer.get(read.range.clone())));
            let begin = digests.len();
            digests.resize_with(begin + files.len(), Vec::new);
            for engine in plans[files[0].file.plan].iter() {
                let mut digests = digests[begin..].iter_mut();
                engine.digest_many(&messages, |digest| {
                    digests.next().expect("a digest for each message").push(digest);
                });
            }
        }
        for (Read { file, range, tag, is_changed }, digests) in self.files.drain(..).zip(digests) {
            let (length, stamp) = (range.len() as u64, file.stamp);
            done(file, Ok(Hashed { digests, length, stamp, tag, is_changed }));
        }
        self.filled = 0;
    }
}

/// The stamp of a file that has been opened, or that from before.
fn stamp_of(file: &Pending<Kind>, opened: &File) -> io::Result<Option<Stamp>> {
    if file.is_before { Ok(file.stamp) } else { stamp(opened) }
}

/// A file that is left to `LargeFiles`.
fn large(file: Pending<Kind>) -> Begun {
    let (file, kind) = file.with(());
    Begun::Large(file.with(kind.into()).0)
}

/// Whether no regular file on a disk gives this error.
fn is_unlike_a_file(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotSeekable | io::ErrorKind::WouldBlock)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use hashlanes::Algorithm;

    use super::*;
    use crate::Engine;

    fn plans() -> [Plan; 1] {
        [vec![Engine::new(Algorithm::Sha1.into())].into()]
    }

    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|index| (index * 7 / 3) as u8).collect()
    }

    fn write(folder: &Path, length: usize) -> PathBuf {
        let path = folder.join(length.to_string());
        std::fs::write(&path, content(length)).unwrap();
        path
    }

    /// Hashes the files and checks the digests: each file's number is its length.
    fn check(batch: &mut SmallFiles) -> usize {
        let mut files = 0;
        batch.hash(&plans(), |file, outcome| {
            let expected = Algorithm::Sha1.digest(content(file.ticket.number as usize));
            assert_eq!(outcome.unwrap().digests, [expected], "{}", file.path.display());
            files += 1;
        });
        files
    }

    #[test]
    fn files_that_the_disk_fetches_are_read_later() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = SmallFiles::new(&plans(), Share::of(1));
        for length in [0, 1, 5000, SMALL] {
            let path = write(folder.path(), length);
            let opened = File::open(&path).unwrap();
            batch.fetched.push_back((Pending::numbered(length as u64, &path), opened));
            assert!(matches!(batch.read_fetched(), Some(Begun::Taken)));
            assert!(batch.read_fetched().is_none());
        }
        assert_eq!(check(&mut batch), 4);

        let path = write(folder.path(), SMALL + 1);
        batch.fetched.push_back((Pending::numbered(0, &path), File::open(&path).unwrap()));
        assert!(matches!(batch.read_fetched(), Some(Begun::Large(_))));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn files_are_hashed_whether_they_are_in_memory_or_not() {
        use rustix::fs::{Advice, fadvise};

        let folder = tempfile::tempdir().unwrap();
        let lengths = (0..300).map(|index| index * 37).collect::<Vec<_>>();
        let paths: Vec<PathBuf> =
            lengths.iter().map(|&length| write(folder.path(), length)).collect();
        for path in paths.iter().step_by(2) {
            // If the folder is on a disk, this removes the file from memory.
            let file = File::open(path).unwrap();
            file.sync_all().unwrap();
            fadvise(&file, 0, None, Advice::DontNeed).unwrap();
        }
        let mut batch = SmallFiles::new(&plans(), Share::of(1));
        let mut hashed = 0;
        let mut pending = lengths.iter().zip(&paths);
        loop {
            let begun = match pending.next() {
                Some((&length, path)) => batch.read(Pending::numbered(length as u64, path)),
                None => match batch.read_fetched() {
                    Some(begun) => begun,
                    None => break,
                },
            };
            assert!(matches!(begun, Begun::Taken));
            assert!(batch.fetched.len() <= batch.most);
            if batch.is_full() {
                hashed += check(&mut batch);
            }
        }
        assert_eq!(hashed + check(&mut batch), lengths.len());
    }

    #[test]
    fn a_file_that_changed_before_it_was_opened_is_read_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = SmallFiles::new(&plans(), Share::of(1));
        for length in [0, 10, 5000, SMALL] {
            let path = write(folder.path(), length);
            for before in [0, 1, 5000, 6000, SMALL] {
                std::fs::write(&path, vec![1; before]).unwrap();
                let stamp = Some(Stamp::from(&path.metadata().unwrap()));
                write(folder.path(), length);
                let now = Stamp::from(&path.metadata().unwrap());
                let file = Pending::numbered(length as u64, &path);
                let file = Pending { stamp, is_before: true, ..file };
                assert!(matches!(batch.read(file), Begun::Taken));
                let read = batch.files.last().unwrap();
                assert!(read.file.stamp == Some(now) && !read.is_changed, "{before} {length}");
            }
            assert_eq!(check(&mut batch), 5);
        }
    }

    #[test]
    fn a_full_batch_has_files_for_the_lanes() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = SmallFiles::new(&plans(), Share::of(1));
        for length in [8 << 10, 16 << 10, 40 << 10, SMALL] {
            let path = write(folder.path(), length);
            while !batch.is_full() {
                let begun = batch.read(Pending::numbered(length as u64, &path));
                assert!(matches!(begun, Begun::Taken));
            }
            assert!(batch.filled >= ENOUGH && batch.filled < MOST + 2 * SMALL, "{length}");
            assert!(check(&mut batch) >= batch.lanes.min(16), "{length}");
        }
    }

    #[test]
    fn a_wrong_length_does_no_harm_and_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path(), 10_000);
        let right = stamp(&File::open(&path).unwrap()).unwrap().unwrap();
        let mut batch = SmallFiles::new(&plans(), Share::of(1));
        for size in [0, 1, 9_999, 10_000, 10_001, SMALL as u64] {
            let mut stamp = right;
            stamp.size = size;
            let file = Pending { stamp: Some(stamp), ..Pending::numbered(10_000, &path) };
            let opened = File::open(&path).unwrap();
            assert!(matches!(batch.read_rest(file, opened, 0), Begun::Taken));
            assert_eq!(batch.files.last().unwrap().is_changed, size != 10_000, "{size}");
        }
        assert_eq!(check(&mut batch), 6);
    }
}
