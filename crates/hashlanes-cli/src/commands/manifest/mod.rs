//! `hashlanes manifest`: merges, compares, sorts and converts manifests.
//!
//! Manifests are read as sequences of [`Item`]s. Sorted ones are merged and compared with one item
//! of each in memory. To sort, sorted runs are written to temporary files and then merged in the
//! same way.

mod diff;
mod input;
mod item;
mod merge;
mod output;
mod sort;

use std::cell::Cell;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

use hashlanes_files::manifest::{Format, HashName};
use hashlanes_files::{Function, is_stdin};
use input::Input;
use item::Item;
use merge::Merged;
use output::Output;

use super::check::manifests::How;
use super::check::manifests::spelling::Spelling;
use crate::options::{algorithm, format, path};
use crate::terminal::message::{exit_status, failed, reason, say_of, wrong_usage};

/// Merge, compare, sort or convert manifests.
///
/// Manifests may have any format that `hashlanes check` reads. The files that they list are not
/// opened.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Merge manifests that are sorted by name, as `sum -r` writes them
    ///
    /// A file that several manifests list gets one entry with all its digests. If they differ, both
    /// are reported on the standard error, and the first one is used.
    #[command(after_help = "\
Examples:
  hashlanes manifest merge shard-*.txt > SHA256SUMS
  hashlanes manifest merge --format json -o all.json a.json b.csv

Exit status: 0 if all was merged; 1 if digests of a file differ, a manifest cannot be read or is not
sorted, a line is unusable, or the output could not be written; 2 on wrong usage. With -o, nothing
is written unless the status is 0. An unterminated last line that ends with a name may be truncated:
with -o it counts as unusable.")]
    Merge(Several),
    /// Compare two manifests that are sorted by name
    ///
    /// Print a line for each file that only one of them has, or that has different digests. Sizes
    /// and times are not compared.
    #[command(after_help = "\
Exit status: 0 if both list the same files with the same digests; 1 if not; 2 if a manifest cannot
be read or is not sorted, a line is unusable, two entries have no hash function in common, or on
wrong usage.")]
    Diff(Two),
    /// Sort manifests by the bytes of the names
    ///
    /// Several manifests become one, as with `merge`. What does not fit in 64 MiB goes to anonymous
    /// temporary files.
    #[command(after_help = MERGED_HELP)]
    Sort(Several),
    /// Write a manifest in another format, in the same order
    #[command(after_help = MERGED_HELP)]
    Convert(One),
}

const MERGED_HELP: &str = "\
Exit status: 0 if all was written; 1 if digests of a file differ, a manifest cannot be read, a line
is unusable or cannot be written, or the output could not be written; 2 on wrong usage. With -o,
nothing is written unless the status is 0. An unterminated last line that ends with a name may be
truncated: with -o it counts as unusable.";

/// Options for reading manifests.
#[derive(clap::Args)]
struct Reading {
    /// The hash function of all lines, as with `check -a`. In formats with several digests per
    /// file, use only those of this function
    #[arg(short, long, value_name = "ALGORITHM", value_parser = algorithm)]
    algorithm: Option<Function>,

    /// The format of the input [default: detected from its content]
    #[arg(long, value_name = "FORMAT", value_parser = format::parser())]
    from: Option<Format>,

    /// Lines end with NUL instead of newline, and names are not escaped
    #[arg(short, long)]
    zero: bool,
}

impl Reading {
    fn how(&self) -> How {
        let (format, function, zero) = (self.from, self.algorithm, self.zero);
        let (base, spelling) = (None, Spelling::default());
        let (follow_links, is_latin_1) = (false, false);
        How { format, function, zero, base, follow_links, is_latin_1, spelling }
    }
}

/// Options for writing a manifest.
#[derive(clap::Args)]
struct Writing {
    /// The format of the output [default: that of the first manifest]
    #[arg(long, value_name = "FORMAT", value_parser = format::written())]
    format: Option<Format>,

    /// Replace FILE atomically instead of writing to the standard output; `-` is the standard
    /// output
    #[arg(short, long, value_name = "FILE", value_parser = path())]
    output: Option<PathBuf>,
}

#[derive(clap::Args)]
struct Several {
    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    writing: Writing,

    /// Manifests; `-` is the standard input
    #[arg(value_name = "MANIFEST", value_parser = path(), required = true)]
    manifests: Vec<PathBuf>,
}

#[derive(clap::Args)]
struct One {
    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    writing: Writing,

    /// A manifest; `-` is the standard input
    #[arg(
        value_name = "MANIFEST",
        value_parser = path(),
        default_value = "-",
        hide_default_value = true
    )]
    manifest: PathBuf,
}

#[derive(clap::Args)]
struct Two {
    #[command(flatten)]
    reading: Reading,

    /// The manifests; `-` is the standard input
    #[arg(value_name = "MANIFEST", value_parser = path(), num_args = 2, required = true)]
    manifests: Vec<PathBuf>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    match args.command {
        Command::Merge(Several { reading, writing, manifests }) => {
            write(&reading, &writing, &manifests, merged)
        }
        Command::Sort(Several { reading, writing, manifests }) => {
            write(&reading, &writing, &manifests, sort::sorted)
        }
        Command::Convert(One { reading, writing, manifest }) => {
            write(&reading, &writing, &[manifest], in_order)
        }
        Command::Diff(Two { reading, manifests }) => diff::run(&reading.how(), &manifests),
    }
}

/// The files to write, and their functions as far as they are known from the start.
struct Files {
    items: Box<dyn Iterator<Item = Item>>,
    functions: Vec<HashName>,
}

fn merged(mut inputs: Vec<Input>, trouble: &Trouble) -> io::Result<Files> {
    inputs.iter_mut().for_each(Input::must_be_sorted);
    let functions = item::union(inputs.iter().filter_map(Input::peek));
    let inputs = inputs.into_iter().map(|input| Box::new(input) as Box<dyn Iterator<Item = _>>);
    let items = Box::new(Merged::new(inputs.collect(), trouble.clone()));
    Ok(Files { items, functions })
}

fn in_order(inputs: Vec<Input>, _: &Trouble) -> io::Result<Files> {
    let functions = item::union(inputs.iter().filter_map(Input::peek));
    Ok(Files { items: Box::new(inputs.into_iter().flatten()), functions })
}

/// Reads manifests, turns them into a sequence of files, and writes it.
fn write(
    reading: &Reading,
    writing: &Writing,
    manifests: &[PathBuf],
    files: impl FnOnce(Vec<Input>, &Trouble) -> io::Result<Files>,
) -> ExitCode {
    let is_strict = |format: Option<Format>| format.is_some_and(Format::is_strict);
    if reading.zero && (is_strict(reading.from) || is_strict(writing.format)) {
        return wrong_usage("-z requires text lines");
    }
    let place = writing.output.as_deref().filter(|path| !is_stdin(path));
    let trouble = Trouble { refuses_cut_names: place.is_some(), ..Trouble::default() };
    let mut inputs: Vec<_> =
        manifests.iter().map(|path| Input::open(path, &reading.how(), &trouble)).collect();
    inputs.iter_mut().for_each(Input::resolve);
    let format = writing.format.or_else(|| inputs.first()?.format()).unwrap_or(Format::Text);
    let written = files(inputs, &trouble).and_then(|files| {
        let mut output = Output::open(place, format, reading.zero, &files)?;
        for item in files.items {
            output.write(&item, &trouble)?;
        }
        output.finish(&trouble)
    });
    match (written, place) {
        (Err(error), Some(path)) => failed(path, reason(&error)),
        (written, _) => exit_status(written.map(|()| !trouble.is_there())),
    }
}

/// Whether anything went wrong, which has been reported.
#[derive(Clone, Default)]
struct Trouble {
    happened: Rc<Cell<bool>>,
    /// The output is a file, where nothing would show that a name may be truncated.
    refuses_cut_names: bool,
}

impl Trouble {
    fn of(&self, path: &Path, why: impl Display) {
        self.happens();
        say_of(path, why);
    }

    /// Records that something went wrong; the caller reports it.
    fn happens(&self) {
        self.happened.set(true);
    }

    fn is_there(&self) -> bool {
        self.happened.get()
    }
}
