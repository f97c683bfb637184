//! Compares files with a torrent, and reports the bad pieces and the files that they touch.

mod selection;
mod survey;
mod tolerant;

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use hashlanes::Algorithm;
use hashlanes_files::system;

use super::merkle::BLOCK;
use super::metainfo::{FileHashes, FileKind, Metainfo, TorrentFile};
use super::trees::Trees;
use crate::{Error, Job, Plan, ReadError, Settings, hash_content};
use selection::Selection;
pub use survey::Links;
use survey::{Found, survey};

/// The result of comparing files with a torrent.
#[derive(Debug)]
pub struct VerifyReport {
    /// The files in the order of the torrent, without pad files.
    pub files: Vec<FileReport>,
    /// The pieces that could be read in full, but differ from the torrent.
    pub bad: Vec<BadPieces>,
    /// Pieces about which versions 1 and 2 of a hybrid torrent contradict each other.
    pub contradictions: Vec<u64>,
}

impl VerifyReport {
    /// Whether all files match the torrent.
    pub fn is_good(&self) -> bool {
        self.bad.is_empty()
            && self.contradictions.is_empty()
            && self.files.iter().all(|file| matches!(file.state, FileState::Good))
    }
}

/// A file of a torrent.
#[derive(Debug)]
pub struct FileReport {
    /// The path below the folder in which the torrent is saved, with `/` between names.
    pub path: Vec<u8>,
    /// The result for this file.
    pub state: FileState,
}

/// The result for a file.
#[derive(Debug)]
pub enum FileState {
    /// It matches the torrent.
    Good,
    /// A bad piece touches it. If the torrent has only version 1, the error may be in another file
    /// of that piece.
    Bad,
    /// It shares a piece with a missing file. The rest of it is good.
    Unchecked,
    /// It does not exist.
    Missing,
    /// It cannot be read, or is not the expected kind of file. The text says why.
    Unreadable(String),
    /// Its length differs.
    WrongSize {
        /// The length in the torrent.
        expected: u64,
        /// The actual length.
        found: u64,
    },
}

/// Consecutive bad pieces that touch the same files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPieces {
    /// The numbers of the pieces. In version 2, each file begins at a piece.
    pub pieces: RangeInclusive<u64>,
    /// The indices of the files in the report.
    pub files: Vec<usize>,
}

/// Compares the files in `folder` with a torrent.
///
/// Unreadable files are part of the report, and the rest is still checked. Unless `links` allows
/// it, no file outside `folder` and the torrent's own folder in it is read: anything behind a
/// symbolic link that leads out counts as unreadable. All links are checked before any file is
/// read, so whoever can replace them in between can have another file compared.
///
/// # Errors
/// If the settings' `Control` stops the run, or a file vanishes as the comparison begins.
///
/// # Examples
/// ```
/// use hashlanes_files::walk::Walk;
/// use hashlanes_tree::Settings;
/// use hashlanes_tree::torrent::metainfo::Metainfo;
/// use hashlanes_tree::torrent::{Extras, Links, Listing, Options, Torrent, Version, verify};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("data");
/// std::fs::write(&path, vec![7; 100_000])?;
/// let listing = Listing::new(&path, &Walk::default())?;
/// let made = Torrent::create(&listing, &Options::new(Version::V1), &Settings::default())?;
/// let torrent = Metainfo::parse(&made.to_text(&Extras::default()))?;
///
/// assert!(verify(&torrent, folder.path(), Links::Stay, &Settings::default())?.is_good());
/// let mut bytes = vec![7; 100_000];
/// bytes[20_000] = 8;
/// std::fs::write(&path, bytes)?;
/// let report = verify(&torrent, folder.path(), Links::Stay, &Settings::default())?;
/// assert_eq!(report.bad[0].pieces, 1..=1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(
    torrent: &Metainfo,
    folder: &Path,
    links: Links,
    settings: &Settings<'_>,
) -> Result<VerifyReport, Error> {
    let found = survey(torrent, folder, links);
    let selection = Selection::new(torrent, &found)?;
    let (pieces, blocks) =
        (Plan::new(Algorithm::Sha1, torrent.piece_length), Plan::new(Algorithm::Sha256, BLOCK));
    let mut digests = Vec::new();
    let mut trees = Trees::new(&selection.content, torrent.piece_length);
    let mut jobs = Vec::new();
    if torrent.pieces.is_some() {
        jobs.push(Job::new(&pieces, &mut digests));
    }
    if torrent.infohash_v2.is_some() {
        jobs.push(Job::new(&blocks, &mut trees));
    }
    hash_content(&selection.content, &mut jobs, settings)?;
    drop(jobs);
    let trees = trees.finish();
    let judge = Judge { torrent, starts: starts(torrent) };
    let bad_v1 = judge.bad_of_v1(&selection.pieces, &digests);
    let bad_v2 = judge.bad_of_v2(&selection.files, &trees, bad_v1.as_deref().unwrap_or_default());
    let Selection { content, pieces, .. } = selection;
    Ok(judge.report(&found, content.content.failed(), &pieces, bad_v1, bad_v2))
}

/// The offset of each file. With version 2 alone, each begins at a piece.
fn starts(torrent: &Metainfo) -> Vec<u64> {
    let align = if torrent.pieces.is_some() { 1 } else { torrent.piece_length };
    let mut start = 0;
    let starts = torrent.files.iter().map(|file| {
        let begin = start;
        start += file.length.next_multiple_of(align);
        begin
    });
    starts.collect()
}

struct Judge<'t> {
    torrent: &'t Metainfo,
    starts: Vec<u64>,
}

impl Judge<'_> {
    /// The pieces that a file touches.
    fn pieces_of(&self, number: usize) -> Range<u64> {
        let (start, length) = (self.starts[number], self.torrent.files[number].length);
        let piece = self.torrent.piece_length;
        if length == 0 {
            return 0..0;
        }
        start / piece..(start + length).div_ceil(piece)
    }

    /// The pieces whose digest differs from the torrent's. `None` without version 1.
    fn bad_of_v1(&self, runs: &[Range<u64>], digests: &[u8]) -> Option<Vec<u64>> {
        let expected = self.torrent.pieces.as_ref()?;
        let (digests, _) = digests.as_chunks::<20>();
        let numbers = runs.iter().cloned().flatten();
        let wrong = numbers.zip(digests).filter(|(n, digest)| expected[*n as usize] != **digest);
        Some(wrong.map(|(number, _)| number).collect())
    }

    /// The same for version 2. Where it knows only the root, the pieces are those of version 1.
    fn bad_of_v2(
        &self,
        files: &[usize],
        trees: &[Option<FileHashes>],
        bad_v1: &[u64],
    ) -> Option<Vec<u64>> {
        self.torrent.infohash_v2?;
        let mut bad = Vec::new();
        for (&number, hashes) in files.iter().zip(trees) {
            let (Some(found), Some(expected)) = (hashes, &self.torrent.files[number].hashes) else {
                continue;
            };
            let pieces = self.pieces_of(number);
            let first = pieces.start;
            if expected.layer.is_empty() {
                // One piece, or pieces of which only the root is known.
                let known = |piece: &u64| bad_v1.binary_search(piece).is_ok();
                let is_known = pieces.clone().any(|piece| known(&piece));
                let is_bad = |piece: &u64| !is_known || known(piece);
                bad.extend(pieces.filter(is_bad).filter(|_| found.root != expected.root));
                continue;
            }
            // Of a file that is too short, there may be a single full piece, whose node is the
            // root.
            let layer = if found.layer.is_empty() { &[found.root][..] } else { &*found.layer };
            let pairs = layer.iter().zip(&*expected.layer);
            bad.extend((first..).zip(pairs).filter(|(_, (a, b))| a != b).map(|(n, _)| n));
        }
        Some(bad)
    }

    fn report(
        &self,
        found: &[Found],
        mut failed: BTreeMap<usize, ReadError>,
        checked: &[Range<u64>],
        bad_v1: Option<Vec<u64>>,
        bad_v2: Option<Vec<u64>>,
    ) -> VerifyReport {
        let (bad, contradictions) = join(bad_v1, bad_v2);
        let mut files = Vec::new();
        // The number of each file in the report.
        let mut places = Vec::with_capacity(found.len());
        for (number, (file, found)) in self.torrent.files.iter().zip(found).enumerate() {
            places.push(files.len());
            if file.kind == FileKind::Pad {
                continue;
            }
            let pieces = self.pieces_of(number);
            let state = match failed.remove(&number) {
                Some(error) => FileState::Unreadable(error.error.to_string()),
                None => self.state(file, found, &pieces, &bad, checked),
            };
            files.push(FileReport { path: self.torrent.path_of(file), state });
        }
        let bad = self.group(&bad, &places);
        VerifyReport { files, bad, contradictions }
    }

    fn state(
        &self,
        file: &TorrentFile,
        found: &Found,
        pieces: &Range<u64>,
        bad: &[u64],
        checked: &[Range<u64>],
    ) -> FileState {
        match found {
            Found::Absent(error) if system::is_missing(error) => FileState::Missing,
            Found::Absent(error) => FileState::Unreadable(error.to_string()),
            Found::Link(Err(why)) => FileState::Unreadable(why.clone()),
            Found::Link(Ok(())) | Found::Pad => FileState::Good,
            Found::Present { length, .. } if *length != file.length => {
                FileState::WrongSize { expected: file.length, found: *length }
            }
            Found::Present { .. } => {
                let next = bad.partition_point(|piece| *piece < pieces.start);
                if bad.get(next).is_some_and(|piece| pieces.contains(piece)) {
                    return FileState::Bad;
                }
                let is_v1_only = self.torrent.infohash_v2.is_none();
                if is_v1_only && !pieces.is_empty() && !covers(checked, pieces) {
                    return FileState::Unchecked;
                }
                FileState::Good
            }
        }
    }

    /// Groups bad pieces that touch the same files.
    fn group(&self, bad: &[u64], places: &[usize]) -> Vec<BadPieces> {
        let mut groups: Vec<BadPieces> = Vec::new();
        for &piece in bad {
            let files: Vec<usize> = self.touched(piece).map(|number| places[number]).collect();
            match groups.last_mut() {
                Some(group) if *group.pieces.end() + 1 == piece && group.files == files => {
                    group.pieces = *group.pieces.start()..=piece;
                }
                _ => groups.push(BadPieces { pieces: piece..=piece, files }),
            }
        }
        groups
    }

    /// The files that a piece touches.
    fn touched(&self, piece: u64) -> impl Iterator<Item = usize> {
        let (begin, end) =
            (piece * self.torrent.piece_length, (piece + 1) * self.torrent.piece_length);
        // The first file that may extend into the piece is the last one that starts before it.
        let first = self.starts.partition_point(|start| *start <= begin).saturating_sub(1);
        (first..self.starts.len()).take_while(move |&number| self.starts[number] < end).filter(
            move |&number| {
                let file = &self.torrent.files[number];
                file.kind != FileKind::Pad && self.pieces_of(number).contains(&piece)
            },
        )
    }
}

/// Whether one of the runs contains all these pieces.
fn covers(runs: &[Range<u64>], pieces: &Range<u64>) -> bool {
    let after = runs.partition_point(|run| run.start <= pieces.start);
    after > 0 && runs[after - 1].end >= pieces.end
}

/// The bad pieces of either version, and those that are bad in only one of them.
fn join(bad_v1: Option<Vec<u64>>, bad_v2: Option<Vec<u64>>) -> (Vec<u64>, Vec<u64>) {
    match (bad_v1, bad_v2) {
        (Some(one), Some(two)) => {
            let in_one = |a: &[u64], b: &[u64]| -> Vec<u64> {
                a.iter().copied().filter(|piece| b.binary_search(piece).is_err()).collect()
            };
            let mut contradictions = [in_one(&one, &two), in_one(&two, &one)].concat();
            contradictions.sort_unstable();
            let mut bad = [one, two].concat();
            bad.sort_unstable();
            bad.dedup();
            (bad, contradictions)
        }
        (one, two) => (one.or(two).unwrap_or_default(), Vec::new()),
    }
}
