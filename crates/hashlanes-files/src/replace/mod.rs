//! Replaces a file atomically: a reader, even after a crash, sees either the old file or the new
//! one.
//!
//! While `NAME` is being replaced, there is a folder `.NAME.hashlanes` beside it. It holds a lock,
//! which excludes other runs, and the files that are being written. These are synced to the disk
//! and then renamed. The folder is removed at the end. If a run was killed, its folder remains and
//! the next run takes it over. Nothing is ever written through a link, or into a folder that was
//! not made for this purpose.
//!
//! The caller that begins a [`Replacement`] says what it [may replace](Replaces). A file that
//! appears or changes in the meantime is never replaced.

#[cfg(not(unix))]
mod other;
mod own;
mod replaces;
#[cfg(all(test, unix))]
mod tests;
#[cfg(unix)]
mod unix;

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, Metadata, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

#[cfg(not(unix))]
pub use other::is_of_other;
#[cfg(not(unix))]
use other::{is_mine, keep_owner, no_link, private, sync_folder};
pub use own::Own;
pub use replaces::Replaces;
#[cfg(unix)]
pub use unix::is_of_other;
#[cfg(unix)]
use unix::{is_mine, keep_owner, no_link, private, sync_folder};

use crate::system::{Stamp, is_same_file, keep_attributes};

/// The lock file in the folder.
const LOCK: &str = "lock";

/// The content of the lock file.
const HEADER: &[u8] = b"hashlanes replaces a file beside this folder\n";

/// The prefix of files that a later run cannot use.
const NEW: &str = "new";

/// A file that is being replaced. Other runs are excluded until this is dropped.
///
/// # Examples
/// ```
/// use std::io::Write;
///
/// use hashlanes_files::replace::{Replacement, Replaces};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("manifest");
/// let replacement = Replacement::begin(&path, Replaces::Nothing)?;
/// let mut new = replacement.create("new")?;
/// new.write_all(b"content")?;
/// replacement.put("new", &new, &path)?;
/// drop(replacement);
/// assert_eq!(std::fs::read(&path)?, b"content");
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
/// assert!(Replacement::begin(&path, Replaces::Nothing).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    folder: PathBuf,
    /// The file that was at the target in the beginning.
    old: Option<Stamp>,
    /// `None` once the lock is released.
    lock: Option<File>,
}

impl Replacement {
    /// Locks a file, which need not exist. If it is a link, its target will be replaced.
    ///
    /// # Errors
    /// If it must not be replaced, if another run is replacing it, or if the folder cannot be made
    /// or was not made for this purpose.
    pub fn begin(path: &Path, replaces: Replaces<'_>) -> io::Result<Self> {
        let target = true_path(path)?;
        replaces.refuse(&target)?;
        let folder = folder_of(&target);
        let lock = lock(&folder)?;
        let mut replacement = Self { target, folder, old: None, lock: Some(lock) };
        // Another run may have written it before this one had the lock.
        replacement.old = replacement.now()?;
        replaces.refuse(&replacement.target)?;
        replacement.remove_new()?;
        Ok(replacement)
    }

    /// The file that is replaced, with all links resolved.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The folder with the files that are being written.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates a file in the folder, with the mode of the target, its extended attributes and, if
    /// permitted, its owner.
    /// Removes any file of the same name. If this run is killed, a later run finds the file, unless
    /// its name begins with `new`.
    ///
    /// # Errors
    /// Any error from the operating system, including a failure to keep an attribute.
    pub fn create(&self, name: &str) -> io::Result<File> {
        let file = self.create_mine(name)?;
        if let Ok(metadata) = self.target.metadata() {
            keep_owner(&file, &metadata)?;
            // A change of the owner may have changed the mode.
            file.set_permissions(metadata.permissions())?;
            // After the mode, which is a part of an access control list.
            keep_attributes(&file, &self.target)?;
        }
        Ok(file)
    }

    /// Like [`create`](Self::create), but the file belongs to the user who runs the program.
    ///
    /// # Errors
    /// Any error from the operating system.
    pub fn create_mine(&self, name: &str) -> io::Result<File> {
        self.remove(name)?;
        let file =
            File::options().read(true).write(true).create_new(true).open(self.folder.join(name))?;
        if let Ok(metadata) = self.target.metadata() {
            file.set_permissions(metadata.permissions())?;
        }
        Ok(file)
    }

    /// Opens a file that an earlier run left in the folder.
    ///
    /// # Errors
    /// Any error from the operating system. Links are not followed.
    pub fn open(&self, name: &str) -> io::Result<Option<File>> {
        found(no_link(File::options().read(true)).open(self.folder.join(name)))
    }

    /// Renames a file within the folder.
    ///
    /// # Errors
    /// Any error from the operating system.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.folder.join(from), self.folder.join(to))
    }

    /// Removes a file from the folder, if it exists.
    ///
    /// # Errors
    /// Any error from the operating system.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        found(fs::remove_file(self.folder.join(name))).map(drop)
    }

    /// Syncs a file of the folder to the disk, and then moves it to `place`, beside the folder.
    ///
    /// # Errors
    /// If `place` is the target, and another program has meanwhile written or made a file there.
    /// Otherwise, any error from the operating system.
    pub fn put(&self, name: &str, file: &File, place: &Path) -> io::Result<()> {
        file.sync_all()?;
        if place == self.target && !self.is_as_before()? {
            let why = "not replaced: another program changed it in the meantime";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        fs::rename(self.folder.join(name), place)?;
        sync_folder(place.parent().unwrap_or(Path::new("/")))
    }

    /// Writes the whole file, and puts it in its place.
    ///
    /// # Errors
    /// The same as [`put`](Self::put).
    pub fn put_whole(&self, content: &[u8]) -> io::Result<()> {
        let mut new = self.create(NEW)?;
        new.write_all(content)?;
        self.put(NEW, &new, &self.target)
    }

    /// The file that is at the target.
    fn now(&self) -> io::Result<Option<Stamp>> {
        Ok(found(fs::symlink_metadata(&self.target))?.map(|metadata| Stamp::from(&metadata)))
    }

    fn is_as_before(&self) -> io::Result<bool> {
        Ok(match (&self.old, self.now()?) {
            (None, None) => true,
            (Some(old), Some(now)) => old.has_content_of(&now),
            // Somebody has removed it, which loses nothing.
            (Some(_), None) => true,
            (None, Some(_)) => false,
        })
    }

    fn remove_new(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().as_encoded_bytes().starts_with(NEW.as_bytes()) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // Errors cannot be reported here. The next run removes what remains.
        let _ = self.remove_new();
        let is_lock = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|e| e.file_name() == LOCK);
        if fs::read_dir(&self.folder).is_ok_and(|mut entries| entries.all(is_lock)) {
            let _ = self.remove(LOCK);
            // On some file systems of Windows, a file keeps its name until it is closed.
            self.lock = None;
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// The path with `ending` appended to its name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Whether both paths lead to the same file, or to the same place for a file that does not exist.
pub fn is_same_place(one: &Path, other: &Path) -> bool {
    let is_same = |one| true_path(other).is_ok_and(|other| one == other);
    is_same_file(one, other) || true_path(one).is_ok_and(is_same)
}

/// The path with links resolved. The file need not exist, but its folder must.
///
/// # Errors
/// If it is a broken link or the name of a folder. Otherwise, any error from the operating system.
pub fn true_path(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if path.is_symlink() {
                return Err(io::Error::new(error.kind(), "a broken link"));
            }
            let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
            if !path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes()) {
                return Err(io::Error::new(io::ErrorKind::NotADirectory, "the name of a folder"));
            }
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            Ok(folder.unwrap_or(Path::new(".")).canonicalize()?.join(name))
        }
        found => found,
    }
}

fn folder_of(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or(OsStr::new(""));
    let parts = [OsStr::new("."), name, OsStr::new(".hashlanes")];
    target.with_file_name(parts.into_iter().collect::<OsString>())
}

/// Makes or takes over the folder, and locks it.
fn lock(folder: &Path) -> io::Result<File> {
    let path = folder.join(LOCK);
    loop {
        make(folder)?;
        let options = &mut File::options();
        let file = match no_link(options.create(true).truncate(false).read(true).write(true))
            .open(&path)
        {
            // Another run has just removed the folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened?,
        };
        match file.try_lock() {
            // Some file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(
                    io::ErrorKind::ResourceBusy,
                    "another run is writing it",
                ));
            }
        }
        // Another run may have removed it between opening and locking.
        let stamp = |metadata: io::Result<Metadata>| metadata.ok().map(|it| Stamp::from(&it));
        if stamp(file.metadata()) == stamp(fs::symlink_metadata(&path)) {
            mark(&file, folder)?;
            return Ok(file);
        }
    }
}

/// Makes the folder, unless it exists.
fn make(folder: &Path) -> io::Result<()> {
    match private(&mut DirBuilder::new()).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made,
    }
    match found(fs::symlink_metadata(folder))? {
        Some(metadata) if !metadata.is_dir() || !is_mine(&metadata) => Err(foreign(folder)),
        // Of the files in the folder, the lock is made first and removed last.
        Some(_) if is_foreign(folder) => Err(foreign(folder)),
        // `None` if another run has just removed it. Then opening the lock fails.
        _ => Ok(()),
    }
}

/// Whether the folder has files but no lock. Another run may come or go meanwhile, so this looks
/// several times.
fn is_foreign(folder: &Path) -> bool {
    let has_others = || {
        let is_other = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|e| e.file_name() != LOCK);
        fs::read_dir(folder).is_ok_and(|mut entries| entries.any(is_other))
    };
    (0..10).all(|_| has_others() && !folder.join(LOCK).exists())
}

/// Writes the header of the lock. If it is there already, the folder was left by a killed run.
fn mark(mut lock: &File, folder: &Path) -> io::Result<()> {
    let mut header = Vec::new();
    lock.take(HEADER.len() as u64 + 1).read_to_end(&mut header)?;
    let others = fs::read_dir(folder)?.count() > 1;
    // A killed run may have written a part of the header, and nothing else yet.
    if header != HEADER && (others || !HEADER.starts_with(&header)) {
        return Err(foreign(folder));
    }
    lock.write_all(&HEADER[header.len()..]).inspect_err(|_| {
        // There is nothing but the lock yet, and no later run needs it.
        let _ = fs::remove_file(folder.join(LOCK));
        let _ = fs::remove_dir(folder);
    })
}

fn foreign(folder: &Path) -> io::Error {
    let folder = crate::name::quote(folder);
    let why = format!("{folder} is in the way: it was not made by hashlanes for this user");
    io::Error::new(io::ErrorKind::AlreadyExists, why)
}

/// `None` if the file does not exist.
fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}
