//! Checks the documented JSON of `hashlanes info`, and the text.

use crate::common::*;
use hashlanes_entropy::Source;

#[test]
fn json_has_the_documented_fields() {
    let info: serde_json::Value =
        serde_json::from_slice(&ok(hashlanes().args(["info", "--json"]))).unwrap();
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert!(
        info["features"]
            .as_array()
            .unwrap()
            .iter()
            .all(|f| f["name"].is_string() && f["present"].is_boolean())
    );
    let present = |name: &str| {
        info["features"]
            .as_array()
            .unwrap()
            .iter()
            .any(|f| f["name"] == name && f["present"] == true)
    };
    let algorithms = info["algorithms"].as_array().unwrap();
    let names: Vec<_> =
        algorithms.iter().map(|algorithm| algorithm["name"].as_str().unwrap()).collect();
    let all: Vec<_> = hashlanes::Algorithm::ALL.iter().map(|algorithm| algorithm.name()).collect();
    assert_eq!(names, all);
    for algorithm in algorithms {
        let kernels = algorithm["kernels"].as_array().unwrap();
        for kernel in kernels {
            let missing = kernel["missing"].as_array().unwrap();
            assert_eq!(kernel["available"].as_bool().unwrap(), missing.is_empty());
            assert!(missing.iter().all(|feature| !present(feature.as_str().unwrap())));
            assert!(kernel["lanes"].as_u64().unwrap() >= 1);
        }
        let chosen = algorithm["chosen"].as_array().unwrap();
        let messages: Vec<_> = chosen.iter().map(|choice| choice["messages"].as_u64()).collect();
        assert_eq!(messages, [Some(1), Some(2), Some(4), Some(8), Some(16), Some(32), None]);
        for choice in chosen {
            let kernel = kernels.iter().find(|kernel| kernel["name"] == choice["kernel"]);
            assert_eq!(kernel.unwrap()["available"], true);
        }
    }
}

#[test]
fn sources_of_random_bytes_are_listed_with_their_tests() {
    let info: serde_json::Value =
        serde_json::from_slice(&ok(hashlanes().args(["info", "--json"]))).unwrap();
    let listed = info["random"].as_array().unwrap();
    let text = lossy(&ok(hashlanes().arg("info")));
    let (_, text) = text.split_once("\nRandom bytes").unwrap();
    assert_eq!(listed.len(), Source::ALL.len());
    for (source, row) in Source::ALL.into_iter().zip(listed) {
        let failure = source.check().err().map(|failure| failure.to_string());
        assert_eq!(row["source"], source.name());
        assert_eq!(row["grade"], source.grade().name());
        assert_eq!(row["passed"], failure.is_none());
        assert_eq!(row["failure"].as_str(), failure.as_deref());
        let line = text.lines().find(|line| line.starts_with(&format!("  {source} ")));
        let line = line.unwrap_or_else(|| panic!("no line for {source}"));
        assert!(line.contains(source.grade().name()), "{line}");
        assert!(line.ends_with(failure.as_deref().unwrap_or(" passed")), "{line}");
    }
}

#[test]
fn a_forced_kernel_is_shown_as_chosen() {
    let info: serde_json::Value = serde_json::from_slice(&ok(hashlanes()
        .args(["info", "--json"])
        .env("HASHLANES_KERNEL", "portable")))
    .unwrap();
    for algorithm in info["algorithms"].as_array().unwrap() {
        assert!(
            algorithm["chosen"]
                .as_array()
                .unwrap()
                .iter()
                .all(|choice| choice["kernel"] == "portable")
        );
    }
}

#[test]
fn text_names_every_kernel() {
    let text = lossy(&ok(hashlanes().arg("info")));
    for &algorithm in hashlanes::Algorithm::ALL {
        let (_, of_algorithm) = text.split_once(&format!("\n{algorithm} ")).unwrap();
        for kernel in algorithm.kernels() {
            let line = of_algorithm
                .lines()
                .find(|line| line.trim_start().starts_with(&format!("{} ", kernel.name)));
            let line = line.unwrap_or_else(|| panic!("{algorithm}: no line for {}", kernel.name));
            assert!(kernel.missing().all(|feature| line.contains(feature)), "{line}");
        }
    }
}

#[test]
fn the_self_test_counts_the_kernels_that_can_run() {
    let kernels = hashlanes::Algorithm::ALL.iter().flat_map(|algorithm| algorithm.kernels());
    let kernels = kernels.filter(|kernel| kernel.is_available()).count();
    let text = lossy(&ok(hashlanes().args(["info", "--self-test"])));
    let start = format!("self-test: 20 functions in {kernels} kernels passed in ");
    assert!(text.starts_with(&start) && text.ends_with(" ms\n"), "{text}");
}
