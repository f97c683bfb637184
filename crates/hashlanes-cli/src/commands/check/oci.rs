//! `hashlanes check DIR` of an OCI image layout: each blob has its digest for a name.
//!
//! Blobs to which the index leads, through other indexes and manifests, are listed even if they are
//! not there. Those that a descriptor says to be elsewhere (`urls`) are not.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use hashlanes_files::manifest::write_json_name;
use hashlanes_files::system;
use serde_json::Value;

/// The most bytes of an index or a manifest, as registries have it.
const MAX_DOCUMENT: u64 = 4 << 20;

/// How deep indexes lead to others.
const MAX_DEPTH: u32 = 8;

/// Whether this folder is an image layout.
pub(super) fn is_layout(folder: &Path) -> bool {
    folder.join("oci-layout").is_file()
}

/// The manifest of a layout, as lines of JSON.
pub(super) fn manifest(folder: &Path) -> io::Result<Vec<u8>> {
    let mut blobs = BTreeSet::new();
    for function in fs::read_dir(folder.join("blobs"))? {
        let function = function?.path();
        for blob in fs::read_dir(&function)? {
            blobs.insert((name(&function), name(&blob?.path())));
        }
    }
    refer(folder, &folder.join("index.json"), &mut blobs, MAX_DEPTH)?;
    let mut lines = Vec::new();
    for (function, digest) in blobs {
        lines.push(b'{');
        write_json_name(&mut lines, "path", format!("blobs/{function}/{digest}").as_bytes());
        lines.extend(b",\"digests\":{");
        let function = Value::from(function).to_string();
        lines.extend(format!("{function}:{}}}}}\n", Value::from(digest)).bytes());
    }
    Ok(lines)
}

fn name(path: &Path) -> String {
    String::from_utf8_lossy(&system::name(Path::new(path.file_name().unwrap_or_default())))
        .into_owned()
}

/// Adds the blobs to which a document leads.
fn refer(
    folder: &Path,
    path: &Path,
    blobs: &mut BTreeSet<(String, String)>,
    depth: u32,
) -> io::Result<()> {
    let mut text = Vec::new();
    File::open(path)?.take(MAX_DOCUMENT).read_to_end(&mut text)?;
    let Ok(document) = serde_json::from_slice::<Value>(&text) else { return Ok(()) };
    let all = ["manifests", "layers"].iter().filter_map(|key| document[key].as_array()).flatten();
    for descriptor in all.chain([&document["config"], &document["subject"]]) {
        let Some((function, digest)) =
            descriptor["digest"].as_str().and_then(|it| it.split_once(':'))
        else {
            continue;
        };
        // Such a name would lead out of the layout.
        let is_plain = |part: &str| !part.contains(['/', '\\']) && part != "..";
        if !descriptor["urls"].is_null() || !is_plain(function) || !is_plain(digest) {
            continue;
        }
        blobs.insert((function.into(), digest.into()));
        let kind = descriptor["mediaType"].as_str().unwrap_or_default();
        let blob = folder.join("blobs").join(function).join(digest);
        let is_document = kind.contains("manifest") || kind.contains("index");
        if depth > 0 && is_document && blob.is_file() {
            refer(folder, &blob, blobs, depth - 1)?;
        }
    }
    Ok(())
}
