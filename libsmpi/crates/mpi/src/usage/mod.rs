//! How a program uses MPI: records of its calls, and observations about calls that do not fit together. Data only:
//! [`crate::world::World`] makes the observations.

mod call;
mod causality;
mod digest;
mod items;
mod leftover;
mod observation;
mod tape;

pub use call::{Agreed, Call, Difference, Exchange, Form};
pub(crate) use causality::{Causes, Clock, Counts, Sent};
pub use digest::{digest, extend_digest};
pub use items::Items;
pub use leftover::{Left, Leftover};
pub use observation::{Breach, Holder, Lent, Mistyped, Observation, Origin, Side, Touch, Trouble};
pub use tape::{Step, Steps, Tape, Taped};
