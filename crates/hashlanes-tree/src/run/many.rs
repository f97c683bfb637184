//! Hashes many contents side by side on one core: small files, which have too few leaves for all
//! lanes.
//!
//! Each cursor has its own content. In each turn it reads a buffer, and all contents whose plans
//! hash in the same way go through the lanes together. When a cursor's content ends, it takes the
//! next one.

use hashlanes_files::{Control, Engine};

use super::buffer::Buffers;
use super::streams::{Piece, Streams};
use crate::{Content, Error, LastLeaf, Plan, Sink};

/// Contents in progress at the same time: enough to fill the lanes even if lengths differ.
const CURSORS: usize = 64;

/// Bytes that a cursor reads per turn.
const BUFFER: usize = 128 << 10;

/// Content with its plans, and the sinks of their digests.
pub trait Task {
    /// The content to hash.
    fn content(&self) -> &dyn Content;

    /// The plans. Every call must return the same.
    fn plans(&self) -> &[Plan];

    /// The sink for the digests of the plan with this index.
    fn sink(&mut self, plan: usize) -> &mut dyn Sink;
}

/// Hashes many contents side by side on the calling thread, so that small files fill all lanes.
///
/// `next` supplies the contents, up to 64 ahead. `done` gets each back, in any order, with the
/// result that [`hash_content`](crate::hash_content) would return: an error of one does not affect
/// the others. If `control` stops the run, all contents in progress give [`Error::Stopped`], and no
/// more are taken. Each content is read 128 KiB at a time. Buffers take up to 8 MiB. Several
/// threads can do this with a shared `next`.
///
/// # Examples
/// ```
/// use hashlanes::Algorithm;
/// use hashlanes_files::Control;
/// use hashlanes_tree::{Content, Plan, Sink, Task, hash_many};
///
/// struct Text(&'static [u8], [Plan; 1], Vec<u8>);
///
/// impl Task for Text {
///     fn content(&self) -> &dyn Content {
///         &self.0
///     }
///     fn plans(&self) -> &[Plan] {
///         &self.1
///     }
///     fn sink(&mut self, _: usize) -> &mut dyn Sink {
///         &mut self.2
///     }
/// }
///
/// let text = |text: &'static str| {
///     Text(text.as_bytes(), [Plan::new(Algorithm::Md5, 1000)], Vec::new())
/// };
/// let mut texts = ["one", "two", "three"].map(text).into_iter();
/// let mut done = 0;
/// let each = |Text(text, _, digest), outcome: Result<(), _>| {
///     assert!(outcome.is_ok());
///     assert_eq!(digest, Algorithm::Md5.digest(text).as_bytes());
///     done += 1;
/// };
/// hash_many(|| texts.next(), each, &Control::new());
/// assert_eq!(done, 3);
/// ```
pub fn hash_many<T: Task>(
    next: impl FnMut() -> Option<T>,
    done: impl FnMut(T, Result<(), Error>),
    control: &Control,
) {
    let cursors = (0..CURSORS).map(|_| None).collect();
    let buffers = Buffers::new(CURSORS, BUFFER);
    Many { cursors, buffers, groups: Vec::new(), control, next, done }.run();
}

struct Many<'c, T, N, D> {
    cursors: Vec<Option<Cursor<T>>>,
    buffers: Buffers,
    groups: Vec<Group>,
    control: &'c Control,
    next: N,
    done: D,
}

/// Plans that hash in the same way.
struct Group {
    /// The first of them, with the leaf size of [`leaf`].
    plan: Plan,
    streams: Streams,
}

struct Cursor<T> {
    task: T,
    length: u64,
    position: u64,
    /// Bytes that were read in this turn.
    read: usize,
    /// The group of each plan.
    groups: Vec<usize>,
}

impl<T> Cursor<T> {
    fn is_of(&self, group: usize) -> bool {
        self.groups.contains(&group)
    }

    fn is_at_end(&self) -> bool {
        self.position == self.length
    }
}

/// The leaf size for content of this length. If the content is a single leaf, the size is
/// unlimited, so that contents of all lengths hash in the same way.
fn leaf(plan: &Plan, length: u64) -> u64 {
    let is_one = length <= plan.leaf && plan.last_leaf == LastLeaf::Short;
    if is_one { u64::MAX } else { plan.leaf }
}

impl Group {
    fn new(plan: &Plan, leaf: u64) -> Self {
        let plan = Plan { leaf, ..plan.clone() };
        let streams = Streams::new(&plan, CURSORS, u64::MAX);
        Self { plan, streams }
    }

    fn hashes(&self, plan: &Plan, leaf: u64) -> bool {
        let Plan { engine, leaf: own_leaf, prefix, suffix, last_leaf } = &self.plan;
        let is_alike = match (engine, &plan.engine) {
            (Engine::Lanes(one), Engine::Lanes(other)) => {
                one.algorithm() == other.algorithm() && one.forced_kernel() == other.forced_kernel()
            }
            (one, other) => one.function() == other.function(),
        };
        is_alike
            && (*own_leaf, *last_leaf) == (leaf, plan.last_leaf)
            && (prefix, suffix) == (&plan.prefix, &plan.suffix)
    }
}

impl<T, N, D> Many<'_, T, N, D>
where
    T: Task,
    N: FnMut() -> Option<T>,
    D: FnMut(T, Result<(), Error>),
{
    fn run(mut self) {
        loop {
            if self.control.is_stopped() {
                return self.stop();
            }
            self.take();
            if self.cursors.iter().all(Option::is_none) {
                return;
            }
            self.read();
            self.hash();
            self.advance();
        }
    }

    fn stop(mut self) {
        for cursor in self.cursors.iter_mut().filter_map(Option::take) {
            (self.done)(cursor.task, Err(Error::Stopped));
        }
    }

    /// Puts a content on each free cursor.
    fn take(&mut self) {
        for i in 0..CURSORS {
            if self.cursors[i].is_some() {
                continue;
            }
            let Some(task) = (self.next)() else { return };
            let length = task.content().length();
            let mut groups = Vec::with_capacity(task.plans().len());
            for plan in task.plans() {
                let group = self.group_of(plan, leaf(plan, length), &groups);
                self.groups[group].streams.begin(i, 0..u64::MAX);
                groups.push(group);
            }
            self.cursors[i] = Some(Cursor { task, length, position: 0, read: 0, groups });
        }
    }

    /// The group of a plan with leaves of this size. Does not replace the groups in `kept`.
    fn group_of(&mut self, plan: &Plan, leaf: u64, kept: &[usize]) -> usize {
        if let Some(found) = self.groups.iter().position(|group| group.hashes(plan, leaf)) {
            return found;
        }
        let group = Group::new(plan, leaf);
        // There may be any number of different plans: a new one replaces one that is not in use.
        let is_idle = |number: &usize| {
            let mut cursors = self.cursors.iter().flatten();
            !kept.contains(number) && !cursors.any(|cursor| cursor.is_of(*number))
        };
        let is_full = self.groups.len() >= CURSORS;
        match (0..self.groups.len()).find(|number| is_full && is_idle(number)) {
            Some(number) => {
                self.groups[number] = group;
                number
            }
            None => {
                self.groups.push(group);
                self.groups.len() - 1
            }
        }
    }

    fn read(&mut self) {
        for (i, place) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = place else { continue };
            let left = cursor.length - cursor.position;
            cursor.read = left.min(self.buffers.size() as u64) as usize;
            let buffer = &mut self.buffers.get_mut(i)[..cursor.read];
            if cursor.read == 0 {
                continue;
            }
            if let Err(error) = cursor.task.content().read_exact_at(buffer, cursor.position)
                && let Some(cursor) = place.take()
            {
                (self.done)(cursor.task, Err(error.into()));
            }
        }
    }

    fn hash(&mut self) {
        for (group, Group { streams, .. }) in self.groups.iter_mut().enumerate() {
            let piece = |(i, cursor): (usize, &Option<Cursor<T>>)| match cursor {
                Some(cursor) if cursor.is_of(group) => {
                    Piece { bytes: &self.buffers.get(i)[..cursor.read], offset: cursor.position }
                }
                _ => Piece { bytes: &[], offset: 0 },
            };
            let pieces: Vec<Piece<'_>> = self.cursors.iter().enumerate().map(piece).collect();
            streams.turn(&pieces);
        }
    }

    /// Advances the cursors, and gives the digests to the sinks.
    fn advance(&mut self) {
        let mut bytes = 0;
        for cursor in self.cursors.iter_mut().flatten() {
            bytes += cursor.read as u64;
            cursor.position += cursor.read as u64;
        }
        for (number, group) in self.groups.iter_mut().enumerate() {
            let ends = |cursor: &Cursor<T>| cursor.is_at_end() && cursor.is_of(number);
            let ended = |&i: &usize| self.cursors[i].as_ref().is_some_and(ends);
            group.streams.close(&(0..CURSORS).filter(ended).collect::<Vec<_>>());
        }
        for (i, place) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = place else { continue };
            let given = give(&mut self.groups, i, cursor);
            if (cursor.is_at_end() || given.is_err())
                && let Some(cursor) = place.take()
            {
                (self.done)(cursor.task, given);
            }
        }
        self.control.add_bytes(bytes);
    }
}

/// Gives the digests of a cursor's leaves to the sinks. Plans of one group have the same digests.
fn give<T: Task>(groups: &mut [Group], i: usize, cursor: &mut Cursor<T>) -> Result<(), Error> {
    for (number, group) in groups.iter_mut().enumerate() {
        if !cursor.is_of(number) {
            continue;
        }
        let digests = group.streams.take(i);
        if digests.is_empty() {
            continue;
        }
        for plan in (0..cursor.groups.len()).filter(|&plan| cursor.groups[plan] == number) {
            cursor.task.sink(plan).leaves(&digests).map_err(Error::Sink)?;
        }
    }
    Ok(())
}
