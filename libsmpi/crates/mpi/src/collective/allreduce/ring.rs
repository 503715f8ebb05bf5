//! Logical ring: pieces of the vector go round once to be reduced and once to be spread. 2 (n − 1) rounds of one n-th
//! of the vector; moves the least data of all. Source: Patarasuk, Yuan, JPDC 69(2), 2009.

use crate::collective::args::Cut;
use crate::collective::select::Selection;
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, _: &Selection, own: &Part, result: &Part) {
    let cut = Cut { count: own.count, pieces: b.size };
    let piece = |number: u32| cut.range(result, number, number + 1);
    b.copy(own, result);
    combine(b, result, piece);
    spread(b, piece);
}

/// Once round: afterwards the piece of the right neighbour's number is complete.
pub(super) fn combine(b: &mut Builder, vector: &Part, piece: impl Fn(u32) -> Part) {
    let (left, right) = (b.before(1), b.after(1));
    let longest = (0..b.size).map(|number| piece(number).count).max().unwrap_or(0);
    let room = b.scratch(longest, &vector.datatype);
    for round in 1..b.size {
        let arriving = piece(b.before(round));
        let operand = room.slice(0, arriving.count);
        b.exchange_known(right, &piece(b.before(round - 1)), left, &operand);
        b.reduce(&operand, &arriving);
    }
}

/// Once round again, to give everybody the complete pieces.
pub(super) fn spread(b: &mut Builder, piece: impl Fn(u32) -> Part) {
    let (left, right) = (b.before(1), b.after(1));
    for round in 1..b.size {
        b.exchange_known(right, &piece(b.before(round + b.size - 2)), left, &piece(b.before(round - 1)));
    }
}
