//! The causality data of requests and messages, where causality is followed
//! ([`crate::world::World::follow_causality`]).

use std::sync::Arc;

use smpi_base::WorldRank;

use super::observation::Origin;

/// For each rank, how many of its receives are sure to have been posted. A copy costs little.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock(Arc<Vec<u32>>);

impl Clock {
    pub(crate) fn knows(&self, rank: WorldRank) -> u32 {
        self.0.get(rank.index()).copied().unwrap_or(0)
    }

    pub(crate) fn join(&mut self, other: &Clock) {
        let is_within = |one: &Clock, other: &Clock| {
            one.0.len() <= other.0.len() && one.0.iter().zip(other.0.iter()).all(|(one, other)| one <= other)
        };
        if Arc::ptr_eq(&self.0, &other.0) || is_within(other, self) {
            return;
        }
        if is_within(self, other) {
            self.0 = Arc::clone(&other.0);
            return;
        }
        let own = Arc::make_mut(&mut self.0);
        own.resize(own.len().max(other.0.len()), 0);
        own.iter_mut().zip(other.0.iter()).for_each(|(own, other)| *own = (*own).max(*other));
    }

    /// One more receive of a rank; its number.
    pub(crate) fn count(&mut self, rank: WorldRank) -> u32 {
        let own = Arc::make_mut(&mut self.0);
        own.resize(own.len().max(rank.index() + 1), 0);
        own[rank.index()] += 1;
        own[rank.index()]
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
}
