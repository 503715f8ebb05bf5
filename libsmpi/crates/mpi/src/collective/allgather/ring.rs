//! Ring: every rank passes on to its right neighbour what it got from its left one. n − 1 rounds of one block.

use crate::collective::select::Selection;
use crate::collective::{Builder, Parts};

pub(super) fn build(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let (left, right) = (b.before(1), b.after(1));
    for round in 1..b.size {
        let (send, recv) = (blocks.part(b.before(round - 1)), blocks.part(b.before(round)));
        b.exchange_known(right, &send, left, &recv);
    }
}
