//! `hashlanes check`: compares files with manifests, as `sha256sum -c` does.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::vec;

use hashlanes_files::manifest::{Line, Parser};
use hashlanes_files::name::{self, quote, quote_name};
use hashlanes_files::{
    Entry, Function, Kind, Outcome, Plan, Report, Source, is_special, is_stdin, system,
};

use crate::message::{output_failed, reason, say, say_of, wrong_usage};
use crate::options::{Machine, path};
use crate::output::Output;
use crate::sum::{CHANGED, algorithm};

/// Check files against the digests in manifests, as sha256sum -c and its siblings do.
///
/// A manifest is the output of `hashlanes sum`, of sha256sum and its siblings, of Perl's shasum or
/// of `openssl dgst`, with or without --tag. With no MANIFEST, or when MANIFEST is -, read the
/// standard input. Print a line for each file: `NAME: OK`, `NAME: FAILED` or `NAME: FAILED open or
/// read`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  hashlanes check SHA256SUMS
  hashlanes check --quiet --strict -a sha512 manifest
  ssh host hashlanes sum -r data | hashlanes check -

Exit status: 0 if every listed file was read and matches; 1 if not, or if a manifest cannot be read,
has no proper line or ends in the middle of a line; 2 on wrong usage.")]
pub(crate) struct Args {
    /// The hash function of all lines [default: found by each line's tag, or by the length of its
    /// digest]. Plain lines of SHA-512/256, SM3, SHA-3, BLAKE2b, BLAKE3 and CRC-32 need this
    /// option: those of SHA-2 and SHA-1 look the same, or they are too short
    #[arg(short, long, value_name = "ALGORITHM", value_parser = algorithm)]
    algorithm: Option<Function>,

    /// Print no line for files that match
    #[arg(long, overrides_with_all = ["status", "warn"])]
    quiet: bool,

    /// Print no lines and no summary; the exit status tells the result
    #[arg(long, overrides_with_all = ["quiet", "warn"])]
    status: bool,

    /// Exit with status 1 if any line is improperly formatted
    #[arg(long)]
    strict: bool,

    /// Do not fail for, or report, files that do not exist
    #[arg(long)]
    ignore_missing: bool,

    /// Warn of each line that is improperly formatted
    #[arg(short, long, overrides_with_all = ["quiet", "status"])]
    warn: bool,

    #[command(flatten)]
    machine: Machine,

    /// Manifests; `-` is the standard input
    #[arg(
        value_name = "MANIFEST",
        value_parser = path(),
        default_value = "-",
        hide_default_value = true
    )]
    manifests: Vec<PathBuf>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    let engines = match args.algorithm {
        Some(algorithm) => args.machine.engines(&[algorithm]),
        None => args.machine.engines_for_any(&Function::every().collect::<Vec<_>>()),
    };
    let plans: Vec<Plan> = match engines {
        Ok(engines) => engines.into_iter().map(|engine| vec![engine]).collect(),
        Err(error) => return wrong_usage(error),
    };
    let output = match Output::stdout() {
        Ok(output) => output,
        Err(error) => return output_failed(&error),
    };
    let threads = args.machine.threads();
    let source = Manifests {
        algorithm: args.algorithm,
        paths: args.manifests.clone().into_iter(),
        current: None,
    };
    let mut verdict =
        Verdict { args, output, manifest: PathBuf::new(), count: Count::default(), failed: false };
    match hashlanes_files::hash_files(source, &plans, &mut verdict, threads) {
        Ok(()) if verdict.failed => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output_failed(&error),
    }
}

/// The most bytes of a line. It has room for a digest and the longest path (4,096 bytes on Linux),
/// escaped. A longer line is improperly formatted, and is never held in memory as a whole.
const MAX_LINE: u64 = 64 << 10;

/// The lines of manifests, one after the other.
struct Manifests {
    algorithm: Option<Function>,
    paths: vec::IntoIter<PathBuf>,
    current: Option<Manifest>,
}

struct Manifest {
    is_stdin: bool,
    parser: Parser,
    reader: BufReader<File>,
    /// Reading it may wait for a writer, or take bytes that a listed file would get.
    is_special: bool,
    /// Lines read so far.
    lines: u64,
    ended: bool,
}

/// What comes with an entry.
enum Note {
    /// A manifest begins.
    Begin(PathBuf),
    /// A manifest cannot be opened.
    Unopened(PathBuf, io::Error),
    /// The digest that the line gives for a file.
    Expected(Vec<u8>),
    /// A line has this name, and no file of this system can have it.
    Impossible(Vec<u8>),
    /// A line is improperly formatted. If it is `cut`, it is the last line and lacks its end.
    Malformed { line: u64, cut: bool },
    /// The manifest ends, or cannot be read any further.
    End(Option<io::Error>),
}

impl Source for Manifests {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        if let Some(entry) =
            self.current.as_mut().and_then(|manifest| manifest.next(self.algorithm))
        {
            return Some(entry);
        }
        self.current = None;
        let path = self.paths.next()?;
        Some(Entry::Note(match Manifest::open(&path, self.algorithm) {
            Ok(manifest) => {
                self.current = Some(manifest);
                Note::Begin(path)
            }
            Err(error) => Note::Unopened(path, error),
        }))
    }

    fn is_ready(&self) -> bool {
        match &self.current {
            Some(manifest) if !manifest.ended => {
                !manifest.is_special || manifest.reader.buffer().contains(&b'\n')
            }
            _ => self.paths.as_slice().first().is_none_or(|path| !is_special(path)),
        }
    }
}

impl Manifest {
    fn open(path: &Path, algorithm: Option<Function>) -> io::Result<Self> {
        let is_stdin = is_stdin(path);
        let file = if is_stdin { system::stdin()? } else { system::open(path)? };
        Ok(Self {
            is_stdin,
            parser: Parser::new(algorithm),
            // Of a device, Windows has no metadata.
            is_special: is_stdin || !file.metadata().is_ok_and(|metadata| metadata.is_file()),
            reader: BufReader::with_capacity(64 << 10, file),
            lines: 0,
            ended: false,
        })
    }

    fn next(&mut self, algorithm: Option<Function>) -> Option<Entry<Note>> {
        if self.ended {
            return None;
        }
        let mut line = Vec::new();
        loop {
            line.clear();
            match self.read_line(&mut line) {
                Ok(true) => {}
                Ok(false) => return self.end(None),
                Err(error) => return self.end(Some(error)),
            }
            self.lines += 1;
            if self.lines == 1 && is_utf_16(&line) {
                let why = "this is UTF-16, and manifests are UTF-8";
                return self.end(Some(io::Error::new(io::ErrorKind::InvalidData, why)));
            }
            let whole = line.ends_with(b"\n");
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = if self.lines == 1 { without_mark(text) } else { text };
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            if text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            return Some(match self.parser.parse(text) {
                // The standard input cannot be both the manifest and a file that it lists.
                Some(Line { algorithm: found, digest, name })
                    if !(self.is_stdin && name == b"-") =>
                {
                    // With a given algorithm there is one plan, otherwise one for each algorithm.
                    let plan = if algorithm.is_some() { 0 } else { plan_of(found) };
                    match system::path(name) {
                        Ok(path) => {
                            let note = Note::Expected(digest);
                            Entry::File { path, kind: Kind::Unknown, plan, note }
                        }
                        Err(name) => Entry::Note(Note::Impossible(name)),
                    }
                }
                _ => Entry::Note(Note::Malformed { line: self.lines, cut: !whole }),
            });
        }
    }

    /// Reads a line with its end. False at the end of the manifest. A line that is too long is
    /// replaced by a short one that is improperly formatted too.
    fn read_line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        self.reader.by_ref().take(MAX_LINE).read_until(b'\n', line)?;
        if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            let rest = self.reader.skip_until(b'\n')?;
            line.clear();
            line.extend(if rest > 0 { b"too long\n".as_slice() } else { b"cut" });
        }
        Ok(!line.is_empty())
    }

    fn end(&mut self, error: Option<io::Error>) -> Option<Entry<Note>> {
        self.ended = true;
        Some(Entry::Note(Note::End(error)))
    }
}

/// The first line without the byte order mark that editors of Windows put before UTF-8.
fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

/// Whether the first line begins with the byte order mark of UTF-16 and ASCII in it, as Windows
/// PowerShell 5 writes what it redirects. Nothing of such a manifest can be read.
fn is_utf_16(line: &[u8]) -> bool {
    matches!(line, [0xff, 0xfe, _, 0, ..] | [0xfe, 0xff, 0, ..])
}

/// The number of the algorithm's plan where each algorithm has one.
fn plan_of(algorithm: Function) -> usize {
    Function::every().position(|other| other == algorithm).expect("it is one of them")
}

/// The lines of one manifest, counted.
#[derive(Default)]
struct Count {
    proper: u64,
    malformed: u64,
    unreadable: u64,
    mismatched: u64,
    matched: u64,
    /// The last line lacks its end.
    cut: bool,
}

/// Compares, prints and counts.
struct Verdict {
    args: Args,
    output: Output,
    /// The manifest under way, and the count of its lines so far.
    manifest: PathBuf,
    count: Count,
    failed: bool,
}

impl Report<Note> for Verdict {
    fn file(&mut self, path: &Path, note: Note, outcome: Outcome) -> io::Result<()> {
        let Note::Expected(expected) = note else {
            unreachable!("every file has an expected digest")
        };
        self.count.proper += 1;
        match outcome {
            Ok(hashed) if hashed.digests.iter().all(|digest| digest.as_bytes() == expected) => {
                self.count.matched += 1;
                if self.args.quiet { Ok(()) } else { self.line(&system::name(path), "OK") }
            }
            Ok(hashed) => {
                if hashed.is_changed && !self.args.status {
                    self.output.flush()?;
                    say_of(path, CHANGED);
                }
                self.count.mismatched += 1;
                self.line(&system::name(path), "FAILED")
            }
            Err(error) if self.args.ignore_missing && system::is_missing(&error) => Ok(()),
            Err(error) => self.unreadable(&system::name(path), &reason(&error)),
        }
    }

    fn note(&mut self, note: Note) -> io::Result<()> {
        match note {
            Note::Begin(path) => {
                self.manifest = path;
                self.count = Count::default();
            }
            Note::Unopened(path, error) => {
                self.output.flush()?;
                say_of(&path, reason(&error));
                self.failed = true;
            }
            Note::Impossible(name) => {
                self.count.proper += 1;
                if !self.args.ignore_missing {
                    self.unreadable(&name, "no file can have this name, which is not Unicode")?;
                }
            }
            Note::Malformed { line, cut } => {
                self.count.malformed += 1;
                self.count.cut = cut;
                if self.args.warn {
                    self.output.flush()?;
                    let of = self
                        .args
                        .algorithm
                        .map_or(String::new(), |algorithm| format!(" {}", algorithm.tag()));
                    self.say_of_manifest(format_args!(
                        "{line}: improperly formatted{of} checksum line"
                    ));
                }
            }
            Note::End(error) => {
                self.output.flush()?;
                match error {
                    Some(error) => {
                        self.say_of_manifest(reason(&error));
                        self.failed = true;
                    }
                    None => self.sum_up(),
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

impl Verdict {
    fn unreadable(&mut self, name: &[u8], why: &str) -> io::Result<()> {
        self.count.unreadable += 1;
        self.output.flush()?;
        say(format_args!("{}: {why}", quote_name(name)));
        self.line(name, "FAILED open or read")
    }

    fn line(&mut self, name: &[u8], verdict: &str) -> io::Result<()> {
        if self.args.status {
            return Ok(());
        }
        self.output.line(|line| {
            // As the GNU tools do, escape the name only if it has a newline.
            if name.contains(&b'\n') {
                line.push(b'\\');
                name::escape(name, line);
            } else {
                line.extend(name);
            }
            line.extend(b": ");
            line.extend(verdict.as_bytes());
            line.push(b'\n');
        })
    }

    fn say_of_manifest(&self, what: impl std::fmt::Display) {
        if self.manifest.as_os_str() == "-" {
            say(format_args!("'standard input': {what}"));
        } else {
            say(format_args!("{}: {what}", quote(&self.manifest)));
        }
    }

    /// Says what is wrong with the manifest and its files.
    fn sum_up(&mut self) {
        let Count { proper, malformed, unreadable, mismatched, matched, cut } = self.count;
        let none_verified = self.args.ignore_missing && matched == 0;
        self.failed |= proper == 0 || unreadable > 0 || mismatched > 0 || none_verified || cut;
        self.failed |= self.args.strict && malformed > 0;

        if proper == 0 {
            self.say_of_manifest("no properly formatted checksum lines found");
        } else if !self.args.status {
            warn(malformed, "line is improperly formatted", "lines are improperly formatted");
            warn(unreadable, "listed file could not be read", "listed files could not be read");
            warn(mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
            if none_verified {
                self.say_of_manifest("no file was verified");
            }
        }
        if cut && !self.args.status {
            self.say_of_manifest("the last line is cut off");
        }
    }
}

fn warn(count: u64, one: &str, many: &str) {
    match count {
        0 => {}
        1 => say(format_args!("WARNING: 1 {one}")),
        _ => say(format_args!("WARNING: {count} {many}")),
    }
}
