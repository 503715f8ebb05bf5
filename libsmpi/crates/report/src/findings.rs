//! The findings of a whole exploration: one for each kind and place.
//!
//! Executions show the same thing again and again. What is kept is the first, with how many did, and where. Whether
//! two of different places are one fault all the same is asked when it is known why they happen ([`crate::faults`]).

use crate::cause::Cause;
use crate::company::{Company, ShownBy, add_mode};
use crate::finding::{Buffering, Finding, InMode};
use crate::key::FindingKey;
use serde::{Deserialize, Serialize};
use smpi_base::map::Map;
use std::cell::LazyCell;

/// Findings of a whole exploration, one for each cause, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    found: Vec<Finding>,
    /// The last execution in which it was seen.
    last: Vec<ShownBy>,
    by_cause: Map<Cause, usize>,
    company: Company,
}

/// Findings on their way to another process.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Gathered {
    findings: Vec<Finding>,
    /// How many executions showed exactly these, by their places in the list.
    together: Vec<(Buffering, Vec<u32>, u64)>,
}

impl Gathered {
    /// The findings.
    pub fn as_slice(&self) -> &[Finding] {
        &self.findings
    }
}

impl Findings {
    /// None yet.
    pub fn new() -> Findings {
        Findings::default()
    }

    /// Adds a finding of one execution; false when its cause is known already. Then its occurrence is counted or, when
    /// it is of the same execution (the same leak on another rank), its ranks and places join those of the known one.
    pub fn add(&mut self, finding: Finding) -> bool {
        let shown_by = shown_by(&finding);
        let (index, is_new) = self.insert(finding);
        // A simulation is one execution.
        if shown_by.1.is_some() {
            self.company.note(shown_by, index as u32);
        }
        is_new
    }

    /// Adds a finding of one execution or more: its place in the list, and whether it is new.
    fn insert(&mut self, mut finding: Finding) -> (usize, bool) {
        let index = *self.by_cause.entry(finding.cause()).or_insert(self.found.len());
        let shown_by = shown_by(&finding);
        if finding.modes.is_empty() {
            let in_mode = |buffering| InMode { buffering, executions: finding.occurrences };
            finding.modes = finding.buffering.map(in_mode).into_iter().collect();
        }
        let Some(known) = self.found.get_mut(index) else {
            finding.number = index as u32;
            self.found.push(finding);
            self.last.push(shown_by);
            return (index, true);
        };
        if self::shown_by(known) == shown_by {
            join(known, finding);
        } else if self.last[index] != shown_by {
            known.occurrences += finding.occurrences;
            finding.modes.iter().for_each(|mode| add_mode(&mut known.modes, *mode));
            self.last[index] = shown_by;
        }
        (index, false)
    }

    /// The findings so far.
    pub fn as_slice(&self) -> &[Finding] {
        &self.found
    }

    /// True when there is none but warnings.
    pub fn is_empty(&self) -> bool {
        self.found.iter().all(Finding::is_warning)
    }

    /// The first deadlock that was met with zero buffering only: whether it depends on buffering is not known yet.
    pub fn unsettled(&self) -> Option<&Finding> {
        self.found.iter().find(|finding| is_unsettled(finding))
    }

    /// The findings, where deadlocks that were met with zero buffering only are called `deadlock/buffering`, if the
    /// exploration with infinite buffering was complete: else nobody knows.
    ///
    /// Such a deadlock that [shows](Finding::shows) one with infinite buffering is that one, of which it becomes a
    /// guise. So does one of which that one `remains` when the same choices are made with infinite buffering.
    pub fn settled(
        self,
        complete: bool,
        mut remains: impl FnMut(&Finding) -> Option<Finding>,
    ) -> (Vec<Finding>, Company) {
        let (found, company) = self.into_parts();
        let mut found: Vec<Option<Finding>> = found.into_iter().map(Some).collect();
        let mut settled: Vec<Finding> = Vec::new();
        for index in 0..found.len() {
            let Some(mut finding) = found[index].take() else { continue };
            if is_unsettled(&finding) {
                // A whole execution: asked for where the two findings do not tell it themselves.
                let remaining = LazyCell::new(|| remains(&finding).map(|remaining| remaining.cause()));
                let is_same = |other: &Finding| {
                    other.is_with(Buffering::Infinite) && (finding.shows(other) || *remaining == Some(other.cause()))
                };
                if let Some(other) = found.iter_mut().find(|other| other.as_ref().is_some_and(is_same)) {
                    settled.extend(other.take().map(|mut other| {
                        company.unite(&mut other, finding);
                        other
                    }));
                    continue;
                }
                if let Some(other) = settled.iter().position(is_same) {
                    company.unite(&mut settled[other], finding);
                    continue;
                }
                if complete && remaining.is_none() {
                    finding.key = FindingKey::DeadlockBuffering;
                }
            }
            settled.push(finding);
        }
        (settled, company)
    }

    /// The findings as they were added, and which of them executions showed together.
    pub fn into_parts(mut self) -> (Vec<Finding>, Company) {
        self.company.end();
        (self.found, self.company)
    }

    /// The findings as they were added.
    pub fn into_vec(self) -> Vec<Finding> {
        self.found
    }

    /// All of it, for another process.
    pub fn gathered(self) -> Gathered {
        let (findings, company) = self.into_parts();
        let together = company.sets().map(|(buffering, set, count)| (buffering, set.to_vec(), count)).collect();
        Gathered { findings, together }
    }

    /// Adds what another process has gathered. `number` says which execution the one with this number there is among
    /// all; none if it is not one of them.
    pub fn join(&mut self, gathered: Gathered, number: &dyn Fn(u64) -> Option<u64>) {
        let mut places: Vec<Option<u32>> = Vec::with_capacity(gathered.findings.len());
        for mut finding in gathered.findings {
            let known = number(finding.execution);
            finding.execution = known.unwrap_or(finding.execution);
            places.push(known.map(|_| self.insert(finding).0 as u32));
        }
        for (buffering, set, count) in gathered.together {
            let here = set.iter().filter_map(|&place| *places.get(place as usize)?).collect();
            self.company.add(buffering, here, count);
        }
    }
}

fn is_unsettled(finding: &Finding) -> bool {
    finding.key == FindingKey::Deadlock && finding.is_only_with(Buffering::Zero)
}

/// The execution that showed a finding.
fn shown_by(finding: &Finding) -> ShownBy {
    (finding.execution, finding.buffering, finding.replay.clone())
}

/// Takes in another finding of the same cause, which the same execution showed.
fn join(known: &mut Finding, other: Finding) {
    for location in other.locations {
        // Only for a known rank the place may be known: a search for each rank of a large run would take long.
        let is_known = known.ranks.binary_search(&location.rank).is_ok() && known.locations.contains(&location);
        if !is_known {
            known.locations.push(location);
        }
    }
    known.ranks.extend(other.ranks);
    known.ranks.sort_unstable();
    known.ranks.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Location;

    fn deadlock(ranks: [u32; 2], line: u32, mode: Buffering) -> Finding {
        let mut finding = Finding::new(FindingKey::Deadlock, format!("ranks {} and {} wait", ranks[0], ranks[1]))
            .located(Location::new(ranks[0], "MPI_Recv").at("ring.c", line))
            .located(Location::new(ranks[1], "MPI_Send").at("ring.c", 7));
        finding.buffering = Some(mode);
        finding
    }

    fn one_waits(call: &str, line: u32, mode: Buffering) -> Finding {
        let mut finding = Finding::new(FindingKey::Deadlock, "rank 0 waits");
        finding.buffering = Some(mode);
        finding.located(Location::new(0, call).at("ring.c", line))
    }

    #[test]
    fn a_cause_is_kind_and_places_not_ranks_or_order() {
        let one = deadlock([0, 1], 3, Buffering::Zero);
        let mut other = deadlock([5, 2], 3, Buffering::Infinite);
        other.locations.reverse();
        assert_eq!(other.ranks, [2, 5]);
        assert_eq!(one.cause(), other.cause());
        assert_ne!(one.cause(), deadlock([0, 1], 4, Buffering::Zero).cause());
    }

    #[test]
    fn a_deadlock_that_buffering_makes_smaller_is_one() {
        let smaller = |line| one_waits("MPI_Recv", line, Buffering::Infinite);
        let cases = [
            (3, true, "deadlock exit-code"),
            (3, false, "deadlock exit-code"),
            (4, true, "deadlock/buffering exit-code deadlock"),
            (4, false, "deadlock exit-code deadlock"),
        ];
        for (line, complete, keys) in cases {
            let mut findings = Findings::new();
            assert!(findings.add(deadlock([0, 1], 3, Buffering::Zero)));
            assert!(findings.add(Finding::new(FindingKey::ExitCode, "rank 3 returned 1")));
            assert!(findings.unsettled().is_some());
            assert!(findings.add(smaller(line)));
            let settled: Vec<&str> =
                findings.settled(complete, |_| None).0.iter().map(|finding| finding.key.as_str()).collect();
            assert_eq!(settled.join(" "), keys);
        }
    }

    #[test]
    fn a_deadlock_shows_one_that_was_met_before_with_either_buffering() {
        let alone = |mode| one_waits("MPI_Recv", 3, mode);
        let mut findings = Findings::new();
        assert!(findings.add(alone(Buffering::Zero)));
        assert!(findings.add(deadlock([0, 1], 3, Buffering::Zero)));
        assert!(!findings.add(alone(Buffering::Infinite)), "the first one, again");
        let settled: Vec<&str> =
            findings.settled(true, |_| None).0.iter().map(|finding| finding.key.as_str()).collect();
        assert_eq!(settled, ["deadlock"]);
    }

    #[test]
    fn a_deadlock_of_which_another_remains_with_buffers_is_that_one() {
        let elsewhere = |mode| one_waits("MPI_Barrier", 9, mode);
        let settled = |remains: Option<Finding>| {
            let mut findings = Findings::new();
            assert!(findings.add(deadlock([0, 1], 3, Buffering::Zero)));
            assert!(findings.add(elsewhere(Buffering::Infinite)));
            let (settled, _) = findings.settled(true, |_| remains.clone());
            let named = settled.iter().map(|finding| (finding.key.as_str(), finding.locations[0].line));
            named.collect::<Vec<_>>()
        };
        assert_eq!(settled(None), [("deadlock/buffering", Some(3)), ("deadlock", Some(9))]);
        assert_eq!(settled(Some(elsewhere(Buffering::Infinite))), [("deadlock", Some(9))]);
        let unknown = Finding::new(FindingKey::Deadlock, "rank 0 waits");
        let both = [("deadlock", Some(3)), ("deadlock", Some(9))];
        assert_eq!(settled(Some(unknown)), both, "it does not depend on buffering");
    }

    #[test]
    fn without_places_the_message_tells_causes_apart() {
        let finding = |message: &str| Finding::new(FindingKey::ExitCode, message);
        assert_eq!(finding("rank 3 returned 1").cause(), finding("rank 12 returned 1").cause());
        assert_ne!(finding("rank 3 returned 1").cause(), finding("rank 3 called exit(1)").cause());
        let at = |message| finding(message).located(Location::new(0, "exit"));
        assert_ne!(at("one").cause(), at("two").cause(), "a call without a line does not make two bugs one");
    }

    #[test]
    fn one_finding_is_kept_for_each_cause() {
        let mut findings = Findings::new();
        assert!(findings.add(deadlock([0, 1], 3, Buffering::Zero)));
        let mut again = deadlock([2, 3], 3, Buffering::Zero);
        again.execution = 7;
        assert!(!findings.add(again.clone()));
        assert!(!findings.add(again), "two ranks of one execution are one occurrence");
        assert!(findings.add(deadlock([0, 1], 9, Buffering::Zero)));
        assert!(!findings.add(deadlock([0, 1], 9, Buffering::Infinite)));
        assert_eq!(findings.as_slice()[0].occurrences, 2);
        let keys: Vec<FindingKey> = findings.settled(true, |_| None).0.iter().map(|finding| finding.key).collect();
        assert_eq!(keys, [FindingKey::DeadlockBuffering, FindingKey::Deadlock]);
    }

    #[test]
    fn ranks_of_one_execution_join() {
        let leak = |rank: u32| {
            Finding::new(FindingKey::LeakGroup, "a group is never freed")
                .located(Location::new(rank, "MPI_Comm_group").at("a.c", 3))
        };
        let mut findings = Findings::new();
        for rank in [5, 3, 5] {
            findings.add(leak(rank));
        }
        let found = &findings.as_slice()[0];
        assert_eq!(found.ranks, [3, 5]);
        assert_eq!([found.locations.len() as u64, found.occurrences], [2, 1]);
    }
}
