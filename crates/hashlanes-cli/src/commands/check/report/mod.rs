//! `hashlanes check --report MANIFEST DIR`: compares a folder with a manifest, both ways.
//!
//! The manifest is read first, into a [`table`]. Then the files of the folder come in sorted order,
//! and each is looked up. Listed files that were not in the folder are looked up where their names
//! lead. What is missing is known only after that, and so what was moved.

mod end;
mod others;
mod places;
mod plain;
mod source;
mod table;
mod tell;
mod torrent;
mod update;

use std::fmt::Display;
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hashlanes_files::manifest::{Format, Nothing, ReaderOptions};
use hashlanes_files::name::quote_name;
use hashlanes_files::replace::Own;
use hashlanes_files::source::{Ahead, Stores, below};
use hashlanes_files::system::Stamp;
use hashlanes_files::{Function, Settings, is_stdin, open_or_stdin, system};
use source::{Files, Scope};
pub(super) use table::Table;
use tell::{Tell, Told};
use update::{Changes, Update};

use super::manifests::{Chooser, End, Found, How, Lines, Why, plans, supported};
use super::missing::Missing;
use super::print::{Printer, Style};
use super::torrents::is_torrent;
use super::verdict::NAMED_LINES;
use super::{Args, Engines};
use crate::commands::tree::check::Reading;
use crate::options::algorithm;
use crate::options::base::{Base, path_of};
use crate::options::walk::Selection;
use crate::resume::{Folder, Folders, Remembered, STATE, selection_of};
use crate::terminal::message::{failed, output_failed, reason, say_of, wrong_usage};
use crate::terminal::output::Output;
use crate::terminal::summary::{DAMAGED, kept_damaged};
use crate::url::is_url;

const TOO_MANY: &str = "there are too many combinations of hash functions";

pub(super) fn run(
    args: &Args,
    style: Style,
    engines: &Engines,
    how: &How,
) -> Result<ExitCode, ExitCode> {
    if args.summary.is_asked() {
        return Err(wrong_usage(
            "--summary and --metrics cannot be used with --report, which has a summary",
        ));
    }
    let (manifest, folder) = match (&args.manifests[..], &args.base) {
        ([manifest, folder], _) => (manifest, folder),
        ([manifest], Some(base)) => (manifest, base),
        _ => {
            return Err(wrong_usage(
                "--report takes one manifest and one folder: hashlanes check --report MANIFEST DIR",
            ));
        }
    };
    if is_url(manifest) {
        return Err(wrong_usage("--report needs a manifest that is here, not at a URL"));
    }
    if args.update && is_stdin(manifest) {
        return Err(wrong_usage("--update needs a manifest that is a file"));
    }
    let walk = selection(args, manifest).and_then(|selection| selection.walk())?;
    if args.format.is_none() && is_torrent(manifest) {
        return torrent::run(args, style, how.base.as_ref(), (manifest, folder), &walk);
    }
    let how = &how.of_manifest(manifest);
    let read = read(manifest, how).ok_or(ExitCode::FAILURE)?;
    is_folder(folder).map_err(|why| failed(folder, why))?;
    let begin = || begin_update(manifest, how, &read, args);
    let update = args.update.then(begin).transpose()?;
    let output = Output::stdout().map_err(|error| output_failed(&error))?;
    let own = (!is_stdin(manifest)).then(|| Own::new(manifest, &[STATE]).ok()).flatten();
    let own = own.unwrap_or_default().and(Own::outputs());
    let plans = plans(&engines.named);
    let mut chooser = Chooser::new(&plans, &engines.named, &engines.beside);
    let fallback = args.algorithm.unwrap_or_else(sha256);
    let stores: Arc<dyn Stores> = args.stores.open();
    let files = below(&walk, vec![folder.clone()], &stores).map_err(wrong_usage)?;
    let base = read.base.as_ref();
    let (part, door) = (args.part.part(), Arc::clone(&stores));
    let remote = args.allow_remote;
    let scope = Scope { folder, base, walk: &walk, part, remote, stores: door, own };
    let source = Files::new(&read.table, files, scope, &mut chooser, fallback)
        .ok_or_else(|| failed(manifest, TOO_MANY))?;
    let watched = args.progress.watch(|| None);
    let settings = args.load.settings(&watched, &args.machine);
    let printer = Printer { style, quiet: args.rules.quiet, status: args.rules.status, output };
    let changes = Changes::new(update.is_some(), args.accept_damaged);
    let trees = Reading::new(&settings, Arc::clone(&stores));
    let mut tell = Tell::new(&read.table, printer, trees, changes, Remembered::of(manifest));
    let source = Ahead::new(source, Arc::clone(&stores));
    let outcome = hashlanes_files::hash_files(source, &plans, &mut tell, settings.clone());
    let is_of_others = update.is_some() && is_of_others(&tell, base, (stores, settings));
    let update = update.filter(|_| !watched.is_interrupted());
    // If a signal came, the program ends here: nothing is known about the files that it did not
    // reach.
    watched.finish();
    Ok(match outcome.and_then(|()| tell.finish(folder)) {
        Ok(told) => {
            let mut failed = read.is_damaged || !told.all_well;
            if if update.is_some() { is_of_others } else { !args.rules.status } {
                told.hints.iter().for_each(|hint| say_of(manifest, hint));
            }
            if !args.rules.status {
                let mut missing = Missing::default();
                missing.is_folding = how.spelling.is_folding();
                told.missing.iter().for_each(|index| missing.add(&read.table.name(*index)));
                let hints = missing.hints(manifest, base);
                hints.iter().for_each(|hint| say_of(manifest, hint));
            }
            let damaged = told.damaged;
            if let Some(update) = update {
                let doubt = doubt(&told, (is_of_others, args.prune), || {
                    in_doubt(&read.table, &told, base, folder, manifest)
                });
                let put = put_in_place(update, doubt, &read.table, told, base);
                failed |= !put.map_err(|why| say_not_updated(manifest, why)).unwrap_or(false);
                if damaged > 0 && !args.accept_damaged {
                    say_of(manifest, kept_damaged(damaged as u64));
                }
            }
            match (damaged, failed) {
                (1.., _) => ExitCode::from(DAMAGED),
                (0, true) => ExitCode::FAILURE,
                (0, false) => ExitCode::SUCCESS,
            }
        }
        Err(error) => output_failed(&error),
    })
}

/// Which files of the folder count: those that the options select, or else those that the run that
/// wrote the manifest selected, if that is recorded.
///
/// # Errors
/// An exit status if the record is damaged or cannot be read. The reason has been printed.
fn selection(args: &Args, manifest: &Path) -> Result<Selection, ExitCode> {
    if args.selection.is_given() || is_stdin(manifest) {
        return Ok(args.selection.clone());
    }
    let recorded = selection_of(manifest).map_err(|(state, why)| {
        let what = "without it, options such as --exclude have to select the files";
        failed(&state, format_args!("cannot be used: {why}; {what}"))
    })?;
    Ok(recorded.unwrap_or_else(|| args.selection.clone()))
}

/// Whether this is a directory. If not, the error is the reason.
fn is_folder(path: &Path) -> Result<(), String> {
    match fs::metadata(path) {
        _ if is_url(path) => Ok(()),
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err("not a directory".into()),
        Err(error) => Err(reason(&error)),
    }
}

fn sha256() -> Function {
    algorithm("sha256").expect("there is SHA-256")
}

/// A manifest that was read.
pub(super) struct Manifest {
    pub(super) table: Table,
    format: Option<Format>,
    /// Whether its text lines have tags.
    tagged: bool,
    /// How it was read, and when.
    options: ReaderOptions,
    stamp: Option<Stamp>,
    /// What it is without files.
    nothing: Nothing,
    /// Where its names lead.
    base: Option<Base>,
    /// Whether its lines are those of the file, and all of their digests are known.
    is_plain: bool,
    /// Whether it has a signature, which is of all its lines.
    is_signed: bool,
    /// Whether it has anything unusable, which would be lost if it were rewritten.
    pub(super) is_damaged: bool,
}

/// Reads the manifest, and reports what is wrong with it. `None` if nothing else can be done.
pub(super) fn read(path: &Path, how: &How) -> Option<Manifest> {
    let file = open_or_stdin(path).map_err(|error| say_of(path, reason(&error))).ok()?;
    let stamp = file.metadata().ok().map(|metadata| Stamp::from(&metadata));
    let mut lines = Lines::new(Box::new(file), path, how);
    let of_objects = how.base.as_ref().is_some_and(Base::is_url);
    let (mut table, mut tagged, mut unusable) = (Table::new(of_objects), false, 0);
    let mut lacks = false;
    let too_many = || say_of(path, TOO_MANY);
    let end = loop {
        let why = match lines.next() {
            Found::Listed(listed) => {
                tagged |= listed.tagged;
                match supported(listed) {
                    Ok((listed, _)) if table.add(&listed) => {
                        lacks |= !listed.unknown.is_empty();
                        continue;
                    }
                    Ok(_) => {
                        too_many();
                        return None;
                    }
                    Err(lacking) => Why::Lacking(lacking),
                }
            }
            Found::Unverified(name, why) => {
                Why::Lacking(format!("{}: {why}; this", quote_name(&name)))
            }
            Found::Tree(line) => {
                if !table.add_tree(line) {
                    too_many();
                    return None;
                }
                continue;
            }
            Found::Unused(why) => why,
            Found::End(end) => break end,
        };
        if unusable < NAMED_LINES {
            say_of(path, format_args!("line {}: {why}", lines.lines));
        }
        unusable += 1;
    };
    if !table.finish() {
        too_many();
        return None;
    }
    let nothing = lines.reader.nothing();
    let is_damaged = sum_up(path, &end, unusable, &table, nothing)?;
    if lacks {
        say_of(path, "digests of functions that are not supported were not compared");
    }
    let (format, options) = (lines.reader.format(), lines.reader.options());
    let is_plain = lines.is_plain() && !lacks;
    let (is_signed, base) = (lines.reader.is_signed(), lines.base);
    Some(Manifest {
        table,
        format,
        tagged,
        options,
        stamp,
        nothing,
        base,
        is_plain,
        is_signed,
        is_damaged,
    })
}

/// Reports what is wrong with the manifest as a whole. True if any of it is unusable, and `None` if
/// it could not be read to its end.
fn sum_up(path: &Path, end: &End, unusable: u64, table: &Table, nothing: Nothing) -> Option<bool> {
    if !matches!(end, End::Whole) {
        say_of(path, end);
    }
    if matches!(end, End::Failed(_)) {
        return None;
    }
    match unusable {
        0 => {}
        _ if table.len() == 0 => say_of(path, "no usable line"),
        1 => say_of(path, "1 line is unusable"),
        _ => say_of(path, format_args!("{unusable} lines are unusable")),
    }
    // A manifest that is empty or has only a header describes an empty folder.
    let is_other = unusable == 0 && table.len() == 0 && nothing == Nothing::Comments;
    if is_other {
        say_of(path, nothing);
    }
    Some(unusable > 0 || is_other || matches!(end, End::Cut))
}

/// Begins the manifest that will replace the old one.
///
/// # Errors
/// An exit status if that is not possible. The reason has been printed.
fn begin_update(
    path: &Path,
    how: &How,
    manifest: &Manifest,
    args: &Args,
) -> Result<Update, ExitCode> {
    let refused = |why: &str| {
        say_not_updated(path, why);
        Err(ExitCode::FAILURE)
    };
    if how.is_of_bag(path) {
        return refused("it belongs to a bag, whose other files would no longer match");
    }
    if manifest.is_signed {
        return refused("it is signed, and its signature would no longer be right");
    }
    if manifest.is_damaged {
        return refused("unusable lines would be lost");
    }
    if !manifest.is_plain || manifest.format.is_some_and(|format| !format.about().is_written) {
        return refused(
            "its format is read and not written; `hashlanes manifest convert` writes another",
        );
    }
    if manifest.table.has_trees() {
        return refused("it has lines of `hashlanes tree`; that command writes them");
    }
    let format = match manifest.format.or(how.format).unwrap_or(Format::Text) {
        Format::Text if manifest.tagged => Format::Tagged,
        format => format,
    };
    if format.is_strict() && args.algorithm.is_some() && format != Format::Sfv {
        return refused("with -a, the digests of other functions would be lost");
    }
    let kinds = manifest.table.kinds().len();
    if matches!(format, Format::Hashdeep | Format::BagIt) && kinds > 1 {
        return refused("its files have digests of different functions");
    }
    Update::begin(path, format, manifest).map_err(|error: io::Error| {
        say_not_updated(path, reason(&error));
        ExitCode::FAILURE
    })
}

fn say_not_updated(manifest: &Path, why: impl Display) {
    say_of(manifest, format_args!("not updated: {why}"));
}

/// How many missing files are in folders that are empty, as when a disk is not mounted, or that
/// cannot be read.
fn in_doubt(
    table: &Table,
    told: &Told,
    base: Option<&Base>,
    folder: &Path,
    manifest: &Path,
) -> usize {
    let roots = [folder.to_owned()];
    let mut folders = Folders::new(&roots, Own::new(manifest, &[STATE]).ok());
    let is_in_doubt = |&&index: &&usize| {
        let path = path_of(&table.name(index), base).filter(|path| !is_url(path));
        path.is_some_and(|path| folders.of(&path) != Folder::Used)
    };
    told.missing.iter().filter(is_in_doubt).count()
}

/// Whether no digest matched the functions that the lines were taken for, and one matches another
/// function. If none does, the files have changed.
fn is_of_others(
    tell: &Tell<'_>,
    base: Option<&Base>,
    (stores, settings): (Arc<dyn Stores>, Settings<'_>),
) -> bool {
    let functions = tell.found.guessed.others();
    if functions.is_empty() {
        return false;
    }
    let with_path = |index: usize| Some((index, path_of(&tell.table.name(index), base)?));
    let files = tell.changes.smallest(others::FILES).into_iter().filter_map(with_path).collect();
    others::fit(functions, tell.table, files, stores, settings).unwrap_or(true)
}

/// The name of the file at a path. `None` if it is not inside the base.
fn name_of(path: &Path, base: Option<&Base>) -> Option<Vec<u8>> {
    match base {
        None => Some(system::name(path).into_owned()),
        Some(base) => base.name(path).map(|name| system::name(&name).into_owned()),
    }
}

/// Why the new manifest would lose too much.
fn doubt(
    told: &Told,
    (is_of_others, prune): (bool, bool),
    in_doubt: impl FnOnce() -> usize,
) -> Option<String> {
    if is_of_others {
        return Some("its digests may be of another function; name it with -a".into());
    }
    if prune {
        return None;
    }
    if let Some(doubt) = told.doubt {
        return Some(format!("{doubt}; --prune replaces it"));
    }
    match in_doubt() {
        0 => None,
        1 => Some(
            "1 missing file is in a folder that is empty or cannot be read; --prune drops its line"
                .into(),
        ),
        n => Some(format!(
            "{n} missing files are in folders that are empty or cannot be read; --prune drops \
             their lines"
        )),
    }
}

/// Puts the new manifest in its place, unless there is a doubt. False if a name cannot be written,
/// which has been reported.
fn put_in_place(
    update: Update,
    doubt: Option<String>,
    table: &Table,
    told: Told,
    base: Option<&Base>,
) -> Result<bool, String> {
    if let Some(doubt) = doubt {
        return Err(doubt);
    }
    update.finish(table, told.changes, base).map_err(|error| reason(&error))
}
