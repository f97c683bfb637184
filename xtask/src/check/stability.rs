//! `cargo xtask stability`: whether what programs rely on has changed; see docs/guide/stability.md.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::c::library::{LIBRARIES, Library};
use crate::command::{PUBLISHED, cargo, output, root, run as announce, shelf, succeeds, target};
use crate::folder::empty;
use crate::go::REPLACEMENTS;
use crate::go::tool::{self, go};
use crate::packages::{cargo_tool, require_programs};

/// The program that compares Go packages, in the version that was tried.
const APIDIFF: &str = "golang.org/x/exp/cmd/apidiff@v0.0.0-20261113113407-e3970619a1a4";

/// The modules for Go whose packages programs may use.
const MODULES: [&str; 3] = ["go", REPLACEMENTS[0], REPLACEMENTS[1]];

/// Compare the interfaces for Rust, Go and C with those of the latest release.
///
/// The libraries for C are compared with the descriptions in `crates/*/abi/`, which a release
/// renews (`--update`). Needs `cargo-semver-checks`, which is built under `target/` if it is
/// missing, libabigail, which root installs, and Go's apidiff.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The revision to compare Rust and Go with [default: the latest tag; without a tag, they are
    /// not compared]
    #[arg(long)]
    baseline: Option<String>,
    /// Write the descriptions of the libraries for C instead
    #[arg(long)]
    update: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    require_programs(&[("abidw", "abigail-tools")])?;
    if args.update {
        return LIBRARIES.iter().try_for_each(|library| describe(library, &description(library)));
    }
    let baseline = match &args.baseline {
        Some(revision) => Some(revision.clone()),
        None => latest_tag()?,
    };
    // All that changed is reported, not only the first.
    let mut changed = Vec::new();
    for library in LIBRARIES {
        if let Err(error) = compare_c(library) {
            changed.push(format!("{}: {error:#}", library.name));
        }
    }
    match &baseline {
        None => println!("no tag yet: Rust and Go were not compared; --baseline names a revision"),
        Some(revision) => {
            for (language, compare) in [("Rust", compare_rust as fn(&str) -> _), ("Go", compare_go)]
            {
                if let Err(error) = compare(revision) {
                    changed.push(format!("{language}: {error:#}"));
                }
            }
        }
    }
    ensure!(changed.is_empty(), "programs may depend on what changed:\n{}", changed.join("\n"));
    println!("nothing changed that programs rely on");
    Ok(())
}

/// The latest tag of a release before this commit, if there is one.
fn latest_tag() -> Result<Option<String>> {
    let git = |arguments: &[&str]| output(Command::new("git").args(arguments).current_dir(root()));
    let shallow = git(&["rev-parse", "--is-shallow-repository"])?;
    ensure!(shallow.trim() == "false", "a shallow clone lacks tags: git fetch --unshallow --tags");
    if git(&["tag", "--merged", "HEAD", "--list", "v*"])?.is_empty() {
        return Ok(None);
    }
    let tag = git(&["describe", "--tags", "--abbrev=0", "--match=v*"])?;
    Ok(Some(tag.trim().to_owned()))
}

fn compare_rust(revision: &str) -> Result<()> {
    let path = cargo_tool("cargo-semver-checks")?;
    let mut check = cargo();
    check.args(["semver-checks", "--baseline-rev", revision]).env("PATH", path);
    let there = |package: &str| {
        let manifest = format!("{revision}:{}/{package}/Cargo.toml", shelf(package));
        let mut git = Command::new("git");
        succeeds(git.args(["cat-file", "-e", &manifest]).current_dir(root()))
    };
    for package in PUBLISHED {
        if there(package) && root().join(shelf(package)).join(package).join("src/lib.rs").exists() {
            check.args(["-p", package]);
        }
    }
    announce(&mut check)
}

/// Compares the packages.
fn compare_go(revision: &str) -> Result<()> {
    tool::require()?;
    let folder = fresh("go")?;
    let archive = folder.join("go.tar");
    let mut git = Command::new("git");
    git.args(["archive", "--output"]).arg(&archive).args([revision, "go"]);
    output(git.current_dir(root()))?;
    output(Command::new("tar").arg("xf").arg(&archive).arg("-C").arg(&folder))?;
    let run = |folder: &Path, arguments: &[&str]| -> Result<String> {
        let mut command = go("go")?;
        command.args(arguments).current_dir(folder);
        output(&mut command)
    };
    let mut changes = String::new();
    for module in MODULES.into_iter().filter(|module| folder.join(module).is_dir()) {
        let (old, new) = (folder.join(module), root().join(module));
        let name = run(&old, &["list", "-m"])?;
        let export = folder.join(module.replace('/', "-") + ".export");
        let export = export.to_str().context("the target folder is not UTF-8")?;
        run(&old, &["run", APIDIFF, "-m", "-w", export, name.trim()])?;
        changes += &run(&new, &["run", APIDIFF, "-m", "-incompatible", export, name.trim()])?;
    }
    ensure!(changes.is_empty(), "\n{}", changes.trim_end());
    Ok(())
}

fn compare_c(library: &Library) -> Result<()> {
    let (old, new) = (description(library), fresh(library.name)?.join("new.abi"));
    ensure!(old.is_file(), "there is no {}: --update writes it", old.display());
    describe(library, &new)?;
    // Added functions break no program. Any other change may.
    let mut compare = Command::new("abidiff");
    announce(compare.args(["--no-added-syms"]).arg(&old).arg(&new))
}

/// The committed description of a library's interface.
fn description(library: &Library) -> PathBuf {
    root().join("crates").join(library.package).join("abi").join(format!("{}.abi", library.name))
}

/// Writes what the headers of a library declare: its functions, their parameters, and the layout of
/// their structs. It is read from a library of the same functions that do nothing: that from Rust
/// would describe Rust's types. A test compares the headers with the library.
fn describe(library: &Library, file: &Path) -> Result<()> {
    let work = fresh(&format!("{}-headers", library.name))?;
    let headers = library.headers().join(library.include);
    let mut names: Vec<_> = fs::read_dir(&headers)
        .with_context(|| format!("cannot list {}", headers.display()))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    names.retain(|name| name.ends_with(".h"));
    names.sort();
    let includes: String = names.iter().map(|name| format!("#include \"{name}\"\n")).collect();
    let all = work.join("all.h");
    fs::write(&all, includes).with_context(|| format!("cannot write {}", all.display()))?;
    let preprocess = ["-E", "-P", "-x", "c", "-I"];
    let text = output(Command::new("cc").args(preprocess).arg(&headers).arg(&all))?;
    let source = work.join("library.c");
    fs::write(&source, defined(library, &text))
        .with_context(|| format!("cannot write {}", source.display()))?;
    let shared = work.join("library.so");
    let compile = ["-g", "-w", "-shared", "-fPIC", "-std=c11", "-o"];
    output(Command::new("cc").args(compile).arg(&shared).arg(&source))?;
    let folder = file.parent().context("a file in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut abidw = Command::new("abidw");
    // Nothing in the description depends on where it was made.
    abidw.args(["--no-corpus-path", "--no-show-locs", "--no-comp-dir-path", "--no-elf-needed"]);
    abidw.args(["--no-architecture", "--type-id-style", "hash", "--short-locs"]);
    output(abidw.arg("--out-file").arg(file).arg(&shared)).map(drop)
}

/// C that defines the functions that the preprocessed text declares.
fn defined(library: &Library, text: &str) -> String {
    let mut defined = String::new();
    for (index, part) in text.split(';').enumerate() {
        defined += if index > 0 { ";" } else { "" };
        defined += part;
        // A declaration ends with the list of its parameters. The name is before the first one.
        let declaration = part.rsplit(['}', '{']).next().unwrap_or_default();
        let before = declaration.split_once('(').map(|(before, _)| before.trim_end());
        let name = before.and_then(|before| before.rsplit([' ', '*', '\n']).next());
        if part.ends_with(')') && name.is_some_and(|name| library.exports(name)) {
            defined += " { __builtin_trap(); }";
        }
    }
    defined
}

/// An empty folder below the target folder.
fn fresh(name: &str) -> Result<PathBuf> {
    empty(target().join("stability").join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_functions_are_defined() {
        let header = "struct hashlanes_x { int a; };\nint hashlanes_f(int a);\n\
                      typedef void (*hashlanes_call)(int);\nchar *hashlanes_g(void);\n\
                      int other(int);";
        let text = defined(&LIBRARIES[0], header);
        assert_eq!(text.matches("__builtin_trap").count(), 2);
        for function in ["hashlanes_f(int a)", "hashlanes_g(void)"] {
            assert!(text.contains(&format!("{function} {{ __builtin_trap(); }}")), "{text}");
        }
    }
}
