//! `hashlanes install-links`: links with the names of the GNU tools that the program replaces.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Tool;
use crate::options::path;
use crate::terminal::message::{reason, say, say_of};

/// Create links with which this program replaces md5sum, sha1sum, sha224sum, sha256sum, sha384sum,
/// sha512sum, b2sum and cksum.
///
/// The links are symbolic and lead to this program. On Windows they are hard links.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  hashlanes install-links ~/.local/hashlanes && PATH=~/.local/hashlanes:$PATH

Exit status: 0 if all links were made; 1 if not; 2 on wrong usage.")]
pub(crate) struct Args {
    /// Replace existing links and files
    #[arg(short, long)]
    force: bool,

    /// The folder for the links; it is created if it does not exist
    #[arg(value_name = "DIR", value_parser = path())]
    folder: PathBuf,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            say(format_args!("this program cannot be found: {}", reason(&error)));
            return ExitCode::FAILURE;
        }
    };
    if let Err(error) = fs::create_dir_all(&args.folder) {
        say_of(&args.folder, reason(&error));
        return ExitCode::FAILURE;
    }
    let mut failed = false;
    for tool in Tool::all() {
        let link = args.folder.join(format!("{}{}", tool.name(), std::env::consts::EXE_SUFFIX));
        if let Err(error) = make(&program, &link, args.force) {
            say_of(&link, reason(&error));
            failed = true;
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn make(program: &Path, path: &Path, force: bool) -> io::Result<()> {
    match link(program, path) {
        Err(error) if force && error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            link(program, path)
        }
        made => made,
    }
}

#[cfg(unix)]
fn link(program: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, path)
}

/// On Windows, symbolic links need a privilege.
#[cfg(not(unix))]
fn link(program: &Path, path: &Path) -> io::Result<()> {
    fs::hard_link(program, path)
}
