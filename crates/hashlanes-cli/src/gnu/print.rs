//! Prints the digests of files.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{thread, vec};

use hashlanes_files::{
    Digest, Engine, Entry, Hashed, Kind, Outcome, Plan, Report, Source, crc_support, hash_files,
    is_stdin, name, system,
};

use super::family::Family;
use super::settings::{Format, Print};
use super::voice::Voice;
use super::{finished, line_end};
use crate::terminal::output::Output;

pub(super) fn run(voice: &Voice, settings: Print) -> ExitCode {
    let output = match Output::stdout() {
        Ok(output) => output,
        Err(error) => return voice.output_failed(&error),
    };
    let plan = Plan::from(vec![Engine::new(settings.function)]);
    let source = Names(settings.files.paths.clone().into_iter());
    let mut lines = Lines { voice, settings, output, reads_stdin: false, failed: false };
    let threads = thread::available_parallelism().map_or(1, Into::into);
    let outcome = hash_files(source, &[plan], &mut lines, threads);
    finished(voice, outcome, lines.failed, lines.reads_stdin)
}

struct Names(vec::IntoIter<PathBuf>);

impl Source for Names {
    type Note = ();

    fn next(&mut self) -> Option<Entry<()>> {
        let path = self.0.next()?;
        Some(Entry::file(path, Kind::Unknown, 0, ()))
    }

    fn remaining(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Lines<'v> {
    voice: &'v Voice,
    settings: Print,
    output: Output,
    reads_stdin: bool,
    failed: bool,
}

impl Lines<'_> {
    /// With `--debug`, names what computes the CRC, before the first file that can be opened.
    fn tell_support(&mut self, outcome: &Outcome) -> io::Result<()> {
        let is_open = match outcome {
            Ok(_) => true,
            Err(error) => error.kind() == io::ErrorKind::IsADirectory,
        };
        if is_open && self.settings.debug && self.settings.family == Family::Crc {
            self.settings.debug = false;
            self.output.flush()?;
            if let Some(name) = crc_support() {
                self.voice.say(format!("using {name} hardware support").as_bytes());
            }
        }
        Ok(())
    }
}

impl Report<()> for Lines<'_> {
    fn file(&mut self, path: &Path, (): (), outcome: Outcome) -> io::Result<()> {
        self.tell_support(&outcome)?;
        self.reads_stdin |= is_stdin(path);
        let name = system::name(path);
        match outcome {
            Ok(hashed) => {
                let Self { settings, output, .. } = self;
                output.line(|line| settings.write(line, &hashed, &name))
            }
            Err(error) => {
                self.output.flush()?;
                self.failed = true;
                self.voice.say_error(&name, &error);
                Ok(())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Print {
    fn write(&self, line: &mut Vec<u8>, hashed: &Hashed, name: &[u8]) {
        let digest = &hashed.digests[0];
        match self.format {
            Format::Raw => line.extend(digest.as_bytes()),
            _ if self.family.is_legacy() => {
                self.write_legacy(line, digest, hashed.length, name);
                line.push(line_end(self.zero));
            }
            _ => {
                self.write_digest(line, digest, name);
                line.push(line_end(self.zero));
            }
        }
    }

    /// `DIGEST  NAME` or `MD5 (NAME) = DIGEST`.
    fn write_digest(&self, line: &mut Vec<u8>, digest: &Digest, name: &[u8]) {
        let encode = |line: &mut Vec<u8>| self.digits.write(digest.as_bytes(), line);
        let escaped = !self.zero && name::needs_escape(name);
        let write_name = |line: &mut Vec<u8>| {
            if escaped { name::escape(name, line) } else { line.extend(name) }
        };
        if escaped {
            line.push(b'\\');
        }
        if let Format::Untagged { binary } = self.format {
            encode(line);
            line.extend(if binary { b" *" } else { b"  " });
            write_name(line);
        } else {
            line.extend(self.function.tag().bytes());
            line.extend(b" (");
            write_name(line);
            line.extend(b") = ");
            encode(line);
        }
    }

    /// The checksum in decimal, and the length of the file in the legacy unit.
    fn write_legacy(&self, line: &mut Vec<u8>, digest: &Digest, length: u64, name: &[u8]) {
        let sum = digest.as_bytes().iter().fold(0, |sum: u64, &byte| sum << 8 | u64::from(byte));
        line.extend(
            match self.family {
                Family::Bsd => format!("{sum:05} {:5}", length.div_ceil(1024)),
                Family::Sysv => format!("{sum} {}", length.div_ceil(512)),
                _ => format!("{sum} {length}"),
            }
            .bytes(),
        );
        if !self.files.is_implied {
            line.push(b' ');
            line.extend(name);
        }
    }
}
