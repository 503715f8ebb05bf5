//! Vocabulary that every other crate shares: ids, simulated time, quantities with units, deterministic maps,
//! generational tables and the run plan that `smpirun` hands to the library.
//!
//! Nothing here knows MPI, the platform or the host machine.
#![forbid(unsafe_code)]

pub mod exit;
pub mod heap;
pub mod ids;
pub mod map;
pub mod plan;
pub mod quantity;
pub mod rng;
pub mod table;
pub mod time;

pub use ids::{HostId, WorldRank};
pub use quantity::{Bytes, Flops, Rate};
pub use time::SimTime;
