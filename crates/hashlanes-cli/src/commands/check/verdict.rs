//! Compares digests with those in manifests, prints the result for each file, and counts.

use std::io;
use std::path::{Path, PathBuf};

use hashlanes_files::manifest::{Entry as Listed, Expected, Format, Nothing};
use hashlanes_files::name::quote_name;
use hashlanes_files::replace::Own;
use hashlanes_files::{Control, Hashed, Outcome, Report, system};

use super::bag::Problem;
use super::manifests::{End, Guessed, Note, Why};
use super::missing::Missing;
use super::print::{has_codes, names, write_object};
use crate::commands::tree::check::{self as trees, Reading};
use crate::resume::Remembered;
use crate::terminal::message::{CHANGED, reason, say, say_of, warn};
use crate::terminal::output::{Output, write_named};
use crate::terminal::summary::{State, Tally, UNWRITTEN};
use crate::url::public_name;

/// How many unusable lines of a manifest are named with the reason, unless `--warn` names all.
pub(super) const NAMED_LINES: u64 = 8;

/// What is printed, and what counts as a failure.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Print no line for files that match, and nothing at all if all is well
    #[arg(long, overrides_with_all = ["status", "warn"])]
    pub(super) quiet: bool,

    /// Print one JSON object per line: the path, the algorithm, and the status (ok, differs,
    /// damaged, missing or unreadable) with the reason. The last line is a summary. For torrents,
    /// print what `hashlanes tree verify-torrent --json` prints. With --report, the same as
    /// --report=json
    #[arg(long)]
    pub(super) json: bool,

    /// Print no lines and no summary; the exit status tells the result
    #[arg(long, overrides_with_all = ["quiet", "warn"])]
    pub(super) status: bool,

    /// Exit with status 1 if any line is improperly formatted, or if the last one is not terminated
    #[arg(long, help_heading = "Verifying")]
    pub(super) strict: bool,

    /// Do not fail for, or report, files that do not exist
    #[arg(long, help_heading = "Verifying")]
    pub(super) ignore_missing: bool,

    /// Name every improperly formatted line, not only the first 8 of a manifest
    #[arg(short, long, overrides_with_all = ["quiet", "status"], help_heading = "Verifying")]
    pub(super) warn: bool,
}

/// Counts of the lines of one manifest.
#[derive(Default)]
struct Count {
    proper: u64,
    malformed: u64,
    too_long: u64,
    lacking: u64,
    /// The results for its files.
    files: Tally,
    /// Some of the functions that this program does not support.
    lacks: Vec<String>,
    /// Digests beside compared ones that the program could not compare, and their functions.
    passed_over: (u64, Vec<String>),
    missing: Missing,
    /// Missing files whose names may have codes of bags, and one of these names.
    coded: (u64, Vec<u8>),
    guessed: Guessed,
}

/// Compares, prints and counts.
pub(super) struct Verdict<'c> {
    rules: Rules,
    /// How files are read whose digests are made of parts.
    trees: Reading<'c>,
    pub(super) output: Output,
    /// The current manifest, and the count of its lines so far.
    manifest: PathBuf,
    /// Whether the manifest may be empty.
    may_be_empty: bool,
    /// What is known of the files besides the manifest.
    remembered: Remembered,
    count: Count,
    pub(super) tally: Tally,
    /// The file of metrics.
    own: Own,
    /// Whether that file was read.
    pub(super) has_read: bool,
}

impl<'c> Verdict<'c> {
    pub(super) fn new(rules: Rules, output: Output, trees: Reading<'c>, own: Own) -> Self {
        Self {
            rules,
            trees,
            output,
            manifest: PathBuf::new(),
            may_be_empty: false,
            remembered: Remembered::default(),
            count: Count::default(),
            tally: Tally::default(),
            own,
            has_read: false,
        }
    }
}

impl Report<Note> for Verdict<'_> {
    fn file(&mut self, path: &Path, note: Note, outcome: Outcome) -> io::Result<()> {
        let Note::Listed(listed) = note else { unreachable!("every file has expected digests") };
        let stamp = outcome.as_ref().ok().and_then(|hashed| hashed.stamp);
        self.has_read |= self.own.has(path) || stamp.is_some_and(|stamp| self.own.is(&stamp));
        self.count.proper += 1;
        if !listed.unknown.is_empty() {
            let (count, names) = &mut self.count.passed_over;
            *count += 1;
            add_some(names, &listed.unknown);
        }
        match outcome {
            Ok(hashed) => self.compare(path, &listed, &hashed),
            Err(error) if self.rules.ignore_missing && system::is_missing(&error) => Ok(()),
            Err(error) => {
                let is_missing = system::is_missing(&error);
                let state = if is_missing { State::Missing } else { State::Unreadable };
                let why = Some(reason(&error));
                self.file_is(&listed.name, || names(&listed.digests), state, why)
            }
        }
    }

    fn note(&mut self, note: Note) -> io::Result<()> {
        match note {
            Note::Begin { path, is_of_bag, read_as } => {
                self.remembered = Remembered::of(&path);
                self.manifest = path;
                self.may_be_empty = is_of_bag;
                self.count = Count::default();
                if let Some(read_as) = read_as {
                    self.output.flush()?;
                    self.say_of_manifest(read_as);
                }
            }
            Note::Unopened(path, error) => {
                self.output.flush()?;
                say_of(&path, reason(&error));
                self.tally.faults += 1;
            }
            Note::Absent(name, why) => {
                self.count.proper += 1;
                if !self.rules.ignore_missing {
                    self.file_is(&name, String::new, State::Unreadable, Some(why.into()))?;
                }
            }
            Note::Refused(name, why) => {
                self.count.proper += 1;
                self.file_is(&name, String::new, State::Unreadable, Some(why.into()))?;
            }
            Note::Problem(Problem { path, what }) => {
                self.output.flush()?;
                self.tally.faults += 1;
                say_of(&path, what);
            }
            Note::LeftOut => {
                self.count.files.count(State::LeftOut);
                self.tally.count(State::LeftOut);
            }
            Note::Tree(path, line) => self.compare_tree(&path, &line)?,
            Note::Unused { line, why } => self.unused(line, why)?,
            Note::End { end, format, nothing, base, changed: (changed, one), is_folding } => {
                self.output.flush()?;
                self.end(&end, format, nothing);
                if !self.rules.status {
                    let one = quote_name(&one);
                    warn(
                        changed,
                        &format!("name is written in another way than its file: {one}"),
                        &format!("names are written in another way than their files, as {one}"),
                    );
                    self.count.missing.is_folding = is_folding;
                    let hints = self.count.missing.hints(&self.manifest, base.as_deref());
                    hints.iter().for_each(|hint| self.say_of_manifest(hint));
                }
            }
            Note::Listed(_) => unreachable!("only files have expected digests"),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Adds names that are not there. A manifest may name any number of functions; this keeps a few.
fn add_some(to: &mut Vec<String>, names: &[String]) {
    for name in names {
        if to.len() < 4 && !to.contains(name) {
            to.push(name.clone());
        }
    }
}

/// Whether these are exactly the expected digests.
pub(super) fn agree(expected: &[Expected], hashed: &Hashed) -> bool {
    let mut pairs = expected.iter().zip(&hashed.digests);
    expected.len() == hashed.digests.len()
        && !expected.is_empty()
        && pairs.all(|(expected, digest)| expected.digest == digest.as_bytes())
}

impl Verdict<'_> {
    fn compare(&mut self, path: &Path, listed: &Listed, hashed: &Hashed) -> io::Result<()> {
        let agrees = agree(&listed.digests, hashed);
        self.count.guessed.compare(&listed.digests, hashed);
        if agrees {
            return self.file_is(&listed.name, || names(&listed.digests), State::Ok, None);
        }
        if hashed.is_changed && !self.rules.status {
            self.output.flush()?;
            say_of(path, CHANGED);
        }
        let recorded = listed.size.zip(listed.modified);
        let digests = listed.digests.iter().map(|it| (it.function, &*it.digest));
        let digests = digests.collect::<Vec<_>>();
        let is_damaged = self.remembered.is_damaged(path, recorded, &digests, hashed);
        if is_damaged {
            // The function is known: the file had this digest.
            let functions = listed.digests.iter().map(|expected| expected.function);
            self.count.guessed.matched(&functions.collect::<Vec<_>>());
        }
        let (state, why) = match is_damaged {
            true => (State::Damaged, Some(UNWRITTEN.into())),
            false => (State::Differs, None),
        };
        self.file_is(&listed.name, || names(&listed.digests), state, why)
    }

    /// Reads a file whose digest is made of parts, and compares. Flushes the output first, since
    /// this may take long.
    fn compare_tree(&mut self, path: &Path, line: &trees::Line) -> io::Result<()> {
        self.output.flush()?;
        let verdict = line.compare(path, &self.trees);
        if matches!(verdict, trees::Verdict::Stopped) {
            return Ok(());
        }
        self.count.proper += 1;
        let (state, why) = match verdict {
            trees::Verdict::Agrees => (State::Ok, None),
            trees::Verdict::Differs(is_changed) => {
                if is_changed && !self.rules.status {
                    say_of(path, CHANGED);
                }
                (State::Differs, None)
            }
            trees::Verdict::Missing(_) if self.rules.ignore_missing => return Ok(()),
            trees::Verdict::Missing(error) => (State::Missing, Some(reason(&error))),
            trees::Verdict::Unreadable(why) => (State::Unreadable, Some(why)),
            trees::Verdict::Stopped => return Ok(()),
        };
        self.file_is(&line.name, || line.tag(), state, why)
    }

    fn unused(&mut self, line: u64, why: Why) -> io::Result<()> {
        let before = self.count.malformed + self.count.too_long;
        // Unsupported functions are named at the end.
        let is_named = self.rules.warn || before < NAMED_LINES && !matches!(why, Why::Lacking(_));
        if is_named && !self.rules.status {
            self.output.flush()?;
            self.say_of_manifest(format_args!("line {line}: {why}"));
        }
        match why {
            Why::Malformed(_) => self.count.malformed += 1,
            Why::TooLong => self.count.too_long += 1,
            Why::Lacking(name) => {
                self.count.lacking += 1;
                add_some(&mut self.count.lacks, &[name]);
            }
        }
        Ok(())
    }

    /// Counts a file and prints its line.
    fn file_is(
        &mut self,
        name: &[u8],
        algorithm: impl FnOnce() -> String,
        state: State,
        why: Option<String>,
    ) -> io::Result<()> {
        let name = &*public_name(name);
        self.tally.count(state);
        self.count.files.count(state);
        if state == State::Missing {
            self.count.missing.add(name);
        }
        if state == State::Missing && has_codes(name) {
            self.count.coded.0 += 1;
            self.count.coded.1 = name.to_vec();
        }
        let hides = self.rules.status || self.rules.quiet && state == State::Ok;
        if self.rules.json && !hides {
            return self.output.line(|line| write_object(line, name, &algorithm(), state, why));
        }
        if let Some(why) = why.filter(|_| !(self.rules.status && state == State::Damaged)) {
            self.output.flush()?;
            say(format_args!("{}: {why}", quote_name(name)));
        }
        let verdict = match state {
            State::Ok => "OK",
            State::Differs | State::Damaged => "FAILED",
            State::Missing | State::Unreadable | State::LeftOut => "FAILED open or read",
        };
        if hides { Ok(()) } else { self.output.line(|to| write_named(to, name, verdict, b"")) }
    }

    fn say_of_manifest(&self, what: impl std::fmt::Display) {
        let is_input = self.manifest.as_os_str() == "-";
        say_of(if is_input { Path::new("standard input") } else { &self.manifest }, what);
    }

    fn end(&mut self, end: &End, format: Option<Format>, nothing: Nothing) {
        if self.trees.settings.control.is_some_and(Control::is_stopped) {
            // What an interrupted run did not reach is not judged.
            return;
        }
        let has_failed = matches!(end, End::Failed(_));
        if !has_failed {
            self.sum_up(format, nothing);
        }
        let is_fault = match end {
            End::Whole => return,
            End::Open => self.rules.strict,
            End::Cut | End::Failed(_) => true,
        };
        self.tally.faults += u64::from(is_fault);
        if has_failed || !self.rules.status {
            self.say_of_manifest(end);
        }
    }

    /// Reports problems of the manifest and its files.
    fn sum_up(&mut self, format: Option<Format>, nothing: Nothing) {
        let Count { proper, malformed, too_long, lacking, files, .. } = self.count;
        let [matched, differing, damaged, left_out] =
            [State::Ok, State::Differs, State::Damaged, State::LeftOut].map(|it| files.of(it));
        let unreadable = files.of(State::Missing) + files.of(State::Unreadable);
        let is_any_chosen = proper > 0 || left_out == 0;
        let none_verified = self.rules.ignore_missing && matched == 0 && is_any_chosen;
        let proper = proper + left_out;
        let is_empty = proper + malformed + too_long + lacking == 0;
        if is_empty && self.may_be_empty {
            return;
        }
        // Unreadable files have an exit status of their own.
        let is_fault = none_verified && unreadable == 0 || proper == 0 && lacking == 0;
        let strict = self.rules.strict || format.is_some_and(Format::is_strict);
        let faults = too_long + lacking + if strict { malformed } else { 0 };
        self.tally.faults += faults + u64::from(is_fault);

        if is_empty {
            self.say_of_manifest(nothing);
        } else if proper + lacking == 0 {
            self.say_of_manifest("no usable line");
        }
        if !self.rules.status {
            warn(malformed, "line is improperly formatted", "lines are improperly formatted");
            warn(unreadable, "listed file could not be read", "listed files could not be read");
            let mismatched = differing + damaged;
            warn(mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
            warn(damaged, "file is damaged", "files are damaged");
            if none_verified && proper > 0 {
                self.say_of_manifest("no file was verified");
            }
        }
        if self.rules.status {
            return;
        }
        warn(too_long, "line is too long to be read", "lines are too long to be read");
        let names = self.count.lacks.join(", ");
        warn(
            lacking,
            &format!("line was not checked: no support for {names}"),
            &format!("lines were not checked: no support for {names}"),
        );
        let (count, names) = &self.count.passed_over;
        let names = names.join(", ");
        warn(
            *count,
            &format!("file was compared without its digests of {names}"),
            &format!("files were compared without their digests of {names}"),
        );
        if self.count.coded.0 > 0 && format == Some(Format::Text) {
            let name = quote_name(&self.count.coded.1);
            self.say_of_manifest(format_args!(
                "if {name} is a name as manifests of bags write them, add --format bagit"
            ));
        }
        // Among files that were left out, some might have matched.
        if self.tally.of(State::LeftOut) == 0 {
            self.count.guessed.hints().for_each(|hint| self.say_of_manifest(hint));
        }
    }
}
