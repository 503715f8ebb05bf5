//! Sizes, rates and times of the command line. Platform files have their own reader with positions.

use crate::failure::Failure;

/// Largest size: user addresses of x86-64 have 47 bits.
pub const MOST_BYTES: u64 = 1 << 47;

/// Bytes of a size such as `16MiB`, `64kB` or `4096`.
pub fn size(text: &str) -> Option<u64> {
    const UNITS: &[(&str, u64)] = &[
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("kB", 1_000),
        ("KB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("B", 1),
        ("", 1),
    ];
    let (number, unit) = split(text);
    let factor = UNITS.iter().find(|(name, _)| *name == unit)?.1;
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// The size that an option is given, in bytes: more than 0, and no more than a process can have.
pub fn bytes(name: &str, text: &str) -> Result<u64, Failure> {
    let expected = || Failure::Refused(format!("{name} {text}: expected a size such as 65536, 512KiB or 16MiB"));
    let bytes = size(text).filter(|bytes| *bytes > 0).ok_or_else(expected)?;
    if bytes > MOST_BYTES {
        return Err(Failure::Refused(format!(
            "{name} {text}: expected at most {}GiB, the addresses of a process",
            MOST_BYTES >> 30
        )));
    }
    Ok(bytes)
}

/// Bytes per second of a rate such as `26MiBps`, `1Gbps` or `125e6` (bytes per second, as SMPI's `-bandwidth`).
pub fn bytes_per_sec(text: &str) -> Option<f64> {
    const UNITS: &[(&str, f64)] = &[
        ("", 1.0),
        ("Bps", 1.0),
        ("kBps", 1e3),
        ("MBps", 1e6),
        ("GBps", 1e9),
        ("KiBps", 1024.0),
        ("MiBps", 1048576.0),
        ("GiBps", 1073741824.0),
        ("kbps", 125.0),
        ("Mbps", 125e3),
        ("Gbps", 125e6),
    ];
    let (number, factor) = number_and_unit(text, UNITS)?;
    Some(number * factor).filter(|rate| *rate > 0.0 && rate.is_finite())
}

/// Seconds of a time such as `5us` or `5e-6` (seconds, as SMPI's `-latency`).
pub fn seconds(text: &str) -> Option<f64> {
    // Divided, not multiplied: 5 / 1e6 is the double nearest to 5e-6, 5 * 1e-6 is not.
    const PER_SECOND: &[(&str, f64)] = &[("", 1.0), ("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)];
    let (number, parts) = number_and_unit(text, PER_SECOND)?;
    Some(number / parts).filter(|secs| *secs >= 0.0 && secs.is_finite())
}

fn number_and_unit(text: &str, units: &[(&str, f64)]) -> Option<(f64, f64)> {
    let (number, unit) = match text.parse::<f64>() {
        Ok(_) => (text, ""),
        Err(_) => split(text),
    };
    let factor = units.iter().find(|(name, _)| *name == unit)?.1;
    Some((number.parse::<f64>().ok()?, factor))
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    (text[..end].trim(), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("16MiB"), Some(16 << 20));
        assert_eq!(size("4096"), Some(4096));
        assert_eq!(size("1 GB"), Some(1_000_000_000));
        assert_eq!(size("16M"), None);
        assert_eq!(size("-1B"), None);
        assert_eq!(size("99999999999GiB"), None);
    }

    #[test]
    fn rates_and_times() {
        assert_eq!(bytes_per_sec("26MiBps"), Some(26.0 * 1048576.0));
        assert_eq!(bytes_per_sec("1e9"), Some(1e9));
        assert_eq!(bytes_per_sec("1Gbps"), Some(125e6));
        assert_eq!(bytes_per_sec("0"), None);
        assert_eq!(seconds("5us"), Some(5e-6));
        assert_eq!(seconds("5 parsecs"), None);
    }
}
