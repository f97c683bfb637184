//! The npm package: made, installed in a folder outside of the repository, and tested there.

use std::env::{self, consts::ARCH, consts::OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde_json::Value;

use super::{modules, npm_install};
use crate::archive::{empty_tree, finish};
use crate::machine::{GLIBC, MACHINES, Machine, library};
use crate::notices::{self, Linked};
use xtask::command::{RELEASE, cargo, output, root, run as announce, target, version};
use xtask::folder::copy_files;

/// What checks the types.
const TYPESCRIPT: &str = "typescript@7.0.2";

/// Makes the package, as npm packs it.
pub(crate) fn make() -> Result<PathBuf> {
    let tree = empty_tree("web/package")?;
    copy_files(&root().join("extras/js/package"), &tree)?;
    let manifest = tree.join("package.json");
    let text = fs::read_to_string(&manifest)?;
    let version = version("hashlanes-js")?;
    fs::write(
        &manifest,
        text.replace("\"version\": \"0.0.0\"", &format!("\"version\": \"{version}\"")),
    )?;
    modules(&tree)?;
    addons(&tree)?;
    notices::add(Linked::JavaScript, &tree)?;
    finish(&tree)?;
    let packed = empty_tree("web/npm")?;
    let mut pack = Command::new("npm");
    pack.args(["pack", "--silent", "--pack-destination"]).arg(&packed).current_dir(&tree);
    let name = output(&mut pack)?;
    Ok(packed.join(name.trim()))
}

/// Builds the addon for Node.js into a folder: for each kind of machine in a release, and otherwise
/// for this one.
fn addons(to: &Path) -> Result<()> {
    const NAME: &str = "hashlanes-node";
    let is_release = env::var_os(RELEASE).is_some();
    for Machine { arch, gnu, .. } in &MACHINES {
        let built = if is_release {
            library(NAME, "plugin", gnu, GLIBC, "-Cstrip=symbols")?
        } else if (*arch, OS) == (ARCH, "linux") {
            announce(cargo().args(["build", "--package", NAME, "--profile", "plugin"]))?;
            target().join("plugin")
        } else {
            continue;
        };
        let arch = if *arch == "x86_64" { "x64" } else { "arm64" };
        let file = fs::read(built.join("libhashlanes_node.so"))?;
        fs::write(to.join(format!("hashlanes-linux-{arch}.node")), file)?;
    }
    Ok(())
}

/// Installs the package in an empty folder, runs its tests, and checks a program against its types.
pub(super) fn test(archive: &Path, tools: &Path) -> Result<()> {
    let folder = empty_tree("web/consumer")?;
    fs::write(folder.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
    npm_install(&folder, &[&archive.to_string_lossy(), TYPESCRIPT])?;
    copy_files(&root().join("extras/js/test"), &folder)?;
    for (from, to) in [
        ("docs/guide/javascript.md", "javascript.md"),
        ("crates/hashlanes/tests/suite/states.txt", "states.txt"),
        ("vectors/digests.txt", "digests.txt"),
    ] {
        fs::copy(root().join(from), folder.join(to))?;
    }
    let installed: Value = serde_json::from_str(&fs::read_to_string(
        folder.join("node_modules/hashlanes/package.json"),
    )?)?;
    eprintln!("installed hashlanes {}", installed["version"]);
    let node = || {
        let mut node = Command::new("node");
        node.current_dir(&folder);
        node
    };
    announce(node().args(["--expose-gc", "--test", "node.test.mjs"]))?;
    let browser = root().join("examples/web/test/browser.mjs");
    announce(node().arg("browser.mjs").arg(browser).arg(tools))?;
    // By default the types of browsers are there. Programs for Node.js may lack them.
    let targets: [&[&str]; 3] = [
        &["--module", "esnext", "--moduleResolution", "bundler"],
        &["--module", "nodenext"],
        &["--module", "nodenext", "--lib", "es2022"],
    ];
    for options in targets {
        let mut check = Command::new(folder.join("node_modules/.bin/tsc"));
        check.args(["--noEmit", "--strict", "--target", "es2022"]).args(options);
        announce(check.arg("use.ts").current_dir(&folder))?;
    }
    Ok(())
}
