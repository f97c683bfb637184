//! Writes what a comparison found: lines and a summary, as text or as objects.

use std::io;

use clap::ValueEnum;
use hashlanes_files::manifest::{Expected, write_json_name};

use crate::terminal::output::{Output, write_named};
use crate::terminal::summary::State;
use crate::url::public_name;

/// The format of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Style {
    /// A line for each file, and a summary
    Text,
    /// One object per line: path, status, and `from` if it was moved; and one with a summary
    Json,
}

/// The status of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Unchanged,
    Changed,
    /// The content differs, and nothing says that anybody wrote it.
    Damaged,
    Missing,
    New,
    /// No line has this name. A missing listed file had the same content.
    Moved,
    Unreadable,
    /// In a torrent: correct except for a piece that it shares with a missing file.
    Unchecked,
    /// What a store knows proves nothing, and the object was not to be read.
    Unproven,
    /// The options leave it out.
    LeftOut,
}

/// What is said beside a status.
#[derive(Clone, Copy)]
pub(super) enum Detail<'a> {
    /// Where the file was.
    From(&'a [u8]),
    /// The proof, or the reason.
    Why(&'a str),
}

impl Status {
    /// Whether nothing is wrong with such a file.
    pub(super) fn is_well(self) -> bool {
        matches!(self, Self::Unchanged | Self::LeftOut)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::Damaged => "damaged",
            Self::Missing => "missing",
            Self::New => "new",
            Self::Moved => "moved",
            Self::Unreadable => "unreadable",
            Self::Unchecked => "unchecked",
            Self::Unproven => "unproven",
            Self::LeftOut => "left_out",
        }
    }
}

/// Writes the report.
pub(super) struct Printer {
    pub(super) style: Style,
    /// Print no lines for unchanged files.
    pub(super) quiet: bool,
    /// Print nothing.
    pub(super) status: bool,
    pub(super) output: Output,
}

impl Printer {
    /// Prints the numbers, those of damaged files and of files left out only if there are any.
    pub(super) fn sum_up_text(&mut self, counts: &[(Status, u64)]) -> io::Result<()> {
        let is_rare = |status| matches!(status, Status::Damaged | Status::LeftOut);
        let shown = counts.iter().filter(|(status, count)| *count > 0 || !is_rare(*status));
        let count = |(status, count): &(Status, u64)| {
            format!("{count} {}", status.word().replace('_', " "))
        };
        self.sum_up("\n", shown.map(count).collect(), "\n")
    }

    pub(super) fn sum_up_json(&mut self, counts: &[(Status, u64)]) -> io::Result<()> {
        let count = |(status, count): &(Status, u64)| format!("\"{}\":{count}", status.word());
        self.sum_up("{\"summary\":{", counts.iter().map(count).collect(), "}}\n")
    }

    fn sum_up(&mut self, begin: &str, counts: Vec<String>, end: &str) -> io::Result<()> {
        if self.status {
            return Ok(());
        }
        let separator = if self.style == Style::Json { "," } else { ", " };
        let counts = counts.join(separator);
        self.output.line(|line| line.extend([begin, &counts, end].concat().bytes()))
    }

    pub(super) fn line(
        &mut self,
        name: &[u8],
        status: Status,
        detail: Option<Detail<'_>>,
    ) -> io::Result<()> {
        if self.status || self.quiet && status == Status::Unchanged {
            return Ok(());
        }
        let name = &*public_name(name);
        let style = self.style;
        self.output.line(|line| match style {
            Style::Text => write_text(line, name, status, detail),
            Style::Json => write_json(line, name, status, detail),
        })
    }
}

/// `NAME: changed`, `NAME: changed (WHY)` or `NAME: moved from NAME`. Names with a newline are
/// escaped, and the line begins with a backslash.
fn write_text(line: &mut Vec<u8>, name: &[u8], status: Status, detail: Option<Detail<'_>>) {
    let mut told = status.word().to_owned();
    let from = match detail {
        Some(Detail::From(from)) => {
            told += " from ";
            Some(from)
        }
        Some(Detail::Why(why)) => {
            told += &format!(" ({why})");
            None
        }
        None => None,
    };
    write_named(line, name, &told, from.unwrap_or_default());
}

fn write_json(line: &mut Vec<u8>, name: &[u8], status: Status, detail: Option<Detail<'_>>) {
    line.push(b'{');
    write_json_name(line, "path", name);
    line.extend(format!(",\"status\":\"{}\"", status.word()).bytes());
    let detail = detail.map(|detail| match detail {
        Detail::From(from) => ("from", from),
        Detail::Why(why) if matches!(status, Status::Unchanged | Status::Changed) => {
            ("proof", why.as_bytes())
        }
        Detail::Why(why) => ("reason", why.as_bytes()),
    });
    if let Some((member, value)) = detail {
        line.push(b',');
        write_json_name(line, member, value);
    }
    line.extend(b"}\n");
}

/// Whether a name may have codes of the manifests of bags.
pub(super) fn has_codes(name: &[u8]) -> bool {
    let codes = [b"%0A", b"%0a", b"%0D", b"%0d", b"%25"];
    name.windows(3).any(|part| codes.iter().any(|code| *code == part))
}

/// The algorithms of a line.
pub(super) fn names(digests: &[Expected]) -> String {
    let names: Vec<_> = digests.iter().map(|expected| expected.function.name()).collect();
    names.join(",")
}

/// Appends an object with the result for a file of a manifest.
pub(super) fn write_object(
    line: &mut Vec<u8>,
    name: &[u8],
    algorithm: &str,
    state: State,
    why: Option<String>,
) {
    line.push(b'{');
    write_json_name(line, "path", name);
    if !algorithm.is_empty() {
        line.extend(format!(",\"algorithm\":\"{algorithm}\"").bytes());
    }
    line.extend(format!(",\"status\":\"{}\"", state.word()).bytes());
    if let Some(why) = why {
        let why = serde_json::to_string(&why).expect("a string is JSON");
        line.extend(format!(",\"reason\":{why}").bytes());
    }
    line.extend(b"}\n");
}
