//! The interface below MPI's semantics: what a driver is told, and what it decides.
//!
//! [`World`] is a state machine without time and without choices of its own. It tells its driver what happens, and asks
//! the driver what may happen. This project has two drivers, and the tests of this crate have a third:
//!
//! | | simulation | verification | the tests' |
//! |---|---|---|---|
//! | a transfer takes | what the network takes | nothing | one tick |
//! | a receive from any source takes | the message that came first | whichever is chosen | as simulation |
//! | a test is answered | with the truth | yes or "not yet", as is chosen | as simulation |
//! | a standard send waits | as its size says | as the buffering mode says | as simulation |
//!
//! A driver is three things. It is a [`Clock`], and says what takes how long; a [`Chooser`], and says what may
//! happen; and it hears of what has happened: of what concerns nobody else by a [`Notice`], of what it may act on by
//! a method of [`Driver`]. No method has a default, so a driver that hands everything on to another one cannot leave
//! anything out. What does not interfere is [`Undecided`].
//!
//! All calls are dispatched statically: a method of `World` that may call its driver takes the driver as an argument. A
//! driver keeps its data about requests and messages in tables of its own, indexed by ranks, slots and communications.
//! So `World` stores nothing for any driver.
//!
//! **A driver may** call `World` from within every method that gets it, and complete requests, match messages and wake
//! ranks there. It must not block and must not run a rank.

mod chooser;
mod clock;
mod notice;

use smpi_base::WorldRank;
use smpi_mailbox::CommId;

use super::World;
use crate::p2p::request::{Operation, Owner, RequestKey};

pub use chooser::{Chooser, Hints, HowMany, Matter, Numbers, Order, Picked, ServerName, Spawning, Undecided};
pub use clock::{Clock, Ended, Poll};
pub use notice::Notice;

/// What is below MPI: time, choices, and what happens meanwhile, on which it may act.
pub trait Driver: Clock + Chooser + Sized {
    /// Something has happened on which it does not act. Each call names one kind of notice, so of what a driver does
    /// about all of them only that remains there.
    fn told(&mut self, world: &World, notice: Notice<'_>);

    /// A request is started; nothing of it was posted yet.
    fn started(&mut self, world: &mut World, rank: WorldRank, key: RequestKey);

    /// A message is in its mailbox, or matched already; it does not travel yet. `owner`: the slot of the request whose
    /// step it is; `None` when it is a post of its own.
    fn sent(&mut self, world: &mut World, comm: CommId, owner: Option<u32>);

    /// The same message found nobody who waits for it.
    fn unmatched(&mut self, world: &mut World, comm: CommId);

    /// A message and its receive are matched; nothing was copied yet.
    fn matched(&mut self, world: &mut World, comm: CommId, receiver: Owner);

    /// A cancelled operation of a rank is complete.
    fn cancelled(&mut self, world: &mut World, rank: WorldRank);

    /// All ranks have called a collective operation.
    fn all_called(&mut self, world: &mut World, operation: Operation);
}
