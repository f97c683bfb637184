//! Installs the servers under the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::kind::Kind;
use crate::command::{cargo, run as announce, target};
use crate::go::tool as go;
use crate::packages::{python_modules, require_programs};

/// Python packages, each with one of its modules. `botocore[crt]` computes the newer checksums.
const PYTHON: [(&str, &str); 6] = [
    ("moto[s3]", "moto"),
    ("flask", "flask"),
    ("flask-cors", "flask_cors"),
    ("boto3", "boto3"),
    ("botocore[crt]", "awscrt"),
    ("azure-storage-blob", "azure.storage.blob"),
];

/// The servers of Go, with their packages in the versions that the tests were written with.
const VERSITYGW: &str = "github.com/versity/versitygw/cmd/versitygw@v1.8.0";
const FAKE_GCS: &str = "github.com/fsouza/fake-gcs-server@v1.56.0";
const AZURITE: &str = "azurite@3.37.0";
/// The newest version that the Rust of the tests can build.
const S3S: [&str; 4] = ["s3s-fs", "--version", "0.14.1", "--features=binary"];

/// The folder of programs.
pub(super) fn folder() -> PathBuf {
    target().join("objects")
}

/// Installs what is missing, and returns the folder with the Python packages.
pub(super) fn all(kinds: &[Kind]) -> Result<PathBuf> {
    require_programs(&[("python3", "python3"), ("nginx", "nginx-light"), ("openssl", "openssl")])?;
    for kind in kinds {
        match kind {
            Kind::VersityGw => go_program("versitygw", VERSITYGW)?,
            Kind::FakeGcs => go_program("fake-gcs-server", FAKE_GCS)?,
            Kind::Azurite => azurite()?,
            Kind::S3sFs => s3s()?,
            Kind::Moto | Kind::Nginx => {}
        }
    }
    python_modules("objects/packages", &PYTHON)
}

fn go_program(name: &str, package: &str) -> Result<()> {
    let folder = folder().join("bin");
    if folder.join(name).is_file() {
        return Ok(());
    }
    go::require()?;
    announce(go::go(".")?.args(["install", package]).env("GOBIN", folder))
}

fn azurite() -> Result<()> {
    if azurite_program().is_file() {
        return Ok(());
    }
    require_programs(&[("node", "nodejs"), ("npm", "npm")])?;
    let options = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
    announce(Command::new("npm").args(options).arg(folder().join("npm")).arg(AZURITE))
}

pub(super) fn azurite_program() -> PathBuf {
    folder().join("npm/node_modules/.bin/azurite-blob")
}

fn s3s() -> Result<()> {
    if folder().join("bin/s3s-fs").is_file() {
        return Ok(());
    }
    announce(cargo().arg("install").args(S3S).arg("--locked").arg("--root").arg(folder()))
}

/// A certificate for 127.0.0.1 that nobody signed, and its key.
pub(super) fn certificate(folder: &Path) -> Result<()> {
    let subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
    let leaf = ["-addext", "basicConstraints=critical,CA:FALSE"];
    let mut openssl = Command::new("openssl");
    openssl.current_dir(folder).args(["req", "-x509", "-newkey", "rsa:2048", "-nodes"]);
    openssl.args(["-days", "2", "-keyout", "key.pem", "-out", "certificate.pem"]);
    announce(openssl.args(subject).args(leaf).stderr(std::process::Stdio::null()))
}
