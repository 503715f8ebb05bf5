//! `MPI_Allgather` and `MPI_Allgatherv` (MPI 5.0 §6.7). Many algorithms serve both: all ranks know all sizes.

mod bruck;
mod doubling;
mod gather_bcast;
mod halving;
mod hosts;
mod mesh;
mod neighbours;
mod pair;
mod ring;
mod two_level;

pub(super) use doubling::build as doubling;
pub(super) use ring::distances as ring;

use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection};
use crate::collective::{Builder, Part, Parts, bcast, data_flow, direct};

/// The own block already lies among the blocks when an algorithm starts.
type Build = fn(&mut Builder, &Selection, &Parts);

pub(super) const ALGORITHMS: &[Algorithm<Build>] = &[
    Algorithm { name: "rdb", needs: Needs::PowerOfTwo, build: doubling::build },
    Algorithm { name: "pair", needs: Needs::PowerOfTwo, build: pair::build },
    Algorithm { name: "bruck", needs: Needs::Nothing, build: bruck::build },
    Algorithm { name: "GB", needs: Needs::Nothing, build: gather_bcast::build },
    Algorithm { name: "spreading_simple", needs: Needs::Nothing, build: direct::allgather },
    Algorithm { name: "2dmesh", needs: Needs::TwoDimensions, build: mesh::two },
    Algorithm { name: "3dmesh", needs: Needs::ThreeDimensions, build: mesh::three },
    Algorithm { name: "rhv", needs: Needs::PowerOfTwo, build: halving::build },
    Algorithm { name: "ompi_neighborexchange", needs: Needs::Nothing, build: neighbours::build },
    Algorithm { name: "NTSLR", needs: Needs::Nothing, build: ring::neighbours },
    Algorithm { name: "NTSLR_NB", needs: Needs::Nothing, build: ring::neighbours },
    Algorithm { name: "smp_simple", needs: Needs::Hosts, build: hosts::simple },
    Algorithm { name: "SMP_NTS", needs: Needs::Hosts, build: hosts::ring },
    Algorithm { name: "loosely_lr", needs: Needs::Hosts, build: hosts::rings },
    Algorithm { name: "mvapich2_smp", needs: Needs::Hosts, build: two_level::build },
    Algorithm { name: "ring", needs: Needs::Nothing, build: ring::distances },
];

pub(super) const VARYING: &[Algorithm<Build>] = &[
    Algorithm { name: "rdb", needs: Needs::PowerOfTwo, build: doubling::build },
    Algorithm { name: "pair", needs: Needs::PowerOfTwo, build: pair::build },
    Algorithm { name: "bruck", needs: Needs::Nothing, build: bruck::build },
    Algorithm { name: "GB", needs: Needs::Nothing, build: gather_bcast::build },
    Algorithm { name: "spreading_simple", needs: Needs::Nothing, build: direct::allgather },
    Algorithm { name: "ompi_neighborexchange", needs: Needs::Nothing, build: neighbours::build },
    Algorithm { name: "ompi_bruck", needs: Needs::Nothing, build: bruck::build },
    Algorithm { name: "mpich_rdb", needs: Needs::PowerOfTwo, build: doubling::build },
    Algorithm { name: "mpich_ring", needs: Needs::Nothing, build: ring::pieces },
    Algorithm { name: "ring", needs: Needs::Nothing, build: ring::distances },
];

/// Fills in the schedule of an allgather or (with `varying`) an allgatherv. `send` is absent for `MPI_IN_PLACE`.
///
/// On an intercommunicator `recv` has the blocks of the other side: its ranks send theirs to the first rank here, which
/// broadcasts them.
pub fn build(b: &mut Builder, selection: &Selection, send: Option<&Part>, recv: &Parts, varying: bool) {
    if data_flow::applies(selection) && data_flow::allgather(b, selection, send, recv, varying) {
        return;
    }
    if b.remote_size > 0 {
        if let Some(own) = send {
            between(b, selection, own, recv);
        }
        return;
    }
    if let Some(own) = send {
        b.copy(own, &recv.part(b.rank));
    }
    local(b, selection, recv, varying);
}

/// An allgather or allgatherv within the local group, whose ranks have put their blocks into place.
pub(super) fn local(b: &mut Builder, selection: &Selection, blocks: &Parts, varying: bool) {
    let count = match blocks {
        Parts::Even(first) => first.count * i64::from(b.size),
        _ => (0..b.size).map(|rank| blocks.part(rank).count).sum(),
    };
    let case = Case { ranks: b.size, bytes: blocks.bytes(b.size), count, commutes: true };
    let (operation, algorithms) =
        if varying { (Operation::Allgatherv, VARYING) } else { (Operation::Allgather, ALGORITHMS) };
    (selection.choose(operation, algorithms, &case, b).build)(b, selection, blocks);
}

fn between(b: &mut Builder, selection: &Selection, own: &Part, recv: &Parts) {
    let blocks = Packed::new(b, recv, b.remote_size);
    if b.rank == 0 {
        for rank in 0..b.remote_size {
            let part = blocks.range(rank, rank + 1);
            if part.size() > 0 {
                b.recv_remote(rank, &part);
            }
        }
    }
    if own.size() > 0 {
        b.send_remote(0, own);
    }
    b.fence();
    bcast::local(b, selection, &blocks.range(0, b.remote_size), 0);
    blocks.unpack(b, recv, 0..b.remote_size);
}

/// All blocks one after the other in rank order: the buffer itself where they lie so, else scratch memory.
struct Packed {
    whole: Part,
    /// First element of each block, and the end.
    starts: Vec<i64>,
    in_place: bool,
}

impl Packed {
    fn new(b: &mut Builder, blocks: &Parts, ranks: u32) -> Packed {
        let mut starts = vec![0];
        for rank in 0..ranks {
            starts.push(starts[rank as usize] + blocks.part(rank).count);
        }
        let total = starts[ranks as usize];
        match blocks {
            Parts::Even(first) => Packed { whole: first.slice(0, total), starts, in_place: true },
            _ => {
                let datatype = blocks.part(0).datatype;
                Packed { whole: b.scratch(total, &datatype), starts, in_place: false }
            }
        }
    }

    /// The blocks of the ranks `from..to`.
    fn range(&self, from: u32, to: u32) -> Part {
        let (first, end) = (self.starts[from as usize], self.starts[to as usize]);
        self.whole.slice(first, end - first)
    }

    /// Puts a rank's own block among the packed ones.
    fn pack(&self, b: &mut Builder, blocks: &Parts) {
        if !self.in_place {
            b.copy(&blocks.part(b.rank), &self.range(b.rank, b.rank + 1));
        }
    }

    /// Brings blocks to their places.
    fn unpack(&self, b: &mut Builder, blocks: &Parts, ranks: impl Iterator<Item = u32>) {
        if !self.in_place {
            for rank in ranks {
                b.copy(&self.range(rank, rank + 1), &blocks.part(rank));
            }
        }
    }
}
