//! Options for directory trees.

use std::process::ExitCode;

use hashlanes_files::walk::{Filter, Options, Walk};

use crate::terminal::message::{say, wrong_usage};

/// Which files of a tree are hashed.
#[derive(clap::Args)]
#[command(next_help_heading = "Directory trees")]
pub(crate) struct Tree {
    /// For each FILE that is a directory, hash all regular files below it. All files come in the
    /// order of the bytes of their paths. Symbolic links are followed only if they are arguments
    #[arg(short, long)]
    pub(crate) recursive: bool,

    /// With -r, follow all symbolic links
    #[arg(short = 'L', long = "dereference", requires = "recursive")]
    follow: bool,

    /// With -r, stay on the file system of each FILE (not on Windows)
    #[arg(short = 'x', long, requires = "recursive")]
    one_file_system: bool,

    /// With -r, also hash what has a name that begins with a dot, which is the default
    #[arg(long, requires = "recursive", overrides_with = "no_hidden")]
    hidden: bool,

    /// With -r, leave out files and directories whose names begin with a dot
    #[arg(long, requires = "recursive", overrides_with = "hidden")]
    no_hidden: bool,

    /// With -r, leave out files and directories that match: by their names, or, if GLOB has a `/`,
    /// by their paths below FILE. `GLOB/` is for directories only
    #[arg(long, value_name = "GLOB", requires = "recursive")]
    exclude: Vec<String>,

    /// With -r, hash only files that match, and are not left out by --exclude
    #[arg(long, value_name = "GLOB", requires = "recursive")]
    include: Vec<String>,

    /// Do not say how many links, FIFOs and so on were passed over
    #[arg(long)]
    no_skipped: bool,
}

impl Tree {
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
        }))
    }

    /// Says what the walk has passed over.
    pub(crate) fn say_skipped(&self, walk: &Walk) {
        if !self.no_skipped && !walk.skipped().is_empty() {
            say(format_args!("skipped {}", walk.skipped()));
        }
    }
}
