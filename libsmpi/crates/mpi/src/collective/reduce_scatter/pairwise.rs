//! In round i, each rank sends the block of the rank i further to it, and receives its own block from the rank i back.
//! n − 1 rounds of one block; for long vectors and operations that commute.

use crate::collective::Builder;
use crate::collective::fold::Fold;
use crate::collective::reduce_scatter::Call;
use crate::collective::select::Selection;

pub(super) fn build(b: &mut Builder, _: &Selection, call: &Call) {
    let mut value = Fold::reading(&call.range(&call.vector, b.rank, b.rank + 1));
    for round in 1..b.size {
        let (to, from) = (b.after(round), b.before(round));
        let operand = value.room(b);
        b.exchange(to, &call.range(&call.vector, to, to + 1), from, &operand);
        value.append(b, operand);
    }
    b.copy(value.value(), call.result);
}
