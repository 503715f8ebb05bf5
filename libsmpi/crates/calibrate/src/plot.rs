//! Points and lines over logarithmic message sizes, as SVG.

use std::fmt::Write;

/// Width of a plot in pixels, with its margins.
const WIDTH: f64 = 860.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;

/// How values become heights.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    /// Decades.
    Logarithmic,
    /// Equal steps.
    Linear,
}

/// A plot that grows by what is drawn into it.
pub(crate) struct Plot {
    body: String,
    height: f64,
    scale: Scale,
    largest: f64,
    range: (f64, f64),
}

impl Plot {
    /// An empty plot of sizes up to `largest` bytes, and values in `range`.
    pub(crate) fn new(height: f64, scale: Scale, largest: u64, range: (f64, f64)) -> Plot {
        let range = if range.1 > range.0 { range } else { (range.0, range.0 + 1.0) };
        Plot { body: String::new(), height, scale, largest: largest.max(2) as f64, range }
    }

    /// Where a size is. Zero stands left of 1.
    fn x(&self, bytes: f64) -> f64 {
        let place = if bytes < 1.0 { -1.0 } else { bytes.log2() };
        LEFT + (place + 1.0) / (self.largest.log2() + 1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        let place = |value: f64| match self.scale {
            Scale::Logarithmic => value.max(1e-12).log10(),
            Scale::Linear => value,
        };
        let share = (place(value) - place(self.range.0)) / (place(self.range.1) - place(self.range.0));
        self.height - BOTTOM - share.clamp(0.0, 1.0) * (self.height - TOP - BOTTOM)
    }

    /// A measured value, with a text that appears under the mouse.
    pub(crate) fn point(&mut self, class: &str, bytes: u64, value: f64, title: &str) {
        let (x, y) = (self.x(bytes as f64), self.y(value));
        let _ = writeln!(
            self.body,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.4\"><title>{title}</title></circle>"
        );
    }

    /// From the least to the median of the samples.
    pub(crate) fn bar(&mut self, bytes: u64, range: (f64, f64)) {
        let (x, low, high) = (self.x(bytes as f64), self.y(range.0), self.y(range.1));
        let _ = writeln!(self.body, "<path class=\"range\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>");
    }

    /// A curve from `low` to `high` bytes.
    pub(crate) fn curve(&mut self, class: &str, (low, high): (u64, u64), value: impl Fn(f64) -> f64) {
        let mut path = String::new();
        let (from, to) = (self.x(low as f64), self.x(high as f64));
        let steps = ((to - from) / 4.0).ceil().max(1.0) as usize;
        for step in 0..=steps {
            let x = from + (to - from) * step as f64 / steps as f64;
            let place = (x - LEFT) / (WIDTH - LEFT - RIGHT) * (self.largest.log2() + 1.0) - 1.0;
            let bytes = place.exp2().clamp(low as f64, high as f64);
            let _ = write!(path, "{}{x:.1} {:.1}", if step == 0 { 'M' } else { 'L' }, self.y(value(bytes)));
        }
        let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{path}\"/>");
    }

    /// A vertical line at a size.
    pub(crate) fn mark(&mut self, class: &str, bytes: u64, title: &str) {
        let (x, bottom) = (self.x(bytes as f64), self.height - BOTTOM);
        let _ =
            writeln!(self.body, "<path class=\"{class}\" d=\"M{x:.1} {TOP}V{bottom}\"><title>{title}</title></path>");
    }

    /// The whole picture, with axes. `label`: the text of a value.
    pub(crate) fn finish(self, name: &str, label: impl Fn(f64) -> String) -> String {
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{name}\" xmlns=\"http://www.w3.org/2000/svg\">\n",
            self.height
        );
        let bottom = self.height - BOTTOM;
        for power in (0..=self.largest.log2() as u32).step_by(2) {
            let x = self.x(f64::from(power).exp2());
            let unit = [(20, "MiB"), (10, "KiB"), (0, "B")].into_iter().find(|(least, _)| power >= *least);
            let (least, unit) = unit.unwrap_or((0, "B"));
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{x:.1} {TOP}V{bottom}\"/><text class=\"under\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                bottom + if power % 4 == 0 { 14.0 } else { 28.0 },
                format_args!("{} {unit}", 1u64 << (power - least))
            );
        }
        for value in self.ticks() {
            let y = self.y(value);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{}\"/><text class=\"beside\" x=\"{}\" y=\"{:.1}\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                label(value)
            );
        }
        svg + &self.body + "</svg>\n"
    }

    fn ticks(&self) -> Vec<f64> {
        let (low, high) = self.range;
        match self.scale {
            Scale::Logarithmic => {
                let decades = low.max(1e-12).log10().ceil() as i32..=high.log10().floor() as i32;
                decades.map(|decade| 10f64.powi(decade)).collect()
            }
            Scale::Linear => (0..=4).map(|step| low + (high - low) * f64::from(step) / 4.0).collect(),
        }
    }
}
