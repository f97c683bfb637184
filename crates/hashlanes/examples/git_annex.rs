//! Names the files of git-annex by BLAKE3: a program that git-annex starts, and speaks to in lines
//! (its "external backend protocol", version 1).
//!
//! ```sh
//! cargo build --release --example git_annex
//! install target/release/examples/git_annex /usr/local/bin/git-annex-backend-XBLAKE3
//! git annex add --backend=XBLAKE3E FILE       # with E, the name keeps the file's extension
//! git annex fsck
//! ```
//!
//! git-annex asks for one file at a time. BLAKE3 fills the lanes with the chunks of that one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::process::ExitCode;

use hashlanes::{Algorithm, Hasher};

/// The name of a file's content: its size and its digest.
fn key(path: &str) -> io::Result<String> {
    let file = File::open(path)?;
    let mut hasher = Hasher::of(Algorithm::Blake3);
    hasher.update_reader(&file)?;
    Ok(format!("XBLAKE3-s{}--{}", hasher.len(), hasher.finalize()))
}

/// Whether a file has the content that a key names. Keys may lack the size, and have other fields
/// before the digest, and an extension after it.
fn is_named(path: &str, given: &str) -> io::Result<bool> {
    let own = key(path)?;
    let digest = |key: &str| {
        let (_, name) = key.split_once("--")?;
        Some(name.split('.').next().unwrap_or_default().to_owned())
    };
    let size = given.split_once("--").and_then(|(fields, _)| {
        fields.split('-').find_map(|field| field.strip_prefix('s')?.parse::<u64>().ok())
    });
    let has_size = size.is_none_or(|size| fs::metadata(path).is_ok_and(|file| file.len() == size));
    Ok(has_size && digest(given) == digest(&own))
}

fn answer(request: &str) -> String {
    let (what, arguments) = request.split_once(' ').unwrap_or((request, ""));
    match what {
        "GETVERSION" => "VERSION 1".into(),
        "CANVERIFY" => "CANVERIFY-YES".into(),
        "ISSTABLE" => "ISSTABLE-YES".into(),
        "ISCRYPTOGRAPHICALLYSECURE" => "ISCRYPTOGRAPHICALLYSECURE-YES".into(),
        "GENKEY" => match key(arguments) {
            Ok(key) => format!("GENKEY-SUCCESS {key}"),
            Err(error) => format!("GENKEY-FAILURE {arguments}: {error}"),
        },
        "VERIFYKEYCONTENT" => {
            let (key, path) = arguments.split_once(' ').unwrap_or_default();
            match is_named(path, key) {
                Ok(true) => "VERIFYKEYCONTENT-SUCCESS".into(),
                Ok(false) => "VERIFYKEYCONTENT-FAILURE".into(),
                Err(error) => format!("DEBUG {path}: {error}\nVERIFYKEYCONTENT-FAILURE"),
            }
        }
        _ => format!("ERROR unknown request: {what}"),
    }
}

fn main() -> ExitCode {
    for line in io::stdin().lines() {
        let answered = line.and_then(|line| writeln!(io::stdout(), "{}", answer(&line)));
        if let Err(error) = answered {
            eprintln!("git-annex-backend-XBLAKE3: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
