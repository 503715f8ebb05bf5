//! Recursive doubling: in each round, pairs exchange all that is not theirs alone: round k leaves out the blocks of the
//! 2ᵏ ranks that are already together.
//!
//! log₂ n rounds; (log₂ n − 1) vectors and one block a rank. For powers of two; any operation. Source: MPICH's
//! recursive doubling for operations that do not commute (Thakur, Rabenseifner, Gropp 2005).

use crate::collective::reduce_scatter::Call;
use crate::collective::select::Selection;
use crate::collective::{Builder, Part};
use crate::datatype::Datatype;

pub(super) fn build(b: &mut Builder, _: &Selection, call: &Call) {
    let datatype = &call.vector.datatype;
    let value = b.scratch(call.vector.count, datatype);
    let room = b.scratch(call.vector.count, datatype);
    b.copy(&call.vector, &value);
    let (size, mut mask) = (b.size, 1);
    while mask < size {
        let partner = b.rank ^ mask;
        let (mine, theirs) = (b.rank & !(mask - 1), partner & !(mask - 1));
        let outside =
            |vector: &Part, first: u32| [call.range(vector, 0, first), call.range(vector, first + mask, size)];
        let (send, recv) = (both(&value, outside(&value, mine)), both(&room, outside(&room, theirs)));
        b.exchange(partner, &send, partner, &recv);
        for (operand, kept) in outside(&room, theirs).iter().zip(outside(&value, theirs)) {
            if partner < b.rank {
                b.reduce(operand, &kept);
            } else {
                b.reduce(&kept, operand);
                b.copy(operand, &kept);
            }
        }
        mask *= 2;
    }
    b.copy(&call.range(&value, b.rank, b.rank + 1), call.result);
}

/// Two parts of a vector as one message.
fn both(vector: &Part, parts: [Part; 2]) -> Part {
    let counts = parts.each_ref().map(|part| part.count);
    let places = parts.each_ref().map(|part| part.at.0.wrapping_sub(vector.at.0) as i64);
    let types = [vector.datatype.clone(), vector.datatype.clone()];
    let datatype = Datatype::structure(&counts, &places, &types).expect("the parts lie in one buffer");
    Part { at: vector.at, count: 1, datatype }
}
