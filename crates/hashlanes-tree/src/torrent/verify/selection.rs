//! Selects the parts of files to read.
//!
//! With version 1 alone, pieces span files. A piece with missing bytes cannot be checked, so the
//! others are read as runs of complete pieces. With version 2, each file is independent and begins
//! at a piece. Missing files are left out.

use std::ops::Range;

use super::survey::Found;
use super::tolerant::Tolerant;
use crate::torrent::blocks::{Blocks, Place};
use crate::torrent::merkle::BLOCK;
use crate::torrent::metainfo::Metainfo;
use crate::{Joined, Part, ReadError};

/// The content to read, and the meaning of its pieces and places.
pub(super) struct Selection {
    pub(super) content: Blocks<Tolerant>,
    /// The numbers of the pieces of version 1 that are hashed, in order.
    pub(super) pieces: Vec<Range<u64>>,
    /// The file of each place of the content.
    pub(super) files: Vec<usize>,
}

impl Selection {
    /// Opens the files that exist.
    ///
    /// # Errors
    /// If a file has vanished.
    pub(super) fn new(torrent: &Metainfo, found: &[Found]) -> Result<Self, ReadError> {
        let mut builder = Builder::default();
        let pieces = if torrent.infohash_v2.is_some() {
            builder.add_files(torrent, found)
        } else {
            let runs = checkable(torrent, found);
            let ends = ends(torrent);
            runs.iter().for_each(|run| builder.add_run(torrent, &ends, found, run.clone()));
            runs
        };
        let Builder { parts, ranges, places, files, .. } = builder;
        let content = Tolerant::new(Joined::open(parts)?, ranges);
        Ok(Self { content: Blocks::new(content, places), pieces, files })
    }
}

/// Runs of the pieces of version 1 whose bytes all exist.
fn checkable(torrent: &Metainfo, found: &[Found]) -> Vec<Range<u64>> {
    let piece = torrent.piece_length;
    let pieces = torrent.total().div_ceil(piece);
    let (mut runs, mut begin, mut offset) = (Vec::new(), 0, 0);
    for (file, found) in torrent.files.iter().zip(found) {
        let gap = offset + found.available(file)..offset + file.length;
        let start = std::mem::replace(&mut offset, gap.end);
        let out = match found {
            // Pieces that consist only of these zeros are not checked, and there may be many.
            Found::Pad => start.div_ceil(piece)..offset / piece,
            _ if gap.is_empty() => continue,
            _ => gap.start / piece..gap.end.div_ceil(piece),
        };
        if out.is_empty() {
            continue;
        }
        if begin < out.start {
            runs.push(begin..out.start);
        }
        begin = begin.max(out.end);
    }
    if begin < pieces {
        runs.push(begin..pieces);
    }
    runs
}

#[derive(Default)]
struct Builder {
    parts: Vec<Part>,
    ranges: Vec<(Range<u64>, usize)>,
    places: Vec<Place>,
    files: Vec<usize>,
    length: u64,
}

impl Builder {
    fn add_zeros(&mut self, length: u64) {
        if length > 0 {
            self.parts.push(Part::Zeros(length));
            self.length += length;
        }
    }

    /// Adds bytes of a file, which all exist, or of a pad file.
    fn add(&mut self, number: usize, found: &Found, bytes: Range<u64>) {
        let length = bytes.end - bytes.start;
        match found {
            Found::Present { place, .. } if length > 0 => {
                self.parts.push(Part::Range { path: place.clone(), offset: bytes.start, length });
                self.ranges.push((self.length..self.length + length, number));
                self.length += length;
            }
            _ => self.add_zeros(length),
        }
    }

    /// Adds the files of version 2 that exist. Each begins at a piece if there is also version 1,
    /// and otherwise at a block. Returns the pieces of version 1.
    fn add_files(&mut self, torrent: &Metainfo, found: &[Found]) -> Vec<Range<u64>> {
        let piece = torrent.piece_length;
        let is_hybrid = torrent.pieces.is_some();
        let align = if is_hybrid { piece } else { BLOCK };
        let (mut pieces, mut offset) = (Vec::new(), 0);
        let total = torrent.total();
        for (number, (file, found)) in torrent.files.iter().zip(found).enumerate() {
            let begin = offset;
            offset += file.length;
            // Of a file that is too short, only complete pieces can be checked.
            let available = found.available(file);
            let is_whole = available == file.length;
            let length = if is_whole { available } else { available / piece * piece };
            if !matches!(found, Found::Present { .. }) || length == 0 {
                continue;
            }
            self.places.push(Place { begin: self.length, length });
            self.files.push(number);
            self.add(number, found, 0..length);
            if !is_whole {
                pieces.extend(is_hybrid.then(|| begin / piece..(begin + length) / piece));
                continue;
            }
            // The zeros of the last piece, as far as the torrent includes them.
            let end = offset.next_multiple_of(align);
            let end = if is_hybrid { end.min(total) } else { end };
            if is_hybrid {
                pieces.push(begin / piece..end.div_ceil(piece));
                self.add_zeros(end - offset);
            } else {
                self.add_zeros(file.length.next_multiple_of(BLOCK) - file.length);
            }
        }
        pieces
    }

    /// Adds a run of complete pieces, with the part of each file in it.
    fn add_run(&mut self, torrent: &Metainfo, ends: &[u64], found: &[Found], run: Range<u64>) {
        let (begin, end) = (run.start * torrent.piece_length, run.end * torrent.piece_length);
        let first = ends.partition_point(|file_end| *file_end <= begin);
        for (number, file) in torrent.files.iter().enumerate().skip(first) {
            let offset = ends[number] - file.length;
            if offset >= end {
                return;
            }
            let bytes = begin.max(offset) - offset..end.min(ends[number]) - offset;
            if !bytes.is_empty() {
                self.add(number, &found[number], bytes);
            }
        }
    }
}

/// The end of each file.
fn ends(torrent: &Metainfo) -> Vec<u64> {
    let lengths = torrent.files.iter().map(|file| file.length);
    lengths
        .scan(0, |end, length| {
            *end += length;
            Some(*end)
        })
        .collect()
}
