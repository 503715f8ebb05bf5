//! How many executions a program has, judged by random walks.
//!
//! A walk that has passed states with b₁, b₂, …, bₙ candidates, and took one of each with equal probability, stands for
//! b₁·b₂·…·bₙ executions: the mean of this number over all walks is the number of leaves of the tree (Knuth,
//! "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975). At a state where several
//! choices are open, it does not matter which is made: if no candidate comes late for it, the executions below each of
//! its candidates are different ones, and together all. Candidates that come late are not counted; then the mean is a
//! lower bound.
//!
//! The numbers have a skewed distribution where subtrees differ in size: few walks then stand for most of the tree, and
//! the estimate is rather too small. Its spread shows that only if some of these walks were met.

use std::fmt;

use super::{Memory, Policy, Task, run};
use crate::system::System;
use crate::verdict::{Flow, Limits, Observer, Outlook, Stats, Stop};

/// Walks that an estimate is made from, where nothing else says how many.
pub const WALKS: u64 = 100;
/// The seed of walks that only serve an estimate.
pub(super) const ESTIMATE_SEED: u64 = 0;

/// An estimate of the number of executions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Walks that it is made from.
    pub walks: u64,
    /// Natural logarithm of the mean number of executions; −∞ where no walk came to the end of one.
    pub ln_executions: f64,
    /// The standard error of the mean, as a part of it.
    pub relative_error: f64,
    /// Some executions are not counted: the program has more.
    pub is_least: bool,
}

impl Estimate {
    /// From the logarithms of the numbers that walks stand for; `None` where there are none.
    pub fn of(lns: &[f64], is_least: bool) -> Option<Estimate> {
        let largest = lns.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let count = lns.len() as f64;
        if lns.is_empty() || largest == f64::NEG_INFINITY {
            return None;
        }
        // Scaled by the largest: the numbers themselves may be too large for a float.
        let mean = lns.iter().map(|ln| (ln - largest).exp()).sum::<f64>() / count;
        let squares = lns.iter().map(|ln| ((ln - largest).exp() - mean).powi(2)).sum::<f64>();
        let error = if lns.len() > 1 { (squares / (count - 1.0) / count).sqrt() } else { 0.0 };
        let (walks, ln_executions) = (lns.len() as u64, largest + mean.ln());
        Some(Estimate { walks, ln_executions, relative_error: error / mean, is_least })
    }

    /// From random walks through a system. Errors that they meet are not shown to the observer; it may end the walks.
    pub fn probe<S: System>(
        system: &mut S,
        walks: u64,
        limits: &Limits,
        observer: &mut dyn Observer<S>,
    ) -> Option<Estimate> {
        let limits = Limits { executions: u64::MAX, ..*limits };
        let mut lns = Vec::new();
        let mut is_least = false;
        for number in 0..walks {
            let task = Task::Random { policy: Policy::Uniform, seed: ESTIMATE_SEED, walks: number..number + 1 };
            let result = run(system, &task, &mut Memory::default(), &limits, &mut Quiet(observer));
            if result.verdict.stopped == Some(Stop::Asked) {
                break;
            }
            lns.extend(result.walks.iter().map(|walked| walked.ln_executions));
            is_least |= result.walks.iter().any(|walked| walked.is_least);
        }
        Estimate::of(&lns, is_least)
    }

    /// The decimal logarithm of the number.
    pub fn log10(&self) -> f64 {
        self.ln_executions / std::f64::consts::LN_10
    }
}

impl fmt::Display for Estimate {
    /// `about 5040 executions`, `at least 1.2e17 executions (spread 8 %)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = if self.is_least { "at least" } else { "about" };
        write!(f, "{words} {} executions", Number(self.log10()))?;
        let percent = 100.0 * self.relative_error;
        if percent >= 0.5 { write!(f, " (spread {percent:.0} %)") } else { Ok(()) }
    }
}

/// An observer that sees no ends of executions.
struct Quiet<'a, S>(&'a mut dyn Observer<S>);

impl<S> Observer<S> for Quiet<'_, S> {
    fn visit(&mut self, stats: &Stats, outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        self.0.visit(stats, outlook)
    }
}

/// A number by its decimal logarithm, with two digits where it is large.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 6.0 {
            return write!(f, "{:.0}", 10_f64.powf(self.0));
        }
        let mut exponent = self.0.floor();
        let mut digits = (10_f64.powf(self.0 - exponent) * 10.0).round() / 10.0;
        if digits >= 10.0 {
            (digits, exponent) = (1.0, exponent + 1.0);
        }
        write!(f, "{digits:.1}e{exponent:.0}")
    }
}

/// The logarithm of the sum of two numbers that are given by theirs.
pub(super) fn ln_add(a: f64, b: f64) -> f64 {
    let (larger, smaller) = if a < b { (b, a) } else { (a, b) };
    if smaller == f64::NEG_INFINITY { larger } else { larger + (smaller - larger).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_spreads_of_small_and_of_huge_numbers() {
        let of = |numbers: &[f64]| Estimate::of(&numbers.iter().map(|number| number.ln()).collect::<Vec<_>>(), false);
        assert_eq!(of(&[24.0; 5]).unwrap().to_string(), "about 24 executions");
        // Mean 2, standard deviation 2/√3 (with n − 1), standard error half of it: 0.577, or 29 % of the mean.
        assert_eq!(of(&[1.0, 1.0, 3.0, 3.0]).unwrap().to_string(), "about 2 executions (spread 29 %)");
        assert_eq!(of(&[0.0, 0.0]), None);
        assert_eq!(of(&[]), None);
        // Walks that end nowhere count as nothing.
        assert_eq!(of(&[0.0, 6.0]).unwrap().to_string(), "about 3 executions (spread 100 %)");
        let huge = Estimate::of(&[5000.0, 5000.0], true).unwrap();
        assert_eq!(huge.to_string(), "at least 3.0e2171 executions");
        assert_eq!(of(&[9.97e6]).unwrap().to_string(), "about 1.0e7 executions");
    }

    #[test]
    fn sums_of_logarithms() {
        assert!((ln_add(2_f64.ln(), 3_f64.ln()) - 5_f64.ln()).abs() < 1e-12);
        assert_eq!(ln_add(f64::NEG_INFINITY, 1.0), 1.0);
        assert_eq!(ln_add(f64::NEG_INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
    }
}
