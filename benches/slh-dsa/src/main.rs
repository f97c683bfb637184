//! SLH-DSA beside the crate `slh-dsa`: speed, and with `--check` whether they agree.
//!
//! Everything is sampled in turns on one pinned core. A figure is the median of its samples, and a
//! ratio the median of the ratios of one round each.

#![forbid(unsafe_code)]

mod check;
mod contenders;

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Parser;
use hashlanes_measure::clock;
use hashlanes_measure::cpu::{self, Cpu};
use hashlanes_measure::stats::Spread;
use hashlanes_slh_dsa::ParameterSet;

use contenders::contenders;

/// Make keys, sign and verify beside other crates on one core.
#[derive(Parser)]
#[command(name = "hashlanes-bench-slh-dsa", max_term_width = 100)]
struct Args {
    /// Rounds, which are the samples of each figure
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// The CPU to run on [default: the last one that this process may use]
    #[arg(long)]
    cpu: Option<usize>,
    /// Measure nothing: check that the other crate verifies this many signatures by random keys,
    /// and that no bit of a signature may change
    #[arg(long, value_name = "COUNT")]
    check: Option<usize>,
    /// Parameter sets, such as SLH-DSA-SHA2-128f [default: all]
    sets: Vec<String>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let cpu = args.cpu.or_else(|| cpu::allowed().last().copied());
    anyhow::ensure!(cpu.is_some_and(cpu::pin), "cannot run on one core");
    println!("{}", Cpu::detect().name);
    let sets: Vec<_> = match &args.sets[..] {
        [] => ParameterSet::ALL.to_vec(),
        names => names
            .iter()
            .map(|name| ParameterSet::from_name(name).with_context(|| format!("no set {name}")))
            .collect::<Result<_>>()?,
    };
    if let Some(count) = args.check {
        return sets.into_iter().try_for_each(|set| check::check(set, count));
    }
    println!("milliseconds of CPU time for each, and how many times as fast as each other crate");
    for set in sets {
        measure(set, args.rounds);
    }
    Ok(())
}

/// Prints a line for each operation of a parameter set.
fn measure(set: ParameterSet, rounds: usize) {
    let contenders = contenders(set);
    for &operation in contenders[0].operations.keys() {
        // Those that cannot do many at a time do one after another.
        let one = operation.trim_end_matches(" many");
        let mut samples = vec![Vec::new(); contenders.len()];
        for round in 0..rounds {
            for (contender, samples) in contenders.iter().zip(&mut samples) {
                let operations = &contender.operations;
                if let Some(work) = operations.get(operation).or_else(|| operations.get(one)) {
                    samples.push(sample(|| work(round)));
                }
            }
        }
        let of = |values: &mut dyn Iterator<Item = f64>| Spread::of(values).map(|all| all.median);
        print!("{:18} {operation:12}", set.name());
        for (contender, theirs) in contenders.iter().zip(&samples) {
            let Some(time) = of(&mut theirs.iter().copied()) else { continue };
            print!("  {} {:.3}", contender.name, 1e3 * time);
            let ratio = of(&mut theirs.iter().zip(&samples[0]).map(|(a, b)| a / b));
            if let Some(ratio) = ratio.filter(|_| contender.name != contenders[0].name) {
                print!(" ({ratio:.2}x)");
            }
        }
        println!();
    }
}

/// Seconds that one item of the work takes: it is repeated for 50 ms.
fn sample(work: impl Fn() -> usize) -> f64 {
    let mut items = 0;
    let began = Instant::now();
    let time = clock::time(|| {
        while items == 0 || began.elapsed() < Duration::from_millis(50) {
            items += work();
        }
    });
    time.as_secs_f64() / items as f64
}
