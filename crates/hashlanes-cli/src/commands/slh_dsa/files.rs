//! Files and their signatures, a few at a time. `-` is the standard input, or the standard output.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hashlanes_files::open_or_stdin;
use hashlanes_files::replace::{Replacement, Replaces};

use crate::terminal::message::{reason, say_of};
use crate::terminal::output;

/// The most files in memory. They are signed or verified side by side.
const FILES: usize = 64;

/// Files are read until they have this many bytes in all.
const BYTES: usize = 64 << 20;

/// The most bytes of a file, which is held in memory.
const MOST: usize = 1 << 30;

/// The names of a file and of its signature.
pub(super) struct Pair {
    pub(super) name: PathBuf,
    pub(super) signature: PathBuf,
}

/// A file in memory.
pub(super) struct Item<'p> {
    pub(super) pair: &'p Pair,
    pub(super) content: Vec<u8>,
    /// Empty if it was not asked for. One byte too long if the file is longer.
    pub(super) signature: Vec<u8>,
}

/// What was read of a file, or why it could not be read.
type Outcome<'p> = Result<Item<'p>, (PathBuf, String)>;

/// Whether a name stands for the standard input or the standard output.
pub(super) fn is_standard(name: &Path) -> bool {
    name.as_os_str() == "-"
}

/// The name of the signature of a file, unless another is given.
pub(super) fn signature_of(name: &Path) -> PathBuf {
    let mut signature = name.as_os_str().to_owned();
    signature.push(".sig");
    PathBuf::from(signature)
}

/// Reads files a few at a time, and their signatures if these have a length.
pub(super) fn groups(
    pairs: &[Pair],
    signature_len: Option<usize>,
) -> impl Iterator<Item = Vec<Outcome<'_>>> {
    let mut pairs = pairs.iter();
    std::iter::from_fn(move || {
        let (mut group, mut bytes) = (Vec::new(), 0);
        while group.len() < FILES && bytes < BYTES {
            let Some(pair) = pairs.next() else { break };
            let outcome = item(pair, signature_len);
            bytes += outcome.as_ref().map_or(0, |item| item.content.len() + item.signature.len());
            group.push(outcome);
        }
        (!group.is_empty()).then_some(group)
    })
}

/// The files of a group that could be read. The others are reported; the second value says whether
/// there are any.
pub(super) fn split(group: Vec<Outcome<'_>>) -> (Vec<Item<'_>>, bool) {
    let (mut found, mut unread) = (Vec::new(), false);
    for outcome in group {
        match outcome {
            Ok(item) => found.push(item),
            Err((path, error)) => {
                say_of(&path, error);
                unread = true;
            }
        }
    }
    (found, unread)
}

fn item(pair: &Pair, signature_len: Option<usize>) -> Outcome<'_> {
    let content = content(&pair.name).map_err(|error| (pair.name.clone(), error))?;
    let signature = match signature_len {
        Some(length) => {
            read(&pair.signature, length).map_err(|error| (pair.signature.clone(), error))?
        }
        None => Vec::new(),
    };
    Ok(Item { pair, content, signature })
}

fn content(name: &Path) -> Result<Vec<u8>, String> {
    let content = read(name, MOST)?;
    if content.len() > MOST {
        let error = "larger than 1 GiB, the limit for signed files; sign its digest instead";
        return Err(error.to_owned());
    }
    Ok(content)
}

/// Reads a file, but at most one byte more than `most`, which shows that it is longer.
fn read(path: &Path, most: usize) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    open_or_stdin(path)
        .and_then(|file| file.take(most as u64 + 1).read_to_end(&mut content))
        .map_err(|error| reason(&error))?;
    Ok(content)
}

/// Writes a signature, in place of the one that is there, or of any file if that is `forced`.
pub(super) fn write(path: &Path, signature: &[u8], forced: bool) -> io::Result<()> {
    if is_standard(path) {
        return output::write(signature);
    }
    let is_signature = |_: &[u8], length| length == signature.len() as u64;
    let replaces = match forced {
        true => Replaces::Any,
        false => Replaces::Made("a signature by such a key; --force replaces it", &is_signature),
    };
    Replacement::begin(path, replaces)?.put_whole(signature)
}
