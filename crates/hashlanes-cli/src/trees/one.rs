//! The digests of one file.

use std::fs::File;
use std::io;
use std::path::Path;

use hashlanes_files::system;
use hashlanes_files::{RegularFile, is_special, is_stdin};
use hashlanes_tree::dmverity::{Blocks, TreeFile, Verity};
use hashlanes_tree::{
    Digester, Error, Finished, Format, Invalid, Job, Plan, Settings, hash_content, hash_reader,
};

use super::options::Wanted;
use crate::message::reason;

/// What a file gives.
pub(crate) struct Digests {
    pub(crate) length: u64,
    /// In the order of the formats.
    pub(crate) finished: Vec<Finished>,
    pub(crate) is_changed: bool,
}

/// Why a file has no digests.
pub(crate) enum Failure {
    /// The run was stopped.
    Stopped,
    /// It cannot be opened or read.
    Read(io::Error),
    /// In words.
    Because(String),
}

impl Failure {
    /// The reason as it is said.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Stopped => "stopped".into(),
            Self::Read(error) => reason(error),
            Self::Because(why) => why.clone(),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

impl From<Invalid> for Failure {
    fn from(invalid: Invalid) -> Self {
        Self::Because(invalid.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Stopped => Self::Stopped,
            Error::Read(error) => Self::Read(error.error),
            Error::Sink(error) => Self::Read(error),
        }
    }
}

/// Reads a file once, for all formats.
pub(crate) fn digest(
    path: &Path,
    wanted: &Wanted,
    settings: &Settings<'_>,
) -> Result<Digests, Failure> {
    if is_special(path) {
        let pipe = if is_stdin(path) { system::stdin()? } else { system::open(path)? };
        return digest_pipe(pipe, wanted, settings);
    }
    let file = RegularFile::open(path)?;
    let length = file.stamp().size;
    if length == 0 && file.read_exact_at(&mut [0], 0).is_ok() {
        // In `/proc` the system does not know the length.
        return digest_pipe(file.into_file(), wanted, settings);
    }
    let mut digesters = begin(wanted, Some(length))?;
    run(&mut digesters, |jobs| hash_content(&file, jobs, settings))?;
    let finished = finish(digesters, length)?;
    Ok(Digests { length, finished, is_changed: file.is_changed() })
}

fn digest_pipe(pipe: File, wanted: &Wanted, settings: &Settings<'_>) -> Result<Digests, Failure> {
    let mut digesters = begin(wanted, None)?;
    let length = run(&mut digesters, |jobs| hash_reader(pipe, jobs, settings))?;
    let finished = finish(digesters, length)?;
    Ok(Digests { length, finished, is_changed: false })
}

pub(super) fn begin(wanted: &Wanted, length: Option<u64>) -> Result<Vec<Digester>, Failure> {
    let each = wanted.formats.iter().map(|format| {
        let blocks = match (format, &wanted.hash_file, length) {
            (Format::DmVerity(parameters), Some(path), Some(length)) => {
                let verity = Verity::new(parameters.clone(), length).map_err(Invalid::from)?;
                Some(tree_file(path, &verity)?)
            }
            _ => None,
        };
        let mut digester = format.begin_with(length, blocks)?;
        wanted.prove.iter().for_each(|&index| digester.prove(index));
        Ok(digester)
    });
    each.collect()
}

/// Makes the file for the tree of dm-verity.
fn tree_file(path: &Path, verity: &Verity) -> Result<Box<dyn Blocks>, Failure> {
    let of_file =
        |error: io::Error| Failure::Because(format!("{}: {}", path.display(), reason(&error)));
    let file = File::create(path).map_err(of_file)?;
    Ok(Box::new(TreeFile::write(verity, file).map_err(of_file)?))
}

fn run<T>(
    digesters: &mut [Digester],
    hash: impl FnOnce(&mut [Job<'_>]) -> Result<T, Error>,
) -> Result<T, Failure> {
    let plans: Vec<Plan> = digesters.iter().map(Digester::plan).collect();
    let pairs = plans.iter().zip(digesters);
    let mut jobs: Vec<Job<'_>> = pairs.map(|(plan, sink)| Job::new(plan, sink)).collect();
    Ok(hash(&mut jobs)?)
}

pub(super) fn finish(digesters: Vec<Digester>, length: u64) -> Result<Vec<Finished>, Failure> {
    Ok(digesters.into_iter().map(|digester| digester.finish(length)).collect::<io::Result<_>>()?)
}
