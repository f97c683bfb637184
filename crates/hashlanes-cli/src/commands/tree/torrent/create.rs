//! Makes a .torrent file.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use base16ct::lower::encode_string;
use hashlanes_files::replace::{Replacement, Replaces};
use hashlanes_files::walk::{Filter, Options as WalkOptions, Walk};
use hashlanes_tree::Error;
use hashlanes_tree::torrent::{
    self, CreateError, Extras, ListError, Listing, Options, Torrent, Version, piece_length,
};
use serde::Serialize;

use crate::options::path;
use crate::options::size::Size;
use crate::options::threads::Threads;
use crate::terminal::message::{exit_status, failed, reason, say, say_of, wrong_usage};
use crate::terminal::output;
use crate::terminal::progress::Progress;

/// Options of all versions.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Size of a piece: a power of two, at least 16KiB [default: as libtorrent chooses it, 512KiB
    /// for 1 GiB]
    #[arg(long, value_name = "SIZE")]
    piece_length: Option<Size>,

    /// The URL of a tracker. May be given several times; they are tried in this order
    #[arg(long, value_name = "URL", value_parser = url)]
    announce: Vec<String>,

    /// The URL of a server that has the files. May be given several times
    #[arg(long, value_name = "URL", value_parser = url)]
    web_seed: Vec<String>,

    /// Get peers only from the trackers
    #[arg(long)]
    private: bool,

    /// A comment
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,

    /// Text that changes the infohash: some trackers require their name here
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,

    /// Write the creation date: now, or this number of seconds since 1970. Without it, the same
    /// files give the same torrent
    #[arg(
        long,
        value_name = "SECONDS",
        num_args = 0..=1,
        require_equals = true,
        overrides_with = "no_date"
    )]
    date: Option<Option<u64>>,

    /// Write no date; this is the default
    #[arg(long, overrides_with = "date")]
    no_date: bool,

    /// Leave out files and folders that match GLOB: by name, or by path below PATH if GLOB contains
    /// a `/`. `GLOB/` matches only folders
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,

    /// Leave out files and folders whose names begin with a dot
    #[arg(long)]
    no_hidden: bool,

    /// The file to write, `-` for the standard output [default: the name of PATH with `.torrent`,
    /// in the current folder]
    #[arg(short, long, value_name = "FILE", value_parser = path())]
    output: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(short, long)]
    force: bool,

    /// Print one object with the infohashes and the magnet link
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    progress: Progress,

    /// A file or a folder
    #[arg(value_name = "PATH", value_parser = path())]
    path: PathBuf,
}

/// Only rejects what is clearly not a URL.
fn url(text: &str) -> Result<String, String> {
    let is_scheme =
        |scheme: &str| !scheme.is_empty() && scheme.bytes().all(|c| c.is_ascii_alphanumeric());
    match text.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) && !rest.is_empty() => {}
        _ => return Err("a URL must begin with a scheme, such as http:// or udp://".into()),
    }
    if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("a URL cannot contain spaces".into());
    }
    Ok(text.into())
}

/// The output of `--json`.
#[derive(Serialize)]
struct Printed<'t> {
    name: &'t str,
    piece_length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    infohash_v1: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    infohash_v2: Option<String>,
    magnet: String,
    output: String,
}

pub(crate) fn run(args: Args, version: Version) -> Result<ExitCode, ExitCode> {
    let filter = Filter::new(&args.exclude, &[]).map_err(wrong_usage)?;
    let skip_hidden = args.no_hidden;
    let walk = Walk::new(WalkOptions { skip_hidden, filter, ..WalkOptions::default() });
    let listing = match Listing::new(&args.path, &walk) {
        Ok(listing) => listing,
        Err(error) => {
            match &error {
                ListError::Read(path, error) => say_of(path, reason(error)),
                error => say(error),
            }
            return Err(ExitCode::FAILURE);
        }
    };
    if !walk.skipped().is_empty() {
        say(format_args!("skipped {}", walk.skipped()));
    }
    let output = args.output.clone().unwrap_or_else(|| format!("{}.torrent", listing.name).into());
    may_write(&output, &listing, args.force).map_err(|why| failed(&output, why))?;
    let options = Options {
        version,
        piece_length: args.piece_length.map(Size::bytes),
        private: args.private,
        source: args.source.clone(),
    };
    let length = options.piece_length.unwrap_or_else(|| piece_length::usual(listing.total()));
    let total = torrent::bytes(&listing, length, version);
    let watched = args.progress.watch(move || Some(total));
    let created = Torrent::create(&listing, &options, &args.threads.settings(&watched));
    watched.finish();
    let torrent = match created {
        Ok(torrent) => torrent,
        Err(CreateError::PieceLength(why)) => return Err(wrong_usage(why)),
        Err(error) => {
            match &error {
                CreateError::Hash(error) => say_error(error),
                error => say(error),
            }
            return Err(ExitCode::FAILURE);
        }
    };
    let extras = Extras {
        trackers: args.announce,
        web_seeds: args.web_seed,
        comment: args.comment,
        date: args.date.map(|seconds| seconds.unwrap_or_else(now)),
    };
    let text = torrent.to_text(&extras);
    if output.as_os_str() == "-" {
        return Ok(exit_status(output::write(&text).map(|()| true)));
    }
    write(&output, &text, args.force).map_err(|error| failed(&output, reason(&error)))?;
    let written = output::write_lines(printed(&torrent, &extras, &output, args.json));
    Ok(exit_status(written.map(|()| true)))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Reports why content could not be hashed, with the file's name if the error is about one.
pub(crate) fn say_error(error: &Error) {
    match error {
        Error::Read(error) => match &error.path {
            Some(path) => say_of(path, reason(&error.error)),
            None => say(reason(&error.error)),
        },
        // The signal ends the program, as if it had not been caught.
        Error::Stopped => {}
        error => say(error),
    }
}

/// Whether the file may be written: checked before hours of hashing.
fn may_write(output: &Path, listing: &Listing, force: bool) -> Result<(), &'static str> {
    if output.as_os_str() == "-" {
        return Ok(());
    }
    if output.is_dir() {
        return Err("it is a folder");
    }
    if torrent::is_inside(listing, output) {
        return Err("the torrent would contain this file; see --exclude");
    }
    if !force && output.symlink_metadata().is_ok() {
        return Err("the file exists; --force replaces it");
    }
    Ok(())
}

fn write(output: &Path, text: &[u8], force: bool) -> io::Result<()> {
    let replaces = if force { Replaces::Any } else { Replaces::Nothing };
    Replacement::begin(output, replaces)?.put_whole(text)
}

fn printed(torrent: &Torrent, extras: &Extras, output: &Path, json: bool) -> String {
    let magnet = torrent.magnet(extras);
    let v1 = torrent.infohash_v1.map(|hash| encode_string(&hash));
    let v2 = torrent.infohash_v2.map(|hash| encode_string(&hash));
    if json {
        let printed = Printed {
            name: &torrent.name,
            piece_length: torrent.piece_length,
            infohash_v1: v1,
            infohash_v2: v2,
            magnet,
            output: output.to_string_lossy().into_owned(),
        };
        let text = serde_json::to_string(&printed).expect("strings and numbers are JSON");
        return format!("{text}\n");
    }
    let line = |version: u8, hash: Option<String>| {
        hash.map_or(String::new(), |hash| format!("infohash v{version}: {hash}\n"))
    };
    format!("{}{}{magnet}\n", line(1, v1), line(2, v2))
}
