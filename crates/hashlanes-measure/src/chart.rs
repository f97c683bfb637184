//! Plots throughput over message length, or over the number of messages, as SVG.
//!
//! Both axes are logarithmic, because lengths and throughputs span orders of
//! magnitude. The colours are those of Okabe and Ito, which people with any kind of colour vision
//! can tell apart. Lines also have different marks.

use std::error::Error;
use std::slice;

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

/// The quantity on the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Horizontal {
    /// Bytes in a message.
    Length,
    /// The number of these.
    Count(&'static str),
}

/// A named line.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// The name in the legend.
    pub name: String,
    /// The points, from left to right. Values that are not positive are left out.
    pub points: Vec<(f64, f64)>,
    /// A bound or a target, drawn dashed in the line's colour. May be empty.
    pub bound: Vec<(f64, f64)>,
    /// Whether to draw the line thicker, because the chart is about it.
    pub bold: bool,
    /// Selects the colour and the mark. Equal numbers look the same in all charts.
    pub look: usize,
}

/// A chart of lines.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The headline, which says what is shown.
    pub title: String,
    /// The line below the headline, which says where and how it was measured.
    pub subtitle: String,
    /// The quantity on the horizontal axis.
    pub horizontal: Horizontal,
    /// The vertical axis' label, with its unit.
    pub vertical: String,
    /// What dashed lines show, in the legend.
    pub dashed: &'static str,
    /// The lines, in the order of the legend.
    pub lines: Vec<Line>,
}

const SIZE: (u32, u32) = (960, 600);

/// The font of all charts.
const FONT: &str = "sans-serif";

/// The colours of Okabe and Ito, the most visible on white first.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(130, 130, 130),
];

impl Chart {
    /// Draws the chart.
    ///
    /// # Errors
    /// If there are no points to draw.
    pub fn svg(&self) -> Result<String, Box<dyn Error>> {
        stacked(slice::from_ref(self))
    }

    fn draw<'a>(&self, area: &Area<'a>) -> Result<(), Box<dyn Error + 'a>> {
        let all = || {
            self.lines
                .iter()
                .flat_map(|line| logarithms(&line.points).chain(logarithms(&line.bound)))
        };
        if self.lines.iter().all(|line| logarithms(&line.points).next().is_none()) {
            return Err("there are no points to draw".into());
        }
        let horizontal = range(all().map(|point| point.0), 0.2);
        let vertical = range(all().map(|point| point.1), 0.3);

        let plot = heading(area, &self.title, &self.subtitle)?;
        let mut chart = ChartBuilder::on(&plot)
            .x_label_area_size(52)
            .y_label_area_size(72)
            .build_cartesian_2d(horizontal.clone(), vertical.clone())?;
        chart
            .configure_mesh()
            .x_desc(match self.horizontal {
                Horizontal::Length => "message length",
                Horizontal::Count(what) => what,
            })
            .y_desc(self.vertical.as_str())
            .axis_desc_style((FONT, 16))
            .label_style((FONT, 14))
            // One label per power of two, as far as there is room.
            .x_labels(powers(&horizontal))
            .y_labels(powers(&vertical))
            .x_label_formatter(&|x| match self.horizontal {
                Horizontal::Length => length(x.exp2()),
                Horizontal::Count(_) => x.exp2().round().to_string(),
            })
            .y_label_formatter(&|y| significant(y.exp2()))
            .light_line_style(WHITE.mix(0.0))
            .bold_line_style(BLACK.mix(0.12))
            .draw()?;
        for line in &self.lines {
            let colour = COLOURS[line.look % COLOURS.len()];
            // A reused colour gets a different mark.
            let shape = line.look + line.look / COLOURS.len();
            let style = colour.stroke_width(if line.bold { 4 } else { 2 });
            chart.draw_series(DashedLineSeries::new(
                logarithms(&line.bound),
                6,
                5,
                colour.stroke_width(1),
            ))?;
            chart.draw_series(LineSeries::new(logarithms(&line.points), style))?;
            chart
                .draw_series(logarithms(&line.points).map(|point| mark(point, shape, colour)))?
                .label(line.name.as_str())
                .legend(move |at| {
                    EmptyElement::at(at)
                        + PathElement::new([(0, 0), (28, 0)], style)
                        + mark((14, 0), shape, colour)
                });
        }
        if self.lines.iter().any(|line| !line.bound.is_empty()) {
            chart
                .draw_series(DashedLineSeries::new([], 6, 5, BLACK.stroke_width(1)))?
                .label(self.dashed)
                .legend(|(x, y)| {
                    DashedPathElement::new([(x, y), (x + 28, y)], 6, 5, BLACK.stroke_width(1))
                });
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .margin(12)
            .legend_area_size(38)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .label_font((FONT, 15))
            .draw()?;
        Ok(())
    }
}

/// Draws charts one below the other.
///
/// # Errors
/// If one of them has no points to draw.
pub fn stacked(charts: &[Chart]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    let size = (SIZE.0, SIZE.1 * charts.len() as u32);
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    for (chart, part) in charts.iter().zip(area.split_evenly((charts.len(), 1))) {
        chart.draw(&part).map_err(|error| error.to_string())?;
    }
    drop(area);
    Ok(svg)
}

/// An area to draw on, in pixels.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Fills the area with white, writes the headline and the line below it, and returns the rest of
/// the area.
fn heading<'a>(
    area: &Area<'a>,
    title: &str,
    subtitle: &str,
) -> Result<Area<'a>, Box<dyn Error + 'a>> {
    area.fill(&WHITE)?;
    let (titles, rest) = area.margin(10, 10, 10, 20).split_vertically(56);
    titles.draw(&Text::new(title, (10, 0), (FONT, 22).into_font().style(FontStyle::Bold)))?;
    titles.draw(&Text::new(subtitle, (10, 30), (FONT, 14)))?;
    Ok(rest)
}

/// One of four marks.
fn mark<'a, C: Clone + 'static>(
    at: C,
    shape: usize,
    colour: RGBColor,
) -> DynElement<'static, SVGBackend<'a>, C> {
    match shape % 4 {
        0 => Circle::new(at, 5, colour.filled()).into_dyn(),
        1 => TriangleMarker::new(at, 6, colour.filled()).into_dyn(),
        2 => Cross::new(at, 5, colour.stroke_width(2)).into_dyn(),
        _ => Circle::new(at, 5, colour.stroke_width(2)).into_dyn(),
    }
}

/// The binary logarithms of the points' coordinates.
fn logarithms(points: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> + Clone + '_ {
    points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.log2(), y.log2()))
}

/// The range of the values, extended by `room` on both sides.
fn range(values: impl Iterator<Item = f64>, room: f64) -> std::ops::Range<f64> {
    let (low, high) =
        values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    low - room..high + room
}

/// The number of integers in a range.
fn powers(range: &std::ops::Range<f64>) -> usize {
    (range.end.floor() - range.start.ceil()) as usize + 1
}

/// A number with three significant digits: `16`, `0.5`, `0.0625`.
fn significant(value: f64) -> String {
    let digits = (2.0 - value.log10().floor()).max(0.0) as usize;
    let text = format!("{value:.digits$}");
    if digits > 0 { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
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
            dashed: "upper bound",
            lines,
        }
    }

    #[test]
    fn a_chart_names_its_axes_and_lines() {
        let points = vec![(16.0, 0.1), (1024.0, 0.8)];
        let line =
            |name: &str| Line { name: name.into(), points: points.clone(), ..Line::default() };
        let ours = Line { bound: vec![(16.0, 0.2), (1024.0, 0.9)], bold: true, ..line("ours") };
        let svg = chart(vec![ours, line("theirs")]).svg().unwrap();
        for text in [
            "ours",
            "theirs",
            "upper bound",
            "message length",
            "bytes per cycle",
            "1 KiB",
            "16 B",
            "&lt;of&gt;",
        ] {
            assert!(svg.contains(text), "{text} is missing in {svg}");
        }
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn one_point_is_a_chart_and_none_is_an_error() {
        let points = |points| vec![Line { name: "x".into(), points, ..Line::default() }];
        assert!(chart(points(vec![(64.0, 1.0)])).svg().is_ok());
        assert!(chart(points(vec![])).svg().is_err());
        assert!(chart(points(vec![(64.0, 0.0)])).svg().is_err());
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(
            [0.0625, 0.125, 0.5, 1.0, 100.0].map(significant),
            ["0.0625", "0.125", "0.5", "1", "100"]
        );
    }

    #[test]
    fn lengths_have_units() {
        assert_eq!([length(16.0), length(1024.0), length(65536.0)], ["16 B", "1 KiB", "64 KiB"]);
    }
}
