//! `MPI_Gather` and `MPI_Gatherv` (MPI 5.0 §6.5).

mod binomial;
mod linear;
mod synchronised;
mod two_level;

use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection, Target};
use crate::collective::{Builder, Part, Parts, Root, data_flow};

/// The own block (`None`: already in place at the root), and where the root wants them (elsewhere `None`).
type Build = fn(&mut Builder, Option<&Part>, Option<&Parts>, u32);

pub(super) const ALGORITHMS: &[Algorithm<Build>] = &[
    Algorithm { name: "ompi_basic_linear", needs: Needs::Nothing, build: linear::one_by_one },
    Algorithm { name: "linear", needs: Needs::Nothing, build: linear::at_once },
    Algorithm { name: "ompi_linear_sync", needs: Needs::Nothing, build: synchronised::build },
    Algorithm { name: "mvapich2_two_level", needs: Needs::Hosts, build: two_level::build },
    Algorithm { name: "ompi_binomial", needs: Needs::Nothing, build: binomial::build },
];

/// No trees: only the root knows how large the blocks of other ranks are, so a rank between could not receive them
/// before it was told. MPICH 4, Open MPI 5 and MVAPICH2 have none either.
pub(super) const VARYING: &[Algorithm<Build>] = &[
    Algorithm { name: "ompi_basic_linear", needs: Needs::Nothing, build: linear::varying_one_by_one },
    Algorithm { name: "linear_sync", needs: Needs::Nothing, build: synchronised::build },
    Algorithm { name: "linear", needs: Needs::Nothing, build: linear::varying },
];

/// Fills in the schedule of a gather. `send` is absent for `MPI_IN_PLACE`, `recv` (the block of the group's first rank)
/// on ranks that are not the root.
pub fn build(b: &mut Builder, selection: &Selection, send: Option<&Part>, recv: Option<&Part>, root: Root) {
    if data_flow::applies(selection) {
        let blocks = recv.map(|first| Parts::Even(first.clone()));
        return build_varying(b, selection, send, blocks.as_ref(), root);
    }
    match root {
        Root::Elsewhere => {}
        Root::Here => {
            // The other side gathers at its first rank, whose message has all blocks in order.
            if let Some(first) = recv {
                b.recv_remote(0, &first.slice(0, first.count * i64::from(b.remote_size)));
                b.fence();
            }
        }
        Root::Rank(root) if b.remote_size > 0 => {
            let Some(own) = send else { return };
            let all = (b.rank == 0).then(|| b.scratch(own.count * i64::from(b.size), &own.datatype));
            let blocks = all.as_ref().map(|all| Parts::Even(all.slice(0, own.count)));
            local(b, selection, Some(own), blocks.as_ref(), 0);
            if let Some(all) = all {
                b.fence();
                b.send_remote(root, &all);
                b.fence();
            }
        }
        Root::Rank(root) => {
            let blocks = recv.map(|first| Parts::Even(first.clone()));
            local(b, selection, send, blocks.as_ref(), root);
        }
    }
}

/// A part of another algorithm, to the first rank: what a table says about it, or a binomial tree.
fn part(b: &mut Builder, own: &Part, blocks: Option<&Parts>, stage: Option<Target>) {
    let case = Case { ranks: b.size, bytes: own.size(), count: 0, commutes: true };
    let chosen = stage.and_then(|target| target.algorithm(Operation::Gather, ALGORITHMS, &case, b));
    chosen.map_or(binomial::build as Build, |algorithm| algorithm.build)(b, Some(own), blocks, 0);
}

/// A gather within the local group.
pub(super) fn local(b: &mut Builder, selection: &Selection, send: Option<&Part>, recv: Option<&Parts>, root: u32) {
    let bytes = send.map_or_else(|| recv.map_or(0, |recv| recv.part(0).size()), Part::size);
    let case = Case { ranks: b.size, bytes, count: 0, commutes: true };
    (selection.choose(Operation::Gather, ALGORITHMS, &case, b).build)(b, send, recv, root);
}

/// Fills in the schedule of a gatherv; as [`build`], with the root's blocks of any size and place.
pub fn build_varying(b: &mut Builder, selection: &Selection, send: Option<&Part>, recv: Option<&Parts>, root: Root) {
    if data_flow::applies(selection) {
        b.open_gate();
    }
    if b.remote_size == 0 {
        let Root::Rank(root) = root else { return };
        let case = Case { ranks: b.size, bytes: 0, count: 0, commutes: true };
        return (selection.choose(Operation::Gatherv, VARYING, &case, b).build)(b, send, recv, root);
    }
    if let (Root::Here, Some(blocks)) = (root, recv) {
        for rank in 0..b.remote_size {
            let part = blocks.part(rank);
            if part.size() > 0 {
                b.recv_remote(rank, &part);
            }
        }
    }
    if let (Root::Rank(root), Some(own)) = (root, send.filter(|own| own.size() > 0)) {
        b.send_remote(root, own);
    }
    b.fence();
}
