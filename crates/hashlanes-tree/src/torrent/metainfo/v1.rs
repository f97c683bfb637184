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
    if info.get(b"length").is_some() {
        return Err(MetainfoError::Contradiction(torrent.name.clone()));
    }
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

fn read_file(file: &Dictionary<'_>) -> Result<TorrentFile, MetainfoError> {
    let path = file.get(b"path.utf-8").or_else(|| file.get(b"path"));
    let path = path.ok_or(MetainfoError::Key("path"))?;
    let attributes = read_attributes(file)?;
    let kind = read_kind(file, attributes)?;
    let path = match kind {
        // No file is made of it.
        FileKind::Pad => join(&path)?,
        _ => read_path(&path)?,
    };
    Ok(TorrentFile { length: read_length(file, &path)?, path, kind, hashes: None })
}
