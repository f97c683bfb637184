//! `hashlanes sum`: prints the digests of files, as `sha256sum` and its siblings do.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use hashlanes_files::list::ListError;
use hashlanes_files::manifest::{Digits, Format, HashName, Unwritable, Writer, Written};
use hashlanes_files::system::LastingNumbers;
use hashlanes_files::walk::{Walk, WalkError};
use hashlanes_files::{
    Function, Hashed, Outcome as Hash, Plan, Report, Settings, Source, is_stdin, system,
};

use crate::objects::{self, WriteBack};
use crate::options::base::Base;
use crate::options::format;
use crate::options::load::Load;
use crate::options::names::{List, Names, Note};
use crate::options::walk::Tree;
use crate::options::{algorithm, machine::Machine, path};
use crate::resume::{
    Finished, Known, KnownBy, Outcome, Recorded, Resumed, VERSION, complete_line, shown,
};
use crate::terminal::message::{
    CHANGED, no_current_folder, output_failed, reason, say_of, wrong_usage,
};
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;
use crate::terminal::summary::{State, Summary, Tally};
use crate::url::{is_url, public};

/// Print the digests of files, in the format of sha256sum and its siblings.
///
/// With no FILE, or when FILE is -, read the standard input. Lines are in the order of the
/// arguments. A file that cannot be read is reported on the standard error, and the others are
/// still hashed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  hashlanes sum *.iso > SHA256SUMS       check them with `hashlanes check SHA256SUMS`
  hashlanes sum -r -a sha512 /srv/data   every file of a tree, sorted by path
  hashlanes sum -a md5 -a sha256 FILE    two digests, reading FILE once

On Windows, too, names are printed with / as separator, and * and ? are expanded.

Exit status: 0 if every file was hashed; 1 if a file could not be read, the output could not be
written, or --resume kept lines of files that it did not find; 2 on wrong usage.")]
pub(crate) struct Args {
    /// The hash function: md5, sha1, sha224, sha256, sha384, sha512, sha512-256, sm3,
    /// sha3-224, sha3-256, sha3-384, sha3-512, keccak256, keccak512, shake128, shake256, blake2b,
    /// blake2s, blake3, sha256d, turboshake128, turboshake256, kt128, kt256, crc32, crc32c,
    /// crc64nvme, xxh3, xxh64 or xxh128. May be given several times, or with commas between them:
    /// each file is read once and gets one line per function
    #[arg(
        short,
        long = "algorithm",
        value_name = "ALGORITHM",
        default_value = "sha256",
        value_delimiter = ',',
        value_parser = algorithm
    )]
    algorithms: Vec<Function>,

    /// Check files against the digests in FILEs, as `hashlanes check` does, with its options
    #[arg(short, long)]
    check: bool,

    /// Write lines that name the hash function: `SHA256 (FILE) = DIGEST`
    #[arg(long, conflicts_with = "text")]
    tag: bool,

    /// End each line with NUL instead of newline, and do not escape names
    #[arg(short, long)]
    zero: bool,

    /// Mark each file as binary (`*` before the name). The digests are the same
    #[arg(short, long, overrides_with = "text")]
    binary: bool,

    /// Mark each file as text (a space before the name), which is the default. The digests are the
    /// same
    #[arg(short, long)]
    text: bool,

    /// Write the lines in this format
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = format::parser(),
        conflicts_with_all = ["tag", "json"]
    )]
    format: Option<Format>,

    /// Write one object per line, with path, size, time and digests; the same as --format json
    #[arg(long, conflicts_with = "tag")]
    json: bool,

    /// Write digests in base64
    #[arg(long)]
    base64: bool,

    /// Write only the raw bytes of the digest, for a single FILE and ALGORITHM
    #[arg(
        long,
        conflicts_with_all = ["tag", "json", "format", "base64", "zero", "files_from"]
    )]
    raw: bool,

    /// Write names relative to this folder, which all files have to be inside of. Links are not
    /// resolved to decide that
    #[arg(long, value_name = "DIR", value_parser = path())]
    base: Option<PathBuf>,

    #[command(flatten)]
    tree: Tree,

    #[command(flatten)]
    list: List,

    /// Write MANIFEST instead of the standard output, and MANIFEST.resume beside it, with the
    /// options and the size, times and inode of each file. A later run with the same options skips
    /// files for which these are unchanged, and continues a run that was interrupted. Files that
    /// were written less than two seconds before the run are read again. Lines of files that are
    /// gone are dropped, unless the run had an error or found a folder empty. If MANIFEST has been
    /// changed since, all files are read again
    #[arg(
        long,
        value_name = "MANIFEST",
        value_parser = path(),
        conflicts_with = "raw"
    )]
    resume: Option<PathBuf>,

    /// With --resume, drop the lines of all files that are gone, even if their folders are empty or
    /// missing, or if the run had errors. Files whose state cannot be determined stay
    #[arg(long, requires = "resume")]
    prune: bool,

    #[command(flatten)]
    progress: Progress,

    #[command(flatten)]
    summary: Summary,

    #[command(flatten)]
    machine: Machine,

    #[command(flatten)]
    load: Load,

    #[command(flatten)]
    stores: objects::Options,

    #[command(flatten)]
    write_back: objects::WriteBackOptions,

    /// Files, or with -r also directories; `-` is the standard input. Objects are URLs, as in
    /// `s3://bucket/name`
    #[arg(
        value_name = "FILE",
        value_parser = path(),
        default_value = "-",
        hide_default_value = true
    )]
    files: Vec<PathBuf>,
}

impl Args {
    /// The writer for the lines.
    ///
    /// # Errors
    /// If the options contradict each other.
    fn writer(&self) -> Result<Writer, String> {
        let format = match self.format {
            Some(format) => format,
            None if self.json => Format::Json,
            None if self.tag => Format::Tagged,
            None => Format::Text,
        };
        let functions = self.algorithms.iter().map(|function| {
            HashName::named(&function.name()).expect("all functions have names in manifests")
        });
        let functions: Vec<HashName> = functions.collect();
        if let Some(why) = format.refuses(&functions) {
            return Err(why);
        }
        if self.resume.as_deref().is_some_and(is_stdin) {
            let why =
                "--resume needs a file that it can replace; for a file of this name, write ./-";
            return Err(why.into());
        }
        if self.zero && format.is_strict() {
            return Err("only text lines can end with NUL".into());
        }
        if self.base64 && matches!(format, Format::Hashdeep | Format::Sfv | Format::BagIt) {
            return Err("digests of this format are hexadecimal".into());
        }
        if self.raw && (self.tree.recursive || self.files.len() != 1 || functions.len() != 1) {
            return Err("--raw is for a single file and a single algorithm".into());
        }
        let digits = if self.base64 { Digits::Base64 } else { Digits::Hex };
        Ok(Writer { format, functions, digits, zero: self.zero, binary: self.binary })
    }

    /// The folder to which names are relative: that of --base, or a URL below which objects are.
    fn base(&self) -> Option<PathBuf> {
        let below = match &self.files[..] {
            [only] if self.tree.recursive && is_url(only) => Some(only),
            _ => None,
        };
        self.base.as_ref().or(below).cloned()
    }

    /// What a later run with --resume must have in common with this one.
    fn recorded(&self, writer: &Writer) -> Recorded {
        let listed = self.list.path();
        let roots = if listed.is_some() { &[][..] } else { &self.files };
        let mut paths = self.base.iter().map(PathBuf::as_path).chain(listed);
        let is_relative = roots.iter().any(|root| root.is_relative()) || listed.is_some();
        let is_relative = is_relative || paths.any(Path::is_relative);
        Recorded {
            version: VERSION,
            algorithms: writer.functions.iter().map(|function| function.name().into()).collect(),
            format: format::name(writer.format).into(),
            base64: self.base64,
            zero: self.zero,
            binary: self.binary,
            recursive: self.tree.recursive,
            selection: self.tree.selection.clone(),
            base: self.base.as_deref().map(shown),
            files_from: listed.map(shown),
            roots: roots.iter().map(|root| shown(&public(root))).collect(),
            here: is_relative.then(String::new),
            manifest: String::new(),
        }
    }
}

pub(crate) fn run(args: Args) -> ExitCode {
    let writer = match args.writer() {
        Ok(writer) => writer,
        Err(message) => return wrong_usage(message),
    };
    if let Err(why) = args.summary.refuse(args.files.iter().chain(&args.resume)) {
        return wrong_usage(why);
    }
    let plan = match args.machine.engines(&args.algorithms) {
        Ok(plan) => plan.into(),
        Err(error) => return wrong_usage(error),
    };
    let base = match args.base().map(Base::new).transpose() {
        Ok(base) => base,
        Err(error) => return no_current_folder(&error),
    };
    let walk = match args.tree.walk() {
        Ok(walk) => walk,
        Err(status) => return status,
    };
    let stores = args.stores.open();
    let source = match args.list.names(&args.tree, &walk, args.files.clone(), &stores) {
        Ok(source) => source,
        Err(status) => return status,
    };
    if let Some(manifest) = &args.resume {
        let form = Form { writer, base };
        return resume(&args, manifest, &form, &walk, (source, plan), &stores);
    }
    let output = match Output::stdout() {
        Ok(output) => output,
        Err(error) => return output_failed(&error),
    };
    let form = Form { writer, base };
    let write_back = args.write_back.begin(&stores, &args.algorithms);
    let mut lines =
        Lines { form, raw: args.raw, journal: None, output, tally: Tally::default(), write_back };
    let watched = args.progress.watch(source.total());
    let source = objects::ahead(source, &stores);
    let outcome = hash(source, plan, &mut lines, args.load.settings(&watched, &args.machine));
    let work = watched.finish();
    args.tree.say_skipped(&walk);
    lines.tally.faults += u64::from(outcome.is_err());
    let told = args.summary.tell("sum", &lines.tally, &work);
    match outcome {
        Ok(()) if !told || !lines.tally.is_good() => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output_failed(&error),
    }
}

/// Completes a manifest.
fn resume(
    args: &Args,
    manifest: &Path,
    form: &Form,
    walk: &Walk,
    (source, plan): (Names, Plan),
    stores: &objects::Stores,
) -> ExitCode {
    let fail = |why: String| {
        say_of(manifest, why);
        ExitCode::FAILURE
    };
    let begin = SystemTime::now();
    let resumed = match Resumed::begin(manifest, args.recorded(&form.writer), source.is_sorted()) {
        Ok(resumed) => resumed,
        Err(why) => return fail(why),
    };
    if resumed.is_changed() {
        say_of(manifest, "changed since --resume wrote it; all files are read again");
    }
    let (kept, journal) = match resumed.kept().and_then(|kept| Ok((kept, resumed.journal()?))) {
        Ok(begun) => begun,
        Err(error) => return fail(reason(&error)),
    };
    let functions = form.writer.functions.clone();
    let (digits, zero, binary) = (Digits::Hex, false, false);
    let writer = Writer { format: Format::Json, functions, digits, zero, binary };
    let mut lines = Lines {
        form: Form { writer, base: None },
        raw: false,
        journal: Some(Journal { begin, numbers: LastingNumbers::default() }),
        output: Output::file(journal),
        tally: Tally::default(),
        write_back: None,
    };
    let watched = args.progress.watch(source.total());
    let settings = args.load.settings(&watched, &args.machine);
    let source = objects::ahead(source.resume(kept), stores);
    let outcome = hash(source, plan, &mut lines, settings);
    let work = watched.finish();
    args.tree.say_skipped(walk);
    if let Err(error) = outcome {
        return output_failed(&error);
    }
    let roots = if args.list.is_given() { &[][..] } else { &args.files };
    let mut tally = lines.tally;
    let (is_clean, prune) = (tally.is_good(), args.prune);
    let outcome =
        Outcome { is_clean, prune, roots, writer: &form.writer, base: form.base.as_ref() };
    let mut header = Vec::new();
    form.writer.header(&mut header);
    let finished = resumed.finish(&outcome, &header, |known, lines| {
        if let Err((path, why)) = form.line(known, lines) {
            say_of(&path, why);
            tally.faults += 1;
        }
        Ok(())
    });
    let failure = finished.as_ref().ok().and_then(|finished| what_was_kept(finished, args.prune));
    tally.faults += u64::from(finished.is_err() || failure.is_some());
    let told = args.summary.tell("sum", &tally, &work);
    match finished {
        Err(error) => return output_failed(&error),
        Ok(Finished { damaged: 0, .. }) => {}
        Ok(Finished { damaged, .. }) => {
            let what = "of MANIFEST.resume ignored: damaged";
            say_of(manifest, format_args!("{} {what}", lines_of(damaged)));
        }
    }
    match failure {
        Some(why) => fail(why),
        None if told && tally.is_good() => ExitCode::SUCCESS,
        None => ExitCode::FAILURE,
    }
}

/// The message about kept lines, whose files were not found.
fn what_was_kept(finished: &Finished, prune: bool) -> Option<String> {
    let &Finished { kept, unsure, .. } = finished;
    if unsure > 0 {
        return Some(format!(
            "not replaced: {} of files that were not found would be lost; remove or repair the \
             manifest, or make the files readable",
            lines_of(unsure)
        ));
    }
    let why = if prune {
        "they exist but were not selected, or their state is unknown"
    } else {
        "something was unreadable, missing or empty; --prune drops the lines of files \
         that are gone"
    };
    (kept > 0).then(|| format!("kept {} of files that were not found: {why}", lines_of(kept)))
}

fn lines_of(count: u64) -> String {
    format!("{count} {}", if count == 1 { "line" } else { "lines" })
}

fn hash(
    source: impl Source<Note = Note>,
    plan: Plan,
    lines: &mut Lines,
    settings: Settings,
) -> io::Result<()> {
    if !lines.raw {
        let Lines { form, output, .. } = lines;
        output.line(|line| form.writer.header(line))?;
    }
    hashlanes_files::hash_files(source, &[plan], lines, settings)?;
    lines.output.flush()?;
    while let Some(ended) = lines.write_back.as_mut().and_then(WriteBack::end) {
        lines.told(ended)?;
    }
    Ok(())
}

/// The form of the lines.
struct Form {
    writer: Writer,
    base: Option<Base>,
}

impl Form {
    /// The name that a file gets in its line.
    fn name<'p>(&self, path: &'p Path) -> Result<Cow<'p, Path>, &'static str> {
        match &self.base {
            None => Ok(path.into()),
            Some(base) => base.name(path).map(Into::into).ok_or("not inside the folder of --base"),
        }
    }

    /// Appends the lines for a file whose digests are known. The error is its path with the reason.
    fn line(&self, known: &Known, to: &mut Vec<u8>) -> Result<(), (PathBuf, String)> {
        let path = system::path(known.name.clone()).map_err(|_| (PathBuf::new(), String::new()))?;
        let written = self.name(&path).map_err(str::to_owned).and_then(|name| {
            let (size, modified) = (known.size, known.modified);
            let file = Written {
                name: &system::name(&name),
                size,
                modified,
                version: known.version.as_deref(),
                digests: &known.digests,
            };
            self.writer.file(&file, to).map_err(|why| why.to_string())
        });
        written.map_err(|why| (path, why))
    }
}

/// The lines for a later run.
struct Journal {
    /// When the run began, before any file was read.
    begin: SystemTime,
    numbers: LastingNumbers,
}

impl Journal {
    /// By what a later run knows the file again. `None` if it has to read the file again: another
    /// write may keep its times, or it was written while it was read.
    fn known_by(&mut self, path: &Path, hashed: &Hashed) -> Option<KnownBy> {
        let stamp = hashed.stamp.filter(|_| !hashed.is_changed)?;
        // The tag of an object belongs to its content.
        let is_settled = hashed.tag.is_some() || stamp.is_settled(self.begin);
        is_settled.then(|| KnownBy {
            changed: stamp.changed,
            number: stamp.number(&mut self.numbers, path),
        })
    }
}

/// Writes the lines.
struct Lines {
    form: Form,
    /// Whether only the bytes of the digest are written.
    raw: bool,
    /// How the lines of the journal are completed, if they go there.
    journal: Option<Journal>,
    output: Output,
    /// Files that were hashed, and files and directories that could not be read.
    tally: Tally,
    write_back: Option<WriteBack>,
}

impl Lines {
    fn fail(&mut self, path: &Path, reason: &str) -> io::Result<()> {
        // On a terminal, the message then appears in the place of the line.
        self.output.flush()?;
        self.tally.count(State::Unreadable);
        say_of(path, reason);
        Ok(())
    }
}

impl Lines {
    /// Reports digests that could not be written back.
    fn told(&mut self, outcome: Result<(), (PathBuf, io::Error)>) -> io::Result<()> {
        if let Err((path, error)) = outcome {
            self.output.flush()?;
            self.tally.faults += 1;
            say_of(&path, format_args!("digests not stored: {}", reason(&error)));
        }
        Ok(())
    }

    fn write(&mut self, path: &Path, hashed: &Hashed) -> io::Result<()> {
        if self.raw {
            self.tally.count(State::Ok);
            return self.output.line(|line| line.extend(hashed.digests[0].as_bytes()));
        }
        let name = match self.form.name(path) {
            Ok(name) => name,
            Err(why) => return self.fail(path, why),
        };
        let file = Written {
            name: &system::name(&name),
            size: Some(hashed.length),
            modified: hashed.stamp.map(|stamp| (stamp.seconds, stamp.nanoseconds)),
            version: hashed.tag.as_deref(),
            digests: &hashed.digests,
        };
        let mut written: Result<(), Unwritable> = Ok(());
        let writer = &self.form.writer;
        let journal = &mut self.journal;
        self.output.line(|line| {
            let start = line.len();
            written = writer.file(&file, line);
            if let (Some(journal), Ok(())) = (journal, written) {
                complete_line(line, start, journal.known_by(path, hashed));
            }
        })?;
        match written {
            Ok(()) => {
                self.tally.count(State::Ok);
                Ok(())
            }
            Err(why) => self.fail(path, &why.to_string()),
        }
    }
}

impl Report<Note> for Lines {
    fn file(&mut self, path: &Path, _: Note, outcome: Hash) -> io::Result<()> {
        match outcome {
            Ok(hashed) => {
                self.write(path, &hashed)?;
                if let Some(write_back) = &mut self.write_back {
                    let begun = write_back.add(path, &hashed);
                    self.told(begun)?;
                }
                if hashed.is_changed {
                    self.output.flush()?;
                    say_of(path, CHANGED);
                }
                Ok(())
            }
            Err(error) => self.fail(path, &reason(&error)),
        }
    }

    fn note(&mut self, note: Note) -> io::Result<()> {
        match note {
            Note::None => Ok(()),
            Note::Kept(kept) => self.output.line(|line| line.extend(kept)),
            Note::Walk(WalkError { path, error }) => self.fail(&path, &reason(&error)),
            Note::List(ListError { list, entry, error }) => {
                self.fail(&list, &format!("entry {entry}: {}", reason(&error)))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
