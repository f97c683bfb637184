//! Compares files with torrents.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hashlanes_files::name::quote_name;
use hashlanes_files::{open_or_stdin, system};
use hashlanes_tree::Settings;
use hashlanes_tree::torrent::bencode::MAX_LENGTH;
use hashlanes_tree::torrent::metainfo::Metainfo;
use hashlanes_tree::torrent::{BadPieces, FileReport, FileState, Links, VerifyReport, verify};
use serde::Serialize;

use super::create::say_error;
use crate::options::path;
use crate::options::real::or_here;
use crate::options::threads::Threads;
use crate::terminal::message::{exit_status, output_failed, reason, say, say_of, warn};
use crate::terminal::output::{Output, write_named};
use crate::terminal::progress::Progress;
use crate::terminal::summary::{State, Tally};

/// Compare files with a torrent of version 1, 2 or both.
///
/// Print a line for each file: `NAME: OK`, `NAME: FAILED`, `NAME: FAILED open or read`, or `NAME:
/// NOT CHECKED` if it is correct except for a piece that it shares with a missing file. Lines for
/// the bad pieces follow, with the files that they touch. `hashlanes check FILE.torrent` does the
/// same in the current folder.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 if all files match the torrent; 1 if not, or if the torrent cannot be read or is
invalid; 2 on wrong usage.")]
pub(crate) struct Args {
    /// Print no line for files that match
    #[arg(long)]
    quiet: bool,

    /// Print one object per line: one for each file, and one for each run of bad pieces
    #[arg(long)]
    json: bool,

    /// Follow symbolic links that lead out of DIR, or out of the torrent's own folder. Without this
    /// option, their targets are not read
    #[arg(short = 'L', long = "dereference")]
    follow: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    progress: Progress,

    /// The .torrent file
    #[arg(value_name = "FILE", value_parser = path())]
    torrent: PathBuf,

    /// The folder that contains the torrent's file or folder, or the file of a torrent of one
    #[arg(value_name = "DIR", value_parser = path(), default_value = ".")]
    folder: PathBuf,
}

/// The form of the output.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) quiet: bool,
    /// Print nothing except problems of the torrent itself.
    pub(crate) status: bool,
    pub(crate) json: bool,
    /// Neither report files that do not exist nor count them as failures.
    pub(crate) ignore_missing: bool,
    pub(crate) links: Links,
}

/// How to treat links that lead out of the folder.
pub(crate) fn links(follow: bool) -> Links {
    if follow { Links::Follow } else { Links::Stay }
}

impl Style {
    fn passes(self, state: &FileState) -> bool {
        match state {
            FileState::Good => true,
            FileState::Missing => self.ignore_missing,
            _ => false,
        }
    }
}

pub(crate) fn run(args: Args) -> Result<ExitCode, ExitCode> {
    let mut output = Output::stdout().map_err(|error| output_failed(&error))?;
    let (quiet, json) = (args.quiet, args.json);
    let links = links(args.follow);
    let style = Style { quiet, status: false, json, ignore_missing: false, links };
    let watched = args.progress.watch(|| None);
    let settings = args.threads.settings(&watched);
    let checked = check(&args.torrent, &args.folder, &settings, style, &mut output);
    watched.finish();
    Ok(exit_status(checked.map(|tally| tally.is_good())))
}

/// Compares the files of one torrent, and prints the result.
///
/// # Errors
/// If the output cannot be written.
pub(crate) fn check(
    torrent: &Path,
    folder: &Path,
    settings: &Settings<'_>,
    style: Style,
    output: &mut Output,
) -> io::Result<Tally> {
    let mut metainfo = match read(torrent) {
        Ok(metainfo) => metainfo,
        Err(why) => {
            say_of(torrent, why);
            return Ok(Tally::fault());
        }
    };
    if !metainfo.is_sorted && !style.status {
        say_of(torrent, "WARNING: its keys are not sorted; some programs refuse that");
    }
    if metainfo.trailing > 0 && !style.status {
        let bytes = metainfo.trailing;
        say_of(torrent, format_args!("WARNING: {bytes} bytes after its end are ignored"));
    }
    // A single file may have another name here.
    let mut folder = folder;
    if let Some(name) = folder.file_name().filter(|_| !metainfo.is_folder && folder.is_file()) {
        metainfo.name = system::name(Path::new(name)).into_owned();
        folder = or_here(folder.parent().unwrap_or(folder));
    }
    match verify(&metainfo, folder, style.links, settings) {
        Ok(report) => {
            if !style.status {
                print(&report, style, output)?;
                output.flush()?;
                sum_up(&report, style);
                if report.files.iter().all(|file| matches!(file.state, FileState::Missing)) {
                    say_of(folder, no_files(&metainfo.name));
                }
            }
            Ok(tally(&report, style))
        }
        Err(error) => {
            say_error(&error);
            Ok(Tally::fault())
        }
    }
}

/// Counts the results for the files.
fn tally(report: &VerifyReport, style: Style) -> Tally {
    let mut tally = Tally::default();
    let mut verified_some = false;
    for FileReport { state, .. } in &report.files {
        verified_some |= !matches!(state, FileState::Missing);
        tally.count(match state {
            FileState::Good => State::Ok,
            FileState::Bad | FileState::WrongSize { .. } => State::Differs,
            FileState::Missing if style.ignore_missing => continue,
            FileState::Missing => State::Missing,
            FileState::Unchecked | FileState::Unreadable(_) => State::Unreadable,
        });
    }
    let is_bad = !report.bad.is_empty() && tally.of(State::Differs) == 0;
    let none = style.ignore_missing && !verified_some;
    tally.faults += u64::from(is_bad) + u64::from(none) + report.contradictions.len() as u64;
    tally
}

/// Reads a .torrent file. The error is a reason.
pub(crate) fn read(path: &Path) -> Result<Metainfo, String> {
    let mut text = Vec::new();
    let limit = MAX_LENGTH as u64 + 1;
    let read = open_or_stdin(path).and_then(|file| file.take(limit).read_to_end(&mut text));
    read.map_err(|error| reason(&error))?;
    Metainfo::parse(&text).map_err(|error| error.to_string())
}

/// The state of a file with `--json`, the end of its line, and the message for the standard error.
fn verdict(state: &FileState) -> (&'static str, &'static str, Option<String>) {
    let unread = "FAILED open or read";
    match state {
        FileState::Good => ("good", "OK", None),
        FileState::Bad => ("bad", "FAILED", None),
        FileState::Unchecked => ("unchecked", "NOT CHECKED", None),
        FileState::Missing => ("missing", unread, Some("No such file or directory".into())),
        FileState::Unreadable(why) => ("unreadable", unread, Some(why.clone())),
        FileState::WrongSize { expected, found } => {
            ("wrong size", "FAILED", Some(format!("{found} bytes instead of {expected}")))
        }
    }
}

fn print(report: &VerifyReport, style: Style, output: &mut Output) -> io::Result<()> {
    if style.json {
        return print_json(report, style, output);
    }
    let shown = report
        .files
        .iter()
        .filter(|file| matches!(file.state, FileState::Good) || !style.passes(&file.state));
    for file in shown {
        let (_, verdict, why) = verdict(&file.state);
        if let Some(why) = why {
            output.flush()?;
            say(format_args!("{}: {why}", quote_name(&file.path)));
        }
        if !style.quiet || !matches!(file.state, FileState::Good) {
            output.line(|line| write_named(line, &file.path, verdict, b""))?;
        }
    }
    for bad in &report.bad {
        let files: Vec<_> =
            bad.files.iter().map(|&file| quote_name(&report.files[file].path)).collect();
        let line = format!("{}: FAILED: {}\n", numbers(bad), files.join(", "));
        output.line(|to| to.extend(line.bytes()))?;
    }
    Ok(())
}

/// `piece 3`, or `pieces 3-5`.
fn numbers(bad: &BadPieces) -> String {
    let (first, last) = bad.pieces.clone().into_inner();
    if first == last { format!("piece {first}") } else { format!("pieces {first}-{last}") }
}

/// The output for a file with `--json`.
#[derive(Serialize)]
struct PrintedFile<'r> {
    path: std::borrow::Cow<'r, str>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct PrintedPieces<'r> {
    first_piece: u64,
    last_piece: u64,
    files: Vec<std::borrow::Cow<'r, str>>,
}

fn print_json(report: &VerifyReport, style: Style, output: &mut Output) -> io::Result<()> {
    let mut object = |object: serde_json::Result<String>| {
        let object = object.expect("strings and numbers are JSON");
        output.line(|line| line.extend(format!("{object}\n").bytes()))
    };
    for FileReport { path, state } in &report.files {
        if style.quiet && matches!(state, FileState::Good) {
            continue;
        }
        let (state, _, reason) = verdict(state);
        let path = String::from_utf8_lossy(path);
        object(serde_json::to_string(&PrintedFile { path, state, reason }))?;
    }
    for BadPieces { pieces, files } in &report.bad {
        let path = |&file: &usize| String::from_utf8_lossy(&report.files[file].path);
        object(serde_json::to_string(&PrintedPieces {
            first_piece: *pieces.start(),
            last_piece: *pieces.end(),
            files: files.iter().map(path).collect(),
        }))?;
    }
    Ok(())
}

/// The message for a folder that has none of the torrent's files: users often give the folder of
/// the files instead of the one above.
fn no_files(name: &[u8]) -> String {
    let name = quote_name(name);
    format!("none of the torrent's files is here; give the folder that contains {name}")
}

/// Counts problems, as `check` does.
fn sum_up(report: &VerifyReport, style: Style) {
    let count = |is: fn(&FileState) -> bool| {
        let failed = report.files.iter().filter(|file| !style.passes(&file.state));
        failed.filter(|file| is(&file.state)).count()
    };
    let unreadable = count(|state| matches!(state, FileState::Missing | FileState::Unreadable(_)));
    let wrong = count(|state| matches!(state, FileState::Bad | FileState::WrongSize { .. }));
    let unchecked = count(|state| matches!(state, FileState::Unchecked));
    let pieces: u64 = report.bad.iter().map(|bad| bad.pieces.end() - bad.pieces.start() + 1).sum();
    warn(unreadable as u64, "file could not be read", "files could not be read");
    warn(wrong as u64, "file does NOT match", "files do NOT match");
    warn(pieces, "piece does NOT match", "pieces do NOT match");
    warn(
        unchecked as u64,
        "file shares a piece with a missing one",
        "files share pieces with missing ones",
    );
    warn(
        report.contradictions.len() as u64,
        "piece matches one version of the torrent and not the other",
        "pieces match one version of the torrent and not the other",
    );
}
