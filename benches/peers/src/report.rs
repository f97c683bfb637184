//! Shows the result as a page, and writes it to the machine's record as a table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use hashlanes_measure::cpu::{Core, Cpu};
use hashlanes_measure::messages::Lengths;

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

impl Report<'_> {
    /// Writes the table of this subject, replacing an earlier one. Comments at its head are the
    /// conditions, as on the page.
    pub(crate) fn write(&self, record: &Path, machine: Option<&str>, subject: &str) -> Result<()> {
        let of_core = || self.core.core.map_or("other", Core::name);
        let folder = record.join(machine.unwrap_or_else(of_core));
        fs::create_dir_all(&folder)?;
        let mut text = String::new();
        let _ = self.conditions(&mut text);
        text = text.lines().filter(|line| !line.is_empty()).map(comment).collect();
        text += "function\tmessages\tlength\tengine\tB/cycle\thashlanes / this\n";
        for row in self.rows {
            let (messages, length) = match row.links {
                Some(links) => (heading(row), format!("{links} links")),
                None => (row.messages.to_string(), lengths(row).to_string()),
            };
            for outcome in &row.results {
                let number = |value: Option<f64>| value.map_or("-".into(), |n| format!("{n:.3}"));
                let ratio = outcome.hashlanes_ratio.map(|ratio| ratio.median);
                let figures = [number(per_cycle(outcome)), number(ratio)].join("\t");
                let engine = &outcome.engine;
                text += &format!("{}\t{messages}\t{length}\t{engine}\t{figures}\n", row.algorithm);
            }
        }
        fs::write(folder.join(format!("{subject}.tsv")), text)?;
        Ok(())
    }

    /// The page: the machine, the engines, and the tables of each algorithm.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.conditions(&mut text).and_then(|()| self.page(&mut text));
        text
    }

    fn conditions(&self, text: &mut String) -> std::fmt::Result {
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
        writeln!(
            text,
            "* Command: `cargo xtask peers`, at commit {}, seed {}.",
            self.commit, self.seed
        )?;
        let [before, after] = self.load.each_ref().map(|load| load.as_deref().unwrap_or("unknown"));
        writeln!(text, "* Load averages: before {before}, after {after}.")?;
        for engine in self.engines {
            writeln!(text, "* {}: {}.", engine.name(), engine.version())?;
        }
        for missing in self.missing {
            writeln!(text, "* Missing: {} ({}).", missing.name, missing.reason)?;
        }
        Ok(())
    }

    fn page(&self, text: &mut String) -> std::fmt::Result {
        let core =
            self.core.core.map_or_else(|| "another core".to_owned(), |core| core.to_string());
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
}

/// A line of the page as a comment in a table.
fn comment(line: &str) -> String {
    format!("# {}\n", line.trim_start_matches(['#', '*', ' ']))
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
