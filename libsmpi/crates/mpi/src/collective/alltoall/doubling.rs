//! Recursive doubling: all ranks gather all vectors and keep their own blocks. log₂ n rounds; n times as much data as
//! needed. For powers of two.

use crate::collective::select::Selection;
use crate::collective::{Builder, Parts, allgather};

pub(super) fn build(b: &mut Builder, selection: &Selection, send: &Parts, recv: &Parts) {
    let block = recv.part(0);
    let ranks = i64::from(b.size);
    let first = send.part(0);
    let vector = ranks * block.count;
    let all = b.scratch(ranks * vector, &block.datatype);
    b.copy(&first.slice(0, ranks * first.count), &all.slice(i64::from(b.rank) * vector, vector));
    allgather::doubling(b, selection, &Parts::Even(all.slice(0, vector)));
    for rank in 0..b.size {
        let place = i64::from(rank) * vector + i64::from(b.rank) * block.count;
        b.copy(&all.slice(place, block.count), &recv.part(rank));
    }
}
