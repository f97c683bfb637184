//! The text of the bar, which fits into one line of the terminal.

use std::io;
use std::time::Duration;

use hashlanes_files::name::Charset;
use indicatif::{HumanBytes, HumanDuration};

use crate::gnu::locale::charset;

/// A shorter bar would show nothing.
const SHORTEST: usize = 8;

/// The width of a terminal that does not tell it.
const USUAL: usize = 80;

/// What a bar shows.
pub(crate) struct Shown {
    pub(crate) bytes: u64,
    /// `None` if it is not known.
    pub(crate) total: Option<u64>,
    /// Bytes per second.
    pub(crate) rate: u64,
    pub(crate) files: u64,
    pub(crate) time: Duration,
    pub(crate) left: Option<Duration>,
}

impl Shown {
    /// The text for the terminal as wide as it is now.
    pub(crate) fn on_terminal(&self) -> String {
        let size = terminal_size::terminal_size_of(io::stderr());
        self.line(size.map_or(USUAL, |(width, _)| width.0.into()), charset())
    }

    /// The rate, the files, and the time that is left.
    pub(crate) fn details(&self) -> String {
        let Self { files, left, .. } = *self;
        let files = format!("{files} {}", if files == 1 { "file" } else { "files" });
        let left = left.map_or(String::new(), |left| format!(", {} left", HumanDuration(left)));
        format!("{}, {files}{left}", self.rate())
    }

    fn rate(&self) -> String {
        format!("{}/s", HumanBytes(self.rate))
    }

    /// The longest text that fits into this many columns.
    fn line(&self, width: usize, charset: Charset) -> String {
        let (bytes, rate, details) = (HumanBytes(self.bytes), self.rate(), self.details());
        let Some(total) = self.total else {
            let time = self.time.as_secs();
            return first_fitting(
                width,
                [
                    format!("{bytes}, {details}, {time} s"),
                    format!("{bytes}, {rate}"),
                    format!("{bytes}"),
                ],
            );
        };
        let of = format!("{bytes} of {}", HumanBytes(total));
        // Blanks surround the bar.
        let rest = of.len() + details.len() + 2;
        if let Some(columns) = width.checked_sub(rest).filter(|columns| *columns >= SHORTEST) {
            return format!("{of} {} {details}", self.bar(total, columns, charset));
        }
        let percent = u128::from(self.bytes) * 100 / u128::from(total.max(1));
        first_fitting(
            width,
            [
                format!("{of}, {details}"),
                format!("{of}, {rate}"),
                format!("{percent} %, {rate}"),
                format!("{percent} %"),
            ],
        )
    }

    fn bar(&self, total: u64, columns: usize, charset: Charset) -> String {
        let (full, empty) = match charset {
            Charset::Utf8 => ("█", "░"),
            Charset::Ascii => ("#", "-"),
        };
        let done = self.bytes.min(total) as f64 / total.max(1) as f64;
        let done = (done * columns as f64) as usize;
        full.repeat(done) + &empty.repeat(columns - done)
    }
}

/// Nothing if none fits. All are ASCII.
fn first_fitting<const N: usize>(width: usize, texts: [String; N]) -> String {
    texts.into_iter().find(|text| text.len() <= width).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_fits_into_any_width() {
        let left = Some(Duration::from_secs(2));
        let time = Duration::from_secs(3);
        let shown =
            Shown { bytes: 1 << 20, total: Some(3 << 20), rate: 1000, files: 1, time, left };
        let wide = |width| shown.line(width, Charset::Ascii);
        assert_eq!(wide(64), "1.00 MiB of 3.00 MiB ###------- 1000 B/s, 1 file, 2 seconds left");
        assert_eq!(wide(60), "1.00 MiB of 3.00 MiB, 1000 B/s, 1 file, 2 seconds left");
        assert_eq!(wide(40), "1.00 MiB of 3.00 MiB, 1000 B/s");
        assert_eq!(wide(20), "33 %, 1000 B/s");
        assert_eq!(wide(5), "33 %");
        assert_eq!(wide(1), "");
        for total in [None, Some(0), Some(1), Some(u64::MAX)] {
            for width in 0..200 {
                let shown = Shown { bytes: u64::MAX, total, rate: u64::MAX, files: 1, time, left };
                let line = shown.line(width, Charset::Utf8);
                assert!(line.chars().count() <= width, "{width}: {line}");
                assert!(shown.line(width, Charset::Ascii).is_ascii());
            }
        }
    }
}
