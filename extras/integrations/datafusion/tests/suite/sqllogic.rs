//! The statements about hash functions in DataFusion's own tests, which it publishes as a package.

use std::error::Error;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use datafusion::DATAFUSION_VERSION;
use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::DataFusionError;
use sqllogictest::{DB, DBOutput, DefaultColumnType, Record, Runner};

use crate::engine::Engine;

/// The files, with the fewest statements in each that call a hash function.
const FILES: [(&str, usize); 8] = [
    ("expr.slt", 60),
    ("functions.slt", 2),
    ("encoding.slt", 1),
    ("array/array_has.slt", 8),
    ("string/string_view.slt", 10),
    ("spark/hash/sha.slt", 8),
    ("spark/hash/sha1.slt", 11),
    ("spark/hash/sha2.slt", 18),
];

const CALLS: [&str; 9] =
    ["md5(", "sha224(", "sha256(", "sha384(", "sha512(", "digest(", "sha(", "sha1(", "sha2("];

/// Names of algorithms in a column, which DataFusion refuses. If all are the same, as in this one
/// row, these functions compute the digests: other engines pass a constant as such a column.
const ANSWERED: &str = "SELECT digest(column1, column2) FROM (VALUES ('tom', 'md5'))";

struct Tested(Engine);

/// An error as DataFusion's runner of these tests shows it.
#[derive(Debug)]
struct Failure(DataFusionError);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DataFusion error: {}", self.0)
    }
}

impl Error for Failure {}

impl DB for Tested {
    type Error = Failure;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, statement: &str) -> Result<DBOutput<DefaultColumnType>, Failure> {
        let batch = self.0.sql(statement).map_err(Failure)?;
        if batch.num_columns() == 0 {
            return Ok(DBOutput::StatementComplete(0));
        }
        let rows = (0..batch.num_rows()).flat_map(|row| lines(&batch, row)).collect();
        Ok(DBOutput::Rows { types: vec![DefaultColumnType::Any; batch.num_columns()], rows })
    }
}

/// A row as DataFusion's tests write it. A plan, which has several lines, becomes several rows with
/// numbers, and hyphens for the indentation.
fn lines(batch: &RecordBatch, row: usize) -> Vec<Vec<String>> {
    let mut cells: Vec<_> = batch.columns().iter().map(|column| cell(column, row)).collect();
    let Some(plan) = cells.pop_if(|cell| cell.contains('\n')) else { return vec![cells] };
    let line = |(line, number): (&str, usize)| {
        let text = line.trim_start();
        vec![format!("{number:02}){}{text}", "-".repeat(line.len() - text.len()))]
    };
    [cells].into_iter().chain(plan.trim_end().lines().zip(1..).map(line)).collect()
}

fn cell(column: &dyn Array, row: usize) -> String {
    let options = FormatOptions::default().with_null("NULL");
    let text = ArrayFormatter::try_new(column, &options).unwrap().value(row).to_string();
    if text.is_empty() { "(empty)".to_owned() } else { text }
}

/// The folder of the tests, which cargo downloads.
fn folder() -> PathBuf {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sqllogictest");
    fs::create_dir_all(package.join("src")).unwrap();
    fs::write(package.join("src/lib.rs"), "").unwrap();
    let manifest = format!(
        "[package]\nname = \"tests\"\n[workspace]\n\
         [dependencies]\ndatafusion-sqllogictest = \"={DATAFUSION_VERSION}\"\n"
    );
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--quiet", "--format-version", "1"]).current_dir(&package);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|p| p["name"] == "datafusion-sqllogictest").unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("test_files")
}

/// Other statements may need what this engine is compiled without.
#[test]
fn the_engines_own_tests_pass() {
    let folder = folder();
    for (file, fewest) in FILES {
        let engine = || match file.starts_with("spark/") {
            true => Engine::plain_spark().replaced(),
            false => Engine::plain().replaced(),
        };
        let mut runner = Runner::new(|| async { Ok(Tested(engine())) });
        let mut calls = 0;
        for record in sqllogictest::parse_file(folder.join(file)).unwrap() {
            let is_ours = match &record {
                Record::Statement { sql, .. } | Record::Query { sql, .. } => {
                    let is_answered = sql.starts_with(ANSWERED);
                    !is_answered && CALLS.iter().any(|call| sql.contains(call))
                }
                _ => false,
            };
            let outcome = runner.run(record);
            if is_ours {
                outcome.unwrap_or_else(|error| panic!("{file}: {error}"));
                calls += 1;
            }
        }
        assert!(calls >= fewest, "{file}: {calls} statements");
    }
}
