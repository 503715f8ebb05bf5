//! The picture of speed-up against ranks, as SVG: one panel for each platform, one line for each benchmark and class.
//!
//! The speed-up of p ranks is their rate (Mop/s) divided by that of the smallest number of ranks in the picture, times
//! that number: the smallest run counts as perfectly parallel. Both axes are logarithmic, so that equal gains are equal
//! distances.

use crate::places::stem;
use crate::plan::Case;
use crate::refused::Refused;
use crate::results::{Row, Run};
use crate::suite::{Benchmark, CLASSES};
use std::fmt::Write;
use std::path::PathBuf;

const PANEL_WIDTH: f64 = 420.0;
const PANEL_HEIGHT: f64 = 380.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 78.0;
const BOTTOM: f64 = 56.0;
const GAP: f64 = 76.0;
const LEGEND_WIDTH: f64 = 110.0;
const LEGEND_LINE: f64 = 20.0;
/// More marks than this on the vertical axis would be crowded.
const MOST_MARKS: u32 = 12;

/// One line of the picture.
#[derive(Debug, PartialEq)]
struct Series {
    benchmark: Benchmark,
    class: char,
    /// Ranks and speed-up, by ranks.
    points: Vec<(f64, f64)>,
}

/// What the axes span, as powers of two.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    low: f64,
    high: f64,
}

/// Refuses a picture that would have no line, before anything runs.
///
/// # Errors
/// No benchmark has two numbers of ranks.
pub fn check(cases: &[Case]) -> Result<(), Refused> {
    let has_partner = |case: &Case| {
        let same = |other: &&Case| (other.benchmark, other.class) == (case.benchmark, case.class);
        case.benchmark != Benchmark::Dt && cases.iter().filter(same).any(|other| other.ranks != case.ranks)
    };
    if cases.iter().any(has_partner) {
        return Ok(());
    }
    Err(Refused::new(
        "--plot: there is no speed-up to draw: no benchmark runs on two numbers of ranks",
        "give more with --ranks, such as 1,2,4,8,16 (DT runs on one only)",
    ))
}

/// The picture.
pub fn svg(rows: &[Row], platforms: &[PathBuf]) -> String {
    let panels: Vec<Vec<Series>> = (0..platforms.len()).map(|platform| series(rows, platform)).collect();
    let all = || panels.iter().flatten();
    let points = || all().flat_map(|series| series.points.iter());
    let ranks = Span::of(points().map(|point| point.0));
    let speed_ups = Span::of(points().flat_map(|point| [point.0, point.1]));
    let mut names: Vec<(Benchmark, char)> = all().map(|series| (series.benchmark, series.class)).collect();
    names.sort_by_key(|(benchmark, class)| (*benchmark, class_index(*class)));
    names.dedup();

    let panel_step = PANEL_WIDTH + GAP;
    let width = LEFT + panel_step * platforms.len() as f64 + LEGEND_WIDTH;
    let height = (TOP + PANEL_HEIGHT + BOTTOM).max(TOP + LEGEND_LINE * (names.len() + 2) as f64);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"30\" font-size=\"18\">NAS benchmarks: speed-up against ranks</text>\n"
    );
    for (number, (panel, platform)) in panels.iter().zip(platforms).enumerate() {
        let left = LEFT + panel_step * number as f64;
        let frame = Frame { left, ranks, speed_ups };
        frame.axes(&mut text, &stem(platform));
        panel.iter().for_each(|series| frame.line(&mut text, series));
    }
    legend(&mut text, LEFT + panel_step * platforms.len() as f64 - GAP + 30.0, &names);
    text.push_str("</svg>\n");
    text
}

/// The lines of a platform. Runs that failed and benchmarks with one number of ranks have none.
fn series(rows: &[Row], platform: usize) -> Vec<Series> {
    let mut found: Vec<Series> = Vec::new();
    for row in rows.iter().filter(|row| row.case.benchmark != Benchmark::Dt) {
        let Some(rate) = row.runs.get(platform).and_then(rate) else { continue };
        let (benchmark, class, point) = (row.case.benchmark, row.class(), (f64::from(row.ranks()), rate));
        match found.iter_mut().find(|series| (series.benchmark, series.class) == (benchmark, class)) {
            Some(series) => series.points.push(point),
            None => found.push(Series { benchmark, class, points: vec![point] }),
        }
    }
    for series in &mut found {
        series.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (ranks, rate) = series.points[0];
        series.points.iter_mut().for_each(|point| point.1 *= ranks / rate);
    }
    found.retain(|series| series.points.len() > 1);
    found
}

/// How fast a run was, in any unit: the program's own figure, else the reciprocal of the whole run's time.
fn rate(run: &Run) -> Option<f64> {
    let whole = run.simulated_secs.filter(|secs| *secs > 0.0).map(|secs| 1.0 / secs);
    run.mops.filter(|mops| *mops > 0.0).or(whole)
}

impl Span {
    /// Reaches from the power of two below the smallest value to that above the largest.
    fn of(values: impl Iterator<Item = f64> + Clone) -> Span {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(0.0, f64::max);
        if low > high {
            return Span { low: 0.0, high: 1.0 };
        }
        let low = low.log2().floor();
        Span { low, high: high.log2().ceil().max(low + 1.0) }
    }

    /// Where a value lies, from 0 to 1.
    fn place(self, value: f64) -> f64 {
        (value.log2() - self.low) / (self.high - self.low)
    }

    /// The exponents of the marks.
    fn marks(self) -> Vec<i32> {
        let (low, high) = (self.low as i32, self.high as i32);
        let step = high.abs_diff(low) / MOST_MARKS + 1;
        (low..=high).step_by(step as usize).collect()
    }
}

/// Where a panel is and what it spans.
struct Frame {
    left: f64,
    ranks: Span,
    speed_ups: Span,
}

impl Frame {
    fn x(&self, ranks: f64) -> f64 {
        self.left + PANEL_WIDTH * self.ranks.place(ranks)
    }

    fn y(&self, speed_up: f64) -> f64 {
        TOP + PANEL_HEIGHT * (1.0 - self.speed_ups.place(speed_up))
    }

    /// Grid, marks, titles, and the line of the ideal speed-up.
    fn axes(&self, text: &mut String, title: &str) {
        let (right, bottom) = (self.left + PANEL_WIDTH, TOP + PANEL_HEIGHT);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "<text x=\"{}\" y=\"{}\">{}</text>", self.left, TOP - 14.0, escaped(title));
        for exponent in self.ranks.marks() {
            let x = self.x(f64::from(exponent).exp2());
            let _ = writeln!(text, "<path d=\"M{x:.1} {TOP}V{bottom}\" stroke=\"#e4e4e4\"/>");
            let y = bottom + 18.0;
            let _ = writeln!(text, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", power(exponent));
        }
        for exponent in self.speed_ups.marks() {
            let y = self.y(f64::from(exponent).exp2());
            let _ = writeln!(text, "<path d=\"M{} {y:.1}H{right}\" stroke=\"#e4e4e4\"/>", self.left);
            let (x, y) = (self.left - 8.0, y + 4.0);
            let _ = writeln!(text, "<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>", power(exponent));
        }
        let (x, y) = (self.left + PANEL_WIDTH / 2.0, bottom + 42.0);
        let _ = writeln!(text, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">ranks</text>");
        let (x, y) = (self.left - 46.0, TOP + PANEL_HEIGHT / 2.0);
        let _ =
            writeln!(text, "<text transform=\"translate({x} {y}) rotate(-90)\" text-anchor=\"middle\">speed-up</text>");
        let (low, high) = (self.ranks.low.exp2(), self.ranks.high.exp2());
        let (from, to) = ((self.x(low), self.y(low)), (self.x(high), self.y(high)));
        let _ = writeln!(
            text,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#666\" stroke-dasharray=\"2 4\"/>",
            from.0, from.1, to.0, to.1
        );
        let _ = writeln!(text, "<path d=\"M{} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#444\"/>", self.left);
    }

    /// A line with its points.
    fn line(&self, text: &mut String, series: &Series) {
        let (colour, dashes) = (colour(series.benchmark), dashes(series.class));
        let places = series.points.iter().map(|(ranks, speed_up)| (self.x(*ranks), self.y(*speed_up)));
        let path: Vec<String> = places.clone().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let path = path.join("L");
        let _ = writeln!(
            text,
            "<path d=\"M{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>"
        );
        for (x, y) in places {
            let _ = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>");
        }
    }
}

/// What each line is; and the ideal one.
fn legend(text: &mut String, left: f64, names: &[(Benchmark, char)]) {
    let samples = names.iter().map(|(benchmark, class)| {
        (colour(*benchmark), dashes(*class), "2", format!("{} {class}", benchmark.name().to_uppercase()))
    });
    let ideal = ("#666", "2 4", "1", "ideal".to_string());
    for (number, (colour, dashes, stroke, name)) in samples.chain([ideal]).enumerate() {
        let y = TOP + 8.0 + LEGEND_LINE * number as f64;
        let (right, label) = (left + 34.0, left + 42.0);
        let _ = writeln!(
            text,
            "<path d=\"M{left} {y}H{right}\" stroke=\"{colour}\" stroke-width=\"{stroke}\" stroke-dasharray=\"{dashes}\"/>\
             <text x=\"{label}\" y=\"{}\">{name}</text>",
            y + 4.5
        );
    }
}

/// Colours that differ in lightness, too.
fn colour(benchmark: Benchmark) -> &'static str {
    match benchmark {
        Benchmark::Bt => "#1f4e99",
        Benchmark::Cg => "#d62728",
        Benchmark::Dt => "#888888",
        Benchmark::Ep => "#2ca02c",
        Benchmark::Ft => "#7b3fa0",
        Benchmark::Is => "#8c564b",
        Benchmark::Lu => "#e06fb8",
        Benchmark::Mg => "#f08c00",
        Benchmark::Sp => "#18a5b8",
    }
}

/// Dashes tell classes apart.
fn dashes(class: char) -> &'static str {
    ["3 3", "none", "9 4", "9 3 2 3"][class_index(class) % 4]
}

fn class_index(class: char) -> usize {
    CLASSES.iter().position(|known| *known == class).unwrap_or(CLASSES.len())
}

/// A power of two as text; below one as a fraction.
fn power(exponent: i32) -> String {
    let magnitude = f64::from(exponent.abs()).exp2();
    if exponent < 0 { format!("1/{magnitude}") } else { magnitude.to_string() }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn row(benchmark: Benchmark, ranks: u32, mops: f64) -> Row {
        let case = Case { benchmark, graph: "", class: 'S', ranks, program: PathBuf::new(), arguments: Vec::new() };
        Row { case, runs: vec![Run { mops: Some(mops), ..Run::default() }] }
    }

    #[test]
    fn speed_up_is_relative_to_the_smallest_run() {
        let rows = [row(Benchmark::Cg, 8, 300.0), row(Benchmark::Cg, 2, 100.0), row(Benchmark::Ep, 4, 1.0)];
        let found = series(&rows, 0);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].points, [(2.0, 2.0), (8.0, 6.0)]);
    }

    #[test]
    fn one_number_of_ranks_makes_no_line() {
        let case = |ranks| row(Benchmark::Cg, ranks, 1.0).case;
        assert!(check(&[case(4)]).is_err());
        assert!(check(&[case(4), case(8)]).is_ok());
    }

    #[test]
    fn spans_end_at_powers_of_two() {
        assert_eq!(Span::of([0.3, 48.0].into_iter()), Span { low: -2.0, high: 6.0 });
        assert_eq!(Span::of([4.0, 4.0].into_iter()), Span { low: 2.0, high: 3.0 });
        assert_eq!([power(-1), power(0), power(10)], ["1/2", "1", "1024"]);
        assert!(Span { low: -20.0, high: 20.0 }.marks().len() <= MOST_MARKS as usize + 1);
    }

    #[test]
    fn the_picture_has_a_line_for_each_series_and_escapes_names() {
        let rows = [row(Benchmark::Cg, 2, 1.0), row(Benchmark::Cg, 4, 2.0)];
        let text = svg(&rows, &[Path::new("a&b.toml").to_path_buf()]);
        assert!(text.contains("a&amp;b") && text.contains("CG S") && text.ends_with("</svg>\n"));
    }
}
