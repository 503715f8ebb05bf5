//! The causality data of requests and messages, where causality is followed
//! ([`crate::world::World::follow_causality`]).

use std::sync::Arc;

use smpi_base::WorldRank;

use super::observation::Origin;

/// Counts that are compared at once.
const CHUNK: usize = 32;

/// Counts of ranks, by their numbers. Ranks behind them have 0.
pub(crate) type Counts = Arc<Vec<u32>>;

/// For each rank, how many of its receives, and of its steps that others need to hear of, are known. A copy costs
/// little, and so does one more count of a rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    base: Option<Counts>,
    /// A rank with a higher count than it has there, and the count; 0 if there is none.
    rank: u32,
    count: u32,
}

/// Whether no count is higher than its counterpart.
fn are_within(own: &[u32], others: &[u32]) -> bool {
    // Piece by piece without a branch for each, so that the processor compares several at once.
    let is_within = |(own, others): (&[u32], &[u32])| {
        own.iter().zip(others).fold(true, |is_within, (own, others)| is_within & (own <= others))
    };
    own.chunks(CHUNK).zip(others.chunks(CHUNK)).all(is_within)
}

impl Clock {
    fn base(&self) -> &[u32] {
        self.base.as_ref().map_or(&[], |base| base)
    }

    #[inline]
    pub(crate) fn knows(&self, rank: WorldRank) -> u32 {
        if self.count > 0 && self.rank == rank.0 {
            return self.count;
        }
        self.base().get(rank.index()).copied().unwrap_or(0)
    }

    /// Whether both have the same counts but for those of one rank each.
    #[inline]
    fn has_base(&self, base: &Option<Counts>) -> bool {
        match (&self.base, base) {
            (Some(own), Some(others)) => Arc::ptr_eq(own, others),
            (own, others) => own.is_none() && others.is_none(),
        }
    }

    /// Whether the other one has all counts of this one.
    fn is_within(&self, other: &Clock) -> bool {
        if self.count > other.knows(WorldRank(self.rank)) {
            return false;
        }
        let (own, others) = (self.base(), other.base());
        if own.len() > others.len() {
            return (0..).zip(own).all(|(rank, &count)| count <= other.knows(WorldRank(rank)));
        }
        let exception = if other.count > 0 { own.len().min(other.rank as usize) } else { own.len() };
        let is_fine = own.get(exception).is_none_or(|&count| count <= other.count);
        let behind = own.len().min(exception + 1);
        is_fine && are_within(&own[..exception], others) && are_within(&own[behind..], &others[behind..])
    }

    #[inline]
    pub(crate) fn join(&mut self, other: &Clock) {
        if !self.has_base(&other.base) {
            self.join_other(other);
        } else if other.count > self.knows(WorldRank(other.rank)) {
            self.raise(other.rank, other.count);
        }
    }

    fn join_other(&mut self, other: &Clock) {
        if other.is_within(self) {
            return;
        }
        if self.is_within(other) {
            self.clone_from(other);
            return;
        }
        let own = self.flatten(other.base().len());
        own.iter_mut().zip(other.base()).for_each(|(own, other)| *own = (*own).max(*other));
        if other.count > self.knows(WorldRank(other.rank)) {
            self.raise(other.rank, other.count);
        }
    }

    /// The same as [`Clock::join`], where most of those that are joined have one base: `base`, which this one knows.
    pub(crate) fn gather(&mut self, other: &Clock, base: &mut Option<Counts>) {
        if base.is_none() || !other.has_base(base) {
            self.join(other);
            base.clone_from(&other.base);
        } else if other.count > self.knows(WorldRank(other.rank)) {
            self.raise(other.rank, other.count);
        }
    }

    /// A rank has this count, which is higher.
    fn raise(&mut self, rank: u32, count: u32) {
        if self.count == 0 || self.rank == rank {
            (self.rank, self.count) = (rank, count);
            return;
        }
        self.flatten(rank as usize + 1)[rank as usize] = count;
    }

    /// All counts in one list, which has this length at least.
    fn flatten(&mut self, len: usize) -> &mut Vec<u32> {
        let own = Arc::make_mut(self.base.get_or_insert_default());
        let (rank, count) = (self.rank as usize, std::mem::take(&mut self.count));
        let len = if count > 0 { len.max(rank + 1) } else { len };
        if own.len() < len {
            own.resize(len, 0);
        }
        if count > 0 {
            own[rank] = count;
        }
        own
    }

    /// One more count of a rank.
    pub(crate) fn count(&mut self, rank: WorldRank) -> u32 {
        let count = self.knows(rank) + 1;
        self.raise(rank.0, count);
        count
    }
}

/// What a request has to do with causality, since it was started last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Causes {
    /// What its rank knew before it.
    pub before: Clock,
    /// The same with its own receive, if it has one.
    pub posted: Clock,
    /// The number of that receive among those of its rank.
    pub number: u32,
    /// What its completion tells, beside what a collective operation does.
    pub learnt: Clock,
    /// How often it was started.
    pub starts: u32,
}

/// What a message carries.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// What its sender knew.
    pub clock: Clock,
    /// It was sent in ready mode.
    pub is_ready: bool,
    /// Where, if that is known.
    pub origin: Origin,
}

#[cfg(test)]
mod tests {
    use smpi_base::rng::Rng;

    use super::*;

    #[test]
    fn clocks_are_joined_place_by_place() {
        let (mut one, mut other) = (Clock::default(), Clock::default());
        assert_eq!(one.count(WorldRank(2)), 1);
        assert_eq!(other.count(WorldRank(0)), 1);
        assert_eq!(other.count(WorldRank(0)), 2);
        let before = one.clone();
        one.join(&other);
        assert_eq!([0, 1, 2, 3].map(|rank| one.knows(WorldRank(rank))), [2, 0, 1, 0]);
        assert_eq!(before.knows(WorldRank(0)), 0, "a copy stays as it is");
        other.join(&one);
        assert_eq!(other.knows(WorldRank(2)), 1);
        one.join(&before);
        assert_eq!(one.knows(WorldRank(0)), 2);
    }

    /// Clocks behave as lists of counts do.
    #[test]
    fn clocks_are_lists_of_counts() {
        let mut rng = Rng::new(5);
        for _ in 0..300 {
            let ranks = 1 + rng.below(100);
            let mut clocks = vec![(Clock::default(), vec![0; ranks]); 6];
            let (mut all, mut base, mut sums) = (Clock::default(), None, vec![0; ranks]);
            for _ in 0..rng.below(200) {
                let (one, other, rank) = (rng.below(6), rng.below(6), rng.below(ranks));
                let (clock, counts) = clocks[other].clone();
                match rng.below(4) {
                    0 => {
                        clocks[one].1[rank] += 1;
                        let count = clocks[one].0.count(WorldRank(rank as u32));
                        assert_eq!(count, clocks[one].1[rank]);
                    }
                    1 => {
                        all.gather(&clock, &mut base);
                        sums.iter_mut().zip(&counts).for_each(|(sum, count)| *sum = (*sum).max(*count));
                    }
                    2 => clocks[one] = (all.clone(), sums.clone()),
                    _ => {
                        clocks[one].0.join(&clock);
                        clocks[one].1.iter_mut().zip(&counts).for_each(|(own, other)| *own = (*own).max(*other));
                    }
                }
                for (clock, counts) in clocks.iter().chain([&(all.clone(), sums.clone())]) {
                    let known: Vec<u32> = (0..ranks).map(|rank| clock.knows(WorldRank(rank as u32))).collect();
                    assert_eq!(known, *counts);
                }
            }
        }
    }
}
