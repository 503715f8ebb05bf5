//! `MPI_Scatter` and `MPI_Scatterv` (MPI 5.0 §6.6).

mod binomial;
mod linear;
mod two_level;

use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection, Target};
use crate::collective::{Builder, Part, Parts, Root, data_flow};

/// The root's blocks (elsewhere `None`), and where the own one goes (`None`: it stays in place at the root).
type Build = fn(&mut Builder, Option<&Parts>, Option<&Part>, u32);

pub(super) const ALGORITHMS: &[Algorithm<Build>] = &[
    Algorithm { name: "ompi_basic_linear", needs: Needs::Nothing, build: linear::one_by_one },
    Algorithm { name: "ompi_linear_nb", needs: Needs::Nothing, build: linear::at_once },
    Algorithm { name: "mvapich2_two_level_binomial", needs: Needs::Hosts, build: two_level::by_tree },
    Algorithm { name: "mvapich2_two_level_direct", needs: Needs::Hosts, build: two_level::direct },
    Algorithm { name: "ompi_binomial", needs: Needs::Nothing, build: binomial::smallest_first },
    Algorithm { name: "binomial", needs: Needs::Nothing, build: binomial::build },
];

/// No trees, as in gatherv.
pub(super) const VARYING: &[Algorithm<Build>] = &[
    Algorithm { name: "ompi_basic_linear", needs: Needs::Nothing, build: linear::varying_one_by_one },
    Algorithm { name: "linear", needs: Needs::Nothing, build: linear::varying },
];

/// Fills in the schedule of a scatter. `send` (the block of the group's first rank) is absent on ranks that are not the
/// root, `recv` for `MPI_IN_PLACE`.
pub fn build(b: &mut Builder, selection: &Selection, send: Option<&Part>, recv: Option<&Part>, root: Root) {
    if data_flow::applies(selection) {
        let blocks = send.map(|first| Parts::Even(first.clone()));
        return build_varying(b, selection, blocks.as_ref(), recv, root);
    }
    match root {
        Root::Elsewhere => {}
        Root::Here => {
            // The other side's first rank gets all blocks in one message and scatters them.
            if let Some(first) = send {
                b.send_remote(0, &first.slice(0, first.count * i64::from(b.remote_size)));
                b.fence();
            }
        }
        Root::Rank(root) if b.remote_size > 0 => {
            let Some(own) = recv else { return };
            let all = (b.rank == 0).then(|| b.scratch(own.count * i64::from(b.size), &own.datatype));
            if let Some(all) = &all {
                b.recv_remote(root, all);
                b.fence();
            }
            let blocks = all.map(|all| Parts::Even(all.slice(0, own.count)));
            local(b, selection, blocks.as_ref(), Some(own), 0);
        }
        Root::Rank(root) => {
            let blocks = send.map(|first| Parts::Even(first.clone()));
            local(b, selection, blocks.as_ref(), recv, root);
        }
    }
}

fn local(b: &mut Builder, selection: &Selection, send: Option<&Parts>, recv: Option<&Part>, root: u32) {
    let bytes = recv.map_or_else(|| send.map_or(0, |send| send.part(0).size()), Part::size);
    let case = Case { ranks: b.size, bytes, count: 0, commutes: true };
    (selection.choose(Operation::Scatter, ALGORITHMS, &case, b).build)(b, send, recv, root);
}

/// A part of another algorithm, from the first rank: what a table says about it, or a binomial tree.
fn part(b: &mut Builder, blocks: Option<&Parts>, own: &Part, stage: Option<Target>) {
    let case = Case { ranks: b.size, bytes: own.size(), count: 0, commutes: true };
    let chosen = stage.and_then(|target| target.algorithm(Operation::Scatter, ALGORITHMS, &case, b));
    chosen.map_or(binomial::smallest_first as Build, |algorithm| algorithm.build)(b, blocks, Some(own), 0);
}

/// Fills in the schedule of a scatterv; as [`build`], with the root's blocks of any size and place.
pub fn build_varying(b: &mut Builder, selection: &Selection, send: Option<&Parts>, recv: Option<&Part>, root: Root) {
    if data_flow::applies(selection) {
        b.open_gate();
    }
    if b.remote_size == 0 {
        let Root::Rank(root) = root else { return };
        return local_varying(b, selection, send, recv, root);
    }
    if let (Root::Here, Some(blocks)) = (root, send) {
        for rank in 0..b.remote_size {
            let part = blocks.part(rank);
            if part.size() > 0 {
                b.send_remote(rank, &part);
            }
        }
    }
    if let (Root::Rank(root), Some(own)) = (root, recv.filter(|own| own.size() > 0)) {
        b.recv_remote(root, own);
    }
    b.fence();
}

/// A scatterv within the local group.
pub(super) fn local_varying(
    b: &mut Builder,
    selection: &Selection,
    send: Option<&Parts>,
    recv: Option<&Part>,
    root: u32,
) {
    let case = Case { ranks: b.size, bytes: 0, count: 0, commutes: true };
    (selection.choose(Operation::Scatterv, VARYING, &case, b).build)(b, send, recv, root);
}
