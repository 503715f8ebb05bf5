//! Whether it makes a difference in which order ranks get what they ask for.
//!
//! One origin gets it in its own order. What several ask for goes in any order if all of it *commutes*: shared locks
//! do, and so do accumulating accesses of one kind, as far as [`Access::commuting`] says.

use super::{Access, Action, Lock};
use crate::collective::Part;
use crate::datatype::Basic;
use crate::op::Predefined;

/// Which lock of one target was asked for so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Askers {
    /// Nobody has asked.
    #[default]
    Nobody,
    /// One origin, as a rank of the window, and whether it asked for shared ones only.
    One(u32, bool),
    /// Several, for shared ones.
    Several,
}

impl Askers {
    /// An origin asks for a lock. False when the order makes a difference: then it does not count.
    pub(crate) fn admit(&mut self, origin: u32, lock: Lock) -> bool {
        let is_shared = lock == Lock::Shared;
        *self = match *self {
            Askers::Nobody => Askers::One(origin, is_shared),
            Askers::One(first, all_shared) if first == origin => Askers::One(first, all_shared && is_shared),
            Askers::One(_, true) if is_shared => Askers::Several,
            Askers::One(..) => return false,
            Askers::Several => return is_shared,
        };
        true
    }
}

impl Access {
    /// What it combines by and which elements, if any accesses of which this is the same leave the same bytes in every
    /// order, and tell their origins the same: those that only read, and those that only change.
    pub(crate) fn commuting(&self) -> Option<(Predefined, Basic)> {
        let Action::Combine(op, basic) = self.action else { return None };
        if op == Predefined::NoOp {
            return Some((op, Basic::Byte));
        }
        (self.result.is_none() && op.forgets_order(basic) && self.is_aligned()).then_some((op, basic))
    }

    /// Whether two elements of accesses of which this is true, and of one type, are the same bytes or have none in
    /// common: each lies at a multiple of its size, with its padding, and is there once.
    pub(crate) fn is_aligned(&self) -> bool {
        let (Some(size), extent) = (self.element_size(), self.element_extent()) else { return true };
        let (runs, twice) = Part::runs_of_all(std::slice::from_ref(&self.there));
        let is_aligned = runs.iter().all(|(start, end)| {
            let len = end - start;
            start % extent == 0 && (len == size || size == extent && len % size == 0)
        });
        let bytes: u64 = runs.iter().map(|(start, end)| end - start).sum();
        is_aligned && !twice && bytes == self.there.size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::Datatype;
    use crate::memory::Addr;

    #[test]
    fn one_origin_has_an_order_and_several_must_share() {
        let (shared, exclusive) = (Lock::Shared, Lock::Exclusive);
        let mut locks = Askers::default();
        assert!(locks.admit(3, exclusive) && locks.admit(3, shared) && locks.admit(3, exclusive));
        assert!(!locks.admit(4, shared), "one of rank 3's excludes it");
        let mut locks = Askers::default();
        assert!(locks.admit(3, shared) && !locks.admit(4, exclusive) && locks.admit(4, shared));
        assert!(!locks.admit(3, exclusive) && locks.admit(5, shared), "what was refused does not count");
    }

    #[test]
    fn sums_of_whole_integers_commute() {
        let sum = |basic: Basic, at: u64| {
            let there = Part { at: Addr(at), count: 2, datatype: Datatype::basic(basic) };
            Access::new(Action::Combine(Predefined::Sum, basic), None, None, there)
        };
        assert_eq!(sum(Basic::Int64, 64).commuting(), Some((Predefined::Sum, Basic::Int64)));
        assert_eq!(sum(Basic::Int64, 68).commuting(), None, "another one may begin at 64");
        assert_eq!(sum(Basic::Double, 64).commuting(), None, "rounding depends on the order");
        // Pairs have padding behind them.
        let mut smallest = sum(Basic::LongInt, 64);
        smallest.action = Action::Combine(Predefined::MinLoc, Basic::LongInt);
        assert!(smallest.commuting().is_some());
        smallest.there.at = Addr(72);
        assert_eq!(smallest.commuting(), None);
        let mut fetching = sum(Basic::Int64, 64);
        fetching.result = Some(fetching.there.clone());
        assert_eq!(fetching.commuting(), None);
        let mut swap = sum(Basic::Int64, 64);
        swap.action = Action::Swap(Basic::Int64);
        assert_eq!(swap.commuting(), None);
        // Those that only read are alike, whatever they read.
        let (mut one, mut other) = (sum(Basic::Int64, 64), sum(Basic::Double, 68));
        for access in [&mut one, &mut other] {
            let Action::Combine(_, basic) = access.action else { unreachable!() };
            access.action = Action::Combine(Predefined::NoOp, basic);
            access.result = Some(access.there.clone());
        }
        assert!(one.commuting().is_some() && one.commuting() == other.commuting());
        // An element that is there twice, or overlaps another one.
        let long = Datatype::basic(Basic::Int64);
        for displacements in [[0, 0], [0, 4]] {
            let datatype = Datatype::hindexed_block(1, &displacements, &long).unwrap();
            let mut access = sum(Basic::Int64, 64);
            access.there = Part { at: Addr(64), count: 1, datatype };
            assert_eq!(access.commuting(), None, "{displacements:?}");
        }
    }
}
