//! Extended attributes of files, among which are access control lists.

use std::fs::File;
use std::io;
use std::path::Path;

/// Gives a new file the extended attributes of the one that it will replace. Those that the system
/// itself sets (`security.`, `trusted.`) are copied only if that is permitted.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(crate) fn keep_attributes(new: &File, old: &Path) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fsetxattr, getxattr, listxattr};
    use rustix::io::Errno;

    /// The most bytes of a list of names, and of a value, on Linux.
    const MOST: usize = 64 << 10;

    let mut names = Vec::with_capacity(MOST);
    match listxattr(old, rustix::buffer::spare_capacity(&mut names)) {
        // The file system has none.
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        listed => listed?,
    };
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let mut value = Vec::with_capacity(MOST);
        let kept = getxattr(old, name, rustix::buffer::spare_capacity(&mut value))
            .and_then(|_| fsetxattr(new, name, &value, XattrFlags::empty()));
        let is_of_system = name.starts_with(b"security.") || name.starts_with(b"trusted.");
        match kept {
            Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP) if is_of_system => {}
            Err(error) => {
                let error = io::Error::from(error);
                let name = String::from_utf8_lossy(name);
                let why = format!("its extended attribute {name} cannot be kept: {error}");
                return Err(io::Error::new(error.kind(), why));
            }
            Ok(()) => {}
        }
    }
    Ok(())
}

/// This system's attributes are not known here.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(crate) fn keep_attributes(_: &File, _: &Path) -> io::Result<()> {
    Ok(())
}
