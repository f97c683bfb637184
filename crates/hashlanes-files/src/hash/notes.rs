//! The notes of a source, which wait here until the report gets them.
//!
//! Everything between a [`Source`] and a [`Report`] is compiled once, whatever the type of their
//! notes: it only knows the numbers of the entries. Notes come in the order of the entries and go
//! in the same order.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use hashlanes_pool::lock;

use super::{Entry, Outcome, Report, Source};

pub(super) struct Notes<N>(Mutex<VecDeque<N>>);

/// Keeps the notes of a source.
struct Keeps<'n, S: Source> {
    notes: &'n Notes<S::Note>,
    source: S,
}

/// Gives a report the notes of entries whose numbers it gets.
struct Gives<'n, 'r, N, R> {
    notes: &'n Notes<N>,
    report: &'r mut R,
    /// The number of the first entry whose note is kept.
    next: u64,
}

impl<N: Send> Notes<N> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    pub(super) fn source<S: Source<Note = N>>(&self, source: S) -> impl Source<Note = ()> {
        Keeps { notes: self, source }
    }

    pub(super) fn report<R: Report<N>>(&self, report: &mut R) -> impl Report<u64> {
        Gives { notes: self, report, next: 0 }
    }
}

impl<S: Source> Source for Keeps<'_, S> {
    type Note = ();

    fn next(&mut self) -> Option<Entry<()>> {
        let (entry, note) = match self.source.next()? {
            Entry::Named { path, input, plan, note } => {
                (Entry::Named { path, input, plan, note: () }, note)
            }
            Entry::Note(note) => (Entry::Note(()), note),
        };
        lock(&self.notes.0).push_back(note);
        Some(entry)
    }

    fn remaining(&self) -> Option<usize> {
        self.source.remaining()
    }

    fn is_ready(&self) -> bool {
        self.source.is_ready()
    }
}

impl<N, R> Gives<'_, '_, N, R> {
    /// The note of an entry. Those of earlier entries are dropped: a run that was stopped does not
    /// report them.
    fn note_of(&mut self, number: u64) -> N {
        let mut notes = lock(&self.notes.0);
        for _ in self.next..number {
            notes.pop_front();
        }
        self.next = number + 1;
        notes.pop_front().expect("a source gives a note with each entry")
    }
}

impl<N: Send, R: Report<N>> Report<u64> for Gives<'_, '_, N, R> {
    fn file(&mut self, path: &Path, number: u64, outcome: Outcome) -> io::Result<()> {
        let note = self.note_of(number);
        self.report.file(path, note, outcome)
    }

    fn note(&mut self, number: u64) -> io::Result<()> {
        let note = self.note_of(number);
        self.report.note(note)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.report.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Letters(std::str::Chars<'static>);

    impl Source for Letters {
        type Note = char;

        fn next(&mut self) -> Option<Entry<char>> {
            self.0.next().map(Entry::Note)
        }
    }

    impl Report<char> for String {
        fn file(&mut self, _: &Path, note: char, _: Outcome) -> io::Result<()> {
            self.note(note)
        }

        fn note(&mut self, note: char) -> io::Result<()> {
            self.push(note);
            Ok(())
        }
    }

    #[test]
    fn each_entry_gets_its_own_note_even_if_others_are_skipped() {
        let mut seen = String::new();
        let notes = Notes::new();
        let (mut source, mut report) =
            (notes.source(Letters("abcdefg".chars())), notes.report(&mut seen));
        for (pulled, numbers) in [(2, &[0][..]), (3, &[2, 4]), (9, &[6])] {
            (0..pulled).for_each(|_| drop(source.next()));
            for (i, &number) in numbers.iter().enumerate() {
                match i {
                    0 => report.note(number),
                    _ => report.file("-".as_ref(), number, Err(io::ErrorKind::Other.into())),
                }
                .unwrap();
            }
        }
        drop((source, report));
        assert_eq!(seen, "aceg");
        assert!(lock(&notes.0).is_empty());
    }
}
