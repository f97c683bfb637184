//! Windows: names are sequences of 16-bit units, `\` and `/` separate, and some names are devices.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, IsTerminal, Write};
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::os::windows::fs::FileExt;
use std::os::windows::io::AsHandle;
use std::path::{Component, Path, PathBuf, Prefix};

use super::wtf8;

/// The name of a path, as checksum lines have it: WTF-8 with `/` between the parts.
///
/// No file name contains either separator, so nothing is lost.
pub fn name(path: &Path) -> Cow<'_, [u8]> {
    let bytes = match path.to_str() {
        Some(text) if !text.contains('\\') => return Cow::Borrowed(text.as_bytes()),
        Some(text) => text.as_bytes().to_vec(),
        None => {
            let mut bytes = Vec::new();
            wtf8::encode(path.as_os_str().encode_wide(), &mut bytes);
            bytes
        }
    };
    Cow::Owned(with_slashes(bytes))
}

/// The path with this name.
///
/// # Errors
/// Returns the name if it is not WTF-8, because no path has it.
pub fn path(name: Vec<u8>) -> Result<PathBuf, Vec<u8>> {
    let Some(mut units) = wtf8::decode(&name) else { return Err(name) };
    // `\\?\` means that the rest is literal, but only in this spelling.
    if name.starts_with(b"//?/") {
        let slash = u16::from(b'/');
        units.iter_mut().filter(|unit| **unit == slash).for_each(|unit| *unit = b'\\'.into());
    }
    Ok(OsString::from_wide(&units).into())
}

/// A name in a manifest, with `/` between its parts, as [`name`] has them.
pub(crate) fn with_slashes(mut name: Vec<u8>) -> Vec<u8> {
    name.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    name
}

/// Whether both paths lead to the same file, which may have several names.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    // Opening a pipe would connect with it.
    if is_device(one) || is_device(other) {
        return false;
    }
    let (Ok(one), Ok(other)) = (literal(one), literal(other)) else { return false };
    same_file::is_same_file(one, other).unwrap_or(false)
}

/// Identifies a folder, whichever path leads to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FolderId(PathBuf);

/// The identity of the folder that a path leads to.
///
/// # Errors
/// Any error from the operating system.
pub fn folder_id(path: &Path) -> io::Result<FolderId> {
    fs::canonicalize(path).map(FolderId)
}

/// The standard input without a buffer.
pub fn stdin() -> io::Result<File> {
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

/// The standard output without a buffer.
///
/// A console interprets bytes in its code page, which is rarely UTF-8. The standard library writes
/// Unicode to it instead.
pub enum Stdout {
    /// A file or a pipe.
    File(File),
    /// A console.
    Console(io::Stdout),
}

/// Opens the standard output.
///
/// # Errors
/// If the system has no more descriptors or handles.
pub fn stdout() -> io::Result<Stdout> {
    let stdout = io::stdout();
    if stdout.is_terminal() {
        return Ok(Stdout::Console(stdout));
    }
    Ok(Stdout::File(stdout.as_handle().try_clone_to_owned()?.into()))
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Console(stdout) => {
                // An unpaired surrogate cannot be shown.
                stdout.write_all(String::from_utf8_lossy(bytes).as_bytes())?;
                stdout.flush()?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        // There is no buffer.
        Ok(())
    }
}

/// The standard output and the standard error, if they are files that can be told from others:
/// none, since stamps have no numbers here.
pub(crate) fn outputs() -> Vec<super::Stamp> {
    Vec::new()
}

/// The metadata of a file.
pub fn metadata(path: &Path) -> io::Result<Metadata> {
    fs::metadata(literal(path)?)
}

/// Whether the path alone shows that this is a device or a pipe: `\\.\..`. Reading its metadata
/// would open it, and a pipe would take that for its reader.
pub fn is_device(path: &Path) -> bool {
    matches!(prefix(path), Some(Prefix::DeviceNS(_)))
}

/// Opens a file to read it.
pub fn open(path: &Path) -> io::Result<File> {
    let path = literal(path)?;
    File::open(&path).map_err(|error| {
        // The system reports that access is denied.
        let is_folder = error.kind() == io::ErrorKind::PermissionDenied && path.is_dir();
        if is_folder { io::ErrorKind::IsADirectory.into() } else { error }
    })
}

/// Opens a file that was a regular file when it was last examined.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    open(path)
}

/// Nothing to wait for: opening a pipe connects with its writer.
pub(crate) fn await_writer(file: File) -> io::Result<File> {
    Ok(file)
}

/// Nothing to undo: reads wait for data.
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
pub(crate) fn let_reads_wait(_: &File) -> io::Result<()> {
    Ok(())
}

/// Reads at an offset, and moves the file's own offset.
pub(crate) fn read_at(file: &File, space: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(space, offset)
}

/// The number of files that a run may have open at the same time. Handles do not run out.
pub fn free_descriptors() -> usize {
    usize::MAX
}

/// Does nothing: there is no limit.
pub fn raise_descriptor_limit() {}

/// Whether this error of `open` or `metadata` means that the file does not exist.
pub fn is_missing(error: &io::Error) -> bool {
    /// The name contains a character that no name can have, such as `*`.
    const ERROR_INVALID_NAME: i32 = 123;
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(ERROR_INVALID_NAME)
}

/// The path under which the system opens the file that `path` names, and nothing else.
///
/// The system would drop a dot or space at the end of a name. A name such as `con` or `aux.c` would
/// be a device, and reading it could wait forever. But folders may contain such files, written by
/// other systems, and manifests list them. In a path that begins with `\\?\`, all names are
/// literal.
fn literal(path: &Path) -> io::Result<Cow<'_, Path>> {
    let is_literal = prefix(path).is_some_and(|prefix| prefix.is_verbatim()) || is_device(path);
    match path.file_name() {
        Some(name) if !is_literal && is_not_just_a_name(name) => {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let folder = fs::canonicalize(parent.unwrap_or(Path::new(".")))?;
            Ok(Cow::Owned(folder.join(name)))
        }
        _ => Ok(Cow::Borrowed(path)),
    }
}

fn prefix(path: &Path) -> Option<Prefix<'_>> {
    match path.components().next() {
        Some(Component::Prefix(prefix)) => Some(prefix.kind()),
        _ => None,
    }
}

/// Whether the system might take the name for another one, or for a device.
fn is_not_just_a_name(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    // Older systems consider only the part before the first dot.
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ');
    let stem = stem.to_ascii_uppercase();
    let is_numbered = |device: &str| {
        // Superscript digits count, too.
        let number = stem.strip_prefix(device).map(|number| number.chars().collect::<Vec<_>>());
        matches!(number.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    };
    name.ends_with(['.', ' '])
        || matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || is_numbered("COM")
        || is_numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_slashes_and_come_back() {
        for (given, shown) in [
            ("a", "a"),
            (r"a\b/c", "a/b/c"),
            (r"C:\a", "C:/a"),
            (r"\\server\share\a", "//server/share/a"),
            (r"\\?\C:\a\b.", "//?/C:/a/b."),
            (r"\\.\pipe\a", "//./pipe/a"),
            (r"é\𝄞", "é/𝄞"),
        ] {
            assert_eq!(&*name(Path::new(given)), shown.as_bytes());
            let back = path(shown.into()).unwrap();
            // They are equal as paths, and either both or neither are literal.
            assert_eq!(back, Path::new(given), "{shown}");
            assert_eq!(prefix(&back), prefix(Path::new(given)));
        }
        let alone = PathBuf::from(OsString::from_wide(&[0x61, 0x5c, 0xd800]));
        assert_eq!(&*name(&alone), b"a/\xed\xa0\x80");
        assert_eq!(path(b"a/\xed\xa0\x80".to_vec()), Ok(alone));
        assert_eq!(path(b"caf\xe9".to_vec()), Err(b"caf\xe9".to_vec()));
    }

    #[test]
    fn names_that_windows_would_change_are_known() {
        for name in ["con", "NUL.txt", "aux .c", "com1", "LPT³", "conin$", "a.", "a ", "con:x"] {
            assert!(is_not_just_a_name(name.as_ref()), "{name}");
        }
        for name in ["a", "a.b", "cons", "com", "com10", "comx", "xcon", ".con", "lpt"] {
            assert!(!is_not_just_a_name(name.as_ref()), "{name}");
        }
    }

    #[test]
    fn only_the_namespace_of_devices_has_devices() {
        for path in [r"\\.\pipe\a", "//./COM1", r"\\.\C:\a"] {
            assert!(is_device(Path::new(path)), "{path}");
        }
        for path in ["con", r"\\?\C:\a", r"C:\a", r"\\server\share\a", "a"] {
            assert!(!is_device(Path::new(path)), "{path}");
        }
    }
}
