//! Which of the findings that are to be explained an execution shows.

use std::borrow::Cow;

use smpi_checker::{Event, Settled};
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
    fn among(&self, found: &[Finding]) -> u64 {
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
    let shows = wanted.among(&found) | if goes_on { wanted.without_end() } else { 0 };
    let is_clean = found.iter().all(Finding::is_warning);
    let is_known = is_whole && !found.iter().any(|finding| finding.is_limit);
    (is_known || shows != 0).then_some((shows, is_clean))
}
