//! What belongs to a state of a program, when ranks that never come to rest are looked at, and what is known of those
//! that poll.

use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::map::{Map, Set};
use smpi_base::plan::{DeterminismPlan, VerifyPlan};
use smpi_checker::Configuration;
use smpi_choices::Round;

/// What belongs to a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Naming {
    /// What ranks have printed: where everything that they can print is wanted. The same can happen whatever it was.
    pub output: bool,
    /// What they have sent and received: where that is compared.
    pub messages: bool,
}

impl Naming {
    /// `None`: states have no names.
    pub fn of(options: &VerifyPlan) -> Option<Naming> {
        let messages = options.determinism != DeterminismPlan::None;
        // A schedule may end where ranks go on for ever.
        let is_wanted = options.stateful || options.replay.is_some();
        is_wanted.then_some(Naming { output: options.list_results, messages })
    }
}

/// What is known of repeated polls.
#[derive(Default)]
pub struct Retries {
    /// Whether ranks that poll in vain are at few places only, by their names.
    pub ends: Map<u128, bool>,
    /// What ranks do that poll in vain, by their names; `None`: anything.
    pub rounds: Map<u128, Option<Rc<Round>>>,
    /// Polls of which it is told that not all is explored.
    pub told: Set<(WorldRank, u128)>,
}

/// Looks whether ranks that go on without a choice come back to where they were.
#[derive(Clone, Default)]
pub(crate) struct Rounds {
    batches: u64,
    /// Names of states since it has begun to look.
    names: Set<Configuration>,
}

impl Rounds {
    /// Batches before the first look: most programs come to rest before.
    const FIRST: u64 = 1 << 6;
    /// Of so many batches one is looked at, because names take time.
    const SHARE: u64 = 16;

    /// Whether the name of the state after this batch is wanted: those of the first batches after each power of two.
    pub fn wants_name(&mut self) -> bool {
        self.batches += 1;
        if self.batches < Self::FIRST {
            return false;
        }
        let since = self.batches - (1 << self.batches.ilog2());
        if since == 0 {
            self.names.clear();
        }
        since < self.batches / Self::SHARE
    }

    /// So many batches.
    pub fn batches(&self) -> u64 {
        self.batches
    }

    /// Whether it was seen before.
    pub fn is_known(&mut self, name: Option<Configuration>) -> bool {
        name.is_some_and(|name| !self.names.insert(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The batch in which it is noticed that states repeat, of which the first `before` do not.
    fn noticed(before: u64, period: u64) -> Option<u64> {
        let mut rounds = Rounds::default();
        (1..200_000).find(|&batch| {
            let state = if batch < before { u128::from(batch) } else { u128::from(before + batch % period) };
            rounds.wants_name() && rounds.is_known(Some(Configuration(state)))
        })
    }

    #[test]
    fn rounds_are_noticed_once_they_are_shorter_than_what_is_looked_at() {
        assert_eq!(noticed(0, 1), Some(65));
        assert_eq!(noticed(0, 3), Some(67));
        assert_eq!(noticed(0, 60), Some(1084));
        assert_eq!(noticed(0, 100), Some(2148));
        assert!((5_000..20_000).contains(&noticed(5_000, 100).unwrap()));
        assert_eq!(noticed(u64::MAX, 1), None);
        let mut rounds = Rounds::default();
        let looks = (0..100_000).filter(|_| rounds.wants_name()).count();
        // Some more than the share, as what is looked at begins with each power of two.
        assert!((5_000..10_000).contains(&looks), "{looks}");
        assert!(!rounds.is_known(None) && !rounds.is_known(None));
    }
}
