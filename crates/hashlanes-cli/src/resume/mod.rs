//! `hashlanes sum --resume MANIFEST`: goes on where an earlier run ended.
//!
//! The manifest has a comment before each file, with the file's size and time. Comments are passed
//! over by the GNU tools, also with `--strict --warn`, by Perl's `shasum`, by `rhash` and by
//! ourselves. A file whose size and time are those of its comment is not read: its lines are
//! copied.
//!
//! ```text
//! # hashlanes sum --resume 1 sha256                        the first line: how lines are written
//! # 1234 1700000000.123456789                              a group: size and time of a file,
//! 9f86d081884c7d659a2feaa0c55ad015...  name                and its lines
//! ```
//!
//! A run writes `MANIFEST.partial`, and renames it to MANIFEST when it is complete. So MANIFEST
//! never has half a line, whenever the run is killed. The next run takes the whole groups of what
//! is there: first it merges the partial file into MANIFEST, also by rename. Both are sorted as the
//! walk is. So nothing of them is held in memory but the next group.

mod group;
mod kept;

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use group::{Groups, starts_as};
pub(crate) use group::{Layout, write_stamp};
pub(crate) use kept::Kept;

use hashlanes_files::system::Stamp;

/// A manifest that is being completed.
pub(crate) struct Resumed {
    layout: Layout,
    manifest: PathBuf,
    partial: PathBuf,
    /// Open while the run lasts. Its lock keeps other runs away.
    file: File,
}

impl Resumed {
    /// Takes what earlier runs have done, and begins a new partial file.
    ///
    /// # Errors
    /// If the files cannot be read or written, if MANIFEST was not written by `--resume` with the
    /// same options, or if another run is at work.
    pub(crate) fn begin(manifest: &Path, layout: Layout) -> io::Result<Self> {
        // A link to the manifest stays one.
        let manifest = match manifest.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => in_folder(manifest)?,
            found => found?,
        };
        if manifest.exists() {
            check(&manifest, &layout)?;
        }
        let partial = beside(&manifest, ".partial");
        let file = lock(&partial)?;
        merge(&manifest, &partial, &layout)?;
        file.set_len(0)?;
        (&file).write_all(&layout.header())?;
        Ok(Self { layout, manifest, partial, file })
    }

    /// Where the lines go.
    pub(crate) fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// What the manifest has.
    pub(crate) fn kept(&self) -> io::Result<Kept> {
        let groups = open(&self.manifest, &self.layout)?;
        Ok(Kept::new(groups, [self.manifest.clone(), self.partial.clone()]))
    }

    /// Puts the complete file in the place of the manifest.
    pub(crate) fn finish(self) -> io::Result<()> {
        put(&self.file, &self.partial, &self.manifest)
    }
}

/// The path of a file that does not exist yet, below the true path of its folder.
fn in_folder(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok(folder.unwrap_or(Path::new(".")).canonicalize()?.join(name))
}

/// The path with something after its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Refuses a manifest that this run could not have written.
fn check(manifest: &Path, layout: &Layout) -> io::Result<()> {
    let refused = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    if !manifest.metadata()?.is_file() {
        return refused("not a regular file");
    }
    if !starts_as(File::open(manifest)?, layout)? {
        return refused("not written by --resume with these options, so it has no times of files");
    }
    Ok(())
}

fn lock(partial: &Path) -> io::Result<File> {
    loop {
        let mut options = File::options();
        let file = options.create(true).truncate(false).read(true).write(true).open(partial)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another run writes it"));
            }
            // Not every file system has locks.
            Err(TryLockError::Error(_)) => return Ok(file),
        }
        // Another run may have renamed it between the two. Then it is the manifest now.
        let stamp = |metadata: io::Result<Metadata>| metadata.ok().map(|it| Stamp::from(&it));
        if stamp(file.metadata()) == stamp(fs::metadata(partial)) {
            return Ok(file);
        }
    }
}

fn open(path: &Path, layout: &Layout) -> io::Result<Option<Groups<File>>> {
    match File::open(path) {
        Ok(file) => Groups::new(BufReader::new(file), layout),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Merges the groups of a partial file into a manifest. Where both have a file, the partial one is
/// newer.
fn merge(manifest: &Path, partial: &Path, layout: &Layout) -> io::Result<()> {
    let Some(new) = open(partial, layout)? else { return Ok(()) };
    let mut new = new.peekable();
    if new.peek().is_none() {
        return Ok(());
    }
    let mut old = open(manifest, layout)?.into_iter().flatten().peekable();
    let path = beside(manifest, ".merged");
    let mut merged = BufWriter::new(File::create(&path)?);
    merged.write_all(&layout.header())?;
    while let Some(next) = new
        .next_if(|new| {
            // An error of reading either ends the merge below.
            !matches!((new, old.peek()), (Ok(new), Some(Ok(old))) if old.name < new.name)
        })
        .or_else(|| old.next())
    {
        let next = next?;
        old.next_if(|old| old.as_ref().is_ok_and(|old| old.name == next.name));
        merged.write_all(&next.bytes)?;
    }
    put(&merged.into_inner()?, &path, manifest)
}

/// Renames a file that is written completely. It is on the disk before it takes the name.
fn put(file: &File, path: &Path, manifest: &Path) -> io::Result<()> {
    if let Ok(metadata) = manifest.metadata() {
        file.set_permissions(metadata.permissions())?;
    }
    file.sync_all()?;
    fs::rename(path, manifest)
}
