//! Long vectors: Rabenseifner's reduce-scatter by recursive halving, then an allgather by recursive doubling.
//!
//! Moves about twice the vector per rank, in 2 ⌊log₂ n⌋ rounds, and two more when n is no power of two: then the first
//! ranks join in pairs before and get the result after.

use crate::collective::args::{Cut, Rest, power_below};
use crate::collective::reduce::halving;
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
    b.copy(own, result);
    if paired {
        let operand = b.scratch(own.count, &own.datatype);
        b.recv_wait(b.rank - 1, &operand);
        b.reduce(&operand, result);
    }
    let number = if paired { b.rank / 2 } else { b.rank - extra };
    let member = |number: u32| if number < extra { 2 * number + 1 } else { number + extra };
    let cut = Cut { count: own.count, pieces: participants, rest: Rest::Last };
    let rounds = halving::rounds(number, participants);
    halving::scatter(b, result, (cut, own.count), &rounds, member);
    for round in rounds.iter().rev() {
        let other = member(round.partner);
        let (mine, theirs) =
            (cut.range(result, round.keep.0, round.keep.1), cut.range(result, round.give.0, round.give.1));
        b.exchange(other, &mine, other, &theirs);
    }
    if paired {
        b.send_wait(b.rank - 1, result);
    }
}
