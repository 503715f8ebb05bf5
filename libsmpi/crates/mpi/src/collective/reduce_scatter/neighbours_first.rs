//! Recursive halving for operations that do not commute: neighbours first, so that always neighbouring groups are
//! combined.
//!
//! The blocks are first put in the order in which this halving leaves them: position p has the block of the rank whose
//! number is p with its bits reversed. log₂ n rounds; for powers of two.

use crate::collective::Builder;
use crate::collective::reduce::halving;
use crate::collective::reduce_scatter::Call;
use crate::collective::select::Selection;

pub(super) fn build(b: &mut Builder, _: &Selection, call: &Call) {
    let datatype = &call.vector.datatype;
    let vector = b.scratch(call.vector.count, datatype);
    let bits = b.size.ilog2();
    let reversed = |number: u32| if bits == 0 { 0 } else { number.reverse_bits() >> (u32::BITS - bits) };
    let mut starts = vec![0];
    for position in 0..b.size {
        let block = call.range(&call.vector, reversed(position), reversed(position) + 1);
        let start = starts[position as usize];
        b.copy(&block, &vector.slice(start, block.count));
        starts.push(start + block.count);
    }
    let range =
        |(from, to): (u32, u32)| vector.slice(starts[from as usize], starts[to as usize] - starts[from as usize]);
    let room = b.scratch(call.vector.count, datatype);
    for round in halving::rounds(b.rank, b.size) {
        let keep = range(round.keep);
        let operand = room.slice(0, keep.count);
        b.exchange_known(round.partner, &range(round.give), round.partner, &operand);
        if round.partner < b.rank {
            b.reduce(&operand, &keep);
        } else {
            b.reduce(&keep, &operand);
            b.copy(&operand, &keep);
        }
    }
    let position = reversed(b.rank);
    b.copy(&range((position, position + 1)), call.result);
}
