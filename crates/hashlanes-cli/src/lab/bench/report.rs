//! Prints the results as a table, as JSON, or as a chart.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};
use hashlanes_files::replace::Replacement;
use hashlanes_measure::bound::Bound;
use hashlanes_measure::chart::{Chart, Horizontal, Line};
use hashlanes_measure::cpu::{Core, Cpu, ToldBy};
use hashlanes_measure::messages::Lengths;
use hashlanes_measure::sample::Figures;
use hashlanes_measure::stats::Spread;
use serde::Serialize;

use super::measure::{Outcome, Setting};
use super::options::Args;
use crate::lab::chart;
use crate::options::size::Size;
use crate::terminal::output;

/// The core and how it was measured, in one line.
fn conditions(args: &Args, setting: &Setting, outcomes: &[Outcome<'_>]) -> String {
    let Setting { cpu, cpus, .. } = setting;
    let how = match cpu.told_by {
        Some(ToldBy::Features) => " by its features",
        Some(ToldBy::Name) => " by --core",
        Some(ToldBy::Model) | None => "",
    };
    let core = cpu.core.map(|core| format!(" ({core}{how})")).unwrap_or_default();
    let clocks = || outcomes.iter().filter_map(|outcome| Some(outcome.figures.ghz?.median));
    let clock = match (clocks().reduce(f64::min), clocks().reduce(f64::max)) {
        (Some(low), Some(high)) => format!("{low:.2} to {high:.2} GHz"),
        _ => "clock unknown".to_owned(),
    };
    let pinned = match cpus.as_slice() {
        [] => "not pinned".to_owned(),
        cpus => format!(
            "pinned to CPU {}",
            cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
        ),
    };
    let Args { samples, sample_time, .. } = args;
    format!("{}{core}, {clock}, {pinned}; {samples} samples of {sample_time} ms", cpu.name)
}

pub(super) fn table(args: &Args, setting: &Setting, outcomes: &[Outcome<'_>]) -> io::Result<()> {
    let mut out = Vec::new();
    writeln!(out, "{}; seed {}", conditions(args, setting, outcomes), setting.seed)?;
    if args.threads.get() > 1 {
        writeln!(
            out,
            "{} threads, each with its own messages; figures and bounds are sums",
            args.threads
        )?;
    }
    if let Some(piece) = args.manager {
        writeln!(out, "through the manager Lanes, in pieces of {piece}")?;
    }
    writeln!(out)?;

    let mut versus: Vec<&str> = Vec::new();
    for (name, _) in outcomes.iter().flat_map(|outcome| &outcome.versus) {
        if !versus.contains(name) {
            versus.push(name);
        }
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for outcome in outcomes {
        let Outcome { case, figures, bound, .. } = outcome;
        let or_dash = |figure: Option<String>| figure.unwrap_or_else(|| "-".to_owned());
        let spread = figures.bytes_per_cycle.unwrap_or(figures.gb_per_s).ratio();
        let cycles = figures.bytes_per_cycle.map(|spread| format!("{:.3}", spread.median));
        let bound = bound.as_ref().map(|bound| format!("{:.3}", bound.bytes_per_cycle));
        let share = outcome.share().map(|share| format!("{:.0} %", 100.0 * share));
        let mut row: Vec<(String, String)> = vec![
            ("algorithm".into(), case.algorithm.to_string()),
            ("kernel".into(), outcome.kernel().to_owned()),
            ("messages".into(), case.messages.to_string()),
            ("length".into(), case.lengths.to_string()),
            ("GB/s".into(), format!("{:.2}", figures.gb_per_s.median)),
            ("B/cycle".into(), or_dash(cycles)),
            ("+-".into(), format!("{:.1} %", 100.0 * spread)),
            ("bound".into(), or_dash(bound)),
            ("share".into(), or_dash(share)),
        ];
        row.extend(versus.iter().map(|name| {
            let found = outcome.versus.iter().find(|versus| versus.0 == *name);
            let ratio = or_dash(found.map(|(_, ratio)| format!("{:.2}", ratio.median)));
            (format!("x {name}"), ratio)
        }));
        let (header, cells): (Vec<_>, Vec<_>) = row.into_iter().unzip();
        table.set_header(header).add_row(cells);
    }
    for (number, column) in table.column_iter_mut().enumerate() {
        if number >= 2 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}", table.trim_fmt())?;

    writeln!(out)?;
    let mut origins: Vec<String> = Vec::new();
    for Outcome { case, bound, .. } in outcomes {
        let origin = bound.as_ref().map_or("no bound known", |bound| bound.origin.as_str());
        let origin = format!("bound of {}: {origin}", case.algorithm);
        if !origins.contains(&origin) {
            writeln!(out, "{origin}")?;
            origins.push(origin);
        }
    }
    if setting.cpu.core.is_none() {
        let names = Core::ALL.map(Core::name).join(", ");
        writeln!(
            out,
            "unknown core: use --core with the most similar one for its bounds ({names})"
        )?;
    }
    let unsteady: usize = outcomes.iter().map(|outcome| outcome.figures.unsteady).sum();
    if unsteady > 0 {
        writeln!(out, "{unsteady} samples were dropped because the clock changed during them")?;
    }
    output::write(&out)
}

#[derive(Serialize)]
struct Document<'a> {
    version: &'static str,
    cpu: &'a Cpu,
    pinned_to: &'a [usize],
    threads: usize,
    /// Bytes of a piece for the manager. `null` if `digest_many` hashes the messages.
    manager_piece: Option<u64>,
    sample_ms: u64,
    seed: u64,
    results: Vec<Result<'a>>,
}

#[derive(Serialize)]
struct Result<'a> {
    algorithm: &'static str,
    kernel: &'a str,
    /// Whether the kernel was asked for by name.
    forced: bool,
    messages: usize,
    shortest: usize,
    longest: usize,
    /// Bytes of all messages of a thread.
    bytes: usize,
    #[serde(flatten)]
    figures: &'a Figures,
    bound: Option<&'a Bound>,
    share_of_bound: Option<f64>,
    versus: Vec<Versus>,
}

#[derive(Serialize)]
struct Versus {
    name: &'static str,
    ratio: Spread,
}

pub(super) fn json(args: &Args, setting: &Setting, outcomes: &[Outcome<'_>]) -> io::Result<()> {
    let results = outcomes
        .iter()
        .map(|outcome| {
            let (Lengths::Uniform(shortest) | Lengths::LogUniform(shortest, _)) =
                outcome.case.lengths;
            Result {
                algorithm: outcome.case.algorithm.name(),
                kernel: outcome.kernel(),
                forced: outcome.case.kernel.is_some(),
                messages: outcome.case.messages,
                shortest,
                longest: outcome.case.lengths.at_most(1),
                bytes: outcome.bytes,
                figures: &outcome.figures,
                bound: outcome.bound.as_ref(),
                share_of_bound: outcome.share(),
                versus: outcome
                    .versus
                    .iter()
                    .map(|&(name, ratio)| Versus { name, ratio })
                    .collect(),
            }
        })
        .collect();
    let document = Document {
        version: env!("CARGO_PKG_VERSION"),
        cpu: &setting.cpu,
        pinned_to: &setting.cpus,
        threads: args.threads.get(),
        manager_piece: args.manager.map(Size::bytes),
        sample_ms: args.sample_time,
        seed: setting.seed,
        results,
    };
    let mut out = serde_json::to_vec_pretty(&document)?;
    out.push(b'\n');
    output::write(&out)
}

pub(super) fn plot(
    args: &Args,
    setting: &Setting,
    outcomes: &[Outcome<'_>],
    file: &Replacement,
) -> io::Result<()> {
    let uniform: Vec<(&Outcome<'_>, usize)> = outcomes
        .iter()
        .filter_map(|outcome| match outcome.case.lengths {
            Lengths::Uniform(length) => Some((outcome, length)),
            Lengths::LogUniform(..) => None,
        })
        .collect();
    let differ = |key: &dyn Fn(&Outcome<'_>, usize) -> String| {
        uniform
            .iter()
            .any(|(outcome, length)| key(outcome, *length) != key(uniform[0].0, uniform[0].1))
    };
    let by_length = differ(&|_, length| length.to_string())
        || !differ(&|outcome, _| outcome.case.messages.to_string());
    let name_algorithm = differ(&|outcome, _| outcome.case.algorithm.to_string());
    let name_kernel = args.kernels.len() > 1 || args.kernels.iter().any(|name| name == "all");
    let name_messages = by_length && differ(&|outcome, _| outcome.case.messages.to_string());
    let in_cycles = uniform.iter().all(|(outcome, _)| outcome.figures.bytes_per_cycle.is_some());

    let mut lines: Vec<Line> = Vec::new();
    for (outcome, length) in &uniform {
        let case = outcome.case;
        let mut name = Vec::new();
        if name_algorithm || !name_kernel && !name_messages {
            name.push(case.algorithm.to_string());
        }
        if name_kernel {
            name.push(case.kernel.unwrap_or("auto").to_owned());
        }
        if name_messages {
            name.push(format!("{} messages", case.messages));
        }
        let name = name.join(", ");
        let x = if by_length { *length } else { case.messages } as f64;
        let line = match lines.iter_mut().position(|line| line.name == name) {
            Some(found) => &mut lines[found],
            None => {
                lines.push(Line { name, bold: true, look: lines.len(), ..Line::default() });
                lines.last_mut().expect("a line was just added")
            }
        };
        line.points
            .push((x, outcome.figures.bytes_per_cycle.unwrap_or(outcome.figures.gb_per_s).median));
        if let (true, Some(bound)) = (in_cycles, &outcome.bound) {
            line.bound.push((x, bound.bytes_per_cycle));
        }
    }
    for line in &mut lines {
        for points in [&mut line.points, &mut line.bound] {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
    }

    let mut title = vec!["Throughput".to_owned()];
    if let Some((outcome, length)) = uniform.first() {
        if !name_algorithm {
            title.push(format!("of {}", outcome.case.algorithm.tag()));
        }
        title.push("over".to_owned());
        title.push(if by_length { "message length" } else { "the number of messages" }.to_owned());
        if by_length && !name_messages {
            title.push(format!("({} messages at a time)", outcome.case.messages));
        } else if !by_length {
            title.push(format!("({} each)", Lengths::Uniform(*length)));
        }
    }
    let chart = Chart {
        title: title.join(" "),
        subtitle: conditions(args, setting, outcomes),
        horizontal: match by_length {
            true => Horizontal::Length,
            false => Horizontal::Count("number of messages"),
        },
        dashed: "upper bound of the line of this colour",
        vertical: if in_cycles { "bytes per core cycle" } else { "GB/s" }.to_owned(),
        lines,
    };
    let svg = chart.svg().map_err(|error| io::Error::other(error.to_string()))?;
    chart::put(file, &svg)
}
