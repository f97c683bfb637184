//! A registry in a folder, with the packages to publish and all that they depend on. A project that
//! has nothing else uses them from there.
//!
//! cargo reads such a folder in place of the registry: packages, and an index with a line for each.
//! A registry makes the lines from what `cargo publish` sends; here they are made from what `cargo
//! metadata` says of the same manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::archive::empty_tree;
use xtask::command::version;
use xtask::command::{PUBLISHED, cargo, output, run as announce, target};

/// The project's program: the example of the library's README, with something to print.
const PROGRAM: &str = r#"use hashlanes::{Sha256, digest_many};

fn main() {
    let digests: Vec<[u8; 32]> = digest_many::<Sha256>(&["abc", "", "any lengths, any number"]);
    assert_eq!(Sha256::digest("abc"), digests[0]);
    println!("{:02x?}", &digests[0][..4]);
}
"#;

/// Adds the library to an empty project and runs it, resolves all packages, and installs the
/// program. Nothing but the folder is used.
pub(crate) fn try_it(packages: &Path) -> Result<()> {
    let folder = empty_tree("registry")?;
    fill(&folder.join("index"), &folder, packages)?;
    let project = folder.join("project");
    fs::create_dir_all(project.join("src"))?;
    fs::write(project.join("src/main.rs"), PROGRAM)?;
    let manifest = "[package]\nname = \"project\"\nedition = \"2024\"\n\n[workspace]\n";
    fs::write(project.join("Cargo.toml"), manifest)?;
    let home = folder.join("home");
    fs::create_dir(&home)?;
    let replaced = "[source.crates-io]\nreplace-with = \"folder\"\n";
    let local = format!("[source.folder]\nlocal-registry = {folder:?}\n");
    fs::write(home.join("config.toml"), [replaced, &local].concat())?;
    let outside = |arguments: &[&str]| {
        let mut command = cargo();
        command.args(arguments).arg("--offline").current_dir(&project);
        // What the repository's packages depend on is compiled already, with this.
        command.env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
        command.env("CARGO_HOME", &home).env("CARGO_TARGET_DIR", target());
        command
    };
    announce(&mut outside(&["add", PUBLISHED[0]]))?;
    let printed = output(&mut outside(&["run", "--quiet"]))?;
    ensure!(printed == "[ba, 78, 16, bf]\n", "a wrong digest: {printed}");
    for library in PUBLISHED.iter().filter(|name| **name != "hashlanes-cli") {
        announce(&mut outside(&["add", "--quiet", library]))?;
    }
    let with_features = ["add", "--quiet", PUBLISHED[0], "--features", "digest,serde,zeroize"];
    announce(&mut outside(&with_features))?;
    announce(outside(&["metadata", "--quiet", "--format-version", "1"]).stdout(Stdio::null()))?;
    let prefix = folder.join("installed");
    let mut install = outside(&["install", "--quiet", "--debug", "--locked", "hashlanes-cli"]);
    announce(install.arg("--root").arg(&prefix))?;
    let printed = output(Command::new(prefix.join("bin/hashlanes")).arg("--version"))?;
    ensure!(printed.trim() == format!("hashlanes {}", version("hashlanes-cli")?), "{printed}");
    Ok(())
}

/// Writes packages and index lines of all that the published packages need.
fn fill(index: &Path, folder: &Path, ours: &Path) -> Result<()> {
    announce(cargo().args(["fetch", "--locked", "--quiet"]))?;
    let options = ["metadata", "--all-features", "--locked", "--format-version", "1"];
    let metadata: Value = serde_json::from_str(&output(cargo().args(options))?)?;
    let by_id = |value: &Value| -> BTreeMap<String, Value> {
        let all = value.as_array().into_iter().flatten();
        all.map(|one| (text(&one["id"]), one.clone())).collect()
    };
    let packages = by_id(&metadata["packages"]);
    let nodes = by_id(&metadata["resolve"]["nodes"]);
    let cached = cached()?;
    for id in needed(&packages, &nodes) {
        let package = packages.get(&id).with_context(|| id.clone())?;
        let name = text(&package["name"]);
        let file = format!("{name}-{}.crate", text(&package["version"]));
        let from = match PUBLISHED.contains(&&*name) {
            true => ours.join("package").join(&file),
            false => cached.get(&file).with_context(|| format!("not fetched: {file}"))?.clone(),
        };
        fs::copy(&from, folder.join(&file)).with_context(|| format!("no {}", from.display()))?;
        let digest = output(Command::new("sha256sum").arg(&from))?;
        let line = line(package, digest.split(' ').next().unwrap_or_default());
        let place = index.join(place(&name));
        fs::create_dir_all(place.parent().unwrap_or(index))?;
        // A package may be there in several versions.
        let before = fs::read_to_string(&place).unwrap_or_default();
        fs::write(&place, format!("{before}{line}\n"))?;
    }
    Ok(())
}

/// The published packages and their dependencies. Those of tests are needed of the published ones
/// only: the program's lock file names them.
fn needed(packages: &BTreeMap<String, Value>, nodes: &BTreeMap<String, Value>) -> BTreeSet<String> {
    let ours = |id: &&String| PUBLISHED.contains(&&*text(&packages[*id]["name"]));
    let mut left: Vec<String> = packages.keys().filter(ours).cloned().collect();
    let mut needed = BTreeSet::new();
    while let Some(id) = left.pop() {
        let published = ours(&&id);
        for dependency in nodes[&id]["deps"].as_array().into_iter().flatten() {
            let mut kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
            let package = text(&dependency["pkg"]);
            // A package that is in a folder and not published is none of the packed manifest's.
            let fetched = !packages[&package]["source"].is_null() || ours(&&package);
            if fetched && (published || kinds.any(|kind| kind["kind"] != "dev")) {
                left.push(package);
            }
        }
        left.retain(|id| !needed.contains(id));
        needed.insert(id);
    }
    needed
}

/// What cargo has downloaded, by the names of the files.
fn cached() -> Result<BTreeMap<String, PathBuf>> {
    let home = env::home_dir().context("no home folder")?;
    let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let mut files = BTreeMap::new();
    for registry in fs::read_dir(cargo.join("registry/cache"))? {
        for file in fs::read_dir(registry?.path())? {
            let file = file?;
            files.insert(file.file_name().to_string_lossy().into_owned(), file.path());
        }
    }
    Ok(files)
}

/// A package's line in the index.
fn line(package: &Value, digest: &str) -> Value {
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    // With those of tests: features may name them.
    let dependencies = dependencies.map(|d| {
        let renamed = !d["rename"].is_null();
        json!({
            "name": if renamed { &d["rename"] } else { &d["name"] },
            "package": if renamed { &d["name"] } else { &Value::Null },
            "req": d["req"],
            "features": d["features"],
            "optional": d["optional"],
            "default_features": d["uses_default_features"],
            "target": d["target"],
            "kind": d["kind"].as_str().unwrap_or("normal"),
        })
    });
    json!({
        "name": package["name"],
        "vers": package["version"],
        "deps": dependencies.collect::<Vec<_>>(),
        "cksum": digest,
        "features": package["features"],
        "yanked": false,
        "links": package["links"],
        "rust_version": package["rust_version"],
        "v": 2,
    })
}

/// Where the index has a package.
fn place(name: &str) -> String {
    let name = name.to_lowercase();
    match name.len() {
        1 | 2 => format!("{}/{name}", name.len()),
        3 => format!("3/{}/{name}", &name[..1]),
        _ => format!("{}/{}/{name}", &name[..2], &name[2..4]),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_all_dependencies_that_features_may_name() {
        let dependency = |name: &str, kind: Value, rename: Value| {
            json!({ "name": name, "kind": kind, "rename": rename, "req": "^1", "features": [],
                    "optional": false, "uses_default_features": true, "target": null })
        };
        let package = json!({
            "name": "a", "version": "1.2.3", "features": { "test": ["d/all"] },
            "dependencies": [
                dependency("b", Value::Null, Value::Null),
                dependency("c", json!("build"), json!("e")),
                dependency("d", json!("dev"), Value::Null),
            ],
        });
        let line = line(&package, "00");
        let found: Vec<_> = line["deps"].as_array().unwrap().iter().collect();
        let names = |key: &str| found.iter().map(|one| one[key].clone()).collect::<Vec<_>>();
        assert_eq!(names("name"), ["b", "e", "d"]);
        assert_eq!(names("kind"), ["normal", "build", "dev"]);
        assert_eq!(names("package"), [Value::Null, json!("c"), Value::Null]);
    }

    #[test]
    fn an_index_has_folders_by_the_first_letters() {
        assert_eq!(place("a"), "1/a");
        assert_eq!(place("md5"), "3/m/md5");
        assert_eq!(place("HashLanes"), "ha/sh/hashlanes");
    }
}
