//! Ranks as coroutines: where each rank lives in memory, how the event loop switches to it and back, and its heap.
//!
//! Only this crate switches stacks. It knows neither MPI nor program images: `image` maps a region with the program in
//! it, and `process` decides what a rank runs.
//!
//! ```text
//! low addresses                                                                  high addresses
//! ┌──────────────── region of rank k: one mapping of a memfd ────────────────┐┌─ region of k+1 ─
//! │ ← stack │ program image │ small arena │ more heap → …  │ beyond the file ││ ← stack │ …
//! └──────────── in the file ──────────────┴─── mapped later ┴──── SIGBUS ────┘└─────────────────
//! ```
//!
//! A stack that overflows leaves its region downwards and meets the tail of the region below, which no file backs: the
//! kernel answers with SIGBUS without a guard mapping for each rank. Below the first region lies a reserved guard.

pub mod arena;
pub mod fiber;
pub mod keys;
pub mod layout;
pub mod library_locals;
pub mod pages;
pub mod region;
pub mod thread_pointer;
pub mod thread_state;

pub use arena::Arena;
pub use fiber::{Fiber, Switch};
pub use layout::{Layout, Request};
