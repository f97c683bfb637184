//! The Go module with the libraries for C in it, as a proxy for modules serves it.
//!
//! A module is what its repository contains at a tag. Binaries do not belong among the sources, so
//! a repository of its own, at [`ADDRESS`], gets the files of this archive.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::trial::Trial;
use super::{MACHINES, dependencies, libraries};
use crate::archive::{self, empty_tree};
use crate::notices::{self, Linked};
use xtask::c::install;
use xtask::c::library::LIBRARIES;
use xtask::command::version;
use xtask::command::{output, root};

/// The module's path for everybody, in place of the one in the checkout.
const ADDRESS: &str = "example.org/hashlanes";

pub(super) const TRIALS: [Trial; 1] = [Trial {
    script: "go.sh",
    packages: &[
        "golang-go",
        "gcc",
        "libc6-dev",
        "unzip",
        "ca-certificates",
        "gcc-aarch64-linux-gnu",
        "libc6-dev-arm64-cross",
        "qemu-user-static",
    ],
}];

/// The files of tests that make sense in another place.
const TESTS: [&str; 2] = ["bundled_test.go", "example_test.go"];

pub(super) fn make() -> Result<Vec<PathBuf>> {
    let library = &LIBRARIES[0];
    let version = version(library.package)?;
    let tree = empty_tree("archive/go")?;
    let inside = format!("{ADDRESS}@v{version}");
    let module = tree.join(&inside);
    for folder in ["", "md5simd", "sha256simd"] {
        copy(&root().join("go").join(folder), &module.join(folder))?;
    }
    let mut names = vec!["hashlanes.h".to_owned()];
    fs::copy(library.headers().join(&names[0]), module.join(&names[0]))?;
    for machine in &MACHINES {
        let built = library.build(install::PROFILE, "", &libraries::toolchain(machine)?)?;
        let name = format!("libhashlanes_linux_{}.a", machine.debian);
        fs::copy(&built.archive, module.join(&name))?;
        links_with(&module, &built.needs)?;
        names.push(name);
    }
    let sums = output(Command::new("sha256sum").args(&names).current_dir(&module))?;
    fs::write(module.join("SHA256SUMS"), sums)?;
    notices::add(Linked::Libraries, &module)?;
    archive::finish(&module)?;
    const NAME: &str = "hashlanes-go";
    let module = archive::zip_folder(&tree, &inside, &format!("{NAME}-v{version}"))?;
    Ok(vec![module, dependencies::make(NAME, &version, Linked::Libraries)?])
}

/// Copies the files of a package. They import each other by the module's public path.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_source = name == "go.mod" || name.ends_with(".go");
        if !is_source || name.ends_with("_test.go") && !TESTS.contains(&&*name) {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        fs::write(to.join(name), at_address(&text))?;
    }
    Ok(())
}

/// A source with the module's public path: in `go.mod`, in imports, in the documentation.
fn at_address(text: &str) -> String {
    text.replace("module hashlanes\n", &format!("module {ADDRESS}\n"))
        .replace("\"hashlanes\"\n", &format!("\"{ADDRESS}\"\n"))
        .replace("\"hashlanes/", &format!("\"{ADDRESS}/"))
        .replace(" hashlanes/", &format!(" {ADDRESS}/"))
}

/// Checks that the module names the system's libraries that the archive needs.
fn links_with(module: &Path, needs: &[String]) -> Result<()> {
    const FILE: &str = "link_bundled_cgo.go";
    let text = fs::read_to_string(module.join(FILE))?;
    let line = text.lines().find_map(|line| line.strip_prefix("// #cgo LDFLAGS: "));
    let linked: Vec<_> = line.context("no LDFLAGS")?.split(' ').collect();
    let missing = needs.iter().find(|need| !linked.contains(&need.as_str()));
    ensure!(missing.is_none(), "go/{FILE} does not link {}", missing.map_or("", |need| need));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{ADDRESS, at_address};
    use xtask::command::root;

    #[test]
    fn sources_import_the_public_path() {
        let source = "import (\n\t\"hashlanes\"\n\tsha256simd \"hashlanes/sha256simd\"\n)\n\
                      // The packages hashlanes/md5simd and\nerrors.New(\"hashlanes: wrong\")\n";
        let expected = format!(
            "import (\n\t\"{ADDRESS}\"\n\tsha256simd \"{ADDRESS}/sha256simd\"\n)\n\
             // The packages {ADDRESS}/md5simd and\nerrors.New(\"hashlanes: wrong\")\n"
        );
        assert_eq!(at_address(source), expected);
        assert_eq!(at_address("module hashlanes\n\ngo"), format!("module {ADDRESS}\n\ngo"));
    }

    #[test]
    fn the_guide_names_the_public_path() {
        let guide = std::fs::read_to_string(root().join("docs/releases.md")).unwrap();
        let line = format!("go get {ADDRESS}");
        assert!(guide.lines().any(|one| one == line), "docs/releases.md lacks: {line}");
    }
}
