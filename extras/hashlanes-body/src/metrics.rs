//! Statistics in the text format of Prometheus.

use std::fmt::Write;

use hashlanes::Algorithm;
use hashlanes::server::ServerStats;

/// A metric: its name, its type, what it means, and its value.
type Metric = (&'static str, &'static str, &'static str, fn(&ServerStats) -> f64);

const METRICS: [Metric; 8] = [
    ("messages_total", "counter", "Digests returned.", |stats| stats.messages as f64),
    ("bytes_alone_total", "counter", "Bytes of messages hashed by themselves.", |stats| {
        (stats.bytes - stats.bytes_shared) as f64
    }),
    ("bytes_shared_total", "counter", "Bytes hashed beside other messages.", |stats| {
        stats.bytes_shared as f64
    }),
    ("rounds_total", "counter", "Times that several messages were hashed side by side.", |stats| {
        stats.rounds as f64
    }),
    ("lanes_filled", "gauge", "Messages hashed side by side, on average.", |stats| {
        stats.mean_lanes
    }),
    ("lanes", "gauge", "Messages that fill the lanes; 1 if this CPU gains nothing.", |stats| {
        stats.full_lanes as f64
    }),
    ("hashers", "gauge", "Hashers that exist.", |stats| stats.hashers as f64),
    ("waiting", "gauge", "Messages that wait for a round.", |stats| stats.waiting as f64),
];

pub(crate) fn text(stats: &[(Algorithm, ServerStats)]) -> String {
    let mut text = String::new();
    for (name, kind, help, value) in METRICS {
        // Writing to a string cannot fail.
        let _ = write!(text, "# HELP hashlanes_{name} {help}\n# TYPE hashlanes_{name} {kind}\n");
        for (algorithm, stats) in stats {
            let algorithm = algorithm.name();
            let _ =
                writeln!(text, "hashlanes_{name}{{algorithm=\"{algorithm}\"}} {}", value(stats));
        }
    }
    text
}
