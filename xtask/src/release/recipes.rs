//! Recipes for package managers: the templates in `packaging/`, filled in with the version and with
//! the digests of the files that they fetch.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::command::{cargo, output, root, run as announce};
use crate::package::{archive, version};
use crate::packages::found;

/// What stands for the repository as long as it has no address.
const NO_REPOSITORY: &str = "https://repository.invalid/hashlanes";

/// How the text of a file with a name, or an extension, is checked: a program that fails for bad
/// syntax.
const CHECKERS: [(&str, &[&str]); 7] = [
    ("PKGBUILD", &["bash", "-n"]),
    ("APKBUILD", &["sh", "-n"]),
    (".rb", &["ruby", "-c"]),
    (".nix", &["nix-instantiate", "--parse"]),
    (".py", &["python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())"]),
    (".json", &["python3", "-c", "import json, sys; json.load(open(sys.argv[1]))"]),
    (".c", &["cc", "-fsyntax-only", "-Icrates/hashlanes-capi/include"]),
];

/// Makes an archive of the recipes whose files are in `dist`.
pub(super) fn make(dist: &Path) -> Result<PathBuf> {
    let version = version("hashlanes-cli")?;
    let name = format!("hashlanes-v{version}-recipes");
    let tree = archive::empty_tree(&format!("archive/{name}"))?;
    let digest = |program: &str, file: &str| {
        let line = output(Command::new(program).arg(dist.join(file)))?;
        Ok(line.split(' ').next().unwrap_or_default().to_owned())
    };
    fill(&tree, &version, &repository()?, &digest)?;
    fs::copy(root().join("Cargo.lock"), tree.join("nix/Cargo.lock"))?;
    check(&tree)?;
    archive::pack(&tree, &name)
}

/// Fills in all templates. `digest` is given a program that digests, and the name of a file.
fn fill(
    tree: &Path,
    version: &str,
    repository: &str,
    digest: &dyn Fn(&str, &str) -> Result<String>,
) -> Result<()> {
    let templates = root().join("packaging");
    announce(Command::new("cp").arg("-rT").arg(&templates).arg(tree))?;
    fs::remove_file(tree.join("README.md"))?;
    for file in files(tree)? {
        let text = fs::read_to_string(&file)?;
        let text = text.replace("@DOWNLOADS@", "@REPOSITORY@/releases/download/v@VERSION@");
        let text = text.replace("@VERSION@", version).replace("@REPOSITORY@", repository);
        let text = digests(&text, digest).with_context(|| format!("{}", file.display()))?;
        fs::write(&file, text)?;
    }
    Ok(())
}

/// Fills in `@sha256:FILE@` and `@sha512:FILE@`.
fn digests(text: &str, digest: &dyn Fn(&str, &str) -> Result<String>) -> Result<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("@sha") {
        let (bits, after) = after.split_once(':').context("@sha without a colon")?;
        let (file, after) = after.split_once('@').context("@sha without an end")?;
        ensure!(["256", "512"].contains(&bits), "@sha{bits}");
        filled.push_str(before);
        filled.push_str(&digest(&format!("sha{bits}sum"), file)?);
        rest = after;
    }
    Ok(filled + rest)
}

/// The address of the repository.
fn repository() -> Result<String> {
    let options = ["metadata", "--no-deps", "--format-version", "1"];
    let metadata: Value = serde_json::from_str(&output(cargo().args(options))?)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let program = packages.iter().find(|package| package["name"] == "hashlanes-cli");
    let address = program.and_then(|package| package["repository"].as_str());
    if address.is_none() {
        eprintln!("recipes: Cargo.toml names no repository, so they have {NO_REPOSITORY}");
    }
    Ok(address.unwrap_or(NO_REPOSITORY).to_owned())
}

/// Checks the syntax of all recipes, as far as the programs for that are installed.
fn check(tree: &Path) -> Result<()> {
    for file in files(tree)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let Some((_, checker)) = CHECKERS.iter().find(|(end, _)| name.ends_with(end)) else {
            continue;
        };
        if !found(checker[0]) {
            eprintln!("recipes: {} is not checked: no {}", file.display(), checker[0]);
            continue;
        }
        let mut command = Command::new(checker[0]);
        output(command.args(&checker[1..]).arg(&file).current_dir(root()))?;
    }
    Ok(())
}

/// The files below a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let found = output(Command::new("find").arg(folder).args(["-type", "f"]))?;
    let files: Vec<_> = found.lines().map(PathBuf::from).collect();
    ensure!(!files.is_empty(), "no file in {}", folder.display());
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_filled_in_and_their_syntax_is_right() {
        let tree = archive::empty_tree("recipes-test").unwrap();
        let digest = |program: &str, file: &str| {
            assert!(file.contains("-v1.2.3-"), "{file}");
            Ok(format!("{program}-of-{file}"))
        };
        fill(&tree, "1.2.3", "https://host/repo", &digest).unwrap();
        check(&tree).unwrap();
        for file in files(&tree).unwrap() {
            let text = fs::read_to_string(&file).unwrap();
            for left in ["@VERSION@", "@REPOSITORY@", "@DOWNLOADS@", "@sha"] {
                assert!(!text.contains(left), "{}: {left}", file.display());
            }
        }
        let arch = fs::read_to_string(tree.join("arch/PKGBUILD")).unwrap();
        assert!(arch.contains("sha256sums=('sha256sum-of-hashlanes-v1.2.3-source.tgz')"));
    }

    #[test]
    fn a_recipe_with_bad_syntax_is_reported() {
        let tree = archive::empty_tree("recipes-bad").unwrap();
        fs::write(tree.join("PKGBUILD"), "build() {").unwrap();
        assert!(check(&tree).is_err());
    }
}
