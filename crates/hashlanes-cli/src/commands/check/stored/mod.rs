//! `hashlanes check --stored OURS URL`: compares a manifest, a folder or other objects with what a
//! store knows about its objects. Objects are read only where that proves nothing.

mod pairs;
mod tell;

use std::collections::VecDeque;
use std::io;
use std::iter;
use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use hashlanes_files::source::Ahead;
use hashlanes_files::walk::Walk;
use hashlanes_files::{Engine, Function, Plan, system};
use hashlanes_objects::stored::{self, Fact, Known};
use hashlanes_objects::{Listed, Location};
use pairs::{Mine, Pairs, Side};
use tell::{Note, Tell};

use super::Args;
use super::manifests::How;
use super::print::{Printer, Status, Style};
use super::report::{self, Table};
use crate::commands::tree::check as trees;
use crate::objects::Stores;
use crate::options::base::Base;
use crate::terminal::message::{exit_status, output_failed, reason, wrong_usage};
use crate::terminal::output::Output;
use crate::url::{is_url, public};

/// Options for comparisons with what stores know.
#[derive(clap::Args)]
#[group(id = "stored_options")]
#[command(next_help_heading = "Objects")]
pub(super) struct Options {
    /// Compare a manifest, a folder or objects with what a store knows about its objects, such as
    /// ETags and checksums. An object is read only where that proves nothing. Each name is
    /// unchanged, changed, missing, new, unproven or unreadable, and is printed with the proof. The
    /// exit status is 1 unless all are unchanged. With --json, each is an object
    #[arg(long, conflicts_with_all = ["report", "strict", "ignore_missing", "warn"])]
    stored: bool,

    /// With --stored, when objects are read [default: missing]
    #[arg(long, value_name = "WHEN", requires = "stored")]
    download: Option<Download>,

    /// With --stored, compare a folder
    #[arg(short, long, requires = "stored")]
    recursive: bool,
}

impl Options {
    pub(super) fn is_asked(&self) -> bool {
        self.stored
    }
}

/// When objects are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Download {
    /// If what the store knows proves nothing
    Missing,
    /// Never: such objects are reported as unproven
    Never,
    /// Always, unless the lengths differ
    Always,
}

impl From<Download> for stored::Download {
    fn from(download: Download) -> Self {
        match download {
            Download::Missing => Self::Missing,
            Download::Never => Self::Never,
            Download::Always => Self::Always,
        }
    }
}

pub(super) fn run(args: &Args, how: &How) -> Result<ExitCode, ExitCode> {
    let [ours, theirs] = &args.manifests[..] else {
        return Err(wrong_usage("--stored takes a manifest, a folder or a URL, and a URL"));
    };
    if !is_url(theirs) {
        return Err(wrong_usage("--stored compares with objects: the second operand is a URL"));
    }
    let walk = args.selection.walk()?;
    if ours.is_dir() && !args.stored.recursive {
        return Err(wrong_usage("to compare a folder, --stored needs -r"));
    }
    let mut table = None;
    if !is_url(ours) && !ours.is_dir() {
        let read = report::read(ours, &how.of_manifest(ours)).ok_or(ExitCode::FAILURE)?;
        table = Some(read);
    }
    let stores = args.stores.open();
    let is_damaged = table.as_ref().is_some_and(|read| read.is_damaged);
    let sides = match &table {
        Some(read) => Ok(Box::new(items(&read.table)) as Side<'_, Mine>),
        None => side(ours, &walk, &stores),
    };
    let sides = sides.and_then(|ours| Ok((ours, below(theirs, &walk, &stores)?)));
    let (ours, theirs) = match sides {
        Ok(sides) => sides,
        Err(error) => return Err(wrong_usage(reason(&error))),
    };
    let output = Output::stdout().map_err(|error| output_failed(&error))?;
    let functions: Vec<Function> = Function::every().collect();
    let plan = |&function: &Function| vec![Engine::new(function)].into();
    let plans: Vec<Plan> = functions.iter().map(plan).collect();
    let watched = args.progress.watch(|| None);
    let settings = args.load.settings(&watched, &args.machine);
    let pairs = Pairs {
        ours: ours.peekable(),
        theirs: theirs.peekable(),
        stores: &stores,
        functions: &functions,
        download: args.stored.download.map_or_else(Default::default, Into::into),
        settings: trees::settings(&settings),
        ready: VecDeque::new(),
        is_over: false,
    };
    let style = if args.rules.json { Style::Json } else { Style::Text };
    let mut tell =
        Tell::new(Printer { style, quiet: args.rules.quiet, status: args.rules.status, output });
    let source = Ahead::new(pairs, stores.clone());
    let outcome = hashlanes_files::hash_files(source, &plans, &mut tell, settings);
    watched.finish();
    let told = outcome.and_then(|()| tell.finish());
    Ok(exit_status(told.map(|is_same| is_same && !is_damaged)))
}

/// The items of a manifest.
fn items(table: &Table) -> impl Iterator<Item = Result<(Vec<u8>, Mine), Note>> + Send + '_ {
    (0..table.len()).map(|index| {
        let name = table.name(index);
        let name = name.strip_prefix(b"./").unwrap_or(&name).to_vec();
        let digests = table.digests(index).filter_map(|(function, digest)| {
            Fact::from_manifest(Function::from_name(&function.name()).ok()?, digest)
        });
        let trees = table.trees(index).iter().filter_map(trees::Line::fact);
        let facts = digests.chain(trees).collect();
        Ok((name, Mine::Facts(Known { facts, ..Known::default() })))
    })
}

/// The files of a folder, or objects.
fn side<'m>(path: &Path, walk: &Walk, stores: &Stores) -> io::Result<Side<'m, Mine>> {
    if is_url(path) {
        let objects = below(path, walk, stores)?;
        let mine = |(name, listed)| (name, Mine::Object(Box::new(listed)));
        return Ok(Box::new(objects.map(move |object| object.map(mine))));
    }
    let base = Base::of_folder(path);
    Ok(Box::new(walk.files(vec![path.into()]).filter_map(move |found| match found {
        Ok((path, _)) => {
            let name = system::name(&base.name(&path)?).into_owned();
            Some(Ok((name, Mine::File(path))))
        }
        Err(error) => {
            let name = system::name(&error.path).into_owned();
            Some(Err(Note::Told(name, Status::Unreadable, reason(&error.error))))
        }
    })))
}

/// The objects below a URL, by the rest of their names.
fn below<'m>(url: &Path, walk: &Walk, stores: &Stores) -> io::Result<Side<'m, Listed>> {
    let root = Location::of(url)?;
    let (walk, listing) = (walk.clone(), stores.listing(&root)?);
    let shown = system::name(&public(&root.path())).into_owned();
    let (key, is_folder) = (root.key.clone(), root.key.is_empty() || root.key.ends_with('/'));
    let objects = listing.filter_map(move |listed| match listed {
        Ok(listed) => {
            let name = name_below(&root.key, &listed.location.key).into_bytes();
            listed.is_taken(&walk, &root).then_some(Ok((name, listed)))
        }
        Err(error) => Some(Err(Note::Broken(shown.clone(), reason(&error)))),
    });
    let mut objects = objects.peekable();
    // The object that has the name of the prefix comes first, and has its last part as its name.
    // If there are others, its name is its URL, as in a manifest of them.
    let has_prefix = |(_, listed): &(_, Listed)| !is_folder && listed.location.key == key;
    let own = objects.next_if(|object| object.as_ref().is_ok_and(&has_prefix));
    let is_single = objects.peek().is_none();
    let mut own = own.and_then(Result::ok).map(|(name, listed)| match is_single {
        true => (name, listed),
        false => (listed.location.to_string().into_bytes(), listed),
    });
    Ok(Box::new(iter::from_fn(move || {
        let is_next = own.as_ref().is_some_and(|(name, _)| match objects.peek() {
            Some(Ok((next, _))) => name < next,
            Some(Err(_)) => false,
            None => true,
        });
        if is_next { own.take().map(Ok) } else { objects.next() }
    })))
}

/// The name of an object below a prefix, without the one `/` that ends the prefix. An object that
/// has the name of the prefix has its last part.
fn name_below(prefix: &str, key: &str) -> String {
    let rest = key.strip_prefix(prefix).unwrap_or_default();
    let is_folder = prefix.is_empty() || prefix.ends_with('/');
    match if is_folder { rest } else { rest.strip_prefix('/').unwrap_or(rest) } {
        "" => key.rsplit('/').next().unwrap_or(key).to_owned(),
        rest => rest.to_owned(),
    }
}
