//! Which ranks take part in an algorithm for a power of two: of the first ranks, every other one.
//!
//! ```text
//! 11 ranks:  0 1 2 3 4 5 6 7 8 9 10       0, 2 and 4 take the vectors of 1, 3 and 5
//!            0 - 1 - 2 - 3 4 5 6  7       their numbers
//! ```

use crate::collective::args::power_below;

#[derive(Clone, Copy, Debug)]
pub(super) struct Participants {
    /// How many: a power of two.
    pub(super) number: u32,
    /// Ranks beyond that.
    extra: u32,
}

impl Participants {
    pub(super) fn new(size: u32) -> Participants {
        let number = power_below(size);
        Participants { number, extra: size - number }
    }

    /// Number of the first ranks of which only even ones take part.
    pub(super) fn divided(&self) -> u32 {
        2 * self.extra
    }

    pub(super) fn takes_part(&self, rank: u32) -> bool {
        rank >= self.divided() || rank.is_multiple_of(2)
    }

    /// The number of a rank that takes part.
    pub(super) fn of_rank(&self, rank: u32) -> u32 {
        if rank < self.divided() { rank / 2 } else { rank - self.extra }
    }

    /// The rank of a number.
    pub(super) fn rank(&self, number: u32) -> u32 {
        if number < self.extra { 2 * number } else { number + self.extra }
    }

    /// The number to which pieces go that the root collects. A root that takes no part stands in for number 0.
    pub(super) fn aim(&self, root: u32) -> u32 {
        if self.takes_part(root) { self.of_rank(root) } else { 0 }
    }
}

/// A bit of a number: on which side it is in a round in which partners differ in that bit.
pub(super) fn bit(number: u32, round: u32) -> usize {
    (number >> round & 1) as usize
}
