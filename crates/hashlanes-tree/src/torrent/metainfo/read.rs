//! Reads a .torrent file, and merges its versions.

use hashlanes::{Sha1, Sha256};

use super::tree::{Tree, read_layers};
use super::{FileKind, MAX_PIECE_LENGTH, Metainfo, MetainfoError, tree, v1};
use crate::torrent::bencode::{Dictionary, Document};
use crate::torrent::merkle::BLOCK;
use crate::torrent::name;

impl Metainfo {
    /// Reads a .torrent file.
    ///
    /// # Errors
    /// If it is not bencode, contradicts itself, or has names that could lead out of its folder.
    pub fn parse(text: &[u8]) -> Result<Self, MetainfoError> {
        let (document, trailing) = Document::parse_beginning(text)?;
        let root = document.root().dictionary().ok_or(MetainfoError::Key("info"))?;
        let info = root.get(b"info").ok_or(MetainfoError::Key("info"))?;
        let raw = info.raw();
        let info = info.dictionary().ok_or(MetainfoError::Key("info"))?;
        let (has_v1, has_v2) = versions(&info)?;
        let name = read_name(&info)?;
        let piece_length = read_piece_length(&info, has_v2)?;
        let mut torrent = Self {
            name,
            is_folder: false,
            piece_length,
            files: Vec::new(),
            pieces: None,
            infohash_v1: has_v1.then(|| Sha1::digest(raw)),
            infohash_v2: has_v2.then(|| Sha256::digest(raw)),
            is_sorted: document.is_sorted(),
            trailing,
        };
        let tree = if has_v2 { Some(tree::read(&info, &torrent)?) } else { None };
        if has_v1 {
            v1::read(&info, &mut torrent)?;
        }
        if let Some(tree) = tree {
            torrent.join(tree, has_v1)?;
            read_layers(&root, &mut torrent)?;
        }
        torrent.check_names()?;
        if has_v1 {
            v1::read_pieces(&info, &mut torrent)?;
        }
        Ok(torrent)
    }

    /// Adds the hashes of version 2 to the files of version 1, or uses the files of version 2.
    fn join(&mut self, tree: Tree, has_v1: bool) -> Result<(), MetainfoError> {
        if !has_v1 {
            (self.is_folder, self.files) = (tree.is_folder, tree.files);
            return Ok(());
        }
        if self.is_folder != tree.is_folder {
            return Err(MetainfoError::Contradiction(self.name.clone()));
        }
        let mut theirs = tree.files.into_iter();
        let mut offset: u64 = 0;
        for file in &mut self.files {
            let start = offset;
            offset += file.length;
            if file.kind == FileKind::Pad {
                continue;
            }
            let contradiction = || MetainfoError::Contradiction(file.path.clone());
            let other = theirs.next().ok_or_else(contradiction)?;
            let is_aligned = file.length == 0 || start.is_multiple_of(self.piece_length);
            let is_same =
                (&other.path, other.length, &other.kind) == (&file.path, file.length, &file.kind);
            if !is_same || !is_aligned {
                return Err(contradiction());
            }
            file.hashes = other.hashes;
        }
        match theirs.next() {
            Some(file) => Err(MetainfoError::Contradiction(file.path)),
            None => Ok(()),
        }
    }

    /// Checks that no name appears twice, and that no file is also a folder.
    fn check_names(&self) -> Result<(), MetainfoError> {
        if self.files.is_empty() {
            return Err(MetainfoError::NoFiles);
        }
        // In an order by names, the content of a folder directly follows it.
        let files = self.files.iter().filter(|file| file.kind != FileKind::Pad);
        let mut paths: Vec<&[u8]> = files.map(|file| &*file.path).collect();
        paths.sort_unstable_by(|a, b| compare(a, b));
        for pair in paths.windows(2) {
            let below = pair[1].strip_prefix(pair[0]);
            if below.is_some_and(|below| below.is_empty() || below[0] == b'/') {
                return Err(MetainfoError::Repeated(pair[1].to_vec()));
            }
        }
        Ok(())
    }
}

/// Compares paths name by name: the content of a folder `a` comes before a file `a-b`. The file
/// tree of version 2 has this order.
pub(crate) fn compare(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    let mut others = b.split(|&byte| byte == b'/');
    for name in a.split(|&byte| byte == b'/') {
        match others.next().map(|other| name.cmp(other)) {
            None => return std::cmp::Ordering::Greater,
            Some(std::cmp::Ordering::Equal) => {}
            Some(order) => return order,
        }
    }
    if others.next().is_some() { std::cmp::Ordering::Less } else { std::cmp::Ordering::Equal }
}

/// Whether there are version 1 and version 2.
fn versions(info: &Dictionary<'_>) -> Result<(bool, bool), MetainfoError> {
    let has_v1 = info.get(b"pieces").is_some();
    let has_v2 = match info.get(b"meta version") {
        None => false,
        Some(version) => match version.integer() {
            Some(2) => true,
            // BEP 52: a later version must be refused.
            _ => return Err(MetainfoError::Version),
        },
    };
    if has_v1 || has_v2 { Ok((has_v1, has_v2)) } else { Err(MetainfoError::Version) }
}

fn read_name(info: &Dictionary<'_>) -> Result<Vec<u8>, MetainfoError> {
    let name = string_utf8(info, "name", "name.utf-8").ok_or(MetainfoError::Key("name"))?;
    name::check(name).map_err(|why| MetainfoError::Name { name: name.to_vec(), why })?;
    Ok(name.to_vec())
}

/// The string of a key, or of the key with the same string in UTF-8, which old programs wrote in
/// addition to one in another encoding.
fn string_utf8<'d>(dictionary: &Dictionary<'d>, key: &str, utf8_key: &str) -> Option<&'d [u8]> {
    let get = |key: &str| dictionary.get(key.as_bytes())?.string();
    get(utf8_key).or_else(|| get(key))
}

fn read_piece_length(info: &Dictionary<'_>, has_v2: bool) -> Result<u64, MetainfoError> {
    let length = info.get(b"piece length").and_then(|length| length.integer());
    let length = length.ok_or(MetainfoError::Key("piece length"))?;
    let refused = MetainfoError::PieceLength(length);
    let bytes = u64::try_from(length).map_err(|_| refused.clone())?;
    let is_possible = (1..=MAX_PIECE_LENGTH).contains(&bytes);
    if !is_possible || has_v2 && !(bytes.is_power_of_two() && bytes >= BLOCK) {
        return Err(refused);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn paths_are_compared_name_by_name() {
        let mut paths = ["b", "a-b", "a/x", "a", "a/b/c", "a/b-c", "ab", "B"];
        paths.sort_by(|a, b| compare(a.as_bytes(), b.as_bytes()));
        assert_eq!(paths, ["B", "a", "a/b/c", "a/b-c", "a/x", "a-b", "ab", "b"]);
    }
}
