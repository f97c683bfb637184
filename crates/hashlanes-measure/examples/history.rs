//! How what `cargo xtask record` and `cargo xtask peers` measured has changed: a page and a chart
//! for each subject of each folder that is named.
//!
//! ```console
//! $ cargo run --release -p hashlanes-measure --example history -- docs/record/zen3
//! ```
//!
//! `cargo xtask record --history` runs it for all folders of the record.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use hashlanes_measure::chart::courses;
use serde_json::Value;

/// A measurement: when, of which commit, and the bytes per cycle of each case.
struct Point {
    date: String,
    commit: String,
    cases: BTreeMap<String, f64>,
}

fn main() -> Result<()> {
    env::args_os().skip(1).try_for_each(|folder| draw(Path::new(&folder)))
}

/// Draws the history of each subject that the folder of a CPU has records of.
fn draw(folder: &Path) -> Result<()> {
    let mut subjects: BTreeMap<String, Vec<Point>> = BTreeMap::new();
    let mut names: Vec<_> = fs::read_dir(folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    // By date.
    names.sort();
    for name in names {
        let Some((date, subject)) = parts(&name) else { continue };
        let file = folder.join(&name);
        let text = fs::read_to_string(&file)?;
        let record = serde_json::from_str(&text).with_context(|| format!("{}", file.display()))?;
        subjects.entry(subject.to_owned()).or_default().push(point(date, &record));
    }
    for (subject, points) in subjects {
        let path = |ending: &str| folder.join(format!("{subject}-history.{ending}"));
        fs::write(path("svg"), chart(&subject, &points)?)?;
        fs::write(path("md"), page(&subject, &points))?;
        println!("{}", path("md").display());
    }
    Ok(())
}

/// Date and subject of a record's data: the name is `2030-01-02-SUBJECT.json`.
fn parts(name: &str) -> Option<(&str, &str)> {
    let (date, rest) = name.split_at_checked(10)?;
    let is_date = date.split('-').all(|number| number.parse::<u32>().is_ok());
    Some((is_date.then_some(date)?, rest.strip_prefix('-')?.strip_suffix(".json")?))
}

fn point(date: &str, record: &Value) -> Point {
    let mut cases: BTreeMap<String, f64> = BTreeMap::new();
    // Beside other programs, a case has a row with a result of each.
    let results = ["results", "rows"].into_iter().flat_map(|key| record[key].as_array());
    for result in results.flatten() {
        let mut engines = result["results"].as_array().into_iter().flatten();
        let ours = engines.find(|one| one["engine"] == "hashlanes");
        let figures = ours.map_or(result, |ours| &ours["figures"]);
        // Without a known clock there are no cycles.
        let Some(speed) = figures["bytes_per_cycle"]["median"].as_f64() else { continue };
        let (shortest, longest) = (&result["shortest"], &result["longest"]);
        let length = match shortest == longest {
            true => format!("{longest} B"),
            false => format!("{shortest} to {longest} B"),
        };
        let algorithm = result["algorithm"].as_str().unwrap_or_default();
        let case = format!("{algorithm}, {} of {length}", result["messages"]);
        // A case that was measured with several kernels has the fastest.
        let best = cases.entry(case).or_insert(speed);
        *best = best.max(speed);
    }
    let commit = record["commit"].as_str().unwrap_or_default().to_owned();
    Point { date: date.to_owned(), commit, cases }
}

/// All cases, in the order of their names, with their figures by date.
fn cases(points: &[Point]) -> BTreeMap<&str, Vec<Option<f64>>> {
    let names = points.iter().flat_map(|point| point.cases.keys());
    names
        .map(|name| (&**name, points.iter().map(|p| p.cases.get(name).copied()).collect()))
        .collect()
}

fn page(subject: &str, points: &[Point]) -> String {
    let heads: String =
        points.iter().map(|point| format!(" {}, {} |", point.date, point.commit)).collect();
    let mut page = format!(
        "# {subject}: history\n\nBytes per cycle, in the fastest kernel that was measured. Ratios \
         are those of the last figure to the one before. `cargo xtask record --history` writes \
         this.\n\n\
         ![Bytes per cycle]({subject}-history.svg)\n\n| case |{heads} ratio |\n|---|{}---:|\n",
        "---:|".repeat(points.len())
    );
    for (name, figures) in cases(points) {
        let cell = |figure: &Option<f64>| figure.map_or("-".to_owned(), |f| format!("{f:.3}"));
        let cells: Vec<_> = figures.iter().map(cell).collect();
        let there: Vec<_> = figures.iter().flatten().collect();
        let ratio = match there[..] {
            [.., before, last] => format!("{:.2}", last / before),
            _ => "-".to_owned(),
        };
        let _ = writeln!(page, "| {name} | {} | {ratio} |", cells.join(" | "));
    }
    page
}

fn chart(subject: &str, points: &[Point]) -> Result<String> {
    let dates: Vec<_> = points.iter().map(|point| &*point.date).collect();
    let rows: Vec<_> = cases(points).into_iter().collect();
    courses(&format!("{subject}: bytes per cycle"), &dates, &rows)
        .map_err(|error| anyhow!("{subject}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn measured(commit: &str, figures: &[(&str, f64)]) -> Value {
        let results = figures.iter().map(|(algorithm, figure)| {
            json!({ "algorithm": algorithm, "messages": 64, "shortest": 1, "longest": 64,
                    "bytes_per_cycle": { "median": figure } })
        });
        json!({ "commit": commit, "results": results.collect::<Vec<_>>() })
    }

    #[test]
    fn only_records_with_a_date_have_a_history() {
        assert_eq!(parts("2030-01-02-nodes.json"), Some(("2030-01-02", "nodes")));
        assert_eq!(parts("2030-01-02-a-b.json"), Some(("2030-01-02", "a-b")));
        for other in ["peers.json", "2030-01-02-nodes.svg", "server-bound.json", "nodes"] {
            assert_eq!(parts(other), None, "{other}");
        }
    }

    #[test]
    fn figures_of_one_case_stand_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str, record: Value| fs::write(path(name), record.to_string());
        let first = measured("abc", &[("md5", 1.0), ("md5", 2.0)]);
        let second = measured("def", &[("md5", 3.0), ("sm3", 0.5)]);
        write("2030-02-03-nodes.json", second).unwrap();
        write("2030-01-02-nodes.json", first).unwrap();
        draw(folder.path()).unwrap();
        let page = fs::read_to_string(path("nodes-history.md")).unwrap();
        for line in [
            "| case | 2030-01-02, abc | 2030-02-03, def | ratio |",
            "| md5, 64 of 1 to 64 B | 2.000 | 3.000 | 1.50 |",
            "| sm3, 64 of 1 to 64 B | - | 0.500 | - |",
        ] {
            assert!(page.contains(line), "{line} is missing in\n{page}");
        }
        let chart = fs::read_to_string(path("nodes-history.svg")).unwrap();
        assert_eq!(chart.matches("<circle").count(), 3, "{chart}");
        assert!(chart.contains("2030-01-02 to 2030-02-03"), "{chart}");
    }

    #[test]
    fn beside_other_programs_our_figure_counts() {
        let engines = json!([
            { "engine": "other", "figures": { "bytes_per_cycle": { "median": 9.0 } } },
            { "engine": "hashlanes", "figures": { "bytes_per_cycle": { "median": 2.0 } } },
        ]);
        let row = json!({ "algorithm": "md5", "messages": 8, "shortest": 64, "longest": 64,
                          "results": engines });
        let point = point("2030-01-02", &json!({ "commit": "abc", "rows": [row] }));
        assert_eq!(point.cases, BTreeMap::from([("md5, 8 of 64 B".to_owned(), 2.0)]));
    }
}
