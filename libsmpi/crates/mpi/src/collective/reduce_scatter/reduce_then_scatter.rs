//! A reduce to rank 0 and a scatterv from it, each with the algorithm that is selected for it: SMPI's default for
//! blocks of equal length.

use crate::collective::reduce_scatter::Call;
use crate::collective::select::Selection;
use crate::collective::{Builder, Parts, reduce, scatter};

pub(super) fn build(b: &mut Builder, selection: &Selection, call: &Call) {
    let whole = (b.rank == 0).then(|| b.scratch(call.vector.count, &call.vector.datatype));
    reduce::local(b, selection, &call.vector, whole.as_ref(), 0);
    b.fence();
    let blocks = whole.map(|whole| Parts::consecutive(&whole, call.counts));
    scatter::local_varying(b, selection, blocks.as_ref(), Some(call.result), 0);
}
