//! `hashlanes-lab simulate`: producers fill chunks at a target speed, and a consumer hashes them in
//! lanes.
//!
//! It answers two questions. How many producers, of which speed, can one hashing core serve? Are
//! its lanes full? It follows the sample application of Intel's 2016 article on multi-buffer
//! hashing. `docs/guide/measure.md` explains the figures.
//!
//! | file | content |
//! |---|---|
//! | `options.rs` | the arguments, and the plans that they describe |
//! | `exchange.rs` | where chunks change hands |
//! | `data.rs` | the bytes of the chunks, and the expected digests |
//! | `plan.rs` | what a run does |
//! | `chunk.rs`, `pace.rs` | what producers fill, and how fast |
//! | `run.rs` | the threads of one run |
//! | `streams.rs` | streams hashed by a server, or one by one |
//! | `measured.rs` | what consumers measure |
//! | `verify.rs` | the digests beside those of other code |
//! | `report.rs`, `plot.rs` | the results as text, a table, JSON, or a picture |

mod chunk;
mod data;
mod exchange;
mod measured;
mod options;
mod pace;
mod plan;
mod plot;
mod report;
mod run;
mod streams;
mod verify;

use std::process::ExitCode;

use crate::lab::chart;
use crate::options::size::Size;
use crate::terminal::message::{output_failed, reason, say, say_of, wrong_usage};

use measured::Figures;
pub(crate) use options::Args;
use plan::{Failure, Plan};
use run::Way;

/// A plan with its results.
struct Outcome {
    plan: Plan,
    lanes: Figures,
    /// The results with single-message hashing, if requested.
    alone: Option<Figures>,
}

pub(crate) fn run(args: Args) -> ExitCode {
    // The program reports itself what it has no memory for.
    crate::process::allocator::let_fail();
    let plans = match options::plans(&args) {
        Ok(plans) => plans,
        Err(reason) => return wrong_usage(format_args!("simulate: {reason}")),
    };
    // Report an error before the minutes of measuring, not after.
    let plot = match args.plot.as_ref().map(|path| (path, chart::begin(path))) {
        Some((path, Err(error))) => {
            say_of(path, reason(&error));
            return ExitCode::FAILURE;
        }
        Some((path, Ok(file))) => Some((path, file)),
        None => None,
    };
    let single = args.sweep.is_empty() && !args.json;
    let mut outcomes = Vec::new();
    let mut failed = false;
    for plan in plans {
        if single && let Err(error) = report::plan(&plan) {
            return output_failed(&error);
        }
        match measure(&args, plan) {
            Ok(outcome) => outcomes.push(outcome),
            // The other points of a sweep still run and are printed.
            Err(failure) => {
                failed = true;
                match failure {
                    Failure::Wrong(wrong) => say(format_args!("simulate: {wrong}")),
                    Failure::Memory(bytes) => {
                        let size = Size::new(bytes as u64);
                        say(format_args!("simulate: not enough memory for a chunk of {size}"));
                    }
                }
            }
        }
    }
    if outcomes.is_empty() {
        return ExitCode::FAILURE;
    }
    let printed = match outcomes.as_slice() {
        _ if args.json => report::json(&outcomes),
        [outcome] if single => report::figures(outcome),
        _ => report::table(&outcomes),
    };
    if let Err(error) = printed {
        return output_failed(&error);
    }
    if let Some((path, file)) = plot
        && let Err(error) = plot::draw(&outcomes, &file)
    {
        say_of(path, reason(&error));
        return ExitCode::FAILURE;
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn measure(args: &Args, plan: Plan) -> Result<Outcome, Failure> {
    let lanes = run::run(&plan, Way::Lanes)?;
    let alone = if args.compare { Some(run::run(&plan, Way::Alone)?) } else { None };
    Ok(Outcome { plan, lanes, alone })
}
