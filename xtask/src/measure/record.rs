//! `cargo xtask record`: what `hashlanes-lab bench` measured, kept with all that it takes to judge
//! it.
//!
//! The figures, the chart and the page with the table are files of one name beside each other. So
//! nobody copies a figure by hand, and an older measurement stays as it was.

use std::fmt::Write as _;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::command::{all_built, cargo, output, root, run as announce, target};

/// Measure with `hashlanes-lab bench`, and write figures (JSON), a chart (SVG) and a page with a
/// table (Markdown) to FOLDER/CPU/DATE-SUBJECT.
///
/// The files name the commit, the CPU's features and kernels (`hashlanes info`), the clock, and the
/// load of the machine before and after. Measure on an idle machine. A measurement of the same day
/// and subject is replaced.
///
/// `SUBJECT-history` beside them, a page and a chart, has the figures of all dates.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What is measured, for the names of the files
    #[arg(default_value = "bench")]
    subject: String,
    /// The folder with a folder for each CPU [default: docs/record]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Measure nothing, but write the histories of all CPUs again
    #[arg(long, conflicts_with = "options")]
    history: bool,
    /// Options of `hashlanes-lab bench`
    #[arg(last = true)]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let records = args.folder.clone().unwrap_or_else(|| root().join("docs/record"));
    if args.history {
        let entries = fs::read_dir(&records)?.collect::<Result<Vec<_>, _>>()?;
        let folders = entries.iter().map(DirEntry::path).filter(|path| path.is_dir());
        return history(&folders.collect::<Vec<_>>());
    }
    // Before anything is written, which would make the working tree dirty.
    let commit =
        output(Command::new("git").args(["describe", "--always", "--dirty", "--exclude=*"]))?;
    let programs = all_built(|| {
        let mut command = cargo();
        command.args(["build", "--release", "--package", "hashlanes-cli", "--features", "lab"]);
        // What calls the library is compiled as in a program of its users.
        command.args(["--config", "profile.release.package.hashlanes-cli.opt-level=3"]);
        command
    })?;
    let [hashlanes, lab] = programs.as_slice() else { bail!("not two programs: {programs:?}") };
    let printed = |program: &Path, arguments: &[&str]| -> Result<Value> {
        let text = output(Command::new(program).args(arguments).arg("--json"))?;
        serde_json::from_str(&text).with_context(|| format!("{}: no JSON", arguments[0]))
    };
    let chart = target().join("record.svg");
    let mut options = vec!["bench", "--plot"];
    options.push(chart.to_str().context("the target folder is not UTF-8")?);
    options.extend(args.options.iter().map(String::as_str));

    let info = printed(hashlanes, &["info"])?;
    let before = load();
    let mut bench = printed(lab, &options)?;
    let results = bench.as_object_mut().and_then(|bench| bench.remove("results"));
    let results = results.context("bench: no results")?;
    let record = json!({
        "date": humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        "commit": commit.trim(),
        "options": args.options,
        "load": { "before": before, "after": load() },
        "info": info,
        "bench": bench,
    });

    let folder = records.join(cpu(&record));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let name = format!("{}-{}", date(&record), args.subject);
    let path = |ending: &str| folder.join(format!("{name}.{ending}"));
    fs::write(path("json"), data(&record, &results)?)?;
    fs::copy(&chart, path("svg"))?;
    fs::write(path("md"), page(&record, &results, &name, &args.subject))?;
    println!("{}", path("md").display());
    history(&[folder])
}

/// Draws the history of each subject in the folders.
fn history(folders: &[PathBuf]) -> Result<()> {
    let example = ["run", "--quiet", "--release", "--package", "hashlanes-measure", "--example"];
    announce(cargo().args(example).args(["history", "--"]).args(folders))
}

/// The load averages of the last 1, 5 and 15 minutes, where the system tells them.
fn load() -> Option<String> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    Some(text.split(' ').take(3).collect::<Vec<_>>().join(" "))
}

/// The name of the CPU's folder: the kind of its cores, or else its name.
fn cpu(record: &Value) -> String {
    let cpu = &record["bench"]["cpu"];
    let name = cpu["core"].as_str().or(cpu["name"].as_str()).unwrap_or_default().to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

fn date(record: &Value) -> &str {
    record["date"].as_str().and_then(|date| date.get(..10)).unwrap_or_default()
}

/// The record as JSON, with a line for each result.
fn data(record: &Value, results: &Value) -> Result<String> {
    let mut text = serde_json::to_string(record)?;
    text.pop();
    let lines = list(results).iter().map(Value::to_string);
    write!(text, ",\"results\":[\n{}\n]}}\n", lines.collect::<Vec<_>>().join(",\n"))?;
    Ok(text)
}

fn page(record: &Value, results: &Value, name: &str, subject: &str) -> String {
    let results = list(results);
    let bench = &record["bench"];
    let present =
        list(&record["info"]["features"]).iter().filter(|feature| feature["present"] == true);
    let features: Vec<_> = present.filter_map(|feature| feature["name"].as_str()).collect();
    let options = list(&record["options"]).iter().map(|word| format!(" {}", text(word)));
    let options: String = options.collect();
    let clocks = || results.iter().filter_map(|result| result["ghz"]["median"].as_f64());
    let clock = match (clocks().reduce(f64::min), clocks().reduce(f64::max)) {
        (Some(low), Some(high)) => format!("{low:.2} to {high:.2} GHz"),
        _ => "clock unknown".to_owned(),
    };
    let rows: String = results.iter().map(row).collect();
    format!(
        "\
# {subject}: {}, {}

* Machine: features {}; {clock}; threads: {}, pinned to CPU {}.
* Command: `cargo xtask record {subject} --{options}`, at commit {}.
* Load averages: before {}, after {}.

![Throughput]({name}.svg)

| algorithm | kernel | messages | length | GB/s | B/cycle | range | of the bound | \
times as fast as |
|---|---|---:|---:|---:|---:|---:|---:|---|
{rows}",
        text(&bench["cpu"]["name"]),
        date(record),
        features.join(", "),
        bench["threads"],
        bench["pinned_to"],
        text(&record["commit"]),
        text(&record["load"]["before"]),
        text(&record["load"]["after"]),
    )
}

fn row(result: &Value) -> String {
    let number = |value: &Value| value.as_f64().map_or("-".to_owned(), |n| format!("{n:.3}"));
    let length = match (&result["shortest"], &result["longest"]) {
        (shortest, longest) if shortest == longest => format!("{longest} B"),
        (shortest, longest) => format!("{shortest} to {longest} B"),
    };
    let cycles = &result["bytes_per_cycle"];
    let share = result["share_of_bound"].as_f64();
    let versus = list(&result["versus"])
        .iter()
        .map(|other| format!("{}: {}", text(&other["name"]), number(&other["ratio"]["median"])));
    format!(
        "| {} | {} | {} | {length} | {} | {} | {} to {} | {} | {} |\n",
        text(&result["algorithm"]),
        text(&result["kernel"]),
        result["messages"],
        number(&result["gb_per_s"]["median"]),
        number(&cycles["median"]),
        number(&cycles["low"]),
        number(&cycles["high"]),
        share.map_or("-".to_owned(), |share| format!("{:.0} %", 100.0 * share)),
        versus.collect::<Vec<_>>().join(", "),
    )
}

/// A string as it is, anything else as JSON.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A measurement of one case, on a core that is not known.
    fn measured() -> (Value, Value) {
        let record = json!({
            "date": "2030-01-02T03:04:05Z",
            "commit": "abc",
            "options": ["--size", "64"],
            "load": { "before": "0.10 0.20 0.30", "after": null },
            "info": { "features": [
                { "name": "avx2", "present": true }, { "name": "sha512", "present": false },
            ] },
            "bench": { "cpu": { "name": "Some CPU @ 2.0GHz", "core": null }, "threads": 1,
                       "pinned_to": [1] },
        });
        let results = json!([{
            "algorithm": "md5", "kernel": "avx2-x2", "messages": 64, "shortest": 64, "longest": 64,
            "gb_per_s": { "median": 4.0 },
            "bytes_per_cycle": { "median": 1.25, "low": 1.0, "high": 1.5 },
            "ghz": { "median": 3.2 },
            "share_of_bound": 0.48,
            "versus": [{ "name": "alone", "ratio": { "median": 10.5 } }],
        }]);
        (record, results)
    }

    #[test]
    fn the_page_has_conditions_and_figures() {
        let (record, results) = measured();
        let page = page(&record, &results, "2030-01-02-nodes", "nodes");
        for part in [
            "# nodes: Some CPU @ 2.0GHz, 2030-01-02\n",
            "features avx2; 3.20 to 3.20 GHz; threads: 1, pinned to CPU [1]",
            "`cargo xtask record nodes -- --size 64`, at commit abc",
            "before 0.10 0.20 0.30, after null",
            "](2030-01-02-nodes.svg)",
            "| md5 | avx2-x2 | 64 | 64 B | 4.000 | 1.250 | 1.000 to 1.500 | 48 % | alone: 10.500 |",
        ] {
            assert!(page.contains(part), "{part} is missing in\n{page}");
        }
    }

    #[test]
    fn the_data_is_json_with_a_line_for_each_result() {
        let (record, results) = measured();
        let text = data(&record, &results).unwrap();
        assert_eq!(text.lines().count(), 3);
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["results"], results);
        assert_eq!(document["commit"], "abc");
    }

    #[test]
    fn a_cpu_that_is_not_known_has_a_folder_by_its_name() {
        let (record, _) = measured();
        assert_eq!(cpu(&record), "some-cpu-2-0ghz");
    }
}
