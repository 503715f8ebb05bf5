//! Everybody sends everybody its block at once; each rank combines what it gets in rank order.
//!
//! n (n − 1) messages in one round: what SMPI does in nonblocking operations.

use crate::collective::reduce_scatter::Call;
use crate::collective::select::Selection;
use crate::collective::{Builder, Parts, direct};

pub(super) fn build(b: &mut Builder, _: &Selection, call: &Call) {
    direct::reduce_scatter(b, &Parts::consecutive(&call.vector, call.counts), call.result);
}
