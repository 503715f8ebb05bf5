//! `MPI_Allreduce` (MPI 5.0 §6.9.6). All ranks compute the same bits.

mod doubling;
mod halving_doubling;
mod reduce_bcast;
mod ring;

use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection};
use crate::collective::{Builder, Part, bcast, data_flow, reduce};

/// The own operand (it may be the result's buffer), and the result.
type Build = fn(&mut Builder, &Selection, &Part, &Part);

pub(super) const ALGORITHMS: &[Algorithm<Build>] = &[
    Algorithm { name: "redbcast", needs: Needs::Nothing, build: reduce_bcast::build },
    Algorithm { name: "rab_rdb", needs: Needs::CommutativeSplit, build: halving_doubling::build },
    Algorithm { name: "lr", needs: Needs::CommutativeElementEach, build: ring::build },
    Algorithm { name: "rdb", needs: Needs::Nothing, build: doubling::build },
];

/// Fills in the schedule of an allreduce. `send` is absent for `MPI_IN_PLACE`.
///
/// On an intercommunicator each side reduces at its first rank; these exchange the results and broadcast what they got.
pub fn build(b: &mut Builder, selection: &Selection, send: Option<&Part>, recv: &Part) {
    if data_flow::applies(selection) && data_flow::allreduce(b, send, recv) {
        return;
    }
    let own = send.unwrap_or(recv);
    if b.remote_size > 0 {
        let result = (b.rank == 0).then(|| b.scratch(own.count, &own.datatype));
        reduce::local(b, selection, own, result.as_ref(), 0);
        if let Some(result) = result {
            b.fence();
            b.recv_remote(0, recv);
            b.send_remote(0, &result);
            b.fence();
        }
        return bcast::local(b, selection, recv, 0);
    }
    let case = Case { ranks: b.size, bytes: own.size(), count: own.count, commutes: b.commutes() };
    (selection.choose(Operation::Allreduce, ALGORITHMS, &case).build)(b, selection, own, recv);
}
