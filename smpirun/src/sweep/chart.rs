//! A chart of lines over numbers of ranks, as SVG that takes its colours from the page (`page.css`). The ranks' axis is
//! logarithmic, so that doubling them is always the same distance.

use std::fmt::Write;

use smpi_base::markup::escaped;

const WIDTH: f64 = 540.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 42.0;
/// Marks on an axis at most.
const MOST_MARKS: usize = 8;
/// Colours of the page; the next line with the first colour is dashed.
pub const COLOURS: usize = 8;

/// A line.
pub struct Line {
    /// What it is.
    pub name: String,
    /// Its colour and dashes: the same number in all charts.
    pub number: usize,
    /// Ranks and values, by ranks.
    pub points: Vec<(f64, f64)>,
}

/// How values are placed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// By their logarithm; marks are powers of two.
    Twos,
    /// By their logarithm; marks are 1, 2 and 5 times powers of ten.
    Tens,
    /// From zero to the largest.
    Linear,
}

/// A chart.
pub struct Chart {
    /// What the values are.
    pub title: &'static str,
    /// How they are placed.
    pub scale: Scale,
    /// What would be ideal with so many ranks.
    pub ideal: Option<fn(f64) -> f64>,
    /// How a value is written.
    pub words: fn(f64) -> String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// An axis: what it spans, and where it has marks.
struct Axis {
    is_log: bool,
    low: f64,
    high: f64,
    marks: Vec<f64>,
}

impl Axis {
    /// The axis of ranks: marks where there are runs, as far as there is room.
    fn ranks(values: impl Iterator<Item = f64>) -> Axis {
        let mut marks: Vec<f64> = values.collect();
        marks.sort_by(f64::total_cmp);
        marks.dedup();
        let (low, high) = (marks.first().copied().unwrap_or(1.0), marks.last().copied().unwrap_or(1.0));
        let step = marks.len().div_ceil(2 * MOST_MARKS).max(1);
        let marks = marks.into_iter().step_by(step).collect();
        // A single number of ranks is in the middle.
        let (low, high) = if low < high { (low, high) } else { (low / 2.0, high * 2.0) };
        Axis { is_log: true, low, high, marks }
    }

    fn values(scale: Scale, values: impl Iterator<Item = f64> + Clone) -> Axis {
        let high = values.clone().fold(0.0, f64::max);
        let low = values.filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
        if scale == Scale::Linear || low > high {
            let high = if high > 0.0 { high } else { 1.0 };
            let rough = high / 5.0;
            let ten = 10_f64.powf(rough.log10().floor());
            let step = ten * [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * ten >= rough).unwrap_or(10.0);
            let count = (high / step - 1e-9).ceil();
            return Axis {
                is_log: false,
                low: 0.0,
                high: count * step,
                marks: (0..=count as u32).map(|n| f64::from(n) * step).collect(),
            };
        }
        let (low, high, mut marks) = if scale == Scale::Twos { twos(low, high) } else { tens(low, high) };
        if scale == Scale::Tens && marks.len() > MOST_MARKS {
            let is_power = |mark: &f64| (mark.log10() - mark.log10().round()).abs() < 1e-9;
            marks.retain(is_power);
        }
        let step = marks.len().div_ceil(MOST_MARKS).max(1);
        marks = marks.into_iter().step_by(step).collect();
        Axis { is_log: true, low, high, marks }
    }

    /// Where a value lies, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        if self.is_log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }
}

fn twos(low: f64, high: f64) -> (f64, f64, Vec<f64>) {
    let first = (low.log2() + 1e-9).floor();
    let last = (high.log2() - 1e-9).ceil().max(first + 1.0);
    (first.exp2(), last.exp2(), (first as i32..=last as i32).map(|exponent| f64::from(exponent).exp2()).collect())
}

fn tens(low: f64, high: f64) -> (f64, f64, Vec<f64>) {
    let all = (low.log10().floor() as i32..=high.log10().ceil() as i32)
        .flat_map(|exponent| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(exponent)));
    let all: Vec<f64> = all.collect();
    let first = all.iter().rposition(|mark| *mark <= low * (1.0 + 1e-9)).unwrap_or(0);
    let last = all.iter().position(|mark| *mark >= high * (1.0 - 1e-9)).unwrap_or(all.len() - 1).max(first + 1);
    let last = last.min(all.len() - 1);
    (all[first], all[last], all[first..=last].to_vec())
}

impl Chart {
    /// The chart as an element of a page; nothing where there are no values.
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| line.points.iter());
        if points().next().is_none() {
            return String::new();
        }
        let ranks = Axis::ranks(points().map(|point| point.0));
        let ideals = self.ideal.into_iter().flat_map(|ideal| [ideal(ranks.low), ideal(ranks.high)]);
        let values = Axis::values(self.scale, points().map(|point| point.1).chain(ideals));
        let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * ranks.place(value);
        let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - values.place(value));
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let title = self.title;
        let mut svg = format!(
            "<figure><figcaption>{title}</figcaption>\n<svg class=\"sweep\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"{title} against ranks\">\n"
        );
        // Writing to a String cannot fail, here and below.
        for &mark in &ranks.marks {
            let at = x(mark);
            let _ = write!(svg, "<path class=\"grid\" d=\"M{at:.1} {TOP}V{bottom}\"/>");
            let _ = writeln!(svg, "<text class=\"across\" x=\"{at:.1}\" y=\"{}\">{mark}</text>", bottom + 17.0);
        }
        for &mark in &values.marks {
            let at = y(mark);
            let _ = write!(svg, "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right}\"/>");
            let _ = writeln!(
                svg,
                "<text class=\"up\" x=\"{}\" y=\"{:.1}\">{}</text>",
                LEFT - 8.0,
                at + 4.0,
                (self.words)(mark)
            );
        }
        let middle = (LEFT + right) / 2.0;
        let _ = writeln!(svg, "<text class=\"across\" x=\"{middle}\" y=\"{}\">ranks</text>", HEIGHT - 6.0);
        let _ = writeln!(svg, "<path class=\"axes\" d=\"M{LEFT} {TOP}V{bottom}H{right}\"/>");
        if let Some(ideal) = self.ideal {
            let at = |ranks: f64| format!("{:.1} {:.1}", x(ranks), y(ideal(ranks)));
            let _ = writeln!(svg, "<path class=\"ideal\" d=\"M{}L{}\"/>", at(ranks.low), at(ranks.high));
        }
        for line in &self.lines {
            let class = class(line.number);
            let places: Vec<String> =
                line.points.iter().map(|(ranks, value)| format!("{:.1} {:.1}", x(*ranks), y(*value))).collect();
            let _ = writeln!(svg, "<path class=\"line {class}\" d=\"M{}\"/>", places.join("L"));
            for (ranks, value) in &line.points {
                let (at, name) = (format!("cx=\"{:.1}\" cy=\"{:.1}\"", x(*ranks), y(*value)), escaped(&line.name));
                let value = (self.words)(*value);
                let _ = writeln!(
                    svg,
                    "<circle class=\"dot {class}\" {at} r=\"4\"><title>{name}, {ranks} ranks: {value}</title></circle>"
                );
            }
        }
        svg.push_str("</svg></figure>\n");
        svg
    }
}

/// The class that gives a line its colour and dashes.
pub fn class(number: usize) -> String {
    let dashes = ["", " dashed", " dotted"][(number / COLOURS).min(2)];
    format!("l{}{dashes}", number % COLOURS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(scale: Scale, values: &[f64]) -> (f64, f64, Vec<f64>) {
        let axis = Axis::values(scale, values.iter().copied());
        (axis.low, axis.high, axis.marks)
    }

    #[test]
    fn axes_end_at_marks() {
        assert_eq!(marks(Scale::Twos, &[1.0, 3.0]), (1.0, 4.0, vec![1.0, 2.0, 4.0]));
        assert_eq!(marks(Scale::Twos, &[4.0]), (4.0, 8.0, vec![4.0, 8.0]));
        assert_eq!(marks(Scale::Tens, &[0.3, 4.0]), (0.2, 5.0, vec![0.2, 0.5, 1.0, 2.0, 5.0]));
        assert_eq!(marks(Scale::Linear, &[0.9, 0.97]), (0.0, 1.0, vec![0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]));
        assert_eq!(marks(Scale::Linear, &[0.0]).1, 1.0);
        assert_eq!(marks(Scale::Tens, &[0.003, 4.0]), (0.002, 5.0, vec![0.01, 0.1, 1.0]));
        assert!(marks(Scale::Tens, &[1e-9, 1e9]).2.len() <= MOST_MARKS);
        assert!(marks(Scale::Tens, &[5.0]).0 < marks(Scale::Tens, &[5.0]).1);
    }

    #[test]
    fn one_number_of_ranks_is_in_the_middle() {
        let axis = Axis::ranks([16.0, 16.0].into_iter());
        assert_eq!((axis.place(16.0), axis.marks.as_slice()), (0.5, &[16.0][..]));
    }

    #[test]
    fn names_are_no_markup() {
        let lines = vec![Line { name: "<b>".into(), number: 9, points: vec![(1.0, 1.0), (2.0, 1.5)] }];
        let words = |value: f64| value.to_string();
        let chart = Chart { title: "speed-up", scale: Scale::Twos, ideal: Some(|ranks| ranks), words, lines };
        let svg = chart.svg();
        assert!(svg.contains("&lt;b&gt;, 2 ranks: 1.5") && !svg.contains("<b>") && svg.contains("l1 dashed"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(Chart { lines: Vec::new(), ..chart }.svg().is_empty());
    }
}
