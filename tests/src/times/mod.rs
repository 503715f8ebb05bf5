//! Simulated times beside those that SimGrid's SMPI predicts for the same program on the same platform.
//!
//! [`runs`] lists what is run, [`execute`] runs it with our tools or the peer's, [`recorded`] is the file with the
//! peer's figures. `cargo xtask compare --record` writes it; the test `times` needs only the file.

mod collectives;
pub mod execute;
pub mod recorded;
pub mod run;
pub mod runs;

/// Relative difference that is tolerated. Both sides do the same sums, in another order; the ends of their measurements
/// are dates of a few hundred seconds, whose last digit is 10⁻¹⁴ s.
const TOLERANCE: f64 = 1e-8;

/// Seconds that are tolerated where a time is nearly nothing.
const NOTHING_SECS: f64 = 1e-13;

/// What a program took, as one name and one or more figures in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Unique in its run; no comma in it.
    pub name: String,
    /// The slowest rank and the mean of all ranks, or the whole run.
    pub secs: Vec<f64>,
}

/// The measurements that a program of `tests/times` printed, as lines `NAME: SECONDS SECONDS`.
///
/// # Errors
/// A line that is none, or none at all.
pub fn printed(text: &str) -> Result<Vec<Measurement>, String> {
    let parse = |line: &str| {
        let (name, figures) = line.rsplit_once(": ")?;
        let secs = figures.split(' ').map(|figure| figure.parse().ok()).collect::<Option<Vec<f64>>>()?;
        Some(Measurement { name: name.to_string(), secs })
    };
    let measurements: Result<Vec<Measurement>, String> =
        text.lines().map(|line| parse(line).ok_or_else(|| format!("`{line}` is no measurement"))).collect();
    match measurements {
        Ok(measurements) if measurements.is_empty() => Err("the program printed no measurement".into()),
        other => other,
    }
}

/// Largest relative difference; infinite when there are not as many figures, or one is not a number.
pub fn difference(found: &[f64], expected: &[f64]) -> f64 {
    if found.len() != expected.len() {
        return f64::INFINITY;
    }
    let relative = |(found, expected): (&f64, &f64)| match (found - expected).abs() {
        distance if distance <= NOTHING_SECS => 0.0,
        distance if distance.is_nan() => f64::INFINITY,
        distance => distance / expected.abs(),
    };
    found.iter().zip(expected).map(relative).fold(0.0, f64::max)
}

/// Whether the figures are the same as far as can be told.
pub fn is_same(found: &[f64], expected: &[f64]) -> bool {
    difference(found, expected) <= TOLERANCE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_programs() {
        let found = printed("send 8 B: 2e-4 1e-4\nall: 0 0\n").unwrap();
        assert_eq!(found[0], Measurement { name: "send 8 B".into(), secs: vec![2e-4, 1e-4] });
        assert_eq!(found.len(), 2);
        assert!(printed("").is_err());
        assert!(printed("send 8 B: 2e-4 x").is_err());
    }

    #[test]
    fn the_same_is_nearly_the_same() {
        assert!(is_same(&[1.0 + 1e-9, 0.0], &[1.0, 1e-14]));
        assert!(!is_same(&[1.0 + 1e-7], &[1.0]));
        assert!(!is_same(&[0.0], &[1e-12]));
        assert!(!is_same(&[1.0], &[1.0, 1.0]));
        assert!(!is_same(&[f64::NAN], &[1.0]));
    }
}
