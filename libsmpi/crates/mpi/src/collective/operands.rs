//! What a rank brings to a collective call, as data: enough to build the call's schedule, now or in another run.
//!
//! Calls of programs are checked and converted into this form (`smpi-api`); traces of programs hold it and are read
//! back into it (`smpi-trace`). Source of the arguments: MPI 5.0 §6 and §8.6.

use super::select::{Operation, Selection};
use super::{
    Builder, Part, Parts, Root, allgather, allreduce, alltoall, barrier, bcast, creation, gather, neighbourhood,
    reduce, reduce_scatter, scan, scatter,
};
use crate::topology::Neighbours;

/// Which schedule a collective call has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// `MPI_Barrier`.
    Barrier,
    /// `MPI_Bcast`; the data is what is received.
    Bcast,
    /// `MPI_Gather`.
    Gather,
    /// `MPI_Gatherv`.
    Gatherv,
    /// `MPI_Scatter`.
    Scatter,
    /// `MPI_Scatterv`.
    Scatterv,
    /// `MPI_Allgather`.
    Allgather,
    /// `MPI_Allgatherv`.
    Allgatherv,
    /// `MPI_Alltoall`.
    Alltoall,
    /// `MPI_Alltoallv`.
    Alltoallv,
    /// `MPI_Alltoallw`.
    Alltoallw,
    /// `MPI_Reduce`.
    Reduce,
    /// `MPI_Allreduce`.
    Allreduce,
    /// `MPI_Reduce_scatter`.
    ReduceScatter,
    /// `MPI_Reduce_scatter_block`.
    ReduceScatterBlock,
    /// `MPI_Scan`.
    Scan,
    /// `MPI_Exscan`.
    Exscan,
    /// Neighbourhood operations.
    Neighbours,
    /// A rank waits for what the others contribute to a new object.
    Others,
    /// All report to one rank, which tells them what came of something that is done once for all.
    Outcome,
    /// No rank needs anything of the others.
    Nothing,
    /// Nobody goes on before the root, a rank of an intracommunicator, has come.
    Behind,
    /// SMPI's messages of a split.
    Split,
    /// SMPI's messages for the number of a new communicator.
    Number,
    /// No messages at all.
    Silent,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Shape; 25] = [
        Shape::Barrier,
        Shape::Bcast,
        Shape::Gather,
        Shape::Gatherv,
        Shape::Scatter,
        Shape::Scatterv,
        Shape::Allgather,
        Shape::Allgatherv,
        Shape::Alltoall,
        Shape::Alltoallv,
        Shape::Alltoallw,
        Shape::Reduce,
        Shape::Allreduce,
        Shape::ReduceScatter,
        Shape::ReduceScatterBlock,
        Shape::Scan,
        Shape::Exscan,
        Shape::Neighbours,
        Shape::Others,
        Shape::Outcome,
        Shape::Nothing,
        Shape::Behind,
        Shape::Split,
        Shape::Number,
        Shape::Silent,
    ];

    /// Its name in traces.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Barrier => "barrier",
            Shape::Bcast => "bcast",
            Shape::Gather => "gather",
            Shape::Gatherv => "gatherv",
            Shape::Scatter => "scatter",
            Shape::Scatterv => "scatterv",
            Shape::Allgather => "allgather",
            Shape::Allgatherv => "allgatherv",
            Shape::Alltoall => "alltoall",
            Shape::Alltoallv => "alltoallv",
            Shape::Alltoallw => "alltoallw",
            Shape::Reduce => "reduce",
            Shape::Allreduce => "allreduce",
            Shape::ReduceScatter => "reducescatter",
            Shape::ReduceScatterBlock => "reducescatterblock",
            Shape::Scan => "scan",
            Shape::Exscan => "exscan",
            Shape::Neighbours => "neighbours",
            Shape::Others => "others",
            Shape::Outcome => "outcome",
            Shape::Nothing => "nothing",
            Shape::Behind => "behind",
            Shape::Split => "split",
            Shape::Number => "number",
            Shape::Silent => "silent",
        }
    }
}

/// The buffers and other arguments of one rank. `MPI_IN_PLACE` and blocks that the rank has no part in are absent; a
/// single buffer is [`Parts::Even`].
#[derive(Clone, Debug)]
pub struct Operands {
    /// Which schedule the call has.
    pub shape: Shape,
    /// The root, where there is one.
    pub root: Option<Root>,
    /// What is sent.
    pub send: Option<Parts>,
    /// Where to is received.
    pub recv: Option<Parts>,
    /// Elements of each rank, of a reduction whose result is scattered.
    pub counts: Vec<i64>,
    /// Neighbours, and whether there is a block for each of those to whom is sent.
    pub around: Option<Box<(Neighbours, bool)>>,
}

impl Operands {
    /// A call without arguments.
    pub fn new(shape: Shape) -> Operands {
        Operands { shape, root: None, send: None, recv: None, counts: Vec::new(), around: None }
    }

    /// The same with its root.
    pub fn with_root(self, root: Root) -> Operands {
        Operands { root: Some(root), ..self }
    }

    /// The same with single buffers.
    pub fn with_parts(self, send: Option<Part>, recv: Option<Part>) -> Operands {
        self.with_blocks(send.map(Parts::Even), recv.map(Parts::Even))
    }

    /// The same with buffers of blocks.
    pub fn with_blocks(self, send: Option<Parts>, recv: Option<Parts>) -> Operands {
        Operands { send, recv, ..self }
    }

    /// A reduction whose result is scattered.
    pub fn with_counts(self, counts: Vec<i64>) -> Operands {
        Operands { counts, ..self }
    }

    /// A neighbourhood operation; `each`: there is a block for each of those to whom is sent, else one for all.
    pub fn with_neighbours(self, neighbours: Neighbours, each: bool) -> Operands {
        Operands { around: Some(Box::new((neighbours, each))), ..self }
    }

    /// Adds the steps of the call to the schedule of this rank. Nothing is added where arguments are missing, which
    /// nobody who converts a call leaves out.
    pub fn build(&self, b: &mut Builder, s: &Selection) {
        let Operands { shape, send, recv, counts, around, .. } = self;
        let root = self.root.unwrap_or(Root::Rank(0));
        let (from, to) = (one(send), one(recv));
        match (shape, recv) {
            (Shape::Barrier, _) => barrier::build(b, s),
            (Shape::Bcast, _) => to.into_iter().for_each(|data| bcast::build(b, s, data, root)),
            (Shape::Gather, _) => gather::build(b, s, from, to, root),
            (Shape::Gatherv, _) => gather::build_varying(b, s, from, recv.as_ref(), root),
            (Shape::Scatter, _) => scatter::build(b, s, from, to, root),
            (Shape::Scatterv, _) => scatter::build_varying(b, s, send.as_ref(), to, root),
            (Shape::Allgather, Some(recv)) => allgather::build(b, s, from, recv, false),
            (Shape::Allgatherv, Some(recv)) => allgather::build(b, s, from, recv, true),
            (Shape::Alltoall, Some(recv)) => alltoall::build(b, s, send.as_ref(), recv),
            (Shape::Alltoallv, Some(recv)) => {
                alltoall::build_varying(b, s, Operation::Alltoallv, send.as_ref(), recv);
            }
            (Shape::Alltoallw, Some(recv)) => {
                alltoall::build_varying(b, s, Operation::Alltoallw, send.as_ref(), recv);
            }
            (Shape::Reduce, _) => reduce::build(b, s, from, to, root),
            (Shape::Allreduce, _) => to.into_iter().for_each(|recv| allreduce::build(b, s, from, recv)),
            (Shape::ReduceScatter, _) => {
                let operation = Operation::ReduceScatter;
                to.into_iter().for_each(|recv| reduce_scatter::build(b, s, operation, from, recv, counts));
            }
            (Shape::ReduceScatterBlock, _) => {
                let operation = Operation::ReduceScatterBlock;
                to.into_iter().for_each(|recv| reduce_scatter::build(b, s, operation, from, recv, counts));
            }
            (Shape::Scan, _) => to.into_iter().for_each(|recv| scan::build(b, s, from, recv, true)),
            (Shape::Exscan, _) => to.into_iter().for_each(|recv| scan::build(b, s, from, recv, false)),
            (Shape::Neighbours, Some(recv)) => {
                if let (Some(around), Some(send)) = (around, send) {
                    let (neighbours, each) = &**around;
                    let block = |place| send.part(if *each { place } else { 0 });
                    neighbourhood::build(b, s, neighbours, block, recv);
                }
            }
            (Shape::Others, _) => barrier::among_all(b, s),
            (Shape::Outcome, _) => barrier::by_tree(b),
            (Shape::Nothing, _) => barrier::unless_data_only(b, s),
            (Shape::Behind, _) => {
                if let Root::Rank(root) = root {
                    barrier::behind(b, s, root);
                }
            }
            (Shape::Split, _) => creation::split(b),
            (Shape::Number, _) => creation::number(b, s),
            _ => {}
        }
    }
}

/// A single buffer.
fn one(parts: &Option<Parts>) -> Option<&Part> {
    if let Some(Parts::Even(part)) = parts { Some(part) } else { None }
}
