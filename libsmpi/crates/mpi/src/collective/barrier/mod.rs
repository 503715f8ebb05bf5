//! `MPI_Barrier` (MPI 5.0 §6.3): nobody leaves before everybody has entered. Messages carry no data.

mod bruck;
mod double_ring;
mod hosts;
mod linear;
mod recursive_doubling;
mod tree;

use crate::collective::Part;
use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection};
use crate::collective::{Builder, data_flow};

pub(super) const ALGORITHMS: &[Algorithm<fn(&mut Builder)>] = &[
    Algorithm { name: "ompi_basic_linear", needs: Needs::Nothing, build: linear::build },
    Algorithm { name: "ompi_tree", needs: Needs::Nothing, build: tree::build },
    Algorithm { name: "ompi_recursivedoubling", needs: Needs::Nothing, build: recursive_doubling::build },
    Algorithm { name: "ompi_doublering", needs: Needs::Nothing, build: double_ring::build },
    Algorithm { name: "ompi_two_procs", needs: Needs::TwoRanks, build: bruck::build },
    Algorithm { name: "mpich_smp", needs: Needs::Hosts, build: hosts::build },
    Algorithm { name: "mvapich2_pair", needs: Needs::Nothing, build: recursive_doubling::build },
    Algorithm { name: "ompi_bruck", needs: Needs::Nothing, build: bruck::build },
];

/// Fills in the schedule of a barrier. On an intercommunicator everybody waits for everybody of the other side.
pub fn build(b: &mut Builder, selection: &Selection) {
    if data_flow::applies(selection) && data_flow::barrier(b) {
        return;
    }
    among_all(b, selection);
}

/// A barrier that waits for all ranks of both sides, for calls that need something of each: what is left in tables
/// before it can be read after it.
pub fn among_all(b: &mut Builder, selection: &Selection) {
    local(b, selection);
    if b.remote_size > 0 {
        // Both first ranks know that their side is complete; what they then tell theirs is that the other one is.
        let empty = Part::nothing();
        if b.rank == 0 {
            b.fence();
            b.recv_remote(0, &empty);
            b.send_remote(0, &empty);
            b.fence();
        }
        crate::collective::bcast::binomial(b, &empty, 0);
    }
}

/// The barrier of a call that needs something of one rank only; where ranks wait for data only, they wait for this one.
pub fn behind(b: &mut Builder, selection: &Selection, root: u32) {
    if !data_flow::applies(selection) {
        return among_all(b, selection);
    }
    b.open_gate();
    let empty = Part::nothing();
    if b.rank == root {
        (0..b.size).filter(|&rank| rank != root).for_each(|rank| b.send(rank, &empty));
    } else {
        b.recv(root, &empty);
    }
    b.fence();
}

/// A barrier within the local group that has few messages: all report to the first rank, which tells them.
pub fn by_tree(b: &mut Builder) {
    tree::build(b);
}

/// A barrier within the local group.
pub(super) fn local(b: &mut Builder, selection: &Selection) {
    let case = Case { ranks: b.size, bytes: 0, count: 0, commutes: true };
    (selection.choose(Operation::Barrier, ALGORITHMS, &case, b).build)(b);
}

/// The barrier of a call that synchronises although it needs nothing of other ranks; none where ranks wait for data
/// only.
pub fn unless_data_only(b: &mut Builder, selection: &Selection) {
    if data_flow::applies(selection) { b.open_gate() } else { among_all(b, selection) }
}
