//! Leaves out what this program writes beside the files of a tree: manifests that
//! `hashlanes sum --resume` completes, their records, and folders of files that are being replaced.
//!
//! They change whenever a tree is hashed, so they have no place in lists of its files.

use std::ffi::OsStr;
use std::path::Path;

use super::tree::{Item, What};
use crate::replace::{RECORD, is_folder_of_replacement, is_record_at};
use crate::system::directory::Names;

/// Removes them from the entries of the directory at `path`, and tells `count` their paths.
pub(super) fn leave_out(path: &Path, names: &Names, items: &mut Vec<Item>, count: impl Fn(&Path)) {
    // Nearly all directories have none of these names.
    let is_record = |name: &[u8]| name.len() > RECORD.len() && name.ends_with(RECORD);
    let is_likely = |item: &Item| match item.what {
        What::File => is_record(names.get(item.name).as_encoded_bytes()),
        What::Directory => names.get(item.name).as_encoded_bytes().ends_with(b".hashlanes"),
        What::Unknown(_) => false,
    };
    if !items.iter().any(is_likely) {
        return;
    }
    let is_own = |item: &&Item| {
        let path = path.join(names.get(item.name));
        is_likely(item)
            && match item.what {
                What::Directory => is_folder_of_replacement(&path),
                _ => is_record_at(&path),
            }
    };
    let own: Vec<&OsStr> = items.iter().filter(is_own).map(|item| names.get(item.name)).collect();
    let is_left_out = |item: &Item| {
        let name = names.get(item.name).as_encoded_bytes();
        let is_manifest_of =
            |own: &OsStr| own.as_encoded_bytes().strip_suffix(RECORD) == Some(name);
        own.iter().any(|own| own.as_encoded_bytes() == name || is_manifest_of(own))
            && !matches!(item.what, What::Unknown(_))
    };
    items.retain(|item| {
        let is_left_out = is_left_out(item);
        if is_left_out {
            count(&path.join(names.get(item.name)));
        }
        !is_left_out
    });
}
