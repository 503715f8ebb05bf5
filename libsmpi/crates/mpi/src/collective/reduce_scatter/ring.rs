//! Ring: each block goes once round the ring, every rank adds its part, and it ends at its owner. n − 1 rounds of one
//! block; for operations that commute.

use crate::collective::Builder;
use crate::collective::reduce_scatter::Call;
use crate::collective::select::Selection;

pub(super) fn build(b: &mut Builder, _: &Selection, call: &Call) {
    let (left, right) = (b.before(1), b.after(1));
    let longest = call.counts.iter().copied().max().unwrap_or(0);
    let mut rooms = [0; 2].map(|_| b.scratch(longest, &call.vector.datatype));
    let mut value = call.range(&call.vector, left, left + 1);
    for round in 2..=b.size {
        let block = b.before(round);
        let own = call.range(&call.vector, block, block + 1);
        let arriving = rooms[0].slice(0, own.count);
        b.exchange_known(right, &value, left, &arriving);
        // The neighbour's sum and the own part: the own part is read-only, so the sum is made where it arrived.
        b.reduce(&own, &arriving);
        value = arriving;
        rooms.swap(0, 1);
    }
    b.copy(&value, call.result);
}
