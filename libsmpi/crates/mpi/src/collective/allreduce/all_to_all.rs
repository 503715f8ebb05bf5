//! Everybody sends its vector to everybody at once and combines what it gets in rank order.
//!
//! n (n − 1) messages in one round: what SMPI does in nonblocking operations.

use crate::collective::fold::combine;
use crate::collective::select::Selection;
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, _: &Selection, own: &Part, result: &Part) {
    let operands: Vec<Part> = (0..b.size).map(|_| b.scratch(own.count, &own.datatype)).collect();
    let this = b.rank;
    b.copy(own, &operands[this as usize]);
    for rank in (0..b.size).filter(|&rank| rank != this) {
        b.recv(rank, &operands[rank as usize]);
        b.send(rank, own);
    }
    b.fence();
    combine(b, operands, result);
}
