//! The Go module, as a proxy for modules serves it.
//!
//! A module is what its repository contains at a tag. A repository of its own, at [`ADDRESS`], gets
//! the files of this archive.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::dependencies;
use super::trial::Trial;
use crate::archive::{self, empty_tree};
use crate::notices::{self, Linked};
use xtask::command::{root, version};

/// The module's path for everybody, in place of the one in the checkout.
const ADDRESS: &str = "example.org/hashlanes";

pub(super) const TRIALS: [Trial; 1] = [Trial {
    script: "go.sh",
    packages: &["golang-go", "unzip", "ca-certificates", "qemu-user-static"],
}];

/// The files of tests that make sense in another place.
const TESTS: [&str; 2] = ["example_test.go", "kernels_test.go"];

pub(super) fn make() -> Result<Vec<PathBuf>> {
    let version = version("hashlanes")?;
    let tree = empty_tree("archive/go")?;
    let inside = format!("{ADDRESS}@v{version}");
    let module = tree.join(&inside);
    for folder in ["", "internal/kernels", "md5simd", "sha256simd"] {
        copy(&root().join("go").join(folder), &module.join(folder))?;
    }
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
        let is_source = name == "go.mod" || name.ends_with(".go") || name.ends_with(".s");
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
