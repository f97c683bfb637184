//! `cargo xtask version`: the version, in all places that name it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use xtask::c::library::Version;
use xtask::command::{output, root};

/// Set the version everywhere: in manifests, lock files, the guide and the changelog.
///
/// Nothing else is changed, and nothing is committed. The changelog's section says `unreleased`
/// until the day, which puts its date there.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Three numbers with full stops between them
    version: String,
}

/// The parts of the version that a file names, and what is before them there.
type Named<'n> = &'n [(Part, &'n str)];

/// What is named of a version.
#[derive(Clone, Copy)]
enum Part {
    All,
    /// What changes when programs have to be recompiled.
    Interface,
    /// One of its numbers.
    Number(usize),
}

/// What names the version besides manifests, lock files and the changelog.
const NAMED: [(&str, Named<'_>); 10] = [
    (
        "docs/releases.md",
        &[
            (Part::All, "hashlanes_"),
            (Part::All, "hashlanes-"),
            (Part::All, "hashlanes-v"),
            (Part::All, "hashlanes-dev_"),
            (Part::All, "hashlanes-devel-"),
        ],
    ),
    (
        "docs/guide/c.md",
        &[(Part::Interface, "find_package(hashlanes "), (Part::Interface, "libhashlanes.so.")],
    ),
    (
        "docs/guide/stability.md",
        &[(Part::Interface, "libhashlanes.so."), (Part::Interface, "for all of ")],
    ),
    (
        "crates/hashlanes-capi/src/info.rs",
        &[
            (Part::Number(0), "HASHLANES_VERSION_MAJOR: u32 = "),
            (Part::Number(1), "HASHLANES_VERSION_MINOR: u32 = "),
            (Part::Number(2), "HASHLANES_VERSION_PATCH: u32 = "),
        ],
    ),
    (
        "crates/hashlanes-capi/include/hashlanes.h",
        &[
            (Part::Number(0), "#define HASHLANES_VERSION_MAJOR "),
            (Part::Number(1), "#define HASHLANES_VERSION_MINOR "),
            (Part::Number(2), "#define HASHLANES_VERSION_PATCH "),
        ],
    ),
    ("jvm/pom.xml", &[(Part::All, "<artifactId>hashlanes-parent</artifactId>\n  <version>")]),
    ("jvm/core/pom.xml", PARENT),
    ("jvm/spark/pom.xml", PARENT),
    (
        "jvm/core/src/main/java/hashlanes/HashlanesProvider.java",
        &[(Part::Interface, "super(\"Hashlanes\", \"")],
    ),
    ("docs/guide/jvm.md", &[(Part::All, "hashlanes-"), (Part::All, "_2.13-")]),
];

/// What projects of Maven have from the one above them.
const PARENT: Named<'_> =
    &[(Part::All, "<artifactId>hashlanes-parent</artifactId>\n    <version>")];

const CHANGELOG: &str = "CHANGELOG.md";

pub(crate) fn run(args: &Args) -> Result<()> {
    let version = Version::new(&args.version)?;
    let numbers: Vec<_> = args.version.split('.').map(str::parse::<u32>).collect();
    ensure!(numbers.len() == 3 && numbers.iter().all(Result::is_ok), "not three numbers");
    for path in places()? {
        let path = root().join(path);
        let text = fs::read_to_string(&path)?;
        let changed = set(&path, &text, &version);
        if changed != text {
            println!("{}", path.display());
            fs::write(&path, changed)?;
        }
    }
    Ok(())
}

/// Placeholders, and what is true before the first release only.
const UNFINISHED: [&str; 6] = [
    ".invalid",
    "example.org",
    "@localhost",
    "released yet",
    "no public address yet",
    "in none of these yet",
];

/// What names the repository besides `Cargo.toml`.
const REPOSITORY_NAMED: [&str; 5] = [
    "extras/integrations/Cargo.toml",
    "extras/integrations/polars/pyproject.toml",
    "extras/js/package/package.json",
    "jvm/pom.xml",
    "python/pyproject.toml",
];

/// The files in which some of these are until the first release.
const UNTIL_RELEASED: [&str; 8] = [
    "Cargo.toml",
    "xtask/release/src/release/go.rs",
    "xtask/release/src/release/recipes.rs",
    "README.md",
    "RELEASING.md",
    "docs/guide/install.md",
    "docs/guide/stability.md",
    "docs/releases.md",
];

/// Refuses a tagged commit of another version, one whose changelog has no date yet, and one with
/// placeholders.
pub(crate) fn check_tag(version: &str) -> Result<()> {
    let git = ["tag", "--points-at", "HEAD", "v*"];
    for tag in output(Command::new("git").args(git).current_dir(root()))?.lines() {
        ensure!(tag == format!("v{version}"), "the tag {tag} is on a commit of version {version}");
        let text = fs::read_to_string(root().join(CHANGELOG))?;
        let dated = heading(&text, version).is_some_and(|line| !line.ends_with(UNRELEASED));
        ensure!(dated, "{CHANGELOG} has no date for {version}, which has the tag {tag}");
        let mut found = Vec::new();
        for file in UNTIL_RELEASED.iter().chain(&REPOSITORY_NAMED) {
            let text = fs::read_to_string(root().join(file));
            found.extend(unfinished(file, &text.with_context(|| format!("cannot read {file}"))?));
        }
        ensure!(found.is_empty(), "not for a commit with the tag {tag}:\n{}", found.join("\n"));
    }
    Ok(())
}

/// What a file says that no released commit may say.
fn unfinished(file: &str, text: &str) -> Vec<String> {
    // A sentence may continue on another line.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = UNFINISHED.iter().filter(|what| text.contains(**what));
    found.map(|what| format!("{file}: {what}")).collect()
}

/// What stands for the date of a version that has not been published.
const UNRELEASED: &str = "unreleased";

/// The files that name the version, below the root.
fn places() -> Result<Vec<PathBuf>> {
    let git = ["ls-files", "*Cargo.toml", "*Cargo.lock"];
    let tracked = output(Command::new("git").args(git).current_dir(root()))?;
    let mut places: Vec<_> = tracked.lines().map(PathBuf::from).collect();
    ensure!(places.len() > 20, "git lists {} manifests", places.len());
    places.extend(NAMED.map(|(path, _)| PathBuf::from(path)));
    places.push(PathBuf::from(CHANGELOG));
    Ok(places)
}

/// The text of a file with the version in it.
fn set(path: &Path, text: &str, version: &Version) -> String {
    if path.ends_with("Cargo.toml") {
        manifest(text, &version.text)
    } else if path.ends_with("Cargo.lock") {
        lock_file(text, &version.text)
    } else if let Some((_, named)) = NAMED.iter().find(|(file, _)| path.ends_with(file)) {
        named.iter().fold(text.to_owned(), |text, (part, before)| {
            set_after(&text, before, part.of(version))
        })
    } else {
        changelog(text, &version.text)
    }
}

impl Part {
    fn of(self, version: &Version) -> &str {
        match self {
            Self::All => &version.text,
            Self::Interface => &version.interface,
            Self::Number(index) => version.text.split('.').nth(index).unwrap_or_default(),
        }
    }
}

/// Replaces each number, or numbers with full stops between them, that comes after a text.
fn set_after(text: &str, before: &str, value: &str) -> String {
    let mut parts = text.split(before);
    let mut changed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        changed.push_str(before);
        // What ends a sentence, or comes before a file's extension.
        let number = part[..part.len() - rest.len()].trim_end_matches('.');
        changed.push_str(if number.is_empty() { "" } else { value });
        changed.push_str(&part[number.len()..]);
    }
    changed
}

/// The workspace's version, and that of the packages that are in folders.
fn manifest(text: &str, version: &str) -> String {
    let mut section = "";
    let lines = text.split_inclusive('\n').map(|line| {
        section = if line.starts_with('[') { line.trim_end() } else { section };
        let ours = section == "[workspace.package]" && line.starts_with("version = ")
            || line.contains("path = \"../");
        if ours { set_after(line, "version = \"", version) } else { line.to_owned() }
    });
    lines.collect()
}

/// The versions of our packages. Those that are not published have none.
fn lock_file(text: &str, version: &str) -> String {
    let mut ours = false;
    let lines = text.split_inclusive('\n').map(|line| {
        if line.starts_with("name = ") {
            ours = line.contains("hashlanes");
        }
        let set = ours && line.starts_with("version = ") && line != "version = \"0.0.0\"\n";
        if set { set_after(line, "version = \"", version) } else { line.to_owned() }
    });
    lines.collect()
}

/// Gives the section of what is new the version, unless it has a section already.
fn changelog(text: &str, version: &str) -> String {
    if heading(text, version).is_some() {
        return text.to_owned();
    }
    let mut headings = text.lines().filter(|line| line.starts_with("## "));
    let newest = headings.find(|line| line.to_lowercase().ends_with(UNRELEASED));
    newest.map_or_else(
        || text.to_owned(),
        |line| text.replacen(line, &format!("## [{version}] - {UNRELEASED}"), 1),
    )
}

/// The heading of a version's section in the changelog.
fn heading<'t>(text: &'t str, version: &str) -> Option<&'t str> {
    let start = format!("## [{version}] - ");
    text.lines().find(|line| line.starts_with(&start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtask::command::{PUBLISHED, REPOSITORY, shelf, version};

    #[test]
    fn all_places_have_the_same_version() {
        let now = Version::new(&version("hashlanes").unwrap()).unwrap();
        let other = Version::new("98.7.6").unwrap();
        let mut named = 0;
        for path in places().unwrap() {
            let text = fs::read_to_string(root().join(&path)).unwrap();
            assert!(set(&path, &text, &now) == text, "{}: not {}", path.display(), now.text);
            named += usize::from(set(&path, &text, &other) != text);
            if path.ends_with(CHANGELOG) {
                assert!(heading(&text, &now.text).is_some(), "no section for {}", now.text);
            }
        }
        assert!(named > 20, "only {named} places name the version");
    }

    #[test]
    fn placeholders_are_found() {
        let found = unfinished("a.md", "It is not released\nyet: see https://name.invalid/.");
        assert_eq!(found, ["a.md: .invalid", "a.md: released yet"]);
        assert!(unfinished("a.md", "It was released.").is_empty());
        for file in UNTIL_RELEASED {
            assert!(root().join(file).is_file(), "{file}");
        }
    }

    #[test]
    fn all_packages_name_the_same_repository() {
        for file in REPOSITORY_NAMED {
            let text = fs::read_to_string(root().join(file)).unwrap();
            assert!(text.contains(REPOSITORY), "{file} lacks {REPOSITORY}");
        }
        let manifests = PUBLISHED.map(|package| format!("{}/{package}/Cargo.toml", shelf(package)));
        for file in manifests
            .iter()
            .map(String::as_str)
            .chain(["extras/integrations/datafusion/Cargo.toml"])
        {
            let text = fs::read_to_string(root().join(file)).unwrap();
            assert!(text.contains("\nrepository.workspace = true\n"), "{file}: no repository");
        }
    }

    #[test]
    fn only_versions_of_ours_are_replaced() {
        let manifest = "[package]\nversion = \"0.0.0\"\n[workspace.package]\nversion = \"0.1.0\"\n\
                        [dependencies]\na = { version = \"0.1.0\", features = [\"b\"] }\n\
                        c = { path = \"../c\", version = \"0.1.0\" }\nd = { path = \"../d\" }\n";
        let expected = manifest
            .replace("package]\nversion = \"0.1.0\"", "package]\nversion = \"0.2.0\"")
            .replace("c\", version = \"0.1.0\"", "c\", version = \"0.2.0\"");
        assert_eq!(super::manifest(manifest, "0.2.0"), expected);
        let lock = "name = \"on-hashlanes\"\nversion = \"0.1.0\"\n\nname = \"other\"\n\
                    version = \"0.1.0\"\n\nname = \"hashlanes-docs\"\nversion = \"0.0.0\"\n";
        let expected = lock.replacen("0.1.0", "0.2.0", 1);
        assert_eq!(lock_file(lock, "0.2.0"), expected);
    }

    #[test]
    fn numbers_are_replaced_without_what_follows_them() {
        let text = "lib.so.0.1. And lib-v0.1.0.tgz, lib-v0.1.0-x86_64, lib-very";
        let changed = set_after(&set_after(text, "lib.so.", "0.2"), "lib-v", "0.2.0");
        assert_eq!(changed, "lib.so.0.2. And lib-v0.2.0.tgz, lib-v0.2.0-x86_64, lib-very");
    }

    #[test]
    fn what_is_new_becomes_the_section_of_the_version() {
        let text = "# Changelog\n\n## Unreleased\n\n* A.\n\n## [0.1.0] - 2026-01-02\n";
        let first = changelog(text, "0.2.0");
        assert_eq!(first, text.replace("Unreleased", "[0.2.0] - unreleased"));
        assert_eq!(changelog(&first, "0.2.0"), first);
        // Another number, before the day.
        assert_eq!(changelog(&first, "1.0.0"), first.replace("0.2.0", "1.0.0"));
        assert_eq!(changelog(text, "0.1.0"), text);
    }
}
