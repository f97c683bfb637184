//! Version 1 (BEP 3): a list of files, and the hashes of their pieces one behind the other.

use super::read::add;
use super::{FileKind, Metainfo, MetainfoError, TorrentFile};
use crate::torrent::bencode::{Dictionary, Value};
use crate::torrent::name;

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
        // Nobody makes a file of it.
        FileKind::Pad => join(&path)?,
        _ => read_path(&path)?,
    };
    Ok(TorrentFile { length: read_length(file, &path)?, path, kind, hashes: None })
}

/// The letters of `attr` (BEP 47).
pub(super) fn read_attributes<'d>(file: &Dictionary<'d>) -> Result<&'d [u8], MetainfoError> {
    match file.get(b"attr") {
        None => Ok(b""),
        Some(attributes) => attributes.string().ok_or(MetainfoError::Key("attr")),
    }
}

pub(super) fn read_kind(
    file: &Dictionary<'_>,
    attributes: &[u8],
) -> Result<FileKind, MetainfoError> {
    if attributes.contains(&b'p') {
        return Ok(FileKind::Pad);
    }
    if !attributes.contains(&b'l') {
        return Ok(FileKind::Regular);
    }
    let target = file.get(b"symlink path").ok_or(MetainfoError::Key("symlink path"))?;
    Ok(FileKind::Link(read_path(&target)?))
}

pub(super) fn read_length(file: &Dictionary<'_>, name: &[u8]) -> Result<u64, MetainfoError> {
    // A link needs none.
    let Some(length) = file.get(b"length") else {
        let is_link = read_attributes(file)?.contains(&b'l');
        return if is_link { Ok(0) } else { Err(MetainfoError::Key("length")) };
    };
    let length = length.integer().ok_or(MetainfoError::Key("length"))?;
    u64::try_from(length).map_err(|_| MetainfoError::Length(name.to_vec()))
}

/// The names of a list, with `/` between them.
fn join(path: &Value<'_>) -> Result<Vec<u8>, MetainfoError> {
    let mut joined: Vec<u8> = Vec::new();
    for (i, name) in path.list().ok_or(MetainfoError::Key("path"))?.enumerate() {
        if i > 0 {
            joined.push(b'/');
        }
        joined.extend(name.string().ok_or(MetainfoError::Key("path"))?);
    }
    Ok(joined)
}

/// A path, each name of which stays in its folder.
fn read_path(path: &Value<'_>) -> Result<Vec<u8>, MetainfoError> {
    let joined = join(path)?;
    let mut count = 0;
    for part in path.list().into_iter().flatten().filter_map(|name| name.string()) {
        name::check(part).map_err(|why| MetainfoError::Name { name: joined.clone(), why })?;
        count += 1;
    }
    if count == 0 { Err(MetainfoError::Key("path")) } else { Ok(joined) }
}
