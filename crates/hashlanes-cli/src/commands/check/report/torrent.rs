//! `hashlanes check --report FILE.torrent DIR`: compares a folder with a torrent, both ways.
//!
//! A file that the torrent does not list is new. Moved files are not detected: version 1 has no
//! digests of files.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use hashlanes_files::replace::Own;
use hashlanes_files::system;
use hashlanes_files::walk::{SortedFiles, Walk, WalkError};
use hashlanes_tree::torrent::{FileReport, FileState, VerifyReport, verify};

use super::super::print::{Printer, Status, Style};
use super::plain::plain;
use super::{Args, is_folder, name_of};
use crate::commands::tree::check as trees;
use crate::commands::tree::torrent::verify::{links, read};
use crate::options::base::Base;
use crate::terminal::message::{
    exit_status, failed, output_failed, reason, say, say_of, wrong_usage,
};
use crate::terminal::output::Output;

pub(super) fn run(
    args: &Args,
    style: Style,
    base: Option<&Base>,
    (torrent, folder): (&Path, &Path),
    walk: &Walk,
) -> Result<ExitCode, ExitCode> {
    let metainfo = read(torrent).map_err(|why| failed(torrent, why))?;
    if args.update {
        return Err(failed(torrent, "not updated: only `hashlanes tree` writes torrents"));
    }
    is_folder(folder).map_err(|why| failed(folder, why))?;
    let output = Output::stdout().map_err(|error| output_failed(&error))?;
    let printer = Printer { style, quiet: args.rules.quiet, status: args.rules.status, output };
    let watched = args.progress.watch(|| None);
    let settings = trees::settings(&args.load.settings(&watched, &args.machine));
    if args.part.part().is_part() {
        return Err(wrong_usage("--sample and --since do not work with torrents"));
    }
    let root = args.base.as_deref().unwrap_or(Path::new("."));
    let verified = verify(&metainfo, root, links(args.selection.follows_links()), &settings);
    watched.finish();
    let report = match verified {
        Ok(report) => report,
        Err(error) => {
            crate::commands::tree::torrent::say_error(&error);
            return Err(ExitCode::FAILURE);
        }
    };
    let files = walk.files(vec![folder.to_owned()]);
    let told = Found::new(&report, torrent, files, base).tell(printer);
    Ok(exit_status(told))
}

/// Results for the torrent's files, and for other files of the folder.
struct Found<'r> {
    report: &'r VerifyReport,
    /// Names of files that the torrent does not list.
    new: Vec<Vec<u8>>,
    /// Unreadable paths that the torrent does not list.
    unreadable: Vec<Vec<u8>>,
    /// Whether anything else failed, which has been reported.
    failed: bool,
}

impl<'r> Found<'r> {
    /// Looks for new files in the folder.
    fn new(
        report: &'r VerifyReport,
        torrent: &Path,
        files: SortedFiles,
        base: Option<&Base>,
    ) -> Self {
        let listed: HashSet<&[u8]> = report.files.iter().map(|file| &*file.path).collect();
        let own = Own::new(torrent, &[]).unwrap_or_default().and(Own::outputs());
        let mut found = Self { report, new: Vec::new(), unreadable: Vec::new(), failed: false };
        for entry in files {
            let path = match entry {
                Ok((path, _)) => path,
                Err(WalkError { path, error }) => {
                    say_of(&path, reason(&error));
                    found.unreadable.push(system::name(&path).into_owned());
                    continue;
                }
            };
            if own.has(&path) || own.is_at(&path) {
                continue;
            }
            match name_of(&path, base) {
                Some(name) if listed.contains(&*plain(&name)) => {}
                Some(name) => found.new.push(name),
                None => {
                    say_of(&path, "not inside the folder of --base");
                    found.failed = true;
                }
            }
        }
        found
    }

    /// Prints the report. True if all files are unchanged and there are no others.
    fn tell(self, mut printer: Printer) -> io::Result<bool> {
        let mut lines: Vec<(&[u8], Status)> = Vec::new();
        for file in &self.report.files {
            lines.push((&file.path, status(file)));
        }
        lines.extend(self.unreadable.iter().map(|name| (&**name, Status::Unreadable)));
        let there = lines.iter().filter(|(_, status)| *status != Status::Missing);
        for &(name, status) in there {
            printer.line(name, status, None)?;
        }
        lines.extend(self.new.iter().map(|name| (&**name, Status::New)));
        let order = [
            Status::Unchanged,
            Status::Changed,
            Status::Missing,
            Status::New,
            Status::Moved,
            Status::Unreadable,
            Status::Unchecked,
        ];
        let of = |wanted: Status| lines.iter().filter(move |(_, status)| *status == wanted);
        let counts = order.map(|status| (status, of(status).count() as u64));
        let contradictions = self.report.contradictions.len();
        let unchanged = counts[1..].iter().all(|(_, count)| *count == 0);
        let all_well = unchanged && contradictions == 0 && !self.failed;
        let is_hushed = printer.quiet && all_well;
        if printer.style == Style::Text && !is_hushed {
            printer.sum_up_text(&counts)?;
        }
        let again: &[Status] = match printer.style {
            Style::Text => &[
                Status::Changed,
                Status::Unreadable,
                Status::Unchecked,
                Status::Missing,
                Status::New,
            ],
            Style::Json => &[Status::Missing, Status::New],
        };
        for &wanted in again {
            for &(name, status) in of(wanted) {
                printer.line(name, status, None)?;
            }
        }
        if printer.style == Style::Json && !is_hushed {
            printer.sum_up_json(&counts)?;
        }
        printer.output.flush()?;
        if contradictions > 0 && !printer.status {
            say(format_args!(
                "WARNING: pieces that match one version of the torrent and not the \
                 other: {contradictions}"
            ));
        }
        Ok(all_well)
    }
}

/// The status of a file. Reports why it cannot be read.
fn status(file: &FileReport) -> Status {
    match &file.state {
        FileState::Good => Status::Unchanged,
        FileState::Bad | FileState::WrongSize { .. } => Status::Changed,
        FileState::Unchecked => Status::Unchecked,
        FileState::Missing => Status::Missing,
        FileState::Unreadable(why) => {
            say(format_args!("{}: {why}", hashlanes_files::name::quote_name(&file.path)));
            Status::Unreadable
        }
    }
}
