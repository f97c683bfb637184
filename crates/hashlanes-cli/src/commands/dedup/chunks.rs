//! `hashlanes tree chunks`: the chunks of files with their digests, as JSON lines.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use hashlanes::{Algorithm, Engine, UnknownAlgorithm};
use hashlanes_files::manifest::write_json_name;
use hashlanes_files::source::input;
use hashlanes_files::{Kind, system};
use hashlanes_tree::Error;
use hashlanes_tree::dedup::{Chunk, Report, chunk_contents};

use super::Cut;
use super::found::{fail, open};
use crate::objects;
use crate::options::path;
use crate::terminal::message::{exit_status, output_failed, wrong_usage};
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;
use crate::url::public_name;

/// Cut files into content-defined chunks (FastCDC), and print each with its digest as a JSON
/// object.
///
/// Where a chunk ends depends only on the bytes before its end. So content that files have in
/// common is cut into the same chunks, wherever it begins.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 if every file was cut; 1 if a file could not be read, or the output could not be
written; 2 on wrong usage.")]
pub(crate) struct Args {
    /// The hash function of the digests
    #[arg(short, long, value_name = "ALGORITHM", default_value = "sha256", value_parser = function)]
    algorithm: Algorithm,

    #[command(flatten)]
    cut: Cut,

    #[command(flatten)]
    progress: Progress,

    #[command(flatten)]
    stores: objects::Options,

    /// Regular files, or the URLs of objects
    #[arg(value_name = "FILE", value_parser = path(), required = true)]
    files: Vec<PathBuf>,
}

fn function(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
    Algorithm::from_name(name)
}

struct Lines<'f> {
    output: Output,
    member: String,
    failed: &'f AtomicBool,
}

impl Report for Lines<'_> {
    fn chunks(&mut self, path: &Path, chunks: &[Chunk]) -> io::Result<()> {
        let name = system::name(path);
        let name = public_name(&name);
        let member = &self.member;
        for Chunk { offset, length, digest } in chunks {
            self.output.line(|line| {
                line.push(b'{');
                write_json_name(line, "path", &name);
                let rest = format!(
                    ",\"offset\":{offset},\"length\":{length},\"{member}\":\"{digest}\"}}\n"
                );
                line.extend(rest.bytes());
            })?;
        }
        Ok(())
    }

    fn end(&mut self, path: &Path, outcome: io::Result<()>) -> io::Result<()> {
        if let Err(error) = outcome {
            self.output.flush()?;
            fail(self.failed, path, &error);
        }
        Ok(())
    }
}

pub(crate) fn run(args: Args) -> Result<ExitCode, ExitCode> {
    let sizes = args.cut.sizes().map_err(wrong_usage)?;
    let output = Output::stdout().map_err(|error| output_failed(&error))?;
    let failed = AtomicBool::new(false);
    let member = args.algorithm.to_string().to_lowercase();
    let mut lines = Lines { output, member, failed: &failed };
    let watched = args.progress.watch(|| None);
    let settings = args.cut.settings(&watched);
    let engine = Engine::of(args.algorithm);
    let stores = args.stores.open();
    let open = |path: PathBuf| {
        let content = open(&path, input(&path, Kind::Unknown, &*stores));
        (path, content)
    };
    let contents = args.files.into_iter().map(open);
    let outcome = chunk_contents(contents, sizes, engine, &mut lines, &settings);
    let flushed = lines.output.flush();
    watched.control().set_drained();
    watched.finish();
    let written = match outcome {
        Err(Error::Sink(error)) => Err(error),
        _ => flushed,
    };
    Ok(exit_status(written.map(|()| !failed.load(Ordering::Relaxed))))
}
