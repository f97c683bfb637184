//! Options for directory trees.

use std::path::PathBuf;
use std::process::ExitCode;

use hashlanes_files::walk::{Filter, Options, Shard, Walk};
use serde::{Deserialize, Serialize};

use crate::terminal::message::{say, wrong_usage};

/// Which files of a tree to hash.
#[derive(clap::Args)]
#[command(next_help_heading = "Directory trees")]
pub(crate) struct Tree {
    /// For each FILE that is a directory, hash all regular files below it. All files are sorted by
    /// the bytes of their paths. Symbolic links are followed only if they are arguments
    #[arg(short, long)]
    pub(crate) recursive: bool,

    #[command(flatten)]
    pub(crate) selection: Selection,

    /// Do not report how many links, FIFOs and so on were skipped
    #[arg(long)]
    no_skipped: bool,
}

/// Which files of a directory to include.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[command(next_help_heading = "Directory trees")]
#[serde(default)]
pub(crate) struct Selection {
    /// Follow all symbolic links in directories
    #[arg(short = 'L', long = "dereference")]
    #[serde(rename = "--dereference")]
    follow: bool,

    /// Stay on the file system of each given directory (not on Windows)
    #[arg(short = 'x', long)]
    #[serde(rename = "--one-file-system")]
    one_file_system: bool,

    /// Include names that begin with a dot; this is the default
    #[arg(long, overrides_with = "no_hidden")]
    #[serde(skip)]
    hidden: bool,

    /// Leave out files and directories whose names begin with a dot
    #[arg(long, overrides_with = "hidden")]
    #[serde(rename = "--no-hidden")]
    no_hidden: bool,

    /// Leave out files and directories that match: by name, or, if GLOB has a `/`, by path below
    /// the given directory. `GLOB/` matches directories only
    #[arg(long, value_name = "GLOB")]
    #[serde(rename = "--exclude")]
    exclude: Vec<String>,

    /// Include only files that match, unless --exclude leaves them out
    #[arg(long, value_name = "GLOB")]
    #[serde(rename = "--include")]
    include: Vec<String>,

    /// Include only the files of shard K of N (1 to N), for N machines that share the work. A
    /// file's shard depends on its path below the given directory: the first 8 bytes of its
    /// SHA-256, as a big-endian number, modulo N, are K - 1
    #[arg(long, value_name = "K/N")]
    #[serde(rename = "--shard")]
    shard: Option<Shard>,
}

impl Selection {
    /// Whether symbolic links are followed wherever they are.
    pub(crate) fn follows_links(&self) -> bool {
        self.follow
    }

    /// Whether an option is given that only makes sense when directories are walked.
    pub(crate) fn is_for_walks(&self) -> bool {
        Self { follow: false, ..self.clone() }.is_given()
    }

    /// Whether any option is given that leaves out or adds files.
    pub(crate) fn is_given(&self) -> bool {
        *self != Self { hidden: self.hidden, ..Self::default() }
    }

    /// A walk with these options.
    ///
    /// # Errors
    /// The exit status of wrong usage, which has been explained, if a pattern is invalid.
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
    /// A walk with these options.
    ///
    /// # Errors
    /// The exit status of wrong usage, which has been explained.
    pub(crate) fn walk(&self) -> Result<Walk, ExitCode> {
        if self.selection.is_given() && !self.recursive {
            return Err(wrong_usage("options that select files of directories need -r"));
        }
        self.selection.walk()
    }

    /// Says how to hash what is below folders, if only folders are given and they are not walked.
    pub(crate) fn advise(&self, files: &[PathBuf]) {
        if !self.recursive && files.iter().all(|file| file.is_dir()) {
            say("to hash the files below a folder, add -r");
        }
    }

    /// Reports what the walk has skipped.
    pub(crate) fn say_skipped(&self, walk: &Walk) {
        if !self.no_skipped && !walk.skipped().is_empty() {
            say(format_args!("skipped {}", walk.skipped()));
        }
    }
}
