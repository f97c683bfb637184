//! Torrents among the manifests: files are verified against their pieces.

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

/// The key that only torrents have in their outer dictionary, and the start of its value.
const INFO: &[u8] = b"4:infod";

/// The torrents of a command line, and how they are checked.
pub(super) struct Torrents {
    paths: Vec<PathBuf>,
    folder: PathBuf,
    style: Style,
}

impl Torrents {
    /// Takes the torrents out of the manifests, unless the options set a format for all.
    pub(super) fn take(args: &mut Args) -> Self {
        let paths = match args.format {
            Some(_) => Vec::new(),
            None => args.manifests.extract_if(.., |path| is_torrent(path)).collect(),
        };
        let style = Style {
            quiet: args.rules.quiet,
            status: args.rules.status,
            json: args.rules.json,
            ignore_missing: args.rules.ignore_missing,
            links: links(args.selection.follows_links()),
        };
        let folder = args.base.clone().unwrap_or_else(|| Path::new(".").into());
        Self { paths, folder, style }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Checks one after another.
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

/// Whether the file at this path is a torrent: a bencoded dictionary with the key `info`. Only
/// regular files are looked at: reading others may block, or consume the bytes of a manifest.
pub(super) fn is_torrent(path: &Path) -> bool {
    let is_file = !is_stdin(path) && path.is_file();
    is_file && system::open(path).and_then(|file| has_info(BufReader::new(file))).unwrap_or(false)
}

/// Whether this starts like a dictionary with a string as its first key, and has the key `info`.
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
