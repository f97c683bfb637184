//! `cargo xtask peers`: hashlanes beside every other engine that this machine has; see
//! `benches/peers`.

use anyhow::Result;

use crate::command::{cargo, root, run as announce, succeeds, target};
use crate::install_c::{self, install_all};

/// Measure hashlanes beside every other engine that this machine has, and write the result to
/// docs/record.
///
/// An engine that is missing is named, with what it takes to have it. ISAL_CRYPTO_DIR names the
/// folder of a built ISA-L crypto.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the result, and leave docs/record as it is.
    #[arg(long)]
    dry_run: bool,
    /// Options of the measurement: `-- --help` lists them.
    #[arg(last = true)]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let build = |features: &[&str]| {
        let mut command = cargo();
        command.args(["build", "--release", "--package", "hashlanes-peers"]).args(features);
        command
    };
    // An engine that is compiled from C sources, which not every machine can do: it is left out
    // then, and named as missing.
    let mut features: &[&str] = &["--features", "aws-lc-rs"];
    eprintln!("building aws-lc-rs, which takes minutes the first time");
    if !succeeds(&mut build(features)) {
        features = &[];
        announce(&mut build(features))?;
    }
    let ours = target().join("c/peers");
    if let Err(error) = install_all(&ours.to_string_lossy(), install_c::PROFILE) {
        eprintln!("without the library that has ISA-L's interface: {error:#}");
    }
    let mut command = cargo();
    command
        .env("HASHLANES_ISAL_DIR", ours)
        .args(["run", "--quiet", "--release", "--package", "hashlanes-peers"])
        .args(features)
        .arg("--");
    if !args.dry_run {
        command.arg("--write").arg(root().join("docs/record"));
    }
    announce(command.args(&args.options))
}
