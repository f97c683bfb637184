//! `hashlanes info`: the kernels that this CPU can run, and which of them are chosen.

use std::io::{self, Write};
use std::process::ExitCode;

use hashlanes::{Algorithm, AnyEngine, KernelInfo, cpu_features};
use serde::Serialize;

use crate::message::output_failed;
use crate::output::Output;

/// Show the CPU's features, the kernels of each hash function, and which of them run for how many
/// files.
///
/// A kernel is a hash function's code for one instruction set. It hashes as many files side by side
/// as it has lanes.
#[derive(clap::Args)]
#[command(after_help = "\
JSON: an object with
  version      of the program, a string
  features     that kernels need of the CPU: [{name, present}]
  algorithms   [{name, kernels, chosen}], where
    kernels      is [{name, lanes, available, missing}]; `missing` names the features that the CPU
                 lacks
    chosen       is [{messages, kernel}]: which kernel is chosen for how many messages; the last
                 entry, whose `messages` is null, is for any larger number
Later versions may add fields, kernels and algorithms; none changes its meaning.")]
pub(crate) struct Args {
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Everything that is shown. The fields are those of the documented JSON.
#[derive(Serialize)]
struct Info {
    version: &'static str,
    features: Vec<Feature>,
    algorithms: Vec<AlgorithmInfo>,
}

#[derive(Serialize)]
struct Feature {
    name: &'static str,
    present: bool,
}

#[derive(Serialize)]
struct AlgorithmInfo {
    name: &'static str,
    kernels: Vec<KernelRow>,
    chosen: Vec<Choice>,
}

#[derive(Serialize)]
struct KernelRow {
    name: &'static str,
    lanes: usize,
    available: bool,
    missing: Vec<&'static str>,
}

#[derive(Serialize)]
struct Choice {
    messages: Option<usize>,
    kernel: &'static str,
}

/// The numbers of messages for which the choice is shown. `None` stands for any larger number.
const MESSAGES: [Option<usize>; 7] = [Some(1), Some(2), Some(4), Some(8), Some(16), Some(32), None];

impl Info {
    fn gather() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            features: cpu_features().map(|(name, present)| Feature { name, present }).collect(),
            algorithms: Algorithm::ALL.iter().copied().map(AlgorithmInfo::gather).collect(),
        }
    }

    /// The table for people: a block of lines for each algorithm.
    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        write!(to, "CPU features:")?;
        for Feature { name, present } in &self.features {
            write!(to, " {}{name}", if *present { "" } else { "no-" })?;
        }
        writeln!(to)?;
        for algorithm in &self.algorithms {
            algorithm.write(to)?;
        }
        Ok(())
    }
}

impl AlgorithmInfo {
    fn gather(algorithm: Algorithm) -> Self {
        let engine = AnyEngine::new(algorithm);
        let row = |kernel: KernelInfo| KernelRow {
            name: kernel.name,
            lanes: kernel.lanes,
            available: kernel.is_available(),
            missing: kernel.missing().collect(),
        };
        let choice = |messages: Option<usize>| Choice {
            messages,
            kernel: engine.kernel_for(messages.unwrap_or(usize::MAX)),
        };
        Self {
            name: algorithm.name(),
            kernels: algorithm.kernels().map(row).collect(),
            chosen: MESSAGES.into_iter().map(choice).collect(),
        }
    }

    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        writeln!(to, "\n{:<14}lanes  chosen for so many messages", self.name)?;
        for kernel in &self.kernels {
            let chosen_for = if kernel.available {
                self.messages_of(kernel.name)
            } else {
                format!(
                    "not here: the CPU or the operating system lacks {}",
                    kernel.missing.join(", ")
                )
            };
            writeln!(
                to,
                "{}",
                format!("  {:<14}{:>3}  {chosen_for}", kernel.name, kernel.lanes).trim_end()
            )?;
        }
        Ok(())
    }

    /// The numbers of messages for which the kernel is chosen: `16, 32, more`.
    fn messages_of(&self, kernel: &str) -> String {
        let numbers: Vec<String> = self
            .chosen
            .iter()
            .filter(|choice| choice.kernel == kernel)
            .map(|choice| {
                choice.messages.map_or_else(|| "more".into(), |messages| messages.to_string())
            })
            .collect();
        numbers.join(", ")
    }
}

pub(crate) fn run(args: Args) -> ExitCode {
    match print(&Info::gather(), args.json) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output_failed(&error),
    }
}

fn print(info: &Info, json: bool) -> io::Result<()> {
    let mut text = Vec::new();
    if json {
        serde_json::to_writer_pretty(&mut text, info)?;
        text.push(b'\n');
    } else {
        info.write(&mut text)?;
    }
    let mut output = Output::stdout()?;
    output.line(|line| line.append(&mut text))?;
    output.flush()
}
