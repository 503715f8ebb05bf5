//! Logical ring: pieces of the vector go round once to be reduced and once to be spread. 2 (n − 1) rounds of one n-th
//! of the vector; moves the least data of all. Source: Patarasuk, Yuan, JPDC 69(2), 2009.
//!
//! A vector that has no equal pieces is cut into nearly equal ones, as in Open MPI (`ompi_ring`); or its last elements
//! are reduced by another allreduce at the end, as in STAR-MPI and SMPI (`lr`); or the first piece is longer (the ring
//! of hosts, `smp_rsag_lr`).

use crate::collective::allreduce::{local, reduce_bcast};
use crate::collective::args::{Cut, Rest};
use crate::collective::select::Selection;
use crate::collective::{Builder, Part};

/// Equal pieces, then the rest: fewer elements than ranks, which are reduced and broadcast.
pub(super) fn equal(b: &mut Builder, selection: &Selection, own: &Part, result: &Part) {
    let size = i64::from(b.size);
    let (each, rest) = (own.count / size, own.count % size);
    if each == 0 {
        return reduce_bcast::build(b, selection, own, result);
    }
    let piece = |number: u32| result.slice(i64::from(number) * each, each);
    b.copy(&own.slice(0, size * each), &result.slice(0, size * each));
    combine(b, result, piece);
    spread(b, piece);
    if rest > 0 {
        local(b, selection, &own.slice(size * each, rest), &result.slice(size * each, rest));
    }
}

pub(super) fn build(b: &mut Builder, _: &Selection, own: &Part, result: &Part) {
    cut(b, own, result, Rest::Spread);
}

pub(super) fn first_longer(b: &mut Builder, own: &Part, result: &Part) {
    cut(b, own, result, Rest::First);
}

fn cut(b: &mut Builder, own: &Part, result: &Part, rest: Rest) {
    let cut = Cut { count: own.count, pieces: b.size, rest };
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
        b.exchange(right, &piece(b.before(round - 1)), left, &operand);
        b.reduce(&operand, &arriving);
    }
}

/// Once round again, to give everybody the complete pieces.
pub(super) fn spread(b: &mut Builder, piece: impl Fn(u32) -> Part) {
    let (left, right) = (b.before(1), b.after(1));
    for round in 1..b.size {
        b.exchange(right, &piece(b.before(round + b.size - 2)), left, &piece(b.before(round - 1)));
    }
}
