//! MVAPICH2's choice within one algorithm: recursive doubling where there are fewer elements than ranks to divide them
//! among, else recursive halving and doubling. Source: MVAPICH2 1.9, `MPIR_Allreduce_pt2pt_rs_MV2`.

use crate::collective::allreduce::{doubling, halving_doubling, local};
use crate::collective::args::power_below;
use crate::collective::select::{Selection, Selector};
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, selection: &Selection, own: &Part, result: &Part) {
    let divisible = own.count >= i64::from(power_below(b.size));
    let chosen = if divisible { halving_doubling::build } else { doubling::build };
    chosen(b, selection, own, result);
}

/// What MPICH's table says, for the ranks of a host.
pub(super) fn on_host(b: &mut Builder, own: &Part, result: &Part) {
    local(b, &Selection::new(Selector::Mpich), own, result);
}
