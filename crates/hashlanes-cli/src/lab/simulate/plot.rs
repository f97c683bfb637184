//! A sweep as an SVG picture, over the number of producers.
//!
//! The upper part shows the hashed data rate. A dashed line shows the producers' target rate, which
//! the solid line follows as long as the consumer keeps up. The lower part shows the consumer's
//! usage, which reaches 100 % where the lines part.

use std::io;

use hashlanes_files::replace::Replacement;
use hashlanes_measure::chart::{Chart, Horizontal, Line, stacked};
use hashlanes_measure::cpu::Cpu;

use super::Outcome;
use super::plan::Plan;
use crate::lab::chart;
use crate::options::size::Size;

/// What tells the lines of a plan from others, which have points of other numbers of producers.
fn name(plan: &Plan, has_chunks: bool, way: &str) -> String {
    let hash = plan.algorithm;
    let speed =
        plan.speed.map_or("unlimited".into(), |speed| format!("{}/s each", Size::new(speed)));
    let chunk = match has_chunks {
        true => format!(", chunks of {}", Size::new(plan.chunk as u64)),
        false => String::new(),
    };
    format!("{hash}, {speed}{chunk}{way}")
}

pub(super) fn draw(outcomes: &[Outcome], file: &Replacement) -> io::Result<()> {
    let has_chunks = outcomes.iter().any(|other| other.plan.chunk != outcomes[0].plan.chunk);
    let (mut rates, mut usages): (Vec<Line>, Vec<Line>) = (Vec::new(), Vec::new());
    for Outcome { plan, lanes, alone } in outcomes {
        for (figures, way) in [(Some(lanes), ""), (alone.as_ref(), ", one by one")] {
            let Some(figures) = figures else { continue };
            let name = name(plan, has_chunks, way);
            let look = rates.iter().position(|line| line.name == name).unwrap_or(rates.len());
            if look == rates.len() {
                let line = Line { name, look, bold: way.is_empty(), ..Line::default() };
                rates.push(line.clone());
                usages.push(line);
            }
            let producers = plan.producers as f64;
            let target = plan.speed.map(|speed| (producers, speed as f64 * producers / 1e9));
            rates[look].points.push((producers, figures.data_rate() / 1e9));
            rates[look].bound.extend(target);
            usages[look].points.push((producers, 100.0 * figures.usage()));
        }
    }
    for line in rates.iter_mut().chain(&mut usages) {
        for points in [&mut line.points, &mut line.bound] {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
    }
    let chart = |vertical: &str, lines: Vec<Line>| Chart {
        title: "Where one consumer saturates".into(),
        subtitle: Cpu::detect().name,
        horizontal: Horizontal::Count("producers"),
        vertical: vertical.into(),
        dashed: "target of the line of this colour",
        lines,
    };
    let rates = chart("GB/s (solid: hashed, dashed: target)", rates);
    let svg = stacked(&[rates, chart("consumer thread usage, %", usages)]);
    chart::put(file, &svg.map_err(|error| io::Error::other(error.to_string()))?)
}
