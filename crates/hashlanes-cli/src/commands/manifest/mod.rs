//! `hashlanes manifest`: merges, compares, sorts and converts manifests.
//!
//! Manifests are read as a sequence of [`Item`]s. Those that are sorted by name are merged and
//! compared without holding more than an item of each. What is to be sorted is cut into sorted runs
//! in temporary files, which are merged in the same way.

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

use super::check::source::How;
use crate::options::{algorithm, format, path};
use crate::terminal::message::{output_failed, reason, say_of, wrong_usage};

/// Merge, compare, sort or convert manifests.
///
/// Manifests are those that `hashlanes check` reads, in any format. No file that they list is
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
    /// are named on the standard error, and the first one is taken.
    #[command(after_help = "\
Examples:
  hashlanes manifest merge shard-*.txt > SHA256SUMS
  hashlanes manifest merge --format json -o all.json a.json b.csv

Exit status: 0 if all was merged; 1 if digests of a file differ, a manifest cannot be read or is not
sorted, a line cannot be used, or the output could not be written; 2 on wrong usage. With -o,
nothing is written unless the status is 0. A last line that has no end, and ends with a name, may be
cut: it counts as one that cannot be used if -o is given.")]
    Merge(Several),
    /// Compare two manifests that are sorted by name
    ///
    /// Print a line for each file that is only in one of them, or has other digests. Sizes and
    /// times are not compared.
    #[command(after_help = "\
Exit status: 0 if both list the same files with the same digests; 1 if not; 2 if a manifest cannot
be read or is not sorted, a line cannot be used, two entries have no hash function in common, or on
wrong usage.")]
    Diff(Two),
    /// Sort manifests by the bytes of the names
    ///
    /// Several manifests become one, as with `merge`. What does not fit in 64 MiB is kept in
    /// temporary files without names.
    #[command(after_help = MERGED_HELP)]
    Sort(Several),
    /// Write a manifest in another format, in the same order
    #[command(after_help = MERGED_HELP)]
    Convert(One),
}

const MERGED_HELP: &str = "\
Exit status: 0 if all was written; 1 if digests of a file differ, a manifest cannot be read, a line
cannot be used or written, or the output could not be written; 2 on wrong usage. With -o, nothing is
written unless the status is 0. A last line that has no end, and ends with a name, may be cut: it
counts as one that cannot be used if -o is given.";

/// How manifests are read.
#[derive(clap::Args)]
struct Reading {
    /// The hash function of all lines, as with `check -a`. In formats with several digests for a
    /// file, take only those of this function
    #[arg(short, long, value_name = "ALGORITHM", value_parser = algorithm)]
    algorithm: Option<Function>,

    /// The format of the manifests that are read [default: found by what is in them]
    #[arg(long, value_name = "FORMAT", value_parser = format::parser())]
    from: Option<Format>,

    /// Lines end with NUL instead of newline, and no name is escaped
    #[arg(short, long)]
    zero: bool,
}

impl Reading {
    fn how(&self) -> How {
        let (format, function, zero) = (self.from, self.algorithm, self.zero);
        How { format, function, zero, base: None, follow_links: false }
    }
}

/// How a manifest is written.
#[derive(clap::Args)]
struct Writing {
    /// The format that is written [default: that of the first manifest]
    #[arg(long, value_name = "FORMAT", value_parser = format::parser())]
    format: Option<Format>,

    /// Replace FILE as a whole, instead of writing to the standard output, which is `-`
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

/// The files to write, and their functions as far as these are known from the start.
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

/// Reads manifests, makes a sequence of files of them, and writes it.
fn write(
    reading: &Reading,
    writing: &Writing,
    manifests: &[PathBuf],
    files: impl FnOnce(Vec<Input>, &Trouble) -> io::Result<Files>,
) -> ExitCode {
    let is_strict = |format: Option<Format>| format.is_some_and(Format::is_strict);
    if reading.zero && (is_strict(reading.from) || is_strict(writing.format)) {
        return wrong_usage("only text lines end with NUL");
    }
    let place = writing.output.as_deref().filter(|path| !is_stdin(path));
    let trouble = Trouble { refuses_cut_names: place.is_some(), ..Trouble::default() };
    let inputs: Vec<_> =
        manifests.iter().map(|path| Input::open(path, &reading.how(), &trouble)).collect();
    let format = writing.format.or_else(|| inputs.first()?.format()).unwrap_or(Format::Text);
    let written = files(inputs, &trouble).and_then(|files| {
        let mut output = Output::open(place, format, reading.zero, &files)?;
        for item in files.items {
            output.write(&item, &trouble)?;
        }
        output.finish(&trouble)
    });
    match written {
        Ok(()) if trouble.is_there() => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match place {
                Some(path) => say_of(path, reason(&error)),
                None => return output_failed(&error),
            }
            ExitCode::FAILURE
        }
    }
}

/// Whether anything went wrong, which has been said.
#[derive(Clone, Default)]
struct Trouble {
    happened: Rc<Cell<bool>>,
    /// A manifest is written to a file, where nothing would show that a name may be cut.
    refuses_cut_names: bool,
}

impl Trouble {
    fn of(&self, path: &Path, why: impl Display) {
        self.happens();
        say_of(path, why);
    }

    /// Something went wrong, which will be said.
    fn happens(&self) {
        self.happened.set(true);
    }

    fn is_there(&self) -> bool {
        self.happened.get()
    }
}
