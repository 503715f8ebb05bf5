//! Collective operations as schedules over point-to-point messages (MPI 5.0 §6).
//!
//! Every rank turns its call into a [`Schedule`]: a straight list of steps that is fixed before the first message
//! leaves. Sends and receives are posted as they are reached; [`Builder::fence`] waits until all messages posted so far
//! are done; copies and reductions run at once when they are reached. The world advances a schedule whenever one of its
//! messages completes, so a nonblocking collective progresses while its rank computes. A blocking collective is the
//! nonblocking one followed by a wait; there is no second mechanism.
//!
//! ```text
//! reduce to root 0 of 4 ranks, on rank 2:      recv 3 → scratch · fence · reduce scratch into acc · send 0 acc
//! ```
//!
//! **Rules for algorithms** (`collective/<operation>/<algorithm>.rs`): a pure function of the arguments, the own rank
//! and the size; both sides of a pair post their messages in the same relative order (messages between two ranks
//! match in order, all with the schedule's one tag); no step touches the memory of another rank; a buffer given to a
//! receive is not read before the next fence, and one given to a send is not written before it.
//! Reductions of operations that do not commute combine in rank order.
//!
//! [`select`] says as data which algorithm runs, and how long ranks wait beyond the messages of the algorithm
//! ([`select::Waits`]). Intra- and intercommunicators differ only in their [`Peer`]s.
//!
//! docs/smpirun.md lists the algorithms of each operation, by SMPI's names where SMPI has them.
//!
//! All schedules of a call exist at once, so their length matters: with 10,000 ranks the logarithmic ones have at most
//! 100 steps of 72 bytes; rings and pairwise exchanges have 3 steps a rank and take 2 MB each.

pub mod allgather;
pub mod allreduce;
pub mod alltoall;
mod args;
pub mod barrier;
pub mod bcast;
mod catalogue;
pub mod creation;
mod data_flow;
mod direct;
mod fold;
pub mod gather;
mod hosts;
mod local;
mod mesh;
mod neighbourhood;
mod open_mpi;
pub mod operands;
pub mod reduce;
pub mod reduce_scatter;
pub mod scan;
pub mod scatter;
pub mod schedule;
mod segments;
pub mod select;
mod shapes;
mod tables;
#[cfg(test)]
mod tests;
mod tree;

pub use args::{Parts, Root};
pub use hosts::Placement;
pub use local::reduce_parts;
pub use operands::{Operands, Shape};
pub use schedule::{Builder, Chosen, Part, Peer, Schedule, Scratch, ScratchSource, Step};
