//! Runs `hashlanes-lab bench` as its users do.

use std::process::{Command, Output};

use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hashlanes-lab"))
        .args(["bench", "--samples", "3", "--sample-time", "1"])
        .args(arguments)
        .env_remove("HASHLANES_KERNEL")
        .output()
        .expect("the program starts")
}

fn json(arguments: &[&str]) -> Value {
    let output = bench(&[&["--json"], arguments].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

fn positive(value: &Value) -> bool {
    value.as_f64().is_some_and(|value| value > 0.0 && value.is_finite())
}

/// The names of the contenders that the first result is compared with.
fn versus(document: &Value) -> Vec<&str> {
    let versus = document["results"][0]["versus"].as_array().unwrap();
    assert!(versus.iter().all(|versus| positive(&versus["ratio"]["median"])), "{versus:?}");
    versus.iter().map(|versus| versus["name"].as_str().unwrap()).collect()
}

#[test]
fn every_algorithm_has_figures() {
    let document = json(&["--size", "16,1KiB", "--seed", "7"]);
    assert_eq!(document["seed"], 7);
    let results = document["results"].as_array().unwrap();
    assert_eq!(results.len(), 4 * 2);
    for (result, algorithm) in results.iter().step_by(2).zip(["md5", "sha1", "sha256", "sha512"]) {
        assert_eq!(result["algorithm"], algorithm);
        assert_eq!(
            (&result["messages"], &result["longest"], &result["bytes"]),
            (&64.into(), &16.into(), &1024.into())
        );
        assert!(positive(&result["gb_per_s"]["median"]), "{result}");
        if cfg!(target_arch = "x86_64") {
            assert!(positive(&result["bytes_per_cycle"]["best"]), "{result}");
            assert!(positive(&result["ghz"]["median"]), "{result}");
        }
        assert!(
            result["bound"].is_null() || positive(&result["bound"]["bytes_per_cycle"]),
            "{result}"
        );
        assert_eq!(result["bound"].is_null(), result["share_of_bound"].is_null());
    }
}

#[test]
fn a_named_core_has_its_bounds() {
    for core in ["golden-cove", "zen3", "zen4", "zen5"] {
        let document = json(&["-a", "sha256", "--size", "64", "--core", core]);
        assert_eq!(document["cpu"]["core"], core);
        assert_eq!(document["cpu"]["told_by"], "name");
        if cfg!(target_arch = "x86_64") {
            let bound = &document["results"][0]["bound"];
            let words = core.split(['-', '3', '4', '5']).collect::<Vec<_>>();
            let origin = bound["origin"].as_str().unwrap().to_lowercase();
            assert!(words.iter().all(|word| origin.contains(word)), "{core}: {bound}");
        }
    }
}

#[test]
fn every_kernel_can_be_requested() {
    let document = json(&["-a", "sha1", "--size", "100", "--kernel", "all"]);
    let results = document["results"].as_array().unwrap();
    assert!(
        results.iter().any(|result| result["kernel"] == "portable" && result["forced"] == true)
    );
    let document = json(&["-a", "sha1", "--size", "100", "--kernel", "portable,auto"]);
    assert_eq!(document["results"][0]["kernel"], "portable");
    assert_eq!(document["results"][1]["forced"], false);
}

#[test]
fn comparisons_name_what_they_compare_with() {
    assert_eq!(
        versus(&json(&["-a", "sha256", "--size", "64", "--messages", "1..2", "--alone"])),
        ["alone"]
    );
    assert_eq!(
        versus(&json(&["-a", "md5", "--size", "10kB", "--manager", "4KiB"])),
        ["digest_many"]
    );
    assert_eq!(versus(&json(&["-a", "md5", "--mixed", "16..1KiB"])), ["uniform"]);
    assert_eq!(versus(&json(&["-a", "md5", "--size", "1"])), [""; 0]);
    if std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() >= 2) {
        let document = json(&["-a", "md5", "--size", "1KiB", "--threads", "2"]);
        assert_eq!(versus(&document), ["1 thread"]);
        assert_eq!(document["threads"], 2);
    } else {
        let refused = bench(&["-a", "md5", "--size", "1KiB", "--threads", "2"]);
        assert_eq!(refused.status.code(), Some(2));
    }
}

#[test]
fn the_table_shows_what_was_measured() {
    let output = bench(&["-a", "SHA-512", "--mixed", "64..4KiB", "--messages", "100"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["sha512", "64 B..4 KiB", "100", "GB/s", "B/cycle", "bound"] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn a_plot_is_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    for (file, arguments, labels) in [
        ("lengths.svg", ["--size", "16,256"], ["message length", "16 B"]),
        ("counts.svg", ["--messages", "1,2,8"], ["number of messages", "8"]),
    ] {
        let path = folder.path().join(file);
        let size: &[&str] = if file == "counts.svg" { &["--size", "64"] } else { &[] };
        let output = bench(
            &[&["-a", "md5,sha256", "--plot", path.to_str().unwrap()], &arguments[..], size]
                .concat(),
        );
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let svg = std::fs::read_to_string(&path).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        assert!(document.root_element().has_tag_name(("http://www.w3.org/2000/svg", "svg")));
        let texts: Vec<&str> =
            document.descendants().filter_map(|node| node.text()).map(str::trim).collect();
        for label in ["md5", "sha256"].iter().chain(&labels) {
            assert!(texts.contains(label), "{label} is missing among {texts:?}");
        }
        assert!(document.descendants().any(|node| node.has_tag_name("polyline")));
    }
}

#[test]
fn wrong_usage_is_refused_with_status_2_and_a_reason() {
    for (arguments, reason) in [
        (&["-a", "sha3"][..], "unknown algorithm 'sha3'"),
        (&["--size", "0"], "at least 1 byte"),
        (&["--size", "1 parsec"], "a size is a number of bytes"),
        (&["--size", "1TiB"], "more than"),
        (&["--mixed", "1KiB"], "LO..HI"),
        (&["--mixed", "1KiB..16"], "at most HI"),
        (&["--messages", "0"], "a number of messages is 1 to"),
        (&["--messages", "5..2"], "a number of messages is 1 to"),
        (&["--threads", "0"], "--threads"),
        (&["--threads", "100000"], "this process may run on"),
        (&["-a", "md5", "--kernel", "warp"], "md5 has no kernel 'warp'"),
        (&["--kernel", "sha-ni"], "md5 has no kernel 'sha-ni'"),
        (&["--alone", "--manager", "4KiB"], "cannot be used with"),
        (&["--out-of-cache", "--size", "1KiB"], "cannot be used with"),
        (&["--samples", "0"], "--samples"),
        (&["--core", "zen1"], "[possible values: golden-cove, zen3, zen4, zen5]"),
        (&["--mixed", "1..9", "--plot", "never-written.svg"], "--plot"),
        (&["file"], "unexpected argument"),
    ] {
        let output = bench(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(reason), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty());
    }
    assert!(!std::path::Path::new("never-written.svg").exists());
}

#[test]
fn the_environment_is_followed_or_refused() {
    let run = |kernel: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hashlanes-lab"));
        command.args(["bench", "-a", "md5", "--size", "64", "--samples", "1", "--json"]);
        command.args(["--sample-time", "1"]).args(arguments);
        command.env("HASHLANES_KERNEL", kernel).output().unwrap()
    };
    let output = run("portable", &[]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["results"][0]["kernel"], "portable");
    assert_eq!(run("warp", &[]).status.code(), Some(2));
    assert_eq!(run("portable", &["--kernel", "auto"]).status.code(), Some(2));
}

#[test]
fn an_unwritable_plot_is_reported_before_measuring() {
    let output = bench(&["--plot", "/no/such/folder/x.svg"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty(), "something was measured");
    let error = String::from_utf8_lossy(&output.stderr);
    // The system's message for a folder that does not exist.
    let why = std::fs::read("/no/such/folder/x.svg").unwrap_err().to_string();
    let why = &why[..why.find(" (os error").unwrap()];
    assert_eq!(error, format!("hashlanes: /no/such/folder/x.svg: {why}\n"));
}

#[test]
#[cfg(unix)]
fn an_unwritable_message_does_not_panic() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_hashlanes-lab"))
        .args(["bench", "--plot", "/no/such/folder/x.svg"])
        .stderr(full)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
}
