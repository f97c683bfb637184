//! The end of a report: what was moved, and the summary.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use hashlanes_files::manifest::HashName;
use hashlanes_files::name::{fold, quote};

use super::super::print::{Detail, Status, Style};
use super::tell::{New, Tell, Told};
use crate::commands::tree::check as trees;
use crate::terminal::message::{say, warn};
use crate::url::{public_name, quote_public};

/// The most missing files of equal content that are told apart by their names.
const MOST_SAME: usize = 1000;

impl Tell<'_> {
    /// Writes the summary about the files of `folder`.
    pub(super) fn finish(mut self, folder: &Path) -> io::Result<Told> {
        let moved = self.moved();
        if moved.iter().any(Option::is_some) {
            self.found.guessed.matched(&self.table.kinds()[0]);
        }
        let hints = match self.found.left_out {
            0 => self.found.guessed.hints().collect(),
            // Some of these might have matched.
            _ => Vec::new(),
        };
        let has_found = self.has_found();
        if self.found.nameless > 1 {
            self.printer.output.flush()?;
            say(format_args!(
                "{} more files are not inside the folder of --base",
                self.found.nameless - 1
            ));
        }
        if self.found.is_elsewhere
            && !has_found
            && self.found.left_out == 0
            && self.table.len() > 0
            && self.found.originals == 0
            && !self.printer.status
        {
            self.printer.output.flush()?;
            self.say_where();
        }
        let old: HashSet<usize> = moved.iter().flatten().copied().collect();
        let moves = old.len();
        let missing = std::mem::take(&mut self.found.missing);
        missing.iter().for_each(|index| self.changes.drop(*index));
        let missing: Vec<usize> = missing.into_iter().filter(|i| !old.contains(i)).collect();
        let counts = [
            (Status::Unchanged, self.found.unchanged),
            (Status::Changed, self.found.changed.len() as u64),
            (Status::Damaged, self.found.damaged.len() as u64),
            (Status::Missing, missing.len() as u64),
            (Status::New, (self.found.new.len() - moves) as u64),
            (Status::Moved, moves as u64),
            (Status::Unreadable, self.found.unreadable.len() as u64),
            (Status::LeftOut, self.found.left_out),
        ];
        let is_well = |(status, count): &(Status, u64)| *count == 0 || status.is_well();
        let all_well = counts.iter().all(is_well) && !self.found.failed;
        let is_hushed = self.printer.quiet && all_well;
        if !is_hushed && !self.printer.status {
            self.printer.output.flush()?;
            self.say_outside(folder);
        }
        let (damaged, changes) = (self.found.damaged.len(), std::mem::take(&mut self.changes));
        let doubt = self.doubt(has_found, moves);
        if self.printer.style == Style::Text && !is_hushed {
            self.printer.sum_up_text(&counts)?;
            let of = |items: &mut Vec<usize>, status| {
                std::mem::take(items).into_iter().map(move |i| (i, status))
            };
            let again = of(&mut self.found.damaged, Status::Damaged)
                .chain(of(&mut self.found.changed, Status::Changed));
            for (index, status) in again.collect::<Vec<_>>() {
                let name = self.table.name(index);
                self.printer.line(&name, status, None)?;
            }
            for name in std::mem::take(&mut self.found.unreadable) {
                self.printer.line(&name, Status::Unreadable, None)?;
            }
        }
        for &index in &missing {
            let name = self.table.name(index);
            self.printer.line(&name, Status::Missing, None)?;
        }
        let new = std::mem::take(&mut self.found.new);
        for (new, from) in new.iter().zip(&moved) {
            match from {
                Some(index) => {
                    let from = public_name(&self.table.name(*index)).into_owned();
                    self.printer.line(&new.name, Status::Moved, Some(Detail::From(&from)))?;
                }
                None => self.printer.line(&new.name, Status::New, None)?,
            }
        }
        if self.printer.style == Style::Json && !is_hushed {
            self.printer.sum_up_json(&counts)?;
        }
        self.printer.output.flush()?;
        Ok(Told { all_well, doubt, damaged, missing, hints, changes })
    }

    /// Why the folder seems to be another one than the manifest is about.
    fn doubt(&self, has_found: bool, moves: usize) -> Option<&'static str> {
        if self.table.len() == 0 || self.found.left_out > 0 || !self.found.is_elsewhere {
            return None;
        }
        match has_found {
            true if self.found.gone == 0 => Some("no listed file is in the folder"),
            false if self.found.gone == 0 || moves == 0 => Some("no listed file was found"),
            _ => None,
        }
    }

    /// Says how many names lead out of the folder.
    fn say_outside(&self, folder: &Path) {
        if self.found.originals > 0 && self.found.is_elsewhere {
            let folder = quote(folder);
            warn(
                self.found.originals,
                &format!("listed file has an absolute name outside of {folder} and was not read"),
                &format!("listed files have absolute names outside of {folder} and were not read"),
            );
            say("if the folder is a copy, --strip N takes the first N parts off the names");
        }
        let (count, example) = self.found.outside;
        if count == 0 {
            return;
        }
        let name = self.table.name(example);
        let (folder, name) = (quote(folder), quote_public(&name));
        let one = format!("listed file is outside of {folder} and was read there: {name}");
        let many = format!("listed files are outside of {folder} and were read there, as {name}");
        warn(count, &one, &many);
    }

    /// Whether any listed file was found under its name.
    fn has_found(&self) -> bool {
        self.found.unchanged > 0
            || !self.found.changed.is_empty()
            || !self.found.damaged.is_empty()
            || self.found.keeps
    }

    fn say_where(&self) {
        say(format_args!(
            "no listed file is in the folder, as with {}; if names are relative to a folder other \
             than the current one, use --base",
            quote_public(&self.table.name(0))
        ));
    }

    /// For each new file, the missing item that had its content, if any.
    fn moved(&self) -> Vec<Option<usize>> {
        // New files have digests of the most frequent list of functions. If it is empty, they have
        // keys of lines of trees.
        let kind = self.table.kinds().first().map_or(&[][..], Vec::as_slice);
        let mut gone: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for &index in self.found.missing.iter().rev() {
            if kind.is_empty() {
                let keys: Vec<String> =
                    self.table.trees(index).iter().map(trees::Line::key).collect();
                gone.entry(keys.concat().into_bytes()).or_default().push(index);
                continue;
            }
            let digest = |function: &HashName| {
                self.table.digests(index).find(|(other, _)| other == function).map(|(_, d)| d)
            };
            if let Some(digests) = kind.iter().map(digest).collect::<Option<Vec<_>>>() {
                gone.entry(digests.concat()).or_default().push(index);
            }
        }
        // Among files of equal content, that whose name differs only in normal form or case.
        let mut alike: HashMap<Vec<u8>, usize> = HashMap::new();
        if !self.found.new.is_empty() {
            let names = self.found.missing.iter().map(|i| (fold(&self.table.name(*i), true), *i));
            alike.extend(names);
        }
        let mut from = vec![None; self.found.new.len()];
        for (new, from) in self.found.new.iter().zip(&mut from) {
            let Some(index) = alike.get(&fold(&new.name, true)) else { continue };
            let same = gone.get_mut(&*new.digests);
            let Some(same) = same.filter(|same| same.len() <= MOST_SAME) else { continue };
            let place = same.iter().position(|other| other == index);
            *from = place.map(|place| same.remove(place));
        }
        let rest = |(new, from): (&New, Option<usize>)| {
            from.or_else(|| gone.get_mut(&*new.digests).and_then(Vec::pop))
        };
        self.found.new.iter().zip(from).map(rest).collect()
    }
}
