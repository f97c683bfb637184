//! `hashlanes sum`: prints the digests of files, as `sha256sum` and its siblings do.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hashlanes_files::list::ListError;
use hashlanes_files::manifest::{Digits, Format, HashName, Unwritable, Writer, Written};
use hashlanes_files::walk::WalkError;
use hashlanes_files::{Function, Hashed, Outcome, Plan, Report, Settings, system};

use crate::options::base::Base;
use crate::options::format;
use crate::options::names::{List, Names, Note};
use crate::options::walk::Tree;
use crate::options::{algorithm, machine::Machine, path};
use crate::resume::{Layout, Resumed, write_stamp};
use crate::terminal::message::{
    CHANGED, no_current_folder, output_failed, reason, say_of, wrong_usage,
};
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;

/// Print the digests of files, in the format of sha256sum and its siblings.
///
/// With no FILE, or when FILE is -, read the standard input. The lines come in the order of the
/// arguments, whichever file is finished first. A file that cannot be read is named on the standard
/// error, and all others are hashed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  hashlanes sum *.iso > SHA256SUMS       to be checked with `hashlanes check SHA256SUMS`
  hashlanes sum -r -a sha512 /srv/data   every file of a tree, sorted by path
  hashlanes sum -a md5 -a sha256 FILE    two digests, reading FILE once

On Windows too, names are printed with / between their parts, and * and ? are expanded.

Exit status: 0 if every file was hashed; 1 if a file could not be read, or the output could not be
written; 2 on wrong usage.")]
pub(crate) struct Args {
    /// The hash function: md5, sha1, sha224, sha256, sha384, sha512, sha512-256, sm3, blake2b,
    /// sha3-224, sha3-256, sha3-384, sha3-512, blake3 or crc32. May be given several times, or with
    /// commas between them: each file is read once and gets one line per function
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

    /// Write an object per line, with path, size, time and digests: as --format json
    #[arg(long, conflicts_with = "tag")]
    json: bool,

    /// Write digests in base64
    #[arg(long)]
    base64: bool,

    /// Write the bytes of the digest and nothing else, for a single FILE and ALGORITHM
    #[arg(
        long,
        conflicts_with_all = ["tag", "json", "format", "base64", "zero", "files_from"]
    )]
    raw: bool,

    /// Write names relative to this folder, in which all files must be. Links are not followed to
    /// find out
    #[arg(long, value_name = "DIR", value_parser = path())]
    base: Option<PathBuf>,

    #[command(flatten)]
    tree: Tree,

    #[command(flatten)]
    list: List,

    /// Write MANIFEST instead of the standard output, with comments that hold the size and time of
    /// each file. Files that it has with the same size and time are not read again. A run that was
    /// interrupted goes on
    #[arg(
        long,
        value_name = "MANIFEST",
        value_parser = path(),
        requires = "recursive",
        conflicts_with_all = ["format", "json", "base64", "raw", "base", "zero", "files_from"]
    )]
    resume: Option<PathBuf>,

    #[command(flatten)]
    progress: Progress,

    #[command(flatten)]
    machine: Machine,

    /// Files, or with -r also directories; `-` is the standard input
    #[arg(
        value_name = "FILE",
        value_parser = path(),
        default_value = "-",
        hide_default_value = true
    )]
    files: Vec<PathBuf>,
}

impl Args {
    /// How the lines are written.
    ///
    /// # Errors
    /// If the options do not go together.
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
}

pub(crate) fn run(args: Args) -> ExitCode {
    let writer = match args.writer() {
        Ok(writer) => writer,
        Err(message) => return wrong_usage(message),
    };
    let plan = match args.machine.engines(&args.algorithms) {
        Ok(plan) => plan.into(),
        Err(error) => return wrong_usage(error),
    };
    let base = match args.base.map(Base::new).transpose() {
        Ok(base) => base,
        Err(error) => return no_current_folder(&error),
    };
    let walk = match args.tree.walk() {
        Ok(walk) => walk,
        Err(status) => return status,
    };
    let source = match args.list.names(&args.tree, &walk, args.files) {
        Ok(source) => source,
        Err(status) => return status,
    };
    if let Some(manifest) = args.resume {
        let layout = Layout {
            functions: args.algorithms.iter().map(tag_and_length).collect(),
            tag: args.tag,
            binary: args.binary,
        };
        let begun = Resumed::begin(&manifest, layout)
            .and_then(|resumed| Ok((resumed.kept()?, resumed.file()?, resumed)));
        let (kept, file, resumed) = match begun {
            Ok(begun) => begun,
            Err(error) => {
                say_of(&manifest, reason(&error));
                return ExitCode::FAILURE;
            }
        };
        let output = Output::file(file);
        let mut lines = Lines { writer, raw: false, stamps: true, base, output, failed: false };
        let watched = args.progress.watch(source.total());
        let settings = watched.settings(&args.machine);
        let outcome = hash(source.resume(kept), plan, &mut lines, settings);
        watched.finish();
        args.tree.say_skipped(&walk);
        return match outcome.and_then(|()| resumed.finish()) {
            Ok(()) if lines.failed => ExitCode::FAILURE,
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => output_failed(&error),
        };
    }
    let output = match Output::stdout() {
        Ok(output) => output,
        Err(error) => return output_failed(&error),
    };
    let mut lines = Lines { writer, raw: args.raw, stamps: false, base, output, failed: false };
    let watched = args.progress.watch(source.total());
    let outcome = hash(source, plan, &mut lines, watched.settings(&args.machine));
    watched.finish();
    args.tree.say_skipped(&walk);
    match outcome {
        Ok(()) if lines.failed => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output_failed(&error),
    }
}

/// What tells the lines of a function.
fn tag_and_length(function: &Function) -> (String, usize) {
    let name = HashName::named(&function.name()).expect("all functions have names in manifests");
    (name.tag().into_owned(), name.digest_len())
}

fn hash(source: Names, plan: Plan, lines: &mut Lines, settings: Settings) -> io::Result<()> {
    if !lines.raw {
        let Lines { writer, output, .. } = lines;
        output.line(|line| writer.header(line))?;
    }
    hashlanes_files::hash_files(source, &[plan], lines, settings)?;
    lines.output.flush()
}

/// Writes the lines.
struct Lines {
    writer: Writer,
    /// Only the bytes of the digest are written.
    raw: bool,
    /// A comment with size and time comes before each file.
    stamps: bool,
    base: Option<Base>,
    output: Output,
    /// A file or a directory could not be read.
    failed: bool,
}

impl Lines {
    fn fail(&mut self, path: &Path, reason: &str) -> io::Result<()> {
        // On a terminal the message then comes where the line would be.
        self.output.flush()?;
        self.failed = true;
        say_of(path, reason);
        Ok(())
    }
}

impl Lines {
    fn write(&mut self, path: &Path, hashed: &Hashed) -> io::Result<()> {
        if self.raw {
            return self.output.line(|line| line.extend(hashed.digests[0].as_bytes()));
        }
        let relative = match &self.base {
            None => None,
            Some(base) => match base.name(path) {
                Some(name) => Some(name),
                None => return self.fail(path, "not below the folder of --base"),
            },
        };
        let name = system::name(relative.as_deref().unwrap_or(path));
        let file = Written {
            name: &name,
            size: Some(hashed.length),
            modified: hashed.stamp.map(|stamp| (stamp.seconds, stamp.nanoseconds)),
            digests: &hashed.digests,
        };
        let mut written = Ok(());
        let writer = &self.writer;
        // What changed while it was read must be read again.
        let stamp = hashed.stamp.filter(|_| self.stamps && !hashed.is_changed);
        self.output.line(|line| {
            if let Some(stamp) = stamp {
                write_stamp(&stamp, line);
            }
            written = writer.file(&file, line);
        })?;
        written.or_else(|why: Unwritable| self.fail(path, &why.to_string()))
    }
}

impl Report<Note> for Lines {
    fn file(&mut self, path: &Path, _: Note, outcome: Outcome) -> io::Result<()> {
        match outcome {
            Ok(hashed) => {
                self.write(path, &hashed)?;
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
            Note::Kept(lines) => self.output.line(|line| line.extend(lines)),
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
