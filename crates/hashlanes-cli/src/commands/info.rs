//! `hashlanes info`: which kernels this CPU can run and when they are chosen, and which sources of
//! random bytes work.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use hashlanes::kernels::{KernelInfo, cpu_features};
use hashlanes::{Algorithm, Engine};
use hashlanes_entropy::Source;
use hashlanes_files::Function;
use serde::Serialize;

use crate::terminal::message::{exit_status, say};
use crate::terminal::output;

/// Show the CPU's features; the kernels of each hash function, and for how many files each is
/// chosen; the functions that hash one file at a time; and the sources of random bytes.
///
/// A kernel is a hash function's code for one instruction set. It hashes as many files side by side
/// as it has lanes.
#[derive(clap::Args)]
#[command(after_help = "\
JSON: an object with
  version      of the program, a string
  features     of the CPU that kernels need: [{name, present}]
  algorithms   [{name, kernels, chosen}], where
    kernels      is [{name, lanes, available, missing}]; `missing` names the features that the CPU
                 lacks
    chosen       is [{messages, kernel}]: which kernel is chosen for how many messages; the last
                 entry, whose `messages` is null, is for any larger number
  one_at_a_time  names of the functions that hash one file at a time, without kernels
  random       sources of random bytes: [{source, grade, passed, failure}]; `grade` is the highest
               that it satisfies, `passed` whether it passed its test, `failure` why it did not
Later versions may add fields, kernels and algorithms; none changes its meaning.")]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Hash known messages in every kernel that can run here, and exit with status 1 if a digest
    /// is wrong
    #[arg(long, conflicts_with = "json")]
    self_test: bool,
}

/// Everything that is shown. The fields are those of the documented JSON.
#[derive(Serialize)]
struct Info {
    version: &'static str,
    features: Vec<Feature>,
    algorithms: Vec<AlgorithmInfo>,
    one_at_a_time: Vec<String>,
    random: Vec<SourceInfo>,
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

#[derive(Serialize)]
struct SourceInfo {
    source: &'static str,
    grade: &'static str,
    passed: bool,
    failure: Option<String>,
}

/// The numbers of messages for which the choice is shown. `None` stands for any larger number.
const MESSAGES: [Option<usize>; 7] = [Some(1), Some(2), Some(4), Some(8), Some(16), Some(32), None];

impl Info {
    fn gather() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            features: cpu_features().map(|(name, present)| Feature { name, present }).collect(),
            algorithms: Algorithm::ALL.iter().copied().map(AlgorithmInfo::gather).collect(),
            one_at_a_time: Function::all()
                .filter(|function| !function.has_lanes())
                .map(|function| function.to_string())
                .collect(),
            random: Source::ALL.into_iter().map(SourceInfo::gather).collect(),
        }
    }

    /// The table for people: several lines for each algorithm, and one for each source.
    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        write!(to, "CPU features:")?;
        for Feature { name, present } in &self.features {
            write!(to, " {}{name}", if *present { "" } else { "no-" })?;
        }
        writeln!(to)?;
        for algorithm in &self.algorithms {
            algorithm.write(to)?;
        }
        writeln!(to, "\nOne file at a time on each core:\n  {}", self.one_at_a_time.join(", "))?;
        writeln!(to, "\nRandom bytes  grade  test")?;
        self.random.iter().try_for_each(|source| source.write(to))
    }
}

impl AlgorithmInfo {
    fn gather(algorithm: Algorithm) -> Self {
        let engine = Engine::of(algorithm);
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
        writeln!(to, "\n{:<14}lanes  chosen for this number of messages", self.name)?;
        for kernel in &self.kernels {
            let chosen_for = if kernel.available {
                self.messages_of(kernel.name)
            } else {
                format!(
                    "unavailable: the CPU or the operating system lacks {}",
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

impl SourceInfo {
    fn gather(source: Source) -> Self {
        let failure = source.check().err().map(|failure| failure.to_string());
        Self {
            source: source.name(),
            grade: source.grade().name(),
            passed: failure.is_none(),
            failure,
        }
    }

    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let test = self.failure.as_deref().unwrap_or("passed");
        writeln!(to, "  {:<12}{:<7}{test}", self.source, self.grade)
    }
}

pub(crate) fn run(args: Args) -> ExitCode {
    if args.self_test {
        return exit_status(test());
    }
    exit_status(print(&Info::gather(), args.json).map(|()| true))
}

/// Prints how many kernels passed the self-test. Reports one that did not, and returns false.
fn test() -> io::Result<bool> {
    let start = Instant::now();
    if let Err(error) = hashlanes::kernels::self_test() {
        say(error);
        return Ok(false);
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let kernels = Algorithm::ALL.iter().flat_map(|algorithm| algorithm.kernels());
    let kernels = kernels.filter(KernelInfo::is_available).count();
    let functions = Algorithm::ALL.len();
    let text = format!(
        "self-test: {functions} functions in {kernels} kernels passed in {milliseconds:.1} ms\n"
    );
    output::write_lines(text.into_bytes()).map(|()| true)
}

fn print(info: &Info, json: bool) -> io::Result<()> {
    let mut text = Vec::new();
    if json {
        serde_json::to_writer_pretty(&mut text, info)?;
        text.push(b'\n');
    } else {
        info.write(&mut text)?;
    }
    output::write_lines(text)
}
