//! Which accesses to the same bytes may not be concurrent (MPI 5.0 §12.7).

use smpi_base::WorldRank;
use smpi_base::table::Key;

use super::{Access, Action, WindowId};
use crate::datatype::Basic;
use crate::op::Predefined;
use crate::usage::Origin;

/// What an access does to memory, as far as others must not meet it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Deed {
    Read,
    Write,
    /// Atomic for elements of this type; the operation, `None` for `MPI_Compare_and_swap`.
    Atomic(Basic, Option<Predefined>),
}

impl Deed {
    fn of(action: Action) -> Deed {
        match action {
            Action::Read => Deed::Read,
            Action::Write => Deed::Write,
            Action::Combine(op, basic) => Deed::Atomic(basic, Some(op)),
            Action::Swap(basic) => Deed::Atomic(basic, None),
        }
    }

    /// Whether memory may be other afterwards.
    fn writes(self) -> bool {
        !matches!(self, Deed::Read | Deed::Atomic(_, Some(Predefined::NoOp)))
    }

    /// Whether both may be at the same bytes at the same time. Two different reductions may not; to replace, to read,
    /// and to compare and swap go with every operation on the same type.
    pub(crate) fn agrees_with(self, other: Deed) -> bool {
        match (self, other) {
            (Deed::Atomic(basic, op), Deed::Atomic(other_basic, other_op)) => {
                let is_reduction = |op: Option<Predefined>| op.is_some_and(Predefined::is_reduction);
                basic == other_basic && (op == other_op || !(is_reduction(op) && is_reduction(other_op)))
            }
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
    pub deed: Deed,
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
        let mut pieces: Vec<(u64, u64)> = Vec::new();
        if there.size() > 0 {
            there.datatype.for_each_block(there.count as u64, &mut |blocks| {
                for index in 0..blocks.count {
                    let start = there.at.offset(blocks.at + index as i64 * blocks.stride).0;
                    pieces.push((start, start + blocks.len));
                }
            });
        }
        pieces.sort_unstable();
        Seen {
            window: access.window,
            target: access.target,
            origin,
            deed: Deed::of(access.action),
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
        let is_sum = |seen: &Seen| matches!(seen.deed, Deed::Atomic(_, Some(op)) if op.is_reduction() && !seen.fetches);
        let both_atomic = matches!((self.deed, other.deed), (Deed::Atomic(..), Deed::Atomic(..)));
        let is_split = !(self.is_single && other.is_single) && (self.deed.writes() || other.deed.writes());
        both_atomic && is_split && !(is_sum(self) && is_sum(other) && self.deed == other.deed)
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

    fn seen(pieces: &[(u64, u64)]) -> Seen {
        let (window, target, origin, over, request) = (0, 0, WorldRank(0), None, None);
        let (deed, pieces, made) = (Deed::Write, pieces.to_vec(), Origin::default());
        let (is_single, fetches) = (true, false);
        Seen { window, target, origin, deed, is_single, fetches, pieces, over, request, made }
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
        let atomic = |op| Deed::Atomic(Basic::Int, op);
        let sum = atomic(Some(Predefined::Sum));
        for (one, other, agree) in [
            (Deed::Read, Deed::Read, true),
            (Deed::Read, Deed::Write, false),
            (Deed::Write, Deed::Write, false),
            (sum, sum, true),
            (sum, atomic(Some(Predefined::Max)), false),
            (sum, atomic(Some(Predefined::NoOp)), true),
            (sum, atomic(None), true),
            (sum, Deed::Atomic(Basic::Long, Some(Predefined::Sum)), false),
            (sum, Deed::Read, false),
            (atomic(Some(Predefined::NoOp)), Deed::Read, true),
            (atomic(Some(Predefined::NoOp)), Deed::Write, false),
        ] {
            assert_eq!((one.agrees_with(other), other.agrees_with(one)), (agree, agree), "{one:?} {other:?}");
        }
    }
}
