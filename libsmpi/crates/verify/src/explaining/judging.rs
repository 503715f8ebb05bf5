//! Which of the findings that are to be explained an execution shows.

use std::borrow::Cow;

use smpi_checker::{Event, Settled};
use smpi_explain::Fault;
use smpi_report::finding::Buffering;
use smpi_report::{Cause, Finding, FindingKey};

use crate::findings::{bare_at, findings_at};
use crate::program::Program;

/// What is looked for.
enum Sought {
    /// Any deadlock: one elsewhere is not what was meant to happen.
    Deadlock,
    /// That no execution ends.
    NoEnd,
    /// The same kind at the same places.
    Cause(Cause),
}

/// The findings that are to be explained, in the order of their bits.
pub struct Wanted(Vec<Sought>);

impl Wanted {
    /// These.
    pub fn of<'a>(findings: impl Iterator<Item = &'a Finding>) -> Wanted {
        let sought = |finding: &Finding| match finding.key {
            key if is_deadlock(key) => Sought::Deadlock,
            FindingKey::Livelock => Sought::NoEnd,
            _ => Sought::Cause(finding.cause()),
        };
        Wanted(findings.map(sought).collect())
    }

    /// Bits for those that an execution shows by having no end.
    fn without_end(&self) -> u64 {
        let is_there = |sought: &Sought| matches!(sought, Sought::NoEnd);
        self.0.iter().enumerate().map(|(bit, sought)| u64::from(is_there(sought)) << bit).sum()
    }

    /// Bits for those that are among what was found.
    pub fn among(&self, found: &[Finding]) -> u64 {
        let is_there = |sought: &Sought| match sought {
            Sought::Deadlock => found.iter().any(|finding| is_deadlock(finding.key) && !finding.is_limit),
            Sought::NoEnd => false,
            Sought::Cause(cause) => found.iter().any(|finding| finding.cause() == *cause),
        };
        self.0.iter().enumerate().map(|(bit, sought)| u64::from(is_there(sought)) << bit).sum()
    }
}

fn is_deadlock(key: FindingKey) -> bool {
    matches!(key, FindingKey::Deadlock | FindingKey::DeadlockBuffering | FindingKey::NonTermination)
}

/// What an execution shows, as bits, and whether it has no error at all. `None` for one of which nobody has seen the
/// end, or that is none.
pub fn judge(
    program: &mut Program,
    settled: Settled,
    path: &[Event],
    buffering: Buffering,
    wanted: &Wanted,
) -> Option<(u64, bool)> {
    let met = met(program, settled, path, buffering)?;
    let shows = wanted.among(&met.found) | if met.goes_on { wanted.without_end() } else { 0 };
    let is_clean = met.found.iter().all(Finding::is_warning);
    (met.is_known || shows != 0).then_some((shows, is_clean))
}

/// The finding that a change is tried against, and all that is known to be wrong with the program as it is.
pub struct Against {
    own: Wanted,
    known: Vec<Cause>,
}

impl Against {
    /// One of the findings of a report.
    pub fn of(finding: &Finding, all: &[Finding]) -> Against {
        Against { own: Wanted::of([finding].into_iter()), known: all.iter().map(cause).collect() }
    }
}

/// The finding is shown, in bits of what an execution of a changed program shows.
pub const OWN: Fault = Fault(0);
/// So is an error that is not known of the program as it is.
pub const NEW: Fault = Fault(1);

/// What an execution of a changed program shows, as [`judge`] tells it, and an error that is new.
pub fn judge_changed(
    program: &mut Program,
    settled: Settled,
    path: &[Event],
    buffering: Buffering,
    against: &Against,
) -> Option<(u64, bool, Option<FindingKey>)> {
    let mut met = met(program, settled, path, buffering)?;
    let own = against.own.among(&met.found) | if met.goes_on { against.own.without_end() } else { 0 };
    if own == 0 && met.found.iter().any(|finding| is_deadlock(finding.key)) {
        // Where a deadlock is tells it from others.
        met.found = findings_at(program, settled, path, Some(buffering));
    }
    let is_new = |finding: &&Finding| !finding.is_warning() && !against.known.contains(&cause(finding));
    let new = met.found.iter().find(is_new).map(|finding| finding.key).filter(|_| own == 0);
    let shows = own << OWN.0 | u64::from(new.is_some()) << NEW.0;
    let is_clean = met.found.iter().all(Finding::is_warning);
    (met.is_known || shows != 0).then_some((shows, is_clean, new))
}

/// What makes a finding the same in another execution: whether a deadlock depends on buffering is told by several.
fn cause(finding: &Finding) -> Cause {
    let key = if is_deadlock(finding.key) { FindingKey::Deadlock } else { finding.key };
    Finding { key, ..finding.clone() }.cause()
}

/// What an execution has come to.
struct Met {
    found: Vec<Finding>,
    /// Some ranks go on for ever.
    goes_on: bool,
    /// It is seen to its end.
    is_known: bool,
}

/// What an execution has come to; `None` for what is none.
fn met(program: &mut Program, settled: Settled, path: &[Event], buffering: Buffering) -> Option<Met> {
    let mut path = Cow::Borrowed(path);
    if settled == Settled::Deadlock {
        // As the exploration has it: polls go on in vain for as long as they may.
        program.poll_on(&mut path);
    }
    let is_end = !matches!(settled, Settled::Void | Settled::Bounded | Settled::Endless | Settled::Choices);
    let is_whole = is_end && !program.is_cut_short();
    // A deadlock that need not be one may be cured by what follows.
    let found = match settled {
        Settled::Reluctant => findings_at(program, settled, &path, Some(buffering)),
        _ => bare_at(program, if program.is_cut_short() { Settled::Void } else { settled }),
    };
    let goes_on = settled == Settled::Endless && !program.is_cut_short();
    let is_known = is_whole && !found.iter().any(|finding| finding.is_limit);
    Some(Met { found, goes_on, is_known })
}
