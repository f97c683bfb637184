//! Reads the entries of one manifest.

use std::path::Path;
use std::rc::Rc;

use hashlanes_files::manifest::Format;
use hashlanes_files::{open_or_stdin, system};

use super::super::check::manifests::{End, Found, How, Lines, Malformed, Why};
use super::{Item, Trouble};
use crate::options::base::Base;
use crate::terminal::message::{reason, say_of};
use crate::url::quote_public;

/// The files, in the order of the manifest. Consecutive lines with the same name are joined.
pub(super) struct Input {
    path: Rc<Path>,
    /// `None` at the end, or if it could not be opened.
    lines: Option<Lines>,
    how: How,
    format: Option<Format>,
    tagged: bool,
    /// The folder of the manifest, if its format says that names are relative to it.
    folder: Option<Base>,
    /// Whether such names become relative to the current folder.
    resolves: bool,
    /// Whether files have to be sorted by name.
    is_sorted: bool,
    /// The file that follows the latest one.
    next: Option<Item>,
    /// The content of the line after that.
    ahead: Option<Item>,
    /// The number of the first unusable line. Whether others are usable is known at the end.
    malformed: Option<(u64, Malformed)>,
    unused: u64,
    trouble: Trouble,
}

impl Input {
    pub(super) fn open(path: &Path, how: &How, trouble: &Trouble) -> Self {
        let how = how.of_manifest(path);
        let lines = match open_or_stdin(path) {
            Ok(file) => Some(Lines::new(Box::new(file), path, &how)),
            Err(error) => {
                trouble.of(path, reason(&error));
                None
            }
        };
        let is_beside = |format: Format| format.about().is_beside;
        let beside = lines.as_ref().filter(|it| it.reader.format().is_some_and(is_beside));
        let mut input = Self {
            path: path.into(),
            folder: beside.and_then(|lines| lines.base.clone()),
            resolves: false,
            lines,
            how,
            format: None,
            tagged: false,
            is_sorted: false,
            next: None,
            ahead: None,
            malformed: None,
            unused: 0,
            trouble: trouble.clone(),
        };
        input.ahead = input.read();
        input.next = input.joined();
        input
    }

    /// From now on, the input ends at a file that comes after one with a greater name.
    pub(super) fn must_be_sorted(&mut self) {
        self.is_sorted = true;
    }

    /// Whether names are relative to the folder of the manifest.
    pub(super) fn is_of_folder(&self) -> bool {
        self.folder.is_some() && !self.resolves
    }

    /// Makes all names relative to the current folder.
    pub(super) fn resolve(&mut self) {
        self.resolves = true;
        for item in self.next.iter_mut().chain(&mut self.ahead) {
            resolve(&mut item.entry.name, self.folder.as_ref());
        }
    }

    /// The next file.
    pub(super) fn peek(&self) -> Option<&Item> {
        self.next.as_ref()
    }

    pub(super) fn format(&self) -> Option<Format> {
        match self.format.or(self.how.format) {
            Some(Format::Text) if self.tagged => Some(Format::Tagged),
            format => format,
        }
    }

    /// The content of the next lines with one name.
    fn joined(&mut self) -> Option<Item> {
        let mut item = self.ahead.take()?;
        loop {
            self.ahead = self.read();
            match self.ahead.take_if(|ahead| ahead.key() == item.key()) {
                Some(same) => item.join(same, &self.trouble),
                None => return Some(item),
            }
        }
    }

    /// The next line that names a file.
    fn read(&mut self) -> Option<Item> {
        loop {
            let lines = self.lines.as_mut()?;
            match lines.next() {
                Found::Listed(mut listed) => {
                    resolve(&mut listed.name, self.folder.as_ref().filter(|_| self.resolves));
                    self.tagged |= listed.tagged;
                    self.format = lines.reader.format();
                    return Some(Item { entry: listed, from: self.path.clone() });
                }
                Found::Unverified(name, why) => {
                    self.pass_over(&format!("{}: {why}", quote_public(&name)));
                }
                Found::Tree(_) => self.pass_over("it is a line of `hashlanes tree`"),
                // Whether any line is usable is known at the end.
                Found::Unused(Why::Malformed(reason)) => {
                    self.malformed.get_or_insert((lines.lines, reason));
                    self.trouble.happens();
                }
                Found::Unused(Why::TooLong) => self.pass_over("it is too long"),
                Found::Unused(Why::Lacking(name)) => {
                    self.pass_over(&format!("{name} is not supported"));
                }
                Found::End(end) => {
                    self.format = lines.reader.format();
                    self.end(end);
                    return None;
                }
            }
        }
    }

    /// Reports that the latest line is lost, if it is the first such line.
    fn pass_over(&mut self, why: &str) {
        self.unused += 1;
        if self.unused == 1 {
            let line = self.lines.as_ref().map_or(0, |lines| lines.lines);
            self.trouble.of(&self.path, format_args!("line {line} is ignored: {why}"));
        }
    }

    /// Whether a truncated line may look complete.
    fn ends_with_name(&self) -> bool {
        !matches!(self.format(), Some(Format::Tagged | Format::Json | Format::Csv | Format::Sfv))
    }

    fn end(&mut self, end: End) {
        self.lines = None;
        let of = |why: &str| self.trouble.of(&self.path, why);
        match end {
            End::Whole => {}
            End::Open if self.trouble.refuses_cut_names && self.ends_with_name() => {
                of("the last line is not terminated: its name may be truncated");
            }
            End::Open => say_of(&self.path, end),
            End::Cut | End::Failed(_) => of(&end.to_string()),
        }
        if self.unused > 1 {
            of(&format!("at least {} lines are ignored", self.unused));
        }
        match (&self.malformed, self.format) {
            (None, _) => {}
            (Some((line, reason)), Some(_)) => {
                of(&format!("line {line} is ignored: {reason}"));
            }
            (Some((line, reason)), None) => {
                of(&format!("no usable line: line {line}: {reason}"));
            }
        }
    }
}

/// Makes a name in this folder relative to the current one.
fn resolve(name: &mut Vec<u8>, folder: Option<&Base>) {
    let path = folder.and_then(|folder| Some(folder.resolve(system::path(name.clone()).ok()?)));
    if let Some(path) = path {
        let path = system::name(&path);
        *name = path.strip_prefix(b"./").unwrap_or(&path).to_vec();
    }
}

impl Iterator for Input {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let item = self.next.take()?;
        self.next = self.joined();
        if let Some(next) = self.next.take_if(|next| self.is_sorted && next.key() < item.key()) {
            let (first, second) = (quote_public(&item.entry.name), quote_public(&next.entry.name));
            self.trouble.of(
                &self.path,
                format_args!(
                    "{second} comes after {first}, but sorts before it: use `hashlanes manifest \
                     sort` first"
                ),
            );
            (self.lines, self.ahead) = (None, None);
        }
        Some(item)
    }
}
