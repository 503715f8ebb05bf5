//! The result of an exploration.

use std::collections::BTreeMap;

use smpi_checker::Verdict;
use smpi_checker::walks::estimate::Estimate;
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
    /// By groups of ranks: no rank has heard of choices of two of them.
    Groups,
    /// By states, of which at most so many are worth it, as was seen after so many executions, or as many choices.
    States { most: u64, after: u64 },
    /// By executions: there are too many states.
    Executions,
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
