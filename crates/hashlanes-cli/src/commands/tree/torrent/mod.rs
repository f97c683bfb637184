//! The commands of `hashlanes tree` other than formats: making and verifying torrents, and
//! content-defined chunks.

mod create;
pub(crate) mod verify;

use std::process::ExitCode;

pub(crate) use create::say_error;
use hashlanes_tree::torrent::Version;

use crate::commands::dedup::chunks;

/// The command that replaces the formats after `hashlanes tree`.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Make a .torrent file of a file or a folder: version 1, SHA-1 pieces (BEP 3)
    #[command(after_help = CREATE_HELP)]
    TorrentV1(create::Args),
    /// Make a .torrent file of version 2: a SHA-256 tree for each file (BEP 52)
    #[command(after_help = CREATE_HELP)]
    TorrentV2(create::Args),
    /// Make a .torrent file of versions 1 and 2, with one read for both
    #[command(after_help = CREATE_HELP)]
    TorrentHybrid(create::Args),
    VerifyTorrent(verify::Args),
    Chunks(chunks::Args),
}

/// Help that the three commands share.
const CREATE_HELP: &str = "\
Prints the infohash of each version and the magnet link. The same files and options give the same
torrent, whose infohash is that of libtorrent's torrent.

Only regular files are part of the torrent: symbolic links and special files are skipped, and
counted on the standard error. A torrent cannot contain empty folders.

Exit status: 0 if the torrent was written; 1 if a file could not be read or changed meanwhile, or
has a name that torrents must not have, or the output could not be written; 2 on wrong usage.";

pub(crate) fn run(command: Command) -> Result<ExitCode, ExitCode> {
    match command {
        Command::TorrentV1(args) => create::run(args, Version::V1),
        Command::TorrentV2(args) => create::run(args, Version::V2),
        Command::TorrentHybrid(args) => create::run(args, Version::Hybrid),
        Command::VerifyTorrent(args) => verify::run(args),
        Command::Chunks(args) => chunks::run(args),
    }
}
