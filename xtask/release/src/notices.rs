//! The notices that the licences of others ask for, in files that have their code.
//!
//! Only files of a release have them: to collect them takes minutes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use xtask::command::{RELEASE, cargo, output, root, run as announce, target};

/// The packages that others wrote, and their licences.
const THIRD_PARTY: &str = "THIRD-PARTY.txt";

/// The notices of Rust's standard library, as Rust's makers wrote them.
const RUST_LIBRARY: &str = "RUST-LIBRARY.html";

/// What cargo-about is told, and the notices of C libraries, which it does not know.
const CONFIGURATION: &str = "packaging/notices/about.toml";
const LIBC: &str = "packaging/notices/libc.txt";

/// What the code of others is linked into.
#[derive(Clone, Copy)]
pub(crate) enum Linked {
    Program,
    Libraries,
    Python,
    JavaScript,
}

impl Linked {
    /// The folder of its package.
    fn package(self) -> &'static str {
        match self {
            Self::Program => "crates/hashlanes-cli",
            Self::Libraries => "crates/hashlanes-capi",
            Self::Python => "python",
            Self::JavaScript => "extras/js/native",
        }
    }
}

/// Writes the notices into a folder, if a release is being made.
pub(crate) fn add(linked: Linked, folder: &Path) -> Result<()> {
    let Some(made) = made(linked)? else { return Ok(()) };
    fs::create_dir_all(folder)?;
    for name in [THIRD_PARTY, RUST_LIBRARY] {
        fs::copy(made.join(name), folder.join(name))?;
    }
    Ok(())
}

/// The folder with both files, if a release is being made.
pub(crate) fn made(linked: Linked) -> Result<Option<PathBuf>> {
    if env::var_os(RELEASE).is_none() {
        return Ok(None);
    }
    let folder = target().join("notices").join(linked.package());
    fs::create_dir_all(&folder)?;
    let library = Path::new(output(Command::new("rustc").args(["--print", "sysroot"]))?.trim())
        .join("share/doc/rust/COPYRIGHT-library.html");
    fs::copy(&library, folder.join(RUST_LIBRARY))
        .with_context(|| format!("no {}: rustup installs it with rustc", library.display()))?;
    if !is_current(&folder.join(THIRD_PARTY))? {
        collect(linked, &folder)?;
    }
    Ok(Some(folder))
}

/// Whether a file was collected since what decides about its content changed.
fn is_current(file: &Path) -> Result<bool> {
    for input in ["Cargo.lock", CONFIGURATION, LIBC] {
        let changed = fs::metadata(root().join(input))?.modified()?;
        if !fs::metadata(file).and_then(|file| file.modified()).is_ok_and(|made| made > changed) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What cargo-about found in a release: packages, and licences with their texts.
pub(crate) fn list(linked: Linked) -> Result<Value> {
    let folder = made(linked)?.context("no release is being made")?;
    Ok(serde_json::from_slice(&fs::read(list_beside(&folder))?)?)
}

/// Where that is: in the folder is only what is handed on.
fn list_beside(folder: &Path) -> PathBuf {
    folder.with_extension("json")
}

fn collect(linked: Linked, folder: &Path) -> Result<()> {
    let list = list_beside(folder);
    let mut about = cargo();
    about.args(["about", "generate", "--locked", "--fail", "--format", "json", "--config"]);
    about.arg(root().join(CONFIGURATION)).arg("--manifest-path");
    about.arg(root().join(linked.package()).join("Cargo.toml"));
    if matches!(linked, Linked::Program) {
        about.arg("--all-features");
    }
    announce(about.arg("--output-file").arg(&list))?;
    let mut text = text(&serde_json::from_slice(&fs::read(list)?)?)?;
    if matches!(linked, Linked::Program) {
        text += &fs::read_to_string(root().join(LIBC))?;
    }
    fs::write(folder.join(THIRD_PARTY), text)?;
    Ok(())
}

/// The licences in a list of cargo-about, each after the packages that have it, without our own.
fn text(list: &Value) -> Result<String> {
    let mut text = format!(
        "Code of the packages below is in these files, under the licences that follow their \
         names.\n{RUST_LIBRARY} has the notices of Rust's standard library.\n\n"
    );
    for licence in list["licenses"].as_array().context("no licences")? {
        let mut packages = Vec::new();
        for user in licence["used_by"].as_array().context("a licence of nothing")? {
            let package = &user["crate"];
            // Our own packages come from no registry.
            if !package["source"].is_null() {
                let part = |key: &str| package[key].as_str().with_context(|| format!("no {key}"));
                packages.push(format!("{} {}\n", part("name")?, part("version")?));
            }
        }
        if !packages.is_empty() {
            let part = |key: &str| licence[key].as_str().with_context(|| format!("no {key}"));
            let (name, licence) = (part("name")?, part("text")?.trim());
            text += &format!("{}\n{}{name}\n\n{licence}\n\n", "=".repeat(80), packages.concat());
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::slice;

    use serde_json::json;

    use super::*;

    #[test]
    fn only_packages_of_others_are_listed() {
        let package = |name: &str, source: Option<&str>| {
            let fields = json!({ "name": name, "version": "1.2.3", "source": source });
            json!({ "crate": fields })
        };
        let licence = |users: &[Value]| {
            let text = "\nYou may.\n";
            json!({ "name": "A Licence", "text": text, "used_by": users })
        };
        let (ours, theirs) = (package("ours", None), package("theirs", Some("registry")));
        let list = [licence(slice::from_ref(&ours)), licence(&[ours, theirs])];
        let text = text(&json!({ "licenses": list })).unwrap();
        let (_, after) = text.split_once("=\n").unwrap();
        assert_eq!(after, "theirs 1.2.3\nA Licence\n\nYou may.\n\n");
        assert!(super::text(&json!({})).is_err());
    }
}
