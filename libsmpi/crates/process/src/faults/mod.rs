//! What goes wrong with ranks: crashes, refusals, and ranks that compute for ever; and where in its program a rank was.

pub mod crash;
pub mod frames;
pub mod guard;
pub mod interrupted;
#[cfg(target_arch = "x86_64")]
pub mod looping;
pub mod places;
pub mod refusals;
mod returns;
pub mod watchdog;
