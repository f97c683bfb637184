//! Prints what the comparison found.

use std::io;
use std::path::Path;

use hashlanes_files::{Digest, Function, Outcome, Report};
use hashlanes_objects::stored::{By, Fact, Known, Of, Verdict, judge};

use super::super::print::{Detail, Printer, Status, Style};
use crate::terminal::message::reason;

const ALL: [Status; 6] = [
    Status::Unchanged,
    Status::Changed,
    Status::Missing,
    Status::New,
    Status::Unproven,
    Status::Unreadable,
];

/// The status of a verdict, with its proof.
pub(super) fn status_of(verdict: Verdict) -> (Status, String) {
    match verdict {
        Verdict::Same(proof) => (Status::Unchanged, proof.to_string()),
        Verdict::Different(proof) => (Status::Changed, proof.to_string()),
        Verdict::Unknown(why) => (Status::Unproven, why.to_string()),
    }
}

/// What the source says of an entry.
pub(super) enum Note {
    /// This is decided: the name, and why.
    Told(Vec<u8>, Status, String),
    /// One side cannot be listed further, for this reason.
    Broken(Vec<u8>, String),
    /// Our side of a pair is read. That of the store follows.
    Mine(Function),
    /// The object of this name is read. These are the digests of a manifest.
    Theirs(Vec<u8>, Function, Vec<Fact>),
}

pub(super) struct Tell {
    printer: Printer,
    counts: [u64; ALL.len()],
    is_broken: bool,
    /// The digest of our side of the pair whose other side follows.
    mine: Option<io::Result<Fact>>,
}

impl Tell {
    pub(super) fn new(printer: Printer) -> Self {
        Self { printer, counts: [0; ALL.len()], is_broken: false, mine: None }
    }

    fn line(&mut self, name: &[u8], status: Status, why: &str) -> io::Result<()> {
        let place = ALL.iter().position(|&each| each == status).unwrap_or_default();
        self.counts[place] += 1;
        self.printer.line(name, status, (!why.is_empty()).then_some(Detail::Why(why)))
    }

    /// Prints the numbers. True if both sides are the same.
    pub(super) fn finish(&mut self) -> io::Result<bool> {
        let all_well = !self.is_broken && self.counts[1..].iter().all(|&count| count == 0);
        let mut counts: Vec<_> = ALL.into_iter().zip(self.counts).collect();
        match self.printer.style {
            _ if self.printer.quiet && all_well => Ok(()),
            Style::Text => {
                counts.retain(|(_, count)| *count > 0);
                self.printer.sum_up_text(&counts)
            }
            Style::Json => self.printer.sum_up_json(&counts),
        }?;
        self.printer.output.flush()?;
        Ok(all_well)
    }

    /// Compares an object that was read.
    fn read(&mut self, expected: Vec<Fact>, found: io::Result<Fact>) -> (Status, String) {
        let mine = self.mine.take();
        let unreadable = |error: io::Error| (Status::Unreadable, reason(&error));
        let facts = match mine {
            Some(Ok(mine)) => vec![mine],
            Some(Err(error)) => return unreadable(error),
            None => expected,
        };
        match found {
            Ok(found) => {
                let known = |facts| Known { facts, ..Known::default() };
                let (status, why) = status_of(judge(&known(facts), &known(vec![found])));
                (status, format!("{why}, read"))
            }
            Err(error) => unreadable(error),
        }
    }
}

fn fact(function: Function, outcome: Outcome) -> io::Result<Fact> {
    let hashed = outcome?;
    if hashed.is_changed {
        return Err(io::Error::other("changed while it was read"));
    }
    let digest: Digest = hashed.digests[0];
    Ok(Fact { of: Of::Whole(function), digest, by: By::Us })
}

impl Report<Note> for Tell {
    fn file(&mut self, _: &Path, note: Note, outcome: Outcome) -> io::Result<()> {
        match note {
            Note::Mine(function) => {
                self.mine = Some(fact(function, outcome));
                Ok(())
            }
            Note::Theirs(name, function, expected) => {
                let (status, why) = self.read(expected, fact(function, outcome));
                self.line(&name, status, &why)
            }
            note => self.note(note),
        }
    }

    fn note(&mut self, note: Note) -> io::Result<()> {
        match note {
            Note::Told(name, status, why) => self.line(&name, status, &why),
            Note::Broken(name, why) => {
                self.is_broken = true;
                self.line(&name, Status::Unreadable, &why)
            }
            Note::Mine(_) | Note::Theirs(..) => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.printer.output.flush()
    }
}
