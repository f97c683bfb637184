//! Large files, hashed side by side: one buffer of each per turn.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use super::filled::{PATIENCE, fill};
use super::partial::are_after;
use super::pending::Pending;
use super::readers::{Readers, Reading};
use super::special::Special;
use super::{
    Begun, Control, Hashed, InParts, Input, Kind, Outcome, Partial, Plan, Share, Stream, width,
};
use crate::Hashers;
use crate::full::read_full;
use crate::system::holes::Sparse;
use crate::system::{Stamp, let_reads_wait, stamp};

/// The maximum number of bytes read from a file per turn.
const BUFFER: usize = 64 << 10;

/// Bytes for the buffers of all workers together.
const BUFFERS: usize = 64 << 20;

/// The large files of one worker, grouped by plan.
pub(super) struct LargeFiles {
    groups: Vec<Option<Group>>,
    buffer: usize,
    /// Files in progress.
    active: usize,
    /// The maximum of `active`.
    most: usize,
    /// What holes are hashed from. The system stores one page for all of it.
    zeros: Box<[u8]>,
    /// No byte was read in the last turn.
    is_idle: bool,
    partial: Option<Arc<dyn Partial>>,
}

/// The large files of one plan.
struct Group {
    hashers: Vec<Hashers>,
    slots: Vec<Slot>,
}

/// Where the bytes come from.
enum Opened {
    File(File),
    Sparse(Sparse),
    Stream(Box<dyn Stream>),
}

/// What was read: the number of bytes, whether they are the last, and whether they are zeros of a
/// hole, which are not in the buffer.
type Piece = (usize, bool, bool);

/// A file in progress.
struct Active {
    file: Pending<()>,
    opened: Opened,
    /// Bytes read so far.
    length: u64,
    /// After how many bytes its state is kept.
    keep_at: u64,
}

impl Opened {
    /// Fills the buffer, from a stream with what has arrived after at most this time. True if that
    /// is the end.
    fn read(&mut self, buffer: &mut [u8], wait: Duration) -> io::Result<Piece> {
        match self {
            // If the file fills the buffer, there may be more.
            Self::File(file) => read_full(buffer, |space, _| file.read(space))
                .map(|length| (length, length < buffer.len(), false)),
            Self::Sparse(file) => file.read(buffer),
            Self::Stream(stream) => {
                fill(&mut **stream, buffer, wait).map(|(length, is_end)| (length, is_end, false))
            }
        }
    }

    /// Reads on from an offset.
    fn seek(&mut self, offset: u64) -> io::Result<()> {
        match self {
            Self::File(file) => file.seek(SeekFrom::Start(offset)).map(drop),
            Self::Sparse(file) => file.seek(offset),
            Self::Stream(_) => Err(io::ErrorKind::NotSeekable.into()),
        }
    }

    /// The stamp of a stream, which may only be known after it was read.
    fn stamp(&self) -> Option<Stamp> {
        match self {
            Self::File(_) | Self::Sparse(_) => None,
            Self::Stream(stream) => stream.stamp(),
        }
    }

    fn tag(&self) -> Option<Box<str>> {
        match self {
            Self::File(_) | Self::Sparse(_) => None,
            Self::Stream(stream) => stream.tag(),
        }
    }

    fn is_changed(&self, before: &Stamp) -> bool {
        match self {
            Self::File(file) => before.is_changed_in(file),
            Self::Sparse(file) => before.is_changed_in(file.file()),
            Self::Stream(_) => false,
        }
    }
}

struct Slot {
    active: Option<Active>,
    buffer: Box<[u8]>,
    /// What was read in this turn.
    read: io::Result<Piece>,
}

impl Active {
    /// Continues the file, if its states were kept.
    fn begin(&mut self, partial: &dyn Partial, hashers: &mut [Hashers], index: usize) {
        let Some(stamp) = self.file.stamp.filter(|stamp| stamp.size >= partial.interval()) else {
            return;
        };
        let opened = match &mut self.opened {
            Opened::Stream(_) => return,
            opened => opened,
        };
        self.length = partial.begin(&self.file.path, &stamp, &mut |length, states| {
            let is_possible = length <= stamp.size
                && are_after(length, states, hashers.len())
                && hashers.iter_mut().zip(states).all(|(it, state)| it.restore(index, state))
                && opened.seek(length).is_ok();
            if !is_possible {
                hashers.iter_mut().for_each(|hashers| hashers.reset(index));
            }
            is_possible
        });
        self.keep_at = self.length.saturating_add(partial.interval());
    }

    /// Keeps the states of the file, which is read further.
    fn keep(&mut self, partial: &dyn Partial, hashers: &[Hashers], index: usize) {
        let states: Option<Vec<_>> = hashers.iter().map(|hashers| hashers.save(index)).collect();
        self.keep_at = u64::MAX;
        if let (Some(stamp), Some(states)) = (self.file.stamp, states) {
            partial.keep(&self.file.path, &stamp, self.length, &states);
            self.keep_at = self.length.saturating_add(partial.interval());
        }
    }
}

impl Slot {
    fn new() -> Self {
        Self { active: None, buffer: Box::default(), read: Ok((0, false, false)) }
    }

    fn piece<'s>(&'s self, zeros: &'s [u8]) -> &'s [u8] {
        match &self.read {
            Ok((length, _, is_hole)) => &(if *is_hole { zeros } else { &self.buffer })[..*length],
            Err(_) => &[],
        }
    }
}

impl LargeFiles {
    pub(super) fn new(plans: &[Plan], share: Share, partial: Option<Arc<dyn Partial>>) -> Self {
        let all: usize = plans.iter().map(width).sum();
        let buffer = (BUFFERS / (share.workers * all.max(1))).clamp(16 << 10, BUFFER);
        let most = share.streams;
        Self {
            groups: plans.iter().map(|_| None).collect(),
            buffer,
            active: 0,
            most,
            zeros: Box::default(),
            is_idle: false,
            partial,
        }
    }

    /// Files in progress.
    pub(super) fn active(&self) -> usize {
        self.active
    }

    /// Whether there is a free place for a file of this plan.
    pub(super) fn has_place(&self, plan: usize) -> bool {
        let has_slot = |group: &Group| group.slots.iter().any(|slot| slot.active.is_none());
        self.active < self.most && self.groups[plan].as_ref().is_none_or(has_slot)
    }

    /// Starts a file. There must be a free place.
    pub(super) fn begin(&mut self, plans: &[Plan], file: Pending, readers: &Readers) -> Begun {
        let (mut file, input) = file.with(());
        let kind = match input {
            Input::File(kind) => kind,
            Input::Stream(stream) => {
                file.stamp = stream.stamp();
                return self.place(plans, file, Opened::Stream(stream));
            }
        };
        let opened = match kind.open(&file.path) {
            Ok(opened) => opened,
            Err(error) => return Begun::Failed(file, error),
        };
        // A stamp from before opening might belong to another file.
        match stamp(&opened) {
            Ok(Some(stamp)) => {
                file.stamp = Some(stamp);
                match readers.begin(&opened, &stamp) {
                    Reading::Free => {}
                    Reading::Counted => file.is_counted = true,
                    Reading::Later => return Begun::Later(file.with(kind.into()).0),
                }
            }
            _ => {
                let (file, ()) = file.with(kind);
                return Begun::Special(Special { file, opened: Some(opened) });
            }
        }
        // A file of length 0 may belong to a pseudo file system, where a read may wait forever.
        let is_listed = matches!(kind, Kind::Listed);
        let may_wait = !is_listed || file.stamp.is_some_and(|stamp| stamp.size > 0);
        if may_wait && let Err(error) = let_reads_wait(&opened) {
            return Begun::Failed(file, error);
        }
        let (file, opened) = match InParts::new(&plans[file.plan], file, opened, &self.partial) {
            Ok(file) => return Begun::InParts(file.into()),
            Err(other) => other,
        };
        let size = file.stamp.map_or(0, |stamp| stamp.size);
        let opened = Sparse::new(opened, size).map_or_else(Opened::File, Opened::Sparse);
        if matches!(opened, Opened::Sparse(_)) && self.zeros.is_empty() {
            self.zeros = vec![0; self.buffer].into();
        }
        self.place(plans, file, opened)
    }

    fn place(&mut self, plans: &[Plan], file: Pending<()>, opened: Opened) -> Begun {
        let plan = &plans[file.plan];
        let group = self.groups[file.plan].get_or_insert_with(|| {
            let width = width(plan);
            Group {
                hashers: plan.iter().map(|engine| engine.hashers(width)).collect(),
                slots: (0..width).map(|_| Slot::new()).collect(),
            }
        });
        let index = group.slots.iter().position(|slot| slot.active.is_none());
        let index = index.expect("the caller asked for a place");
        let slot = &mut group.slots[index];
        if slot.buffer.is_empty() {
            slot.buffer = vec![0; self.buffer].into();
        }
        let mut active = Active { file, opened, length: 0, keep_at: u64::MAX };
        if let Some(partial) = &self.partial {
            active.begin(&**partial, &mut group.hashers, index);
        }
        slot.active = Some(active);
        self.active += 1;
        Begun::Taken
    }

    /// Hashes the next buffer of every file.
    pub(super) fn turn(&mut self, control: &Control, mut done: impl FnMut(Pending<()>, Outcome)) {
        let mut bytes = 0;
        // If nothing had arrived in the last turn, this one waits for the first stream.
        let mut wait = if self.is_idle { PATIENCE } else { Duration::ZERO };
        for group in self.groups.iter_mut().flatten() {
            for slot in &mut group.slots {
                if let Some(active) = &mut slot.active {
                    slot.read = active.opened.read(&mut slot.buffer, mem::take(&mut wait));
                    let length = slot.read.as_ref().map_or(0, |(length, ..)| *length as u64);
                    active.length += length;
                    bytes += length;
                }
            }
            let pieces: Vec<&[u8]> =
                group.slots.iter().map(|slot| slot.piece(&self.zeros)).collect();
            for hashers in &mut group.hashers {
                hashers.update(&pieces);
            }
            for (index, slot) in group.slots.iter_mut().enumerate() {
                let outcome = match mem::replace(&mut slot.read, Ok((0, false, false))) {
                    Ok((_, false, _)) => {
                        if let (Some(partial), Some(active)) = (&self.partial, &mut slot.active)
                            && active.length >= active.keep_at
                        {
                            active.keep(&**partial, &group.hashers, index);
                        }
                        continue;
                    }
                    read => read,
                };
                if let Some(Active { file, opened, length, keep_at }) = slot.active.take() {
                    self.active -= 1;
                    if let Some(partial) = self.partial.as_ref().filter(|_| keep_at < u64::MAX) {
                        partial.end(&file.path);
                    }
                    let hashers = group.hashers.iter_mut();
                    let digests = hashers.map(|hashers| hashers.finalize_reset(index)).collect();
                    let stamp = opened.stamp().or(file.stamp);
                    let is_changed = stamp.is_some_and(|before| opened.is_changed(&before));
                    let tag = opened.tag();
                    done(file, outcome.map(|_| Hashed { digests, length, stamp, tag, is_changed }));
                }
            }
        }
        self.is_idle = bytes == 0;
        control.add_bytes(bytes);
    }
}
