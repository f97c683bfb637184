//! Torrents among the manifests: compared with files by their pieces.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use hashlanes_files::{is_stdin, system};
use hashlanes_tree::torrent::bencode::MAX_LENGTH;

use super::Args;
use crate::commands::tree::check as trees;
use crate::commands::tree::torrent::verify::{Style, check, links};
use crate::terminal::output::Output;
use crate::terminal::progress::Watched;
use crate::terminal::summary::Tally;

/// The key of the dictionary that makes a torrent, and the begin of that dictionary.
const INFO: &[u8] = b"4:infod";

/// The torrents of a command line, and how they are checked.
pub(super) struct Torrents {
    paths: Vec<PathBuf>,
    folder: PathBuf,
    style: Style,
}

impl Torrents {
    /// Takes the torrents away from the manifests, unless all manifests are of a format that was
    /// asked for.
    pub(super) fn take(args: &mut Args) -> Self {
        let paths = match args.format {
            Some(_) => Vec::new(),
            None => args.manifests.extract_if(.., |path| is_torrent(path)).collect(),
        };
        let style = Style {
            quiet: args.quiet,
            status: args.status,
            json: args.json,
            ignore_missing: args.ignore_missing,
            links: links(args.selection.follows_links()),
        };
        let folder = args.base.clone().unwrap_or_else(|| Path::new(".").into());
        Self { paths, folder, style }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Checks one after the other.
    pub(super) fn check(
        &self,
        args: &Args,
        watched: &Watched,
        output: &mut Output,
    ) -> io::Result<Tally> {
        let settings = trees::settings(&args.load.settings(watched, &args.machine));
        let mut tally = Tally::default();
        for torrent in &self.paths {
            tally.add(&check(torrent, &self.folder, &settings, self.style, output)?);
        }
        Ok(tally)
    }
}

/// Whether the file at this path is a torrent: a dictionary in bencode with the key `info`. What is
/// no regular file is none: reading it may wait, or take what a manifest would have.
pub(super) fn is_torrent(path: &Path) -> bool {
    let is_file = !is_stdin(path) && path.is_file();
    is_file && system::open(path).and_then(|file| has_info(BufReader::new(file))).unwrap_or(false)
}

/// Whether this begins as a dictionary, whose first key is a string, and has the key `info`.
fn has_info(mut reader: impl BufRead) -> io::Result<bool> {
    let begin = reader.fill_buf()?;
    let digits = begin.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
    if begin.first() != Some(&b'd') || digits == 0 || begin.get(1 + digits) != Some(&b':') {
        return Ok(false);
    }
    let mut text = Vec::new();
    reader.take(MAX_LENGTH as u64).read_to_end(&mut text)?;
    Ok(text.windows(INFO.len()).any(|window| window == INFO))
}
