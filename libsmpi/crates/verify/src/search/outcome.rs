//! The result of an exploration.

use std::collections::BTreeMap;

use smpi_checker::walks::estimate::Estimate;
use smpi_checker::{Stats, Verdict};
use smpi_choices::Discoveries;
use smpi_report::coverage::Coverage;
use smpi_report::verdict::RankResult;

use crate::findings::race::Race;
use crate::program::LeftOut;
use crate::search::course::Course;

/// The different results by their hashes; empty ones unless they are to be listed.
pub type Results = BTreeMap<u64, Vec<RankResult>>;

/// How a mode is to be explored instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instead {
    /// By groups of ranks that are told something else by choices, if there are several and all have no more executions
    /// than this.
    Told { most: u64, otherwise: Otherwise },
    /// By states.
    States(ByStates),
    /// By executions: there are too many states.
    Executions,
}

impl Instead {
    /// The same, but not by states.
    pub fn without_states(self) -> Option<Instead> {
        match self {
            Instead::States(_) => None,
            Instead::Told { most, otherwise: Otherwise::States(_) } => {
                Some(Instead::Told { most, otherwise: Otherwise::Executions })
            }
            Instead::Told { .. } | Instead::Executions => Some(self),
        }
    }
}

/// How a mode is explored where ranks are told too much by each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Otherwise {
    /// By groups of ranks: no rank has heard of choices of two of them.
    Groups,
    /// By states.
    States(ByStates),
    /// By executions.
    Executions,
}

/// States are to be explored as far as they are worth it, as was seen after so many executions, or as many choices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByStates {
    /// When they are.
    pub worth: Worth,
    /// After so many.
    pub after: u64,
}

/// After so many states, half as many must have been come to again, where that is asked; and later as many as there
/// are. All executions may end in one state: where each but the last of their states has one way to it, that makes
/// some 0.6 for each.
const RECUR: [(u64, u64); 2] = [(1_000, 2), (8_000, 1)];

/// When states are worth it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worth {
    /// If they are not more than this.
    pub most: u64,
    /// And if many are come to again.
    pub recur: bool,
}

impl Worth {
    /// Whether they are, as far as they were explored.
    pub fn is_there(self, stats: &Stats) -> bool {
        let states = stats.configurations;
        let recur = |&(after, share): &(u64, u64)| states < after || stats.revisits >= states / share;
        states <= self.most && (!self.recur || RECUR.iter().all(recur))
    }
}

/// What an exploration gave.
pub struct Explored {
    /// Counts, and whether it is complete.
    pub verdict: Verdict,
    /// The time limit ended it.
    pub timed_out: bool,
    /// The limit on memory ended it.
    pub is_full: bool,
    /// It has ended because the mode is to be explored in another way.
    pub instead: Option<Instead>,
    /// Why some state has no name, where another process has seen it.
    pub unnamed: Option<String>,
    /// Two executions with different results.
    pub race: Option<Race>,
    /// Two executions with different sends, and two with different receives, if that was asked for.
    pub messages: [Option<Race>; 2],
    /// The different results.
    pub results: Results,
    /// What was not tried.
    pub left_out: LeftOut,
    /// What was executed, where not everything is wanted, and whether it was everything all the same.
    pub covered: Option<(Coverage, bool)>,
    /// How many executions there are, if somebody has looked.
    pub estimate: Option<Estimate>,
    /// How many, by the part that was explored.
    pub course: Course,
    /// What the exploration should have known of the program from its start: then nothing else counts.
    pub discovered: Discoveries,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_do_not_recur_are_not_worth_it_where_that_is_asked() {
        let stats = |configurations, revisits| Stats { configurations, revisits, ..Stats::default() };
        let worth = Worth { most: 20_000, recur: true };
        assert!(
            [(999, 0), (1_000, 500), (7_999, 4_000), (8_000, 8_000), (20_000, 20_000)]
                .iter()
                .all(|&(states, again)| worth.is_there(&stats(states, again)))
        );
        assert!(
            ![(1_000, 499), (8_000, 7_999), (20_001, 90_000)]
                .iter()
                .any(|&(states, again)| worth.is_there(&stats(states, again)))
        );
        assert!(Worth { recur: false, ..worth }.is_there(&stats(20_000, 0)));
    }
}
