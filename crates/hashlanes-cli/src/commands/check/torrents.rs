//! Torrents among the manifests: compared with files by their pieces.

use std::io;
use std::path::{Path, PathBuf};

use super::Args;
use crate::commands::tree::check as trees;
use crate::commands::tree::torrent::verify::{Style, check};
use crate::terminal::output::Output;
use crate::terminal::progress::Watched;
use crate::terminal::summary::Tally;

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
        let settings = trees::settings(&watched.settings(&args.machine));
        let mut tally = Tally::default();
        for torrent in &self.paths {
            tally.add(&check(torrent, &self.folder, &settings, self.style, output)?);
        }
        Ok(tally)
    }
}

/// Whether this is the name of a torrent.
pub(super) fn is_torrent(path: &Path) -> bool {
    path.extension().unwrap_or_default().eq_ignore_ascii_case("torrent")
}
