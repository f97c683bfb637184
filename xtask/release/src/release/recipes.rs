//! Recipes for package managers: the templates in `packaging/`, filled in with the version and with
//! the digests of the files that they fetch.

use std::cell::Cell;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use data_encoding::{BASE64, HEXLOWER};

use crate::archive;
use xtask::command::{MAINTAINER, RELEASE, REPOSITORY, output, root, run as announce, version};
use xtask::packages::{found, require_programs};

/// Who looks after the recipes: conda-forge and nixpkgs want a name on the forge, not an address.
const HANDLE: &str = "nobody.invalid";

/// How the text of a file with a name, or an extension, is checked: a program that fails for bad
/// syntax, with the Debian package that it is in.
const CHECKERS: [(&str, &str, &[&str]); 9] = [
    ("PKGBUILD", "bash", &["bash", "-n"]),
    ("APKBUILD", "dash", &["sh", "-n"]),
    (".rb", "ruby", &["ruby", "-c"]),
    (".nix", "nix-bin", &["nix-instantiate", "--parse"]),
    (".py", "python3", &["python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())"]),
    (".json", "python3", &["python3", "-c", "import json, sys; json.load(open(sys.argv[1]))"]),
    (".yaml", "ruby", YAML),
    (".yml", "ruby", YAML),
    (".c", "gcc", &["cc", "-fsyntax-only", "-Icrates/hashlanes-capi/include"]),
];

const YAML: &[&str] = &["ruby", "-ryaml", "-e", "YAML.parse_file(ARGV[0]) or abort 'empty'"];

/// Makes an archive of the recipes, unless `dist` lacks files that they fetch.
pub(super) fn make(dist: &Path) -> Result<Option<PathBuf>> {
    let version = version("hashlanes-cli")?;
    let name = format!("hashlanes-v{version}-recipes");
    let tree = archive::empty_tree(&format!("archive/{name}"))?;
    let complete = Cell::new(true);
    let digest = |program: &str, file: &str| {
        if !dist.join(file).is_file() {
            complete.set(false);
            return Ok(String::new());
        }
        let line = output(Command::new(program).arg(dist.join(file)))?;
        Ok(line.split(' ').next().unwrap_or_default().to_owned())
    };
    fill(&tree, &version, &digest)?;
    if !complete.get() {
        return Ok(None);
    }
    fs::copy(root().join("Cargo.lock"), tree.join("nix/Cargo.lock"))?;
    check(&tree)?;
    archive::pack(&tree, &name).map(Some)
}

/// Fills in all templates. `digest` is given a program that digests, and the name of a file.
fn fill(tree: &Path, version: &str, digest: &dyn Fn(&str, &str) -> Result<String>) -> Result<()> {
    let templates = root().join("packaging");
    announce(Command::new("cp").arg("-rT").arg(&templates).arg(tree))?;
    fs::remove_file(tree.join("README.md"))?;
    for file in files(tree)? {
        let text = fs::read_to_string(&file)?;
        let text = text.replace("@DOWNLOADS@", "@REPOSITORY@/releases/download/v@VERSION@");
        let text = text.replace("@VERSION@", version).replace("@REPOSITORY@", REPOSITORY);
        let text = text.replace("@MAINTAINER@", MAINTAINER).replace("@HANDLE@", HANDLE);
        let text = digests(&text, digest).with_context(|| format!("{}", file.display()))?;
        fs::write(&file, text)?;
    }
    Ok(())
}

/// Fills in `@sha256:FILE@`, `@sha512:FILE@`, and `@sha256-sri:FILE@`, which is base64 for browsers
/// and nix.
fn digests(text: &str, digest: &dyn Fn(&str, &str) -> Result<String>) -> Result<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("@sha") {
        let (bits, after) = after.split_once(':').context("@sha without a colon")?;
        let (file, after) = after.split_once('@').context("@sha without an end")?;
        let (bits, sri) = bits.strip_suffix("-sri").map_or((bits, false), |bits| (bits, true));
        ensure!(["256", "512"].contains(&bits), "@sha{bits}");
        let digest = digest(&format!("sha{bits}sum"), file)?;
        filled.push_str(before);
        filled.push_str(&if sri { format!("sha{bits}-{}", base64(&digest)?) } else { digest });
        rest = after;
    }
    Ok(filled + rest)
}

/// Hexadecimal digits as base64.
fn base64(hex: &str) -> Result<String> {
    let bytes = HEXLOWER.decode(hex.as_bytes());
    Ok(BASE64.encode(&bytes.with_context(|| format!("not hexadecimal: {hex}"))?))
}

/// Checks the syntax of all recipes, as far as the programs for that are installed. A release
/// installs those that are missing.
fn check(tree: &Path) -> Result<()> {
    for file in files(tree)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let mut checkers = CHECKERS.iter();
        let Some((_, package, checker)) = checkers.find(|(end, ..)| name.ends_with(end)) else {
            continue;
        };
        if env::var_os(RELEASE).is_some() {
            require_programs(&[(checker[0], package)])?;
        } else if !found(checker[0]) {
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
            Ok(if program == "sha256sum" { "66".repeat(32) } else { "77".repeat(64) })
        };
        fill(&tree, "1.2.3", &digest).unwrap();
        check(&tree).unwrap();
        for file in files(&tree).unwrap() {
            let text = fs::read_to_string(&file).unwrap();
            for left in ["@VERSION", "@REPO", "@DOWNLOADS", "@MAIN", "@HANDLE", "@sha"] {
                assert!(!text.contains(left), "{}: {left}", file.display());
            }
        }
        let text = |file| fs::read_to_string(tree.join(file)).unwrap();
        assert!(text("arch/PKGBUILD").contains(&format!("sha256sums=('{}')", "66".repeat(32))));
        assert!(text("nix/package.nix").contains("hash = \"sha256-ZmZmZmZm"));
    }

    #[test]
    fn a_digest_that_is_not_hexadecimal_is_refused() {
        let tree = archive::empty_tree("recipes-digest").unwrap();
        for wrong in ["666", "xx"] {
            assert!(fill(&tree, "1.2.3", &|_, _| Ok(wrong.to_owned())).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_recipe_with_bad_syntax_is_reported() {
        let tree = archive::empty_tree("recipes-bad").unwrap();
        fs::write(tree.join("PKGBUILD"), "build() {").unwrap();
        assert!(check(&tree).is_err());
    }
}
