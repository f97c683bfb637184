//! Runs the example of `examples/` in this process, compiled with the features of the tests.

use std::time::Duration;

use hashlanes_entropy::Source;

#[path = "../../examples/throughput.rs"]
mod throughput;

#[test]
fn the_table_has_two_lines_per_source() {
    let mut table = Vec::new();
    throughput::print_table(&mut table, Duration::from_millis(20)).unwrap();
    let table = String::from_utf8(table).unwrap();
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
