//! Unix: names are bytes, and opening or reading any file may have to wait.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use super::descriptors::patiently;
use super::{Stamp, long, stamp};

/// The bytes of a path, as checksum lines have them. They need not be UTF-8.
pub fn name(path: &Path) -> Cow<'_, [u8]> {
    Cow::Borrowed(path.as_os_str().as_bytes())
}

/// The path with this name.
///
/// # Errors
/// Never on this system, where any bytes are a path. Other systems can fail.
pub fn path(name: Vec<u8>) -> Result<PathBuf, Vec<u8>> {
    Ok(OsString::from_vec(name).into())
}

/// A name in a manifest, with `/` between its parts. Here it has them already.
pub(crate) fn with_slashes(name: Vec<u8>) -> Vec<u8> {
    name
}

/// Whether both paths lead to the same file, which may have several names. Opens neither.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path| metadata(path).map(|it| (it.dev(), it.ino()));
    identity(one).is_ok_and(|one| identity(other).is_ok_and(|other| one == other))
}

/// Identifies a folder, whichever path leads to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FolderId {
    device: u64,
    number: u64,
}

/// The identity of the folder that a path leads to.
///
/// # Errors
/// Any error from the operating system.
pub fn folder_id(path: &Path) -> io::Result<FolderId> {
    metadata(path).map(|it| FolderId { device: it.dev(), number: it.ino() })
}

/// The standard input without a buffer.
pub fn stdin() -> io::Result<File> {
    Ok(patiently(|| io::stdin().as_fd().try_clone_to_owned())?.into())
}

/// The standard output without a buffer.
pub type Stdout = File;

/// Opens the standard output.
///
/// # Errors
/// If the system has no more descriptors or handles.
pub fn stdout() -> io::Result<Stdout> {
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

/// The standard output and the standard error, if they are regular files.
pub(crate) fn outputs() -> Vec<Stamp> {
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let own = |fd: io::Result<OwnedFd>| stamp(&fd.ok()?.into()).ok().flatten();
    let outputs = [stdout.as_fd().try_clone_to_owned(), stderr.as_fd().try_clone_to_owned()];
    outputs.into_iter().filter_map(own).collect()
}

/// The metadata of a file, which is not opened.
pub fn metadata(path: &Path) -> io::Result<Metadata> {
    match fs::metadata(path) {
        Err(error) if long::is_too_long(&error) => {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            let flags = OFlags::PATH;
            // Other systems must open the file, which the writer of a FIFO would notice.
            #[cfg(not(any(target_os = "linux", target_os = "android")))]
            let flags = OFlags::RDONLY | OFlags::NONBLOCK;
            File::from(long::open(path, flags | OFlags::CLOEXEC)?).metadata()
        }
        metadata => metadata,
    }
}

/// Whether the path alone shows that this is a device or a pipe.
pub fn is_device(_: &Path) -> bool {
    false
}

/// Opens a file to read it. Waits for the writer of a FIFO.
pub fn open(path: &Path) -> io::Result<File> {
    match patiently(|| File::open(path)) {
        Err(error) if long::is_too_long(&error) => {
            Ok(long::open(path, OFlags::RDONLY | OFlags::CLOEXEC)?.into())
        }
        opened => opened,
    }
}

/// Opens a file that was a regular file when it was last examined.
///
/// If it has become a FIFO, this does not wait for a writer.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    Ok(despite_lease(|| long::open(path, long::READ))?.into())
}

/// How long a file waits for another process to give up its lease. Linux takes the lease away after
/// 45 seconds, unless `/proc/sys/fs/lease-break-time` says otherwise.
const LEASE: Duration = Duration::from_secs(60);

/// Opens a file without waiting for the writer of a FIFO. If another process has a lease on it, the
/// attempt makes the system ask for the lease, and is repeated until that process has let go.
pub(super) fn despite_lease<T>(mut open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let begin = Instant::now();
    loop {
        match patiently(&mut open) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && begin.elapsed() < LEASE => {
                thread::sleep(Duration::from_millis(5));
            }
            opened => return opened,
        }
    }
}

/// Brings a FIFO that was opened without waiting to the state after a usual `open`.
///
/// A FIFO without a writer reads as if it were at its end. `poll` waits until a writer has come,
/// even if that writer has closed it again.
pub(crate) fn await_writer(file: File) -> io::Result<File> {
    while let Err(error) = poll(&mut [PollFd::new(&file, PollFlags::IN)], None) {
        if error != Errno::INTR {
            return Err(error.into());
        }
    }
    let_reads_wait(&file)?;
    Ok(file)
}

/// Waits until a pipe has something to read. `false` if it has nothing within `limit`, or if the
/// system cannot wait. Signals that this thread handles do not end the wait.
pub fn wait_for_input(pipe: &impl AsFd, limit: Option<Duration>) -> bool {
    let end = limit.and_then(|limit| Instant::now().checked_add(limit));
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut [PollFd::new(pipe, PollFlags::IN)], left.as_ref()) {
            Ok(ready) => return ready > 0,
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Undoes the effect of `open_regular`: from now on, reads wait for data.
pub(crate) fn let_reads_wait(file: &File) -> io::Result<()> {
    Ok(fcntl_setfl(file, fcntl_getfl(file)? - OFlags::NONBLOCK)?)
}

/// Reads at an offset. Fails for files without offsets, such as FIFOs.
pub(crate) fn read_at(file: &File, space: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(space, offset)
}

/// Whether this error of `open` or `metadata` means that the file does not exist.
pub fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}
