//! MPI's semantics as a state machine: what every call means for the requests, messages and communicators of all ranks.
//!
//! [`world::World`] is all MPI state of a run. The host of the ranks calls it when a rank calls MPI, and learns which
//! ranks can go on. `World` has no clock and makes no choices: a [`world::Driver`] below it says how long a transfer
//! takes and which of several possible things happens. It never blocks, and it reaches the program's memory only
//! through [`memory::Memory`].
//!
//! | where | chapter of MPI 5.0 |
//! |---|---|
//! | [`p2p`] | 3 and 4: requests, protocols, buffered sends |
//! | [`datatype`], [`op`] | 5, 6.9: layouts in memory, reductions |
//! | [`collective`] | 6: every algorithm as a schedule, a straight list of sends, receives and reductions |
//! | [`comm`], [`group`], [`agreements`] | 7: groups, contexts, and how ranks agree on new communicators |
//! | [`topology`] | 8: Cartesian, graph and distributed graph topologies |
//! | [`info`] | 10: keys and values |
//! | [`usage`], [`buffers`] | records of calls, observations about a program |
//! | [`world`] | the state machine: what happens, and when |
//! | [`rma`] | 12: windows, epochs, accesses |
//! | [`tool`] | 15.3: what is counted of messages, and events |
//!
//! To begin, read [`world`]'s page, then `world/start.rs` and `world/commit.rs`: they show the way of a message.
//!
//! *Invariant: no time, no pointers of the program, handles of the C ABI only as numbers to give back.*
#![forbid(unsafe_code)]

pub mod agreements;
pub mod buffers;
pub mod collective;
pub mod comm;
pub mod datatype;
pub mod error;
pub mod group;
pub mod info;
pub mod memory;
pub mod op;
pub mod p2p;
pub mod ports;
pub mod rma;
mod softfloat;
pub mod text;
pub mod tool;
pub mod topology;
pub mod usage;
pub mod world;
