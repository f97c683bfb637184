//! The Debian package of the program, with its manual and completions for three shells.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::{Control, build, empty_tree};
use crate::command::{output, run as announce, target};
use crate::package::archive;

pub(super) const PACKAGE: &str = "hashlanes";

/// Each shell with the folder for packaged completions, and the name there.
const COMPLETIONS: [(&str, &str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions", "hashlanes"),
    ("zsh", "usr/share/zsh/vendor-completions", "_hashlanes"),
    ("fish", "usr/share/fish/vendor_completions.d", "hashlanes.fish"),
];

/// Makes the package and returns its path.
pub(super) fn make() -> Result<PathBuf> {
    let program = archive::program()?;
    let tree = empty_tree("deb/program")?;
    let folder = tree.join("usr/bin");
    fs::create_dir_all(&folder)?;
    fs::copy(&program, folder.join("hashlanes"))
        .with_context(|| format!("cannot copy {}", program.display()))?;
    manual(&program, &tree)?;
    completions(&program, &tree)?;
    let version = archive::version(&program)?;
    build(
        &tree,
        &Control {
            package: PACKAGE,
            version: &version,
            section: "utils",
            binaries: vec![&program],
            description: "checksums of many files side by side
 Prints and checks digests as sha256sum and its siblings do, and manifests
 as JSON, CSV, hashdeep and SFV files and for BagIt. Many files are hashed at
 a time, in the SIMD lanes of every core.",
            triggers: None,
        },
    )
}

/// The manual pages, compressed as Debian requires.
fn manual(program: &Path, tree: &Path) -> Result<()> {
    let folder = tree.join("usr/share/man/man1");
    archive::manual(program, &folder)?;
    let pages = fs::read_dir(&folder)?.map(|page| Ok(page?.path()));
    let pages = pages.collect::<Result<Vec<_>>>()?;
    announce(Command::new("gzip").args(["-9", "-n"]).args(pages))
}

fn completions(program: &Path, tree: &Path) -> Result<()> {
    let made = target().join("deb/completions");
    archive::completions(program, &made)?;
    for (shell, folder, name) in COMPLETIONS {
        let file = if shell == "bash" { "hashlanes.bash" } else { name };
        let folder = tree.join(folder);
        fs::create_dir_all(&folder)?;
        fs::copy(made.join(file), folder.join(name)).with_context(|| format!("no {file}"))?;
    }
    Ok(())
}

/// Uses the installed program, a manual page, and bash's completion.
pub(super) fn try_it() -> Result<()> {
    let manifest = output(Command::new("/usr/bin/hashlanes").args(["sum", "/bin/sh"]))?;
    let mut check = Command::new("sha256sum").arg("-c").stdin(Stdio::piped()).spawn()?;
    check.stdin.take().context("no input")?.write_all(manifest.as_bytes())?;
    ensure!(check.wait()?.success(), "sha256sum does not agree");
    for page in ["hashlanes.1", "hashlanes-sum.1", "hashlanes-check.1"] {
        let path = format!("/usr/share/man/man1/{page}.gz");
        let text = output(Command::new("gzip").args(["-dc", &path]))?;
        ensure!(text.contains(".SH NAME"), "{path} is no page of the manual");
    }
    let script = "\
        . /usr/share/bash-completion/completions/hashlanes
        COMP_WORDS=(hashlanes check --rep) COMP_CWORD=2
        _hashlanes hashlanes --rep check
        echo \"${COMPREPLY[@]}\"";
    let completed = output(Command::new("bash").args(["-c", script]))?;
    ensure!(completed.trim() == "--report", "bash completes --rep to '{}'", completed.trim());
    eprintln!("the installed program, its manual and bash's completion work");
    Ok(())
}
