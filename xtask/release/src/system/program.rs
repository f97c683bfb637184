//! The package of the program, with its manual and completions for three shells.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::{Format, Package, build};
use crate::archive::empty_tree;
use crate::notices::Linked;
use xtask::command::version;
use xtask::command::{output, run as announce, target};
use xtask::programs::Programs;

/// Each shell with the folder for packaged completions, and the name there.
fn places(format: Format) -> [(&'static str, &'static str, &'static str); 3] {
    let zsh = match format {
        Format::Deb => "usr/share/zsh/vendor-completions",
        Format::Rpm => "usr/share/zsh/site-functions",
    };
    [
        ("hashlanes.bash", "usr/share/bash-completion/completions", "hashlanes"),
        ("_hashlanes", zsh, "_hashlanes"),
        ("hashlanes.fish", "usr/share/fish/vendor_completions.d", "hashlanes.fish"),
    ]
}

/// Makes the package of the programs, and returns its path.
pub(crate) fn make(programs: &Programs, architecture: &str, format: Format) -> Result<PathBuf> {
    let tree = empty_tree("system/program")?;
    let folder = tree.join("usr/bin");
    fs::create_dir_all(&folder)?;
    for (file, name) in [(&programs.hashlanes, "hashlanes"), (&programs.lab, "hashlanes-lab")] {
        fs::copy(file, folder.join(name))
            .with_context(|| format!("cannot copy {}", file.display()))?;
    }
    manual(programs, &tree)?;
    completions(programs, &tree, format)?;
    let package = Package {
        name: "hashlanes",
        version: &version("hashlanes-cli")?,
        architecture,
        section: "utils",
        linked: Linked::Program,
        binaries: vec![&programs.hashlanes, &programs.lab],
        description: "checksums of many files side by side
Prints and checks digests as sha256sum and its siblings do, and manifests
as JSON, CSV, hashdeep and SFV files and for BagIt. Many files are hashed at
a time, in the SIMD lanes of every core.",
        needs: None,
        provides: Vec::new(),
        shlibs: String::new(),
        multi_arch: false,
    };
    build(&tree, &package, format)
}

/// The manual pages, compressed as Debian requires.
fn manual(programs: &Programs, tree: &Path) -> Result<()> {
    let folder = tree.join("usr/share/man/man1");
    programs.manual(&folder)?;
    let pages = fs::read_dir(&folder)?.map(|page| Ok(page?.path()));
    let pages = pages.collect::<Result<Vec<_>>>()?;
    announce(Command::new("gzip").args(["-9", "-n"]).args(pages))
}

fn completions(programs: &Programs, tree: &Path, format: Format) -> Result<()> {
    let made = target().join("system/completions");
    programs.completions(&made)?;
    for (file, folder, name) in places(format) {
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
