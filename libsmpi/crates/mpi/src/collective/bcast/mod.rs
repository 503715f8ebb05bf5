//! `MPI_Bcast` (MPI 5.0 §6.4).

mod binomial;
mod flat_tree;
mod hosts;
mod knomial;
mod pipeline;
mod pipelines;
mod scatter_allgather;
mod split;

pub(super) use binomial::build as binomial;
pub(super) use scatter_allgather::ring as scatter_ring;

use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection, Selector, Target};
use crate::collective::{Builder, Part, Root, data_flow};

/// The vector and the root.
type Build = fn(&mut Builder, &Part, u32);

pub(super) const ALGORITHMS: &[Algorithm<Build>] = &[
    Algorithm { name: "flattree", needs: Needs::Nothing, build: flat_tree::build },
    Algorithm { name: "ompi_pipeline", needs: Needs::Nothing, build: pipeline::build },
    Algorithm { name: "scatter_rdb_allgather", needs: Needs::PowerOfTwo, build: scatter_allgather::doubling },
    Algorithm { name: "scatter_LR_allgather", needs: Needs::Nothing, build: scatter_allgather::ring },
    Algorithm { name: "flattree_pipeline", needs: Needs::Nothing, build: flat_tree::pipeline },
    Algorithm { name: "NTSL", needs: Needs::Nothing, build: pipelines::chain },
    Algorithm { name: "NTSL_Isend", needs: Needs::Nothing, build: pipelines::chain },
    Algorithm { name: "NTSB", needs: Needs::Nothing, build: pipelines::binary },
    Algorithm { name: "SMP_linear", needs: Needs::Hosts, build: pipelines::chain_of_hosts },
    Algorithm { name: "SMP_binary", needs: Needs::Hosts, build: pipelines::binary_of_hosts },
    Algorithm { name: "SMP_binomial", needs: Needs::Hosts, build: hosts::trees },
    Algorithm { name: "ompi_split_bintree", needs: Needs::HostsAtTimes, build: split::build },
    Algorithm { name: "mvapich2_inter_node", needs: Needs::Hosts, build: hosts::inter_node },
    Algorithm { name: "mvapich2_intra_node", needs: Needs::Hosts, build: hosts::intra_node },
    Algorithm { name: "mvapich2_knomial_intra_node", needs: Needs::Hosts, build: knomial::build },
    Algorithm { name: "binomial_tree", needs: Needs::Nothing, build: binomial::build },
];

/// Fills in the schedule of a broadcast of `data`. On an intercommunicator the root sends to the other side's first
/// rank, which broadcasts there.
pub fn build(b: &mut Builder, selection: &Selection, data: &Part, root: Root) {
    if data_flow::applies(selection) && data_flow::bcast(b, data, root) {
        return;
    }
    match root {
        Root::Elsewhere => {}
        Root::Here => {
            b.send_remote(0, data);
            b.fence();
        }
        Root::Rank(root) if b.remote_size > 0 => {
            if b.rank == 0 {
                b.recv_remote(root, data);
                b.fence();
            }
            local(b, selection, data, 0);
        }
        Root::Rank(root) => local(b, selection, data, root),
    }
}

/// A broadcast within the local group.
pub(super) fn local(b: &mut Builder, selection: &Selection, data: &Part, root: u32) {
    let case = Case { ranks: b.size, bytes: data.size(), count: data.count, commutes: true };
    (selection.choose(Operation::Bcast, ALGORITHMS, &case, b).build)(b, data, root);
}

/// A part of another algorithm: what a table says about it, or what MPICH's table says.
fn part(b: &mut Builder, data: &Part, root: u32, stage: Option<Target>) {
    let case = Case { ranks: b.size, bytes: data.size(), count: data.count, commutes: true };
    match stage.and_then(|target| target.algorithm(Operation::Bcast, ALGORITHMS, &case, b)) {
        Some(algorithm) => (algorithm.build)(b, data, root),
        None => by_mpich(b, data, root),
    }
}

/// What MPICH's table says, for parts of other algorithms.
fn by_mpich(b: &mut Builder, data: &Part, root: u32) {
    local(b, &Selection::new(Selector::Mpich), data, root);
}
