//! Examines the files of a torrent before they are read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hashlanes_files::{LEADS_OUT, RegularFile, Within, system};

use crate::torrent::metainfo::{FileKind, Metainfo, TorrentFile};

/// The state of a file on the disk.
#[derive(Debug)]
pub(super) enum Found {
    /// It exists.
    Present {
        place: PathBuf,
        /// The length in bytes.
        length: u64,
    },
    /// It does not exist, or cannot be read.
    Absent(io::Error),
    /// A link, and whether it matches the torrent.
    Link(Result<(), String>),
    /// A pad file, which is not stored.
    Pad,
}

impl Found {
    /// The number of its bytes that can be hashed.
    pub(super) fn available(&self, file: &TorrentFile) -> u64 {
        match self {
            Self::Present { length, .. } => file.length.min(*length),
            Self::Pad => file.length,
            Self::Absent(_) | Self::Link(_) => 0,
        }
    }
}

/// Whether symbolic links may lead out of the folder in which a torrent is saved, and out of its
/// own folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// They are not followed, so their targets are not read.
    #[default]
    Stay,
    /// They are followed.
    Follow,
}

/// Examines all files of a torrent in `folder`.
pub(super) fn survey(torrent: &Metainfo, folder: &Path, links: Links) -> Vec<Found> {
    let root = system::path(torrent.name.clone()).map(|name| folder.join(name));
    let root = root.unwrap_or_else(|_| folder.into());
    let within = match links {
        Links::Stay => [folder, &*root].map(|folder| Within::new(folder).ok()),
        Links::Follow => [None, None],
    };
    let look = |file: &TorrentFile| {
        if file.kind == FileKind::Pad {
            return Found::Pad;
        }
        let path = if torrent.is_folder {
            match system::path(file.path.clone()) {
                Ok(path) => root.join(path),
                Err(_) => return Found::Absent(no_such_name()),
            }
        } else {
            root.clone()
        };
        match &file.kind {
            FileKind::Link(target) => Found::Link(check_link(&root, &path, target)),
            _ => present(path, &within),
        }
    };
    torrent.files.iter().map(look).collect()
}

fn no_such_name() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "no file can have this name: it is not valid Unicode")
}

/// Opens a file once, to check that it can be read.
fn present(place: PathBuf, within: &[Option<Within>]) -> Found {
    match RegularFile::open(&place) {
        Err(error) => Found::Absent(error),
        Ok(_) if !within.iter().flatten().all(|within| within.has(&place)) => {
            Found::Absent(io::Error::new(io::ErrorKind::PermissionDenied, LEADS_OUT))
        }
        Ok(file) => Found::Present { length: file.stamp().size, place },
    }
}

/// Compares a link with the torrent's target, which is a path below the root.
fn check_link(root: &Path, path: &Path, target: &[u8]) -> Result<(), String> {
    let found = match fs::read_link(path) {
        Ok(found) => found,
        Err(error) if system::is_missing(&error) => return Err("the link is missing".into()),
        Err(_) => return Err("not a symbolic link".into()),
    };
    let above = path.parent().unwrap_or(root);
    let relative = resolve(above.strip_prefix(root).unwrap_or(Path::new("")), &found);
    let name = relative.map(|path| system::name(&path).into_owned());
    if name.as_deref() == Some(target) { Ok(()) } else { Err("the link has another target".into()) }
}

/// The path of a link's target below the root, without following other links. `None` if it is not
/// below the root.
fn resolve(above: &Path, target: &Path) -> Option<PathBuf> {
    use std::path::Component;
    let mut path = above.to_path_buf();
    for component in target.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::Normal(name) => path.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}
