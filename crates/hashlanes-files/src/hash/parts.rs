//! Large files whose parts all workers hash, for functions of which every message is a tree.
//!
//! The worker that opens such a file puts it into the queue. Every worker takes the next part,
//! reads it at its offset, hashes it, and delivers what it adds to the message. Whoever ends the
//! last part reads what follows the whole parts, and ends the message.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hashlanes::xof::Part;
use hashlanes_pool::{Consumer, Ordered, Ticket, lock};

use super::partial::are_after;
use super::pending::Pending;
use super::{Hashed, Outcome, Partial, Plan};
use crate::full::read_full;
use crate::function::Joined;
use crate::system::holes::{has_holes, is_hole};
use crate::system::{Stamp, read_at};

/// Bytes in a part. The second-level cache of most cores has room for it.
pub(super) const PART: usize = 256 << 10;

/// The fewest parts of a file. With fewer, one thread is as fast: on Zen 5, 4 MiB take it 2.5 ms,
/// and two threads 2.8 ms, because a core that wakes up takes half a millisecond.
const FEW: u64 = 32;

/// How many parts may wait for an earlier one.
const AHEAD: usize = 1024;

/// The hashers of a plan's engines.
type All = Vec<Box<dyn Joined>>;

/// A file whose parts are hashed by all workers.
pub(super) struct InParts {
    opened: File,
    stamp: Stamp,
    /// Some of it is not stored, and need not be read.
    has_holes: bool,
    /// The first part that is read, and the number of whole parts from it on that the file had when
    /// it was opened.
    first: u64,
    count: u64,
    /// Empty messages, which hash parts.
    empty: All,
    /// What is told when the file is finished.
    ends: Option<Arc<dyn Partial>>,
    message: Arc<Mutex<Message>>,
    ordered: Ordered<Read, Appended>,
    progress: Mutex<Progress>,
}

/// The parts that were appended.
struct Message {
    hashers: All,
    length: u64,
    error: Option<io::Error>,
}

struct Progress {
    /// The next part.
    next: u64,
    /// Parts that workers have taken and not delivered.
    under_way: usize,
    /// Taken by whoever ends the file.
    file: Option<Pending<()>>,
}

/// What parts add to the messages of all engines. `None` if the file ends within the part.
pub(super) type Read = io::Result<Option<Vec<Part>>>;

/// Appends parts to a message. It fails when no more can be.
struct Appended {
    message: Arc<Mutex<Message>>,
    kept: Option<Kept>,
}

/// What keeps the states of the message.
struct Kept {
    partial: Arc<dyn Partial>,
    path: PathBuf,
    stamp: Stamp,
    /// After how many bytes.
    at: u64,
}

impl Kept {
    /// Keeps the states, if enough bytes were appended and a part is left to continue with.
    fn keep(&mut self, message: &Message) {
        if message.length < self.at || !is_part_left(message.length, &self.stamp) {
            return;
        }
        let states: Option<Vec<_>> = message.hashers.iter().map(|hasher| hasher.save()).collect();
        if let Some(states) = states {
            self.partial.keep(&self.path, &self.stamp, message.length, &states);
        }
        self.at = message.length.saturating_add(self.partial.interval());
    }
}

impl Consumer<Read> for Appended {
    type Error = ();

    fn consume(&mut self, read: Read) -> Result<(), ()> {
        let mut message = lock(&self.message);
        match read {
            Ok(Some(parts)) => {
                for (hasher, part) in message.hashers.iter_mut().zip(&parts) {
                    hasher.append(part);
                }
                message.length += PART as u64;
                if let Some(kept) = &mut self.kept {
                    kept.keep(&message);
                }
                return Ok(());
            }
            // The rest is read by whoever ends the file.
            Ok(None) => {}
            Err(error) => message.error = Some(error),
        }
        Err(())
    }
}

/// Whether a whole part follows the first `length` bytes of a file.
fn is_part_left(length: u64, stamp: &Stamp) -> bool {
    stamp.size.checked_sub(length).is_some_and(|rest| rest >= PART as u64)
}

/// Whether all functions of a plan can hash parts of a message.
pub(super) fn suit(plan: &Plan) -> bool {
    !plan.is_empty() && plan.iter().all(|engine| engine.joined(None).is_some())
}

impl InParts {
    /// A file to be hashed in parts, if its plan can and it is large enough.
    pub(super) fn new(
        plan: &Plan,
        file: Pending<()>,
        opened: File,
        partial: &Option<Arc<dyn Partial>>,
    ) -> Result<Self, (Pending<()>, File)> {
        let all = || plan.iter().map(|engine| engine.joined(None)).collect::<Option<All>>();
        let stamp = file.stamp.filter(|stamp| !plan.is_empty() && stamp.size >= FEW * PART as u64);
        let (Some(stamp), Some(empty), Some(mut hashers)) = (stamp, all(), all()) else {
            return Err((file, opened));
        };
        let mut kept = partial.clone().filter(|it| stamp.size >= it.interval()).map(|partial| {
            Kept { at: partial.interval(), partial, path: file.path.clone(), stamp }
        });
        let mut length = 0;
        if let Some(Kept { partial, path, at, .. }) = &mut kept {
            length = partial.begin(path, &stamp, &mut |length, states| {
                if !length.is_multiple_of(PART as u64)
                    || !is_part_left(length, &stamp)
                    || !are_after(length, states, plan.len())
                {
                    return false;
                }
                let restored = plan.iter().zip(states).map(|(engine, it)| engine.joined(Some(it)));
                let Some(restored) = restored.collect() else { return false };
                hashers = restored;
                true
            });
            *at += length;
        }
        let first = length / PART as u64;
        let message = Arc::new(Mutex::new(Message { hashers, length, error: None }));
        Ok(Self {
            has_holes: has_holes(&opened, stamp.size),
            opened,
            stamp,
            first,
            count: stamp.size / PART as u64 - first,
            empty,
            ends: kept.as_ref().map(|kept| kept.partial.clone()),
            ordered: Ordered::new(Appended { message: message.clone(), kept }, AHEAD),
            message,
            progress: Mutex::new(Progress { next: 0, under_way: 0, file: Some(file) }),
        })
    }

    /// The number of parts.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Whether there are parts that nobody has taken.
    pub(super) fn is_open(&self) -> bool {
        lock(&self.progress).next < self.count && !self.ordered.has_ended()
    }

    /// Whether a part can be taken now.
    pub(super) fn has_part(&self) -> bool {
        self.is_open() && self.ordered.has_room()
    }

    /// Takes the next part, if one can be taken now.
    pub(super) fn take(&self) -> Option<Ticket> {
        let mut progress = lock(&self.progress);
        if progress.next == self.count || self.ordered.has_ended() || !self.ordered.has_room() {
            return None;
        }
        let ticket = self.ordered.ticket(progress.next, 1);
        progress.next += 1;
        progress.under_way += 1;
        Some(ticket)
    }

    /// Reads and hashes a part.
    pub(super) fn hash(&self, number: u64, buffer: &mut [u8]) -> Read {
        let offset = (self.first + number) * PART as u64;
        let length = self.read(buffer, offset)?;
        let hash = || self.empty.iter().map(|hasher| hasher.hash_part(buffer, offset)).collect();
        Ok((length == buffer.len()).then(hash))
    }

    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.has_holes && is_hole(&self.opened, offset..offset + buffer.len() as u64) {
            buffer.fill(0);
            return Ok(buffer.len());
        }
        read_full(buffer, |space, filled| read_at(&self.opened, space, offset + filled as u64))
    }

    /// Delivers a part that was taken. Returns the file if it was the last one.
    pub(super) fn deliver(&self, ticket: Ticket, read: Read) -> Option<Pending<()>> {
        self.ordered.deliver([(ticket, read)]);
        let mut progress = lock(&self.progress);
        progress.under_way -= 1;
        let is_last = progress.next == self.count || self.ordered.has_ended();
        let file = if is_last && progress.under_way == 0 { progress.file.take() } else { None };
        if let (Some(file), Some(partial)) = (&file, &self.ends) {
            partial.end(&file.path);
        }
        file
    }

    /// Hashes what follows the parts, up to the end of the file, wherever that is by now.
    pub(super) fn end(&self, buffer: &mut [u8], mut count: impl FnMut(usize)) -> Outcome {
        let Message { hashers, length, error } = &mut *lock(&self.message);
        if let Some(error) = error.take() {
            return Err(error);
        }
        loop {
            let read = self.read(buffer, *length)?;
            hashers.iter_mut().for_each(|hasher| hasher.update(&buffer[..read]));
            *length += read as u64;
            count(read);
            if read < buffer.len() {
                break;
            }
        }
        let stamp = self.stamp;
        let digests = hashers.drain(..).map(|hasher| hasher.finish()).collect();
        let is_changed = stamp.is_changed_in(&self.opened);
        Ok(Hashed { digests, length: *length, stamp: Some(stamp), tag: None, is_changed })
    }
}
