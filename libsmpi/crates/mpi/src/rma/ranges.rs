//! Bytes, as pieces from and up to.

use crate::collective::Part;

/// Starts and ends of pieces, ascending, that neither overlap nor touch each other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ranges(Vec<(u64, u64)>);

/// Pieces in any order, which may overlap.
impl FromIterator<(u64, u64)> for Ranges {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(pieces: I) -> Ranges {
        let mut pieces: Vec<(u64, u64)> = pieces.into_iter().collect();
        pieces.sort_unstable();
        pieces.dedup_by(|next, before| {
            let meets = next.0 <= before.1;
            if meets {
                before.1 = before.1.max(next.1);
            }
            meets
        });
        Ranges(pieces)
    }
}

impl Ranges {
    /// The bytes of a buffer.
    pub(crate) fn of(part: &Part) -> Ranges {
        let mut runs = Vec::new();
        part.add_runs(&mut runs);
        runs.into_iter().collect()
    }

    pub(crate) fn pieces(&self) -> &[(u64, u64)] {
        &self.0
    }

    pub(crate) fn covers(&self, low: u64, high: u64) -> bool {
        let first = self.0.partition_point(|piece| piece.1 <= low);
        self.0.get(first).is_some_and(|piece| piece.0 <= low && high <= piece.1)
    }

    pub(crate) fn add(&mut self, low: u64, high: u64) {
        let first = self.0.partition_point(|piece| piece.1 < low);
        let met = self.0[first..].iter().take_while(|piece| piece.0 <= high).count();
        let met = &self.0[first..first + met];
        let start = met.first().map_or(low, |piece| piece.0.min(low));
        let end = met.last().map_or(high, |piece| piece.1.max(high));
        let last = first + met.len();
        self.0.splice(first..last, [(start, end)]);
    }

    /// The first bytes from here on that both have.
    pub(crate) fn common_from(&self, other: &Ranges, from: u64) -> Option<(u64, u64)> {
        let mut at = from;
        loop {
            let (low, high) = self.first_within(at, u64::MAX)?;
            if let Some(both) = other.first_within(low, high) {
                return Some(both);
            }
            at = high;
        }
    }

    /// The first bytes that both have.
    pub(crate) fn common(&self, other: &Ranges) -> Option<(u64, u64)> {
        let ((low, high), (from, to)) = (self.span()?, other.span()?);
        if low >= to || from >= high {
            return None;
        }
        if let [(start, end)] = self.0[..] {
            return other.first_within(start, end);
        }
        if let [(start, end)] = other.0[..] {
            return self.first_within(start, end);
        }
        let (mut mine, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
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
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    /// The first bytes from `start` up to `end`.
    fn first_within(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let first = self.0.partition_point(|piece| piece.1 <= start);
        let piece = self.0.get(first).filter(|piece| piece.0 < end)?;
        Some((piece.0.max(start), piece.1.min(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(pieces: &[(u64, u64)]) -> Ranges {
        pieces.iter().copied().collect()
    }

    #[test]
    fn pieces_meet_where_they_share_bytes() {
        let stripes = ranges(&[(0, 4), (8, 12), (16, 20)]);
        assert_eq!(stripes.common(&ranges(&[(4, 8), (12, 16)])), None);
        assert_eq!(stripes.common(&ranges(&[(4, 9)])), Some((8, 9)));
        assert_eq!(ranges(&[(18, 40)]).common(&stripes), Some((18, 20)));
        assert_eq!(stripes.common(&ranges(&[])), None);
        assert_eq!(stripes.common(&ranges(&[(0, 1), (18, 40)])), Some((0, 1)));
        assert_eq!(stripes.common(&ranges(&[(4, 8), (13, 14), (19, 21)])), Some((19, 20)));
        assert_eq!(ranges(&[(16, 20), (0, 4)]).common(&ranges(&[(2, 3)])), Some((2, 3)), "in any order");
        let other = ranges(&[(2, 10), (19, 24)]);
        let from = |at| stripes.common_from(&other, at);
        assert_eq!(
            [from(0), from(3), from(4), from(10), from(20)],
            [(2, 4), (3, 4), (8, 10), (19, 20), (0, 0)].map(|both| (both.1 > 0).then_some(both))
        );
    }

    #[test]
    fn bytes_are_added_to_pieces_that_stay_apart() {
        let mut some = ranges(&[]);
        for (start, end) in [(8, 12), (0, 4), (16, 20), (20, 21), (17, 19)] {
            some.add(start, end);
        }
        assert_eq!(some.pieces(), [(0, 4), (8, 12), (16, 21)]);
        assert_eq!(some, ranges(&[(17, 21), (8, 12), (0, 4), (16, 18)]));
        some.add(4, 5);
        some.add(10, 16);
        assert_eq!(some.pieces(), [(0, 5), (8, 21)]);
        some.add(3, 30);
        assert_eq!(some.pieces(), [(0, 30)]);
    }

    #[test]
    fn ranges_grow_together() {
        let mut ranges = Ranges::default();
        for (low, high) in [(8, 12), (0, 4), (20, 24), (12, 16)] {
            ranges.add(low, high);
        }
        assert!(ranges.covers(8, 16) && ranges.covers(1, 3) && !ranges.covers(4, 8) && !ranges.covers(15, 17));
        ranges.add(3, 21);
        assert_eq!(ranges.pieces(), [(0, 24)]);
    }
}
