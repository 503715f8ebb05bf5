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

/// Up to so many are kept in their order, which most fillings are content with. More are a heap.
const FEW: usize = 16;

/// The candidates of a filling. Invariant: one of the two parts is empty.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// The first one is last.
    few: Vec<Candidate>,
    many: BinaryHeap<Reverse<Candidate>>,
    are_many: bool,
}

impl Candidates {
    /// Removes all; at most so many will be there at once.
    pub fn begin(&mut self, most: usize) {
        self.few.clear();
        self.many.clear();
        self.are_many = most > FEW;
    }

    pub fn push(&mut self, candidate: Candidate) {
        if self.are_many {
            return self.many.push(Reverse(candidate));
        }
        let mut place = self.few.len();
        self.few.push(candidate);
        let few = &mut self.few[..];
        while place > 0 && few[place - 1] < candidate {
            few[place] = few[place - 1];
            place -= 1;
        }
        few[place] = candidate;
    }

    /// Takes the first one.
    pub fn pop(&mut self) -> Option<Candidate> {
        if self.are_many { self.many.pop().map(|candidate| candidate.0) } else { self.few.pop() }
    }

    /// The ratio of the first one; infinite when there is none.
    pub fn least_ratio(&self) -> f64 {
        let first =
            if self.are_many { self.many.peek().map(|candidate| candidate.0) } else { self.few.last().copied() };
        first.map_or(f64::INFINITY, Candidate::ratio)
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
    fn few_and_many_come_in_the_same_order() {
        let mut rng = Rng::new(3);
        let (mut few, mut many) = (Candidates::default(), Candidates::default());
        for _ in 0..1000 {
            few.begin(FEW);
            many.begin(FEW + 1);
            for resource in 0..FEW as u32 {
                let candidate = Candidate::new(rng.below(5) as f64, resource);
                few.push(candidate);
                many.push(candidate);
            }
            assert_eq!((few.few.len(), many.many.len()), (FEW, FEW));
            let mut last = None;
            while let Some(candidate) = few.pop() {
                assert!(last.is_none_or(|last| last < candidate));
                assert_eq!(many.pop(), Some(candidate));
                assert_eq!(few.least_ratio(), many.least_ratio());
                last = Some(candidate);
            }
            assert_eq!(many.pop(), None);
        }
    }
}
