//! Computes the digests of a folder's files, and of the folder, as a remote build cache names them
//! (Remote Execution API v2): `HASH/SIZE`, SHA-256.
//!
//! ```sh
//! cargo run --release --example build_cache -- FOLDER
//! ```
//!
//! A folder is a message `Directory` of Protocol Buffers with the names and digests of what is in
//! it, so that of the root stands for all. Most inputs of a build, and nearly all such messages,
//! are shorter than 1 KiB: where one at a time is slowest, and lanes help most.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use hashlanes::{AnyDigest, Sha256, digest_many};

/// What is in a folder, in the order of names.
#[derive(Default)]
struct Folder {
    /// Name, number of its content among all, whether it is executable.
    files: Vec<(String, usize, bool)>,
    /// Name and number of the folder.
    folders: Vec<(String, usize)>,
    links: Vec<(String, String)>,
    depth: usize,
}

/// The size of a message, and its digest in hexadecimal.
type Named = (u64, String);

fn invalid(what: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: not UTF-8", what.display()))
}

/// Reads everything below a folder.
fn read(root: &Path) -> io::Result<(Vec<Folder>, Vec<Vec<u8>>)> {
    let (mut folders, mut contents) = (vec![Folder::default()], Vec::new());
    let mut paths = vec![root.to_path_buf()];
    let mut next = 0;
    while next < folders.len() {
        let mut entries = fs::read_dir(&paths[next])?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (path, kind) = (entry.path(), entry.file_type()?);
            let name = entry.file_name().into_string().map_err(|_| invalid(&path))?;
            if kind.is_dir() {
                let number = folders.len();
                folders[next].folders.push((name, number));
                folders.push(Folder { depth: folders[next].depth + 1, ..Folder::default() });
                paths.push(path);
            } else if kind.is_symlink() {
                let target = fs::read_link(&path)?;
                let target = target.into_os_string().into_string().map_err(|_| invalid(&path))?;
                folders[next].links.push((name, target));
            } else {
                #[cfg(unix)]
                let executable =
                    std::os::unix::fs::PermissionsExt::mode(&entry.metadata()?.permissions())
                        & 0o100
                        != 0;
                #[cfg(not(unix))]
                let executable = false;
                folders[next].files.push((name, contents.len(), executable));
                contents.push(fs::read(&path)?);
            }
        }
        next += 1;
    }
    Ok((folders, contents))
}

/// A field with a length (Protocol Buffers, wire type 2).
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2][..], &varint(bytes.len() as u64), bytes].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A message `Digest`. A size of 0 is left out.
fn digest((size, hash): &Named) -> Vec<u8> {
    let size = if *size == 0 { Vec::new() } else { [vec![2 << 3], varint(*size)].concat() };
    [field(1, hash.as_bytes()), size].concat()
}

fn name_all(messages: &[Vec<u8>]) -> Vec<Named> {
    let digests = digest_many::<Sha256>(messages);
    let sizes = messages.iter().map(|message| message.len() as u64);
    sizes.zip(digests.into_iter().map(|digest| AnyDigest::from(digest).to_string())).collect()
}

/// Names the folders, all of one depth at a time, the deepest first.
fn name_folders(folders: &[Folder], files: &[Named]) -> Vec<Named> {
    let mut named = vec![(0, String::new()); folders.len()];
    for depth in (0..=folders.last().map_or(0, |folder| folder.depth)).rev() {
        let at: Vec<_> = (0..folders.len()).filter(|&i| folders[i].depth == depth).collect();
        let message = |&i: &usize| {
            let mut message = Vec::new();
            for (name, content, executable) in &folders[i].files {
                let executable: &[u8] = if *executable { &[4 << 3, 1] } else { &[] };
                let named = field(2, &digest(&files[*content]));
                message
                    .extend(field(1, &[&field(1, name.as_bytes()), &*named, executable].concat()));
            }
            for (name, folder) in &folders[i].folders {
                let named = field(2, &digest(&named[*folder]));
                message.extend(field(2, &[field(1, name.as_bytes()), named].concat()));
            }
            for (name, target) in &folders[i].links {
                let link = [field(1, name.as_bytes()), field(2, target.as_bytes())].concat();
                message.extend(field(3, &link));
            }
            message
        };
        let messages: Vec<_> = at.iter().map(message).collect();
        for (i, name) in at.into_iter().zip(name_all(&messages)) {
            named[i] = name;
        }
    }
    named
}

fn main() -> ExitCode {
    let folder = env::args_os().nth(1).unwrap_or_else(|| "src".into());
    match read(folder.as_ref()) {
        Ok((folders, contents)) => {
            let (size, hash) = name_folders(&folders, &name_all(&contents)).swap_remove(0);
            println!("{hash}/{size}  {} files in {} folders", contents.len(), folders.len());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("build_cache: {}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
