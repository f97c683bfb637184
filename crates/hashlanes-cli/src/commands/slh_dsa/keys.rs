//! Keys as PEM files.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use hashlanes_slh_dsa::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding,
};
use hashlanes_slh_dsa::{SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::terminal::message::reason;

/// A file of a key has at most this many bytes.
const MOST: usize = 64 << 10;

/// Writes a private key, which only the user may read, and its public key beside it. Neither file
/// may exist.
pub(super) fn write(key: &SigningKey, path: &Path) -> Result<(), (PathBuf, String)> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".pub");
    let beside = PathBuf::from(beside);
    let private = key.to_pkcs8_pem(LineEnding::LF).expect("a key has few bytes");
    let public = key.verifying_key().to_public_key_pem(LineEnding::LF).expect("as above");
    if beside.symlink_metadata().is_ok() {
        return Err((beside, "the file exists".to_owned()));
    }
    let written = |path: &Path, text: &str, mode| {
        let outcome = create(path, mode).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        outcome.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => (path.to_owned(), "the file exists".to_owned()),
            _ => (path.to_owned(), reason(&error)),
        })
    };
    written(path, &private, 0o600)?;
    written(&beside, &public, 0o666)
}

/// Creates a file with this mode, less the process's mask.
fn create(path: &Path, _mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, _mode);
    options.write(true).create_new(true).open(path)
}

/// Reads a private key.
pub(super) fn private(path: &Path) -> Result<SigningKey, String> {
    let text = read(path)?;
    SigningKey::from_pkcs8_pem(&text)
        .map_err(|error| format!("not a private key of SLH-DSA in PKCS#8: {error}"))
}

/// Reads a public key.
pub(super) fn public(path: &Path) -> Result<VerifyingKey, String> {
    let text = read(path)?;
    VerifyingKey::from_public_key_pem(&text)
        .map_err(|error| format!("not a public key of SLH-DSA in PEM: {error}"))
}

fn read(path: &Path) -> Result<Zeroizing<String>, String> {
    // More than is read, so that it never grows: that would leave a copy of a key behind.
    let mut text = Zeroizing::new(String::with_capacity(MOST + 64));
    File::open(path)
        .and_then(|file| file.take(MOST as u64 + 1).read_to_string(&mut text))
        .map_err(|error| reason(&error))?;
    if text.len() > MOST {
        return Err("too long for a key".to_owned());
    }
    Ok(text)
}
