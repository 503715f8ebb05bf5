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
        let mut next = 0;
        while next < walks {
            // Walks that are one task begin at a copy of the first state. An error ends the task, but not the looking.
            let task = Task::Random { policy: Policy::Uniform, seed: ESTIMATE_SEED, walks: next..walks };
            let mut result = run(system, &task, &mut Memory::default(), &limits, &mut Quiet(observer));
            let is_over = result.verdict.stopped == Some(Stop::Asked);
            if is_over {
                result.walks.pop();
            }
            lns.extend(result.walks.iter().map(|walked| walked.ln_executions));
            is_least |= result.walks.iter().any(|walked| walked.is_least);
            next += result.walks.len() as u64;
            if is_over || result.walks.is_empty() {
                break;
            }
        }
        Estimate::of(&lns, is_least)
    }

    /// The decimal logarithm of the number.
    pub fn log10(&self) -> f64 {
        self.ln_executions / std::f64::consts::LN_10
    }
}

/// An observer that sees no ends of executions.
struct Quiet<'a, S>(&'a mut dyn Observer<S>);

impl<S> Observer<S> for Quiet<'_, S> {
    fn visit(&mut self, stats: &Stats, outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        self.0.visit(stats, outlook)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean and the relative error.
    fn of(numbers: &[f64]) -> Option<(f64, f64)> {
        let estimate = Estimate::of(&numbers.iter().map(|number| number.ln()).collect::<Vec<_>>(), false)?;
        let round = |number: f64| (number * 1e9).round() / 1e9;
        Some((round(estimate.ln_executions.exp()), round(estimate.relative_error)))
    }

    #[test]
    fn means_and_spreads_of_small_and_of_huge_numbers() {
        assert_eq!(of(&[24.0; 5]), Some((24.0, 0.0)));
        // Mean 2, standard deviation 2/√3 (with n − 1), standard error half of it.
        assert_eq!(of(&[1.0, 1.0, 3.0, 3.0]), Some((2.0, 0.288675135)));
        assert_eq!(of(&[0.0, 0.0]), None);
        assert_eq!(of(&[]), None);
        // Walks that end nowhere count as nothing.
        assert_eq!(of(&[0.0, 6.0]), Some((3.0, 1.0)));
        let huge = Estimate::of(&[5000.0, 5000.0], true).unwrap();
        assert!((huge.log10() - 2171.472).abs() < 1e-3 && huge.is_least);
    }
}
