//! In round i, each rank exchanges blocks with the rank that differs in the bits of i: every message meets its answer.
//!
//! n − 1 rounds for powers of two. For other sizes the pairs do not come out even, and this is the ring of `ring`.

use crate::collective::alltoall::ring;
use crate::collective::select::Selection;
use crate::collective::{Builder, Parts};

pub(super) fn build(b: &mut Builder, selection: &Selection, send: &Parts, recv: &Parts) {
    if !b.size.is_power_of_two() {
        return ring::build(b, selection, send, recv);
    }
    b.copy(&send.part(b.rank), &recv.part(b.rank));
    for round in 1..b.size {
        let partner = b.rank ^ round;
        b.exchange_known(partner, &send.part(partner), partner, &recv.part(partner));
    }
}
