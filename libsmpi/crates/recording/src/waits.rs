//! What ranks wait for: for how long, in which call, and what others did meanwhile.

use smpi_base::map::Map;

use crate::activity::What;
use crate::places::Place;

/// Waits that are told apart by whom they are for; beyond so many only by what.
const MOST_BY_RANK: usize = 1 << 18;

/// Where a rank waits, and what for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Reason {
    /// The call in which it waits.
    pub place: Place,
    /// What goes on meanwhile.
    pub what: What,
    /// The call that this belongs to; of a computation the call that it comes after.
    pub of: Place,
}

/// Seconds of all ranks.
#[derive(Debug, Default)]
pub struct Waits {
    by_rank: Map<(Reason, u32), f64>,
}

impl Waits {
    /// A rank has waited for so many seconds for another.
    #[inline]
    pub fn add(&mut self, reason: Reason, culprit: u32, secs: f64) {
        if secs <= 0.0 {
            return;
        }
        let key = if self.by_rank.len() < MOST_BY_RANK { (reason, culprit) } else { (reason, u32::MAX) };
        *self.by_rank.entry(key).or_insert(0.0) += secs;
    }

    /// Everything: what, for whom (`None` where it is not known any more), and for how many seconds.
    pub fn all(&self) -> Vec<(Reason, Option<u32>, f64)> {
        let mut all: Vec<_> = self.by_rank.iter().map(|(key, secs)| (*key, *secs)).collect();
        all.sort_unstable_by_key(|(key, _)| *key);
        all.into_iter().map(|((reason, rank), secs)| (reason, (rank != u32::MAX).then_some(rank), secs)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_many_only_the_ranks_are_forgotten() {
        let mut waits = Waits::default();
        let reason = |place: u32| Reason { place: Place(place), what: What::Compute, of: Place(0) };
        let count = MOST_BY_RANK as u32;
        (0..count + 10).for_each(|rank| waits.add(reason(1), rank, 1.0));
        waits.add(reason(2), 7, 0.5);
        let all = waits.all();
        assert_eq!(all.len(), MOST_BY_RANK + 2);
        assert_eq!(all.iter().map(|(_, _, secs)| secs).sum::<f64>(), f64::from(count) + 10.5);
        assert_eq!(all.last(), Some(&(reason(2), None, 0.5)));
    }
}
