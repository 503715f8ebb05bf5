//! `MPI_Reduce_scatter` and `MPI_Reduce_scatter_block` (MPI 5.0 §6.10): a reduction whose result is divided among the
//! ranks.

mod all_to_all;
mod butterfly;
mod doubling;
mod halving;
mod neighbours_first;
mod pairs;
mod pairwise;
mod reduce_then_scatter;
mod ring;

use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection, Selector};
use crate::collective::{Builder, Part, Parts, data_flow, reduce, scatter};

/// The arguments of one call.
pub(super) struct Call<'a> {
    /// The own operand, all blocks; it is not written.
    pub(super) vector: Part,
    /// Elements of each rank's block.
    pub(super) counts: &'a [i64],
    /// First element of each block, and the end.
    pub(super) starts: Vec<i64>,
    /// Where the own block of the result goes. It may overlap the operand, which must not be needed any more then.
    pub(super) result: &'a Part,
}

impl Call<'_> {
    /// The blocks `from..to` of a vector with this division.
    fn range(&self, vector: &Part, from: u32, to: u32) -> Part {
        let (first, end) = (self.starts[from as usize], self.starts[to as usize]);
        vector.slice(first, end - first)
    }
}

type Build = fn(&mut Builder, &Selection, &Call);

pub(super) const ALGORITHMS: &[Algorithm<Build>] = &[
    Algorithm { name: "ompi_basic_recursivehalving", needs: Needs::Commutative, build: halving::build },
    Algorithm { name: "ompi_ring", needs: Needs::Commutative, build: ring::build },
    Algorithm { name: "mpich_pair", needs: Needs::Commutative, build: pairwise::build },
    Algorithm { name: "mpich_noncomm", needs: Needs::PowerOfTwo, build: neighbours_first::build },
    Algorithm { name: "ompi_butterfly", needs: Needs::Nothing, build: butterfly::build },
    Algorithm { name: "mpich_rdb", needs: Needs::PowerOfTwo, build: doubling::build },
    Algorithm { name: "all_to_all", needs: Needs::Nothing, build: all_to_all::build },
    Algorithm { name: "default", needs: Needs::Nothing, build: by_regularity },
    Algorithm { name: "reduce_scatterv", needs: Needs::Nothing, build: reduce_then_scatter::build },
];

/// Fills in the schedule of a reduce_scatter, or with equal `counts` of a reduce_scatter_block (which `operation`
/// tells).
///
/// `counts` has the elements of each rank of the local group. `send` is absent for `MPI_IN_PLACE`: then the operand
/// lies where `recv` points. On an intercommunicator each side reduces at its first rank; these exchange the results
/// and scatter what they got.
pub fn build(
    b: &mut Builder,
    selection: &Selection,
    operation: Operation,
    send: Option<&Part>,
    recv: &Part,
    counts: &[i64],
) {
    let mut starts = vec![0];
    for count in counts {
        starts.push(starts[starts.len() - 1] + count);
    }
    let total = starts[counts.len()];
    let vector = send.unwrap_or(recv).slice(0, total);
    let result = recv.slice(0, counts[b.rank as usize]);
    if data_flow::applies(selection) && data_flow::reduce_scatter(b, &vector, &starts, &result) {
        return;
    }
    if b.remote_size > 0 {
        return between(b, selection, &vector, counts, &result);
    }
    choose(b, selection, operation, selection, &Call { vector, counts, starts, result: &result });
}

/// Does what `chooser` chooses for a call, and for parts of that what `selection` does.
fn choose(b: &mut Builder, selection: &Selection, operation: Operation, chooser: &Selection, call: &Call) {
    let case = Case { ranks: b.size, bytes: call.vector.size(), count: call.vector.count, commutes: b.commutes() };
    let chosen = chooser.choose(operation, ALGORITHMS, &case, b).build;
    chosen(b, selection, call);
}

/// SMPI's `default`: a reduce and a scatterv where all blocks are equally long, else what its `mpich` does. Measured
/// with SMPI 3.32.
fn by_regularity(b: &mut Builder, selection: &Selection, call: &Call) {
    if call.counts.iter().all(|count| *count == call.counts[0]) {
        reduce_then_scatter::build(b, selection, call);
    } else {
        choose(b, selection, Operation::ReduceScatter, &Selection::new(Selector::SmpiMpich), call);
    }
}

fn between(b: &mut Builder, selection: &Selection, vector: &Part, counts: &[i64], result: &Part) {
    let first = b.rank == 0;
    let ours = first.then(|| b.scratch(vector.count, &vector.datatype));
    reduce::local(b, selection, vector, ours.as_ref(), 0);
    let mut theirs = None;
    if let Some(ours) = ours {
        let other = b.scratch(vector.count, &vector.datatype);
        b.fence();
        b.recv_remote(0, &other);
        b.send_remote(0, &ours);
        b.fence();
        theirs = Some(Parts::consecutive(&other, counts));
    }
    scatter::local_varying(b, selection, theirs.as_ref(), Some(result), 0);
}
