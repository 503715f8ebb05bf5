//! Recursive halving: in each round, a rank gives the half of its blocks that belongs to the other half of the ranks.
//!
//! log₂ n rounds with n − 1 blocks in total per rank; for operations that commute. When n is no power of two, the first
//! ranks join in pairs: the even one hands its vector over before, and gets its block after.

use crate::collective::Builder;
use crate::collective::args::power_below;
use crate::collective::reduce_scatter::Call;
use crate::collective::select::Selection;

pub(super) fn build(b: &mut Builder, _: &Selection, call: &Call) {
    let participants = power_below(b.size);
    let extra = b.size - participants;
    let paired = b.rank < 2 * extra;
    let own_is_empty = call.result.size() == 0;
    if paired && b.rank.is_multiple_of(2) {
        b.send_wait(b.rank + 1, &call.vector);
        if !own_is_empty {
            b.recv_wait(b.rank + 1, call.result);
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
    let member = |number: u32| if number < extra { 2 * number + 1 } else { number + extra };
    // First block of a participant; one of a pair has the blocks of both.
    let first = |number: u32| if number < extra { 2 * number } else { number + extra };
    let (mut low, mut high) = (0, participants);
    let mut mask = participants / 2;
    while mask > 0 {
        let middle = low + mask;
        let upper = number >= middle;
        let other = member(number ^ mask);
        let (keep, give) = if upper { ((middle, high), (low, middle)) } else { ((low, middle), (middle, high)) };
        let part = |vector, (from, to): (u32, u32)| call.range(vector, first(from), first(to));
        let (kept, operand) = (part(&value, keep), part(&room, keep));
        b.exchange_known(other, &part(&value, give), other, &operand);
        b.reduce(&operand, &kept);
        (low, high) = keep;
        mask /= 2;
    }
    b.copy(&call.range(&value, b.rank, b.rank + 1), call.result);
    let partner = call.range(&value, first(number), first(number) + 1);
    if paired && partner.size() > 0 {
        b.send_wait(b.rank - 1, &partner);
    }
}
