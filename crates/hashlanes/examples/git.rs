//! Computes the id that git gives a folder: that of the tree which `git add --all` and
//! `git write-tree` make of it. No object is written.
//!
//! ```sh
//! cargo run --release --example git -- FOLDER
//! ```
//!
//! An object is hashed behind its kind and length: `blob 6\0hello\n`. The header and the content
//! are two parts of one message, so nothing is copied to join them. All files share lanes, and so
//! do all trees of one depth. Everything below the folder counts, except folders named `.git`;
//! `.gitignore` and attributes are not read.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use hashlanes::{AnyDigest, Engine, Sha1};

/// Files are hashed when this many bytes of them are in memory.
const BATCH: usize = 64 << 20;

/// A file or folder, and what it is hashed to.
struct Entry {
    path: PathBuf,
    mode: &'static str,
    /// The number of the folder in which it is.
    parent: usize,
    depth: usize,
    id: [u8; 20],
}

impl Entry {
    fn name(&self) -> &[u8] {
        self.path.file_name().map_or(&[], OsStr::as_encoded_bytes)
    }

    /// Git sorts folders as if their names ended in a slash.
    fn key(&self) -> Vec<u8> {
        let slash: &[u8] = if self.mode == FOLDER { b"/" } else { b"" };
        [self.name(), slash].concat()
    }
}

const FOLDER: &str = "40000";

/// Lists everything below a folder, each folder before what is in it.
fn walk(path: &Path) -> io::Result<Vec<Entry>> {
    let root = Entry { path: path.into(), mode: FOLDER, parent: 0, depth: 0, id: [0; 20] };
    let mut entries = vec![root];
    let mut next = 0;
    while next < entries.len() {
        let (folder, depth) = (entries[next].path.clone(), entries[next].depth + 1);
        if entries[next].mode == FOLDER {
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                let mode = mode(&fs::symlink_metadata(&path)?);
                if mode != FOLDER || path.file_name() != Some(OsStr::new(".git")) {
                    entries.push(Entry { path, mode, parent: next, depth, id: [0; 20] });
                }
            }
        }
        next += 1;
    }
    Ok(entries)
}

fn mode(metadata: &fs::Metadata) -> &'static str {
    #[cfg(unix)]
    let executable = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o100 != 0;
    #[cfg(not(unix))]
    let executable = false;
    match executable {
        _ if metadata.is_dir() => FOLDER,
        _ if metadata.is_symlink() => "120000",
        true => "100755",
        false => "100644",
    }
}

/// Hashes objects of one kind, and stores their ids in the entries with these numbers.
fn hash(kind: &str, contents: &mut Vec<(usize, Vec<u8>)>, entries: &mut [Entry]) {
    let headers: Vec<_> =
        contents.iter().map(|(_, content)| format!("{kind} {}\0", content.len())).collect();
    let each = headers.iter().zip(contents.iter());
    let objects: Vec<_> = each.map(|(header, (_, content))| [header.as_bytes(), content]).collect();
    let ids = Engine::<Sha1>::new().digest_many_parts(&objects);
    for ((number, _), id) in contents.drain(..).zip(ids) {
        entries[number].id = id;
    }
}

fn hash_files(entries: &mut [Entry]) -> io::Result<()> {
    let (mut contents, mut bytes) = (Vec::new(), 0);
    for number in 0..entries.len() {
        let content = match entries[number].mode {
            FOLDER => continue,
            "120000" => fs::read_link(&entries[number].path)?.into_os_string().into_encoded_bytes(),
            _ => fs::read(&entries[number].path)?,
        };
        bytes += content.len();
        contents.push((number, content));
        if bytes >= BATCH {
            hash("blob", &mut contents, entries);
            bytes = 0;
        }
    }
    hash("blob", &mut contents, entries);
    Ok(())
}

/// Hashes the folders, the deepest first. Git has no empty ones: they keep the id of zeros.
fn hash_folders(entries: &mut [Entry]) {
    let mut children = vec![Vec::new(); entries.len()];
    for (number, entry) in entries.iter().enumerate().skip(1) {
        children[entry.parent].push(number);
    }
    // They are listed by depth.
    for depth in (0..=entries[entries.len() - 1].depth).rev() {
        let mut trees = Vec::new();
        for (number, folder) in entries.iter().enumerate() {
            if folder.depth != depth || folder.mode != FOLDER {
                continue;
            }
            let inside = children[number].iter().map(|&child: &usize| &entries[child]);
            let mut inside: Vec<_> = inside.filter(|entry| entry.id != [0; 20]).collect();
            inside.sort_by_cached_key(|entry| entry.key());
            let mut tree = Vec::new();
            for entry in inside {
                tree.extend([entry.mode.as_bytes(), b" ", entry.name(), b"\0"].concat());
                tree.extend(entry.id);
            }
            if depth == 0 || !tree.is_empty() {
                trees.push((number, tree));
            }
        }
        hash("tree", &mut trees, entries);
    }
}

fn main() -> ExitCode {
    let folder = env::args_os().nth(1).unwrap_or_else(|| "src".into());
    let id = walk(folder.as_ref()).and_then(|mut entries| {
        hash_files(&mut entries)?;
        hash_folders(&mut entries);
        Ok(entries[0].id)
    });
    match id {
        Ok(id) => {
            println!("{}", AnyDigest::from(id));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("git: {}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
