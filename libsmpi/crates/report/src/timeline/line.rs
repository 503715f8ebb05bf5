//! Lines of a trace, put together from pieces: the formatting of the standard library, which can do much more, takes
//! longer than the simulation of what is written.

/// A line under way.
#[derive(Debug, Default)]
pub(super) struct Line(Vec<u8>);

impl Line {
    /// Begins a new one.
    pub(super) fn begin(&mut self, text: &str) -> &mut Line {
        self.0.clear();
        self.text(text)
    }

    /// Adds a text.
    pub(super) fn text(&mut self, text: &str) -> &mut Line {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// Adds a number.
    pub(super) fn number(&mut self, number: u64) -> &mut Line {
        self.text(itoa::Buffer::new().format(number))
    }

    /// Adds a date, which is not negative, in units of which a second has so many, with `digits` digits behind the
    /// point.
    pub(super) fn date(&mut self, secs: f64, units_per_sec: f64, digits: u32) -> &mut Line {
        let (date, scale) = (secs * units_per_sec, 10u64.pow(digits));
        // Apart, so that long runs have as many digits.
        let behind = (date.fract() * scale as f64).round() as u64;
        self.number(date as u64 + behind / scale).text(".");
        // A one in front keeps the zeros behind the point.
        let point = self.0.len();
        self.number(scale + behind % scale);
        self.0.remove(point);
        self
    }

    /// All of it.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_all_their_digits() {
        let date =
            |secs, units, digits| String::from_utf8(Line::default().date(secs, units, digits).0.clone()).unwrap();
        assert_eq!(date(0.0, 1.0, 9), "0.000000000");
        assert_eq!(date(1.0625, 1.0, 9), "1.062500000");
        assert_eq!(date(0.000_012_345_678_9, 1e6, 6), "12.345679");
        assert_eq!(date(123_456.000_000_001, 1e6, 3), "123456000000.001");
        assert_eq!(date(0.999_999_999_9, 1.0, 9), "1.000000000");
        // Twenty years and more.
        assert_eq!(date(1e9, 1e6, 6), "1000000000000000.000000");
        assert_eq!(date(1e11 + 0.5, 1.0, 9), "100000000000.500000000");
    }
}
