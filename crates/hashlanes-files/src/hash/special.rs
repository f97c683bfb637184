//! Special files: pipes, FIFOs, devices, sockets, and whatever the standard input is.
//!
//! A pipe gives each byte to its first reader. Two readers of one pipe, possibly by different
//! names, would each get random parts of it. And a script that writes to several FIFOs in turn
//! expects them to be read in the same order. So special files are read to their ends one after the
//! other, in the order of the source, as the GNU tools do.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use super::delivery::Delivery;
use super::pending::Pending;
use super::way::is_stdin;
use super::{Hashed, Kind, Outcome, Plan};
use crate::full::read_full;
use crate::regular::not_regular;
use crate::{Hashers, system};

/// Bytes that are read at a time.
const BUFFER: usize = 64 << 10;

/// A special file.
pub(super) struct Special {
    pub(super) file: Pending<Kind>,
    /// The file as `open_regular` opened it, if it was taken for a regular file. It stays open,
    /// because a writer may already have connected to this reader.
    pub(super) opened: Option<File>,
}

impl Special {
    /// Whether the file must not be read: its name comes from an untrusted list, or something else
    /// has taken the place of the file that a walk has found.
    pub(super) fn is_refused(&self) -> bool {
        let Self { file, opened } = self;
        match file.input {
            Kind::Unknown => return false,
            Kind::Walked(_) => {
                // Some files of `/proc` only behave as if they were not regular.
                let opened = opened.as_ref().map(system::stamp);
                return !matches!(opened, Some(Ok(Some(_))));
            }
            Kind::Listed => {}
        }
        let metadata = match opened {
            Some(opened) => opened.metadata(),
            None if is_stdin(&file.path) => {
                let stdin = system::stdin().and_then(|stdin| stdin.metadata());
                return !stdin.is_ok_and(|stdin| stdin.is_file());
            }
            None => system::metadata(&file.path),
        };
        !metadata.is_ok_and(|metadata| has_end(&metadata))
    }

    /// Hashes the file to its end. Waits for its writer. The outcome is `None` if the run was
    /// stopped before the end.
    pub(super) fn hash(
        self,
        plans: &[Plan],
        delivery: &Delivery<'_>,
    ) -> (Pending<Kind>, Option<Outcome>) {
        let Self { file, opened } = self;
        let opened = match opened {
            Some(opened) => system::await_writer(opened),
            None if is_stdin(&file.path) => system::stdin(),
            None if matches!(file.input, Kind::Listed) => open_with_end(&file.path),
            None => system::open(&file.path),
        };
        let outcome = match opened {
            Ok(opened) => hash(&plans[file.plan], opened, delivery).transpose(),
            Err(error) => Some(Err(error)),
        };
        (file, outcome)
    }
}

/// Opens a special file that has an end. Does not wait if another file has taken its place.
fn open_with_end(path: &Path) -> io::Result<File> {
    let file = system::open_regular(path)?;
    if !has_end(&file.metadata()?) {
        return Err(not_regular());
    }
    system::let_reads_wait(&file)?;
    Ok(file)
}

/// Whether reading a special file is bounded: block devices have an end, and the others fail at
/// once.
#[cfg(unix)]
fn has_end(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let file = metadata.file_type();
    file.is_block_device() || file.is_dir() || file.is_socket()
}

#[cfg(not(unix))]
fn has_end(metadata: &Metadata) -> bool {
    metadata.is_dir()
}

fn hash(plan: &Plan, mut file: File, delivery: &Delivery<'_>) -> io::Result<Option<Hashed>> {
    let mut hashers: Vec<Hashers> = plan.iter().map(|engine| engine.hashers(1)).collect();
    let mut buffer = vec![0; BUFFER];
    let mut length = 0;
    loop {
        let filled = read_full(&mut buffer, |space, _| file.read(space))?;
        hashers.iter_mut().for_each(|hashers| hashers.update(&[&buffer[..filled]]));
        length += filled as u64;
        delivery.control().add_bytes(filled as u64);
        if filled < buffer.len() {
            let digests = hashers.iter_mut().map(|hashers| hashers.finalize_reset(0)).collect();
            return Ok(Some(Hashed { digests, length, stamp: None, tag: None, is_changed: false }));
        }
        if delivery.is_stopped() {
            return Ok(None);
        }
    }
}
