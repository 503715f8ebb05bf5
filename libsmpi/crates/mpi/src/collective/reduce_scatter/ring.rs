//! Ring: each block goes once round the ring, every rank adds its part, and it ends at its owner. n − 1 rounds of one
//! block; for operations that commute.
//!
//! The receive of the next block is there before the present one has come. Source: Open MPI's `coll_base`, as in SMPI
//! 3.32.

use crate::collective::reduce_scatter::Call;
use crate::collective::schedule::Posted;
use crate::collective::select::Selection;
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, _: &Selection, call: &Call) {
    let (left, right) = (b.before(1), b.after(1));
    let longest = call.counts.iter().copied().max().unwrap_or(0);
    let rooms = [0; 2].map(|_| b.scratch(longest, &call.vector.datatype));
    let own = |b: &Builder, round: u32| {
        let block = b.before(round);
        call.range(&call.vector, block, block + 1)
    };
    let begin = |b: &mut Builder, round: u32| -> (Part, Posted) {
        let arriving = rooms[round as usize % 2].slice(0, own(b, round).count);
        let posted = b.begin_recv(left, &arriving);
        (arriving, posted)
    };
    let mut value = own(b, 1);
    let mut next = (b.size > 1).then(|| begin(b, 2));
    for round in 2..=b.size {
        b.send_in_turn(right, &value);
        let Some((arriving, posted)) = next.take() else { break };
        next = (round < b.size).then(|| begin(b, round + 1));
        b.wait_for(posted);
        // The neighbour's sum and the own part: the own part is read-only, so the sum is made where it arrived.
        b.reduce(&own(b, round), &arriving);
        value = arriving;
    }
    b.copy(&value, call.result);
}
