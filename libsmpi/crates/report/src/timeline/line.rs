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

    /// Adds a date, which is not negative and below 10^6 seconds, in units of 10^-`shift` seconds with `digits` digits
    /// behind the point; together they are 12 at most.
    pub(super) fn date(&mut self, secs: f64, shift: u32, digits: u32) -> &mut Line {
        let scale = 10u64.pow(digits);
        let smallest = (secs * 10f64.powi((shift + digits) as i32)).round() as u64;
        self.number(smallest / scale).text(".");
        // A one in front keeps the zeros behind the point.
        let behind = self.0.len();
        self.number(scale + smallest % scale);
        self.0.remove(behind);
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
            |secs, shift, digits| String::from_utf8(Line::default().date(secs, shift, digits).0.clone()).unwrap();
        assert_eq!(date(0.0, 0, 9), "0.000000000");
        assert_eq!(date(1.0625, 0, 9), "1.062500000");
        assert_eq!(date(0.000_012_345_678_9, 6, 6), "12.345679");
        assert_eq!(date(123_456.000_000_001, 6, 3), "123456000000.001");
        assert_eq!(date(0.999_999_999_9, 0, 9), "1.000000000");
    }
}
