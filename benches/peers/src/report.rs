//! Writes the result to the machine's record: a page, a chart per algorithm, and all figures as
//! JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, anyhow};
use hashlanes_measure::chart::{Chart, Horizontal, Line};
use hashlanes_measure::cpu::{Core, Cpu};
use hashlanes_measure::messages::Lengths;
use serde::Serialize;

use crate::engine::{ALGORITHMS, Engine, Missing};
use crate::workload::{Outcome, Row};

pub(crate) struct Report<'a> {
    pub(crate) core: Cpu,
    pub(crate) commit: String,
    pub(crate) pinned: Option<usize>,
    /// Before and after.
    pub(crate) load: [Option<String>; 2],
    pub(crate) seed: u64,
    pub(crate) engines: &'a [Box<dyn Engine>],
    pub(crate) missing: &'a [Missing],
    pub(crate) rows: &'a [Row],
}

/// The data without the rows.
#[derive(Serialize)]
struct Document<'a> {
    cpu: &'a Cpu,
    commit: &'a str,
    load: &'a [Option<String>; 2],
    seed: u64,
    engines: Vec<(&'a str, &'a str)>,
    missing: Vec<(&'a str, &'a str)>,
}

impl Report<'_> {
    /// Writes the machine's page with its charts and data, replacing earlier ones of this subject.
    pub(crate) fn write(&self, record: &Path, machine: Option<&str>, subject: &str) -> Result<()> {
        let of_core = || self.core.core.map_or("other", Core::name);
        let folder = record.join(machine.unwrap_or_else(of_core));
        fs::create_dir_all(&folder)?;
        for algorithm in ALGORITHMS {
            if let Some(chart) = self.chart(algorithm.name(), algorithm.tag()) {
                let svg = chart.svg().map_err(|error| anyhow!("{error}"))?;
                fs::write(folder.join(format!("{subject}-{algorithm}.svg")), svg)?;
            }
        }
        let document = Document {
            cpu: &self.core,
            commit: &self.commit,
            load: &self.load,
            seed: self.seed,
            engines: self.engines.iter().map(|engine| (engine.name(), engine.version())).collect(),
            missing: self
                .missing
                .iter()
                .map(|missing| (missing.name, missing.reason.as_str()))
                .collect(),
        };
        // Write each row on a line of its own.
        let mut json = serde_json::to_string(&document)?;
        json.pop();
        json.push_str(",\"rows\":[\n");
        let rows = self.rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        json.push_str(&rows.join(",\n"));
        json.push_str("\n]}\n");
        fs::write(folder.join(format!("{subject}.json")), json)?;
        fs::write(folder.join(format!("{subject}.md")), self.markdown(Some(subject)))?;
        Ok(())
    }

    /// The page: the machine, the engines, and for each algorithm its tables, and the chart if it
    /// has been written for a subject.
    pub(crate) fn markdown(&self, subject: Option<&str>) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.page(&mut text, subject);
        text
    }

    fn page(&self, text: &mut String, subject: Option<&str>) -> std::fmt::Result {
        let Cpu { name, core, l2, .. } = &self.core;
        let core = core.map_or_else(|| "core not known to us".to_owned(), |core| core.to_string());
        let l2 = l2.map(|bytes| format!(", {} KiB of L2", bytes >> 10)).unwrap_or_default();
        let features: Vec<&str> = hashlanes::kernels::cpu_features()
            .filter(|(_, has)| *has)
            .map(|(name, _)| name)
            .collect();
        writeln!(text, "# Other engines beside hashlanes: {name} ({core})\n")?;
        let pinned =
            self.pinned.map_or("not pinned".to_owned(), |cpu| format!("pinned to CPU {cpu}"));
        let clocks = || {
            self.rows
                .iter()
                .flat_map(|row| &row.results)
                .filter_map(|outcome| Some(outcome.figures.as_ref()?.ghz?.median))
        };
        let clock = clocks().reduce(f64::min).zip(clocks().reduce(f64::max));
        let clock =
            clock.map(|(low, high)| format!(", {low:.2} to {high:.2} GHz")).unwrap_or_default();
        writeln!(
            text,
            "* Machine: features {}{l2}{clock}; one thread, {pinned}.",
            features.join(", ")
        )?;
        writeln!(text, "* Command: `cargo xtask peers`, at commit {}.", self.commit)?;
        let [before, after] = self.load.each_ref().map(|load| load.as_deref().unwrap_or("unknown"));
        writeln!(text, "* Load averages: before {before}, after {after}.")?;
        for engine in self.engines {
            writeln!(text, "* {}: {}.", engine.name(), engine.version())?;
        }
        for missing in self.missing {
            writeln!(text, "* Missing: {} ({}).", missing.name, missing.reason)?;
        }
        for algorithm in ALGORITHMS {
            let rows: Vec<&Row> =
                self.rows.iter().filter(|row| row.algorithm == algorithm.name()).collect();
            let (chains, messages): (Vec<&Row>, Vec<&Row>) =
                rows.iter().partition(|row| row.links.is_some());
            let (uniform, mixed): (Vec<&Row>, Vec<&Row>) =
                messages.iter().partition(|row| row.shortest == row.longest);
            if rows.is_empty() {
                continue;
            }
            writeln!(text, "\n## {} on {core}\n", algorithm.tag())?;
            if let Some(subject) = subject {
                writeln!(
                    text,
                    "![{0} over message length]({subject}-{algorithm}.svg)\n",
                    algorithm.tag()
                )?;
            }
            let tables = uniform.chunk_by(|one, other| one.messages == other.messages);
            for (rows, what) in tables
                .map(|rows| (rows, "of equal length"))
                .chain([(mixed.as_slice(), "of mixed lengths, log-uniform")])
            {
                if let Some(first) = rows.first() {
                    let messages = if first.messages == 1 { "message" } else { "messages" };
                    writeln!(text, "Bytes per cycle, {} {messages} {what}:\n", first.messages)?;
                    self.table(text, rows)?;
                    writeln!(text)?;
                }
            }
            if let Some(links) = chains.first().and_then(|row| row.links) {
                writeln!(text, "Cycles a link, chains of {links} links each:\n")?;
                self.table(text, &chains)?;
                writeln!(text)?;
            }
            let mut errors: BTreeMap<_, Vec<String>> = BTreeMap::new();
            for (row, outcome) in
                rows.iter().flat_map(|row| row.results.iter().map(move |outcome| (row, outcome)))
            {
                if let Some(error) = &outcome.error {
                    let place = match row.links {
                        Some(_) => heading(row),
                        None => format!("{} x {}", row.messages, lengths(row)),
                    };
                    errors.entry((&outcome.engine, error)).or_default().push(place);
                }
            }
            for ((engine, error), places) in errors {
                writeln!(text, "* {engine}, {}: {error}.", places.join(", "))?;
            }
        }
        Ok(())
    }

    fn table(&self, text: &mut String, rows: &[&Row]) -> std::fmt::Result {
        let line = |text: &mut String, first: &str, cells: Vec<String>| {
            writeln!(text, "| {first} | {} |", cells.join(" | "))
        };
        line(text, "engine", rows.iter().map(|row| heading(row)).collect())?;
        line(text, "---", rows.iter().map(|_| "---:".to_owned()).collect())?;
        for engine in self.engines {
            let figures = |row: &Row| throughput(row, engine.name());
            if rows
                .iter()
                .all(|row| !row.results.iter().any(|outcome| outcome.engine == engine.name()))
            {
                continue;
            }
            let ours = engine.name() == "hashlanes";
            let bold = if ours { "**" } else { "" };
            let cell = |row: &&Row| {
                figures(row)
                    .map_or("-".to_owned(), |figure| format!("{bold}{}{bold}", shown(row, figure)))
            };
            line(text, &format!("{bold}{}{bold}", engine.name()), rows.iter().map(cell).collect())?;
        }
        line(
            text,
            "hashlanes / best of the others",
            rows.iter()
                .map(|row| {
                    // The smallest ratio belongs to the fastest of the others.
                    let others = row.results.iter().filter(|outcome| outcome.engine != "hashlanes");
                    let ratios = others.filter_map(|outcome| Some(outcome.hashlanes_ratio?.median));
                    ratios.reduce(f64::min).map_or("-".to_owned(), |ratio| format!("{ratio:.2}"))
                })
                .collect(),
        )?;
        if rows.iter().any(|row| row.bound.is_some()) {
            let bound = |row: &&Row| {
                row.bound.as_ref().map_or("-".to_owned(), |bound| shown(row, bound.bytes_per_cycle))
            };
            line(text, "upper bound", rows.iter().map(bound).collect())?;
            let share = |row: &&Row| {
                let bound = row.bound.as_ref().map(|bound| bound.bytes_per_cycle);
                let share = throughput(row, "hashlanes")
                    .zip(bound)
                    .map(|(ours, bound)| 100.0 * ours / bound);
                share.map_or("-".to_owned(), |share| format!("{share:.0} %"))
            };
            line(text, "hashlanes / upper bound", rows.iter().map(share).collect())?;
        }
        Ok(())
    }

    /// Throughput over message length, with the largest number of messages.
    fn chart(&self, algorithm: &str, tag: &str) -> Option<Chart> {
        let rows = || {
            self.rows.iter().filter(|row| {
                row.algorithm == algorithm && row.shortest == row.longest && row.links.is_none()
            })
        };
        let messages = rows().map(|row| row.messages).max()?;
        let rows: Vec<&Row> = rows().filter(|row| row.messages == messages).collect();
        let lines = self.engines.iter().enumerate().filter_map(|(look, engine)| {
            let ours = engine.name() == "hashlanes";
            let point = |row: &&Row| Some((row.longest as f64, throughput(row, engine.name())?));
            let points: Vec<(f64, f64)> = rows.iter().filter_map(point).collect();
            let limit =
                |row: &&Row| Some((row.longest as f64, row.bound.as_ref()?.bytes_per_cycle));
            let bound = if ours { rows.iter().filter_map(limit).collect() } else { Vec::new() };
            (!points.is_empty()).then(|| Line {
                name: engine.name().to_owned(),
                points,
                bound,
                bold: ours,
                look,
            })
        });
        let core = self.core.core.map(|core| format!(" ({core})")).unwrap_or_default();
        Some(Chart {
            title: format!("{tag}: throughput over message length ({messages} messages at a time)"),
            subtitle: format!("{}{core}, one core, one run, engines in turns", self.core.name),
            horizontal: Horizontal::Length,
            dashed: "upper bound of the line of this colour",
            vertical: "bytes per core cycle".to_owned(),
            lines: lines.collect(),
        })
    }
}

fn per_cycle(outcome: &Outcome) -> Option<f64> {
    let figures = outcome.figures.as_ref()?;
    // Use gigabytes per second where the clock cannot be calibrated. The ratios stay right.
    Some(figures.bytes_per_cycle.unwrap_or(figures.gb_per_s).median)
}

fn throughput(row: &Row, engine: &str) -> Option<f64> {
    row.results.iter().find(|outcome| outcome.engine == engine).and_then(per_cycle)
}

/// The heading of a row's column.
fn heading(row: &Row) -> String {
    match row.links {
        Some(_) if row.messages == 1 => "1 chain".to_owned(),
        Some(_) => format!("{} chains", row.messages),
        None => lengths(row).to_string(),
    }
}

/// A throughput as it is shown: bytes per cycle, or cycles a link of hash chains.
fn shown(row: &Row, per_cycle: f64) -> String {
    match row.links {
        Some(_) => format!("{:.1}", row.longest as f64 / per_cycle),
        None => format!("{per_cycle:.3}"),
    }
}

fn lengths(row: &Row) -> Lengths {
    if row.shortest == row.longest {
        Lengths::Uniform(row.longest)
    } else {
        Lengths::LogUniform(row.shortest, row.longest)
    }
}

/// The load averages of the last 1, 5 and 15 minutes, where the system tells them.
pub(crate) fn load() -> Option<String> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    Some(text.split(' ').take(3).collect::<Vec<_>>().join(" "))
}

/// The commit of this repository that is measured.
pub(crate) fn commit() -> String {
    let output = Command::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=9", "--exclude=*"])
        .output();
    output
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map(|text| text.trim().to_owned())
        .unwrap_or_default()
}
