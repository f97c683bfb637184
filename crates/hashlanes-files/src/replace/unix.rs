//! Owners and modes of files, and links.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::process::geteuid;

pub(super) fn no_link(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32)
}

pub(super) fn private(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder.mode(0o700)
}

/// Whether only this user can write into the folder.
pub(super) fn is_mine(folder: &Metadata) -> bool {
    folder.uid() == geteuid().as_raw() && folder.mode() & 0o022 == 0
}

/// Whether the file was written by a user other than this one and root.
pub fn is_of_other(file: &Metadata) -> bool {
    file.uid() != geteuid().as_raw() && file.uid() != 0
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
