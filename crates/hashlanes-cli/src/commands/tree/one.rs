//! The digests of one file.

use std::fs::File;
use std::io;
use std::path::Path;

use hashlanes_files::name::quote;
use hashlanes_files::system;
use hashlanes_files::{Input, Kind, RegularFile, is_special, is_stdin};
use hashlanes_tree::dmverity::{Blocks, TreeFile, Verity};
use hashlanes_tree::{
    Content, Digester, Error, Finished, Format, Invalid, Job, Plan, Settings, Slice, hash_content,
    hash_reader,
};

use super::opened::{may_hide_content, open_device, open_local};
use super::options::{HashFile, Wanted};
use crate::terminal::message::reason;

/// The results for a file.
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
    /// Another reason, in words.
    Because(String),
}

impl Failure {
    /// The data have fewer blocks than that.
    pub(super) fn too_short(blocks: u64, block: u32) -> Self {
        Self::Because(format!("shorter than {blocks} blocks of {block}"))
    }

    /// The reason as it is printed.
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
    input: Input,
    wanted: &Wanted,
    settings: &Settings<'_>,
) -> Result<Digests, Failure> {
    let kind = match input {
        Input::File(kind) => kind,
        Input::Stream(stream) => {
            return digest_opened(&*stream.into_content()?, wanted, settings);
        }
    };
    if !matches!(kind, Kind::Walked(_)) && is_special(path) {
        if let Some(device) = open_device(path)? {
            return digest_opened(&device, wanted, settings);
        }
        if matches!(kind, Kind::Listed) {
            return Err(Failure::Because("not a regular file".into()));
        }
        let pipe = if is_stdin(path) { system::stdin()? } else { system::open(path)? };
        return digest_pipe(pipe, wanted, settings);
    }
    let file = RegularFile::open_as(path, &kind)?;
    if may_hide_content(&file) {
        return digest_pipe(file.into_file(), wanted, settings);
    }
    digest_opened(&file, wanted, settings)
}

pub(super) fn digest_opened(
    input: &dyn Content,
    wanted: &Wanted,
    settings: &Settings<'_>,
) -> Result<Digests, Failure> {
    let length = data_length(input, wanted)?;
    let content = Slice::new(input, 0..length);
    let mut digesters = begin(wanted, Some(length))?;
    run(&mut digesters, |jobs| hash_content(&content, jobs, settings))?;
    let finished = finish(digesters, length)?;
    // The file may have got the tree.
    let has_tree = wanted.hash_file.as_ref().is_some_and(|file| file.has_data);
    Ok(Digests { length, finished, is_changed: !has_tree && input.is_changed() })
}

/// How many bytes to hash.
fn data_length(input: &dyn Content, wanted: &Wanted) -> Result<u64, Failure> {
    let all = input.length();
    match (wanted.formats.as_slice(), wanted.data_blocks) {
        ([Format::DmVerity(parameters)], Some(blocks)) => {
            let block = parameters.data_block;
            let length = blocks.checked_mul(block.into()).filter(|&length| length <= all);
            length.ok_or_else(|| Failure::too_short(blocks, block))
        }
        _ => Ok(all),
    }
}

fn digest_pipe(pipe: File, wanted: &Wanted, settings: &Settings<'_>) -> Result<Digests, Failure> {
    let mut digesters = begin(wanted, None)?;
    let length = run(&mut digesters, |jobs| hash_reader(pipe, jobs, settings))?;
    let finished = finish(digesters, length)?;
    Ok(Digests { length, finished, is_changed: false })
}

pub(super) fn begin(wanted: &Wanted, length: Option<u64>) -> Result<Vec<Digester>, Failure> {
    let each = wanted.formats.iter().map(|format| {
        let blocks: Box<dyn Blocks> = match (format, &wanted.hash_file, length) {
            (Format::DmVerity(parameters), Some(file), Some(length)) => {
                let verity = Verity::new(parameters.clone(), length).map_err(Invalid::from)?;
                let verity = verity.with_hash_offset(file.offset.unwrap_or(0));
                tree_file(file, &verity.map_err(Invalid::from)?, length)?
            }
            _ => Box::new(()),
        };
        let mut digester = format.begin_with(length, blocks)?;
        wanted.prove.iter().for_each(|&index| digester.prove(index));
        Ok(digester)
    });
    each.collect()
}

/// Opens the file for the dm-verity tree of data of this length.
fn tree_file(file: &HashFile, verity: &Verity, data: u64) -> Result<Box<dyn Blocks>, Failure> {
    let HashFile { path, offset, has_data, force } = file;
    if let (Some(offset), true) = (offset, has_data)
        && *offset < data
    {
        let why = format!(
            "the tree at {offset} would overwrite the data of {data} bytes; see --data-blocks"
        );
        return Err(Failure::Because(why));
    }
    let begin = offset.unwrap_or(0);
    if !force && open_local(path).is_ok_and(|old| old.length() > begin) {
        let why = format!("{}: it already contains data there; --force overwrites it", quote(path));
        return Err(Failure::Because(why));
    }
    let of_file =
        |error: io::Error| Failure::Because(format!("{}: {}", quote(path), reason(&error)));
    // With an offset, what precedes it is kept.
    let mut options = File::options();
    let options = options.write(true).create(true).truncate(offset.is_none());
    let file = options.open(path).map_err(of_file)?;
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
