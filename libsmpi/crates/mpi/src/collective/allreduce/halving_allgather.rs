//! A reduce-scatter and an allgather: by recursive halving, distant ranks first (`rab1`), or by an alltoall of pieces
//! which each rank combines (`rab2`). The allgather, and that alltoall, are what the table selects.
//!
//! Source: Rabenseifner's division, as varied in STAR-MPI (Faraj, Yuan, Lowenthal, ICS 2006). There pieces are padded
//! to the same length; here their lengths differ by at most one element.

use crate::collective::args::Cut;
use crate::collective::fold::Fold;
use crate::collective::select::Selection;
use crate::collective::{Builder, Part, Parts, allgather, alltoall};

/// For powers of two and operations that commute.
pub(super) fn halving(b: &mut Builder, selection: &Selection, own: &Part, result: &Part) {
    let cut = Cut { count: own.count, pieces: b.size };
    b.copy(own, result);
    let room = b.scratch(own.count, &own.datatype);
    let (mut low, mut high) = (0, b.size);
    while high - low > 1 {
        let half = (high - low) / 2;
        let middle = low + half;
        let upper = b.rank >= middle;
        let partner = if upper { b.rank - half } else { b.rank + half };
        let (keep, give) = if upper { ((middle, high), (low, middle)) } else { ((low, middle), (middle, high)) };
        let kept = cut.range(result, keep.0, keep.1);
        let operand = room.slice(0, kept.count);
        b.exchange_known(partner, &cut.range(result, give.0, give.1), partner, &operand);
        b.reduce(&operand, &kept);
        (low, high) = keep;
    }
    gather(b, selection, result, cut);
}

/// For all operations: pieces are combined in rank order.
pub(super) fn exchange(b: &mut Builder, selection: &Selection, own: &Part, result: &Part) {
    let cut = Cut { count: own.count, pieces: b.size };
    let mine = cut.range(own, b.rank, b.rank + 1).count;
    let operands = b.scratch(mine * i64::from(b.size), &own.datatype);
    let arriving = operands.slice(0, mine);
    let (send, even) = pieces(own, cut);
    let counts = vec![mine; b.size as usize];
    let recv = if even { Parts::Even(arriving.clone()) } else { Parts::consecutive(&arriving, &counts) };
    alltoall::local(b, selection, &send, &recv, !even);
    let mut value = Fold::reading(&recv.part(0));
    for rank in 1..b.size {
        let operand = value.room(b);
        b.copy(&recv.part(rank), &operand);
        value.append(b, operand);
    }
    let place = cut.range(result, b.rank, b.rank + 1);
    b.copy(value.value(), &place);
    gather(b, selection, result, cut);
}

fn gather(b: &mut Builder, selection: &Selection, result: &Part, cut: Cut) {
    let (blocks, even) = pieces(result, cut);
    allgather::local(b, selection, &blocks, !even);
}

/// The pieces of a vector, and whether all have the same length.
fn pieces(vector: &Part, cut: Cut) -> (Parts, bool) {
    let counts: Vec<i64> = (0..cut.pieces).map(|piece| cut.range(vector, piece, piece + 1).count).collect();
    let even = counts.iter().all(|&count| count == counts[0]);
    let first = vector.slice(0, counts[0]);
    (if even { Parts::Even(first) } else { Parts::consecutive(vector, &counts) }, even)
}
