//! `--match`: finds the part size that gives an ETag.

use std::path::Path;
use std::process::ExitCode;

use hashlanes_files::source::{Stores, input};
use hashlanes_files::{Control, Kind, system};
use hashlanes_tree::{Format, Settings, s3};

use super::lines::{Lines, Style};
use super::one::{Digests, Failure, digest, digest_opened};
use super::opened::open;
use super::options::{FindPart, Wanted};
use super::{Args, options};
use crate::terminal::message::{exit_status, failed, wrong_usage};
use crate::terminal::output::Output;
use crate::url::public_name;

pub(super) fn run(args: Args, wanted: &options::FindPart) -> ExitCode {
    let [path] = args.inputs.files.as_slice() else {
        return wrong_usage("--match takes a single file");
    };
    let watched = args.inputs.progress.watch(|| None);
    let files = watched.settings(&args.inputs.machine);
    let settings = args.settings(&files);
    let stores = args.inputs.stores.open();
    let outcome = find(path, &*stores, wanted, &settings);
    files.control.map(Control::set_drained);
    watched.finish();
    match outcome {
        Ok(Found::Part(tag, etag)) => {
            let written = Output::stdout().and_then(|output| {
                let mut lines = Lines { style: Style::Tagged, zero: args.zero, output };
                lines.text(&public_name(&system::name(path)), &tag, &etag)?;
                lines.output.flush()
            });
            exit_status(written.map(|()| true))
        }
        Ok(Found::Nothing(tried)) => failed(path, tried),
        Err(failure) => failed(path, failure.reason()),
    }
}

enum Found {
    /// The tag and the ETag of the part size.
    Part(String, String),
    /// What was tried without success.
    Nothing(String),
}

fn find(
    path: &Path,
    stores: &dyn Stores,
    wanted: &FindPart,
    settings: &Settings<'_>,
) -> Result<Found, Failure> {
    let opened = open(path, stores)?;
    let length = opened.length();
    let engine = wanted.engine;
    let sizes = match wanted.parts {
        None => vec![wanted.first.first().copied().unwrap_or(s3::USUAL_PARTS[0].0)],
        Some(parts) => {
            let mut sizes = wanted.first.clone();
            sizes.retain(|part| length.max(1).div_ceil(*part) == parts);
            for size in s3::candidates(length, parts, wanted.most) {
                if !sizes.contains(&size) && sizes.len() < wanted.most {
                    sizes.push(size);
                }
            }
            sizes
        }
    };
    if sizes.is_empty() {
        let parts = wanted.parts.unwrap_or(1);
        return Ok(Found::Nothing(format!(
            "no part size in whole MiB, and none of a usual client, gives {parts} parts of \
             {length} bytes"
        )));
    }
    // An ETag without a number belongs to an object that was uploaded whole, however long it is.
    let threshold = if wanted.parts.is_none() { u64::MAX } else { 0 };
    let formats = sizes.iter().map(|&part| Format::S3 { engine, part, threshold }).collect();
    let all = Wanted { formats, ..Wanted::default() };
    let Digests { finished, .. } = match length {
        // It may be a file of `/proc`, whose length is not known.
        0 => digest(path, input(path, Kind::Unknown, stores), &all, settings)?,
        _ => digest_opened(&*opened, &all, settings)?,
    };
    let etag = match wanted.parts {
        Some(parts) => format!("{}-{parts}", wanted.digest),
        None => wanted.digest.to_string(),
    };
    let found = all.formats.iter().zip(&finished).find(|(_, finished)| finished.text == etag);
    Ok(match (found, wanted.parts) {
        (Some((format, _)), _) => Found::Part(format.tag(), etag),
        (None, None) => Found::Nothing("the MD5 differs".into()),
        (None, Some(_)) => Found::Nothing(format!(
            "none of the {} part sizes from {} to {} bytes gives this ETag",
            sizes.len(),
            sizes.iter().min().unwrap_or(&0),
            sizes.iter().max().unwrap_or(&0)
        )),
    })
}
