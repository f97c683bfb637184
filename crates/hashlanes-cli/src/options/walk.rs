//! Options for directory trees.

use std::process::ExitCode;

use hashlanes_files::walk::{Filter, Options, Shard, Walk};
use serde::{Deserialize, Serialize};

use crate::terminal::message::{say, wrong_usage};

/// Which files of a tree are hashed.
#[derive(clap::Args)]
#[command(next_help_heading = "Directory trees")]
pub(crate) struct Tree {
    /// For each FILE that is a directory, hash all regular files below it. All files come in the
    /// order of the bytes of their paths. Symbolic links are followed only if they are arguments
    #[arg(short, long)]
    pub(crate) recursive: bool,

    #[command(flatten)]
    pub(crate) selection: Selection,

    /// Do not say how many links, FIFOs and so on were passed over
    #[arg(long)]
    no_skipped: bool,
}

/// Which files of a directory are taken.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[command(next_help_heading = "Directory trees")]
#[serde(default)]
pub(crate) struct Selection {
    /// Follow all symbolic links in directories
    #[arg(short = 'L', long = "dereference")]
    #[serde(rename = "--dereference")]
    follow: bool,

    /// Stay on the file system of each directory that was named (not on Windows)
    #[arg(short = 'x', long)]
    #[serde(rename = "--one-file-system")]
    one_file_system: bool,

    /// Take what has a name that begins with a dot, too, which is the default
    #[arg(long, overrides_with = "no_hidden")]
    #[serde(skip)]
    hidden: bool,

    /// Leave out files and directories whose names begin with a dot
    #[arg(long, overrides_with = "hidden")]
    #[serde(rename = "--no-hidden")]
    no_hidden: bool,

    /// Leave out files and directories that match: by their names, or, if GLOB has a `/`, by their
    /// paths below the directory that was named. `GLOB/` is for directories only
    #[arg(long, value_name = "GLOB")]
    #[serde(rename = "--exclude")]
    exclude: Vec<String>,

    /// Take only files that match, and are not left out by --exclude
    #[arg(long, value_name = "GLOB")]
    #[serde(rename = "--include")]
    include: Vec<String>,

    /// Take only the files of shard K of N (1 to N), for N machines that share the work. The path
    /// below the directory that was named decides: the first 8 bytes of its SHA-256, as a
    /// big-endian number, modulo N, are K - 1
    #[arg(long, value_name = "K/N")]
    #[serde(rename = "--shard")]
    shard: Option<Shard>,
}

impl Selection {
    /// Whether symbolic links are followed wherever they are.
    pub(crate) fn follows_links(&self) -> bool {
        self.follow
    }

    /// Whether an option is given that only makes sense for directories that are walked.
    pub(crate) fn is_for_walks(&self) -> bool {
        Self { follow: false, ..self.clone() }.is_given()
    }

    /// Whether any option is given that leaves out or adds files.
    pub(crate) fn is_given(&self) -> bool {
        *self != Self { hidden: self.hidden, ..Self::default() }
    }

    /// A walk by these options.
    ///
    /// # Errors
    /// The exit status of wrong usage, which has been explained, if a pattern is none.
    pub(crate) fn walk(&self) -> Result<Walk, ExitCode> {
        Ok(Walk::new(Options {
            follow_links: self.follow,
            one_file_system: self.one_file_system,
            skip_hidden: self.no_hidden,
            filter: Filter::new(&self.exclude, &self.include).map_err(wrong_usage)?,
            shard: self.shard,
        }))
    }
}

impl Tree {
    /// A walk by these options.
    ///
    /// # Errors
    /// The exit status of wrong usage, which has been explained.
    pub(crate) fn walk(&self) -> Result<Walk, ExitCode> {
        if self.selection.is_given() && !self.recursive {
            return Err(wrong_usage("options that select files of directories need -r"));
        }
        self.selection.walk()
    }

    /// Says what the walk has passed over.
    pub(crate) fn say_skipped(&self, walk: &Walk) {
        if !self.no_skipped && !walk.skipped().is_empty() {
            say(format_args!("skipped {}", walk.skipped()));
        }
    }
}
