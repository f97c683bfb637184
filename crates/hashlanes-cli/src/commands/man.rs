//! `hashlanes man`: the manual pages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Command;
use clap_mangen::Man;

use crate::options::path;
use crate::terminal::made::replace;
use crate::terminal::message::{exit_status, failed, reason};
use crate::terminal::output;

/// Write the manual pages: one for the program, one for each subcommand.
///
/// They are generated from the options of this program. The name of each file is printed.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  hashlanes man ~/.local/share/man/man1      then: man hashlanes-sum

Exit status: 0 if all files were written; 1 if not; 2 on wrong usage.")]
pub(crate) struct Args {
    /// The folder for the pages; it is created if it does not exist
    #[arg(value_name = "DIR", value_parser = path())]
    dir: PathBuf,
}

/// Writes the pages of `program`.
pub(crate) fn run(args: &Args, program: Command) -> ExitCode {
    match pages(&args.dir, program) {
        Ok(paths) => {
            let names: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
            exit_status(output::write_lines(names).map(|()| true))
        }
        Err((path, error)) => failed(&path, reason(&error)),
    }
}

/// Writes all pages and returns their paths.
fn pages(folder: &Path, program: Command) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    fs::create_dir_all(folder).map_err(|error| (folder.to_owned(), error))?;
    // Without the page of `help`, which repeats the others.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut paths = vec![page(folder, "hashlanes", program.clone())?];
    for command in program.get_subcommands() {
        let name = format!("hashlanes-{}", command.get_name());
        paths.push(page(folder, &name, command.clone())?);
    }
    Ok(paths)
}

/// Writes one page and returns its path.
fn page(folder: &Path, name: &str, command: Command) -> Result<PathBuf, (PathBuf, io::Error)> {
    let path = folder.join(name).with_extension("1");
    let mut text = Vec::new();
    let version = env!("CARGO_PKG_VERSION");
    let man = Man::new(command.version(version))
        .title(name.to_uppercase())
        .source(format!("hashlanes {version}"))
        .manual("User Commands");
    man.render(&mut text)
        .and_then(|()| replace(&path, &text))
        .map_err(|error| (path.clone(), error))?;
    Ok(path)
}
