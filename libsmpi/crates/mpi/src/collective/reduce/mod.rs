//! `MPI_Reduce` (MPI 5.0 §6.9.1).

mod binomial;
mod flat_tree;
pub(super) mod halving;
mod knomial;
mod linear;
mod participants;
mod rabenseifner;
mod scatter_gather;
mod trees;
mod two_level;

pub(super) use binomial::build as binomial;
pub(super) use rabenseifner::everywhere as rabenseifner;

use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection, Selector, Target};
use crate::collective::{Builder, Part, Root, data_flow};

/// The own operand (at the root it may be the result's buffer), and where the root wants the result (elsewhere `None`).
type Build = fn(&mut Builder, &Part, Option<&Part>, u32);

pub(super) const ALGORITHMS: &[Algorithm<Build>] = &[
    Algorithm { name: "flat_tree", needs: Needs::Nothing, build: flat_tree::build },
    Algorithm { name: "linear", needs: Needs::Nothing, build: linear::build },
    Algorithm { name: "scatter_gather", needs: Needs::CommutativeSplit, build: scatter_gather::build },
    Algorithm { name: "NTSL", needs: Needs::Commutative, build: trees::ring },
    Algorithm { name: "ompi_chain", needs: Needs::Commutative, build: trees::chains },
    Algorithm { name: "ompi_pipeline", needs: Needs::Commutative, build: trees::pipeline },
    Algorithm { name: "ompi_basic_linear", needs: Needs::Nothing, build: flat_tree::build },
    Algorithm { name: "ompi_in_order_binary", needs: Needs::Nothing, build: trees::in_order },
    Algorithm { name: "ompi_binary", needs: Needs::Commutative, build: trees::binary },
    Algorithm { name: "ompi_binomial", needs: Needs::Commutative, build: trees::binomial },
    Algorithm { name: "mvapich2_knomial", needs: Needs::Commutative, build: knomial::build },
    Algorithm { name: "mvapich2_two_level", needs: Needs::CommutativeHosts, build: two_level::build },
    Algorithm { name: "rab", needs: Needs::Nothing, build: rabenseifner::build },
    Algorithm { name: "binomial", needs: Needs::Nothing, build: binomial::build },
];

/// Fills in the schedule of a reduce. `send` is absent for `MPI_IN_PLACE`, `recv` on ranks that are not the root.
///
/// On an intercommunicator the other side reduces at its first rank, which sends the result to the root.
pub fn build(b: &mut Builder, selection: &Selection, send: Option<&Part>, recv: Option<&Part>, root: Root) {
    if data_flow::applies(selection) && data_flow::reduce(b, send, recv, root, linear::build) {
        return;
    }
    match root {
        Root::Elsewhere => {}
        Root::Here => {
            if let Some(result) = recv {
                b.recv_remote(0, result);
                b.fence();
            }
        }
        Root::Rank(root) if b.remote_size > 0 => {
            let Some(own) = send else { return };
            let result = (b.rank == 0).then(|| b.scratch(own.count, &own.datatype));
            local(b, selection, own, result.as_ref(), 0);
            if let Some(result) = result {
                b.fence();
                b.send_remote(root, &result);
                b.fence();
            }
        }
        Root::Rank(root) => {
            let recv = recv.filter(|_| b.rank == root);
            if let Some(own) = send.or(recv) {
                local(b, selection, own, recv, root);
            }
        }
    }
}

/// A part of another algorithm: what a table says about it, or what MPICH's table says.
pub(super) fn part(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32, stage: Option<Target>) {
    let case = Case { ranks: b.size, bytes: own.size(), count: own.count, commutes: b.commutes() };
    match stage.and_then(|target| target.algorithm(Operation::Reduce, ALGORITHMS, &case, b)) {
        Some(algorithm) => (algorithm.build)(b, own, result, root),
        None => local(b, &Selection::new(Selector::Mpich), own, result, root),
    }
}

/// A reduction within the local group.
pub(super) fn local(b: &mut Builder, selection: &Selection, own: &Part, result: Option<&Part>, root: u32) {
    let case = Case { ranks: b.size, bytes: own.size(), count: own.count, commutes: b.commutes() };
    (selection.choose(Operation::Reduce, ALGORITHMS, &case, b).build)(b, own, result, root);
}
