//! `cargo xtask records`: measures TLS records beside OpenSSL; see `benches/records`.

use anyhow::Result;

use crate::command::{cargo, run as announce};

/// Measure how fast TLS records are sealed, beside OpenSSL, on one core.
///
/// Prints one line per case: suite, record size, records, GB/s, OpenSSL's GB/s, ratios, the kernels
/// that ran, and how full their lanes were. Without options, the sources of random numbers are
/// measured at the end.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Options of the measurement: `-- --help` lists them
    #[arg(last = true)]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let bench = ["run", "--quiet", "--release", "--package", "hashlanes-bench-records", "--"];
    announce(cargo().args(bench).args(&args.options))?;
    if args.options.is_empty() {
        let example = ["run", "--quiet", "--release", "--package", "hashlanes-entropy"];
        announce(cargo().args(example).args(["--example", "throughput"]))?;
    }
    Ok(())
}
