//! Version 1 (BEP 3): a list of files, and the concatenated hashes of their pieces.

use super::file::{add, join, read_attributes, read_kind, read_length, read_path};
use super::{FileKind, Metainfo, MetainfoError, TorrentFile};
use crate::torrent::bencode::Dictionary;

/// Reads the files.
pub(super) fn read(info: &Dictionary<'_>, torrent: &mut Metainfo) -> Result<(), MetainfoError> {
    let Some(files) = info.get(b"files") else {
        let length = read_length(info, &torrent.name)?;
        let path = torrent.name.clone();
        let file = TorrentFile { path, length, kind: FileKind::Regular, hashes: None };
        add(&mut 0, &file)?;
        torrent.files.push(file);
        return Ok(());
    };
    // Some programs write the total `length`, too. The number of pieces is that of the files.
    torrent.is_folder = true;
    let mut total = 0;
    for file in files.list().ok_or(MetainfoError::Key("files"))? {
        let file = file.dictionary().ok_or(MetainfoError::Key("files"))?;
        let file = read_file(&file)?;
        add(&mut total, &file)?;
        torrent.files.push(file);
    }
    Ok(())
}

/// Reads the hashes of the pieces.
pub(super) fn read_pieces(
    info: &Dictionary<'_>,
    torrent: &mut Metainfo,
) -> Result<(), MetainfoError> {
    let pieces = info.get(b"pieces").and_then(|pieces| pieces.string());
    let pieces = pieces.ok_or(MetainfoError::Key("pieces"))?;
    let expected = torrent.total().div_ceil(torrent.piece_length);
    let (digests, rest) = pieces.as_chunks::<20>();
    if digests.len() as u64 != expected || !rest.is_empty() {
        return Err(MetainfoError::Pieces { expected, bytes: pieces.len() });
    }
    torrent.pieces = Some(digests.to_vec());
    Ok(())
}

/// How the names of BitComet's pad files begin.
const PADDING: &[u8] = b"_____padding_file_";

fn read_file(file: &Dictionary<'_>) -> Result<TorrentFile, MetainfoError> {
    let path = file.get(b"path.utf-8").or_else(|| file.get(b"path"));
    let attributes = read_attributes(file)?;
    let mut kind = read_kind(file, attributes)?;
    let joined = path.as_ref().map(join).transpose()?;
    // BitComet's pad files have names and no attributes.
    let last = joined.as_deref().and_then(|path| path.rsplit(|byte| *byte == b'/').next());
    if kind == FileKind::Regular && last.is_some_and(|name| name.starts_with(PADDING)) {
        kind = FileKind::Pad;
    }
    let path = match (&kind, path) {
        // No file is made of it.
        (FileKind::Pad, _) => joined.unwrap_or_default(),
        (_, path) => read_path(&path.ok_or(MetainfoError::Key("path"))?)?,
    };
    Ok(TorrentFile { length: read_length(file, &path)?, path, kind, hashes: None })
}
