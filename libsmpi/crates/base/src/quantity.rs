//! Quantities with units, and their text form: `"12.5GBps"`, `"100Gbps"`, `"1us"`, `"10Gf"`, `"64KiB"`.
//!
//! Decimal prefixes k, K, M, G, T, P, E multiply by powers of 1000, binary ones Ki, Mi, Gi, Ti, Pi, Ei by powers of
//! 1024. In amounts and rates `B` is a byte and `b` a bit. The unit is case sensitive, because `b` and `B` differ by
//! eight. The set of units is the one that SimGrid's platform files use.

use crate::time::SimTime;
use std::fmt;

/// An amount of data in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Bytes(pub u64);

/// A data rate in bytes per second. Never NaN.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Rate(pub f64);

/// An amount of computation in floating-point operations; for a host, operations per second. Never NaN.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Flops(pub f64);

/// Why a text is not the quantity that was wanted. [`fmt::Display`] gives the whole sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuantityError {
    /// The refused text.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
    /// What would have been accepted.
    pub expected: &'static str,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\": {}, expected {}", self.text, self.problem, self.expected)
    }
}

impl std::error::Error for QuantityError {}

/// Whether a number may stand without a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// A unit is required, except for zero.
    Required,
    /// A bare number is in the base unit (bytes, bytes per second, seconds, flops): the habit of `--cfg=` values.
    Optional,
}

const BYTES_EXPECTED: &str = "a size such as \"64KiB\", \"1.5MB\" or \"512B\"";
const RATE_EXPECTED: &str = "a bandwidth such as \"125MBps\", \"100Gbps\" or \"2.5GiBps\"";
const FLOPS_EXPECTED: &str = "a speed such as \"1Gf\", \"2.5Tf\" or \"800Mf\"";
const TIME_EXPECTED: &str = "a duration such as \"50us\", \"1.5ms\" or \"2s\"";

impl Bytes {
    /// Reads `"64KiB"`, `"1MB"`, `"8kb"` (bits), …; the result is rounded to whole bytes.
    pub fn parse(text: &str, unit: Unit) -> Result<Bytes, QuantityError> {
        let bytes = parse(text, unit, BYTES_EXPECTED, |u| prefixed(u, "B", 1.0).or_else(|| prefixed(u, "b", 0.125)))?;
        Ok(Bytes(bytes.round() as u64))
    }
}

impl Rate {
    /// Reads `"12.5GBps"` (bytes per second), `"100Gbps"` (bits per second), …
    pub fn parse(text: &str, unit: Unit) -> Result<Rate, QuantityError> {
        parse(text, unit, RATE_EXPECTED, |u| prefixed(u, "Bps", 1.0).or_else(|| prefixed(u, "bps", 0.125))).map(Rate)
    }

    /// The number of bytes per second.
    pub fn bytes_per_sec(self) -> f64 {
        self.0
    }
}

impl Flops {
    /// Reads `"10Gf"`, `"800Mf"`, …
    pub fn parse(text: &str, unit: Unit) -> Result<Flops, QuantityError> {
        parse(text, unit, FLOPS_EXPECTED, |u| prefixed(u, "f", 1.0)).map(Flops)
    }

    /// The number of floating-point operations (per second).
    pub fn flops(self) -> f64 {
        self.0
    }
}

/// Reads a duration: `"50us"`, `"1.5ms"`, `"2s"`, also ps, ns, m (minutes), h, d, w.
pub fn parse_duration(text: &str, unit: Unit) -> Result<SimTime, QuantityError> {
    let scale = |u: &str| {
        Some(match u {
            "ps" => Scale::Divide(1e12),
            "ns" => Scale::Divide(1e9),
            "us" | "µs" => Scale::Divide(1e6),
            "ms" => Scale::Divide(1e3),
            "s" => Scale::Multiply(1.0),
            "m" => Scale::Multiply(60.0),
            "h" => Scale::Multiply(3600.0),
            "d" => Scale::Multiply(86_400.0),
            "w" => Scale::Multiply(604_800.0),
            _ => return None,
        })
    };
    parse(text, unit, TIME_EXPECTED, scale).map(SimTime)
}

/// How a unit changes the number before it. Dividing by 10⁶ is exact where multiplying by 10⁻⁶ is not:
/// `"50us"` must be the same double as `5e-5`.
enum Scale {
    Multiply(f64),
    Divide(f64),
}

/// The scale of `unit` when it is a prefix followed by `base`.
fn prefixed(unit: &str, base: &str, factor: f64) -> Option<Scale> {
    let prefix = unit.strip_suffix(base)?;
    let power = match prefix {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" | "ki" => 1024.0,
        "Mi" => 1024.0 * 1024.0,
        "Gi" => (1u64 << 30) as f64,
        "Ti" => (1u64 << 40) as f64,
        "Pi" => (1u64 << 50) as f64,
        "Ei" => (1u64 << 60) as f64,
        _ => return None,
    };
    Some(Scale::Multiply(power * factor))
}

fn parse(
    text: &str,
    unit: Unit,
    expected: &'static str,
    scale: impl Fn(&str) -> Option<Scale>,
) -> Result<f64, QuantityError> {
    let fail = |problem: String| Err(QuantityError { text: text.to_owned(), problem, expected });
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return fail("nothing there".to_owned());
    }
    let split = number_length(trimmed);
    let (digits, name) = (&trimmed[..split], trimmed[split..].trim_start());
    let Ok(number) = digits.parse::<f64>() else {
        return fail("does not start with a number".to_owned());
    };
    if number < 0.0 || !number.is_finite() {
        return fail(format!("{digits} is out of range"));
    }
    if name.is_empty() {
        return match unit {
            Unit::Required if number != 0.0 => fail("the unit is missing".to_owned()),
            _ => Ok(number),
        };
    }
    match scale(name) {
        Some(Scale::Multiply(by)) => Ok(number * by),
        Some(Scale::Divide(by)) => Ok(number / by),
        None => fail(format!("unknown unit \"{name}\"")),
    }
}

/// Bytes of `text` that belong to the number. An `e` is an exponent only when digits follow, so that `"1Ef"` has a
/// unit.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        at
    };
    let sign = |at: usize| at + usize::from(at < bytes.len() && matches!(bytes[at], b'+' | b'-'));
    let mut end = digits(sign(0));
    if end < bytes.len() && bytes[end] == b'.' {
        end = digits(end + 1);
    }
    if end < bytes.len() && matches!(bytes[end], b'e' | b'E') {
        let start = sign(end + 1);
        let exponent = digits(start);
        if exponent > start {
            end = exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_forms_are_read() {
        let rate = |t| Rate::parse(t, Unit::Required).unwrap().0;
        assert_eq!(rate("12.5GBps"), 12.5e9);
        assert_eq!(rate("100Gbps"), 12.5e9);
        assert_eq!(rate("125MBps"), 125e6);
        assert_eq!(rate("1 KiBps"), 1024.0);
        assert_eq!(rate("1e3kBps"), 1e6);
        assert_eq!(Flops::parse("10Gf", Unit::Required).unwrap().0, 1e10);
        assert_eq!(Flops::parse("1Ef", Unit::Required).unwrap().0, 1e18);
        assert_eq!(parse_duration("50us", Unit::Required).unwrap().0, 5e-5);
        assert_eq!(parse_duration("0", Unit::Required).unwrap().0, 0.0);
        assert_eq!(parse_duration("1e-3", Unit::Optional).unwrap().0, 1e-3);
        assert_eq!(Bytes::parse("64KiB", Unit::Required).unwrap(), Bytes(65536));
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        let problem = |t| Rate::parse(t, Unit::Required).unwrap_err().problem;
        assert_eq!(problem("125MBqs"), "unknown unit \"MBqs\"");
        assert_eq!(problem("125"), "the unit is missing");
        assert_eq!(problem("fast"), "does not start with a number");
        assert_eq!(problem("-1Bps"), "-1 is out of range");
        assert_eq!(problem(""), "nothing there");
        let whole = parse_duration("5parsec", Unit::Required).unwrap_err().to_string();
        assert!(whole.starts_with("\"5parsec\": unknown unit \"parsec\", expected a duration such as"), "{whole}");
    }
}
