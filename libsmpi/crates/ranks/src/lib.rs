//! Ranks as coroutines: where each rank lives in memory, how the event loop switches to it and back, and its heap.
//!
//! All ranks of a run share one thread. A rank is a coroutine ([`Fiber`]) with a stack of its own; it runs until it
//! waits, and then gives control back to the event loop. Its stack, its copy of the program and its heap lie in its
//! *region*, a range of addresses. The range follows from the rank's number and the sizes that the run asks for, so two
//! runs use the same addresses. State that the processor or the C library keeps once per thread, and each rank needs
//! for itself, is exchanged at each switch ([`thread_state`]).
//!
//! This crate knows neither MPI nor program images: `smpi-image` maps a region with the program in it, and
//! `smpi-process` decides what a rank runs, and when.
//!
//! *Invariants.* Only this crate switches stacks. The stack of a suspended rank holds no borrow and no value with a
//! destructor: the checker restores earlier contents of stacks.
//!
//! | file | what |
//! |---|---|
//! | `layout.rs` | [`Layout`]: the addresses of all regions; pure arithmetic |
//! | `region.rs` | reserving and giving back memory at fixed addresses |
//! | `fiber.rs` | [`Fiber`]: the coroutine, and the way back to the event loop |
//! | `arena.rs` | [`Arena`]: the heap of a rank, all of it inside its region |
//! | `thread_state.rs`, `library_locals.rs` | what is exchanged at a switch |
//! | `keys.rs` | memory protection keys: other ranks' regions out of reach |
//! | `walls.rs` | the same without keys, for a while |
//! | `mappings.rs` | what memory there is |
//! | `valgrind.rs` | what valgrind is told of ranks |
//! | `pages.rs` | which pages a rank has written to, for snapshots |
//!
//! Begin with the drawing, then `layout.rs` and `fiber.rs`.
//!
//! ```text
//! low addresses                                                                  high addresses
//! ┌──────────────── region of rank k: one mapping of a memfd ────────────────┐┌─ region of k+1 ─
//! │ ← stack │ program image │ small arena │ larger heap →  │ beyond the file ││ ← stack │ …
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
pub mod mappings;
pub mod pages;
pub mod region;
pub mod thread_pointer;
pub mod thread_state;
pub mod valgrind;
pub mod walls;

pub use arena::Arena;
pub use fiber::{Fiber, Switch};
pub use layout::{Layout, Request};
