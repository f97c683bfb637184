//! `--sample` and `--since`: checking only a part of the listed files.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hashlanes::Algorithm;
use hashlanes_files::system;

use crate::terminal::message::say;
use crate::terminal::summary::{State, Tally};

const DAY: u64 = 24 * 60 * 60;

/// Options that choose a part of the files.
#[derive(clap::Args)]
#[command(next_help_heading = "Parts")]
pub(in crate::commands) struct Options {
    /// Check only about this part of the listed files, such as 1%, and a different part each day.
    /// The part is chosen by name: with 1%, 100 consecutive days check every file exactly once
    #[arg(long, value_name = "PERCENT", value_parser = share)]
    sample: Option<Share>,

    /// Number of the part to check [default: days since 1970-01-01 UTC]
    #[arg(long, value_name = "N", requires = "sample")]
    sample_seed: Option<u64>,

    /// Check only files modified since then: a duration before now (12h, 7d), a date (2026-11-23)
    /// or a time (2026-11-23T05:00:00Z), in UTC
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<SystemTime>,
}

/// A fraction of all names, in units of 2^-64. `None` is all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share(Option<u64>);

/// The files that are checked.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::commands) struct Part {
    /// Where the sample begins and how wide it is, among the values of [`place`].
    sample: Option<(u64, u64)>,
    seed: u64,
    since: Option<SystemTime>,
}

impl Options {
    /// The part that this run checks.
    pub(in crate::commands) fn part(&self) -> Part {
        let today = || seconds_of(SystemTime::now()) / DAY;
        let seed = self.sample_seed.unwrap_or_else(today);
        let width = self.sample.and_then(|Share(width)| width);
        // Parts with consecutive numbers are adjacent, and wrap around.
        let sample = width.map(|width| (width.wrapping_mul(seed), width));
        Part { sample, seed, since: self.since }
    }
}

impl Part {
    /// Whether some listed files are left out.
    pub(in crate::commands) fn is_part(&self) -> bool {
        self.sample.is_some() || self.since.is_some()
    }

    /// Whether a listed file is left out. A file whose metadata cannot be read is checked, which
    /// reports the error.
    pub(in crate::commands) fn leaves_out(&self, name: &[u8], path: &Path) -> bool {
        let is_beside =
            self.sample.is_some_and(|(begin, width)| place(name).wrapping_sub(begin) >= width);
        is_beside
            || self.since.is_some_and(|since| {
                let modified = system::metadata(path).and_then(|metadata| metadata.modified());
                modified.is_ok_and(|modified| modified < since)
            })
    }

    /// Reports how many files were left out, and why.
    pub(in crate::commands) fn say(&self, tally: &Tally) {
        let mut why = Vec::new();
        if self.sample.is_some() {
            why.push(format!("the sample of --sample-seed {}", self.seed));
        }
        if let Some(since) = self.since {
            why.push(format!("modified since {}", humantime::format_rfc3339_seconds(since)));
        }
        let (out, why) = (tally.of(State::LeftOut), why.join(" and "));
        if out > 0 && out == tally.files() {
            say("WARNING: no file was checked");
        }
        say(format_args!("left out {out} of {} listed files: not {why}", tally.files()));
    }
}

/// Maps a name to a uniformly distributed value below 2^64.
fn place(name: &[u8]) -> u64 {
    let digest = Algorithm::Sha256.digest(name);
    digest.as_bytes()[..8].iter().fold(0, |place, &byte| place << 8 | u64::from(byte))
}

fn seconds_of(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn share(text: &str) -> Result<Share, String> {
    let wrong = || "a part is a percentage above 0% and up to 100%, such as 1% or 0.5%".to_owned();
    let number = text.strip_suffix('%').ok_or_else(wrong)?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let percent: f64 = number.parse().ok().filter(|_| is_plain).ok_or_else(wrong)?;
    match percent {
        100.0 => Ok(Share(None)),
        // Rounded up, so that a hundred parts of 1% leave no gap.
        0.0..100.0 => {
            let width = (percent / 100.0 * 2_f64.powi(64)).ceil() as u64;
            if width > 0 { Ok(Share(Some(width))) } else { Err(wrong()) }
        }
        _ => Err(wrong()),
    }
}

fn since(text: &str) -> Result<SystemTime, String> {
    let wrong = "a time is a duration (12h, 7d), a date (2026-11-23) or a date with a time";
    let now = SystemTime::now();
    let time = match humantime::parse_duration(text) {
        Ok(duration) => now.checked_sub(duration).ok_or(wrong)?,
        Err(_) => {
            let has_time = text.contains(['T', ' ']);
            let time = if has_time { text.to_owned() } else { format!("{text}T00:00:00Z") };
            humantime::parse_rfc3339_weak(&time).map_err(|_| wrong)?
        }
    };
    if time < UNIX_EPOCH {
        Err("the time is before 1970".into())
    } else if time > now {
        Err("the time is in the future".into())
    } else {
        Ok(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_parts_check_every_file_once() {
        for (text, parts) in [("1%", 100_u64), ("12.5%", 8), ("100%", 1)] {
            let sample = Some(share(text).unwrap());
            for first in [0, 20_780] {
                let mut taken = [0; 2000];
                for seed in first..first + parts {
                    let options = Options { sample, sample_seed: Some(seed), since: None };
                    let part = options.part();
                    for (i, count) in taken.iter_mut().enumerate() {
                        let name = format!("folder/{i}");
                        *count += u32::from(!part.leaves_out(name.as_bytes(), name.as_ref()));
                    }
                }
                assert!(taken.iter().all(|count| *count == 1), "{text}");
            }
        }
    }

    #[test]
    fn parts_and_times_are_read() {
        assert_eq!(share("50%"), Ok(Share(Some(1 << 63))));
        for text in ["0%", "101%", "-1%", "1", "%", "1e1%", "NaN%", "inf%"] {
            assert!(share(text).is_err(), "{text}");
        }
        let day = |text| since(text).map(seconds_of).unwrap();
        assert_eq!(day("2026-11-23"), 1_795_392_000);
        assert_eq!(day("2026-11-23T01:00:00Z"), 1_795_392_000 + 3600);
        let ago = seconds_of(SystemTime::now()) - day("7d");
        assert!((7 * DAY..7 * DAY + 60).contains(&ago));
        for text in ["", "yesterday", "2026-13-01", "7", "60y", "9000y", "2999-01-01"] {
            assert!(since(text).is_err(), "{text}");
        }
    }
}
