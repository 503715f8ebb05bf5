//! Recursive doubling: in each round, pairs exchange the values of their groups and combine them in rank order.
//!
//! ⌊log₂ n⌋ rounds of the whole vector, and two more when n is no power of two: then the first ranks join in pairs
//! before (the even one hands over to the odd one) and get the result after.

use crate::collective::args::power_below;
use crate::collective::fold::Fold;
use crate::collective::select::Selection;
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, _: &Selection, own: &Part, result: &Part) {
    let participants = power_below(b.size);
    let extra = b.size - participants;
    let paired = b.rank < 2 * extra;
    if paired && b.rank.is_multiple_of(2) {
        b.send_wait(b.rank + 1, own);
        return b.recv_wait(b.rank + 1, result);
    }
    let mut value = Fold::reading(own);
    if paired {
        let operand = value.room(b);
        b.recv_wait(b.rank - 1, &operand);
        value.prepend(b, operand);
    }
    let number = if paired { b.rank / 2 } else { b.rank - extra };
    let mut mask = 1;
    while mask < participants {
        let partner = number ^ mask;
        let peer = if partner < extra { 2 * partner + 1 } else { partner + extra };
        let operand = value.room(b);
        b.exchange(peer, value.value(), peer, &operand);
        value.combine(b, operand, partner < number);
        mask *= 2;
    }
    b.copy(value.value(), result);
    if paired {
        b.send_wait(b.rank - 1, result);
    }
}
