//! What the options of a verification mean for its exploration.

use std::ops::RangeInclusive;

use smpi_base::plan::{BufferingPlan, ReductionPlan, VerifyPlan};
use smpi_checker::reduction::{
    dpor::Dpor,
    histories::Histories,
    matches::{Everything, Matches},
    none::All,
};
use smpi_checker::{Limits, Reduction, Strategy};
use smpi_report::finding::Buffering;

use crate::program::Program;

pub(crate) fn modes(options: &VerifyPlan) -> &'static [Buffering] {
    match options.buffering {
        BufferingPlan::Zero => &[Buffering::Zero],
        BufferingPlan::Infinite => &[Buffering::Infinite],
        BufferingPlan::Each => &[Buffering::Each],
        BufferingPlan::Both => &[Buffering::Zero, Buffering::Infinite],
    }
}

pub(crate) fn reduction(options: &VerifyPlan) -> Reduction {
    match options.reduction {
        ReductionPlan::None => Reduction::None,
        ReductionPlan::Dpor => Reduction::Dpor,
        ReductionPlan::Matches => Reduction::Matches,
        ReductionPlan::Histories => Reduction::Histories,
    }
}

/// The groups of ranks that may change places.
pub(crate) fn symmetric_in_words(options: &VerifyPlan) -> String {
    let group = |group: &RangeInclusive<u32>| format!("{}-{}", group.start(), group.end());
    let groups: Vec<String> = options.symmetric.iter().map(group).collect();
    groups.join(",")
}

/// Whether several processes share a mode: where what one of them explores does not lead to states of the others.
pub(crate) fn shares_parts(options: &VerifyPlan) -> bool {
    reduction(options) == Reduction::Matches && !options.stateful
}

/// Seconds after which what is explored is cut into smaller parts, or kept; `None`: as long as it takes.
pub(crate) fn every(options: &VerifyPlan) -> Option<f64> {
    Some(options.every_secs).filter(|&seconds| seconds > 0.0)
}

pub(crate) fn limits(options: &VerifyPlan, keep_going: bool) -> Limits {
    let executions = if options.max_executions == 0 { u64::MAX } else { options.max_executions };
    Limits { executions, depth: options.depth as usize, keep_going }
}

pub(crate) fn strategy(options: &VerifyPlan) -> Box<dyn Strategy<Program>> {
    match reduction(options) {
        // Single steps have no names.
        Reduction::None if options.stateful => Box::new(Everything { again: options.compare_states }),
        Reduction::None => Box::new(All),
        Reduction::Dpor => Box::new(Dpor),
        Reduction::Matches => Box::new(Matches),
        Reduction::Histories => Box::new(Histories),
    }
}
