//! Fetches objects before their turn comes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hashlanes_files::system::Stamp;
use hashlanes_files::{Content, Entry, Source};

use crate::{Location, Stores, is_url, public};

/// Entries that wait for their turn.
const ENTRIES: usize = 4096;

/// Objects that should have arrived when some are hashed, so that all lanes have one.
const TOGETHER: usize = 32;

/// How long the first of them waits for others.
const MOMENT: Duration = Duration::from_millis(2);

/// How long to wait for an object before the source is asked again.
const PATIENCE: Duration = Duration::from_millis(20);

/// A source whose paths may be URLs. Objects are fetched before their turn comes.
///
/// The order stays that of the source. The first entry always gets the memory that it needs, so the
/// objects behind it may take the rest.
pub struct Ahead<S: Source>(RefCell<Window<S>>);

struct Window<S: Source> {
    source: S,
    stores: Arc<Stores>,
    waiting: VecDeque<Entry<S::Note>>,
    is_over: bool,
}

impl<S: Source> Ahead<S> {
    /// Wraps a source. Its contents are [`Object`](crate::Object)s of these stores.
    pub fn new(source: S, stores: Arc<Stores>) -> Self {
        let waiting = VecDeque::new();
        Self(RefCell::new(Window { source, stores, waiting, is_over: false }))
    }
}

impl<S: Source> Source for Ahead<S> {
    type Note = S::Note;

    fn next(&mut self) -> Option<Entry<S::Note>> {
        self.0.get_mut().next()
    }

    fn remaining(&self) -> Option<usize> {
        let window = self.0.borrow();
        window.source.remaining().map(|left| left + window.waiting.len())
    }

    fn is_ready(&self) -> bool {
        let mut window = self.0.borrow_mut();
        if window.waiting.is_empty() && !window.is_over && window.source.is_ready() {
            window.pull();
        }
        window.fill();
        match window.waiting.front() {
            Some(first) => is_ready(first, Duration::ZERO),
            None => window.is_over,
        }
    }
}

impl<S: Source> Window<S> {
    fn next(&mut self) -> Option<Entry<S::Note>> {
        if self.waiting.is_empty() {
            self.pull();
        }
        self.fill();
        let mut is_late = false;
        while !is_ready(self.waiting.front()?, PATIENCE) {
            is_late = true;
            self.fill();
        }
        if is_late && let Some(last) = self.waiting.iter().take(TOGETHER).next_back() {
            is_ready(last, MOMENT);
        }
        self.waiting.pop_front()
    }

    /// Starts objects while there is room, without waiting for the source. Files are not taken
    /// ahead.
    fn fill(&mut self) {
        while matches!(self.waiting.back(), Some(Entry::Content { .. } | Entry::Note(_)))
            && !self.is_over
            && self.waiting.len() < ENTRIES
            && self.stores.has_memory()
            && self.source.is_ready()
        {
            self.pull();
        }
    }

    fn pull(&mut self) {
        match self.source.next() {
            Some(entry) => self.waiting.push_back(started(entry, &self.stores)),
            None => self.is_over = true,
        }
    }
}

fn is_ready<N>(entry: &Entry<N>, wait: Duration) -> bool {
    match entry {
        Entry::Content { content, .. } => content.is_ready(wait),
        Entry::File { .. } | Entry::Note(_) => true,
    }
}

fn started<N>(entry: Entry<N>, stores: &Stores) -> Entry<N> {
    let mut entry = match entry {
        Entry::File { path, plan, note, .. } if is_url(&path) => Entry::Content {
            content: open(&path, stores),
            path: public(&path).into_owned(),
            plan,
            note,
        },
        other => other,
    };
    if let Entry::Content { content, .. } = &mut entry {
        content.start();
    }
    entry
}

fn open(path: &Path, stores: &Stores) -> Box<dyn Content> {
    match Location::of(path).and_then(|location| stores.object(&location)) {
        Ok(object) => Box::new(object),
        Err(error) => Box::new(Failed(Some(error))),
    }
}

/// What stands for an object that cannot be requested.
struct Failed(Option<io::Error>);

impl Content for Failed {
    fn start(&mut self) {}

    fn is_ready(&self, _: Duration) -> bool {
        true
    }

    fn length(&self) -> Option<u64> {
        None
    }

    fn read(&mut self, _: &mut [u8], _: Duration) -> io::Result<Option<usize>> {
        Err(self.0.take().unwrap_or_else(|| io::ErrorKind::NotFound.into()))
    }

    fn stamp(&self) -> Option<Stamp> {
        None
    }

    fn tag(&self) -> Option<Box<str>> {
        None
    }
}
