//! How many executions showed one finding or another: which findings were there together.
//!
//! An execution that leaves two things behind shows two findings. If they turn out to be one fault, it counts once.
//! What each execution showed is not kept, but for every set of findings how many executions showed exactly these.

use std::collections::BTreeMap;

use crate::finding::{Buffering, Finding, InMode};

/// Names an execution.
pub type ShownBy = (u64, Option<Buffering>, String);

/// Which findings executions showed together.
#[derive(Clone, Debug, Default)]
pub struct Company {
    /// Executions of a kind of buffering, by the numbers of all findings that they showed, where these are several.
    counts: BTreeMap<(Buffering, Vec<u32>), u64>,
    /// The execution whose findings are being added, and their numbers.
    present: Option<(ShownBy, Vec<u32>)>,
}

impl Company {
    /// An execution shows the finding with this number. All that it shows is noted before what the next one does.
    pub fn note(&mut self, shown_by: ShownBy, number: u32) {
        match &mut self.present {
            Some((present, numbers)) if *present == shown_by => {
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
            _ => {
                self.end();
                self.present = Some((shown_by, vec![number]));
            }
        }
    }

    /// Nothing more is noted of the last execution.
    pub fn end(&mut self) {
        if let Some(((_, Some(buffering), _), numbers)) = self.present.take() {
            self.add(buffering, numbers, 1);
        }
    }

    /// So many more executions showed exactly these findings.
    pub fn add(&mut self, buffering: Buffering, mut numbers: Vec<u32>, executions: u64) {
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() > 1 {
            *self.counts.entry((buffering, numbers)).or_default() += executions;
        }
    }

    /// Every set of several findings that executions showed, with how many did.
    pub fn sets(&self) -> impl Iterator<Item = (Buffering, &[u32], u64)> {
        self.counts.iter().map(|((buffering, numbers), count)| (*buffering, &numbers[..], *count))
    }

    /// Executions that showed the one, or the other, or both, by the kind of buffering.
    pub fn of_either(&self, one: &Finding, other: &Finding) -> Vec<InMode> {
        let mut all = one.modes.clone();
        for mode in &other.modes {
            add_mode(&mut all, *mode);
        }
        let (ones, others) = (one.numbers(), other.numbers());
        let has = |set: &[u32], numbers: &[u32]| numbers.iter().any(|number| set.binary_search(number).is_ok());
        for (buffering, _, count) in self.sets().filter(|(_, set, _)| has(set, &ones) && has(set, &others)) {
            if let Some(mode) = all.iter_mut().find(|mode| mode.buffering == buffering) {
                // Several processes may have met the same execution, and count it more than once.
                mode.executions = mode.executions.saturating_sub(count).max(1);
            }
        }
        all
    }

    /// Makes a finding another way in which a fault shows.
    pub fn unite(&self, fault: &mut Finding, other: Finding) {
        fault.modes = self.of_either(fault, &other);
        fault.occurrences = match &fault.modes[..] {
            [] => fault.occurrences + other.occurrences,
            modes => modes.iter().map(|mode| mode.executions).sum(),
        };
        fault.guises.extend(other.into_guises());
    }
}

/// Adds executions of one kind of buffering.
pub fn add_mode(modes: &mut Vec<InMode>, new: InMode) {
    match modes.iter_mut().find(|mode| mode.buffering == new.buffering) {
        Some(mode) => mode.executions += new.executions,
        None => {
            modes.push(new);
            modes.sort_by_key(|mode| mode.buffering);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::FindingKey;

    fn finding(number: u32, zero: u64) -> Finding {
        let modes = vec![InMode { buffering: Buffering::Zero, executions: zero }];
        Finding { number, modes, occurrences: zero, ..Finding::new(FindingKey::LeakGroup, "a group") }
    }

    #[test]
    fn an_execution_that_shows_both_counts_once() {
        let mut company = Company::default();
        let execution = |number: u64| (number, Some(Buffering::Zero), String::new());
        for (by, number) in [(1, 0), (1, 1), (2, 0), (3, 1), (4, 1), (4, 0), (4, 1), (5, 2), (5, 1)] {
            company.note(execution(by), number);
        }
        company.end();
        assert_eq!(
            company.sets().map(|(_, set, count)| (set.to_vec(), count)).collect::<Vec<_>>(),
            [(vec![0, 1], 2), (vec![1, 2], 1)]
        );
        let mut fault = finding(0, 3);
        company.unite(&mut fault, finding(1, 4));
        assert_eq!((fault.occurrences, fault.guises.len()), (5, 1), "executions 1, 2, 3, 4 and 5");
        company.unite(&mut fault, finding(2, 1));
        assert_eq!((fault.occurrences, fault.numbers()), (5, vec![0, 1, 2]));
    }

    #[test]
    fn kinds_of_buffering_are_apart() {
        let infinite = |finding: Finding| Finding {
            modes: vec![InMode { buffering: Buffering::Infinite, executions: finding.occurrences }],
            ..finding
        };
        let mut fault = infinite(finding(0, 2));
        Company::default().unite(&mut fault, finding(1, 3));
        let modes: Vec<(Buffering, u64)> = fault.modes.iter().map(|mode| (mode.buffering, mode.executions)).collect();
        assert_eq!(modes, [(Buffering::Zero, 3), (Buffering::Infinite, 2)]);
        assert_eq!(fault.buffering_in_words(), "zero and infinite buffering");
    }
}
