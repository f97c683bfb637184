//! `hashlanes dedup`: how many bytes of folders are duplicates.

use std::fmt::Write;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base16ct::lower::encode_string;
use hashlanes::{Algorithm, Engine};
use hashlanes_files::source::{Stores, below};
use hashlanes_files::walk::{Filter, Options, Walk};
use hashlanes_tree::dedup::{Census, Chunk, Counts, Report, chunk_contents};
use serde::Serialize;

use super::Cut;
use super::found::{Found, Names, fail};
use crate::objects;
use crate::options::path;
use crate::options::size::Size;
use crate::terminal::message::{exit_status, reason, say, wrong_usage};
use crate::terminal::output;
use crate::terminal::progress::Progress;
use crate::url::is_url;

/// Threads that cut objects. The blocks that an object keeps are enough for as many places.
const PLACES: NonZeroUsize = NonZeroUsize::new(3).unwrap();

/// Count duplicate bytes in folders or stores, by content-defined chunks (FastCDC).
///
/// All regular files below each DIR are cut into chunks at places that their content determines,
/// and chunks with the same SHA-256 digest are counted as one. A file with several names is counted
/// once. The unique bytes are what a store needs that keeps each chunk once.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  hashlanes dedup /srv/backups
  hashlanes dedup --avg 1MiB --min 256KiB --max 4MiB --top 10 images
  hashlanes dedup az://container/backups

Exit status: 0 if every file was counted; 1 if a file could not be read, or the output could not be
written; 2 on wrong usage.")]
pub(crate) struct Args {
    #[command(flatten)]
    cut: Cut,

    /// Show the N chunks whose repetitions take the most bytes
    #[arg(long, value_name = "N", default_value_t = 0)]
    top: usize,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Memory for the digests of chunks, 24 bytes each. The rest is sorted into temporary files
    #[arg(long, value_name = "SIZE", default_value = "256MiB", help_heading = "Speed")]
    memory: Size,

    /// The folder for temporary files [default: that of the system]
    #[arg(long, value_name = "DIR", value_parser = path(), help_heading = "Speed")]
    temporary: Option<PathBuf>,

    /// Leave out files and folders that match GLOB: by name, or by path below DIR if GLOB contains
    /// a `/`. `GLOB/` matches only folders
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,

    /// Leave out files and folders whose names begin with a dot
    #[arg(long)]
    no_hidden: bool,

    /// Stay on the file system of each DIR (not on Windows)
    #[arg(short = 'x', long)]
    one_file_system: bool,

    #[command(flatten)]
    progress: Progress,

    #[command(flatten)]
    stores: objects::Options,

    /// Folders or files, or URLs, as in `s3://bucket/prefix`. Symbolic links below folders are not
    /// followed
    #[arg(value_name = "DIR", value_parser = path(), required = true)]
    folders: Vec<PathBuf>,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Printed {
    files: u64,
    bytes: u64,
    chunks: u64,
    unique_chunks: u64,
    unique_bytes: u64,
    duplicate_bytes: u64,
    top: Vec<PrintedChunk>,
}

#[derive(Serialize)]
struct PrintedChunk {
    count: u32,
    length: u32,
    duplicate_bytes: u64,
    digest_prefix: String,
}

struct Counting<'f> {
    census: Census,
    files: u64,
    failed: &'f AtomicBool,
}

impl Report for Counting<'_> {
    fn chunks(&mut self, _: &Path, chunks: &[Chunk]) -> io::Result<()> {
        chunks.iter().try_for_each(|chunk| self.census.add(chunk))
    }

    fn end(&mut self, path: &Path, outcome: io::Result<()>) -> io::Result<()> {
        match outcome {
            Ok(()) => self.files += 1,
            Err(error) => fail(self.failed, path, &error),
        }
        Ok(())
    }
}

pub(crate) fn run(args: Args) -> Result<ExitCode, ExitCode> {
    let sizes = args.cut.sizes().map_err(wrong_usage)?;
    let filter = Filter::new(&args.exclude, &[]).map_err(wrong_usage)?;
    let walk = Walk::new(Options {
        one_file_system: args.one_file_system,
        skip_hidden: args.no_hidden,
        filter,
        ..Options::default()
    });
    let is_remote = args.folders.iter().any(|folder| is_url(folder));
    let stores: Arc<dyn Stores> = args.stores.open();
    let names = Names::new(&args.folders);
    let source = below(&walk, args.folders, &stores).map_err(wrong_usage)?;
    let failed = AtomicBool::new(false);
    let census = Census::new(args.memory.in_memory(), args.temporary.clone());
    let mut counting = Counting { census, files: 0, failed: &failed };
    let watched = args.progress.watch(|| None);
    let mut settings = args.cut.settings(&watched);
    if is_remote {
        settings.threads = settings.threads.min(PLACES);
    }
    let engine = Engine::of(Algorithm::Sha256);
    let outcome = chunk_contents(
        Found::new(source, names, &walk, &failed),
        sizes,
        engine,
        &mut counting,
        &settings,
    );
    watched.control().set_drained();
    watched.finish();
    if !walk.skipped().is_empty() {
        say(format_args!("skipped {}", walk.skipped()));
    }
    let files = counting.files;
    let counts = match outcome.map_err(|error| error.to_string()) {
        Ok(()) => counting.census.finish(args.top).map_err(|error| reason(&error)),
        Err(why) => Err(why),
    };
    let counts = match counts {
        Ok(counts) => counts,
        Err(why) => {
            say(format_args!("temporary files: {why}"));
            return Err(ExitCode::FAILURE);
        }
    };
    let text = if args.json { json(files, &counts) } else { text(files, &counts) };
    let written = output::write(text.as_bytes());
    Ok(exit_status(written.map(|()| !failed.load(Ordering::Relaxed))))
}

fn json(files: u64, counts: &Counts) -> String {
    let printed = Printed {
        files,
        bytes: counts.bytes,
        chunks: counts.chunks,
        unique_chunks: counts.unique_chunks,
        unique_bytes: counts.unique_bytes,
        duplicate_bytes: counts.duplicate_bytes(),
        top: counts
            .top
            .iter()
            .map(|repeated| PrintedChunk {
                count: repeated.count,
                length: repeated.length,
                duplicate_bytes: repeated.duplicate_bytes,
                digest_prefix: encode_string(&repeated.digest),
            })
            .collect(),
    };
    let text = serde_json::to_string(&printed).expect("strings and numbers are JSON");
    format!("{text}\n")
}

fn text(files: u64, counts: &Counts) -> String {
    let duplicates = counts.chunks - counts.unique_chunks;
    let mut text = String::new();
    let mut line = |name: &str, chunks: u64, bytes: u64| {
        let share = 100.0 * bytes as f64 / counts.bytes.max(1) as f64;
        let _ = writeln!(text, "{name:<10} {chunks:>12} chunks {bytes:>16} bytes {share:>6.2} %");
    };
    line("all", counts.chunks, counts.bytes);
    line("unique", counts.unique_chunks, counts.unique_bytes);
    line("duplicate", duplicates, counts.duplicate_bytes());
    let _ = writeln!(text, "{:<10} {files:>12}", "files");
    for repeated in &counts.top {
        let _ = writeln!(
            text,
            "{} times {} bytes, SHA-256 {}...",
            repeated.count,
            repeated.length,
            encode_string(&repeated.digest)
        );
    }
    text
}
