//! A reduce to rank 0 and a broadcast from it, each with the algorithm that is selected for it. SMPI's default.

use crate::collective::select::Selection;
use crate::collective::{Builder, Part, bcast, reduce};

pub(super) fn build(b: &mut Builder, selection: &Selection, own: &Part, result: &Part) {
    let at_root = (b.rank == 0).then_some(result);
    reduce::local(b, selection, own, at_root, 0);
    b.fence();
    bcast::local(b, selection, result, 0);
}
