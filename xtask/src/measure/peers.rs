//! `cargo xtask peers`: measures hashlanes beside every other engine on this machine; see
//! `benches/peers`.

use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::c::install::{self, install_all};
use crate::command::{cargo, root, run as announce, target};

/// Measure hashlanes beside every other engine on this machine, and write the result to
/// docs/record.
///
/// The file is docs/record/CPU/DATE-SUBJECT.tsv. A missing engine is reported, with what it takes
/// to have it: ISAL_CRYPTO_DIR, FIREDANCER_DIR and HASHTREE_DIR name folders of engines that no
/// package has.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What is measured, for the names of the files
    #[arg(default_value = "peers")]
    subject: String,
    /// Print the result instead of writing it to docs/record
    #[arg(long)]
    dry_run: bool,
    /// Leave out the crates that are compiled from C sources, and report them as missing
    #[arg(long)]
    without_crates: bool,
    /// Options of the measurement: `-- --help` lists them
    #[arg(last = true)]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let features: &[&str] = if args.without_crates { &[] } else { &["--features", "crates"] };
    eprintln!("building the other engines, which takes minutes the first time");
    let build = ["build", "--release", "--package", "hashlanes-peers"];
    announce(cargo().args(build).args(features)).context(
        "the other engines do not build; --without-crates leaves out those that need a C compiler",
    )?;
    let ours = target().join("c/peers");
    if let Err(error) = install_all(&ours.to_string_lossy(), install::PROFILE) {
        eprintln!("without the library that has ISA-L's interface: {error:#}");
    }
    let mut command = cargo();
    command
        .env("HASHLANES_ISAL_DIR", ours)
        .args(["run", "--quiet", "--release", "--package", "hashlanes-peers"])
        .args(features)
        .arg("--");
    if !args.dry_run {
        let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        command.arg("--write").arg(root().join("docs/record"));
        command.args(["--subject", &format!("{}-{}", &date[..10], args.subject)]);
    }
    announce(command.args(&args.options))
}
