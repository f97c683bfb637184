//! `hashlanes tree`: digests made of the digests of a file's parts.
//!
//! | file | what |
//! |---|---|
//! | `options.rs` | the formats and their options |
//! | `run.rs` | files one after another |
//! | `group.rs` | small files side by side |
//! | `opened.rs` | regular files, block devices and objects |
//! | `one.rs` | the digests of one file |
//! | `lines.rs` | the output lines |
//! | `tagged.rs` | reads lines with tags |
//! | `check.rs` | compares files with such lines, for `hashlanes check` |
//! | `find_part.rs` | `--match`: finds the part size of an ETag |
//! | `proof_line.rs` | reads lines of proofs |
//! | `proofs.rs` | `--verify` of Merkle trees |
//! | `verity.rs` | `--verify` of dm-verity |

pub(crate) mod check;
mod find_part;
mod group;
mod lines;
mod one;
mod opened;
mod options;
mod proof_line;
mod proofs;
mod run;
mod tagged;
pub(crate) mod torrent;
mod verity;

use std::process::ExitCode;

use hashlanes_tree::Settings;

use crate::options::names::Inputs;
use crate::terminal::message::wrong_usage;

/// Print digests made of the digests of a file's parts: ETags and checksums of S3, tree hashes.
///
/// FORMATS are s3-etag, s3-sha1, s3-sha256, s3-crc32, s3-crc32c, s3-crc64nvme, glacier, merkle,
/// fs-verity and dm-verity, separated by commas. They share one read of each file. With no FILE, or
/// when FILE is -, read the standard input. A file that cannot be read is reported on the standard
/// error, and the others are still hashed.
///
/// Instead of FORMATS there may be a command with its own options: a torrent is made of a whole
/// folder.
#[derive(clap::Args)]
#[command(
    name = "tree",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  hashlanes tree s3-etag backup.tar                     as `aws s3 cp` uploads it
  hashlanes tree s3-etag --part-size 16MiB *.iso        parts of another size
  hashlanes tree s3-etag --match ETAG backup.tar        which part size gives this ETag?
  hashlanes tree s3-sha256,glacier --tag big > SUMS     check them with `hashlanes check SUMS`
  hashlanes tree dm-verity --hash-file root.tree root.img
  hashlanes tree dm-verity --verify root.tree --root HASH root.img
  hashlanes tree torrent-v1 --announce http://tracker.example/announce folder

Exit status: 0 if every file was hashed, or matches; 1 if a file could not be read or does not
match, or the output could not be written; 2 on wrong usage."
)]
pub(crate) struct Args {
    /// s3-etag, s3-sha1, s3-sha256, s3-crc32, s3-crc32c, s3-crc64nvme, glacier, merkle,
    /// fs-verity or dm-verity; several with commas
    #[arg(
        value_name = "FORMATS",
        action = clap::ArgAction::Set,
        num_args = 1,
        value_delimiter = ',',
        required = true
    )]
    formats: Vec<options::Name>,

    #[command(flatten)]
    options: options::Options,

    /// Write lines that name the format: `S3-ETAG-8388608 (FILE) = DIGEST`. This is the default if
    /// a file has several lines
    #[arg(long, conflicts_with = "json")]
    tag: bool,

    /// Write one object per line, with path, size, format, its parameters and the digest
    #[arg(long)]
    json: bool,

    /// End each line with NUL instead of newline, and do not escape names
    #[arg(short, long, conflicts_with = "json")]
    zero: bool,

    #[command(flatten)]
    inputs: Inputs,

    #[command(subcommand)]
    command: Option<torrent::Command>,
}

impl Args {
    /// Settings for reading a file.
    fn settings<'c>(&self, files: &hashlanes_files::Settings<'c>) -> Settings<'c> {
        let (threads, readers, control) = (files.threads, files.readers, files.control);
        Settings { threads, readers, memory: self.options.memory(), control }
    }
}

pub(crate) fn run(args: Args) -> Result<ExitCode, ExitCode> {
    if let Some(command) = args.command {
        return torrent::run(command);
    }
    let task = args.options.task(&args.formats, &args.inputs.machine).map_err(wrong_usage)?;
    match task {
        options::Task::Print(wanted) => run::run(args, wanted),
        options::Task::FindPart(wanted) => Ok(find_part::run(args, &wanted)),
        options::Task::VerifyProofs(proofs, root) => Ok(proofs::run(args, &proofs, root)),
        options::Task::VerifyTree(hash_file, root) => Ok(verity::run(args, &hash_file, root)),
    }
}
