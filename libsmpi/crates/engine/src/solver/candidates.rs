//! The resources that may be full next in a filling, the one with the lowest ratio first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A resource and a lower limit of its ratio, ordered by that (as [`f64::total_cmp`] does) and then by the resource. It
/// is one number, so that a comparison is cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate(u128);

impl Candidate {
    pub fn new(ratio: f64, resource: u32) -> Candidate {
        let bits = ratio.to_bits();
        let negative = ((bits as i64) >> 63) as u64;
        Candidate(u128::from(bits ^ (negative | SIGN)) << 32 | u128::from(resource))
    }

    pub fn ratio(self) -> f64 {
        let ordered = (self.0 >> 32) as u64;
        let negative = ((!ordered as i64) >> 63) as u64;
        f64::from_bits(ordered ^ (negative | SIGN))
    }

    pub fn resource(self) -> u32 {
        self.0 as u32
    }
}

const SIGN: u64 = 1 << 63;

/// The candidates of a filling. Few are put back, so most of the order is found by sorting once.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Those of the beginning, in the opposite order.
    sorted: Vec<Candidate>,
    /// Those that were put back.
    back: BinaryHeap<Reverse<Candidate>>,
}

impl Candidates {
    /// Removes all.
    pub fn clear(&mut self) {
        self.sorted.clear();
        self.back.clear();
    }

    /// Adds one before [`Candidates::sort`].
    #[inline]
    pub fn add(&mut self, candidate: Candidate) {
        self.sorted.push(candidate);
    }

    /// All are there.
    pub fn sort(&mut self) {
        self.sorted.sort_unstable_by(|one, other| other.cmp(one));
    }

    /// Puts one back that [`Candidates::pop`] gave, with another ratio.
    pub fn put_back(&mut self, candidate: Candidate) {
        self.back.push(Reverse(candidate));
    }

    /// Takes the first one.
    #[inline]
    pub fn pop(&mut self) -> Option<Candidate> {
        match (self.sorted.last(), self.back.peek()) {
            (Some(first), Some(Reverse(other))) if other < first => self.back.pop().map(|candidate| candidate.0),
            (None, _) => self.back.pop().map(|candidate| candidate.0),
            (Some(_), _) => self.sorted.pop(),
        }
    }

    /// The ratio of the first one; infinite when there is none.
    #[inline]
    pub fn least_ratio(&self) -> f64 {
        let ends = [self.sorted.last().copied(), self.back.peek().map(|candidate| candidate.0)];
        ends.into_iter().flatten().min().map_or(f64::INFINITY, Candidate::ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smpi_base::rng::Rng;

    #[test]
    fn candidates_are_ordered_by_their_ratios() {
        let ratios = [f64::NEG_INFINITY, -3.5, -1e-300, -0.0, 0.0, 1e-300, 3.5, 1e300, f64::INFINITY];
        for pair in ratios.windows(2) {
            assert!(Candidate::new(pair[0], 9) < Candidate::new(pair[1], 3));
        }
        for ratio in ratios {
            let candidate = Candidate::new(ratio, 7);
            assert_eq!((candidate.ratio().to_bits(), candidate.resource()), (ratio.to_bits(), 7));
            assert!(candidate < Candidate::new(ratio, 8) && candidate > Candidate::new(ratio, 6));
        }
    }

    #[test]
    fn candidates_come_in_their_order_with_those_that_were_put_back() {
        let mut rng = Rng::new(3);
        let mut candidates = Candidates::default();
        for round in 0..300 {
            candidates.clear();
            let mut all: Vec<Candidate> =
                (0..round).map(|resource| Candidate::new(rng.below(5) as f64, resource)).collect();
            all.iter().for_each(|candidate| candidates.add(*candidate));
            candidates.sort();
            let mut backs = 0;
            while let Some(first) = all.iter().min().copied() {
                assert_eq!(candidates.least_ratio(), first.ratio());
                assert_eq!(candidates.pop(), Some(first));
                all.retain(|candidate| *candidate != first);
                if rng.below(3) == 0 && backs < 2 * round {
                    backs += 1;
                    let again = Candidate::new(first.ratio() + rng.below(3) as f64, first.resource());
                    all.push(again);
                    candidates.put_back(again);
                }
            }
            assert_eq!((candidates.pop(), candidates.least_ratio()), (None, f64::INFINITY));
        }
    }
}
