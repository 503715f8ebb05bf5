//! Causality: which choices of the present execution had to be made before an event could happen.
//!
//! A history is a set of positions: the n-th choice made in the present execution has position n. Each rank has a
//! history, and each message a copy of its sender's. Histories are joined when one side learns of the other:
//!
//! | event | history that it adds, and to whom |
//! |---|---|
//! | a rank takes a choice of its own call (probe, Waitany, Test, random) | its position and what was seen, to it |
//! | a send or a receive is posted | the rank's history becomes that of the posting |
//! | a receive is matched | both postings', and the choice if it was one, together become the completion's |
//! | a rank *sees* a completion (by Wait, Waitany, a yes of Test) | the completion's, to the rank |
//! | a poll is answered "no" because nothing else can move | all positions so far, to the rank |
//! | a barrier | the union of all participants', to each |
//!
//! Where sends wait for their receive and need not (`--buffering each`), the match of a send adds nothing to its
//! sender's history.
//!
//! A request with several messages (`MPI_Sendrecv`, steps of a collective) passes on, with each message, the history at
//! the posting of *that* message's half, and the choice that matched it. It does not pass on what other halves have
//! learnt since. Too large a history loses executions; too small a history costs time.
//!
//! A choice of a pending nonblocking receive is *not* part of its rank's history until the rank sees the completion:
//! the rank would do the same in between with the choice still open. Adding the choice earlier loses late arrivals, and
//! with them executions ("priority conflict", figure 2(b) of "Static-analysis Assisted Dynamic Verification to
//! Efficiently Handle Waitany Non-determinism").

use std::sync::Arc;

use smpi_base::WorldRank;
use smpi_base::map::Map;

use crate::below::{Carrier, Ticks};

/// A set of positions. The first 64 are kept in place, so that short executions never allocate; longer sets are shared
/// between copies until one of them changes.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct History {
    /// Positions below 64.
    low: u64,
    /// Positions from 64 on; `None` is empty. Invariant: the last word is not zero, so that equal sets are equal
    /// values.
    high: Option<Arc<Vec<u64>>>,
    /// Which states of which ranks it comes after, where states are recognised whatever led to them.
    ticks: Ticks,
}

impl History {
    /// Nothing was chosen before.
    pub const EMPTY: History = History { low: 0, high: None, ticks: Ticks::NONE };

    /// Everything chosen before position `count`. A "no" forced on a polling rank because nothing else can move has it.
    pub fn all(count: u32) -> History {
        let mut all =
            History { low: if count >= 64 { u64::MAX } else { (1 << count) - 1 }, high: None, ticks: Ticks::NONE };
        (64..count).for_each(|position| all.insert(position));
        all
    }

    /// Adds a position.
    pub fn insert(&mut self, position: u32) {
        if position < 64 {
            self.low |= 1 << position;
            return;
        }
        let (word, bit) = (position as usize / 64 - 1, 1u64 << (position % 64));
        let high = Arc::make_mut(self.high.get_or_insert_default());
        if high.len() <= word {
            high.resize(word + 1, 0);
        }
        high[word] |= bit;
    }

    /// True when the position is in the set.
    #[inline]
    pub fn contains(&self, position: u32) -> bool {
        if position < 64 {
            return self.low >> position & 1 == 1;
        }
        let (word, bit) = (position as usize / 64 - 1, position % 64);
        self.high.as_ref().and_then(|high| high.get(word)).is_some_and(|word| word >> bit & 1 == 1)
    }

    /// The first position that is not in the set.
    pub fn first_missing(&self) -> u32 {
        let high = self.high.as_deref().map_or(&[][..], Vec::as_slice);
        let words = std::iter::once(&self.low).chain(high);
        let full = words.clone().take_while(|&&word| word == u64::MAX).count() as u32;
        let rest = words.clone().nth(full as usize).map_or(0, |word| word.trailing_ones());
        full * 64 + rest
    }

    /// True when all of it is in `other`, too.
    pub fn is_within(&self, other: &History) -> bool {
        let high = |history: &History, word: usize| history.high.as_ref().and_then(|high| high.get(word)).copied();
        let words = self.high.as_ref().map_or(0, |high| high.len());
        let is_missing = |word| high(self, word).unwrap_or(0) & !high(other, word).unwrap_or(0) != 0;
        self.low & !other.low == 0 && !(0..words).any(is_missing)
    }

    /// Adds all of `other`.
    #[inline]
    pub fn join(&mut self, other: &History) {
        self.low |= other.low;
        self.ticks.join(&other.ticks);
        if let Some(more) = &other.high {
            self.join_high(more);
        }
    }

    /// What a rank that has this history passes on after the last tick; 0 where nobody counts them.
    #[inline]
    pub fn passed_on(&self, rank: WorldRank, tick: u32) -> History {
        let mut passed = self.clone();
        if tick > 0 {
            passed.ticks.add(rank, tick);
        }
        passed
    }

    /// The same, known to a carrier that comes to be after the last tick.
    pub fn begun(mut self, carrier: Carrier, tick: u32) -> History {
        if tick > 0 {
            self.ticks.begin(carrier, tick);
        }
        self
    }

    /// The same, as a carrier passes it on that has known it.
    pub fn passed_by(mut self, carrier: Carrier, tick: u32) -> History {
        if tick > 0 {
            self.ticks.pass(carrier, tick);
        }
        self
    }

    /// The ticks in it.
    pub fn ticks(&self) -> &Ticks {
        &self.ticks
    }

    /// The same after these ticks, too.
    pub fn after(mut self, ticks: &Ticks) -> History {
        self.ticks.join(ticks);
        self
    }

    fn join_high(&mut self, more: &Arc<Vec<u64>>) {
        let Some(high) = &mut self.high else {
            self.high = Some(Arc::clone(more));
            return;
        };
        let covers = |a: &[u64], b: &[u64]| a.len() >= b.len() && a.iter().zip(b).all(|(a, b)| b & !a == 0);
        if Arc::ptr_eq(high, more) || covers(high, more) {
            return;
        }
        if covers(more, high) {
            *high = Arc::clone(more);
            return;
        }
        let high = Arc::make_mut(high);
        if high.len() < more.len() {
            high.resize(more.len(), 0);
        }
        high.iter_mut().zip(more.iter()).for_each(|(into, more)| *into |= more);
    }
}

/// What ranks and carriers of one state pass on, as far as somebody has asked: much comes below a state that follows
/// from the same.
#[derive(Default)]
pub struct PassedOn {
    ranks: Map<WorldRank, History>,
    carriers: Map<Carrier, History>,
}

impl PassedOn {
    /// What a rank passes on; `find` is called where that is not known yet.
    pub fn of_rank(&mut self, rank: WorldRank, find: impl FnOnce() -> History) -> &History {
        self.ranks.entry(rank).or_insert_with(find)
    }

    /// The same of a carrier.
    pub fn of_carrier(&mut self, carrier: Carrier, find: impl FnOnce() -> History) -> &History {
        self.carriers.entry(carrier).or_insert_with(find)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use smpi_base::rng::Rng;

    use super::*;

    #[test]
    fn behaves_like_a_set() {
        let mut rng = Rng::new(7);
        for _ in 0..500 {
            let limit = 1 + rng.below(400);
            let mut pairs: Vec<(History, BTreeSet<u32>)> = vec![Default::default(); 3];
            for _ in 0..60 {
                let (a, b) = (rng.below(3), rng.below(3));
                if rng.below(50) == 0 {
                    let count = rng.below(limit) as u32;
                    pairs[a] = (History::all(count), (0..count).collect());
                } else if rng.below(3) == 0 {
                    let (other, set) = pairs[b].clone();
                    pairs[a].0.join(&other);
                    pairs[a].1.extend(set);
                } else {
                    let position = rng.below(limit) as u32;
                    pairs[a].0.insert(position);
                    pairs[a].1.insert(position);
                }
            }
            for (history, set) in &pairs {
                assert!((0..limit as u32).all(|position| history.contains(position) == set.contains(&position)));
                assert_eq!(Some(history.first_missing()), (0..).find(|position| !set.contains(position)));
            }
            assert_eq!(pairs[0].0 == pairs[1].0, pairs[0].1 == pairs[1].1);
            assert_eq!(pairs[0].0.is_within(&pairs[1].0), pairs[0].1.is_subset(&pairs[1].1));
        }
    }
}
