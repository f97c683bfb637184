//! `hashlanes check DIR` of an OCI image layout: each blob has its digest for a name.
//!
//! Blobs to which the index leads, through other indexes and manifests, are listed even if they are
//! not there. Those that a descriptor says to be elsewhere (`urls`) are not. A document that cannot
//! be followed is a problem, since blobs may be missing that nothing else tells of.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hashlanes_files::manifest::write_json_name;
use hashlanes_files::{RegularFile, system};
use serde_json::Value;

use super::bag::Problem;
use crate::terminal::message::reason;

/// The most bytes of an index or a manifest, as registries have it.
const MAX_DOCUMENT: u64 = 4 << 20;

/// The members of documents whose values are lists of descriptors.
const LISTS: [&str; 3] = ["manifests", "layers", "blobs"];

/// Whether this folder is an image layout.
pub(super) fn is_layout(folder: &Path) -> bool {
    folder.join("oci-layout").is_file()
}

/// The manifest of a layout, as lines of JSON, and what is wrong with its documents.
pub(super) fn manifest(folder: &Path) -> (Vec<u8>, Vec<Problem>) {
    let mut layout = Layout::of(folder);
    for function in layout.paths_in(&folder.join("blobs")) {
        // Desktops leave files such as `.DS_Store`.
        if function.is_dir() {
            for blob in layout.paths_in(&function) {
                layout.blobs.insert((name(&function), name(&blob)));
            }
        }
    }
    layout.follow();
    let mut lines = Vec::new();
    for (function, digest) in layout.blobs {
        lines.push(b'{');
        write_json_name(&mut lines, "path", format!("blobs/{function}/{digest}").as_bytes());
        lines.extend(b",\"digests\":{");
        let function = Value::from(function).to_string();
        lines.extend(format!("{function}:{}}}}}\n", Value::from(digest)).bytes());
    }
    let problems = layout.problems.into_iter().map(|(path, what)| Problem { path, what });
    (lines, problems.collect())
}

fn name(path: &Path) -> String {
    String::from_utf8_lossy(&system::name(Path::new(path.file_name().unwrap_or_default())))
        .into_owned()
}

struct Layout<'f> {
    folder: &'f Path,
    /// The function and the digest of each blob.
    blobs: BTreeSet<(String, String)>,
    /// Documents that are still to be read, and whether each must be one.
    next: Vec<(PathBuf, bool)>,
    /// All that ever were in `next`.
    visited: HashSet<(PathBuf, bool)>,
    problems: BTreeSet<(PathBuf, String)>,
}

impl<'f> Layout<'f> {
    fn of(folder: &'f Path) -> Self {
        Self {
            folder,
            blobs: BTreeSet::new(),
            next: Vec::new(),
            visited: HashSet::new(),
            problems: BTreeSet::new(),
        }
    }

    fn paths_in(&mut self, folder: &Path) -> Vec<PathBuf> {
        let paths = fs::read_dir(folder)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        paths.unwrap_or_else(|error| {
            self.problems.insert((folder.to_owned(), reason(&error)));
            Vec::new()
        })
    }

    /// Adds all blobs to which the index leads.
    fn follow(&mut self) {
        self.next.push((self.folder.join("index.json"), true));
        while let Some((path, is_document)) = self.next.pop() {
            let outcome = match read(&path) {
                Ok(document) => self.refer(&document),
                // It is reported as a missing blob.
                Err(error)
                    if path.starts_with(self.folder.join("blobs"))
                        && system::is_missing(&error) =>
                {
                    continue;
                }
                Err(error) => Err(reason(&error)),
            };
            if let Err(what) = outcome.or_else(|what| if is_document { Err(what) } else { Ok(()) })
            {
                let what = format!("{what}; the blobs that it refers to are unknown");
                self.problems.insert((path, what));
            }
        }
    }

    /// Adds the blobs that a document names.
    fn refer(&mut self, document: &Value) -> Result<(), String> {
        let is_index = document["manifests"].is_array();
        let is_known = LISTS.iter().any(|key| document[key].is_array());
        if !is_known && !document["config"]["digest"].is_string() {
            return Err("neither an index nor a manifest".into());
        }
        let mut is_whole = true;
        for key in LISTS {
            for descriptor in document[key].as_array().into_iter().flatten() {
                is_whole &= self.descriptor(descriptor, key == "manifests").is_some();
            }
        }
        for key in ["config", "subject"] {
            // Indexes have no configuration.
            let is_none = document[key].is_null() || is_index && key == "config";
            if !is_none {
                is_whole &= self.descriptor(&document[key], key == "subject").is_some();
            }
        }
        is_whole.then_some(()).ok_or_else(|| "a descriptor has no digest such as sha256:HEX".into())
    }

    /// Adds the blob of a descriptor. Where documents are expected, it may be one whatever its type
    /// says. `None` if it has no usable digest.
    fn descriptor(&mut self, descriptor: &Value, may_be_document: bool) -> Option<()> {
        let digest = descriptor["digest"].as_str().and_then(|it| it.split_once(':'));
        // Other names would lead out of the layout.
        let is_plain = |part: &str| {
            !part.is_empty() && !part.contains(['/', '\\', '\0']) && !matches!(part, "." | "..")
        };
        let digest = digest.filter(|(function, digest)| is_plain(function) && is_plain(digest));
        let (function, digest) = digest?;
        let blob = self.folder.join("blobs").join(function).join(digest);
        let is_elsewhere = descriptor["urls"].as_array().is_some_and(|urls| !urls.is_empty());
        if is_elsewhere && !blob.exists() {
            return Some(());
        }
        self.blobs.insert((function.into(), digest.into()));
        let kind = descriptor["mediaType"].as_str();
        let is_named = kind.is_some_and(|kind| kind.contains("manifest") || kind.contains("index"));
        let next = (blob, may_be_document && (is_named || kind.is_none()));
        if (may_be_document || is_named) && self.visited.insert(next.clone()) {
            self.next.push(next);
        }
        Some(())
    }
}

/// Reads a document.
fn read(path: &Path) -> io::Result<Value> {
    let file = RegularFile::open(path)?;
    let size = file.stamp().size;
    if size > MAX_DOCUMENT {
        return Err(io::Error::other(format!(
            "{size} bytes are too many for an index or manifest"
        )));
    }
    let mut text = vec![0; size as usize];
    file.read_exact_at(&mut text, 0)?;
    serde_json::from_slice(&text)
        .map_err(|error| io::Error::other(format!("not valid JSON: {error}")))
}
