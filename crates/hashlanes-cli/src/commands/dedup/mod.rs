//! Content-defined chunks: `hashlanes tree chunks` lists those of files, `hashlanes dedup` counts
//! duplicates in folders.

pub(crate) mod census;
pub(crate) mod chunks;
mod found;

use hashlanes_tree::Settings;
use hashlanes_tree::dedup::{BadSizes, Sizes};

use crate::options::size::Size;
use crate::options::threads::Threads;
use crate::terminal::progress::Watched;

/// Options for the size of chunks.
#[derive(clap::Args)]
struct Cut {
    /// The minimum size of a chunk, except for the last one of a file
    #[arg(long, value_name = "SIZE", default_value = "16KiB")]
    min: Size,

    /// The usual size of a chunk
    #[arg(long, value_name = "SIZE", default_value = "64KiB")]
    avg: Size,

    /// The maximum size of a chunk
    #[arg(long, value_name = "SIZE", default_value = "256KiB")]
    max: Size,

    #[command(flatten)]
    threads: Threads,
}

impl Cut {
    fn sizes(&self) -> Result<Sizes, BadSizes> {
        Sizes::new(self.min.bytes(), self.avg.bytes(), self.max.bytes())
    }

    fn settings(&self, watched: &Watched) -> Settings<'static> {
        self.threads.settings(watched)
    }
}
