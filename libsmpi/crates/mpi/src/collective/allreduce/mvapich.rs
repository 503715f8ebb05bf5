//! MVAPICH2's choice within one algorithm: recursive doubling where there are fewer elements than ranks to divide them
//! among, else recursive halving and doubling. Source: MVAPICH2 1.9, `MPIR_Allreduce_pt2pt_rs_MV2`.

use crate::collective::allreduce::{ALGORITHMS, Build, doubling, halving_doubling, local};
use crate::collective::args::power_below;
use crate::collective::select::{Case, Operation, Selection, Selector, Target};
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, selection: &Selection, own: &Part, result: &Part) {
    let divisible = own.count >= i64::from(power_below(b.size));
    let chosen = if divisible { halving_doubling::build } else { doubling::build };
    chosen(b, selection, own, result);
}

/// Recursive doubling or what a rule says, in place among leaders.
pub(super) fn between(b: &mut Builder, value: &Part, stage: Option<Target>) {
    let selection = Selection::new(Selector::Mpich);
    let case = Case { ranks: b.size, bytes: value.size(), count: value.count, commutes: b.commutes() };
    let chosen = stage.and_then(|target| target.algorithm(Operation::Allreduce, ALGORITHMS, &case, b));
    chosen.map_or(doubling::build as Build, |algorithm| algorithm.build)(b, &selection, value, value);
}

/// What MPICH's table says, for the ranks of a host.
pub(super) fn on_host(b: &mut Builder, own: &Part, result: &Part) {
    local(b, &Selection::new(Selector::Mpich), own, result);
}
