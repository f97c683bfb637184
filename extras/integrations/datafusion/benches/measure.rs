//! Measures our functions beside the engine's own: `cargo xtask engines --measure`.
//!
//! The statements of a line run in turns, in memory. Times are medians, ratios medians of the
//! rounds'.

use std::env;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use datafusion::DATAFUSION_VERSION;
use datafusion::arrow::array::{RecordBatch, StringViewBuilder};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_spark::SessionStateBuilderSpark;
use futures::StreamExt;
use tokio::runtime::{Builder, Runtime};

/// DataFusion's default.
const BATCH: usize = 8192;
const ROUNDS: usize = 3;
/// A column has fewer rows than asked for if it would be larger than this.
const BYTES: usize = 1 << 30;

/// Columns, by the lengths of their values.
const COLUMNS: [(&str, [usize; 2]); 4] =
    [("16", [16, 16]), ("64", [64, 64]), ("256", [256, 256]), ("8..512", [8, 512])];

const CALLS: [(&str, &str); 6] = [
    ("md5(x)", "text"),
    ("digest(x, 'md5')", "bytes"),
    ("sha256(x)", "bytes"),
    ("sha2(x, 256)", "text"),
    ("sha1(x)", "text"),
    ("digest(x, 'blake3')", "bytes"),
];

/// Queries, with the call in them, and how often it is called for a row of the table.
const QUERIES: [(&str, &str, f64); 2] = [
    ("SELECT count(DISTINCT md5(x)) FROM t", "md5(x)", 1.0),
    ("SELECT count(*) FROM t AS a JOIN t AS b ON sha256(a.x) = sha256(b.x)", "sha256(x)", 2.0),
];

fn main() -> Result<()> {
    // Cargo adds an option.
    let mut args = env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    let rows = args.next().and_then(|rows| rows.parse().ok()).unwrap_or(1_000_000);
    let parts: Vec<_> = args.collect();
    let chosen = |part: &str| parts.is_empty() || parts.iter().any(|chosen| chosen == part);
    println!("DataFusion {DATAFUSION_VERSION}; the median of {ROUNDS} rounds, with its ratio.");
    let columns: Vec<_> = COLUMNS.iter().filter(|(name, _)| chosen(name)).collect();
    if !columns.is_empty() {
        println!(
            "\n| bytes | rows | threads | call | digests | own, ns a row | ours | own / ours |"
        );
        println!("|---|---:|---:|---|---|---:|---:|---:|");
    }
    for (name, lengths) in columns {
        functions(name, &column(rows, *lengths))?;
    }
    if chosen("mixed") {
        mixed_lengths(rows)?;
    }
    if chosen("queries") {
        queries(rows)?;
    }
    Ok(())
}

fn functions(name: &str, column: &[RecordBatch]) -> Result<()> {
    for threads in [1, 2] {
        let engines = [false, true].map(|ours| Engine::new(column, threads, ours));
        for (call, kind) in CALLS {
            // More threads return rows in any order.
            if threads == 1 {
                compare(&engines, call)?;
            }
            let statement = format!("SELECT {call} FROM t");
            let times = in_turns([0, 1].map(|i| (&engines[i], statement.as_str())))?;
            let rows = count(column);
            let [own, ours] = [0, 1].map(|i| 1e9 * median(&times[i]) / rows as f64);
            let ratio = ratio(&times[0], &times[1]);
            println!(
                "| {name} | {rows} | {threads} | `{call}` | {kind} | {own:.1} | {ours:.1} | \
                 {ratio:.2} |"
            );
        }
    }
    Ok(())
}

/// A column of mixed lengths beside one of equal lengths that has as many bytes and blocks.
fn mixed_lengths(rows: usize) -> Result<()> {
    println!("\n| call | mixed lengths, ns a byte | equal lengths | mixed / equal |");
    println!("|---|---:|---:|---:|");
    let mixed = column(rows, [8, 512]);
    let lengths = mixed.iter().flat_map(lengths_of);
    let (bytes, blocks) = lengths
        .fold((0, 0), |(bytes, blocks), length| (bytes + length, blocks + (length + 8) / 64 + 1));
    // Five blocks have 248 to 311 bytes.
    let length = bytes / (blocks / 5);
    assert!((248..312).contains(&length), "{length}");
    let equal = column(blocks / 5, [length, length]);
    let engines = [mixed, equal].map(|column| Engine::new(&column, 1, true));
    for call in ["md5(x)", "digest(x, 'md5')", "sha256(x)"] {
        let statement = format!("SELECT {call} FROM t");
        let times = in_turns([0, 1].map(|i| (&engines[i], statement.as_str())))?;
        let [mixed, equal] = [0, 1].map(|i| 1e9 * median(&times[i]) / bytes as f64);
        let ratio = ratio(&times[0], &times[1]);
        println!("| `{call}` | {mixed:.3} | {equal:.3} | {ratio:.2} |");
    }
    Ok(())
}

/// Queries that hash, with the share of their time that the calls take by themselves.
fn queries(rows: usize) -> Result<()> {
    println!(
        "\n| query, 64 bytes | rows | threads | own, s | ours, s | own / ours | hashing in own | \
         hashing in ours |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let column = column(rows, [64, 64]);
    for threads in [1, 2] {
        let [own, ours] = [false, true].map(|ours| Engine::new(&column, threads, ours));
        for (query, call, calls) in QUERIES {
            let hashing = format!("SELECT {call} FROM t");
            let times =
                in_turns([(&own, query), (&ours, query), (&own, &hashing), (&ours, &hashing)])?;
            let [own, ours] = [0, 1].map(|i| median(&times[i]));
            let shares = [0, 1].map(|i| calls * ratio(&times[i + 2], &times[i]));
            println!(
                "| `{query}` | {} | {threads} | {own:.2} | {ours:.2} | {:.2} | {:.2} | {:.2} |",
                count(&column),
                ratio(&times[0], &times[1]),
                shares[0],
                shares[1]
            );
        }
    }
    Ok(())
}

/// The engine with its own functions, or with ours, and a table `t`.
struct Engine {
    context: SessionContext,
    runtime: Runtime,
}

impl Engine {
    fn new(column: &[RecordBatch], threads: usize, ours: bool) -> Self {
        let config = SessionConfig::new().with_target_partitions(threads).with_batch_size(BATCH);
        let builder = SessionStateBuilder::new().with_config(config).with_default_features();
        let mut context = SessionContext::new_with_state(builder.with_spark_features().build());
        if ours {
            datafusion_hashlanes::register_all(&mut context).unwrap();
            datafusion_hashlanes::spark::register_all(&mut context).unwrap();
        }
        let parts = column.chunks(column.len().div_ceil(threads)).map(<[_]>::to_vec).collect();
        let table = MemTable::try_new(schema(), parts).unwrap();
        context.register_table("t", Arc::new(table)).unwrap();
        Self {
            context,
            runtime: Builder::new_multi_thread().worker_threads(threads).build().unwrap(),
        }
    }

    /// The seconds until the last batch.
    fn seconds(&self, statement: &str) -> Result<f64> {
        let plan = self.runtime.block_on(self.context.sql(statement))?;
        let began = Instant::now();
        self.runtime.block_on(async {
            let mut batches = plan.execute_stream().await?;
            while let Some(batch) = batches.next().await {
                black_box(batch?);
            }
            Ok(began.elapsed().as_secs_f64())
        })
    }
}

/// The times of each statement.
fn in_turns<const N: usize>(runs: [(&Engine, &str); N]) -> Result<[Vec<f64>; N]> {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for (times, (engine, statement)) in times.iter_mut().zip(runs) {
            times.push(engine.seconds(statement)?);
        }
    }
    Ok(times)
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn ratio(times: &[f64], others: &[f64]) -> f64 {
    median(&times.iter().zip(others).map(|(time, other)| time / other).collect::<Vec<_>>())
}

/// Fails unless both engines have the same digests.
fn compare(engines: &[Engine; 2], call: &str) -> Result<()> {
    let [theirs, ours] = engines.each_ref().map(|engine| {
        let statement = format!("SELECT {call} AS d FROM t LIMIT 100000");
        engine.runtime.block_on(async { engine.context.sql(&statement).await?.collect().await })
    });
    assert_eq!(ours?, theirs?, "{call}");
    Ok(())
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("x", DataType::Utf8View, true)]))
}

/// Random text of lengths between these, at most `rows` values.
fn column(rows: usize, [shortest, longest]: [usize; 2]) -> Vec<RecordBatch> {
    let rows = rows.min(2 * BYTES / (shortest + longest));
    let mut random = fastrand::Rng::with_seed(1);
    let mut text = String::new();
    let batch = |start: usize| {
        let mut values = StringViewBuilder::new();
        for _ in start..rows.min(start + BATCH) {
            text.clear();
            let length = random.usize(shortest..=longest);
            text.extend((0..length).map(|_| random.alphanumeric()));
            values.append_value(&text);
        }
        RecordBatch::try_new(schema(), vec![Arc::new(values.finish())]).unwrap()
    };
    (0..rows).step_by(BATCH).map(batch).collect()
}

fn count(column: &[RecordBatch]) -> usize {
    column.iter().map(RecordBatch::num_rows).sum()
}

fn lengths_of(batch: &RecordBatch) -> impl Iterator<Item = usize> {
    use datafusion::arrow::array::AsArray;
    batch.column(0).as_string_view().lengths().map(|length| length as usize)
}
