//! Prints the results: one fact per line, a table, or JSON.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};
use hashlanes_measure::cpu::Cpu;
use serde::Serialize;

use super::Outcome;
use super::measured::Figures;
use super::plan::Plan;
use crate::options::size::Size;
use crate::terminal::output;

/// Bytes in units of 1000 and of 1024: `104.86 MB (100.00 MiB)`.
fn both(bytes: f64, per: &str) -> String {
    let scaled = |base: f64, units: [&str; 5]| {
        let power =
            if bytes < base { 0.0 } else { (bytes.ln() / base.ln() + 1e-9).floor().min(4.0) };
        let digits = if power == 0.0 && bytes.fract() == 0.0 { 0 } else { 2 };
        format!("{:.digits$} {}{per}", bytes / base.powf(power), units[power as usize])
    };
    let binary = scaled(1024.0, ["B", "KiB", "MiB", "GiB", "TiB"]);
    format!("{} ({binary})", scaled(1000.0, ["B", "kB", "MB", "GB", "TB"]))
}

fn fact(text: &mut Vec<u8>, name: &str, value: impl std::fmt::Display) -> io::Result<()> {
    writeln!(text, "{:<27}{value}", format!("{name}:"))
}

/// Prints the plan.
pub(super) fn plan(plan: &Plan) -> io::Result<()> {
    let mut text = Vec::new();
    writeln!(text, "hashlanes-lab simulate {}", env!("CARGO_PKG_VERSION"))?;
    fact(&mut text, "Data chunks to hash", plan.chunks())?;
    fact(&mut text, "Chunk size", both(plan.chunk as f64, ""))?;
    fact(&mut text, "Total size", both(plan.total as f64, ""))?;
    fact(&mut text, "Producer threads", plan.producers)?;
    if plan.buffers > 1 {
        fact(&mut text, "Chunks of each producer", plan.buffers)?;
    }
    if plan.stream {
        fact(&mut text, "Messages", "one stream for each producer")?;
    }
    if plan.consumers > 1 {
        fact(&mut text, "Consumer threads", plan.consumers)?;
    }
    let speed = plan.speed.map_or("unlimited".to_owned(), |speed| both(speed as f64, "/s"));
    fact(&mut text, "Producer target speed", speed)?;
    fact(&mut text, "Hash", plan.algorithm)?;
    writeln!(text)?;
    output::write_lines(text)
}

/// Prints the results of one run.
pub(super) fn figures(outcome: &Outcome) -> io::Result<()> {
    let mut text = Vec::new();
    facts(&mut text, &outcome.plan, &outcome.lanes)?;
    if let Some(alone) = &outcome.alone {
        writeln!(text, "\nThe same with single-message hashing:")?;
        facts(&mut text, &outcome.plan, alone)?;
        fact(
            &mut text,
            "Gain per core",
            format_args!("{:.2} times", outcome.lanes.core_speed() / alone.core_speed()),
        )?;
    }
    output::write_lines(text)
}

fn facts(text: &mut Vec<u8>, plan: &Plan, figures: &Figures) -> io::Result<()> {
    fact(text, "Elapsed time", format_args!("{:.3} s", figures.elapsed.as_secs_f64()))?;
    let of_target = plan.speed.map_or(String::new(), |speed| {
        format!(
            ", {:.1} % of the target",
            100.0 * figures.data_rate() / (speed as f64 * plan.producers as f64)
        )
    });
    fact(text, "Data rate", format_args!("{}{of_target}", both(figures.data_rate(), "/s")))?;
    fact(text, "Consumer thread usage", format_args!("{:.1} %", 100.0 * figures.usage()))?;
    fact(text, "Hash speed", both(figures.hash_speed(), "/s"))?;
    fact(text, "Hash speed of a core", both(figures.core_speed(), "/s"))?;
    fact(
        text,
        "Lanes filled on average",
        format_args!("{:.1} of {:.1}", figures.lanes, figures.lanes_available.max(figures.lanes)),
    )?;
    fact(text, "Kernel", kernels(figures))?;
    let cycles =
        figures.bytes_per_cycle().map_or("unknown".to_owned(), |bytes| format!("{bytes:.3}"));
    fact(text, "Bytes per cycle", cycles)?;
    if let Some(verified) = figures.verified {
        fact(text, "Verified", format_args!("{verified} digests, all as RustCrypto's"))?;
    }
    Ok(())
}

/// The kernels that ran, with their shares of the bytes if there were several.
fn kernels(figures: &Figures) -> String {
    let mut kernels: Vec<_> = figures.kernels.iter().filter(|kernel| *kernel.1 > 0).collect();
    kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.1));
    if let [(name, _)] = kernels.as_slice() {
        return (*name).to_string();
    }
    let share = |bytes: u64| 100.0 * bytes as f64 / figures.kernels.values().sum::<u64>() as f64;
    kernels
        .iter()
        .map(|(name, bytes)| format!("{name} {:.0} %", share(**bytes)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Prints a row for each point of a sweep.
pub(super) fn table(outcomes: &[Outcome]) -> io::Result<()> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let gb = |bytes: f64| format!("{:.2}", bytes / 1e9);
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    for Outcome { plan, lanes, alone } in outcomes {
        let target = plan.speed.map(|speed| speed as f64 * plan.producers as f64);
        let of_target = target.map(|target| percent(lanes.data_rate() / target));
        let cycles = lanes.bytes_per_cycle().map(|bytes| format!("{bytes:.2}"));
        let speed = plan.speed.map(|speed| format!("{:.1}", speed as f64 / 1e6));
        let mut row = vec![
            ("hash", plan.algorithm.to_string()),
            ("producers", plan.producers.to_string()),
            ("speed MB/s", speed.unwrap_or_else(|| "unlimited".into())),
            ("chunk", Size::new(plan.chunk as u64).to_string()),
            ("data GB/s", gb(lanes.data_rate())),
            ("of target", of_target.unwrap_or_else(|| "-".into())),
            ("usage", percent(lanes.usage())),
            ("hash GB/s", gb(lanes.hash_speed())),
            ("core GB/s", gb(lanes.core_speed())),
            ("lanes", format!("{:.1}", lanes.lanes)),
            ("kernel", lanes.kernel().to_owned()),
            ("B/cycle", cycles.unwrap_or_else(|| "-".into())),
        ];
        if let Some(alone) = alone {
            row.extend([
                ("alone: data GB/s", gb(alone.data_rate())),
                ("usage", percent(alone.usage())),
                ("core GB/s", gb(alone.core_speed())),
                ("gain", format!("{:.2}", lanes.core_speed() / alone.core_speed())),
            ]);
        }
        let (header, cells): (Vec<_>, Vec<_>) = row.into_iter().unzip();
        table.set_header(header).add_row(cells);
    }
    for (number, column) in table.column_iter_mut().enumerate() {
        if ![0, 10].contains(&number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::write_lines(format!("{}\n", table.trim_fmt()))
}

/// The document of `--json`. Sizes are in bytes, times in seconds, speeds in bytes per second.
#[derive(Serialize)]
struct Document<'a> {
    version: &'static str,
    cpu: Cpu,
    results: Vec<Point<'a>>,
}

#[derive(Serialize)]
struct Point<'a> {
    hash: &'static str,
    producers: usize,
    consumers: usize,
    buffers: usize,
    /// `null` if unlimited.
    speed: Option<u64>,
    chunk_size: usize,
    total_size: u64,
    chunks: u64,
    mode: &'static str,
    pinned_to: &'a [usize],
    lanes: Measured<'a>,
    /// `null` without `--compare`.
    alone: Option<Measured<'a>>,
}

#[derive(Serialize)]
struct Measured<'a> {
    elapsed: f64,
    data_rate: f64,
    /// 0 to 1.
    consumer_usage: f64,
    hash_speed: f64,
    core_speed: f64,
    lanes_filled: f64,
    kernel: &'a str,
    kernels: &'a std::collections::BTreeMap<&'static str, u64>,
    bytes_per_cycle: Option<f64>,
    verified: Option<u64>,
}

impl<'a> Measured<'a> {
    fn of(figures: &'a Figures) -> Self {
        Self {
            elapsed: figures.elapsed.as_secs_f64(),
            data_rate: figures.data_rate(),
            consumer_usage: figures.usage(),
            hash_speed: figures.hash_speed(),
            core_speed: figures.core_speed(),
            lanes_filled: figures.lanes,
            kernel: figures.kernel(),
            kernels: &figures.kernels,
            bytes_per_cycle: figures.bytes_per_cycle(),
            verified: figures.verified,
        }
    }
}

pub(super) fn json(outcomes: &[Outcome]) -> io::Result<()> {
    let results = outcomes
        .iter()
        .map(|Outcome { plan, lanes, alone }| Point {
            hash: plan.algorithm.name(),
            producers: plan.producers,
            consumers: plan.consumers,
            buffers: plan.buffers,
            speed: plan.speed,
            chunk_size: plan.chunk,
            total_size: plan.total,
            chunks: plan.chunks(),
            mode: if plan.stream { "stream" } else { "chunks" },
            pinned_to: &plan.pin,
            lanes: Measured::of(lanes),
            alone: alone.as_ref().map(Measured::of),
        })
        .collect();
    let document = Document { version: env!("CARGO_PKG_VERSION"), cpu: Cpu::detect(), results };
    let mut text = serde_json::to_vec_pretty(&document)?;
    text.push(b'\n');
    output::write_lines(text)
}

#[cfg(test)]
mod tests {
    use super::both;

    #[test]
    fn sizes_are_shown_in_both_units() {
        assert_eq!(both(1_048_576.0, ""), "1.05 MB (1.00 MiB)");
        assert_eq!(both(104_857_600.0, "/s"), "104.86 MB/s (100.00 MiB/s)");
        assert_eq!(both(1000.0, ""), "1.00 kB (1000 B)");
        assert_eq!(both(1.0, ""), "1 B (1 B)");
        assert_eq!(both(9.5e9, "/s"), "9.50 GB/s (8.85 GiB/s)");
    }
}
