//! `hashlanes check`: compares files with manifests, as `sha256sum -c` does.
//!
//! ```text
//!                entries               digests
//!   manifests ───────────▶ hash_files ────────▶ verdict ──▶ lines, and a summary
//! ```
//!
//! * `manifests` reads what is listed: lines of manifests, perhaps about another `folder`, the
//!   files of a whole `bag`, and blobs that are named by their digests (`oci`).
//! * `verdict` compares, tells and counts. `missing` finds what names of missing files may mean.
//! * `torrents` have pieces instead of files.
//! * `report` compares a folder with a manifest both ways, and may bring the manifest up to date.
//!   `stored` compares with what a store knows of its objects. Both write by `print`.

mod bag;
mod folder;
pub(super) mod manifests;
mod missing;
mod oci;
#[cfg_attr(not(feature = "objects"), expect(dead_code, reason = "only stores give some statuses"))]
mod print;
mod report;
#[cfg(feature = "objects")]
mod stored;
mod torrents;
mod verdict;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use hashlanes_files::manifest::Format;
use hashlanes_files::name::quote;
use hashlanes_files::source::{Ahead, Stores};
use hashlanes_files::{Engine, Function, hash_files};
use manifests::{Chooser, How, Manifests, Which, part, plans, spelling};
use print::Style;
use torrents::Torrents;
use verdict::{Rules, Verdict};

use crate::commands::tree::check::Reading;
use crate::objects;
#[cfg(not(feature = "objects"))]
use crate::objects::stored;
use crate::options::algorithm;
use crate::options::base::Base;
use crate::options::format;
use crate::options::load::Load;
use crate::options::machine::{Machine, NoKernel};
use crate::options::path;
use crate::options::walk::Selection;
use crate::terminal::message::{no_current_folder, output_failed, say, wrong_usage};
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;
use crate::terminal::summary::{Summary, write_json};
use crate::url::{has_query, is_url};

/// How each mode is called.
#[cfg(feature = "objects")]
const USAGE: &str = "\
hashlanes check [OPTIONS] [MANIFEST]... [DIR]
       hashlanes check --report [OPTIONS] MANIFEST DIR
       hashlanes check --stored [OPTIONS] MANIFEST|DIR URL";

/// How each mode is called.
#[cfg(not(feature = "objects"))]
const USAGE: &str = "\
hashlanes check [OPTIONS] [MANIFEST]... [DIR]
       hashlanes check --report [OPTIONS] MANIFEST DIR";

/// Check files against the digests in manifests, as sha256sum -c and similar tools do.
///
/// By default, check reads what each MANIFEST lists, relative to DIR or the current folder, and
/// prints a line for each file: `NAME: OK`, `NAME: FAILED` or `NAME: FAILED open or read`. With
/// --report, it compares DIR with MANIFEST both ways: files are unchanged, changed, damaged,
/// missing, new or moved, and --update can then bring MANIFEST up to date. With --stored, if the
/// program can read objects, it compares with what a store knows about the objects below URL, and
/// reads them only where that proves nothing.
///
/// A manifest is the output of `hashlanes sum` in any format, of sha256sum and its siblings, of
/// shasum, `openssl dgst` or hashdeep, an SFV file, or a manifest of a bag (RFC 8493). The format
/// is detected from the content. Lines of `hashlanes tree --tag` may be mixed in. A torrent is
/// detected, too: see `hashlanes tree verify-torrent --help`. A folder with a `bagit.txt` is a
/// whole bag: all its manifests are checked, and the payload must have exactly the listed files.
/// Symbolic links that lead out of a bag, or out of the folder of a torrent, are followed only with
/// -L. A folder with an `oci-layout` is an image layout, whose blobs are verified by their names.
/// With no MANIFEST, or when MANIFEST is -, read the standard input.
///
/// A file is damaged if its content differs although nothing shows that anybody wrote to it: it
/// still has the size and time that the manifest gives (formats json and csv), or that `sum
/// --resume` has recorded.
#[derive(clap::Args)]
#[command(
    override_usage = USAGE,
    after_help = "\
Examples:
  hashlanes check SHA256SUMS
  hashlanes check SHA256SUMS copy             the same files in the folder copy
  hashlanes check --quiet --strict -a sha512 manifest
  ssh host hashlanes sum -r data | hashlanes check -
  hashlanes check --report MANIFEST data      changed, missing, new and moved files
  hashlanes check --report --base copy SUMS   names are relative to copy, which is compared
  hashlanes check --report --exclude .git/ --update MANIFEST .
  hashlanes sum -r data --resume SUMS && hashlanes check --quiet SUMS

With --report, repeat the options that selected the files for the manifest, such as --exclude.
After `hashlanes sum --resume`, MANIFEST.resume has them. Listed files that they leave out are not
compared, and --update keeps their lines.

Exit status: 0 if every listed file was read and matches; 1 if a file differs, or if a manifest
cannot be read, has no valid line, names a function that is not supported, or is damaged; 2 on wrong
usage; 3 if no file differs, but some are missing or cannot be read; 4 if a file is damaged,
whatever else there is. With --report, missing, new and moved files give 1, too."
)]
pub(crate) struct Args {
    /// Manifests, torrents and bags; `-` is the standard input. The first may be a URL. A folder
    /// after them is where their files are, as with --base. A URL such as `s3://bucket/prefix`
    /// after them is where the listed objects are
    #[arg(
        value_name = "MANIFEST",
        value_parser = path(),
        default_value = "-",
        hide_default_value = true
    )]
    manifests: Vec<PathBuf>,

    /// The hash function of all lines [default: by each line's tag, or by the length of its
    /// digest]. Plain lines of SHA-512/256, SM3, SHA-3, BLAKE2b, BLAKE3 and CRC-32 need this
    /// option: their digests are as long as those of SHA-2 and SHA-1, or too short. In formats with
    /// several digests per file, only those of this function are compared
    #[arg(short, long, value_name = "ALGORITHM", value_parser = algorithm)]
    algorithm: Option<Function>,

    #[command(flatten)]
    rules: Rules,

    /// The format of the manifests [default: detected from their content]
    #[arg(long, value_name = "FORMAT", value_parser = format::parser())]
    format: Option<Format>,

    /// Also read listed files that may never end: FIFOs, sockets, character devices, and `-`, the
    /// standard input. Without this option they count as unreadable
    #[arg(long, conflicts_with = "report", help_heading = "Verifying")]
    read_special: bool,

    /// Say what each manifest was taken for: its format, and how the functions of its digests are
    /// known
    #[arg(short, long)]
    verbose: bool,

    /// Read the objects that lines name by their URLs, with your credentials. Without this option,
    /// only objects below a URL that you give are read, and those on the server or in the bucket of
    /// a manifest at a URL
    #[arg(long, help_heading = "Verifying")]
    allow_remote: bool,

    /// Lines end with NUL instead of newline, and names are not escaped
    #[arg(short, long)]
    zero: bool,

    /// Resolve relative names in this folder [default: the current one, or that of the bag]
    #[arg(long, value_name = "DIR", value_parser = path())]
    base: Option<PathBuf>,

    /// Compare a folder with one manifest or torrent, both ways. Each file is unchanged, changed,
    /// damaged, missing, new, moved (the listed name is missing, and another file has its digest;
    /// not detected for torrents) or unreadable. With a torrent, a file may also be unchecked: it
    /// shares a piece with a missing one. All files that are not unchanged are listed again at the
    /// end. Files are the same if they are in the same place, however they are named
    #[arg(
        long,
        value_name = "STYLE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text",
        conflicts_with_all = ["strict", "ignore_missing", "warn"],
        help_heading = "Reports"
    )]
    report: Option<Style>,

    /// With --report, bring the manifest up to date: files that changed, are missing, new or moved.
    /// Comments, other columns, and lines of files that were left out stay. Torrents and lines of
    /// `hashlanes tree` are not replaced
    #[arg(long, requires = "report", help_heading = "Reports")]
    update: bool,

    /// With --update, replace the manifest even if no listed file is found, or if missing files are
    /// in empty or unreadable folders, as when a disk is not mounted
    #[arg(long, requires = "update", help_heading = "Reports")]
    prune: bool,

    /// With --update, also take the new digests of damaged files. Without this, they keep their old
    /// ones
    #[arg(long, requires = "update", help_heading = "Reports")]
    accept_damaged: bool,

    #[command(flatten)]
    stored: stored::Options,

    #[command(flatten)]
    spelling: spelling::Spelling,

    #[command(flatten)]
    selection: Selection,

    #[command(flatten)]
    progress: Progress,

    #[command(flatten)]
    summary: Summary,

    #[command(flatten)]
    part: part::Options,

    #[command(flatten)]
    machine: Machine,

    #[command(flatten)]
    load: Load,

    #[command(flatten)]
    stores: objects::Options,
}

impl Args {
    /// The URL below which objects are compared. It is taken out of the manifests, unless it is the
    /// folder of a report.
    fn below(&mut self) -> Result<Option<PathBuf>, &'static str> {
        if self.report.is_some() || self.stored.is_asked() {
            return Ok(self.manifests.get(1).filter(|path| is_url(path)).cloned());
        }
        // The first name is that of a manifest, wherever it is.
        let urls: Vec<_> = self.manifests.extract_if(1.., |path| is_url(path)).collect();
        match urls.as_slice() {
            [] | [_] => Ok(urls.into_iter().next()),
            _ => Err("only one URL can be compared with manifests"),
        }
    }
}

pub(crate) fn run(mut args: Args) -> Result<ExitCode, ExitCode> {
    if args.zero && args.format.is_some_and(|format| format.is_strict()) {
        return Err(wrong_usage("-z requires text lines"));
    }
    let engines = Engines::new(&args).map_err(wrong_usage)?;
    let below = args.below().map_err(wrong_usage)?;
    let folder = args.take_folder();
    let is_folder = folder.is_some();
    args.base = args.base.take().or(folder);
    if below.is_some() && args.base.is_some() {
        return Err(wrong_usage("names are below a folder or below a URL, not below both"));
    }
    if args.base.iter().chain(&below).any(|base| has_query(base)) {
        return Err(wrong_usage("a URL with a query cannot have names below it"));
    }
    let base = args
        .base
        .clone()
        .or(below)
        .map(Base::new)
        .transpose()
        .map_err(|error| no_current_folder(&error))?;
    let (format, function, zero) = (args.format, args.algorithm, args.zero);
    let (follow_links, spelling) = (args.selection.follows_links(), args.spelling.clone());
    let is_latin_1 = false;
    let how = How { format, function, zero, base, follow_links, is_latin_1, spelling };
    if args.stored.is_asked() {
        return stored::run(&args, &how);
    }
    if args.selection.is_for_walks() && args.report.is_none() {
        return Err(wrong_usage("options that select files of directories need --report"));
    }
    args.summary.refuse(&args.manifests).map_err(wrong_usage)?;
    if let Some(style) = args.report {
        let style = if args.rules.json { Style::Json } else { style };
        return report::run(&args, style, &engines, &how);
    }
    let torrents = Torrents::take(&mut args);
    if is_folder
        && !args.rules.ignore_missing
        && let Some(status) = folder::nothing_there(&args, &how)
    {
        return Err(status);
    }
    let part = args.part.part();
    if part.is_part() && !torrents.is_empty() {
        return Err(wrong_usage("--sample and --since do not work with torrents"));
    }
    let output = Output::stdout().map_err(|error| output_failed(&error))?;
    let plans = plans(&engines.named);
    let mut chooser = Chooser::new(&plans, &engines.named, &engines.beside);
    if args.algorithm.is_none() {
        let all = Function::every().collect::<Vec<_>>();
        chooser.remark(args.machine.without_kernel(&all));
    }
    let manifests = std::mem::take(&mut args.manifests);
    let only_folder = folder::only(&manifests);
    let only_torrents = manifests.is_empty() && !torrents.is_empty();
    let stores: Arc<dyn Stores> = args.stores.open();
    let which = Which {
        special: args.read_special,
        remote: args.allow_remote,
        verbose: args.verbose,
        part,
    };
    let source = Manifests::new(manifests, how, which, chooser, Arc::clone(&stores));
    let watched = args.progress.watch(|| None);
    let settings = args.load.settings(&watched, &args.machine);
    let reading = Reading::new(&settings, Arc::clone(&stores));
    let mut verdict = Verdict::new(args.rules, output, reading, args.summary.own());
    let outcome = if only_torrents {
        Ok(())
    } else {
        hash_files(Ahead::new(source, stores), &plans, &mut verdict, settings)
    };
    let outcome = outcome.and_then(|()| torrents.check(&args, &watched, &mut verdict.output));
    let work = watched.finish();
    if let Some(folder) = only_folder {
        say(format_args!(
            "to compare a folder, name its manifest first: hashlanes check MANIFEST {}",
            quote(&folder)
        ));
    }
    let Verdict { mut tally, mut output, has_read, .. } = verdict;
    let outcome = outcome.and_then(|torrents| {
        tally.add(&torrents);
        let is_hushed = args.rules.status || args.rules.quiet && tally.is_good();
        if part.is_part() && !is_hushed {
            part.say(&tally);
        }
        if args.rules.json && !is_hushed {
            output.line(|line| write_json(&tally, &work, line))?;
        }
        output.flush()
    });
    tally.faults += u64::from(outcome.is_err());
    let told = args.summary.tell("check", (&tally, &work), (args.rules.quiet, has_read));
    Ok(match outcome {
        Ok(()) if told => tally.status(),
        Ok(()) => ExitCode::FAILURE,
        Err(error) => output_failed(&error),
    })
}

/// The engines that lines may need.
struct Engines {
    /// Engines that have a plan from the start.
    named: Vec<Engine>,
    /// Engines for digests of unusual lengths.
    beside: Vec<Engine>,
}

impl Engines {
    fn new(args: &Args) -> Result<Self, NoKernel> {
        let named = match args.algorithm {
            Some(algorithm) => args.machine.engines(&[algorithm])?,
            None => args.machine.engines_for_any(&Function::all().collect::<Vec<_>>())?,
        };
        Ok(Self { named, beside: Function::every().map(Engine::new).collect() })
    }
}
