//! Writes the standard output in whole lines.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal, Write};

use hashlanes_files::name::{escape, for_terminal, needs_escape};
use hashlanes_files::system::stdout;

use crate::terminal::progress::beside_bar;

/// The largest write to a pipe that is atomic (on Linux; POSIX guarantees 512).
const PIPE_BUF: usize = 4096;

/// Collects lines and writes them. The lines of several programs on the same pipe, as under `xargs
/// -P`, do not mix: each write has whole lines only, and at most `PIPE_BUF` bytes unless a single
/// line is longer.
///
/// `std::io::stdout` would not do: it splits lines wherever its buffer is full.
pub(crate) struct Output {
    file: Box<dyn Write + Send>,
    is_terminal: bool,
    lines: Vec<u8>,
}

impl Output {
    pub(crate) fn stdout() -> io::Result<Self> {
        let is_terminal = io::stdout().is_terminal();
        Ok(Self { file: Box::new(stdout()?), is_terminal, lines: Vec::with_capacity(2 * PIPE_BUF) })
    }

    /// Lines for a file.
    pub(crate) fn file(file: File) -> Self {
        Self { file: Box::new(file), is_terminal: false, lines: Vec::new() }
    }

    /// Adds a line. `write` appends it, with its terminator, to the vector. On a terminal, control
    /// characters in it become visible.
    pub(crate) fn line(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let before = self.lines.len();
        write(&mut self.lines);
        self.end_line(before)
    }

    /// Ends the line that begins at `before`.
    fn end_line(&mut self, before: usize) -> io::Result<()> {
        if self.is_terminal
            && let Cow::Owned(shown) = for_terminal(&self.lines[before..])
        {
            self.lines.truncate(before);
            self.lines.extend(shown);
        }
        if before > 0 && self.lines.len() > PIPE_BUF {
            self.write(before)?;
        }
        Ok(())
    }

    /// Writes bytes as they are, after all lines.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.lines.extend(bytes);
        self.flush()
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.write(self.lines.len())
    }

    /// Writes the first bytes of the buffer.
    fn write(&mut self, length: usize) -> io::Result<()> {
        let Self { file, lines, .. } = self;
        let mut write = || file.write_all(&lines[..length]);
        if self.is_terminal { beside_bar(&mut write) } else { write() }?;
        lines.drain(..length);
        Ok(())
    }
}

/// Appends the line `NAME: TOLD`, with another name after it, if any. As with the GNU tools, names
/// with a backslash, a newline or a carriage return are escaped, and the line begins with a
/// backslash.
pub(crate) fn write_named(line: &mut Vec<u8>, name: &[u8], told: &str, other: &[u8]) {
    let escaped = needs_escape(name) || needs_escape(other);
    let write = |line: &mut Vec<u8>, name: &[u8]| {
        if escaped { escape(name, line) } else { line.extend(name) }
    };
    if escaped {
        line.push(b'\\');
    }
    write(line, name);
    line.extend(format!(": {told}").bytes());
    write(line, other);
    line.push(b'\n');
}

/// Writes the complete standard output of a command, which may be anything.
pub(crate) fn write(text: &[u8]) -> io::Result<()> {
    Output::stdout()?.bytes(text)
}

/// Writes the complete standard output of a command: lines with names.
pub(crate) fn write_lines(lines: impl AsRef<[u8]>) -> io::Result<()> {
    let mut output = Output::stdout()?;
    output.line(|line| line.extend(lines.as_ref()))?;
    output.flush()
}
