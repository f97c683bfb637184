//! Replaces a file atomically: a reader, even after a crash, sees either the old file or the new
//! one.
//!
//! While `NAME` is being replaced, there is a folder `.NAME.hashlanes` beside it. It holds a lock,
//! which excludes other runs, and the files that are being written. These are synced to the disk
//! and then renamed. The folder is removed at the end. If a run was killed, its folder remains and
//! the next run takes it over. Nothing is ever written through a link, or into a folder that was
//! not made for this purpose.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, Metadata, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::system::{Stamp, keep_attributes};

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
/// use hashlanes_files::replace::Replacement;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("manifest");
/// let replacement = Replacement::begin(&path)?;
/// let mut new = replacement.create("new")?;
/// new.write_all(b"content")?;
/// replacement.put("new", &new, &path)?;
/// drop(replacement);
/// assert_eq!(std::fs::read(&path)?, b"content");
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    folder: PathBuf,
    /// `None` once the lock is released.
    lock: Option<File>,
}

impl Replacement {
    /// Locks a file, which need not exist. If it is a link, its target will be replaced.
    ///
    /// # Errors
    /// If it is not a regular file, if another run is replacing it, or if the folder cannot be made
    /// or was not made for this purpose.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let target = true_path(path)?;
        if target.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let folder = folder_of(&target);
        let lock = lock(&folder)?;
        let replacement = Self { target, folder, lock: Some(lock) };
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
    /// Those of the system, also if an attribute cannot be kept.
    pub fn create(&self, name: &str) -> io::Result<File> {
        self.remove(name)?;
        let file =
            File::options().read(true).write(true).create_new(true).open(self.folder.join(name))?;
        if let Ok(metadata) = self.target.metadata() {
            keep_owner(&file, &metadata)?;
            file.set_permissions(metadata.permissions())?;
            // After the mode, which is a part of an access control list.
            keep_attributes(&file, &self.target)?;
        }
        Ok(file)
    }

    /// Opens a file that an earlier run left in the folder.
    ///
    /// # Errors
    /// Those of the system. Links are not followed.
    pub fn open(&self, name: &str) -> io::Result<Option<File>> {
        found(no_link(File::options().read(true)).open(self.folder.join(name)))
    }

    /// Renames a file within the folder.
    ///
    /// # Errors
    /// Those of the system.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.folder.join(from), self.folder.join(to))
    }

    /// Removes a file from the folder, if it exists.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        found(fs::remove_file(self.folder.join(name))).map(drop)
    }

    /// Syncs a file of the folder to the disk, and then moves it to `place`, beside the folder.
    ///
    /// # Errors
    /// Those of the system.
    pub fn put(&self, name: &str, file: &File, place: &Path) -> io::Result<()> {
        file.sync_all()?;
        fs::rename(self.folder.join(name), place)?;
        sync_folder(place.parent().unwrap_or(Path::new("/")))
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

/// The files used to replace a file, and the file itself. A walk of the tree around them should
/// skip them.
#[derive(Clone, Debug)]
pub struct Own {
    files: Vec<PathBuf>,
    folder: PathBuf,
}

impl Own {
    /// Those of this file, and of files beside it with these endings appended to its name.
    ///
    /// # Errors
    /// If the folder of the file does not exist.
    pub fn new(path: &Path, endings: &[&str]) -> io::Result<Self> {
        let target = true_path(path)?;
        let folder = folder_of(&target);
        let mut files: Vec<_> = endings.iter().map(|ending| beside(&target, ending)).collect();
        files.push(target);
        Ok(Self { files, folder })
    }

    /// Whether this path is one of them.
    pub fn has(&self, path: &Path) -> bool {
        let is = |own: &Path, path: &Path| {
            own.file_name() == path.file_name() && path.canonicalize().is_ok_and(|path| path == own)
        };
        self.files.iter().any(|own| is(own, path))
            || path.parent().is_some_and(|above| is(&self.folder, above))
    }
}

/// The path with `ending` appended to its name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The path with links resolved. The file need not exist, but its folder must.
fn true_path(path: &Path) -> io::Result<PathBuf> {
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

#[cfg(unix)]
mod unix {
    use std::fs::{DirBuilder, File, Metadata, OpenOptions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
    use std::path::Path;

    use rustix::fs::OFlags;
    use rustix::process::geteuid;

    pub(super) fn no_link(options: &mut OpenOptions) -> &mut OpenOptions {
        options.custom_flags(OFlags::NOFOLLOW.bits() as i32)
    }

    pub(super) fn private(builder: &mut DirBuilder) -> &mut DirBuilder {
        builder.mode(0o700)
    }

    /// Whether only this user can write into the folder.
    pub(super) fn is_mine(folder: &Metadata) -> bool {
        folder.uid() == geteuid().as_raw() && folder.mode() & 0o022 == 0
    }

    /// Gives the file the owner of the old one, if permitted. Otherwise this user owns it.
    pub(super) fn keep_owner(file: &File, old: &Metadata) -> io::Result<()> {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
            return Ok(());
        }
        match fchown(file, Some(old.uid()), Some(old.gid())) {
            Err(error) if error.kind() != io::ErrorKind::PermissionDenied => Err(error),
            _ => Ok(()),
        }
    }

    /// Syncs a rename to the disk.
    pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
        match File::open(folder)?.sync_all() {
            // Some file systems do not support this, and do not need it.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            result => result,
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::fs::{DirBuilder, File, Metadata, OpenOptions};
    use std::io;
    use std::path::Path;

    pub(super) fn no_link(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub(super) fn private(builder: &mut DirBuilder) -> &mut DirBuilder {
        builder
    }

    pub(super) fn is_mine(_: &Metadata) -> bool {
        true
    }

    pub(super) fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(unix))]
use other::{is_mine, keep_owner, no_link, private, sync_folder};
#[cfg(unix)]
use unix::{is_mine, keep_owner, no_link, private, sync_folder};

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| name(entry).unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_run_left_is_taken_over_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        let killed = Replacement::begin(&path).unwrap();
        killed.create("new").unwrap().write_all(b"half").unwrap();
        killed.create("journal").unwrap().write_all(b"kept").unwrap();
        // A run that is killed drops its lock and nothing else.
        let inner = std::mem::ManuallyDrop::new(killed);
        assert!(Replacement::begin(&path).is_err_and(|e| e.to_string().contains("another run")));
        inner.lock.as_ref().unwrap().unlock().unwrap();
        let next = Replacement::begin(&path).unwrap();
        assert_eq!(names(&folder.path().join(".m.hashlanes")), ["journal", "lock"]);
        let mut journal = String::new();
        next.open("journal").unwrap().unwrap().read_to_string(&mut journal).unwrap();
        assert_eq!(journal, "kept");
        let own = Own::new(&path, &[".resume"]).unwrap();
        assert!(own.has(&folder.path().join(".m.hashlanes/journal")));
        assert!(!own.has(&folder.path().join("journal")));
        next.remove("journal").unwrap();
        drop(next);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn the_new_file_has_the_mode_of_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let replacement = Replacement::begin(&path).unwrap();
        let new = replacement.create("new").unwrap();
        assert_eq!(new.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_is_in_the_way_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let (path, way) = (folder.path().join("m"), folder.path().join(".m.hashlanes"));
        let refused = || {
            let error = Replacement::begin(&path).unwrap_err().to_string();
            assert!(error.contains("was not made by hashlanes"), "{error}");
        };
        let other = folder.path().join("other");
        fs::create_dir(&other).unwrap();
        symlink(&other, &way).unwrap();
        refused();
        fs::remove_file(&way).unwrap();
        fs::write(&way, "precious").unwrap();
        refused();
        assert_eq!(fs::read_to_string(&way).unwrap(), "precious");
        fs::remove_file(&way).unwrap();
        fs::create_dir(&way).unwrap();
        fs::set_permissions(&way, fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(way.join("new"), "precious").unwrap();
        refused();
        assert_eq!(names(&way), ["new"]);
        fs::write(way.join("lock"), "precious").unwrap();
        refused();
        assert_eq!(fs::read_to_string(way.join("lock")).unwrap(), "precious");
        fs::remove_file(way.join("lock")).unwrap();
        symlink("../victim", way.join("lock")).unwrap();
        assert!(Replacement::begin(&path).is_err());
        assert!(!folder.path().join("victim").exists());
    }
}
