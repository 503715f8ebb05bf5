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
    /// That of an operation on data, or of `MPI_Barrier`; what `MPI_Bcast` has is received.
    Of(Operation),
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

impl From<Operation> for Shape {
    fn from(operation: Operation) -> Shape {
        Shape::Of(operation)
    }
}

impl Shape {
    /// Those that are of no [`Operation`].
    const OTHERS: [Shape; 8] = [
        Shape::Neighbours,
        Shape::Others,
        Shape::Outcome,
        Shape::Nothing,
        Shape::Behind,
        Shape::Split,
        Shape::Number,
        Shape::Silent,
    ];

    /// Every shape.
    pub fn all() -> impl Iterator<Item = Shape> {
        Operation::ALL.into_iter().map(Shape::Of).chain(Shape::OTHERS)
    }

    /// Its name in traces, where SMPI's actions have no `_`.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Of(Operation::ReduceScatter) => "reducescatter",
            Shape::Of(Operation::ReduceScatterBlock) => "reducescatterblock",
            Shape::Of(operation) => operation.name(),
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
    pub fn new(shape: impl Into<Shape>) -> Operands {
        Operands { shape: shape.into(), root: None, send: None, recv: None, counts: Vec::new(), around: None }
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
        let Operands { send, recv, around, .. } = self;
        match (self.shape, recv) {
            (Shape::Of(operation), _) => self.build_operation(operation, b, s),
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
                if let Some(Root::Rank(root)) = self.root {
                    barrier::behind(b, s, root);
                }
            }
            (Shape::Split, _) => creation::split(b),
            (Shape::Number, _) => creation::number(b, s),
            (Shape::Neighbours | Shape::Silent, _) => {}
        }
    }

    fn build_operation(&self, operation: Operation, b: &mut Builder, s: &Selection) {
        let Operands { send, recv, counts, .. } = self;
        let root = self.root.unwrap_or(Root::Rank(0));
        let (from, to) = (one(send), one(recv));
        match (operation, recv) {
            (Operation::Barrier, _) => barrier::build(b, s),
            (Operation::Bcast, _) => to.into_iter().for_each(|data| bcast::build(b, s, data, root)),
            (Operation::Gather, _) => gather::build(b, s, from, to, root),
            (Operation::Gatherv, _) => gather::build_varying(b, s, from, recv.as_ref(), root),
            (Operation::Scatter, _) => scatter::build(b, s, from, to, root),
            (Operation::Scatterv, _) => scatter::build_varying(b, s, send.as_ref(), to, root),
            (Operation::Allgather, Some(recv)) => allgather::build(b, s, from, recv, false),
            (Operation::Allgatherv, Some(recv)) => allgather::build(b, s, from, recv, true),
            (Operation::Alltoall, Some(recv)) => alltoall::build(b, s, send.as_ref(), recv),
            (Operation::Alltoallv | Operation::Alltoallw, Some(recv)) => {
                alltoall::build_varying(b, s, operation, send.as_ref(), recv);
            }
            (Operation::Reduce, _) => reduce::build(b, s, from, to, root),
            (Operation::Allreduce, _) => to.into_iter().for_each(|recv| allreduce::build(b, s, from, recv)),
            (Operation::ReduceScatter | Operation::ReduceScatterBlock, _) => {
                to.into_iter().for_each(|recv| reduce_scatter::build(b, s, operation, from, recv, counts));
            }
            (Operation::Scan, _) => to.into_iter().for_each(|recv| scan::build(b, s, from, recv, true)),
            (Operation::Exscan, _) => to.into_iter().for_each(|recv| scan::build(b, s, from, recv, false)),
            // What it needs is missing.
            (Operation::Allgather | Operation::Allgatherv | Operation::Alltoall, None) => {}
            (Operation::Alltoallv | Operation::Alltoallw, None) => {}
        }
    }
}

/// A single buffer.
fn one(parts: &Option<Parts>) -> Option<&Part> {
    if let Some(Parts::Even(part)) = parts { Some(part) } else { None }
}
