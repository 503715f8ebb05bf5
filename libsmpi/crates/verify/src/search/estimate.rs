//! How many executions a program has, where not all of them are seen.

use smpi_base::plan::{ReductionPlan, SearchPlan, VerifyPlan};
use smpi_checker::walks::estimate::{self, Estimate};
use smpi_checker::{Flow, Limits, Observer, Outlook, Stats, Stop};
use smpi_report::coverage;
use smpi_runtime::summary::Wall;

use crate::limits::interrupt;
use crate::program::Program;
use crate::search::outcome::Explored;

/// Fewest walks: with fewer, the spread says nothing.
const FEWEST: u64 = 10;

/// Ends walks when the time is up, and at Ctrl-C.
pub struct Patient<'a> {
    /// The time limit is one of these.
    pub options: &'a VerifyPlan,
    /// The time.
    pub wall: &'a Wall,
}

impl<S> Observer<S> for Patient<'_> {
    fn visit(&mut self, _: &Stats, _: &dyn Fn() -> Option<Outlook>) -> Flow {
        let limit = self.options.time_limit_secs;
        let is_late = limit > 0.0 && self.wall.seconds() > limit;
        if is_late || interrupt::wanted() { Flow::Stop } else { Flow::Continue }
    }
}

/// Looks how large the program is, by random executions that nobody judges: the exploration meets their errors itself.
pub fn estimate(program: &mut Program, options: &VerifyPlan, wall: &Wall, walks: u64) -> Option<Estimate> {
    let limits = Limits { executions: u64::MAX, depth: options.depth as usize, keep_going: options.keep_going };
    Estimate::probe(program, walks.clamp(FEWEST, estimate::WALKS), &limits, &mut Patient { options, wall })
}

/// Looks how much is left where a limit ended an exploration before anybody has looked.
pub fn at_a_limit(program: &mut Program, options: &VerifyPlan, wall: &Wall, explored: &mut Explored) {
    let is_all = options.search == SearchPlan::All && options.reduction == ReductionPlan::Matches;
    if is_all && explored.estimate.is_none() && explored.verdict.stopped == Some(Stop::Executions) {
        explored.estimate = estimate(program, options, wall, explored.verdict.stats.executions);
    }
}

/// The estimate as the report has it.
pub fn reported(estimate: &Estimate) -> coverage::Estimate {
    coverage::Estimate {
        walks: estimate.walks,
        log10_executions: estimate.log10(),
        relative_error: estimate.relative_error,
        at_least: estimate.is_least,
    }
}
