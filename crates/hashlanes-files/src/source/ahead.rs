//! Fetches streams before their turn comes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::Stores;
use crate::{Entry, Input, Source};

/// Entries that wait for their turn.
const ENTRIES: usize = 4096;

/// Streams that should have arrived when some are hashed, so that all lanes have one.
const TOGETHER: usize = 32;

/// How long the first of them waits for others.
const MOMENT: Duration = Duration::from_millis(2);

/// How long to wait for a stream before the source is asked again.
const PATIENCE: Duration = Duration::from_millis(20);

/// The entries of a source, whose streams are fetched ahead.
///
/// The order stays that of the source. The first entry always has what it needs, so streams behind
/// it may take all the memory.
pub struct Ahead<S: Source>(RefCell<Window<S>>);

struct Window<S: Source> {
    source: S,
    stores: Arc<dyn Stores>,
    waiting: VecDeque<Entry<S::Note>>,
    is_over: bool,
}

impl<S: Source> Ahead<S> {
    /// The entries of a source, whose streams are of these stores.
    pub fn new(source: S, stores: Arc<dyn Stores>) -> Self {
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

    /// Starts streams while there is room, without waiting for the source. Files are not taken
    /// ahead.
    fn fill(&mut self) {
        let is_file =
            |entry: &Entry<_>| matches!(entry, Entry::Named { input: Input::File(_), .. });
        while self.waiting.back().is_some_and(|last| !is_file(last))
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
            Some(mut entry) => {
                if let Entry::Named { input: Input::Stream(stream), .. } = &mut entry {
                    stream.start();
                }
                self.waiting.push_back(entry);
            }
            None => self.is_over = true,
        }
    }
}

fn is_ready<N>(entry: &Entry<N>, wait: Duration) -> bool {
    match entry {
        Entry::Named { input: Input::Stream(stream), .. } => stream.is_ready(wait),
        Entry::Named { input: Input::File(_), .. } | Entry::Note(_) => true,
    }
}
