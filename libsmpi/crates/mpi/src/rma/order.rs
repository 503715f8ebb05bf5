//! Whether it makes a difference in which order ranks get what they ask for at one target.
//!
//! One origin gets it in its own order. What several ask for goes in any order if all of it *commutes*: shared locks
//! do, and so do accumulating accesses of one kind, as far as [`Access::commuting`] says.

use super::{Access, Action};
use crate::collective::Part;
use crate::datatype::Basic;
use crate::op::Predefined;

/// What was asked for at one target so far. `C` is what must be equal of what commutes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Askers<C> {
    /// Nobody has asked.
    #[default]
    Nobody,
    /// One origin, as a rank of the window; `None` where not all that it asked for commutes with each other.
    One(u32, Option<C>),
    /// Several, and all of it commutes.
    Several(C),
}

impl<C: Copy + PartialEq> Askers<C> {
    /// An origin asks for something; `None` commutes with nothing. False when the order makes a difference: then it
    /// does not count.
    pub(crate) fn admit(&mut self, origin: u32, what: Option<C>) -> bool {
        let agreed = |known: Option<C>| what.filter(|what| known == Some(*what));
        *self = match *self {
            Askers::Nobody => Askers::One(origin, what),
            Askers::One(first, known) if first == origin => Askers::One(first, agreed(known)),
            Askers::One(_, known) => match agreed(known) {
                Some(what) => Askers::Several(what),
                None => return false,
            },
            Askers::Several(known) => return agreed(Some(known)).is_some(),
        };
        true
    }
}

impl Access {
    /// What it combines by and which elements, if any accesses of which this is the same leave the same bytes in every
    /// order, and tell their origins the same: those that only read, and those that only change.
    ///
    /// Two elements must be the same bytes or have none in common: as they do where each lies at a multiple of its
    /// size, with its padding.
    pub(crate) fn commuting(&self) -> Option<(Predefined, Basic)> {
        let Action::Combine(op, basic) = self.action else { return None };
        if op == Predefined::NoOp {
            return Some((op, Basic::Byte));
        }
        if self.result.is_some() || !op.forgets_order(basic) {
            return None;
        }
        let (size, extent) = (u64::from(basic.size()), u64::from(basic.extent()));
        let (runs, twice) = Part::runs_of_all(std::slice::from_ref(&self.there));
        let is_aligned = runs.iter().all(|(start, end)| {
            let len = end - start;
            start % extent == 0 && (len == size || size == extent && len % size == 0)
        });
        let bytes: u64 = runs.iter().map(|(start, end)| end - start).sum();
        (is_aligned && !twice && bytes == self.there.size()).then_some((op, basic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::Datatype;
    use crate::memory::Addr;

    #[test]
    fn one_origin_has_an_order_and_several_must_agree() {
        let mut locks = Askers::default();
        assert!(locks.admit(3, None) && locks.admit(3, Some(())) && locks.admit(3, None));
        assert!(!locks.admit(4, Some(())), "one of rank 3's excludes it");
        let mut locks = Askers::default();
        assert!(locks.admit(3, Some(())) && !locks.admit(4, None) && locks.admit(4, Some(())));
        assert!(!locks.admit(3, None) && locks.admit(5, Some(())));
        let mut sums = Askers::default();
        assert!(sums.admit(0, Some(1)) && sums.admit(1, Some(1)) && !sums.admit(2, Some(2)) && !sums.admit(0, None));
        // What was refused does not count.
        assert!(sums.admit(2, Some(1)));
        let mut mixed = Askers::default();
        assert!(mixed.admit(0, Some(1)) && mixed.admit(0, Some(2)) && mixed.admit(0, Some(2)));
        assert!(!mixed.admit(1, Some(2)));
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
