//! Butterfly: recursive halving, neighbours first, after which each rank has the block of the rank whose number is its
//! own with the bits reversed; these two exchange.
//!
//! 1 + log₂ n rounds, and two more when n is no power of two: then the first ranks join in pairs, whose two blocks are
//! one. Always neighbouring groups are combined, so any operation will do. Source: J. Träff, "An improved algorithm for
//! (non-commutative) reduce-scatter with an application", EuroPVM/MPI 2005.

use crate::collective::Builder;
use crate::collective::args::power_below;
use crate::collective::reduce::halving;
use crate::collective::reduce_scatter::Call;
use crate::collective::select::Selection;

pub(super) fn build(b: &mut Builder, _: &Selection, call: &Call) {
    let participants = power_below(b.size);
    let extra = b.size - participants;
    let member = |number: u32| if number < extra { 2 * number + 1 } else { number + extra };
    // First block of a participant; one of a pair has the blocks of both.
    let first = |number: u32| if number < extra { 2 * number } else { number + extra };
    let bits = participants.ilog2();
    let mirrored = |number: u32| if bits == 0 { 0 } else { number.reverse_bits() >> (u32::BITS - bits) };
    let own_is_empty = call.result.size() == 0;
    let paired = b.rank < 2 * extra;
    if paired && b.rank.is_multiple_of(2) {
        b.send_wait(b.rank + 1, &call.vector);
        if !own_is_empty {
            b.recv_wait(member(mirrored(b.rank / 2)), call.result);
        }
        return;
    }
    let value = b.scratch(call.vector.count, &call.vector.datatype);
    let room = b.scratch(call.vector.count, &call.vector.datatype);
    b.copy(&call.vector, &value);
    if paired {
        b.recv_wait(b.rank - 1, &room);
        b.reduce(&room, &value);
    }
    let number = if paired { b.rank / 2 } else { b.rank - extra };
    for round in halving::rounds(number, participants) {
        let other = member(round.partner);
        let range = |vector, (from, to): (u32, u32)| call.range(vector, first(from), first(to));
        let (keep, operand) = (range(&value, round.keep), range(&room, round.keep));
        b.exchange_known(other, &range(&value, round.give), other, &operand);
        if round.partner < number {
            b.reduce(&operand, &keep);
        } else {
            b.reduce(&keep, &operand);
            b.copy(&operand, &keep);
        }
    }
    let owner = mirrored(number);
    let (rank, block) = (member(owner), |rank: u32| call.range(&value, rank, rank + 1));
    if owner < extra && block(rank - 1).size() > 0 {
        b.send_wait(rank - 1, &block(rank - 1));
    }
    if rank == b.rank {
        b.copy(&block(rank), call.result);
    } else {
        b.exchange_known(rank, &block(rank), rank, call.result);
    }
}
