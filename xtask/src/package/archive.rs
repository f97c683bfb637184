//! `cargo xtask archive`: the program as an archive to download, for `cargo binstall` and by hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::command::{built, cargo, output, root, run as announce, target};

/// Make an archive of the program for this system: with its manual, completions and licences.
///
/// Its name and layout are those in `[package.metadata.binstall]` of the program's package, for
/// `cargo binstall`. The file's name is printed on the standard output.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<()> {
    let program = program()?;
    let host = output(Command::new("rustc").args(["--print", "host-tuple"]))?;
    let name = name(&version(&program)?, host.trim());
    let folder = target().join("archive");
    let tree = folder.join(&name);
    if tree.exists() {
        fs::remove_dir_all(&tree).with_context(|| format!("cannot clear {}", tree.display()))?;
    }
    fs::create_dir_all(&tree)?;
    let file = program.file_name().context("the program has no name")?;
    fs::copy(&program, tree.join(file))?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(licence), tree.join(licence))?;
    }
    manual(&program, &tree.join("man"))?;
    completions(&program, &tree.join("completions"))?;
    let archive = target().join(format!("{name}.tgz"));
    let mut tar = Command::new("tar");
    tar.args(["--owner=0", "--group=0", "-czf"]).arg(&archive).arg("-C").arg(&folder).arg(&name);
    announce(&mut tar)?;
    println!("{}", archive.display());
    Ok(())
}

/// Builds the program as users get it: with the profile `release`, and without symbols, which are
/// four fifths of it.
pub(crate) fn program() -> Result<PathBuf> {
    let program = built(|| {
        let mut command = cargo();
        command.args(["build", "--package", "hashlanes-cli", "--release"]);
        command
    })?;
    let stripped = target().join("stripped").join(program.file_name().unwrap_or_default());
    fs::create_dir_all(target().join("stripped"))?;
    announce(Command::new("strip").arg("-o").arg(&stripped).arg(&program))?;
    Ok(stripped)
}

/// The program's version.
pub(crate) fn version(program: &Path) -> Result<String> {
    let shown = output(Command::new(program).arg("--version"))?;
    let version = shown.trim().strip_prefix("hashlanes ").context("no version")?;
    ensure!(!version.is_empty(), "no version");
    Ok(version.to_owned())
}

/// Has the program write its manual pages.
pub(crate) fn manual(program: &Path, folder: &Path) -> Result<()> {
    announce(Command::new(program).arg("man").arg(folder).stdout(Stdio::null()))
}

/// Has the program write the completions for all shells.
pub(crate) fn completions(program: &Path, folder: &Path) -> Result<()> {
    let mut command = Command::new(program);
    command.arg("install-completions").arg("--dir").arg(folder);
    announce(command.stdout(Stdio::null()))
}

/// The name of the archive and of the folder in it.
fn name(version: &str, target: &str) -> String {
    format!("hashlanes-v{version}-{target}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills in a template as `cargo binstall` does.
    fn filled(template: &str, values: &[(&str, &str)]) -> String {
        values.iter().fold(template.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{ {name} }}"), value)
        })
    }

    #[test]
    fn binstall_looks_for_what_the_archive_has() {
        let manifest = root().join("crates/hashlanes-cli/Cargo.toml");
        let manifest = fs::read_to_string(manifest).unwrap();
        let value = |key: &str| {
            let line = manifest.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")));
            line.unwrap().trim_matches('"').to_owned()
        };
        let values = [
            ("repo", "https://host/repo"),
            ("version", "1.2.3"),
            ("target", "a-b-c"),
            ("archive-suffix", ".tgz"),
            ("bin", "hashlanes"),
            ("binary-ext", ""),
        ];
        let name = name("1.2.3", "a-b-c");
        assert_eq!(
            filled(&value("pkg-url"), &values),
            format!("https://host/repo/releases/download/v1.2.3/{name}.tgz")
        );
        assert_eq!(filled(&value("bin-dir"), &values), format!("{name}/hashlanes"));
        assert_eq!(value("pkg-fmt"), "tgz");
    }
}
