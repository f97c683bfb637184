//! Why a line cannot be used, and how a manifest ends.

use std::{fmt, io};

use hashlanes_files::manifest::{MAX_RECORD, Reason};
use hashlanes_files::name::quote_name;

use crate::terminal::message::reason;

/// Why a line cannot be used.
pub(in crate::commands) enum Why {
    Malformed(Malformed),
    /// It has more than [`manifest::MAX_RECORD`] bytes.
    TooLong,
    /// It names a function that this program does not support, here as messages show it.
    Lacking(String),
}

/// Why a line does not conform to its format, with the line's beginning if that shows more.
pub(in crate::commands) struct Malformed {
    reason: Reason,
    got: Option<String>,
}

/// The most bytes that are shown of a line.
const SHOWN: usize = 40;

impl Malformed {
    pub(in crate::commands) fn new(reason: Reason, line: &[u8]) -> Self {
        let shown = line.get(..SHOWN).unwrap_or(line);
        let more = if shown.len() < line.len() { ".." } else { "" };
        let shown = shown.trim_ascii_end();
        let is_text = !shown.contains(&0) && String::from_utf8_lossy(shown).chars().all(is_shown);
        let got = || match is_text {
            true => format!("{}{more}", quote_name(shown)),
            false => "bytes that are no text".into(),
        };
        let got = reason.wants_line().then(got);
        Self { reason, got }
    }
}

/// Whether this is a character of text. The last one may be cut.
fn is_shown(it: char) -> bool {
    !it.is_control() || it == '\t'
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)?;
        self.got.as_ref().map_or(Ok(()), |got| write!(f, ", got {got}"))
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(reason) => reason.fmt(f),
            Self::TooLong => write!(f, "more than {} KiB", MAX_RECORD >> 10),
            Self::Lacking(name) => write!(f, "{name} is not supported"),
        }
    }
}

/// How a manifest ends.
pub(in crate::commands) enum End {
    Whole,
    /// The last line is not terminated, and may be truncated.
    Open,
    /// The last line is not terminated, and unusable.
    Cut,
    Failed(io::Error),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Open => {
                f.write_str("WARNING: the last line is not terminated: it may be truncated")
            }
            Self::Cut => f.write_str("the last line is truncated"),
            Self::Failed(error) => f.write_str(&reason(error)),
        }
    }
}
