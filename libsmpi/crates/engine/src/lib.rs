//! The simulated world: gives every communication, computation and pause a duration, and advances a clock.
//!
//! What takes time is an *activity*: a flow of bytes from host to host, an execution of flops on a host, an access of
//! a disk, or a timer. The caller starts activities ([`Engine::start_flow`], [`Engine::start_execution`],
//! [`Engine::start_access`], [`Engine::start_timer`]), each with a [`Token`] of its choice, and asks for the next
//! instant at which some of them end ([`Engine::advance`], which answers their tokens). Concurrent activities slow each
//! other down: flows share links, executions share cores, accesses share disks.
//!
//! The engine knows hosts, routes and bytes. It knows no MPI, no ranks, no payloads and no protocol: the layers above
//! decide how many bytes a message has on the wire, and when it is sent (`smpi-mpi`, `smpi-simulation`).
//! `smpi-platform` describes the machine.
//!
//! *Invariants.* Starting or ending an activity takes time in proportion to the activities whose rates it changes,
//! never to the number of hosts or ranks. The same calls give the same dates, bit by bit. Tokens of activities that end
//! at one instant come in the order of their starts.
//!
//! | file | what |
//! |---|---|
//! | `engine.rs` | activities, the clock, the order of what ends |
//! | `network.rs` | the flow model: latency phase, bound, penalty, cross-traffic (SMPI's fluid model) |
//! | `pairs.rs` | what pairs of hosts asked for before |
//! | `models.rs`, `infiniband.rs`, `nics.rs` | the models' constants; what IB and LogGOPS add |
//! | `over_time.rs`, `changing.rs` | speeds and links that change, and the flows under way meanwhile |
//! | `what_if.rs` | the same platform with other properties |
//! | `energy.rs` | joules |
//! | `cpu.rs` | cores shared by executions, and disks by accesses, in closed form |
//! | `solver/` | weighted max-min fairness, solved incrementally, and its slow twin for tests |
//! | `config.rs` | the constants that `--cfg` can change (`smpi-settings`): [`Config`] |
//!
//! Begin with `engine.rs`; `examples/flows.rs` uses all of it. The equations, with units and defaults, are in
//! `docs/platforms.md`; `tests/derived.rs` has times with their derivation, `tests/peer.rs` those of SimGrid.
#![forbid(unsafe_code)]

mod changing;
mod config;
mod cpu;
mod energy;
mod engine;
mod infiniband;
mod models;
mod network;
mod nics;
mod over_time;
mod pairs;
mod pipes;
mod solver;
mod what_if;

pub use config::Config;
pub use energy::Energy;
pub use engine::{ActivityId, Engine, Token};
pub use over_time::HostChange;
