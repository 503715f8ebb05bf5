//! What a verification has covered that does not explore everything, and how much there is: as data and in words.

use serde::{Deserialize, Serialize};
use smpi_base::words::counted;
use std::fmt;

/// The probability that is promised for errors that some random executions show.
const CONFIDENCE: f64 = 0.95;

/// What was executed instead of everything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "strategy", rename_all = "kebab-case")]
pub enum Coverage {
    /// The natural execution, and random ones.
    Sample {
        /// How many random ones; some of them may be the same execution.
        walks: u64,
        /// The seed of the random numbers.
        seed: u64,
        /// For executions by random priorities: what bugs they find.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priorities: Option<Priorities>,
    },
    /// Executions that differ from the natural one in few choices.
    Deviations {
        /// In how many at most.
        most: u32,
        /// How many differ in 0, 1, … choices.
        executions: Vec<u64>,
    },
}

/// Random executions by priorities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Priorities {
    /// The depth of bugs that the probability is about.
    pub bug_depth: u32,
    /// What has a priority: senders of messages, indices of requests, answers of polls.
    pub agents: u64,
    /// Choices of an execution.
    pub choices: u64,
    /// The least probability that one execution shows a bug of this depth.
    pub probability: f64,
}

impl Priorities {
    /// With the probability 1/(n·k^(d−1)) for n agents, k choices and depth d.
    pub fn new(bug_depth: u32, agents: u64, choices: u64) -> Priorities {
        let (agents, choices) = (agents.max(1), choices.max(1));
        let probability = 1.0 / (agents as f64 * (choices as f64).powf(f64::from(bug_depth) - 1.0));
        Priorities { bug_depth, agents, choices, probability }
    }
}

/// How many executions there are, judged by random ones or by the part that was explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Random executions that it is made from; 0 where it is made from the part that was explored, or is the number of
    /// executions that were seen.
    pub walks: u64,
    /// The decimal logarithm of the number.
    pub log10_executions: f64,
    /// The standard error of the number, as a part of it.
    pub relative_error: f64,
    /// There are more: not all of them are counted.
    pub at_least: bool,
    /// The decimal logarithms between which the number is likely to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log10_range: Option<[f64; 2]>,
}

impl Estimate {
    /// The same where so many were executed already, and not all: then there are more, and random executions have not
    /// shown them.
    pub fn beyond(self, executions: u64) -> Estimate {
        let known = (executions.max(1) as f64).log10();
        let log10_range = self.log10_range.map(|range| range.map(|bound| bound.max(known)));
        match self.log10_executions > known {
            true => Estimate { log10_range, ..self },
            false => Estimate { log10_executions: known, at_least: true, ..Estimate::default() },
        }
    }

    /// The same with a range that this number is in, too.
    pub fn widened(self, log10: f64) -> Estimate {
        let [low, high] = self.log10_range.unwrap_or([self.log10_executions; 2]);
        Estimate { log10_range: Some([low.min(log10), high.max(log10)]), ..self }
    }

    /// The range in words, where it is more than one number: `900 to 3000`.
    pub(crate) fn range(&self) -> Option<String> {
        let [low, high] = self.log10_range?.map(large);
        (low != high).then(|| format!("{low} to {high}"))
    }
}

impl fmt::Display for Estimate {
    /// `about 5040 executions in all`, `at least 1.2e17 executions in all (1.1e17 to 1.3e17)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = if self.at_least { "at least" } else { "about" };
        write!(f, "{words} {} executions in all", large(self.log10_executions))?;
        self.range().map_or(Ok(()), |range| write!(f, " ({range})"))
    }
}

/// A number by its decimal logarithm, with two digits where it is large.
pub(crate) fn large(log10: f64) -> String {
    if log10 < 6.0 {
        return format!("{:.0}", 10_f64.powf(log10));
    }
    let mut exponent = log10.floor();
    let mut digits = (10_f64.powf(log10 - exponent) * 10.0).round() / 10.0;
    if digits >= 10.0 {
        (digits, exponent) = (1.0, exponent + 1.0);
    }
    format!("{digits:.1}e{exponent:.0}")
}

/// A probability: with two digits where it is small, and never as certainty.
fn probability(value: f64) -> String {
    match value {
        ..0.001 => format!("{value:.1e}"),
        ..0.1 => format!("{value:.4}"),
        _ => format!("{:.3}", value.min(0.999)),
    }
}

/// The probability that something shows in one of `walks` executions, if it does in one with `each`.
fn once(each: f64, walks: u64) -> f64 {
    -f64::exp_m1(walks as f64 * f64::ln_1p(-each))
}

impl Coverage {
    /// In a few sentences without the last full stop.
    pub fn words(&self) -> String {
        match self {
            Coverage::Sample { walks, seed, priorities: None } => {
                // (1 − p)^walks = 1 − CONFIDENCE
                let least = -f64::exp_m1((1.0 - CONFIDENCE).ln() / (*walks).max(1) as f64);
                format!(
                    "the natural execution and {} (seed {seed}). So many show an error that is in one of {:.0} random \
                     executions with a probability of {CONFIDENCE}",
                    counted(*walks, "random one"),
                    (1.0 / least).floor()
                )
            }
            Coverage::Sample { walks, seed, priorities: Some(priorities) } => {
                let &Priorities { bug_depth, agents, choices, probability: each } = priorities;
                let bound = match bug_depth {
                    1 => agents.to_string(),
                    2 => format!("({agents}·{choices})"),
                    _ => format!("({agents}·{choices}^{})", bug_depth - 1),
                };
                format!(
                    "the natural execution and {} by priorities (seed {seed}). Each shows a bug of depth {bug_depth} with a \
                     probability of at least 1/{bound} = {}, all together with one of at least {}",
                    counted(*walks, "random one"),
                    probability(each),
                    probability(once(each, *walks))
                )
            }
            Coverage::Deviations { executions, .. } => {
                let words = |(deviations, count): (usize, &u64)| match deviations {
                    0 => "the natural execution".to_string(),
                    _ => format!("{count} with {}", counted(deviations as u64, "deviation")),
                };
                executions.iter().enumerate().map(words).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(number: f64, range: Option<[f64; 2]>, at_least: bool) -> String {
        let log10_range = range.map(|range| range.map(f64::log10));
        Estimate { walks: 9, log10_executions: number.log10(), relative_error: 0.1, at_least, log10_range }.to_string()
    }

    #[test]
    fn estimates_in_words() {
        assert_eq!(estimate(24.0, None, false), "about 24 executions in all");
        let range = Some([3e5, 424_242.0]);
        assert_eq!(estimate(362_880.0, range, false), "about 362880 executions in all (300000 to 424242)");
        assert_eq!(estimate(9.97e6, Some([9.96e6, 9.98e6]), true), "at least 1.0e7 executions in all");
        let few = Estimate { walks: 100, log10_executions: 15_f64.log10(), relative_error: 0.1, ..Estimate::default() };
        assert_eq!(few.beyond(69_903).to_string(), "at least 69903 executions in all");
        assert_eq!(few.beyond(14), few);
        // Nothing is said to be less than what was seen.
        let wide = few.widened(1.0).widened(2.0).beyond(14);
        assert_eq!(wide.to_string(), "about 15 executions in all (14 to 100)");
        let huge = Estimate { log10_executions: 2171.47, ..Estimate::default() };
        assert_eq!(huge.to_string(), "about 3.0e2171 executions in all");
    }

    #[test]
    fn what_a_sample_promises_follows_from_its_size() {
        let sample = |priorities| Coverage::Sample { walks: 1000, seed: 7, priorities }.words();
        // 1 − 0.05^(1/1000) = 1/334.3.
        assert!(
            sample(None).contains("(seed 7). So many show an error that is in one of 334 random"),
            "{}",
            sample(None)
        );
        let priorities = Priorities::new(2, 20, 20);
        assert_eq!(priorities.probability, 0.0025);
        // 1 − (1 − 1/400)^1000 = 0.918.
        let words = sample(Some(priorities));
        assert!(words.contains("1/(20·20) = 0.0025, all together with one of at least 0.918"), "{words}");
        let words = sample(Some(Priorities::new(3, 20, 20)));
        assert!(words.contains("depth 3 with a probability of at least 1/(20·20^2) = 1.3e-4"), "{words}");
        assert_eq!(Priorities::new(1, 20, 20).probability, 0.05);
        assert!(once(0.5, 1_000) <= 1.0 && probability(once(0.5, 1_000)) == "0.999");
    }

    #[test]
    fn deviations_are_counted_one_by_one() {
        let words = Coverage::Deviations { most: 3, executions: vec![1, 190, 17_100] }.words();
        assert_eq!(words, "the natural execution, 190 with 1 deviation, 17100 with 2 deviations");
    }
}
