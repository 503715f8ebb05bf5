//! How many executions a program has, where not all of them are seen.

use smpi_base::plan::{ReductionPlan, SearchPlan, VerifyPlan};
use smpi_checker::walks::estimate::{self, Estimate};
use smpi_checker::{Flow, Limits, Observer, Outlook, Stats, Stop};
use smpi_report::coverage;
use smpi_runtime::summary::Wall;

use crate::limits::Patient;
use crate::program::Program;
use crate::search::course::Course;
use crate::search::outcome::Explored;

/// Fewest walks: with fewer, the spread says nothing.
const FEWEST: u64 = 10;

/// Looks how large the program is, by random executions that nobody judges: the exploration meets their errors itself.
/// They end where they have met as many states as the exploration has: some programs poll for ever.
pub fn estimate(
    program: &mut Program,
    (options, wall): (&VerifyPlan, &Wall),
    walks: u64,
    states: u64,
) -> Option<Estimate> {
    let limits = Limits { executions: u64::MAX, depth: options.depth as usize, keep_going: options.keep_going };
    let mut brief = Brief { patient: Patient { options, wall }, states };
    Estimate::probe(program, walks.clamp(FEWEST, estimate::WALKS), &limits, &mut brief)
}

/// Ends walks after so many states, too.
struct Brief<'a> {
    patient: Patient<'a>,
    states: u64,
}

impl<S> Observer<S> for Brief<'_> {
    fn visit(&mut self, stats: &Stats, outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        let Some(left) = self.states.checked_sub(1) else { return Flow::Stop };
        self.states = left;
        Observer::<S>::visit(&mut self.patient, stats, outlook)
    }
}

/// Looks how much is left where a limit ended an exploration before anybody has looked.
pub fn at_a_limit(program: &mut Program, options: &VerifyPlan, wall: &Wall, explored: &mut Explored) {
    let is_all = options.search == SearchPlan::All && options.reduction == ReductionPlan::Matches;
    if is_all && explored.estimate.is_none() && explored.verdict.stopped == Some(Stop::Executions) {
        let stats = &explored.verdict.stats;
        explored.estimate = estimate(program, (options, wall), stats.executions, stats.configurations);
    }
}

/// The estimate as the report has it, after so many executions, from random ones and from the part that was explored.
/// Random ones are better spread over the program; what they do not count, or have not met, the explored part shows.
pub fn reported(walked: Option<&Estimate>, course: &Course, executions: u64) -> Option<coverage::Estimate> {
    let known = (executions.max(1) as f64).log10();
    let walked = walked.map(of_walks);
    let explored = course.log10().map(|(log10_executions, range)| coverage::Estimate {
        log10_executions,
        log10_range: Some(range),
        ..coverage::Estimate::default()
    });
    let estimate = match (walked, explored) {
        (Some(walked), Some(explored)) if walked.at_least || walked.log10_executions <= known => {
            let others = Some(walked.log10_executions).filter(|log10| *log10 > known);
            others.map_or(explored, |log10| explored.widened(log10))
        }
        (Some(walked), Some(explored)) => walked.widened(explored.log10_executions),
        (walked, explored) => walked.or(explored)?,
    };
    Some(estimate.beyond(executions))
}

/// What random executions say, within two standard errors.
fn of_walks(estimate: &Estimate) -> coverage::Estimate {
    let (log10_executions, error) = (estimate.log10(), 2.0 * estimate.relative_error);
    let log10_range = (error > 0.0).then(|| [(1.0 - error).max(0.0), 1.0 + error].map(f64::log10)).map(|range| {
        // Of what may be none at all, one is known.
        range.map(|factor| (log10_executions + factor).max(0.0))
    });
    let &Estimate { walks, relative_error, is_least: at_least, .. } = estimate;
    coverage::Estimate { walks, log10_executions, relative_error, at_least, log10_range }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(number: f64, relative_error: f64, is_least: bool) -> Estimate {
        Estimate { walks: 100, ln_executions: number.ln(), relative_error, is_least }
    }

    fn words(walked: Option<Estimate>, explored: Option<(u64, f64)>, executions: u64) -> Option<String> {
        let mut course = Course::default();
        if let Some((executions, total)) = explored {
            course.note(executions, (executions as f64 / total).ln());
        }
        Some(reported(walked.as_ref(), &course, executions)?.to_string())
    }

    #[test]
    fn two_estimates_are_one() {
        let said = |text: &str| Some(text.to_string());
        assert_eq!(words(None, None, 7), None);
        assert_eq!(
            words(Some(walked(1000.0, 0.1, false)), None, 7),
            said("about 1000 executions in all (800 to 1200)")
        );
        assert_eq!(words(Some(walked(1000.0, 0.6, false)), None, 7), said("about 1000 executions in all (7 to 2200)"));
        assert_eq!(words(None, Some((100, 5000.0)), 100), said("about 5000 executions in all"));
        let both = words(Some(walked(1000.0, 0.1, false)), Some((100, 5000.0)), 100);
        assert_eq!(both, said("about 1000 executions in all (800 to 5000)"));
        // A lower bound is no estimate where there is one.
        let both = words(Some(walked(1000.0, 0.1, true)), Some((100, 5000.0)), 100);
        assert_eq!(both, said("about 5000 executions in all (1000 to 5000)"));
    }

    /// A spin lock: random executions said 15, and 69,903 had been seen.
    #[test]
    fn what_was_seen_refutes_random_executions() {
        let few = Some(walked(15.0, 0.1, false));
        assert_eq!(words(few, Some((69_903, 2e6)), 69_903).as_deref(), Some("about 2.0e6 executions in all"));
        assert_eq!(words(few, None, 69_903).as_deref(), Some("at least 69903 executions in all"));
    }
}
