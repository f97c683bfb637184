//! Throughput over message length (or number of messages), as an SVG picture.
//!
//! Both axes are logarithmic, as lengths and throughputs span orders of magnitude. Colours are those of Okabe and Ito, which
//! people with any kind of colour vision tell apart; lines also differ in their marks.

use std::error::Error;

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

/// What the horizontal axis shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Horizontal {
    /// Bytes of a message.
    Length,
    /// Number of messages.
    Count,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Thick: what the chart is about.
    Bold,
    /// Thin with marks.
    Thin,
    /// Dashed, in grey and without marks: a limit.
    Dashed,
}

/// A named line.
#[derive(Clone, Debug)]
pub struct Line {
    /// The name in the legend.
    pub name: String,
    /// Its points, from left to right. Values that are not positive are left out.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub stroke: Stroke,
}

/// A chart of lines.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The headline: what is shown.
    pub title: String,
    /// The line below it: where and how it was measured.
    pub subtitle: String,
    /// What the horizontal axis shows.
    pub horizontal: Horizontal,
    /// The vertical axis' label, with its unit.
    pub vertical: String,
    /// The lines, in the legend's order.
    pub lines: Vec<Line>,
}

const SIZE: (u32, u32) = (960, 600);
const FONT: &str = "sans-serif";

/// Okabe and Ito's colours, the best visible on white first.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

impl Chart {
    /// Draws the chart.
    ///
    /// # Errors
    /// If there is no point to draw.
    pub fn svg(&self) -> Result<String, Box<dyn Error>> {
        let mut svg = String::new();
        self.draw(SVGBackend::with_string(&mut svg, SIZE).into_drawing_area()).map_err(|error| error.to_string())?;
        Ok(svg)
    }

    fn draw(&self, area: DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Box<dyn Error + '_>> {
        let lines: Vec<(&Line, Vec<(f64, f64)>)> = self.lines.iter().map(|line| (line, logarithms(line))).collect();
        let all = || lines.iter().flat_map(|(_, points)| points.iter().copied());
        if all().next().is_none() {
            return Err("there is nothing to draw".into());
        }
        let horizontal = range(all().map(|point| point.0), 0.2);
        let vertical = range(all().map(|point| point.1), 0.3);

        area.fill(&WHITE)?;
        let area = area.margin(10, 10, 10, 20);
        let (titles, plot) = area.split_vertically(56);
        titles.draw(&Text::new(self.title.as_str(), (10, 0), (FONT, 22).into_font().style(FontStyle::Bold)))?;
        titles.draw(&Text::new(self.subtitle.as_str(), (10, 30), (FONT, 14)))?;
        let mut chart = ChartBuilder::on(&plot)
            .x_label_area_size(52)
            .y_label_area_size(72)
            .build_cartesian_2d(horizontal.clone(), vertical.clone())?;
        chart
            .configure_mesh()
            .x_desc(match self.horizontal {
                Horizontal::Length => "message length",
                Horizontal::Count => "number of messages",
            })
            .y_desc(self.vertical.as_str())
            .axis_desc_style((FONT, 16))
            .label_style((FONT, 14))
            // One label for each power of two, as far as there is room.
            .x_labels(powers(&horizontal))
            .y_labels(powers(&vertical))
            .x_label_formatter(&|x| match self.horizontal {
                Horizontal::Length => length(x.exp2()),
                Horizontal::Count => format!("{}", x.exp2()),
            })
            .y_label_formatter(&|y| format!("{}", y.exp2()))
            .light_line_style(WHITE.mix(0.0))
            .bold_line_style(BLACK.mix(0.12))
            .draw()?;
        let mut drawn = 0;
        for (line, points) in lines {
            if line.stroke == Stroke::Dashed {
                let style = RGBColor(120, 120, 120).stroke_width(2);
                chart
                    .draw_series(DashedLineSeries::new(points, 6, 5, style))?
                    .label(line.name.as_str())
                    .legend(move |(x, y)| DashedPathElement::new([(x, y), (x + 28, y)], 6, 5, style));
                continue;
            }
            let (colour, shape) = (COLOURS[drawn % COLOURS.len()], drawn);
            drawn += 1;
            let style = colour.stroke_width(if line.stroke == Stroke::Bold { 4 } else { 2 });
            chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
            chart
                .draw_series(points.into_iter().map(|point| mark(point, shape, colour)))?
                .label(line.name.as_str())
                .legend(move |at| {
                    EmptyElement::at(at) + PathElement::new([(0, 0), (28, 0)], style) + mark((14, 0), shape, colour)
                });
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .margin(12)
            .legend_area_size(38)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .label_font((FONT, 15))
            .draw()?;
        Ok(())
    }
}

/// The mark of the `shape`-th line.
fn mark<'a, C: Clone + 'static>(at: C, shape: usize, colour: RGBColor) -> DynElement<'static, SVGBackend<'a>, C> {
    match shape % 4 {
        0 => Circle::new(at, 5, colour.filled()).into_dyn(),
        1 => TriangleMarker::new(at, 6, colour.filled()).into_dyn(),
        2 => Cross::new(at, 5, colour.stroke_width(2)).into_dyn(),
        _ => Circle::new(at, 5, colour.stroke_width(2)).into_dyn(),
    }
}

/// The points of a line in powers of two.
fn logarithms(line: &Line) -> Vec<(f64, f64)> {
    line.points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.log2(), y.log2())).collect()
}

/// From the smallest to the largest value, with some room around.
fn range(values: impl Iterator<Item = f64>, room: f64) -> std::ops::Range<f64> {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    low - room..high + room
}

/// Whole numbers in a range.
fn powers(range: &std::ops::Range<f64>) -> usize {
    (range.end.floor() - range.start.ceil()) as usize + 1
}

/// A length with its unit.
fn length(bytes: f64) -> String {
    let power = (bytes.log2() / 10.0).floor().clamp(0.0, 6.0);
    let unit = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][power as usize];
    format!("{} {unit}", bytes / (power * 10.0).exp2())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(lines: Vec<Line>) -> Chart {
        Chart {
            title: "SHA-256 <of> 64 messages".into(),
            subtitle: "somewhere".into(),
            horizontal: Horizontal::Length,
            vertical: "bytes per cycle".into(),
            lines,
        }
    }

    #[test]
    fn a_chart_names_its_axes_and_lines() {
        let line = |name: &str, stroke| Line { name: name.into(), points: vec![(16.0, 0.1), (1024.0, 0.8)], stroke };
        let svg = chart(vec![
            line("ours", Stroke::Bold),
            line("theirs", Stroke::Thin),
            line("bound", Stroke::Dashed),
        ])
        .svg()
        .unwrap();
        for text in ["ours", "theirs", "bound", "message length", "bytes per cycle", "1 KiB", "16 B", "&lt;of&gt;"] {
            assert!(svg.contains(text), "{text} is missing in {svg}");
        }
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn one_point_is_a_chart_and_none_is_an_error() {
        let points = |points| vec![Line { name: "x".into(), points, stroke: Stroke::Thin }];
        assert!(chart(points(vec![(64.0, 1.0)])).svg().is_ok());
        assert!(chart(points(vec![])).svg().is_err());
        assert!(chart(points(vec![(64.0, 0.0)])).svg().is_err());
    }

    #[test]
    fn lengths_have_units() {
        assert_eq!([length(16.0), length(1024.0), length(65536.0)], ["16 B", "1 KiB", "64 KiB"]);
    }
}
