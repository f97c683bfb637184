//! Keys as files: written in PEM, read in PEM or DER.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use hashlanes_files::open_or_stdin;
use hashlanes_files::replace::{Replacement, Replaces, beside};
use hashlanes_slh_dsa::pkcs8::{
    self, DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding, spki,
};
use hashlanes_slh_dsa::{SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::terminal::message::reason;

/// A file of a key has at most this many bytes.
const MOST: usize = 64 << 10;

/// Writes a private key, which only the user may read, and its public key beside it. Neither file
/// may exist.
pub(super) fn write(key: &SigningKey, path: &Path) -> Result<(), (PathBuf, String)> {
    let beside = beside(path, ".pub");
    let private = key.to_pkcs8_pem(LineEnding::LF).expect("a key has few bytes");
    let public = key.verifying_key().to_public_key_pem(LineEnding::LF).expect("as above");
    let of = |path: &Path, error: &io::Error| (path.to_owned(), reason(error));
    let public = New::write(&beside, &public, false).map_err(|error| of(&beside, &error))?;
    let private = New::write(path, &private, true).map_err(|error| of(path, &error))?;
    // The public key first, since it can be removed without loss.
    public.put().map_err(|error| of(&beside, &error))?;
    private.put().map_err(|error| {
        let _ = fs::remove_file(&beside);
        of(path, &error)
    })
}

/// A complete file that is not in its place yet. It is removed if it does not get there.
struct New {
    replacement: Replacement,
    file: File,
}

impl New {
    /// Writes a file that must not exist, and that only the user may read if it is `private`.
    fn write(path: &Path, text: &str, private: bool) -> io::Result<Self> {
        let replacement = Replacement::begin(path, Replaces::Nothing)?;
        let mut file = replacement.create("new")?;
        if private {
            only_for_user(&file)?;
        }
        file.write_all(text.as_bytes())?;
        Ok(Self { replacement, file })
    }

    fn put(self) -> io::Result<()> {
        self.replacement.put("new", &self.file, self.replacement.target())
    }
}

#[cfg(unix)]
fn only_for_user(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
fn only_for_user(_: &File) -> io::Result<()> {
    Ok(())
}

/// Reads a private key.
pub(super) fn private(path: &Path) -> Result<SigningKey, String> {
    let bytes = read(path)?;
    let form = Form::of(&bytes)?;
    form.private().map_err(|error| match form {
        Form::Pem(text) if text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") => {
            "the key is encrypted; `openssl pkey` decrypts it".to_owned()
        }
        _ if form.public().is_ok() => {
            "this is a public key, and only a private one can sign".to_owned()
        }
        _ => format!("not a private key of SLH-DSA in PKCS#8: {error}"),
    })
}

/// Reads a public key.
pub(super) fn public(path: &Path) -> Result<VerifyingKey, String> {
    let bytes = read(path)?;
    let form = Form::of(&bytes)?;
    form.public().map_err(|error| match form {
        _ if form.is_private() => {
            "this is a private key, and verifying takes the public one, which \
                                   keygen wrote to a file whose name ends in .pub"
                .to_owned()
        }
        Form::Pem(text) if text.contains("-----BEGIN CERTIFICATE-----") => {
            "this is a certificate; `openssl x509 -pubkey -noout` prints its public key".to_owned()
        }
        _ => format!("not a public key of SLH-DSA in PEM or DER: {error}"),
    })
}

fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, String> {
    // More than is read, so that it never grows: that would leave a copy of a key behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MOST + 64));
    // Without a buffer, where another would remain.
    open_or_stdin(path)
        .and_then(|file| file.take(MOST as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| reason(&error))?;
    if bytes.len() > MOST {
        return Err("too long for a key".to_owned());
    }
    Ok(bytes)
}

/// The two forms of a key in a file.
#[derive(Clone, Copy)]
enum Form<'f> {
    Pem(&'f str),
    Der(&'f [u8]),
}

impl<'f> Form<'f> {
    fn of(bytes: &'f [u8]) -> Result<Self, &'static str> {
        let text = str::from_utf8(bytes).ok().filter(|text| text.contains("-----BEGIN "));
        match text {
            Some(text) => Ok(Self::Pem(text)),
            None if bytes.is_empty() => Err("the file is empty"),
            // The tag of a sequence, with which each key in DER begins.
            None if bytes[0] == 0x30 => Ok(Self::Der(bytes)),
            None => Err("the file is neither PEM nor DER"),
        }
    }

    fn private(self) -> pkcs8::Result<SigningKey> {
        match self {
            Self::Pem(text) => SigningKey::from_pem(text),
            Self::Der(document) => SigningKey::from_pkcs8_der(document),
        }
    }

    fn public(self) -> spki::Result<VerifyingKey> {
        match self {
            Self::Pem(text) => VerifyingKey::from_pem(text),
            Self::Der(document) => VerifyingKey::from_public_key_der(document),
        }
    }

    /// Whether it has a private key, which may be encrypted or one of another kind.
    fn is_private(self) -> bool {
        match self {
            Self::Pem(text) => text.contains("PRIVATE KEY-----"),
            Self::Der(_) => self.private().is_ok(),
        }
    }
}
