//! Logical ring: pieces of the vector go round once to be reduced and once to be spread. 2 (n − 1) rounds of one n-th
//! of the vector; moves the least data of all. Source: Patarasuk, Yuan, JPDC 69(2), 2009.

use crate::collective::args::Cut;
use crate::collective::select::Selection;
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, _: &Selection, own: &Part, result: &Part) {
    let cut = Cut { count: own.count, pieces: b.size };
    let piece = |number: u32| cut.range(result, number, number + 1);
    let (left, right) = (b.before(1), b.after(1));
    b.copy(own, result);
    let room = b.scratch(own.count / i64::from(b.size) + 1, &own.datatype);
    for round in 1..b.size {
        let arriving = piece(b.before(round));
        let operand = room.slice(0, arriving.count);
        b.exchange_known(right, &piece(b.before(round - 1)), left, &operand);
        b.reduce(&operand, &arriving);
    }
    // Now the piece of the right neighbour's number is complete here.
    for round in 1..b.size {
        b.exchange_known(right, &piece(b.before(round + b.size - 2)), left, &piece(b.before(round - 1)));
    }
}
