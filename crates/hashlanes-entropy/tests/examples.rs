//! The example of `examples/`, run as a user runs it.

use std::path::Path;
use std::process::Command;

use hashlanes_entropy::Source;

#[test]
fn the_table_has_two_lines_of_each_source() {
    // A Windows that wine imitates cannot wait for a program of Linux.
    if cfg!(windows) && env!("CARGO").starts_with('/') {
        eprintln!("NOT TESTED: cargo is a program of another system");
        return;
    }
    // Where this test was built, so that there is little to build.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--example", "throughput", "--target-dir"])
        .arg(target)
        .args(["--", "20"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).unwrap();
    for source in Source::ALL {
        let lines = table.lines().filter(|line| line.starts_with(&format!("{source} ")));
        let speeds: Vec<_> = lines.map(|line| line.split_whitespace().nth(2)).collect();
        assert_eq!(speeds.len(), 2, "{table}");
        if source.check().is_ok() {
            let fast = |speed: &Option<&str>| speed.unwrap().parse::<f64>().unwrap() > 0.0;
            assert!(speeds.iter().all(fast), "{table}");
        }
    }
}
