//! What the arguments request, or what is wrong with them.
//!
//! The checks are in the order of the originals, so that of several errors the same one is
//! reported.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use hashlanes_files::Function;
use hashlanes_files::manifest::Digits;

use super::family::Family;
use super::getopt::{Arguments, Known};
use super::locale::{charset, quote};
use super::tool::Tool;

/// What to do.
pub(super) enum Request {
    Help,
    Version,
    Print(Print),
    Verify(Verify),
}

/// How to print digests.
pub(super) struct Print {
    pub(super) family: Family,
    pub(super) function: Function,
    pub(super) format: Format,
    /// End lines with NUL, and do not escape names.
    pub(super) zero: bool,
    pub(super) digits: Digits,
    /// Name the implementation of the CRC.
    pub(super) debug: bool,
    pub(super) files: Files,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// `MD5 (file) = digest`.
    Tagged,
    /// `digest  file`, or `digest *file`.
    Untagged { binary: bool },
    /// Only the digest's bytes.
    Raw,
}

/// How to verify digests.
pub(super) struct Verify {
    pub(super) tool: Tool,
    /// `None` if tags name it.
    pub(super) family: Option<Family>,
    /// The last of `--quiet`, `--status` and `--warn`, which wins.
    pub(super) output: Option<Flag>,
    pub(super) strict: bool,
    pub(super) ignore_missing: bool,
    pub(super) files: Files,
}

/// The operands.
pub(super) struct Files {
    pub(super) paths: Vec<PathBuf>,
    /// No operands: read the standard input, and print no name.
    pub(super) is_implied: bool,
}

/// What is wrong with the arguments.
pub(super) struct Wrong {
    pub(super) messages: Vec<Vec<u8>>,
    pub(super) points_to_help: bool,
}

impl Wrong {
    fn usage(message: impl Into<Vec<u8>>) -> Self {
        Self { messages: vec![message.into()], points_to_help: true }
    }

    /// Without the hint at `--help`.
    fn plain(message: impl Into<Vec<u8>>) -> Self {
        Self { points_to_help: false, ..Self::usage(message) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flag {
    Length,
    Check,
    IgnoreMissing,
    Quiet,
    Status,
    Warn,
    Strict,
    Tag,
    Zero,
    Algorithm,
    Base64,
    Debug,
    Raw,
    Untagged,
    Binary,
    Text,
    Help,
    Version,
}

const fn flag(option: Flag, long: &'static str, short: Option<u8>) -> Known<Flag> {
    let has_argument = matches!(option, Flag::Length | Flag::Algorithm);
    Known { option, long, short, has_argument }
}

/// All options, in the order in which an ambiguous abbreviation lists them.
const OPTIONS: [Known<Flag>; 18] = [
    flag(Flag::Length, "length", Some(b'l')),
    flag(Flag::Check, "check", Some(b'c')),
    flag(Flag::IgnoreMissing, "ignore-missing", None),
    flag(Flag::Quiet, "quiet", None),
    flag(Flag::Status, "status", None),
    flag(Flag::Warn, "warn", Some(b'w')),
    flag(Flag::Strict, "strict", None),
    flag(Flag::Tag, "tag", None),
    flag(Flag::Zero, "zero", Some(b'z')),
    flag(Flag::Algorithm, "algorithm", Some(b'a')),
    flag(Flag::Base64, "base64", None),
    flag(Flag::Debug, "debug", None),
    flag(Flag::Raw, "raw", None),
    flag(Flag::Untagged, "untagged", None),
    flag(Flag::Binary, "binary", Some(b'b')),
    flag(Flag::Text, "text", Some(b't')),
    flag(Flag::Help, "help", None),
    flag(Flag::Version, "version", None),
];

/// Whether a tool has an option.
fn has(tool: Tool, option: Flag) -> bool {
    match option {
        Flag::Length => matches!(tool, Tool::B2sum | Tool::Cksum),
        Flag::Algorithm | Flag::Base64 | Flag::Debug | Flag::Raw | Flag::Untagged => {
            tool == Tool::Cksum
        }
        _ => true,
    }
}

/// The options as they were given.
#[derive(Default)]
struct Given {
    /// Those without an argument, in their order.
    flags: Vec<Flag>,
    /// The argument of `--algorithm`.
    family: Option<Family>,
    length: Option<Length>,
}

/// The argument of `--length`.
struct Length {
    text: Vec<u8>,
    /// The number; the largest one also stands for all that are too large.
    bits: u64,
}

/// Reads the arguments, without the program's name.
pub(super) fn read(
    tool: Tool,
    arguments: impl Iterator<Item = OsString>,
) -> Result<Request, Wrong> {
    let known: Vec<_> = OPTIONS.into_iter().filter(|known| has(tool, known.option)).collect();
    let in_order = env::var_os("POSIXLY_CORRECT").is_some();
    let mut arguments = Arguments::new(arguments, &known, in_order);
    let mut given = Given::default();
    while let Some((flag, argument)) = arguments.next().map_err(Wrong::usage)? {
        match flag {
            Flag::Help => return Ok(Request::Help),
            Flag::Version => return Ok(Request::Version),
            Flag::Length => given.length = Some(length(argument)?),
            Flag::Algorithm => given.family = Some(family(&argument)?),
            flag => given.flags.push(flag),
        }
    }
    let mut paths: Vec<_> = arguments.operands().into_iter().map(PathBuf::from).collect();
    let is_implied = paths.is_empty();
    if is_implied {
        paths.push("-".into());
    }
    given.request(tool, Files { paths, is_implied })
}

impl Given {
    fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// The last of these, which wins.
    fn last(&self, among: &[Flag]) -> Option<Flag> {
        self.flags.iter().rev().find(|flag| among.contains(flag)).copied()
    }

    fn loudness(&self) -> Option<Flag> {
        self.last(&[Flag::Quiet, Flag::Status, Flag::Warn])
    }

    /// The last of `--binary` and `--text`.
    fn mode(&self) -> Option<Flag> {
        self.last(&[Flag::Binary, Flag::Text])
    }

    fn request(self, tool: Tool, files: Files) -> Result<Request, Wrong> {
        let family = self.family.unwrap_or(tool.family());
        let bits = self.bits(family)?;
        self.check_algorithm(family, bits)?;
        self.check_combinations(tool)?;
        if self.has(Flag::Raw) && files.paths.len() > 1 {
            return Err(Wrong::plain("the --raw option is not supported with multiple files"));
        }
        if self.has(Flag::Check) {
            // Without options, `cksum` finds the function by each line's tag.
            let is_told = self.family.is_some() || tool != Tool::Cksum;
            return Ok(Request::Verify(Verify {
                tool,
                family: is_told.then_some(family),
                output: self.loudness(),
                strict: self.has(Flag::Strict),
                ignore_missing: self.has(Flag::IgnoreMissing),
                files,
            }));
        }
        Ok(Request::Print(Print {
            family,
            function: family.function(bits).expect("the length was checked"),
            format: self.format(tool),
            zero: self.has(Flag::Zero),
            digits: if self.has(Flag::Base64) { Digits::Base64 } else { Digits::Hex },
            debug: self.has(Flag::Debug),
            files,
        }))
    }

    fn format(&self, tool: Tool) -> Format {
        if self.has(Flag::Raw) {
            Format::Raw
        } else if self.is_tagged(tool) {
            Format::Tagged
        } else {
            Format::Untagged { binary: self.mode() == Some(Flag::Binary) }
        }
    }

    fn is_tagged(&self, tool: Tool) -> bool {
        let last = self.last(&[Flag::Tag, Flag::Untagged]);
        last.map_or(tool == Tool::Cksum, |last| last == Flag::Tag)
    }

    /// The length of digests, if the family has several.
    fn bits(&self, family: Family) -> Result<Option<u16>, Wrong> {
        let default = (family == Family::Blake2b).then_some(512);
        let Some(length) = &self.length else { return Ok(default) };
        let wrong = |why: String| {
            let mut wrong = invalid_length(&length.text);
            wrong.messages.push(why.into_bytes());
            Err(wrong)
        };
        let tag = quote(family.tag().as_bytes(), charset());
        match (family, length.bits) {
            (Family::Sha2 | Family::Sha3, bits @ (224 | 256 | 384 | 512)) => Ok(Some(bits as u16)),
            (Family::Sha2 | Family::Sha3, _) => {
                wrong(format!("digest length for {tag} must be 224, 256, 384, or 512"))
            }
            (_, 0) => Ok(default),
            (Family::Blake2b, 513..) => {
                wrong(format!("maximum digest length for {tag} is 512 bits"))
            }
            (Family::Blake2b, bits) if bits % 8 != 0 => {
                wrong("length is not a multiple of 8".into())
            }
            (Family::Blake2b, bits) => Ok(Some(bits as u16)),
            _ => Err(Wrong::plain(
                "--length is only supported with --algorithm blake2b, sha2, or sha3",
            )),
        }
    }

    fn check_algorithm(&self, family: Family, bits: Option<u16>) -> Result<(), Wrong> {
        if family.has_lengths() && bits.is_none() && !self.has(Flag::Check) {
            return Err(Wrong::plain(format!(
                "--algorithm={} requires specifying --length 224, 256, 384, or 512",
                family.name()
            )));
        }
        if self.has(Flag::Check) && self.family.is_some_and(Family::is_legacy) {
            return Err(Wrong::plain(
                "--check is not supported with --algorithm={bsd,sysv,crc,crc32b}",
            ));
        }
        Ok(())
    }

    /// Refuses options that exclude each other, or that mean nothing when checksums are verified or
    /// printed.
    fn check_combinations(&self, tool: Tool) -> Result<(), Wrong> {
        let checks = self.has(Flag::Check);
        let wrong = if self.has(Flag::Base64) && self.has(Flag::Raw) {
            "--base64 and --raw are mutually exclusive"
        } else if checks && self.has(Flag::Zero) {
            "the --zero option is not supported when verifying checksums"
        } else if checks && self.last(&[Flag::Tag, Flag::Untagged]) == Some(Flag::Tag) {
            "the --tag option is meaningless when verifying checksums"
        } else if checks && self.mode().is_some() {
            "the --binary and --text options are meaningless when verifying checksums"
        } else if checks {
            return Ok(());
        } else if let Some(option) = self.only_for_verifying() {
            let why = "option is meaningful only when verifying checksums";
            return Err(Wrong::usage(format!("the --{option} {why}")));
        } else if self.mode() != Some(Flag::Text) || !self.is_tagged(tool) {
            return Ok(());
        } else if tool == Tool::Cksum {
            "--text mode is only supported with --untagged"
        } else {
            "--tag does not support --text mode"
        };
        Err(Wrong::usage(wrong))
    }

    /// An option that was given and is only meaningful when checksums are verified.
    fn only_for_verifying(&self) -> Option<&'static str> {
        let of = |flag: Flag| self.last(&[flag]);
        let first = of(Flag::IgnoreMissing).or(self.loudness()).or(of(Flag::Strict))?;
        OPTIONS.iter().find(|known| known.option == first).map(|known| known.long)
    }
}

fn invalid_length(text: &[u8]) -> Wrong {
    Wrong::plain(format!("invalid length: {}", quote(text, charset())))
}

/// The family that the argument of `--algorithm` names.
fn family(name: &[u8]) -> Result<Family, Wrong> {
    Family::from_name(name).ok_or_else(|| {
        let charset = charset();
        let (name, option) = (quote(name, charset), quote(b"--algorithm", charset));
        let valid = |family: Family| format!("\n  - {}", quote(family.name().as_bytes(), charset));
        let valid: String = Family::all().map(valid).collect();
        Wrong::usage(format!("invalid argument {name} for {option}\nValid arguments are:{valid}"))
    })
}

/// The number in the argument of `--length`: digits, with optional blanks and `+` before them.
fn length(text: Vec<u8>) -> Result<Length, Wrong> {
    let blank = |byte: &u8| matches!(byte, b' ' | 9..=13);
    let start = text.iter().take_while(|byte| blank(byte)).count();
    let digits = text[start..].strip_prefix(b"+").unwrap_or(&text[start..]);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(invalid_length(&text));
    }
    let bits = digits.iter().fold(0, |bits: u64, digit| {
        bits.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    });
    Ok(Length { text, bits })
}
