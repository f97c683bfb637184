//! The files of a torrent one behind the other, each beginning with a piece, and read once for both
//! versions.
//!
//! Version 1 hashes pieces of all this, with the zeros between the files. Version 2 hashes blocks of
//! each file, and a file's last block ends with the file. So the last blocks are hashed here, when
//! they are read.

use std::path::PathBuf;
use std::sync::OnceLock;

use hashlanes::{Engine, Sha256};

use crate::torrent::list::ListedFile;
use crate::torrent::merkle::{BLOCK, Node};
use crate::{Content, Joined, Part, ReadError};

/// Zeros behind each file, but the last one perhaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Padding {
    /// Each file begins at a multiple of this. With 1 there are no zeros.
    pub(super) align: u64,
    /// There are zeros behind the last file too.
    pub(super) at_end: bool,
}

/// The files and the zeros between them.
pub(super) struct Aligned {
    joined: Joined,
    /// The last blocks that are shorter than the others, in order.
    tails: Vec<Tail>,
    /// How many bytes of a block each place takes.
    pub(super) places: Vec<Place>,
}

/// Where a file is.
pub(super) struct Place {
    pub(super) begin: u64,
    pub(super) length: u64,
    /// The number of its last block among the short ones, if that is short.
    pub(super) tail: Option<usize>,
}

struct Tail {
    begin: u64,
    end: u64,
    digest: OnceLock<Node>,
}

/// How many zeros follow a file.
pub(super) fn zeros(length: u64, align: u64) -> u64 {
    length.next_multiple_of(align) - length
}

impl Aligned {
    /// Looks at all files.
    ///
    /// # Errors
    /// If one cannot be opened. The name of one whose length is not the listed one any more.
    pub(super) fn open(files: &[ListedFile], padding: Padding) -> Result<Self, OpenError> {
        let last = files.iter().rposition(|file| file.length > 0);
        let zeros_after = |i: usize, file: &ListedFile| match Some(i) == last && !padding.at_end {
            true => 0,
            false => zeros(file.length, padding.align),
        };
        let parts = files.iter().enumerate().flat_map(|(i, file)| {
            [Part::File(file.place.clone()), Part::Zeros(zeros_after(i, file))]
        });
        let joined = Joined::open(parts).map_err(OpenError::Read)?;
        let lengths = joined.lengths().step_by(2);
        if let Some((file, _)) = files.iter().zip(lengths).find(|(f, length)| f.length != *length) {
            return Err(OpenError::Changed(file.place.clone()));
        }
        let (mut begin, mut places, mut tails) = (0, Vec::with_capacity(files.len()), Vec::new());
        for (i, file) in files.iter().enumerate() {
            let end = begin + file.length;
            let tail = (!file.length.is_multiple_of(BLOCK)).then(|| {
                let begin = end - file.length % BLOCK;
                tails.push(Tail { begin, end, digest: OnceLock::new() });
                tails.len() - 1
            });
            places.push(Place { begin, length: file.length, tail });
            begin = end + zeros_after(i, file);
        }
        Ok(Self { joined, tails, places })
    }

    /// The leaf of a file's last block, which is short.
    ///
    /// # Errors
    /// If it was not read as a whole before, and cannot be read now.
    pub(super) fn tail(&self, number: usize) -> Result<Node, ReadError> {
        let tail = &self.tails[number];
        if let Some(digest) = tail.digest.get() {
            return Ok(*digest);
        }
        let mut block = vec![0; (tail.end - tail.begin) as usize];
        self.joined.read_exact_at(&mut block, tail.begin)?;
        Ok(Sha256::digest(&block))
    }

    /// A file that was written since it was looked at.
    pub(super) fn changed(&self) -> Option<PathBuf> {
        self.joined.changed().next().map(Into::into)
    }

    /// Hashes the last blocks that lie in a buffer as a whole.
    fn hash_tails(&self, buffer: &[u8], offset: u64) {
        let end = offset + buffer.len() as u64;
        let first = self.tails.partition_point(|tail| tail.begin < offset);
        let tails: Vec<&Tail> =
            self.tails[first..].iter().take_while(|tail| tail.end <= end).collect();
        let block =
            |tail: &&Tail| &buffer[(tail.begin - offset) as usize..(tail.end - offset) as usize];
        let blocks: Vec<&[u8]> = tails.iter().map(block).collect();
        let digests = Engine::<Sha256>::new().digest_many(&blocks);
        for (tail, digest) in tails.iter().zip(digests) {
            // Another worker may have read it too: it is the same.
            let _ = tail.digest.set(digest);
        }
    }
}

/// Why files cannot be hashed.
pub(super) enum OpenError {
    Read(ReadError),
    Changed(PathBuf),
}

impl Content for Aligned {
    fn length(&self) -> u64 {
        self.joined.length()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        self.joined.read_exact_at(buffer, offset)?;
        self.hash_tails(buffer, offset);
        Ok(())
    }
}
