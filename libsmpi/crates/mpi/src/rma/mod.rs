//! One-sided communication (MPI 5.0 §12): windows, accesses to them, and the epochs that these must lie in.
//!
//! A window belongs to a group of ranks, each of which offers memory of its own ([`Member`]). An *access* ([`Access`])
//! moves data between its origin's memory and its target's without a call of the target. When it takes place, who gets
//! which lock and when, is in `world/windows.rs` and `world/servers.rs`.
//!
//! | file | |
//! |---|---|
//! | `window.rs` | what a window is, and where in it an access goes |
//! | `epoch.rs` | in which epochs a rank is, and which calls that forbids |
//! | `wait.rs` | what ranks wait for |
//! | `conflict.rs` | which accesses may not be concurrent |
//! | `order.rs` | whether the order of locks and atomic accesses makes a difference |
//! | `ranges.rs` | bytes, as pieces |
//! | `shelf.rs` | what is remembered of the accesses to one memory |
//! | `stretch.rs` | what a rank does with its memory before others can next hear of it |
//! | `access.rs` | the accesses, and what they do to memory |

mod access;
mod conflict;
mod epoch;
mod order;
mod ranges;
mod shelf;
mod stretch;
mod wait;
mod window;

pub use access::{Access, Action};
pub(crate) use conflict::{Elements, Seen};
pub use epoch::{EpochKind, Epochs, Held, Lock};
pub(crate) use order::Askers;
pub(crate) use ranges::Ranges;
pub(crate) use shelf::{Fit, Shelf, Slot};
pub(crate) use stretch::Stretch;
pub use wait::{Awaited, Until, Wait};
pub use window::{Flavor, Flying, Member, Window, WindowId};
