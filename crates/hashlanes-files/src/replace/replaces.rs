//! What may be replaced.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::found;

/// How much of a file is read to see what made it.
const HEAD: u64 = 4096;

/// What a new file may replace.
#[derive(Clone, Copy)]
pub enum Replaces<'a> {
    /// Nothing: no file may be there.
    Nothing,
    /// An empty file, or one that the program made, as its first bytes (at most 4,096) and its
    /// length show. The text says what it should be, as in "a file of metrics".
    Made(&'a str, &'a dyn Fn(&[u8], u64) -> bool),
    /// Any regular file, because the user asked for that or the caller has examined it.
    Any,
}

impl Replaces<'_> {
    /// Returns an error if the file at this path must not be replaced.
    ///
    /// # Errors
    /// The reason. An error from the operating system if the file cannot be examined.
    pub fn refuse(self, path: &Path) -> io::Result<()> {
        let invalid = |why: String| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        let exists = |why: String| Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        let metadata = match fs::metadata(path) {
            Err(_) if path.is_symlink() => return invalid("a broken link".into()),
            result => match found(result)? {
                None => return Ok(()),
                Some(metadata) => metadata,
            },
        };
        if !metadata.is_file() {
            return invalid("not a regular file".into());
        }
        match self {
            Self::Any => Ok(()),
            Self::Nothing => exists("the file exists".into()),
            Self::Made(what, is_made) => {
                let mut head = Vec::new();
                if metadata.len() > 0 {
                    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
                }
                if head.is_empty() || is_made(&head, metadata.len()) {
                    return Ok(());
                }
                exists(format!("not replaced: it is not {what}"))
            }
        }
    }
}
