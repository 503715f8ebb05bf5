//! `MPI_Alltoall`, `MPI_Alltoallv` and `MPI_Alltoallw` (MPI 5.0 §6.8).

mod barriers;
mod bruck;
mod doubling;
mod mesh;
mod pair;
mod ring;
mod throttled;

use crate::collective::direct::Alltoall;
use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection};
use crate::collective::{Builder, Parts, data_flow, direct};

pub(super) const ALGORITHMS: &[Algorithm<Alltoall>] = &[
    Algorithm { name: "bruck", needs: Needs::Nothing, build: bruck::build },
    Algorithm { name: "pair", needs: Needs::Nothing, build: pair::build },
    Algorithm { name: "ring", needs: Needs::Nothing, build: ring::build },
    Algorithm { name: "2dmesh", needs: Needs::TwoDimensions, build: mesh::two },
    Algorithm { name: "3dmesh", needs: Needs::ThreeDimensions, build: mesh::three },
    Algorithm { name: "rdb", needs: Needs::PowerOfTwo, build: doubling::build },
    Algorithm { name: "pair_rma", needs: Needs::Nothing, build: barriers::puts },
    Algorithm { name: "pair_light_barrier", needs: Needs::Nothing, build: barriers::pair_light },
    Algorithm { name: "pair_mpi_barrier", needs: Needs::Nothing, build: barriers::pair_each },
    Algorithm { name: "pair_one_barrier", needs: Needs::Nothing, build: barriers::pair_one },
    Algorithm { name: "ring_light_barrier", needs: Needs::Nothing, build: barriers::ring_light },
    Algorithm { name: "ring_mpi_barrier", needs: Needs::Nothing, build: barriers::ring_each },
    Algorithm { name: "ring_one_barrier", needs: Needs::Nothing, build: barriers::ring_one },
    Algorithm { name: "mvapich2_scatter_dest", needs: Needs::Nothing, build: throttled::even },
    Algorithm { name: "basic_linear", needs: Needs::Nothing, build: direct::within },
];

pub(super) const VARYING: &[Algorithm<Alltoall>] = &[
    Algorithm { name: "pair", needs: Needs::Nothing, build: pair::build },
    // In SMPI it is that for powers of two, too.
    Algorithm { name: "ring", needs: Needs::Nothing, build: pair::build },
    Algorithm { name: "bruck", needs: Needs::Nothing, build: throttled::varying },
    Algorithm { name: "pair_light_barrier", needs: Needs::Nothing, build: barriers::pair_light },
    Algorithm { name: "pair_mpi_barrier", needs: Needs::Nothing, build: barriers::pair_each },
    Algorithm { name: "pair_one_barrier", needs: Needs::Nothing, build: barriers::pair_one },
    Algorithm { name: "ring_light_barrier", needs: Needs::Nothing, build: barriers::ring_light },
    Algorithm { name: "ring_mpi_barrier", needs: Needs::Nothing, build: barriers::ring_each },
    Algorithm { name: "ring_one_barrier", needs: Needs::Nothing, build: barriers::ring_one },
    Algorithm { name: "ompi_basic_linear", needs: Needs::Nothing, build: direct::within },
];

/// Fills in the schedule of an alltoall: both sides have even blocks. `send` is absent for `MPI_IN_PLACE`.
pub fn build(b: &mut Builder, selection: &Selection, send: Option<&Parts>, recv: &Parts) {
    if data_flow::applies(selection) && data_flow::alltoall(b, selection, send, recv) {
        return;
    }
    let case = Case { ranks: b.size, bytes: recv.part(0).size(), count: 0, commutes: true };
    let chosen = selection.choose(Operation::Alltoall, ALGORITHMS, &case, b).build;
    direct::alltoall(b, selection, send, recv, chosen);
}

/// Fills in the schedule of an alltoallv or an alltoallw (which `operation` tells); as [`build`], with blocks of any
/// size, place and type.
pub fn build_varying(b: &mut Builder, selection: &Selection, operation: Operation, send: Option<&Parts>, recv: &Parts) {
    if data_flow::applies(selection) && data_flow::alltoall(b, selection, send, recv) {
        return;
    }
    let case = Case { ranks: b.size, bytes: 0, count: 0, commutes: true };
    let chosen = selection.choose(operation, VARYING, &case, b).build;
    direct::alltoall(b, selection, send, recv, chosen);
}

/// An alltoall, or with blocks of any size an alltoallv, within the local group; nothing is in place.
pub(super) fn local(b: &mut Builder, selection: &Selection, send: &Parts, recv: &Parts, varying: bool) {
    let bytes = if varying { 0 } else { recv.part(0).size() };
    let case = Case { ranks: b.size, bytes, count: 0, commutes: true };
    let (operation, algorithms) =
        if varying { (Operation::Alltoallv, VARYING) } else { (Operation::Alltoall, ALGORITHMS) };
    (selection.choose(operation, algorithms, &case, b).build)(b, selection, send, recv);
}
