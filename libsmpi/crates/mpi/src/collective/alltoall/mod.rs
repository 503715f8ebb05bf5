//! `MPI_Alltoall`, `MPI_Alltoallv` and `MPI_Alltoallw` (MPI 5.0 §6.8).

mod bruck;
mod linear;
mod pair;
mod ring;

use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection};
use crate::collective::{Builder, Parts, data_flow};

/// Blocks to send, blocks to receive; they do not overlap.
type Build = fn(&mut Builder, &Parts, &Parts);

pub(super) const ALGORITHMS: &[Algorithm<Build>] = &[
    Algorithm { name: "bruck", needs: Needs::Nothing, build: bruck::build },
    Algorithm { name: "pair", needs: Needs::Nothing, build: pair::build },
    Algorithm { name: "ring", needs: Needs::Nothing, build: ring::build },
    Algorithm { name: "basic_linear", needs: Needs::Nothing, build: linear::build },
];

pub(super) const VARYING: &[Algorithm<Build>] = &[
    Algorithm { name: "pair", needs: Needs::Nothing, build: pair::build },
    Algorithm { name: "ring", needs: Needs::Nothing, build: ring::build },
    Algorithm { name: "ompi_basic_linear", needs: Needs::Nothing, build: linear::build },
];

/// Fills in the schedule of an alltoall: both sides have even blocks. `send` is absent for `MPI_IN_PLACE`.
pub fn build(b: &mut Builder, selection: &Selection, send: Option<&Parts>, recv: &Parts) {
    if data_flow::applies(selection) && data_flow::alltoall(b, send, recv) {
        return;
    }
    let case = Case { ranks: b.size, bytes: recv.part(0).size(), count: 0, commutes: true };
    with(b, send, recv, selection.choose(Operation::Alltoall, ALGORITHMS, &case).build);
}

/// Fills in the schedule of an alltoallv or an alltoallw (which `operation` tells); as [`build`], with blocks of any
/// size, place and type.
pub fn build_varying(b: &mut Builder, selection: &Selection, operation: Operation, send: Option<&Parts>, recv: &Parts) {
    if data_flow::applies(selection) && data_flow::alltoall(b, send, recv) {
        return;
    }
    let case = Case { ranks: b.size, bytes: 0, count: 0, commutes: true };
    with(b, send, recv, selection.choose(operation, VARYING, &case).build);
}

/// All messages at once, within a group or between two.
pub(super) fn linear(b: &mut Builder, send: Option<&Parts>, recv: &Parts) {
    with(b, send, recv, linear::build);
}

fn with(b: &mut Builder, send: Option<&Parts>, recv: &Parts, local: Build) {
    match send {
        Some(send) if b.remote_size > 0 => linear::between(b, send, recv),
        Some(send) => local(b, send, recv),
        None => {
            let send = recv.snapshot(b, b.size);
            local(b, &send, recv);
        }
    }
}
