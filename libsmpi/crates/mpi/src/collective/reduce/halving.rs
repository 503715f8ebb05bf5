//! Rabenseifner's reduce-scatter, on which the algorithms for long vectors build: recursive halving among a power of
//! two of ranks, neighbours first.
//!
//! ```text
//! 4 ranks:  round 1   0 ⇄ 1, 2 ⇄ 3   half a vector each: even ranks keep the first half, odd ones the second
//!           round 2   0 ⇄ 2, 1 ⇄ 3   a quarter each
//! ```
//!
//! Always neighbouring groups are combined, lower ranks left. Source: Rabenseifner, "Optimization of collective
//! reduction operations", ICCS 2004.

use crate::collective::args::Cut;
use crate::collective::{Builder, Part};

/// What a rank keeps and gives in one round, as pieces of the cut.
#[derive(Clone, Copy, Debug)]
pub(in crate::collective) struct Round {
    /// Number of the partner among the participants.
    pub(in crate::collective) partner: u32,
    /// Pieces kept.
    pub(in crate::collective) keep: (u32, u32),
    /// Pieces that the partner keeps.
    pub(in crate::collective) give: (u32, u32),
}

/// The rounds of participant `number` of `participants`, a power of two.
pub(in crate::collective) fn rounds(number: u32, participants: u32) -> Vec<Round> {
    let (mut low, mut high) = (0, participants);
    let mut mask = 1;
    let mut rounds = Vec::new();
    while mask < participants {
        let (partner, middle) = (number ^ mask, low + (high - low) / 2);
        let halves = [(low, middle), (middle, high)];
        let kept = usize::from(number & mask != 0);
        rounds.push(Round { partner, keep: halves[kept], give: halves[1 - kept] });
        (low, high) = halves[kept];
        mask *= 2;
    }
    rounds
}

/// Runs the rounds on a vector that may be written. Afterwards the last round's `keep` pieces of it are fully reduced.
/// Its first elements are data; others only fill pieces, which travel as they are.
pub(in crate::collective) fn scatter(
    b: &mut Builder,
    vector: &Part,
    (cut, data): (Cut, i64),
    rounds: &[Round],
    peer: impl Fn(u32) -> u32,
) {
    let Some(first) = rounds.first() else { return };
    let room = b.scratch(cut.range(vector, first.keep.0, first.keep.1).count, &vector.datatype);
    for round in rounds {
        let other = peer(round.partner);
        let (keep, give) =
            (cut.range(vector, round.keep.0, round.keep.1), cut.range(vector, round.give.0, round.give.1));
        let operand = room.slice(0, keep.count);
        b.exchange(other, &give, other, &operand);
        let keep = cut.data(vector, round.keep, data);
        let operand = operand.slice(0, keep.count);
        if round.keep.0 > round.give.0 {
            // This rank is the upper one: the partner's operand comes first.
            b.reduce(&operand, &keep);
        } else {
            b.reduce(&keep, &operand);
            b.copy(&operand, &keep);
        }
    }
}
