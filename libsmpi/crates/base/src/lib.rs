//! Vocabulary that the other crates share: small types and containers. None of them needs another crate of ours.
//!
//! | module | what |
//! |---|---|
//! | [`ids`] | [`WorldRank`], [`Agent`], [`HostId`]: numbers that must not be mixed up |
//! | [`time`] | [`SimTime`]: dates and durations of the simulated world |
//! | [`quantity`] | [`Bytes`], [`Rate`], [`Flops`], and how texts such as `"64KiB"` or `"100Gbps"` are read |
//! | [`map`] | hash maps and sets without a random seed |
//! | [`digest`] | 128 bits by which values are recognised |
//! | [`markup`] | text as part of a page |
//! | [`heap`] | a heap whose entries can be changed and removed by their number |
//! | [`ordered`] | maps that keep the order in which keys were set |
//! | [`table`] | values under keys that notice when they are stale: what MPI handles stand for |
//! | [`rng`] | a seeded generator, for tests and shuffles |
//! | [`plan`] | [`plan::RunPlan`]: what `smpirun` learned from its command line, handed to the library as JSON |
//! | [`stat`] | what the kernel's texts say of processes |
//! | [`exit`] | exit codes of `smpirun` |
//! | [`frames`] | what processes that explore together tell each other, as bytes |
//! | [`print`] | messages to standard streams that may not take them |
//! | [`whole`] | files that are there as a whole or not at all |
//! | [`words`] | numbers in sentences |
//!
//! *Invariant.* Nothing here knows MPI, platforms or the machine that runs the simulation, and nothing depends on a
//! random seed, an address or the host's clock: the same calls give the same results in every run.
#![forbid(unsafe_code)]

pub mod digest;
pub mod exit;
pub mod frames;
pub mod heap;
pub mod ids;
pub mod map;
pub mod markup;
pub mod ordered;
pub mod plan;
pub mod print;
pub mod quantity;
pub mod rng;
pub mod stat;
pub mod table;
pub mod time;
pub mod whole;
pub mod words;

pub use ids::{Agent, HostId, WorldRank};
pub use quantity::{Bytes, Flops, Rate};
pub use time::SimTime;
