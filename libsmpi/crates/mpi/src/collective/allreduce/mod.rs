//! `MPI_Allreduce` (MPI 5.0 §6.9.6). All ranks compute the same bits.

mod all_to_all;
mod doubling;
mod halving_allgather;
mod halving_doubling;
mod hosts;
mod mvapich;
mod reduce_bcast;
mod ring;
mod ring_segmented;

use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection};
use crate::collective::{Builder, Part, bcast, data_flow, reduce};

/// The own operand (it may be the result's buffer), and the result.
type Build = fn(&mut Builder, &Selection, &Part, &Part);

pub(super) const ALGORITHMS: &[Algorithm<Build>] = &[
    Algorithm { name: "redbcast", needs: Needs::Nothing, build: reduce_bcast::build },
    Algorithm { name: "rab_rdb", needs: Needs::CommutativeSplit, build: halving_doubling::build },
    Algorithm { name: "lr", needs: Needs::Commutative, build: ring::equal },
    Algorithm { name: "ompi_ring", needs: Needs::CommutativeElementEach, build: ring::build },
    Algorithm { name: "rab", needs: Needs::Nothing, build: |b, _, own, result| reduce::rabenseifner(b, own, result) },
    Algorithm { name: "rab1", needs: Needs::CommutativePowerOfTwo, build: halving_allgather::halving },
    Algorithm { name: "rab2", needs: Needs::Nothing, build: halving_allgather::exchange },
    Algorithm { name: "ompi_ring_segmented", needs: Needs::CommutativeElementEach, build: ring_segmented::build },
    Algorithm { name: "smp_binomial", needs: Needs::Hosts, build: hosts::binomial },
    Algorithm { name: "smp_binomial_pipeline", needs: Needs::Hosts, build: hosts::pipeline },
    Algorithm { name: "smp_rdb", needs: Needs::Hosts, build: hosts::with_doubling },
    Algorithm { name: "smp_rsag", needs: Needs::CommutativeHosts, build: hosts::with_ring },
    Algorithm { name: "smp_rsag_lr", needs: Needs::CommutativeHosts, build: hosts::with_logical_ring },
    Algorithm { name: "smp_rsag_rab", needs: Needs::CommutativeHosts, build: hosts::with_halving },
    Algorithm { name: "mvapich2_rs", needs: Needs::Commutative, build: mvapich::build },
    Algorithm { name: "mvapich2_two_level", needs: Needs::CommutativeHosts, build: hosts::two_level },
    Algorithm { name: "all_to_all", needs: Needs::Nothing, build: all_to_all::build },
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
    local(b, selection, own, recv);
}

/// An allreduce within the local group.
fn local(b: &mut Builder, selection: &Selection, own: &Part, result: &Part) {
    let case = Case { ranks: b.size, bytes: own.size(), count: own.count, commutes: b.commutes() };
    (selection.choose(Operation::Allreduce, ALGORITHMS, &case, b).build)(b, selection, own, result);
}
