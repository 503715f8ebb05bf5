//! Which accesses to the same bytes may not be concurrent (MPI 5.0 §12.7).

use smpi_base::WorldRank;
use smpi_base::table::Key;

use super::{Access, Action, Ranges, WindowId};
use crate::datatype::Basic;
use crate::op::Predefined;
use crate::usage::Origin;

impl Action {
    /// Whether both may be at the same bytes at the same time. Two different reductions may not; to replace, to read,
    /// and to compare and swap go with every operation on the same type.
    pub(crate) fn agrees_with(self, other: Action) -> bool {
        use Action::{Combine, Swap};
        match (self, other) {
            (Combine(op, basic), Combine(other_op, other_basic)) => {
                basic == other_basic && (op == other_op || !(op.is_reduction() && other_op.is_reduction()))
            }
            (Combine(_, basic) | Swap(basic), Combine(_, other_basic) | Swap(other_basic)) => basic == other_basic,
            _ => !self.writes() && !other.writes(),
        }
    }

    /// Whether both take place in the order in which one origin starts them: they are atomic on one type.
    fn is_ordered_with(self, other: Action) -> bool {
        self.basic().is_some() && self.basic() == other.basic()
    }

    /// The type of the elements for which it is atomic.
    fn basic(self) -> Option<Basic> {
        match self {
            Action::Combine(_, basic) | Action::Swap(basic) => Some(basic),
            Action::Write | Action::Read => None,
        }
    }
}

/// The elements for which an access is atomic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Elements {
    /// Each begins at a multiple of this, its size with padding.
    Aligned(u64),
    /// They begin at these places, ascending, and have this size.
    At(Vec<u64>, u64),
}

impl Elements {
    fn of(access: &Access) -> Elements {
        let (Some(size), false) = (access.element_size(), access.is_aligned()) else {
            return Elements::Aligned(access.element_extent());
        };
        let mut starts = access.elements();
        starts.sort_unstable();
        Elements::At(starts, size)
    }

    /// Where those begin of which some bytes lie from `start` up to `end`.
    fn within(&self, start: u64, end: u64) -> impl Iterator<Item = u64> + Clone {
        let (multiples, listed) = match self {
            Elements::Aligned(extent) => ((start - start % extent..end).step_by(*extent as usize), &[][..]),
            Elements::At(starts, size) => {
                let first = starts.partition_point(|at| at + size <= start);
                let last = starts.partition_point(|at| *at < end);
                ((0..0).step_by(1), &starts[first..last.max(first)])
            }
        };
        multiples.chain(listed.iter().copied())
    }
}

/// An access that later ones are compared with.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// A window through which others reach the memory, and whose memory it is there.
    pub window: WindowId,
    pub target: u32,
    pub origin: WorldRank,
    /// The origin reaches the memory without a window: by loads and stores, or as a buffer.
    pub is_own: bool,
    pub action: Action,
    /// Where the elements are for which it is atomic.
    pub elements: Elements,
    /// What must be the same of accesses that commute with it.
    pub commuting: Option<(Predefined, Basic)>,
    /// Bytes of the target.
    pub bytes: Ranges,
    /// The origin's count at which it knew that the access was over.
    pub over: Option<u32>,
    /// The window and target whose flush or end of an epoch says so.
    pub part_of: Option<(WindowId, u32)>,
    /// The request whose completion does.
    pub request: Option<Key>,
    pub made: Origin,
}

impl Seen {
    /// What is remembered of an access.
    pub(crate) fn of(access: &Access, origin: WorldRank) -> Seen {
        let there = &access.there;
        Seen {
            window: access.window,
            target: access.target,
            origin,
            is_own: access.is_own,
            action: access.action,
            elements: Elements::of(access),
            commuting: access.commuting(),
            bytes: Ranges::of(there),
            over: None,
            part_of: (!access.is_own).then_some((access.window, access.target)),
            request: access.request.filter(|_| access.result.is_some()),
            made: access.made,
        }
    }

    /// Whether both may be at the same bytes at the same time. What a rank does with its own memory without a window
    /// is in the order of its program, or a matter of its buffers; so is what it does atomically at one place (MPI 5.0
    /// §12.7.2), whichever operation that is. Others' accesses are atomic to each other within one window (§12.2.1). An
    /// atomic load may wait for what others change ([`Seen::is_poll_beside`]); an atomic store is no accumulate.
    pub(crate) fn agrees_with(&self, other: &Seen) -> bool {
        if self.is_own && other.is_own {
            let both_atomic = self.action.is_atomic() && other.action.is_atomic();
            return self.origin == other.origin || both_atomic || self.action.agrees_with(other.action);
        }
        if self.is_poll_beside(other) {
            return true;
        }
        if self.window != other.window {
            return self.frees_window() || !self.action.writes() && !other.action.writes();
        }
        if self.is_own != other.is_own {
            return !self.action.writes() && !other.action.writes();
        }
        let is_in_order = self.origin == other.origin && self.action.is_ordered_with(other.action);
        is_in_order || self.action.agrees_with(other.action)
    }

    /// Whether one is an atomic load of C or C++ which sees what the other one changes by a window, sooner or later.
    /// That is valid in the unified memory model, so that a program can poll (MPI 5.0 §12.7); when it is seen is open.
    pub(crate) fn is_poll_beside(&self, other: &Seen) -> bool {
        let is_atomic_load = |seen: &Seen| seen.is_own && seen.action.is_atomic() && !seen.action.writes();
        let changes = |seen: &Seen| !seen.is_own && seen.action.writes();
        is_atomic_load(self) && changes(other) || changes(self) && is_atomic_load(other)
    }

    /// It is the end of the memory: no access may follow as long as there is the window.
    pub(crate) fn frees_window(&self) -> bool {
        self.is_own && self.over.is_none() && self.part_of.is_none() && self.request.is_none()
    }

    /// Whether both are of one line and kind.
    fn is_like_others(&self, other: &Seen) -> bool {
        let kind = |seen: &Seen| (seen.is_own, seen.action, seen.commuting);
        let made = |seen: &Seen| (seen.made, seen.window, seen.target, seen.part_of, seen.request);
        kind(self) == kind(other) && made(self) == made(other) && self.elements == other.elements
    }

    /// Whether both are of one rank, line and kind.
    pub(crate) fn is_like(&self, other: &Seen) -> bool {
        self.origin == other.origin && self.is_like_others(other)
    }

    /// Whether whatever races with this one, which another rank made and knows to be over that makes the new one now,
    /// races with the new one too.
    pub(crate) fn is_passed_by(&self, new: &Seen) -> bool {
        let is_taken = !self.is_own && self.origin != new.origin && self.is_like_others(new);
        self.over.is_some() && is_taken && new.bytes.cover_all(&self.bytes)
    }

    /// Whether both are alike and over at the same time: then they are one about the bytes of both.
    pub(crate) fn goes_with(&self, other: &Seen) -> bool {
        self.over == other.over && self.is_like(other)
    }

    /// Whether whatever races with this one, which is over, races with the later one too.
    pub(crate) fn is_outlived_by(&self, later: &Seen) -> bool {
        self.over.is_some() && self.over < later.over && self.is_like(later) && self.bytes == later.bytes
    }

    /// Whether both are atomic, and it matters at which elements they meet.
    pub(crate) fn meets_at_elements(&self, other: &Seen) -> bool {
        let both_atomic = self.action.is_atomic() && other.action.is_atomic();
        let both_aligned = matches!((&self.elements, &other.elements), (Elements::Aligned(_), Elements::Aligned(_)));
        let is_free = self.origin == other.origin || self.commutes_with(other);
        both_atomic
            && (self.is_own == other.is_own || self.is_poll_beside(other))
            && (self.action.writes() || other.action.writes())
            && !(both_aligned && is_free)
    }

    /// Whether it makes no difference which of two atomic accesses comes first.
    pub(crate) fn commutes_with(&self, other: &Seen) -> bool {
        self.commuting.is_some() && self.commuting == other.commuting
    }

    /// The first bytes of the elements that both are about, `most` at most.
    ///
    /// # Errors
    /// Bytes that belong to different elements of the two.
    pub(crate) fn elements_in_common(&self, other: &Seen, most: usize) -> Result<Vec<u64>, (u64, u64)> {
        let mut common = Vec::new();
        let mut next = self.bytes.common(&other.bytes);
        while let Some((start, end)) = next
            && common.len() < most
        {
            let own = self.elements.within(start, end);
            if !own.clone().eq(other.elements.within(start, end)) {
                return Err((start, end));
            }
            common.extend(own.take(most - common.len()));
            next = self.bytes.common_from(&other.bytes, end);
        }
        common.dedup();
        Ok(common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::Part;
    use crate::datatype::Datatype;
    use crate::memory::Addr;

    /// An accumulating access of a rank to this many elements of each of some places.
    fn sum(origin: u32, basic: Basic, count: i64, places: &[i64]) -> Seen {
        let datatype = Datatype::hindexed_block(count, places, &Datatype::basic(basic)).unwrap();
        let there = Part { at: Addr(0), count: 1, datatype };
        Seen::of(&Access::new(Action::Combine(Predefined::Sum, basic), None, None, there), WorldRank(origin))
    }

    #[test]
    fn accesses_meet_at_elements() {
        let doubles = |origin, count, at: i64| sum(origin, Basic::Double, count, &[at]);
        let (one, other) = (doubles(0, 4, 64), doubles(1, 2, 80));
        assert!(one.meets_at_elements(&other) && !one.commutes_with(&other));
        assert_eq!(one.elements_in_common(&other, 8), Ok(vec![80, 88]));
        assert_eq!(one.elements_in_common(&other, 1), Ok(vec![80]));
        assert_eq!(one.elements_in_common(&doubles(1, 2, 96), 8), Ok(vec![]));
        // Two that are apart, and one that begins in the middle of an element, or one of its own.
        let apart = sum(1, Basic::Double, 1, &[72, 88]);
        assert_eq!(one.elements_in_common(&apart, 8), Ok(vec![72, 88]));
        assert_eq!(one.elements_in_common(&doubles(1, 1, 92), 8), Err((92, 96)));
        assert_eq!(doubles(0, 2, 68).elements_in_common(&doubles(1, 1, 76), 8), Ok(vec![76]));
        assert_eq!(doubles(0, 2, 68).elements_in_common(&one, 8), Err((68, 84)));
        // Nobody need look where whole numbers are added, unless they may be shifted.
        let integers = |origin, at: i64| sum(origin, Basic::Int64, 1, &[at]);
        assert!(!integers(0, 64).meets_at_elements(&integers(1, 64)));
        assert!(integers(0, 64).meets_at_elements(&integers(1, 68)));
        assert!(!one.meets_at_elements(&doubles(0, 1, 64)), "of one rank");
    }

    #[test]
    fn what_writes_agrees_with_nothing_but_its_like() {
        let atomic = |op| Action::Combine(op, Basic::Int);
        let sum = atomic(Predefined::Sum);
        for (one, other, agree) in [
            (Action::Read, Action::Read, true),
            (Action::Read, Action::Write, false),
            (Action::Write, Action::Write, false),
            (sum, sum, true),
            (sum, atomic(Predefined::Max), false),
            (sum, atomic(Predefined::NoOp), true),
            (sum, Action::Swap(Basic::Int), true),
            (sum, Action::Combine(Predefined::Sum, Basic::Long), false),
            (sum, Action::Read, false),
            (atomic(Predefined::NoOp), Action::Read, true),
            (atomic(Predefined::NoOp), Action::Write, false),
        ] {
            assert_eq!((one.agrees_with(other), other.agrees_with(one)), (agree, agree), "{one:?} {other:?}");
        }
    }
}
