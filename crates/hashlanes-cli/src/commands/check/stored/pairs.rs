//! Pairs what is known here with objects of the same names, both in the order of names.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::io;
use std::iter::Peekable;
use std::path::PathBuf;

use hashlanes::Algorithm;
use hashlanes_files::{Entry, Function, Input, Kind, RegularFile, Source};
use hashlanes_objects::stored::{
    By, Download, Fact, Known, Of, Strength, Verdict, facts_of, judge,
};
use hashlanes_objects::{Listed, Location};
use hashlanes_tree::Settings;

use super::super::print::Status;
use super::tell::{Note, status_of};
use crate::objects::Stores;
use crate::terminal::message::reason;

/// Pairs whose objects are asked for side by side.
const BATCH: usize = 256;

/// What both sides are hashed with if both are read.
const BOTH: Function = Function::Lanes(Algorithm::Sha256);

/// What an object is compared with.
pub(super) enum Mine {
    /// What a manifest says.
    Facts(Known),
    /// A file.
    File(PathBuf),
    /// Another object.
    Object(Box<Listed>),
}

/// Names with what has them, in the order of the names. An error ends a listing, and says which
/// side cannot be read further.
pub(super) type Side<'m, T> = Box<dyn Iterator<Item = Result<(Vec<u8>, T), Note>> + Send + 'm>;

/// The source of all comparisons.
pub(super) struct Pairs<'m, 's> {
    pub(super) ours: Peekable<Side<'m, Mine>>,
    pub(super) theirs: Peekable<Side<'m, Listed>>,
    pub(super) stores: &'s Stores,
    /// The function of each plan.
    pub(super) functions: &'s [Function],
    pub(super) download: Download,
    pub(super) settings: Settings<'s>,
    pub(super) ready: VecDeque<Entry<Note>>,
    pub(super) is_over: bool,
}

/// What has the same name on both sides.
struct Pair {
    name: Vec<u8>,
    mine: Mine,
    theirs: Listed,
}

impl Source for Pairs<'_, '_> {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        while self.ready.is_empty() && !self.is_over {
            self.fill();
        }
        self.ready.pop_front()
    }

    fn is_ready(&self) -> bool {
        !self.ready.is_empty() || self.is_over
    }
}

impl Pairs<'_, '_> {
    /// Compares the next pairs, up to a name that only one side has.
    fn fill(&mut self) {
        let mut pairs = Vec::new();
        let mut single = None;
        while pairs.len() < BATCH && single.is_none() {
            match self.join() {
                Some(Ok(pair)) => pairs.push(pair),
                Some(Err(note)) => single = Some(note),
                None => {
                    self.is_over = true;
                    break;
                }
            }
        }
        self.compare(pairs);
        self.is_over |= matches!(single, Some(Note::Broken(..)));
        self.ready.extend(single.map(Entry::Note));
    }

    /// The next pair, or what is to be said of a name that only one side has.
    fn join(&mut self) -> Option<Result<Pair, Note>> {
        let order = match (self.ours.peek(), self.theirs.peek()) {
            (None, None) => return None,
            (Some(Err(_)), _) | (Some(_), None) => Ordering::Less,
            (_, Some(Err(_))) | (None, Some(_)) => Ordering::Greater,
            (Some(Ok((ours, _))), Some(Ok((theirs, _)))) => ours.cmp(theirs),
        };
        let mine = if order.is_le() { self.ours.next() } else { None };
        let theirs = if order.is_ge() { self.theirs.next() } else { None };
        Some(match (mine, theirs) {
            (Some(Ok((name, mine))), Some(Ok((_, theirs)))) => Ok(Pair { name, mine, theirs }),
            (Some(Err(note)), _) | (_, Some(Err(note))) => Err(note),
            (Some(Ok((name, _))), None) => Err(Note::Told(name, Status::Missing, String::new())),
            (None, Some(Ok((name, _)))) => Err(Note::Told(name, Status::New, String::new())),
            (None, None) => return None,
        })
    }

    /// Adds the entries of these pairs.
    fn compare(&mut self, pairs: Vec<Pair>) {
        let mut asked: Vec<Location> = Vec::new();
        let begun: Vec<_> = pairs
            .into_iter()
            .map(|pair| {
                let (ours, theirs) = (pair.mine.known(), listed(&pair.theirs));
                let verdict = judge(&ours, &theirs);
                if matches!(verdict, Verdict::Unknown(_)) && self.download != Download::Always {
                    asked.push(pair.theirs.location.clone());
                    asked.extend(pair.mine.location());
                }
                (pair, ours, verdict)
            })
            .collect();
        let mut answers = self.stores.known(&asked, true).into_iter();
        for (pair, ours, verdict) in begun {
            let judged = match verdict {
                Verdict::Unknown(_) if self.download != Download::Always => {
                    let theirs = answers.next();
                    let mine = pair.mine.location().and_then(|_| answers.next());
                    self.ask(&pair, ours, theirs, mine)
                }
                verdict => Ok((ours, verdict)),
            };
            match judged {
                Ok((ours, verdict)) => self.decide(pair, ours, verdict),
                Err(error) => {
                    let told = Note::Told(pair.name, Status::Unreadable, reason(&error));
                    self.ready.push_back(Entry::Note(told));
                }
            }
        }
    }

    /// Compares with what stores answered.
    fn ask(
        &self,
        pair: &Pair,
        ours: Known,
        theirs: Option<io::Result<Known>>,
        mine: Option<io::Result<Known>>,
    ) -> io::Result<(Known, Verdict)> {
        let theirs = theirs.unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()))?;
        let ours = match (&pair.mine, mine) {
            (_, Some(mine)) => mine?,
            (Mine::File(path), None) => {
                let file = RegularFile::open(path)?;
                let facts = facts_of(&file, &theirs.wanted(), &self.settings);
                Known { facts: facts.map_err(io::Error::other)?, ..ours }
            }
            _ => ours,
        };
        let verdict = judge(&ours, &theirs);
        Ok((ours, verdict))
    }

    /// Adds the verdict, or what has to be read.
    fn decide(&mut self, pair: Pair, ours: Known, verdict: Verdict) {
        let Pair { name, mine, theirs } = pair;
        let function = match &mine {
            Mine::Facts(_) => whole(&ours),
            Mine::File(_) | Mine::Object(_) => Some(BOTH),
        };
        let is_needed = self.download.is_needed(verdict);
        let Some(function) = function.filter(|_| is_needed) else {
            let (status, why) = status_of(verdict);
            return self.ready.push_back(Entry::Note(Note::Told(name, status, why)));
        };
        let plan = self.functions.iter().position(|&f| f == function).unwrap_or_default();
        match mine {
            Mine::Facts(_) => {}
            Mine::File(path) => {
                let note = Note::Mine(function);
                self.ready.push_back(Entry::file(path, Kind::Unknown, plan, note));
            }
            Mine::Object(listed) => {
                let Listed { location, object, .. } = *listed;
                self.ready.push_back(content(location, object, plan, Note::Mine(function)));
            }
        }
        let Listed { location, object, .. } = theirs;
        let facts = ours.facts.into_iter().filter(|fact| fact.of == Of::Whole(function));
        let expected = facts.filter(|fact| fact.by == By::Us).collect();
        let note = Note::Theirs(name, function, expected);
        self.ready.push_back(content(location, object, plan, note));
    }
}

fn content(
    location: Location,
    object: hashlanes_objects::Object,
    plan: usize,
    note: Note,
) -> Entry<Note> {
    let input = Input::Stream(Box::new(object));
    Entry::Named { path: location.path(), input, plan, note }
}

/// The strongest function that the manifest has a digest of.
fn whole(ours: &Known) -> Option<Function> {
    let whole = |fact: &Fact| matches!(fact.of, Of::Whole(_)).then(|| fact.of.function());
    ours.facts.iter().filter_map(whole).max_by_key(|&function| Strength::of(function))
}

/// What a listing says.
fn listed(listed: &Listed) -> Known {
    let (scheme, etag) = (listed.location.scheme, listed.meta.etag.as_deref());
    Known::from_listing(scheme, Some(listed.meta.size), etag)
}

impl Mine {
    /// What is known without reading anything.
    fn known(&self) -> Known {
        match self {
            Self::Facts(known) => known.clone(),
            Self::File(path) => {
                let size = std::fs::metadata(path).ok().map(|metadata| metadata.len());
                Known { size, ..Known::default() }
            }
            Self::Object(object) => listed(object),
        }
    }

    fn location(&self) -> Option<Location> {
        match self {
            Self::Object(object) => Some(object.location.clone()),
            Self::Facts(_) | Self::File(_) => None,
        }
    }
}
