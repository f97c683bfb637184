//! Version 2 (BEP 52): a tree of folders and files with roots, and layers of piece hashes.

use std::collections::HashMap;
use std::sync::Arc;

use super::file::{add, read_attributes, read_kind, read_length};
use super::{FileHashes, FileKind, MAX_PATHS, Metainfo, MetainfoError, TorrentFile};
use crate::torrent::bencode::{Dictionary, Value};
use crate::torrent::merkle::{Node, piece_height, root};
use crate::torrent::name;

/// The files of a tree.
pub(super) struct Tree {
    pub(super) is_folder: bool,
    pub(super) files: Vec<TorrentFile>,
}

/// Reads the tree.
pub(super) fn read(info: &Dictionary<'_>, torrent: &Metainfo) -> Result<Tree, MetainfoError> {
    let tree = info.get(b"file tree").and_then(|tree| tree.dictionary());
    let tree = tree.ok_or(MetainfoError::Key("file tree"))?;
    let mut reader = Reader { files: Vec::new(), path: Vec::new(), total: 0, paths: 0 };
    reader.folder(&tree)?;
    let files = reader.files;
    // BEP 52: a single file has the torrent's name.
    let is_single = matches!(&*files, [file] if file.path == torrent.name);
    Ok(Tree { is_folder: !is_single, files })
}

struct Reader {
    files: Vec<TorrentFile>,
    /// The current folder, followed by `/` unless it is the uppermost.
    path: Vec<u8>,
    total: u64,
    /// The total length of the paths so far.
    paths: usize,
}

impl Reader {
    /// The recursion is bounded by the depth of the text.
    fn folder(&mut self, folder: &Dictionary<'_>) -> Result<(), MetainfoError> {
        for (name, value) in folder.entries() {
            let length = self.path.len();
            self.path.extend(name);
            if let Err(why) = name::check(name) {
                return Err(MetainfoError::Name { name: self.path.clone(), why });
            }
            self.entry(&value)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Value<'_>) -> Result<(), MetainfoError> {
        let entry = entry.dictionary().ok_or(MetainfoError::Key("file tree"))?;
        let Some(file) = entry.get(b"") else {
            self.path.push(b'/');
            return self.folder(&entry);
        };
        if entry.entries().count() > 1 {
            return Err(MetainfoError::Repeated(self.path.clone()));
        }
        self.paths += self.path.len();
        if self.paths > MAX_PATHS {
            return Err(MetainfoError::LongPaths);
        }
        let file = self.file(&file.dictionary().ok_or(MetainfoError::Key("file tree"))?)?;
        add(&mut self.total, &file)?;
        // Pad files belong to version 1. In version 2, each file begins at a piece.
        if file.kind != FileKind::Pad {
            self.files.push(file);
        }
        Ok(())
    }

    fn file(&self, file: &Dictionary<'_>) -> Result<TorrentFile, MetainfoError> {
        let path = self.path.clone();
        let kind = read_kind(file, read_attributes(file)?)?;
        let length = read_length(file, &path)?;
        let root = match file.get(b"pieces root") {
            None => None,
            Some(root) => Some(
                root.string()
                    .and_then(|root| Node::try_from(root).ok())
                    .ok_or(MetainfoError::Key("pieces root"))?,
            ),
        };
        if root.is_some() != (length > 0) {
            return Err(MetainfoError::Root(path));
        }
        let hashes = root.map(|root| FileHashes { root, layer: Arc::default() });
        Ok(TorrentFile { path, length, kind, hashes })
    }
}

/// Reads the layers, and computes the root of each.
pub(super) fn read_layers(
    document: &Dictionary<'_>,
    torrent: &mut Metainfo,
) -> Result<(), MetainfoError> {
    let mut layers: HashMap<&[u8], &[u8]> = HashMap::new();
    let has_layers = document.get(b"piece layers").is_some();
    if let Some(value) = document.get(b"piece layers") {
        let value = value.dictionary().ok_or(MetainfoError::Key("piece layers"))?;
        for (root, layer) in value.entries() {
            let layer = layer.string().ok_or(MetainfoError::Key("piece layers"))?;
            layers.insert(root, layer);
        }
    }
    // Files of equal content share a layer, whose root is computed once.
    let mut known: HashMap<Node, Arc<[Node]>> = HashMap::new();
    let (piece_length, height) = (torrent.piece_length, piece_height(torrent.piece_length));
    for file in &mut torrent.files {
        let Some(hashes) = file.hashes.as_mut().filter(|_| file.length > piece_length) else {
            continue;
        };
        if let Some(layer) = known.get(&hashes.root) {
            if layer.len() as u64 != file.length.div_ceil(piece_length) {
                return Err(MetainfoError::Layer(file.path.clone()));
            }
            hashes.layer = layer.clone();
            continue;
        }
        // Without any layers, as in a torrent made of a magnet link, the root is left.
        if !has_layers {
            continue;
        }
        let layer = layers.get(&hashes.root[..]).copied();
        let layer = layer.ok_or_else(|| MetainfoError::NoLayer(file.path.clone()))?;
        let (nodes, rest) = layer.as_chunks::<32>();
        let is_whole = nodes.len() as u64 == file.length.div_ceil(piece_length);
        if !is_whole || !rest.is_empty() || root(nodes, height) != hashes.root {
            return Err(MetainfoError::Layer(file.path.clone()));
        }
        hashes.layer = nodes.into();
        known.insert(hashes.root, hashes.layer.clone());
    }
    if known.len() != layers.len() { Err(MetainfoError::StrayLayer) } else { Ok(()) }
}
