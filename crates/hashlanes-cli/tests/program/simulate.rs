//! Runs `hashlanes-lab simulate` as its users do.

use crate::common::{lab, lossy, run};
use serde_json::Value;

fn simulate(arguments: &[&str]) -> std::process::Output {
    run(lab().arg("simulate").args(arguments))
}

fn json(arguments: &[&str]) -> Value {
    let output = simulate(&[&["--json"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

#[test]
fn one_fact_a_line() {
    let output = simulate(&[
        "--producers",
        "3",
        "--total-size",
        "2500kB",
        "--chunk-size",
        "1MB",
        "--verify",
    ]);
    let text = lossy(&output.stdout);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", lossy(&output.stderr));
    for line in [
        concat!("hashlanes-lab simulate ", env!("CARGO_PKG_VERSION")),
        "Data chunks to hash:       3",
        "Chunk size:                1.00 MB (976.56 KiB)",
        "Total size:                2.50 MB (2.38 MiB)",
        "Producer threads:          3",
        "Producer target speed:     104.86 MB/s (100.00 MiB/s)",
        "Hash:                      md5",
        "Verified:                  3 digests, all as RustCrypto's",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
    }
    for fact in [
        "Elapsed time:",
        "Consumer thread usage:",
        "Hash speed:",
        "Lanes filled on average:",
        "Kernel:",
        "Bytes per cycle:",
    ] {
        assert!(text.contains(fact), "{fact} is missing in\n{text}");
    }
}

#[test]
fn every_hash_is_verified_to_the_byte_in_both_modes() {
    let sweep = "hash=md5,sha1,sha224,sha256,sha384,sha512,sha512-256";
    for (mode, messages) in [(&[][..], 39), (&["--stream"], 5)] {
        let shape = [
            "--producers",
            "5",
            "--speed",
            "unlimited",
            "--chunk-size",
            "10kB",
            "--total-size",
            "380001",
        ];
        let document = json(
            &[&shape, mode, &["--verify", "--compare", "--consumers", "2", "--sweep", sweep]]
                .concat(),
        );
        let results = document["results"].as_array().unwrap();
        assert_eq!(results.len(), 7);
        for result in results {
            assert_eq!(result["chunks"], 39);
            for way in ["lanes", "alone"] {
                let measured = &result[way];
                assert_eq!(measured["verified"], messages, "{result}");
                let bytes: u64 = measured["kernels"]
                    .as_object()
                    .unwrap()
                    .values()
                    .filter_map(Value::as_u64)
                    .sum();
                assert_eq!(bytes, 380_001, "{result}");
                for figure in [
                    "elapsed",
                    "data_rate",
                    "consumer_usage",
                    "hash_speed",
                    "core_speed",
                    "lanes_filled",
                ] {
                    assert!(
                        measured[figure].as_f64().is_some_and(|value| value > 0.0),
                        "{figure}: {result}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_target_speed_is_not_exceeded() {
    let document = json(&[
        "--producers",
        "2",
        "--speed",
        "10MB",
        "--chunk-size",
        "100kB",
        "--total-size",
        "4MB",
    ]);
    let result = &document["results"][0];
    // Each producer has 20 chunks of 10 ms, and may catch up some of that time.
    assert!(result["lanes"]["elapsed"].as_f64().unwrap() > 0.185, "{result}");
    assert!(result["alone"].is_null() && result["lanes"]["verified"].is_null());
}

#[test]
fn a_sweep_is_a_table_and_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sweep.svg");
    let output = simulate(&[
        "--total-size",
        "2MB",
        "--chunk-size",
        "64KiB",
        "--compare",
        "--plot",
        path.to_str().unwrap(),
        "--sweep",
        "producers=1,2,4",
        "speed=1GB,unlimited",
    ]);
    assert!(output.status.success(), "{}", lossy(&output.stderr));
    let text = lossy(&output.stdout);
    assert_eq!(text.lines().count(), 1 + 6, "{text}");
    assert!(
        text.contains("usage") && text.contains("gain") && text.contains("unlimited"),
        "{text}"
    );
    let svg = std::fs::read_to_string(&path).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> =
        document.descendants().filter_map(|node| node.text()).map(str::trim).collect();
    for label in
        ["producers", "consumer thread usage, %", "md5, unlimited", "md5, 1 GB/s each, one by one"]
    {
        assert!(texts.contains(&label), "{label} is missing among {texts:?}");
    }
}

#[test]
fn cpus_can_be_named() {
    let document = json(&["--pin", "0", "--total-size", "100kB", "--verify"]);
    assert_eq!(document["results"][0]["pinned_to"], serde_json::json!([0]));
}

#[test]
fn wrong_usage_is_refused_with_the_valid_values() {
    for (arguments, reason) in [
        (&["--producers", "0"][..], "1..=4096"),
        (&["--consumers", "0"], "1..=4096"),
        (&["--buffers", "0"], "1..=1024"),
        (&["--chunk-size", "0"], "at least 1 byte"),
        (&["--total-size", "0"], "at least 1 byte"),
        (&["--total-size", "much"], "a size is a number of bytes"),
        (&["--speed", "0"], "or `unlimited`"),
        (&["--hash", "crc32"], "expected one of md5"),
        (&["--pin", "x"], "numbers and ranges"),
        (&["--pin", "9999"], "may run on CPUs"),
        (&["--pin", "0", "--consumers", "2"], "each of which needs its own"),
        (&["--chunk-size", "100TiB", "--total-size", "100TiB"], "take a smaller --chunk-size"),
        (
            &["--chunk-size", "16", "--total-size", "1000TB", "--verify"],
            "with the digests to verify",
        ),
        (&["--sweep", "producers=0"], "1..=4096"),
        (&["--sweep", "colour=red"], "producers, speed, chunk-size and hash"),
        (&["--sweep", "speed=1MB", "speed=2MB"], "listed twice"),
        (&["--plot", "x.svg"], "--sweep"),
    ] {
        let output = simulate(arguments);
        let error = lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(reason), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}
