//! `hashlanes install-completions`: completions of the command line for shells.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Command;
use clap_complete::{Shell, generate};
use hashlanes_files::name::quote;

use crate::options::path;
use crate::terminal::made::replace;
use crate::terminal::message::{failed, output_failed, reason, say};
use crate::terminal::output;

/// Install command-line completions for the current shell.
///
/// They are generated from the options of this program, and written where the shell looks for a
/// user's completions. The name of each file is printed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  hashlanes install-completions                           for the shell that $SHELL names
  hashlanes install-completions --shell bash --shell zsh
  hashlanes install-completions --dir .                   the files of all shells, in this folder

Exit status: 0 if all files were written; 1 if not, or if the shell is unknown; 2 on wrong
usage.")]
pub(crate) struct Args {
    /// A shell [default: that of the environment variable SHELL; with --dir, all]
    #[arg(long, value_name = "SHELL")]
    shell: Vec<Shell>,

    /// Write the files into this folder
    #[arg(long, value_name = "DIR", value_parser = path())]
    dir: Option<PathBuf>,
}

/// The shells for which files are made.
const ALL: [Shell; 5] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish];

/// Writes completions of the options of `program`.
pub(crate) fn run(args: Args, mut program: Command) -> ExitCode {
    let shells = match (args.shell.is_empty(), &args.dir) {
        (false, _) => args.shell,
        (true, Some(_)) => ALL.to_vec(),
        (true, None) => match Shell::from_env() {
            Some(shell) => vec![shell],
            None => {
                say("the environment variable SHELL does not name a known shell; use --shell");
                return ExitCode::FAILURE;
            }
        },
    };
    for shell in shells {
        let Some(path) = place(shell, args.dir.as_deref()) else {
            say(format_args!("{shell} has no folder for a user's completions; use --dir"));
            return ExitCode::FAILURE;
        };
        if let Err(error) = write(shell, &mut program, &path) {
            return failed(&path, reason(&error));
        }
        if let Err(error) = output::write_lines(format!("{}\n", path.display())) {
            return output_failed(&error);
        }
        if let (Shell::Zsh, None, Some(folder)) = (shell, &args.dir, path.parent()) {
            say(format_args!("zsh looks there after `fpath+=({})`", quote(folder)));
        }
    }
    ExitCode::SUCCESS
}

/// The file for a shell. `None` if there is no place for it.
fn place(shell: Shell, folder: Option<&Path>) -> Option<PathBuf> {
    let (file, of_user) = match shell {
        Shell::Bash => ("hashlanes", data().map(|data| data.join("bash-completion/completions"))),
        Shell::Zsh => ("_hashlanes", data().map(|data| data.join("zsh/site-functions"))),
        Shell::Fish => ("hashlanes.fish", config().map(|config| config.join("fish/completions"))),
        Shell::PowerShell => ("_hashlanes.ps1", None),
        Shell::Elvish => ("hashlanes.elv", config().map(|config| config.join("elvish/lib"))),
        _ => return None,
    };
    // Beside the files of other shells, bash's needs an extension.
    let file = if folder.is_some() && shell == Shell::Bash { "hashlanes.bash" } else { file };
    Some(folder.map(Path::to_path_buf).or(of_user)?.join(file))
}

/// The folder for a user's data, by the XDG Base Directory Specification.
fn data() -> Option<PathBuf> {
    base("XDG_DATA_HOME", ".local/share")
}

/// The folder for a user's configuration.
fn config() -> Option<PathBuf> {
    base("XDG_CONFIG_HOME", ".config")
}

fn base(variable: &str, below_home: &str) -> Option<PathBuf> {
    let is_set = |value: &OsString| !value.is_empty();
    let given = env::var_os(variable).filter(is_set).map(PathBuf::from);
    given.or_else(|| Some(PathBuf::from(env::var_os("HOME").filter(is_set)?).join(below_home)))
}

fn write(shell: Shell, program: &mut Command, path: &Path) -> io::Result<()> {
    let mut text = Vec::new();
    generate(shell, program, "hashlanes", &mut text);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    replace(path, &text)
}
