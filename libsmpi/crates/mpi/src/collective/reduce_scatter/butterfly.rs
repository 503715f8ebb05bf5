//! Butterfly: recursive halving, neighbours first, after which each rank has the block of the rank whose number is its
//! own with the bits reversed; these two exchange.
//!
//! 1 + log₂ n rounds, and two more when n is no power of two: then the first ranks join in pairs, whose two blocks are
//! one. Always neighbouring groups are combined, so any operation will do. Source: J. Träff, "An improved algorithm for
//! (non-commutative) reduce-scatter with an application", EuroPVM/MPI 2005.

use crate::collective::Builder;
use crate::collective::reduce::halving;
use crate::collective::reduce_scatter::Call;
use crate::collective::reduce_scatter::pairs::Pairs;
use crate::collective::select::Selection;

pub(super) fn build(b: &mut Builder, _: &Selection, call: &Call) {
    let pairs = Pairs::of(b.size);
    let bits = pairs.participants.ilog2();
    let mirrored = |number: u32| if bits == 0 { 0 } else { number.reverse_bits() >> (u32::BITS - bits) };
    let Some((number, value, room)) = pairs.join(b, call, mirrored, true) else { return };
    for round in halving::rounds(number, pairs.participants) {
        let other = pairs.member(round.partner);
        let range = |vector, (from, to): (u32, u32)| call.range(vector, pairs.first(from), pairs.first(to));
        let (keep, operand) = (range(&value, round.keep), range(&room, round.keep));
        b.exchange(other, &range(&value, round.give), other, &operand);
        if round.partner < number {
            b.reduce(&operand, &keep);
        } else {
            b.reduce(&keep, &operand);
            b.copy(&operand, &keep);
        }
    }
    let owner = mirrored(number);
    let (rank, block) = (pairs.member(owner), |rank: u32| call.range(&value, rank, rank + 1));
    if owner < pairs.extra {
        b.send_wait(rank - 1, &block(rank - 1));
    }
    if rank == b.rank {
        b.copy(&block(rank), call.result);
    } else {
        b.exchange(rank, &block(rank), rank, call.result);
    }
}
