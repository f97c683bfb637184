//! `cargo xtask peers`: measures hashlanes beside every other engine on this machine; see
//! `benches/peers`.

use anyhow::Result;

use crate::command::{cargo, root, run as announce, succeeds, target};
use crate::package::install_c::{self, install_all};

/// Measure hashlanes beside every other engine on this machine, and write the result to
/// docs/record.
///
/// A missing engine is reported, with what it takes to install it. ISAL_CRYPTO_DIR names the folder
/// of a built ISA-L crypto.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the result instead of writing it to docs/record
    #[arg(long)]
    dry_run: bool,
    /// Options of the measurement: `-- --help` lists them
    #[arg(last = true)]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let build = |features: &[&str]| {
        let mut command = cargo();
        command.args(["build", "--release", "--package", "hashlanes-peers"]).args(features);
        command
    };
    // This engine is compiled from C sources, which not every machine can do: it is then left out,
    // and reported as missing.
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
