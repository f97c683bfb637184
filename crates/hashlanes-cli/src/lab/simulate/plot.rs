//! A sweep as an SVG picture, over the number of producers.
//!
//! The upper part shows the hashed data rate. A dashed line shows the producers' target rate, which
//! the solid line follows as long as the consumer keeps up. The lower part shows the consumer's
//! usage, which reaches 100 % where the lines part.

use std::error::Error;
use std::io;
use std::ops::Range;

use hashlanes_files::replace::Replacement;
use hashlanes_measure::chart::{Area, COLOURS, FONT, heading};
use hashlanes_measure::cpu::Cpu;
use plotters::prelude::*;

use super::Outcome;
use super::measured::Figures;
use super::plan::Plan;
use crate::lab::chart;
use crate::options::size::Size;

const SIZE: (u32, u32) = (960, 860);

/// Points that differ only in the number of producers.
struct Line {
    name: String,
    alone: bool,
    /// Number of producers, GB/s hashed, GB/s at the target speed, and usage in percent.
    points: Vec<(f64, f64, Option<f64>, f64)>,
}

fn lines(outcomes: &[Outcome]) -> Vec<Line> {
    let differ = |key: fn(&Plan) -> String| {
        outcomes.iter().any(|other| key(&other.plan) != key(&outcomes[0].plan))
    };
    let hash = |plan: &Plan| plan.algorithm.to_string();
    let speed = |plan: &Plan| {
        plan.speed.map_or("unlimited".to_owned(), |speed| format!("{}/s each", Size::new(speed)))
    };
    let chunk = |plan: &Plan| format!("chunks of {}", Size::new(plan.chunk as u64));
    let shown: Vec<fn(&Plan) -> String> =
        [(hash as fn(&Plan) -> String, true), (speed, true), (chunk, differ(chunk))]
            .into_iter()
            .filter_map(|(key, shown)| shown.then_some(key))
            .collect();
    let mut lines: Vec<Line> = Vec::new();
    for Outcome { plan, lanes, alone } in outcomes {
        let ways: [(Option<&Figures>, bool); 2] = [(Some(lanes), false), (alone.as_ref(), true)];
        for (figures, alone) in ways {
            let Some(figures) = figures else { continue };
            let mut name = shown.iter().map(|key| key(plan)).collect::<Vec<_>>().join(", ");
            if alone {
                name.push_str(", one by one");
            }
            let target = plan.speed.map(|speed| speed as f64 * plan.producers as f64 / 1e9);
            let point =
                (plan.producers as f64, figures.data_rate() / 1e9, target, 100.0 * figures.usage());
            match lines.iter_mut().find(|line| line.name == name) {
                Some(line) => line.points.push(point),
                None => lines.push(Line { name, alone, points: vec![point] }),
            }
        }
    }
    for line in &mut lines {
        line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    lines
}

pub(super) fn draw(outcomes: &[Outcome], file: &Replacement) -> io::Result<()> {
    let mut svg = String::new();
    let drawn = picture(&lines(outcomes), &mut svg).map_err(|error| error.to_string());
    drawn.map_err(io::Error::other)?;
    chart::put(file, &svg)
}

fn picture(lines: &[Line], svg: &mut String) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let failed = |error: Box<dyn Error + '_>| error.to_string();
    panels(lines, &area).map_err(failed)?;
    area.present().map_err(|error| error.to_string())?;
    Ok(())
}

fn panels<'a>(lines: &[Line], area: &Area<'a>) -> Result<(), Box<dyn Error + 'a>> {
    let rest = heading(area, "Where one consumer saturates", &Cpu::detect().name)?;
    let (above, below) = rest.split_vertically(440);
    let producers = || lines.iter().flat_map(|line| line.points.iter().map(|point| point.0.log2()));
    let (low, high) = (producers().fold(f64::MAX, f64::min), producers().fold(0.0, f64::max));
    let across = low - 0.15..high + 0.15;
    let most =
        lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)).fold(0.0, f64::max);
    let rates = |line: &Line| line.points.iter().map(|point| (point.0.log2(), point.1)).collect();
    panel(
        lines,
        &above,
        across.clone(),
        0.0..1.25 * most,
        "GB/s (solid: hashed, dashed: target)",
        rates,
        true,
    )?;
    let usages = |line: &Line| line.points.iter().map(|point| (point.0.log2(), point.3)).collect();
    panel(lines, &below, across, 0.0..109.0, "consumer thread usage, %", usages, false)
}

fn panel<'a>(
    lines: &[Line],
    area: &Area<'a>,
    across: Range<f64>,
    up: Range<f64>,
    label: &str,
    values: impl Fn(&Line) -> Vec<(f64, f64)>,
    targets: bool,
) -> Result<(), Box<dyn Error + 'a>> {
    let mut chart = ChartBuilder::on(area)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(across.clone(), up.clone())?;
    chart
        .configure_mesh()
        .x_desc("producers")
        .y_desc(label)
        .axis_desc_style((FONT, 16))
        .label_style((FONT, 14))
        // One label for each power of two.
        .x_labels((across.end.floor() - across.start.ceil()) as usize + 1)
        .x_label_formatter(&|x| x.exp2().round().to_string())
        .y_label_formatter(&|y| y.to_string())
        .light_line_style(WHITE.mix(0.0))
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    for (number, line) in lines.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let style = colour.stroke_width(if line.alone { 2 } else { 4 });
        if targets {
            let target = line.points.iter().filter_map(|point| Some((point.0.log2(), point.2?)));
            let within: Vec<_> = clipped(target.collect(), up.end);
            chart.draw_series(DashedLineSeries::new(within, 6, 5, colour.stroke_width(1)))?;
        }
        chart.draw_series(LineSeries::new(values(line), style))?;
        let marks = values(line).into_iter().map(|point| Circle::new(point, 5, colour.filled()));
        chart
            .draw_series(marks)?
            .label(line.name.as_str())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 28, y)], style));
    }
    if targets {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .margin(12)
            .legend_area_size(38)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .label_font((FONT, 15))
            .draw()?;
    }
    Ok(())
}

/// The part of a rising line up to `top`.
fn clipped(points: Vec<(f64, f64)>, top: f64) -> Vec<(f64, f64)> {
    let mut within: Vec<(f64, f64)> = Vec::new();
    for (x, y) in points {
        if y > top {
            if let Some(&(x0, y0)) = within.last() {
                within.push((x0 + (x - x0) * (top - y0) / (y - y0), top));
            }
            break;
        }
        within.push((x, y));
    }
    within
}
