//! In round i, each rank sends to the one i further and receives from the one i back. n − 1 rounds of one block.

use crate::collective::select::Selection;
use crate::collective::{Builder, Parts};

pub(super) fn build(b: &mut Builder, _: &Selection, send: &Parts, recv: &Parts) {
    b.copy(&send.part(b.rank), &recv.part(b.rank));
    for round in 1..b.size {
        let (to, from) = (b.after(round), b.before(round));
        b.exchange_known(to, &send.part(to), from, &recv.part(from));
    }
}
