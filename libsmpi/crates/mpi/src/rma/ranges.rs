//! Bytes, as pieces from and up to.

use std::collections::BTreeMap;
use std::slice;

use crate::collective::Part;

/// Starts and ends of pieces, ascending, that neither overlap nor touch each other.
#[derive(Clone, Debug)]
pub(crate) enum Ranges {
    /// Most are one piece, or none: then it is empty.
    One((u64, u64)),
    /// Some pieces.
    Several(Vec<(u64, u64)>),
    /// So many pieces that it would take long to move them: their ends, by their starts.
    Many(BTreeMap<u64, u64>),
}

/// More pieces than this are kept as a tree.
const SEVERAL: usize = 64;

impl Default for Ranges {
    fn default() -> Ranges {
        Ranges::One((0, 0))
    }
}

impl PartialEq for Ranges {
    fn eq(&self, other: &Ranges) -> bool {
        match (self, other) {
            (Ranges::One(own), Ranges::One(others)) => own == others,
            _ => self.pieces().eq(other.pieces()),
        }
    }
}

/// Pieces in any order, which may overlap.
impl FromIterator<(u64, u64)> for Ranges {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(pieces: I) -> Ranges {
        let mut pieces: Vec<(u64, u64)> = pieces.into_iter().filter(|piece| piece.0 < piece.1).collect();
        pieces.sort_unstable();
        pieces.dedup_by(|next, before| {
            let meets = next.0 <= before.1;
            if meets {
                before.1 = before.1.max(next.1);
            }
            meets
        });
        match pieces[..] {
            [] => Ranges::default(),
            [one] => Ranges::One(one),
            _ if pieces.len() <= SEVERAL => Ranges::Several(pieces),
            _ => Ranges::Many(pieces.into_iter().collect()),
        }
    }
}

impl Ranges {
    /// The bytes of a buffer.
    pub(crate) fn of(part: &Part) -> Ranges {
        if let Some((start, end)) = part.as_run() {
            return if start < end { Ranges::One((start, end)) } else { Ranges::default() };
        }
        let mut runs = Vec::new();
        part.add_runs(&mut runs);
        runs.into_iter().collect()
    }

    /// The pieces that reach beyond `low`, ascending.
    fn pieces_from(&self, low: u64) -> impl Iterator<Item = (u64, u64)> {
        let (list, tree) = match self {
            Ranges::One(piece) => (slice::from_ref(piece), None),
            Ranges::Several(pieces) => (&pieces[..], None),
            Ranges::Many(pieces) => {
                let before = pieces.range(..=low).next_back().map_or(low, |piece| *piece.0);
                (&[][..], Some(pieces.range(before..)))
            }
        };
        let first = list.partition_point(|piece| piece.1 <= low);
        let tree =
            tree.into_iter().flatten().map(|(&start, &end)| (start, end)).skip_while(move |piece| piece.1 <= low);
        list[first..].iter().copied().chain(tree)
    }

    /// All pieces, ascending.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (u64, u64)> {
        self.pieces_from(0)
    }

    /// The first byte.
    pub(crate) fn start(&self) -> Option<u64> {
        self.span().map(|span| span.0)
    }

    pub(crate) fn covers(&self, low: u64, high: u64) -> bool {
        if let Ranges::One((start, end)) = self {
            return *start <= low && high <= *end;
        }
        self.pieces_from(low).next().is_some_and(|piece| piece.0 <= low && high <= piece.1)
    }

    /// Whether all bytes of the others are here.
    pub(crate) fn cover_all(&self, others: &Ranges) -> bool {
        match others {
            Ranges::One((low, high)) => low == high || self.covers(*low, *high),
            _ => others.pieces().all(|(low, high)| self.covers(low, high)),
        }
    }

    pub(crate) fn add(&mut self, low: u64, high: u64) {
        match self {
            Ranges::One(piece) if piece.0 == piece.1 => *piece = (low, high),
            Ranges::One(piece) if low <= piece.1 && piece.0 <= high => *piece = (piece.0.min(low), piece.1.max(high)),
            Ranges::One(piece) => {
                let mut both = vec![*piece, (low, high)];
                both.sort_unstable();
                *self = Ranges::Several(both);
            }
            Ranges::Several(pieces) => {
                let first = pieces.partition_point(|piece| piece.1 < low);
                let met = pieces[first..].iter().take_while(|piece| piece.0 <= high).count();
                let met = &pieces[first..first + met];
                let start = met.first().map_or(low, |piece| piece.0.min(low));
                let end = met.last().map_or(high, |piece| piece.1.max(high));
                let last = first + met.len();
                pieces.splice(first..last, [(start, end)]);
                if pieces.len() > SEVERAL {
                    *self = Ranges::Many(pieces.iter().copied().collect());
                }
            }
            Ranges::Many(pieces) => {
                let (mut low, mut high) = (low, high);
                while let Some((&start, &end)) = pieces.range(..=high).next_back().filter(|piece| *piece.1 >= low) {
                    pieces.remove(&start);
                    (low, high) = (low.min(start), high.max(end));
                }
                pieces.insert(low, high);
            }
        }
    }

    /// Adds all bytes of the others.
    pub(crate) fn add_all(&mut self, others: &Ranges) {
        others.pieces().for_each(|(low, high)| self.add(low, high));
    }

    /// The first bytes from here on that both have.
    pub(crate) fn common_from(&self, other: &Ranges, from: u64) -> Option<(u64, u64)> {
        let mut at = from;
        loop {
            let (low, high) = self.first_within((at, u64::MAX))?;
            if let Some(both) = other.first_within((low, high)) {
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
        match (self, other) {
            (Ranges::One(piece), _) => other.first_within(*piece),
            (_, Ranges::One(piece)) => self.first_within(*piece),
            // The one with fewer pieces is followed, as a rule.
            (Ranges::Many(_), Ranges::Several(pieces)) => pieces.iter().find_map(|piece| self.first_within(*piece)),
            _ => self.pieces_from(from).take_while(|piece| piece.0 < to).find_map(|piece| other.first_within(piece)),
        }
    }

    /// From the first byte up to the last one; `None` without any.
    pub(crate) fn span(&self) -> Option<(u64, u64)> {
        match self {
            Ranges::One(piece) => (piece.0 < piece.1).then_some(*piece),
            Ranges::Several(pieces) => Some((pieces.first()?.0, pieces.last()?.1)),
            Ranges::Many(pieces) => Some((*pieces.first_key_value()?.0, *pieces.last_key_value()?.1)),
        }
    }

    /// The first bytes from `start` up to `end`.
    fn first_within(&self, (start, end): (u64, u64)) -> Option<(u64, u64)> {
        let piece = self.pieces_from(start).next().filter(|piece| piece.0 < end)?;
        Some((piece.0.max(start), piece.1.min(end)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use smpi_base::rng::Rng;

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
        assert!(some.pieces().eq([(0, 4), (8, 12), (16, 21)]));
        assert_eq!(some, ranges(&[(17, 21), (8, 12), (0, 4), (16, 18)]));
        some.add(4, 5);
        some.add(10, 16);
        assert!(some.pieces().eq([(0, 5), (8, 21)]));
        some.add(3, 30);
        assert!(some.pieces().eq([(0, 30)]));
    }

    #[test]
    fn ranges_grow_together() {
        let mut ranges = Ranges::default();
        for (low, high) in [(8, 12), (0, 4), (20, 24), (12, 16)] {
            ranges.add(low, high);
        }
        assert!(ranges.covers(8, 16) && ranges.covers(1, 3) && !ranges.covers(4, 8) && !ranges.covers(15, 17));
        ranges.add(3, 21);
        assert!(ranges.pieces().eq([(0, 24)]));
    }

    /// Few pieces and many behave alike: as the set of their bytes does.
    #[test]
    fn pieces_are_sets_of_bytes() {
        let mut rng = Rng::new(11);
        for _ in 0..200 {
            let (mut some, mut other) = (ranges(&[]), ranges(&[]));
            let mut sets = [BTreeSet::new(), BTreeSet::new()];
            let spread = [60, 600, 6000][rng.below(3)];
            for _ in 0..rng.below(300) {
                let (low, which) = (rng.below(spread) as u64, rng.below(2));
                let high = low + 1 + rng.below(9) as u64;
                if which == 0 { &mut some } else { &mut other }.add(low, high);
                sets[which].extend(low..high);
            }
            assert_eq!(some.start(), sets[0].first().copied());
            assert!(some.pieces().flat_map(|(low, high)| low..high).eq(sets[0].iter().copied()));
            assert!(some.pieces().zip(some.pieces().skip(1)).all(|(one, next)| one.1 < next.0));
            assert_eq!(some, some.pieces().collect());
            let first = sets[0].intersection(&sets[1]).next().copied();
            assert_eq!(some.common(&other).map(|bytes| bytes.0), first);
            assert_eq!(other.common(&some).map(|bytes| bytes.0), first);
            assert_eq!(some.cover_all(&other), sets[1].is_subset(&sets[0]));
            let low = rng.below(spread) as u64;
            let high = low + 1 + rng.below(9) as u64;
            assert_eq!(some.covers(low, high), (low..high).all(|byte| sets[0].contains(&byte)));
            some.add_all(&other);
            assert!(some.cover_all(&other));
        }
    }
}
