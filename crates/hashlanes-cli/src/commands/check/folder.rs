//! `check MANIFEST DIR`: a folder after the manifests is where their files are.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hashlanes_files::name::quote;
use hashlanes_files::{is_stdin, open_or_stdin, system};

use super::Args;
use super::manifests::{Found, How, Lines};
use super::missing;
use super::oci::is_layout;
use crate::options::base::Base;
use crate::terminal::message::say_of;
use crate::terminal::summary::{State, Tally};
use crate::url::quote_public;

/// The folder, if there is nothing but one that is neither a bag nor an image layout.
pub(super) fn only(manifests: &[PathBuf]) -> Option<PathBuf> {
    match manifests {
        [folder] if is_plain(folder) => Some(folder.clone()),
        _ => None,
    }
}

/// Whether this is a folder, and neither a bag nor an image layout.
fn is_plain(path: &Path) -> bool {
    path.is_dir() && !path.join("bagit.txt").is_file() && !is_layout(path)
}

impl Args {
    /// Takes a folder out of the manifests if it is the last of several, and no bag.
    pub(super) fn take_folder(&mut self) -> Option<PathBuf> {
        let is_asked = self.report.is_some() || self.stored.is_asked() || self.base.is_some();
        let is_after = !is_asked && self.manifests.len() > 1;
        self.manifests.pop_if(|path| is_after && is_plain(path))
    }
}

/// If nothing that a manifest lists is in the folder, says so once, and returns the exit status. A
/// line for each file would not help.
pub(super) fn nothing_there(args: &Args, how: &How) -> Option<ExitCode> {
    let base = how.base.as_ref()?;
    let folder = args.base.as_deref()?;
    let mut tally = Tally::default();
    // What comes through a pipe can be read once.
    let files = args.manifests.iter().filter(|path| !is_stdin(path) && path.is_file());
    for manifest in files {
        let missing = missing(manifest, how, base)?;
        if !args.rules.status {
            say(manifest, folder, &missing);
            if !missing.is_here {
                let hints = missing.names.hints(manifest, Some(base));
                hints.iter().for_each(|hint| say_of(manifest, hint));
            }
        }
        tally.count(State::Missing);
    }
    (tally.files() > 0).then(|| tally.status())
}

/// The names of a manifest none of whose files is in a folder.
struct Missing {
    files: u64,
    first: Vec<u8>,
    names: missing::Missing,
    /// Whether the first name leads to a file from the current folder.
    is_here: bool,
}

/// `None` if the first file that exists has been found, or no name.
fn missing(manifest: &Path, how: &How, base: &Base) -> Option<Missing> {
    let mut lines =
        Lines::new(Box::new(open_or_stdin(manifest).ok()?), manifest, &how.of_manifest(manifest));
    let mut missing =
        Missing { files: 0, first: Vec::new(), names: missing::Missing::default(), is_here: false };
    missing.names.is_folding = how.spelling.is_folding();
    loop {
        let name = match lines.next() {
            Found::End(_) => return (missing.files > 0).then_some(missing),
            found => found.into_name(),
        };
        let Some(name) = name else { continue };
        let Ok(path) = system::path(name.clone()) else { continue };
        // A file that cannot be examined may be there.
        let found = system::metadata(&base.resolve(path.clone()));
        if found.is_ok() || found.is_err_and(|error| !system::is_missing(&error)) {
            return None;
        }
        missing.files += 1;
        missing.names.add(&name);
        if missing.files == 1 {
            (missing.first, missing.is_here) = (name, system::metadata(&path).is_ok());
        }
    }
}

fn say(manifest: &Path, folder: &Path, missing: &Missing) {
    let Missing { files, first, is_here, .. } = missing;
    let (folder, first) = (quote(folder), quote_public(first));
    let tip = if *is_here {
        "; its names lead there from the current folder: leave out the folder"
    } else {
        ""
    };
    let none = match files {
        1 => format!("its only file is not in {folder}: {first}"),
        _ => format!("none of its {files} files is in {folder}, as with {first}"),
    };
    say_of(manifest, format_args!("{none}{tip}"));
}
