//! `hashlanes sum`: prints the digests of files, as `sha256sum` and its siblings do.

mod lines;
mod resume;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hashlanes_files::manifest::{Digits, Format, HashName, Writer};
use hashlanes_files::replace::{Own, beside};
use hashlanes_files::source::Stores;
use hashlanes_files::walk::Walk;
use hashlanes_files::{Function, hash_files, is_stdin};
use lines::Lines;

use crate::objects;
use crate::options::base::Base;
use crate::options::format;
use crate::options::load::Load;
use crate::options::names::Inputs;
use crate::options::size::Size;
use crate::options::{algorithm, path};
use crate::resume::{Form, Recorded, STATE, VERSION, shown};
use crate::terminal::message::{exit_status, no_current_folder, output_failed, wrong_usage};
use crate::terminal::output::Output;
use crate::terminal::summary::{Summary, Tally};
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
written, or --resume kept lines of files that it did not find; 2 on wrong usage; 4 if --resume found
a damaged file.")]
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
        value_parser = format::written(),
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

    /// Write names relative to this folder, which must contain all files. Links are not resolved to
    /// decide that
    #[arg(long, value_name = "DIR", value_parser = path())]
    base: Option<PathBuf>,

    #[command(flatten)]
    inputs: Inputs,

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

    /// With --resume, save the state of each file after this many bytes, from where an interrupted
    /// run continues it, if it is unchanged. Shorter files are read again. CRCs, XXH and lengths of
    /// BLAKE2b other than 512 bits have no state
    #[arg(long, value_name = "SIZE", default_value = "4GiB", requires = "resume")]
    save_every: Size,

    /// With --resume, print a line for each file that is new, changed or gone since the previous
    /// run, as in `NAME: changed`
    #[arg(long, requires = "resume")]
    changes: bool,

    /// With --resume, drop the lines of all files that are gone, even if their folders are empty or
    /// missing, or if the run had errors. Files whose state cannot be determined stay
    #[arg(long, requires = "resume")]
    prune: bool,

    /// With --resume, also take the new digests of damaged files. A file is damaged if its content
    /// differs, but not the size and time recorded with its digest. Without this, it keeps its old
    /// digest
    #[arg(long, requires = "resume")]
    accept_damaged: bool,

    /// Report nothing unless something is wrong: neither what was skipped nor, if all is well, the
    /// --summary
    #[arg(long)]
    quiet: bool,

    #[command(flatten)]
    summary: Summary,

    #[command(flatten)]
    load: Load,

    #[command(flatten)]
    write_back: objects::WriteBackOptions,
}

impl Args {
    /// Reports what the run has skipped, unless it is quiet.
    fn say_skipped(&self, walk: &Walk) {
        if !self.quiet {
            self.inputs.tree.say_skipped(walk);
        }
    }

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
        if self.resume.is_some() && matches!(format, Format::Mhl | Format::AscMhl) {
            let name = format.about().name;
            let why = format!("--resume needs a format with one line for each file, not {name}");
            return Err(why);
        }
        if self.zero && format.is_strict() {
            return Err("-z requires text lines".into());
        }
        if self.base64
            && matches!(
                format,
                Format::Hashdeep | Format::Sfv | Format::BagIt | Format::Mhl | Format::AscMhl
            )
        {
            return Err("digests of this format are hexadecimal".into());
        }
        if self.raw
            && (self.inputs.tree.recursive || self.inputs.files.len() != 1 || functions.len() != 1)
        {
            return Err("--raw is for a single file and a single algorithm".into());
        }
        let digits = if self.base64 { Digits::Base64 } else { Digits::Hex };
        Ok(Writer { format, functions, digits, zero: self.zero, binary: self.binary })
    }

    /// The folder to which names are relative: that of --base, or a URL below which objects are.
    fn base(&self) -> Option<PathBuf> {
        let below = match &self.inputs.files[..] {
            [only] if self.inputs.tree.recursive && is_url(only) => Some(only),
            _ => None,
        };
        self.base.as_ref().or(below).cloned()
    }

    /// What a later run with --resume must have in common with this one.
    fn recorded(&self, writer: &Writer) -> Recorded {
        let listed = self.inputs.list.path();
        let roots = if listed.is_some() { &[][..] } else { &self.inputs.files };
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
            recursive: self.inputs.tree.recursive,
            selection: self.inputs.tree.selection.clone(),
            base: self.base.as_deref().map(shown),
            files_from: listed.map(shown),
            roots: roots.iter().map(|root| shown(&public(root))).collect(),
            here: is_relative.then(String::new),
            manifest: String::new(),
        }
    }
}

pub(crate) fn run(args: Args) -> Result<ExitCode, ExitCode> {
    let writer = args.writer().map_err(wrong_usage)?;
    let state = args.resume.as_deref().map(|manifest| beside(manifest, STATE));
    let list = args.inputs.list.path().map(Path::to_owned);
    let inputs = args.inputs.files.iter().chain(&args.resume).chain(&state).chain(&list);
    args.summary.refuse(inputs).map_err(wrong_usage)?;
    let plan = args.inputs.machine.engines(&args.algorithms).map_err(wrong_usage)?.into();
    let base = args.base().map(Base::new).transpose().map_err(|error| no_current_folder(&error))?;
    let walk = args.inputs.tree.walk()?;
    let stores = args.inputs.stores.open();
    let door: Arc<dyn Stores> = stores.clone();
    let names = args.inputs.names(&walk, &door)?.without(args.summary.own(), &walk);
    if let Some(manifest) = &args.resume {
        let form = Form { writer, base };
        return resume::run(&args, manifest, &form, &walk, (names, plan), door);
    }
    let output = Output::stdout().map_err(|error| output_failed(&error))?;
    let form = Form { writer, base };
    let write_back = args.write_back.begin(&stores, &args.algorithms);
    let mut lines = Lines {
        form,
        raw: args.raw,
        journal: None,
        output,
        own: args.summary.own().and(Own::outputs()),
        walk: walk.clone(),
        tally: Tally::default(),
        write_back,
    };
    let watched = args.inputs.progress.watch(names.total());
    let settings = args.load.settings(&watched, &args.inputs.machine);
    let outcome = lines
        .begin()
        .and_then(|()| hash_files(names.ahead(door), &[plan], &mut lines, settings))
        .and_then(|()| lines.end());
    let work = watched.finish();
    args.say_skipped(&walk);
    args.inputs.tree.advise(&args.inputs.files);
    lines.tally.faults += u64::from(outcome.is_err());
    let told = args.summary.tell("sum", (&lines.tally, &work), (args.quiet, false));
    Ok(exit_status(outcome.map(|()| told && lines.tally.is_good())))
}
