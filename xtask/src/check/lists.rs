//! Tests that compare lists in documents with what they list.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::command::{cargo, output, root};

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn scripts_list_their_chores_for_the_jobs_of_a_forge() {
    for script in [".ci/run", ".ci/nightly"] {
        let list = output(Command::new("bash").arg(root().join(script)).arg("--list")).unwrap();
        let chores: Vec<String> = serde_json::from_str(&list).unwrap();
        let steps = read(script).lines().filter(|line| line.starts_with("step cargo ")).count();
        assert_eq!(chores.len(), steps, "{script}");
        assert!(chores.iter().all(|chore| chore.starts_with("cargo ")), "{list}");
    }
}

#[test]
fn workflows_use_the_image_that_a_release_is_made_in() {
    let document = read("RELEASING.md");
    for name in ["build", "nightly", "release"] {
        let text = read(&format!(".github/workflows/{name}.yml"));
        let images: Vec<_> =
            text.split_whitespace().filter(|word| word.starts_with("rust:")).collect();
        assert!(!images.is_empty(), "{name}.yml");
        for image in images {
            assert!(document.contains(&format!("`{image}`")), "RELEASING.md lacks {image}");
        }
    }
}

/// The paths in a folder, from the root of the repository. None if there is no such folder.
fn entries(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).into_iter().flatten();
    entries.map(|entry| format!("{folder}/{}", entry.unwrap().file_name().display())).collect()
}

/// The files that the links of a page lead to, from the root of the repository.
fn links(page: &str) -> BTreeSet<String> {
    let text = read(page);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let folder = Path::new(page).parent().unwrap();
    let path = |target: &str| match target.strip_prefix("../") {
        Some(target) => target.to_owned(),
        None => folder.join(target).display().to_string(),
    };
    targets.map(|(target, _)| path(target)).collect()
}

#[test]
fn the_index_of_examples_has_all() {
    let listed = links("examples/README.md");
    for target in &listed {
        assert!(root().join(target).exists(), "examples/README.md: there is no {target}");
    }
    let packages = ["crates", "extras"].into_iter().flat_map(entries);
    let of_crates = packages.map(|package| format!("{package}/examples"));
    let folders = of_crates.chain(["examples/c".to_owned(), "python/examples".to_owned()]);
    let mut examples: Vec<_> = folders.flat_map(|folder| entries(&folder)).collect();
    examples.retain(|file| [".rs", ".c", ".py"].iter().any(|ending| file.ends_with(ending)));
    // An example that is a package of its own is listed by its page.
    let packages = entries("examples").into_iter().map(|folder| format!("{folder}/README.md"));
    examples.extend(packages.filter(|page| root().join(page).exists()));
    for example in examples {
        assert!(listed.contains(&example), "examples/README.md lacks {example}");
    }
}

#[test]
fn the_list_of_fuzz_targets_has_all() {
    let text = read("fuzz/README.md");
    // Another table, with what has run, is in a section of its own.
    let list = text.split("\n## ").next().unwrap_or_default();
    let listed = list.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let listed: Vec<_> = listed.map(|(target, _)| target.to_owned()).collect();
    let mut sorted = listed.clone();
    sorted.sort();
    assert_eq!(sorted, crate::check::fuzz::targets().unwrap());
}

#[test]
fn the_list_of_dependencies_has_all() {
    let text = read("docs/design/dependencies.md");
    for workspace in [".", "extras/integrations", "fuzz", "models"] {
        let mut metadata = cargo();
        metadata.args(["metadata", "--offline", "--no-deps", "--format-version=1"]);
        let manifest = root().join(workspace).join("Cargo.toml");
        let metadata = output(metadata.arg("--manifest-path").arg(manifest)).unwrap();
        let metadata: Value = serde_json::from_str(&metadata).unwrap();
        let packages = metadata["packages"].as_array().unwrap().iter();
        let dependencies = packages.flat_map(|package| package["dependencies"].as_array().unwrap());
        // Those of this repository have a path.
        for dependency in dependencies.filter(|dependency| dependency["path"].is_null()) {
            let name = dependency["name"].as_str().unwrap();
            assert!(
                text.contains(&format!("`{name}`")),
                "docs/design/dependencies.md lacks {name}"
            );
        }
    }
}
