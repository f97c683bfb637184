//! Writes the report: lines and a summary, as text or as objects.

use std::io::{self, Write};

use hashlanes_files::manifest::write_json_name;
use hashlanes_files::name::escape;

use super::Style;
use crate::terminal::output::Output;

/// The status of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Unchanged,
    Changed,
    Missing,
    New,
    /// No line has this name. A missing listed file had the same content.
    Moved,
    Unreadable,
    /// In a torrent: correct except for a piece that it shares with a missing file.
    Unchecked,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::New => "new",
            Self::Moved => "moved",
            Self::Unreadable => "unreadable",
            Self::Unchecked => "unchecked",
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
    pub(super) fn sum_up_text(&mut self, counts: &[(Status, u64)]) -> io::Result<()> {
        if self.status {
            return Ok(());
        }
        let counts: Vec<String> =
            counts.iter().map(|(status, count)| format!("{count} {}", status.word())).collect();
        self.output.line(|line| {
            line.extend(b"\n");
            line.extend(counts.join(", ").bytes());
            line.push(b'\n');
        })
    }

    pub(super) fn sum_up_json(&mut self, counts: &[(Status, u64)]) -> io::Result<()> {
        if self.status {
            return Ok(());
        }
        let counts: Vec<String> =
            counts.iter().map(|(status, count)| format!("\"{}\":{count}", status.word())).collect();
        self.output.line(|line| {
            let _ = writeln!(line, "{{\"summary\":{{{}}}}}", counts.join(","));
        })
    }

    pub(super) fn line(
        &mut self,
        name: &[u8],
        status: Status,
        from: Option<&[u8]>,
    ) -> io::Result<()> {
        if self.status || self.quiet && status == Status::Unchanged {
            return Ok(());
        }
        let style = self.style;
        self.output.line(|line| match style {
            Style::Text => write_text(line, name, status, from),
            Style::Json => write_json(line, name, status, from),
        })
    }
}

/// `NAME: changed`, or `NAME: moved from NAME`. Names with a newline are escaped, and the line
/// begins with a backslash.
fn write_text(line: &mut Vec<u8>, name: &[u8], status: Status, from: Option<&[u8]>) {
    let escaped = name.contains(&b'\n') || from.is_some_and(|from| from.contains(&b'\n'));
    let write = |line: &mut Vec<u8>, name: &[u8]| {
        if escaped { escape(name, line) } else { line.extend(name) }
    };
    if escaped {
        line.push(b'\\');
    }
    write(line, name);
    line.extend(b": ");
    line.extend(status.word().bytes());
    if let Some(from) = from {
        line.extend(b" from ");
        write(line, from);
    }
    line.push(b'\n');
}

fn write_json(line: &mut Vec<u8>, name: &[u8], status: Status, from: Option<&[u8]>) {
    line.push(b'{');
    write_json_name(line, "path", name);
    line.extend(format!(",\"status\":\"{}\"", status.word()).bytes());
    if let Some(from) = from {
        line.push(b',');
        write_json_name(line, "from", from);
    }
    line.extend(b"}\n");
}
