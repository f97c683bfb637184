//! `--threads` for commands that have no other option for the machine.

use std::num::NonZeroUsize;

use hashlanes_tree::Settings;

use crate::terminal::progress::Watched;

#[derive(clap::Args)]
pub(crate) struct Threads {
    /// Threads that read and hash [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Speed")]
    threads: Option<NonZeroUsize>,
}

impl Threads {
    /// Settings for reading content in a watched run.
    pub(crate) fn settings(&self, watched: &Watched) -> Settings<'static> {
        let settings = Settings { control: Some(watched.control()), ..Settings::default() };
        Settings { threads: self.threads.unwrap_or(settings.threads), ..settings }
    }
}
