//! A new manifest in the place of the old one, which is whole at every moment.
//!
//! The new one is written beside the old one, brought to the disk, and renamed. Whoever reads the
//! manifest meanwhile, or after a crash, sees all of the old one or all of the new one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use hashlanes_files::manifest::{Digits, Format, HashName, Unwritable, Writer, Written};

pub(super) struct NewManifest {
    /// One for each kind of item. All have the same format.
    writers: Vec<Writer>,
    /// The manifest that is replaced.
    old: PathBuf,
    /// The file that is written.
    pub(super) path: PathBuf,
    file: BufWriter<File>,
    line: Vec<u8>,
    renamed: bool,
}

impl NewManifest {
    /// Begins a manifest that will replace `old`. A link stays, and what it leads to is replaced.
    pub(super) fn new(
        old: &Path,
        format: Format,
        zero: bool,
        kinds: &[Vec<HashName>],
    ) -> io::Result<Self> {
        let old = fs::canonicalize(old)?;
        let metadata = fs::metadata(&old)?;
        let mut name = old.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let path = old.with_file_name(name);
        let file = File::options().write(true).create_new(true).open(&path)?;
        let digits = Digits::Hex;
        let writer = |functions: &Vec<HashName>| {
            let functions = functions.clone();
            Writer { format, functions, digits, zero, binary: false }
        };
        let writers = kinds.iter().map(writer).collect();
        let mut new = Self {
            writers,
            old,
            path,
            file: BufWriter::new(file),
            line: Vec::new(),
            renamed: false,
        };
        keep_owner(&new.path, &metadata)?;
        fs::set_permissions(&new.path, metadata.permissions())?;
        if let Some(writer) = new.writers.first() {
            writer.header(&mut new.line);
        }
        new.file.write_all(&new.line)?;
        Ok(new)
    }

    /// Adds a file. The inner error is that the format cannot hold its name.
    pub(super) fn add<D: AsRef<[u8]>>(
        &mut self,
        kind: usize,
        file: &Written<'_, D>,
    ) -> io::Result<Result<(), Unwritable>> {
        self.line.clear();
        let written = self.writers[kind].file(file, &mut self.line);
        self.file.write_all(&self.line)?;
        Ok(written)
    }

    /// Brings it to the disk, and to its place.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        fs::rename(&self.path, &self.old)?;
        self.renamed = true;
        sync_folder(self.old.parent().unwrap_or(Path::new("/")))
    }
}

impl Drop for NewManifest {
    fn drop(&mut self) {
        if !self.renamed {
            // It is of no use. Nobody can be told if it stays.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Gives the file the owner of the old one, where that is allowed: who may not give files away
/// owns the new one.
#[cfg(unix)]
fn keep_owner(path: &Path, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};

    let new = fs::metadata(path)?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        match chown(path, Some(old.uid()), Some(old.gid())) {
            Err(error) if error.kind() != io::ErrorKind::PermissionDenied => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Brings a rename to the disk.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems cannot do it, and need not.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        result => result,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
