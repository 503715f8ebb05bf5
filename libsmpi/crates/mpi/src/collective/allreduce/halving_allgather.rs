//! A reduce-scatter and an allgather: by recursive halving, distant ranks first (`rab1`), or by an alltoall of pieces
//! which each rank combines (`rab2`). The allgather, and that alltoall, are what the table selects.
//!
//! Source: Rabenseifner's division, as varied in STAR-MPI (Faraj, Yuan, Lowenthal, ICS 2006): pieces are filled up to
//! the same length. What fills them travels, and is combined with nothing.

use crate::collective::args::{Cut, Rest};
use crate::collective::fold::Fold;
use crate::collective::select::Selection;
use crate::collective::{Builder, Part, Parts, allgather, alltoall};

/// For powers of two and operations that commute.
pub(super) fn halving(b: &mut Builder, selection: &Selection, own: &Part, result: &Part) {
    let pieces = Pieces::new(b, own.count, equal(b, own.count), result);
    b.copy(own, &pieces.data);
    let room = b.scratch(pieces.cut.count, &own.datatype);
    let (mut low, mut high) = (0, b.size);
    while high - low > 1 {
        let half = (high - low) / 2;
        let middle = low + half;
        let upper = b.rank >= middle;
        let partner = if upper { b.rank - half } else { b.rank + half };
        let (keep, give) = if upper { ((middle, high), (low, middle)) } else { ((low, middle), (middle, high)) };
        let range = |(from, to)| pieces.cut.range(&pieces.vector, from, to);
        let operand = room.slice(0, range(keep).count);
        b.exchange(partner, &range(give), partner, &operand);
        let kept = pieces.cut.data(&pieces.vector, keep, own.count);
        b.reduce(&operand.slice(0, kept.count), &kept);
        (low, high) = keep;
    }
    pieces.gather(b, selection, result);
}

/// For all operations: pieces are combined in rank order. Where there are fewer elements than ranks, a piece has as
/// many elements as there are ranks, as in SMPI.
pub(super) fn exchange(b: &mut Builder, selection: &Selection, own: &Part, result: &Part) {
    let size = i64::from(b.size);
    let each = if (1..size).contains(&own.count) { size } else { equal(b, own.count) };
    let pieces = Pieces::new(b, own.count, each, result);
    b.copy(own, &pieces.data);
    let place = pieces.cut.data(&pieces.vector, (b.rank, b.rank + 1), own.count);
    let operands = Parts::Even(b.scratch(each * size, &own.datatype).slice(0, each));
    alltoall::local(b, selection, &Parts::Even(pieces.vector.slice(0, each)), &operands, false);
    let operand_of = |rank: u32| operands.part(rank).slice(0, place.count);
    let mut value = Fold::reading(&operand_of(0));
    for rank in 1..b.size {
        let operand = value.room(b);
        b.copy(&operand_of(rank), &operand);
        value.append(b, operand);
    }
    b.copy(value.value(), &place);
    pieces.gather(b, selection, result);
}

/// Elements of equal pieces that have room for all.
fn equal(b: &Builder, count: i64) -> i64 {
    let size = i64::from(b.size);
    (count + size - 1) / size
}

/// A vector in pieces of the same length: the result itself, or scratch memory where something is left over.
struct Pieces {
    vector: Part,
    /// Its elements that are data.
    data: Part,
    cut: Cut,
    each: i64,
}

impl Pieces {
    fn new(b: &mut Builder, count: i64, each: i64, result: &Part) -> Pieces {
        let cut = Cut { count: each * i64::from(b.size), pieces: b.size, rest: Rest::Spread };
        let vector = if cut.count == count { result.clone() } else { b.scratch(cut.count, &result.datatype) };
        Pieces { data: vector.slice(0, count), vector, cut, each }
    }

    /// All pieces to everybody, and the data to the result.
    fn gather(&self, b: &mut Builder, selection: &Selection, result: &Part) {
        allgather::local(b, selection, &Parts::Even(self.vector.slice(0, self.each)), false);
        if self.cut.count > self.data.count {
            b.copy(&self.data, result);
        }
    }
}
