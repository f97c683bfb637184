//! Opens paths that are longer than the system accepts (4,095 bytes on Linux, 1,023 on macOS).
//!
//! Such a path is opened piece by piece, each relative to the directory before it. A piece is as
//! long as the system accepts. The path means the same as if the system accepted all of it.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::descriptors::patiently;

/// How a file is opened that may have become a FIFO: without waiting for a writer.
pub(super) const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// How a directory on a path is opened. It must be searchable, but not readable.
pub(super) const WAY: OFlags = SEARCHED.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

#[cfg(any(target_os = "linux", target_os = "android"))]
const SEARCHED: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const SEARCHED: OFlags = OFlags::RDONLY;

/// Every system accepts this many bytes.
const PIECE: usize = 1000;

/// Opens a file or directory by a path of any length.
pub(crate) fn open(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    patiently(|| match openat(CWD, path, flags, Mode::empty()) {
        Err(Errno::NAMETOOLONG) => open_by_pieces(path.as_os_str().as_bytes(), flags),
        opened => Ok(opened?),
    })
}

/// Whether an error says that the path is too long.
pub(crate) fn is_too_long(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::NAMETOOLONG.raw_os_error())
}

fn open_by_pieces(path: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
    let mut handle: Option<OwnedFd> = None;
    let mut rest = path;
    loop {
        let (piece, after) = split(rest);
        let flags = if after.is_empty() { flags } else { WAY };
        let piece = OsStr::from_bytes(piece);
        let opened = match &handle {
            Some(handle) => openat(handle, piece, flags, Mode::empty()),
            None => openat(CWD, piece, flags, Mode::empty()),
        }?;
        if after.is_empty() {
            return Ok(opened);
        }
        handle = Some(opened);
        rest = after;
    }
}

/// The first names of a path, and the rest without its leading slashes.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    if path.len() <= PIECE {
        return (path, &[]);
    }
    // The slash is not the first byte, which would leave nothing before it. A single name that is
    // longer than a piece becomes a piece of its own, and the system refuses it.
    let is_slash = |&at: &usize| path[at] == b'/';
    let cut = (1..PIECE).rev().find(is_slash).or_else(|| (PIECE..path.len()).find(is_slash));
    let Some(cut) = cut else { return (path, &[]) };
    let rest = &path[cut..];
    let slashes = rest.iter().take_while(|&&byte| byte == b'/').count();
    if slashes == rest.len() {
        // Trailing slashes say that the last name is a directory.
        return (path, &[]);
    }
    (&path[..cut], &rest[slashes..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_whole_names_and_nothing_is_lost() {
        let name = "n".repeat(250);
        for path in [
            [name.as_str(); 40].join("/"),
            ["", &name, &name, &name, &name, &name].join("//"),
            format!("{}/", [name.as_str(); 5].join("/")),
            [&"x".repeat(2000), "y", "z"].join("/"),
        ] {
            let mut names = Vec::new();
            let mut rest = path.as_bytes();
            while !rest.is_empty() {
                let (piece, after) = split(rest);
                assert!(!piece.is_empty());
                names.extend(piece.split(|&byte| byte == b'/').filter(|name| !name.is_empty()));
                assert!(after.first() != Some(&b'/'));
                rest = after;
            }
            let expected: Vec<_> = path.split('/').filter(|name| !name.is_empty()).collect();
            assert_eq!(names, expected.iter().map(|name| name.as_bytes()).collect::<Vec<_>>());
        }
        assert_eq!(split(b"short/path"), (&b"short/path"[..], &b""[..]));
        // The leading slash stays with the first name.
        let root = format!("/{}/{}", name.repeat(3), name.repeat(2));
        assert!(split(root.as_bytes()).0.starts_with(b"/n"));
    }
}
