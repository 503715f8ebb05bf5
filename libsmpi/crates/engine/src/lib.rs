//! The simulated world: gives every communication, computation and pause a duration, and advances a clock.
//!
//! [`Engine`] knows hosts, routes and bytes; it knows no MPI, no ranks and no payloads. What is in flight is called an
//! *activity*: a flow of bytes, an execution of flops, or a timer. The caller starts activities and asks for
//! the next instant at which one ends.
//!
//! | file | what |
//! |---|---|
//! | `engine.rs` | activities, the clock, the order of what ends |
//! | `network.rs` | the flow model: latency phase, bound, penalty, cross-traffic (SMPI's fluid model) |
//! | `cpu.rs` | cores shared by executions, in closed form |
//! | `solver/` | weighted max-min fairness, solved incrementally |
//! | `config.rs`, `factors.rs` | models and the constants that `--cfg` can change |
//!
//! The equations, with units and defaults, are in `docs/platforms.md`.
#![forbid(unsafe_code)]

mod config;
mod cpu;
mod engine;
mod factors;
mod network;
mod solver;

pub use config::{Config, ConfigError};
pub use engine::{ActivityId, Engine, Token};
pub use factors::FactorTable;
