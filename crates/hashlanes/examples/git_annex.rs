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

use std::fs::File;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hashlanes::{Algorithm, Hasher};

/// The size of a file and its digest, as they stand in a key.
fn measure(path: &Path) -> io::Result<(String, String)> {
    let file = File::open(path)?;
    let mut hasher = Hasher::of(Algorithm::Blake3);
    hasher.update_reader(&file)?;
    Ok((hasher.len().to_string(), hasher.finalize().to_string()))
}

/// Whether a file has the content that a key names. Keys may lack the size, and have other fields
/// before the digest, and an extension after it.
fn is_named(path: &Path, key: &str) -> io::Result<bool> {
    let (size, digest) = measure(path)?;
    let (fields, name) = key.split_once("--").unwrap_or_default();
    let mut fields = fields.split('-');
    Ok(matches!(fields.next(), Some("XBLAKE3" | "XBLAKE3E"))
        && fields.all(|field| field.strip_prefix('s').is_none_or(|given| given == size))
        && name.split('.').next() == Some(&digest))
}

/// The path of a file, whose name need not be text where the system does not ask for it.
fn path(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    return <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into();
    #[cfg(not(unix))]
    return String::from_utf8_lossy(bytes).into_owned().into();
}

/// What is before the first space and after it.
fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let mut parts = line.splitn(2, |&byte| byte == b' ');
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

fn answer(request: &[u8]) -> String {
    let (what, arguments) = split(request);
    match what {
        b"GETVERSION" => "VERSION 1".into(),
        b"CANVERIFY" => "CANVERIFY-YES".into(),
        b"ISSTABLE" => "ISSTABLE-YES".into(),
        b"ISCRYPTOGRAPHICALLYSECURE" => "ISCRYPTOGRAPHICALLYSECURE-YES".into(),
        b"GENKEY" => match measure(&path(arguments)) {
            Ok((size, digest)) => format!("GENKEY-SUCCESS XBLAKE3-s{size}--{digest}"),
            Err(error) => format!("GENKEY-FAILURE {}: {error}", path(arguments).display()),
        },
        b"VERIFYKEYCONTENT" => {
            let (key, name) = split(arguments);
            match is_named(&path(name), &String::from_utf8_lossy(key)) {
                Ok(true) => "VERIFYKEYCONTENT-SUCCESS".into(),
                Ok(false) => "VERIFYKEYCONTENT-FAILURE".into(),
                Err(error) => {
                    format!("DEBUG {}: {error}\nVERIFYKEYCONTENT-FAILURE", path(name).display())
                }
            }
        }
        _ => format!("ERROR unknown request: {}", String::from_utf8_lossy(what)),
    }
}

fn main() -> ExitCode {
    for line in io::stdin().lock().split(b'\n') {
        let answered = line.and_then(|mut line| {
            if cfg!(windows) && line.ends_with(b"\r") {
                line.pop();
            }
            writeln!(io::stdout(), "{}", answer(&line))
        });
        if let Err(error) = answered {
            eprintln!("git-annex-backend-XBLAKE3: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
