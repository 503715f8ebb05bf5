//! Pairwise: in round i, each rank exchanges its block with the rank that differs in the bits of i. n − 1 rounds; for
//! powers of two.

use crate::collective::select::Selection;
use crate::collective::{Builder, Parts};

pub(super) fn build(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let own = blocks.part(b.rank);
    for round in 1..b.size {
        let partner = b.rank ^ round;
        b.exchange_known(partner, &own, partner, &blocks.part(partner));
    }
}
