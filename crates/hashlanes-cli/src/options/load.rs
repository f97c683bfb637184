//! Options that leave resources to other programs: `--rate` and `--idle`.

use std::num::NonZeroU64;

use hashlanes_files::Settings;

use crate::options::machine::Machine;
use crate::options::size::{Size, SizeError};
use crate::process::priority;
use crate::terminal::message::{reason, say};
use crate::terminal::progress::Watched;

/// Limits on a run's use of the machine.
#[derive(clap::Args)]
pub(crate) struct Load {
    /// Read at most this many bytes per second on average, such as 100MiB or 100MiB/s
    #[arg(long, value_name = "RATE", value_parser = rate, help_heading = "Speed")]
    rate: Option<NonZeroU64>,

    /// Read only when no other program uses the disk (Linux, with an I/O scheduler that has
    /// priorities), and run only when no other program needs the core. Unix only
    #[arg(long, help_heading = "Speed")]
    idle: bool,
}

impl Load {
    /// Settings for a watched run within these limits.
    pub(crate) fn settings(&self, watched: &Watched, machine: &Machine) -> Settings<'static> {
        if self.idle
            && let Err(error) = priority::lower()
        {
            say(format_args!("WARNING: --idle: {}", reason(&error)));
        }
        let settings = watched.settings(machine);
        match self.rate {
            None => settings,
            Some(rate) => {
                watched.control().limit(rate);
                // The threads wait for the rate limit, so more of them would not help.
                Settings { added_threads: 0, ..settings }
            }
        }
    }
}

fn rate(text: &str) -> Result<NonZeroU64, String> {
    let size: Size = text
        .strip_suffix("/s")
        .unwrap_or(text)
        .parse()
        .map_err(|error: SizeError| error.to_string())?;
    NonZeroU64::new(size.bytes()).ok_or_else(|| "it must be at least one byte per second".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_size_per_second() {
        assert_eq!(rate("100MiB/s").unwrap().get(), 100 << 20);
        assert_eq!(rate("5kB").unwrap().get(), 5000);
        assert!(rate("0").is_err() && rate("/s").is_err() && rate("fast").is_err());
    }
}
