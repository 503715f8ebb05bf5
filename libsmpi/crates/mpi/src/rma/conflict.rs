//! Which accesses to the same bytes may not be concurrent (MPI 5.0 §12.7).

use smpi_base::WorldRank;
use smpi_base::table::Key;

use super::{Access, Action, WindowId};
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
}

/// An access that later ones are compared with.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub window: WindowId,
    /// The target's rank in the window.
    pub target: u32,
    pub origin: WorldRank,
    pub action: Action,
    /// It is about one element, at which it is atomic as a whole.
    pub is_single: bool,
    /// It tells its origin what was there.
    pub fetches: bool,
    /// Bytes of the target: start and end of each piece, ascending.
    pub pieces: Vec<(u64, u64)>,
    /// The origin's count at which it knew that the access was over.
    pub over: Option<u32>,
    /// The program's request, where the access is over with it.
    pub request: Option<Key>,
    pub made: Origin,
}

impl Seen {
    /// What is remembered of an access.
    pub(crate) fn of(access: &Access, origin: WorldRank) -> Seen {
        let there = &access.there;
        let mut pieces = Vec::new();
        there.add_runs(&mut pieces);
        pieces.sort_unstable();
        Seen {
            window: access.window,
            target: access.target,
            origin,
            action: access.action,
            is_single: there.count <= 1 && there.datatype.reduction_basic().is_some(),
            fetches: access.result.is_some(),
            pieces,
            over: None,
            request: access.request.filter(|_| access.result.is_some()),
            made: access.made,
        }
    }

    /// Whether it matters, for each element for itself, which of two atomic accesses comes first.
    pub(crate) fn interleaves(&self, other: &Seen) -> bool {
        let is_sum = |seen: &Seen| matches!(seen.action, Action::Combine(op, _) if op.is_reduction() && !seen.fetches);
        let both_atomic = self.action.is_atomic() && other.action.is_atomic();
        let is_split = !(self.is_single && other.is_single) && (self.action.writes() || other.action.writes());
        both_atomic && is_split && !(is_sum(self) && is_sum(other) && self.action == other.action)
    }

    /// The first bytes that both touch: start and end.
    pub(crate) fn common(&self, other: &Seen) -> Option<(u64, u64)> {
        let (mut mine, mut theirs) = (self.pieces.iter().peekable(), other.pieces.iter().peekable());
        while let (Some(a), Some(b)) = (mine.peek(), theirs.peek()) {
            let (start, end) = (a.0.max(b.0), a.1.min(b.1));
            if start < end {
                return Some((start, end));
            }
            if a.1 <= b.1 {
                mine.next()
            } else {
                theirs.next()
            };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::Basic;
    use crate::op::Predefined;

    fn seen(pieces: &[(u64, u64)]) -> Seen {
        let (window, target, origin, over, request) = (0, 0, WorldRank(0), None, None);
        let (action, pieces, made) = (Action::Write, pieces.to_vec(), Origin::default());
        let (is_single, fetches) = (true, false);
        Seen { window, target, origin, action, is_single, fetches, pieces, over, request, made }
    }

    #[test]
    fn pieces_meet_where_they_share_bytes() {
        let stripes = seen(&[(0, 4), (8, 12), (16, 20)]);
        assert_eq!(stripes.common(&seen(&[(4, 8), (12, 16)])), None);
        assert_eq!(stripes.common(&seen(&[(4, 9)])), Some((8, 9)));
        assert_eq!(seen(&[(18, 40)]).common(&stripes), Some((18, 20)));
        assert_eq!(stripes.common(&seen(&[])), None);
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
