//! `hashlanes sum`: prints the digests of files, as `sha256sum` and its siblings do.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hashlanes_files::list::ListError;
use hashlanes_files::manifest::Format;
use hashlanes_files::walk::WalkError;
use hashlanes_files::{Function, Outcome, Plan, Report, UnknownFunction};

use crate::message::{output_failed, reason, say_of, wrong_usage};
use crate::names::{List, Names, Note};
use crate::options::{Machine, path};
use crate::output::Output;
use crate::tree::Tree;

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
    /// sha3-224, sha3-256, sha3-384, sha3-512, blake3 or crc32. May be given several times: each
    /// file is read once and gets one line per function
    #[arg(
        short,
        long = "algorithm",
        value_name = "ALGORITHM",
        default_value = "sha256",
        value_parser = algorithm
    )]
    algorithms: Vec<Function>,

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

    #[command(flatten)]
    tree: Tree,

    #[command(flatten)]
    list: List,

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

/// A parser of algorithms for clap.
pub(crate) fn algorithm(name: &str) -> Result<Function, UnknownFunction> {
    Function::from_name(name)
}

pub(crate) fn run(args: Args) -> ExitCode {
    if let Some(message) = ambiguity(&args.algorithms, args.tag) {
        return wrong_usage(message);
    }
    let plan = match args.machine.engines(&args.algorithms) {
        Ok(plan) => plan,
        Err(error) => return wrong_usage(error),
    };
    let format = Format { tag: args.tag, zero: args.zero, binary: args.binary };
    let output = match Output::stdout() {
        Ok(output) => output,
        Err(error) => return output_failed(&error),
    };
    let mut lines = Lines { algorithms: args.algorithms, format, output, failed: false };
    let threads = args.machine.threads();
    let walk = match args.tree.walk() {
        Ok(walk) => walk,
        Err(status) => return status,
    };
    let source = match args.list.names(&args.tree, &walk, args.files) {
        Ok(source) => source,
        Err(status) => return status,
    };
    let outcome = hash(source, plan, &mut lines, threads);
    args.tree.say_skipped(&walk);
    match outcome {
        Ok(()) if lines.failed => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output_failed(&error),
    }
}

fn hash(source: Names, plan: Plan, lines: &mut Lines, threads: usize) -> io::Result<()> {
    hashlanes_files::hash_files(source, &[plan], lines, threads)
}

/// Why a reader could not tell the lines of these algorithms apart, if that is so.
fn ambiguity(algorithms: &[Function], tag: bool) -> Option<String> {
    for (i, a) in algorithms.iter().enumerate() {
        for b in &algorithms[..i] {
            if a == b {
                return Some(format!("{a} is given twice"));
            }
            if a.digest_len() == b.digest_len() && !tag {
                return Some(format!("the lines of {b} and {a} look the same; use --tag"));
            }
        }
    }
    None
}

/// Writes the lines.
struct Lines {
    algorithms: Vec<Function>,
    format: Format,
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

/// Said of a file whose digests may be of no state that it ever had.
pub(crate) const CHANGED: &str = "WARNING: the file changed while it was read";

impl Report<Note> for Lines {
    fn file(&mut self, path: &Path, _: Note, outcome: Outcome) -> io::Result<()> {
        match outcome {
            Ok(hashed) => {
                for (&algorithm, digest) in self.algorithms.iter().zip(&hashed.digests) {
                    self.output.line(|line| self.format.write(line, algorithm, digest, path))?;
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
