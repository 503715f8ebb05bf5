//! What changes over time: speeds and states of hosts; bandwidths, latencies and states of links.
//!
//! SimGrid's profile files hold one change a line, a date in seconds and a value, and perhaps how they repeat:
//!
//! ```text
//! 0 0.5
//! 11 1.0
//! PERIODICITY 20      again every 20 s           LOOPAFTER 9      again 9 s after the last change
//! ```

use crate::model::LinkId;
use smpi_base::HostId;

/// The shortest period, in seconds: dates that are closer to each other count as one (`precision/timing`), and whoever
/// follows a shorter one does nothing else.
const LEAST_PERIOD_SECS: f64 = 1e-9;

/// What a profile changes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Quantity {
    /// Speed of a host; values are parts of the speed that it is described with.
    Speed(HostId),
    /// Whether a host is on; 0 is off.
    HostState(HostId),
    /// Bandwidth of a link in bytes per second.
    Bandwidth(LinkId),
    /// Latency of a link in seconds.
    Latency(LinkId),
    /// Whether a link is on; 0 is off.
    LinkState(LinkId),
}

impl Quantity {
    /// Whether it is one of links.
    pub fn is_link(self) -> bool {
        matches!(self, Quantity::Bandwidth(_) | Quantity::Latency(_) | Quantity::LinkState(_))
    }
}

/// The values that a quantity takes over time. Before the first date it is as described elsewhere.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// What changes.
    pub of: Quantity,
    /// When it changes, and to what.
    pub changes: Changes,
}

/// Dates and values.
#[derive(Clone, PartialEq, Debug)]
pub struct Changes {
    /// Dates in seconds, in ascending order, and values. At least one.
    points: Vec<(f64, f64)>,
    /// After so many seconds everything happens again. Invariant: more than zero, and not before the last date.
    period_secs: Option<f64>,
}

impl Changes {
    /// Checks dates, values and period.
    ///
    /// # Errors
    /// A sentence without its end: what is wrong and what was expected.
    pub fn new(points: Vec<(f64, f64)>, period_secs: Option<f64>) -> Result<Changes, String> {
        let Some(&(last, _)) = points.last() else {
            return Err("the profile has no change, expected a date and a value".to_owned());
        };
        if let Some((date, value)) = points.iter().find(|(date, value)| !is_usable(*date) || !value.is_finite()) {
            return Err(out_of_range(*date, *value));
        }
        if let Some(pair) = points.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(format!("the date {} s comes after {} s, expected ascending dates", pair[1].0, pair[0].0));
        }
        match period_secs {
            Some(period) if period > 0.0 && period < LEAST_PERIOD_SECS => Err(format!(
                "the period of {period:e} s is too short, expected at least {LEAST_PERIOD_SECS:e} s: what changes more often \
                 has a mean"
            )),
            Some(period) if !(is_usable(period) && period > 0.0 && period >= last) => {
                Err(format!("the period of {period} s ends before the last change at {last} s, expected a longer one"))
            }
            _ => Ok(Changes { points, period_secs }),
        }
    }

    /// Reads a profile file of SimGrid. `period_secs`: how it repeats, where it does not say so.
    ///
    /// # Errors
    /// The line, counted from 1, where there is one, and a sentence without its end.
    pub fn parse(text: &str, period_secs: Option<f64>) -> Result<Changes, (usize, String)> {
        let (mut points, mut period, mut pause) = (Vec::new(), period_secs, None);
        for (index, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let finite = |text: &str| text.parse::<f64>().ok().filter(|x| x.is_finite());
            let number = |text: &str| finite(text).filter(|x| is_usable(*x));
            match words[..] {
                [] => {}
                [first, ..] if first.starts_with(['#', '%']) => {}
                ["STOCHASTIC", ..] => {
                    let message = "random profiles are out of scope, expected dates and values".to_owned();
                    return Err((index + 1, message));
                }
                ["PERIODICITY", secs] if number(secs).is_some() => period = number(secs),
                ["LOOPAFTER", secs] if number(secs).is_some() => pause = number(secs),
                // A state that is negative is off, as SimGrid has it.
                [date, value] if number(date).is_some() && finite(value).is_some() => {
                    points.extend(number(date).zip(finite(value)));
                }
                _ => {
                    let message =
                        format!("\"{line}\" is no change, expected a date in seconds and a value, as in \"11 0.5\"");
                    return Err((index + 1, message));
                }
            }
        }
        let last = points.last().map_or(0.0, |(date, _)| *date);
        Changes::new(points, pause.map(|pause| last + pause).or(period)).map_err(|why| (1, why))
    }

    /// Dates in seconds and values of the first round.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The length of a round in seconds, if there are several.
    pub fn period_secs(&self) -> Option<f64> {
        self.period_secs
    }

    /// Date and value of the `index`-th change, counted over all rounds.
    pub fn at(&self, index: usize) -> Option<(f64, f64)> {
        let (round, index) = (index / self.points.len(), index % self.points.len());
        let start = match (round, self.period_secs) {
            (0, _) => 0.0,
            (_, period) => round as f64 * period?,
        };
        let (date, value) = self.points[index];
        Some((start + date, value))
    }

    /// Whether this value occurs.
    pub(crate) fn has(&self, value: f64) -> bool {
        self.points.iter().any(|point| point.1 == value)
    }

    /// The first change to less than nothing.
    pub(crate) fn negative(&self) -> Option<(f64, f64)> {
        self.points.iter().copied().find(|point| point.1 < 0.0)
    }

    /// Whether a larger value occurs.
    pub(crate) fn has_more_than(&self, value: f64) -> bool {
        self.points.iter().any(|point| point.1 > value)
    }
}

/// What is wrong with a change of which a number may not be what it is.
pub(crate) fn out_of_range(date: f64, value: f64) -> String {
    format!("the change \"{date} {value}\" is out of range, expected numbers from 0")
}

fn is_usable(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_not_shorter_than_clocks_can_tell() {
        let of = |period| Changes::new(vec![(0.0, 0.5)], Some(period));
        assert!(of(1e-9).is_ok() && of(1e-30).is_err_and(|why| why.contains("at least 1e-9 s")));
    }

    #[test]
    fn a_profile_repeats_after_its_period_or_its_pause() {
        let changes = Changes::parse("# speed\n0 1.0\n11 0.5\n20 0.9\nLOOPAFTER 1\n", None).unwrap();
        assert_eq!(changes.period_secs(), Some(21.0));
        assert_eq!(changes.at(2), Some((20.0, 0.9)));
        assert_eq!(changes.at(3), Some((21.0, 1.0)));
        assert_eq!(changes.at(7), Some((53.0, 0.5)));
        assert_eq!(Changes::parse("1 0\n2 1", None).unwrap().at(2), None);
        assert_eq!(Changes::parse("1 0\n2 1\nPERIODICITY 12", None).unwrap().at(2), Some((13.0, 0.0)));
        assert_eq!(Changes::parse("1 0\n2 1", Some(12.0)).unwrap().at(3), Some((14.0, 1.0)));
    }

    #[test]
    fn what_is_negative_may_be_a_state() {
        assert_eq!(Changes::parse("1 -1.0\n2 1.0", None).unwrap().negative(), Some((1.0, -1.0)));
        assert_eq!(Changes::parse("1 0\n2 1.0", None).unwrap().negative(), None);
    }

    #[test]
    fn bad_profiles_name_their_line() {
        for (text, line, part) in [
            ("0 1\nx 2", 2, "\"x 2\" is no change"),
            ("", 1, "no change"),
            ("2 1\n1 1", 1, "ascending"),
            ("2 1\nPERIODICITY 1", 1, "ends before"),
            ("0 1\nLOOPAFTER 0", 1, "period of 0 s"),
            ("STOCHASTIC\nEXP 1 DET 2", 1, "out of scope"),
            ("-1 2", 1, "is no change"),
        ] {
            let (at, why) = Changes::parse(text, None).unwrap_err();
            assert_eq!(at, line, "{text}");
            assert!(why.contains(part), "{why}");
        }
    }
}
