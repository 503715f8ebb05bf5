//! Which accesses to the same bytes may not be concurrent (MPI 5.0 §12.7).

use smpi_base::WorldRank;
use smpi_base::table::Key;

use super::{Access, Action, WindowId};
use crate::collective::Part;
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
    /// It is about one element, at which it is atomic as a whole.
    pub is_single: bool,
    /// What must be the same of accesses that commute with it.
    pub commuting: Option<(Predefined, Basic)>,
    /// Bytes of the target: start and end of each piece, ascending.
    pub pieces: Vec<(u64, u64)>,
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
            is_own: false,
            action: access.action,
            is_single: there.count <= 1 && there.datatype.reduction_basic().is_some(),
            commuting: access.commuting(),
            pieces: pieces_of(there),
            over: None,
            part_of: Some((access.window, access.target)),
            request: access.request.filter(|_| access.result.is_some()),
            made: access.made,
        }
    }

    /// Whether both may be at the same bytes at the same time. What a rank does with its own memory without a window
    /// is in the order of its program, or a matter of its buffers; so is what it does atomically at one place (MPI 5.0
    /// §12.7.2), whichever operation that is. Others' accesses are atomic to each other within one window (§12.2.1).
    pub(crate) fn agrees_with(&self, other: &Seen) -> bool {
        if self.is_own && other.is_own {
            return self.origin == other.origin || self.action.agrees_with(other.action);
        }
        if self.window != other.window {
            return self.frees_window() || !self.action.writes() && !other.action.writes();
        }
        let is_in_order = self.origin == other.origin && self.action.is_ordered_with(other.action);
        is_in_order || self.action.agrees_with(other.action)
    }

    /// It is the end of the memory: no access may follow as long as there is the window.
    pub(crate) fn frees_window(&self) -> bool {
        self.is_own && self.over.is_none() && self.part_of.is_none() && self.request.is_none()
    }

    /// Whether both are of one rank, line and kind.
    fn is_like(&self, other: &Seen) -> bool {
        let kind = |seen: &Seen| (seen.is_own, seen.action, seen.is_single, seen.commuting);
        let made = |seen: &Seen| (seen.origin, seen.made, seen.window, seen.target, seen.part_of, seen.request);
        kind(self) == kind(other) && made(self) == made(other)
    }

    /// Whether both are alike and over at the same time: then they are one about the bytes of both.
    pub(crate) fn goes_with(&self, other: &Seen) -> bool {
        self.over == other.over && self.is_like(other)
    }

    /// Whether whatever races with this one, which is over, races with the later one too.
    pub(crate) fn is_outlived_by(&self, later: &Seen) -> bool {
        self.over.is_some() && self.over < later.over && self.is_like(later) && self.pieces == later.pieces
    }

    /// Adds bytes to what it is about.
    pub(crate) fn add(&mut self, start: u64, end: u64) {
        let first = self.pieces.partition_point(|piece| piece.1 < start);
        let met = self.pieces[first..].iter().take_while(|piece| piece.0 <= end).count();
        let met = &self.pieces[first..first + met];
        let start = met.first().map_or(start, |piece| piece.0.min(start));
        let end = met.last().map_or(end, |piece| piece.1.max(end));
        let last = first + met.len();
        self.pieces.splice(first..last, [(start, end)]);
    }

    /// Whether it matters, for each element for itself, which of two atomic accesses comes first.
    pub(crate) fn interleaves(&self, other: &Seen) -> bool {
        let both_atomic = self.action.is_atomic() && other.action.is_atomic();
        let is_split = !(self.is_single && other.is_single) && (self.action.writes() || other.action.writes());
        both_atomic && is_split && !(self.commuting.is_some() && self.commuting == other.commuting)
    }

    /// The first bytes that both touch: start and end.
    pub(crate) fn common(&self, other: &Seen) -> Option<(u64, u64)> {
        let ((low, high), (from, to)) = (self.span()?, other.span()?);
        if low >= to || from >= high {
            return None;
        }
        if let [(start, end)] = self.pieces[..] {
            return other.first_within(start, end);
        }
        if let [(start, end)] = other.pieces[..] {
            return self.first_within(start, end);
        }
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

    fn span(&self) -> Option<(u64, u64)> {
        Some((self.pieces.first()?.0, self.pieces.last()?.1))
    }

    /// The first bytes from `start` up to `end` that it touches.
    fn first_within(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let first = self.pieces.partition_point(|piece| piece.1 <= start);
        let piece = self.pieces.get(first).filter(|piece| piece.0 < end)?;
        Some((piece.0.max(start), piece.1.min(end)))
    }
}

/// The bytes of a buffer: start and end of each piece, ascending and apart.
pub(crate) fn pieces_of(part: &Part) -> Vec<(u64, u64)> {
    let mut pieces = Vec::new();
    part.add_runs(&mut pieces);
    pieces.sort_unstable();
    pieces.dedup_by(|next, before| {
        let meets = next.0 <= before.1;
        if meets {
            before.1 = before.1.max(next.1);
        }
        meets
    });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(pieces: &[(u64, u64)]) -> Seen {
        let (window, target, origin, over, part_of, request) = (0, 0, WorldRank(0), None, None, None);
        let (action, pieces, made) = (Action::Write, pieces.to_vec(), Origin::default());
        let (is_own, is_single, commuting) = (false, true, None);
        Seen { window, target, origin, is_own, action, is_single, commuting, pieces, over, part_of, request, made }
    }

    #[test]
    fn pieces_meet_where_they_share_bytes() {
        let stripes = seen(&[(0, 4), (8, 12), (16, 20)]);
        assert_eq!(stripes.common(&seen(&[(4, 8), (12, 16)])), None);
        assert_eq!(stripes.common(&seen(&[(4, 9)])), Some((8, 9)));
        assert_eq!(seen(&[(18, 40)]).common(&stripes), Some((18, 20)));
        assert_eq!(stripes.common(&seen(&[])), None);
        assert_eq!(stripes.common(&seen(&[(0, 1), (18, 40)])), Some((0, 1)));
        assert_eq!(stripes.common(&seen(&[(4, 8), (13, 14), (19, 21)])), Some((19, 20)));
    }

    #[test]
    fn bytes_are_added_to_pieces_that_stay_apart() {
        let mut seen = seen(&[]);
        for (start, end) in [(8, 12), (0, 4), (16, 20), (20, 21), (17, 19)] {
            seen.add(start, end);
        }
        assert_eq!(seen.pieces, [(0, 4), (8, 12), (16, 21)]);
        seen.add(4, 5);
        seen.add(10, 16);
        assert_eq!(seen.pieces, [(0, 5), (8, 21)]);
        seen.add(3, 30);
        assert_eq!(seen.pieces, [(0, 30)]);
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
