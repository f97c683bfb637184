//! The attributes, length and path of a file, in either version.

use super::{FileKind, MAX_TOTAL, MetainfoError, TorrentFile};
use crate::torrent::bencode::{Dictionary, Value};
use crate::torrent::name;

/// Adds the length of a file to the total.
pub(super) fn add(total: &mut u64, file: &TorrentFile) -> Result<(), MetainfoError> {
    *total = total.saturating_add(file.length);
    if *total > MAX_TOTAL {
        return Err(MetainfoError::Length(file.path.clone()));
    }
    Ok(())
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
    // A link needs no length.
    let Some(length) = file.get(b"length") else {
        let is_link = read_attributes(file)?.contains(&b'l');
        return if is_link { Ok(0) } else { Err(MetainfoError::Key("length")) };
    };
    let length = length.integer().ok_or(MetainfoError::Key("length"))?;
    u64::try_from(length).map_err(|_| MetainfoError::Length(name.to_vec()))
}

/// Joins the names of a list with `/`.
pub(super) fn join(path: &Value<'_>) -> Result<Vec<u8>, MetainfoError> {
    let mut joined: Vec<u8> = Vec::new();
    for (i, name) in path.list().ok_or(MetainfoError::Key("path"))?.enumerate() {
        if i > 0 {
            joined.push(b'/');
        }
        joined.extend(name.string().ok_or(MetainfoError::Key("path"))?);
    }
    Ok(joined)
}

/// A path whose names all stay within their folders.
pub(super) fn read_path(path: &Value<'_>) -> Result<Vec<u8>, MetainfoError> {
    let joined = join(path)?;
    let mut count = 0;
    for part in path.list().into_iter().flatten().filter_map(|name| name.string()) {
        name::check(part).map_err(|why| MetainfoError::Name { name: joined.clone(), why })?;
        count += 1;
    }
    if count == 0 { Err(MetainfoError::Key("path")) } else { Ok(joined) }
}
