//! How a program uses MPI: what is remembered of its calls, and what is noticed when they do not fit together. Data
//! only; [`crate::world::World`] does the noticing.

mod call;
mod causality;
mod digest;
mod items;
mod leftover;
mod observation;
mod tape;

pub use call::{Agreed, Call, Difference, Exchange, Form};
pub(crate) use causality::{Causes, Clock, Sent};
pub use digest::{digest, extend_digest};
pub use items::Items;
pub use leftover::{Left, Leftover};
pub use observation::{Observation, Origin, Side, Touch, Trouble};
pub use tape::{Tape, Taped};
