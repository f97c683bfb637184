//! The program as an archive to download, for `cargo binstall` and by hand.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::notices::{self, Linked};
use xtask::command::{output, root, run as announce, target};
use xtask::folder::empty;
use xtask::programs::Programs;

/// Makes an archive of the programs, with their manual, completions and licences.
///
/// Its name and layout are those in `[package.metadata.binstall]` of the programs' package, for
/// `cargo binstall`.
pub(crate) fn make(
    programs: &Programs,
    version: &str,
    target_name: &str,
    pack: fn(&Path, &str) -> Result<PathBuf>,
) -> Result<PathBuf> {
    let name = name(version, target_name);
    let tree = empty_tree(&format!("archive/{name}"))?;
    for file in [&programs.hashlanes, &programs.lab] {
        fs::copy(file, tree.join(file.file_name().unwrap_or_default()))?;
    }
    programs.manual(&tree.join("man"))?;
    programs.completions(&tree.join("completions"))?;
    notices::add(Linked::Program, &tree)?;
    pack(&tree, &name)
}

/// Packs a folder into `NAME.tgz`, with the licences. The same files give the same bytes.
pub(crate) fn pack(tree: &Path, name: &str) -> Result<PathBuf> {
    licences(tree)?;
    tar(tree, name)
}

/// Packs a folder into `NAME.tgz` as it is.
///
/// Folders have no entries of their own: unpacked as root, they would change the modes and owners
/// of folders that exist, and replace links to folders.
pub(crate) fn tar(tree: &Path, name: &str) -> Result<PathBuf> {
    settle(tree)?;
    let (folder, inside) = (tree.parent().unwrap_or(tree), tree.file_name().unwrap_or_default());
    let archive = target().join(format!("{name}.tgz"));
    let list = archive.with_extension("list");
    fs::write(&list, files(folder, inside)?.join("\n"))?;
    let mut tar = Command::new("tar");
    tar.args(["--owner=0", "--group=0", "--numeric-owner", "--format=ustar"]);
    // Without the time at which it was compressed.
    tar.args(["--use-compress-program=gzip -9n", "-cf"]).arg(&archive).arg("-C").arg(folder);
    announce(tar.arg("--verbatim-files-from").arg("--files-from").arg(list))?;
    Ok(archive)
}

/// Packs a folder into `NAME.zip`, as [`pack`] does.
pub(crate) fn zip(tree: &Path, name: &str) -> Result<PathBuf> {
    finish(tree)?;
    let inside = tree.file_name().unwrap_or_default().to_string_lossy();
    zip_folder(tree.parent().unwrap_or(tree), &inside, name)
}

/// Packs what is in a folder, by its path below another one, into `NAME.zip`.
pub(crate) fn zip_folder(folder: &Path, inside: &str, name: &str) -> Result<PathBuf> {
    let archive = target().join(format!("{name}.zip"));
    if archive.exists() {
        // zip adds to an existing archive.
        fs::remove_file(&archive)?;
    }
    // Neither owners nor times other than the files', which are in the time zone of UTC.
    let mut zip = Command::new("zip");
    zip.args(["-9", "-X", "-q"])
        .arg(&archive)
        .args(files(folder, inside.as_ref())?)
        .env("TZ", "UTC");
    announce(zip.current_dir(folder))?;
    Ok(archive)
}

/// What is in a folder but folders, by their paths below another one, in the order of bytes.
fn files(folder: &Path, inside: &OsStr) -> Result<Vec<String>> {
    let find = ["-not", "-type", "d"];
    let files = output(Command::new("find").arg(inside).args(find).current_dir(folder))?;
    let mut files: Vec<_> = files.lines().map(str::to_owned).collect();
    files.sort_unstable();
    Ok(files)
}

/// Adds the licences, and [settles](settle) the tree.
pub(crate) fn finish(tree: &Path) -> Result<()> {
    licences(tree)?;
    settle(tree)
}

/// Adds the licences.
pub(crate) fn licences(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(licence), folder.join(licence))?;
    }
    Ok(())
}

/// Gives the files of a tree modes that do not depend on the umask, and the time that
/// `SOURCE_DATE_EPOCH` names, if it does.
pub(crate) fn settle(tree: &Path) -> Result<()> {
    announce(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(tree))?;
    let Ok(epoch) = env::var("SOURCE_DATE_EPOCH") else { return Ok(()) };
    let touch = ["touch", "--no-dereference", "--date", &format!("@{epoch}"), "{}", "+"];
    announce(Command::new("find").arg(tree).arg("-exec").args(touch))
}

/// An empty folder under the target folder.
pub(crate) fn empty_tree(path: &str) -> Result<PathBuf> {
    empty(target().join(path))
}

/// The name of the archive and of the folder in it.
fn name(version: &str, target: &str) -> String {
    format!("hashlanes-v{version}-{target}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills in a template as `cargo binstall` does.
    fn filled(template: &str, values: &[(&str, &str)]) -> String {
        values.iter().fold(template.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{ {name} }}"), value)
        })
    }

    #[cfg(unix)]
    #[test]
    fn modes_in_archives_do_not_depend_on_the_umask() {
        use std::os::unix::fs::PermissionsExt;

        let tree = empty_tree("archive/modes-test").unwrap();
        for (name, umask) in [("open", 0), ("closed", 0o077)] {
            let folder = tree.join(name);
            fs::create_dir(&folder).unwrap();
            for (file, mode, settled) in [("run", 0o777, 0o755), ("read", 0o666, 0o644)] {
                let (file, mode) = (folder.join(file), fs::Permissions::from_mode(mode & !umask));
                fs::write(&file, "").unwrap();
                fs::set_permissions(&file, mode).unwrap();
                settle(&tree).unwrap();
                assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, settled);
            }
            assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o755);
        }
        let listed = files(&tree, OsStr::new(".")).unwrap();
        assert_eq!(listed, ["./closed/read", "./closed/run", "./open/read", "./open/run"]);
    }

    #[test]
    fn binstall_looks_for_what_the_archive_has() {
        let manifest = root().join("crates/hashlanes-cli/Cargo.toml");
        let manifest = fs::read_to_string(manifest).unwrap();
        let value = |key: &str| {
            let line = manifest.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")));
            line.unwrap().trim_matches('"').to_owned()
        };
        let values = [
            ("repo", "https://host/repo"),
            ("version", "1.2.3"),
            ("target", "a-b-c"),
            ("archive-suffix", ".tgz"),
            ("bin", "hashlanes"),
            ("binary-ext", ""),
        ];
        let name = name("1.2.3", "a-b-c");
        assert_eq!(
            filled(&value("pkg-url"), &values),
            format!("https://host/repo/releases/download/v1.2.3/{name}.tgz")
        );
        assert_eq!(filled(&value("bin-dir"), &values), format!("{name}/hashlanes"));
        assert_eq!(value("pkg-fmt"), "tgz");
    }
}
