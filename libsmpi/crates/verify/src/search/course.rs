//! How many executions a program has, judged by the part of it that was explored.
//!
//! An exploration that goes depth first knows which part of the tree it has behind it, if all subtrees of a state are
//! equally large: the executions seen, divided by this part, are an estimate of all (the weighted backtrack
//! estimator of Kilby and others, "Estimating Search Tree Size", AAAI 2006). It is never below what was seen, and
//! counts what random executions do not: candidates that come late. How much it has moved while the executions grew to
//! sixteen times their number is its spread.

use smpi_checker::Verdict;

/// Executions at which the first estimate is remembered.
const FIRST: u64 = 16;
/// Estimates that are remembered, each at twice as many executions as the one before.
const REMEMBERED: usize = 4;

/// Estimates from one exploration, as natural logarithms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// Executions at which one was remembered last.
    at: u64,
    /// The last ones, in their order.
    remembered: Vec<f64>,
    /// The present one.
    now: Option<f64>,
}

impl Course {
    /// Whether an estimate is to be remembered after so many executions.
    pub fn is_due(&self, executions: u64) -> bool {
        executions >= FIRST.max(2 * self.at)
    }

    /// After so many executions, the explored part has this natural logarithm.
    pub fn note(&mut self, executions: u64, ln_explored: f64) {
        self.now = (executions > 0 && ln_explored < 0.0 && ln_explored.is_finite())
            .then(|| (executions as f64).ln() - ln_explored);
        if self.is_due(executions)
            && let Some(now) = self.now
        {
            self.at = executions;
            if self.remembered.len() == REMEMBERED {
                self.remembered.remove(0);
            }
            self.remembered.push(now);
        }
    }

    /// The exploration is over: there is an estimate if a limit has ended it, or the user.
    pub fn end(&mut self, verdict: &Verdict) {
        let ln_explored = if verdict.is_cut_short() { verdict.ln_explored } else { 0.0 };
        self.note(verdict.stats.executions, ln_explored);
    }

    /// The present estimate, and the least and the largest of those that are remembered and of this one: decimal
    /// logarithms. `None` where nothing is known.
    pub fn log10(&self) -> Option<(f64, [f64; 2])> {
        let now = self.now?;
        let all = || self.remembered.iter().copied().chain([now]);
        let (low, high) = (all().fold(now, f64::min), all().fold(now, f64::max));
        let log10 = |ln: f64| ln / std::f64::consts::LN_10;
        Some((log10(now), [log10(low), log10(high)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smpi_checker::Stop;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn the_spread_is_that_of_the_last_doublings() {
        let mut course = Course::default();
        assert_eq!(course.log10(), None);
        // All that was seen, and nothing that has a part in it: no estimate.
        course.note(5, f64::NEG_INFINITY);
        assert_eq!(course.log10(), None);
        for (executions, total) in [(16, 1e9), (20, 1e8), (32, 900.0), (64, 800.0), (128, 3000.0), (256, 1000.0)] {
            course.note(executions, (executions as f64 / total).ln());
        }
        course.note(300, (300_f64 / 1200.0).ln());
        let (now, [low, high]) = course.log10().unwrap();
        assert!(close(now, 1200_f64.log10()) && close(low, 800_f64.log10()) && close(high, 3000_f64.log10()));
        assert!(!course.is_due(511) && course.is_due(512));
    }

    #[test]
    fn an_estimate_is_not_below_what_was_seen() {
        let mut course = Course::default();
        course.note(69_903, 0.9_f64.ln());
        assert!(course.log10().unwrap().0 > 69_903_f64.log10());
        // Where nothing says that anything is left, or a finding has ended the exploration, nothing is estimated.
        course.note(69_903, 0.0);
        assert_eq!(course.log10(), None);
        let mut verdict = Verdict { ln_explored: -1.0, ..Verdict::default() };
        verdict.stats.executions = 69_903;
        for (stop, is_estimated) in [(Stop::Executions, true), (Stop::Asked, true), (Stop::Error, false)] {
            verdict.stopped = Some(stop);
            course.end(&verdict);
            assert_eq!(course.log10().is_some(), is_estimated);
        }
    }
}
