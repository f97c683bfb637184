//! Verifies the digests that checksum files list.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{thread, vec};

use hashlanes_files::manifest::{Digits, Records};
use hashlanes_files::{
    Digest, Engine, Entry, Function, Kind, Outcome, Plan, Report, Source, hash_files, is_special,
    is_stdin, open_or_stdin, system,
};

use super::family::Family;
use super::finished;
use super::line::{Line, Reader};
use super::settings::{Flag, Verify};
use super::voice::Voice;
use crate::terminal::output::{Output, write_named};

pub(super) fn run(voice: &Voice, settings: Verify) -> ExitCode {
    let output = match Output::stdout() {
        Ok(output) => output,
        Err(error) => return voice.output_failed(&error),
    };
    let functions = match settings.family {
        Some(family) => family.functions(),
        None => Function::every().collect(),
    };
    let plans: Vec<Plan> =
        functions.iter().map(|&function| vec![Engine::new(function)].into()).collect();
    let source = Lists {
        paths: settings.files.paths.clone().into_iter(),
        reader: Reader::new(settings.tool, settings.family),
        functions,
        current: None,
    };
    let mut verdict = Verdict {
        voice,
        settings,
        output,
        list: Vec::new(),
        count: Count::default(),
        reads_stdin: false,
        failed: false,
    };
    let threads = thread::available_parallelism().map_or(1, Into::into);
    let outcome = hash_files(source, &plans, &mut verdict, threads);
    finished(voice, outcome, verdict.failed, verdict.reads_stdin)
}

/// The lines of checksum files, one after another.
struct Lists {
    paths: vec::IntoIter<PathBuf>,
    reader: Reader,
    /// The function of each plan.
    functions: Vec<Function>,
    current: Option<List>,
}

struct List {
    is_stdin: bool,
    records: Records<BufReader<File>>,
    /// Whether reading it may wait for a writer, or consume the bytes of a listed file.
    is_special: bool,
    /// Lines read so far.
    lines: u64,
    ended: bool,
}

/// What an entry is about.
enum Note {
    /// A checksum file begins.
    Begin(PathBuf),
    /// A checksum file cannot be opened.
    Unopened(PathBuf, io::Error),
    /// The digest that a line gives for a file, as digits.
    Expected(Vec<u8>),
    /// A line has this name, which no file on this system can have.
    Impossible(Vec<u8>),
    /// A line is improperly formatted.
    Malformed { line: u64, family: Family },
    /// The checksum file ends. If it is not `whole`, reading it failed.
    End { whole: bool },
}

impl Source for Lists {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        if let Some(list) = &mut self.current
            && let Some(entry) = list.next(&mut self.reader, &self.functions)
        {
            return Some(entry);
        }
        self.current = None;
        let path = self.paths.next()?;
        Some(Entry::Note(match List::open(&path) {
            Ok(list) => {
                self.current = Some(list);
                Note::Begin(path)
            }
            Err(error) => Note::Unopened(path, error),
        }))
    }

    fn is_ready(&self) -> bool {
        match &self.current {
            Some(list) if !list.ended => {
                !list.is_special || list.records.get_ref().buffer().contains(&b'\n')
            }
            _ => self.paths.as_slice().first().is_none_or(|path| !is_special(path)),
        }
    }
}

impl List {
    fn open(path: &Path) -> io::Result<Self> {
        let is_stdin = is_stdin(path);
        let file = open_or_stdin(path)?;
        Ok(Self {
            is_stdin,
            // Windows has no metadata of a device.
            is_special: is_stdin || !file.metadata().is_ok_and(|metadata| metadata.is_file()),
            records: Records::new(BufReader::with_capacity(64 << 10, file), false),
            lines: 0,
            ended: false,
        })
    }

    fn next(&mut self, reader: &mut Reader, functions: &[Function]) -> Option<Entry<Note>> {
        if self.ended {
            return None;
        }
        let mut line = Vec::new();
        loop {
            match self.records.next(&mut line) {
                Ok(Some(_)) => {}
                read => {
                    self.ended = true;
                    return Some(Entry::Note(Note::End { whole: read.is_ok() }));
                }
            }
            self.lines += 1;
            let text = line.strip_suffix(b"\r").unwrap_or(&line);
            if !text.is_empty() && !text.starts_with(b"#") {
                return Some(self.entry(reader, functions, text));
            }
        }
    }

    fn entry(&self, reader: &mut Reader, functions: &[Function], text: &[u8]) -> Entry<Note> {
        let read = reader.read(text);
        // The standard input cannot be both the list and a listed file.
        let read = read.filter(|line| !(self.is_stdin && line.name == b"-"));
        let Some(Line { function, digest, name }) = read else {
            return Entry::Note(Note::Malformed { line: self.lines, family: reader.family() });
        };
        let plan = functions.iter().position(|&planned| planned == function);
        let plan = plan.expect("a line has only functions of the family");
        match system::path(name) {
            Ok(path) => Entry::file(path, Kind::Unknown, plan, Note::Expected(digest)),
            Err(name) => Entry::Note(Note::Impossible(name)),
        }
    }
}

/// Counts of the lines of one checksum file.
#[derive(Default)]
struct Count {
    proper: u64,
    malformed: u64,
    unreadable: u64,
    mismatched: u64,
    matched: u64,
}

/// Compares, prints and counts.
struct Verdict<'v> {
    voice: &'v Voice,
    settings: Verify,
    output: Output,
    /// The name of the current checksum file, and the count of its lines so far.
    list: Vec<u8>,
    count: Count,
    reads_stdin: bool,
    failed: bool,
}

impl Report<Note> for Verdict<'_> {
    fn file(&mut self, path: &Path, note: Note, outcome: Outcome) -> io::Result<()> {
        let Note::Expected(expected) = note else {
            unreachable!("every file has an expected digest")
        };
        self.reads_stdin |= is_stdin(path);
        self.count.proper += 1;
        let name = system::name(path);
        match outcome {
            Ok(hashed) if matches(&hashed.digests[0], &expected) => {
                self.count.matched += 1;
                if self.settings.output == Some(Flag::Quiet) {
                    return Ok(());
                }
                self.line(&name, "OK")
            }
            Ok(_) => {
                self.count.mismatched += 1;
                self.line(&name, "FAILED")
            }
            Err(error) if self.settings.ignore_missing && system::is_missing(&error) => Ok(()),
            Err(error) => self.unreadable(&name, &crate::terminal::message::reason(&error)),
        }
    }

    fn note(&mut self, note: Note) -> io::Result<()> {
        match note {
            Note::Begin(path) => self.begin(&path),
            Note::Unopened(path, error) => {
                self.output.flush()?;
                self.voice.say_error(&system::name(&path), &error);
                self.failed = true;
            }
            Note::Impossible(name) => {
                self.count.proper += 1;
                if !self.settings.ignore_missing {
                    self.unreadable(&name, "no file can have this name: it is not valid Unicode")?;
                }
            }
            Note::Malformed { line, family } => {
                self.count.malformed += 1;
                if self.settings.output == Some(Flag::Warn) {
                    self.output.flush()?;
                    let tag = family.tag();
                    self.say(&format!("{line}: improperly formatted {tag} checksum line"));
                }
            }
            Note::End { whole } => {
                self.output.flush()?;
                if whole {
                    self.sum_up();
                } else {
                    self.say("read error");
                    self.failed = true;
                }
            }
            Note::Expected(_) => unreachable!("only files have an expected digest"),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Verdict<'_> {
    fn begin(&mut self, path: &Path) {
        self.reads_stdin |= is_stdin(path);
        self.list = match is_stdin(path) {
            true => b"standard input".to_vec(),
            false => system::name(path).into_owned(),
        };
        self.count = Count::default();
    }

    fn unreadable(&mut self, name: &[u8], why: &str) -> io::Result<()> {
        self.count.unreadable += 1;
        self.output.flush()?;
        self.voice.say_of(name, why);
        self.line(name, "FAILED open or read")
    }

    fn line(&mut self, name: &[u8], verdict: &str) -> io::Result<()> {
        if self.settings.output == Some(Flag::Status) {
            return Ok(());
        }
        self.output.line(|line| write_named(line, name, verdict, b""))
    }

    /// Reports a problem of the checksum file.
    fn say(&self, what: &str) {
        self.voice.say_of(&self.list, what);
    }

    /// Reports problems of the checksum file and the listed files.
    fn sum_up(&mut self) {
        let Count { proper, malformed, unreadable, mismatched, matched } = self.count;
        let none_verified = self.settings.ignore_missing && matched == 0;
        self.failed |= proper == 0 || unreadable > 0 || mismatched > 0 || none_verified;
        self.failed |= self.settings.strict && malformed > 0;
        if proper == 0 {
            self.say("no properly formatted checksum lines found");
            return;
        }
        if self.settings.output == Some(Flag::Status) {
            return;
        }
        self.warn(malformed, "line is improperly formatted", "lines are improperly formatted");
        self.warn(unreadable, "listed file could not be read", "listed files could not be read");
        self.warn(
            mismatched,
            "computed checksum did NOT match",
            "computed checksums did NOT match",
        );
        if none_verified {
            self.say("no file was verified");
        }
    }

    fn warn(&self, count: u64, one: &str, many: &str) {
        if count > 0 {
            let what = if count == 1 { one } else { many };
            self.voice.say(format!("WARNING: {count} {what}").as_bytes());
        }
    }
}

/// Whether the digits are those of the digest, in hexadecimal or base64.
fn matches(digest: &Digest, digits: &[u8]) -> bool {
    let digest = digest.as_bytes();
    match digits.len() == 2 * digest.len() {
        true => digits.eq_ignore_ascii_case(Digits::Hex.text(digest).as_bytes()),
        false => digits == Digits::Base64.text(digest).as_bytes(),
    }
}
