//! The time that the same run would take on an ideal network, where messages arrive as soon as they are sent.
//!
//! Each rank has a second clock that only computation and sleep advance. A message carries the sender's, and whoever
//! takes the completion of an operation is not before the clocks of its messages. So at the end the largest clock is
//! the length of the longest chain of computations that depend on each other. Source: Protze, Orland, Haldar,
//! Koritzius, Terboven, "On-the-fly calculation of model factors for multi-paradigm applications", Euro-Par 2022.
//!
//! It is exact where the order in which messages are matched would be the same. Accesses to windows carry no clocks.

use smpi_base::WorldRank;

use crate::places::Place;

/// The clocks of one rank, in seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    /// Its own.
    pub now: f64,
    /// Of its operations, by slot: what the rank is not before when it takes their completion.
    slots: Vec<f64>,
}

impl Clock {
    /// An operation is started.
    pub fn started(&mut self, slot: u32) {
        if self.slots.len() <= slot as usize {
            self.slots.resize(slot as usize + 1, 0.0);
        }
        self.slots[slot as usize] = self.now;
    }

    /// The clock of an operation.
    pub fn of(&self, slot: u32) -> f64 {
        self.slots.get(slot as usize).copied().unwrap_or(self.now)
    }

    /// A message of an operation is not complete before another clock shows this.
    pub fn met(&mut self, slot: u32, clock: f64) {
        if let Some(own) = self.slots.get_mut(slot as usize) {
            *own = own.max(clock);
        }
    }

    /// The rank takes the completion of an operation.
    pub fn taken(&mut self, slot: u32) {
        self.now = self.now.max(self.of(slot));
    }
}

/// What a message carries.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    /// The sender's clock, in seconds.
    pub clock: f64,
    /// The call that has sent it.
    pub place: Place,
    /// The program itself has sent it, and not a collective operation.
    pub is_programs: bool,
    /// When it was sent, other messages were there for the receiver, which it had not asked for yet.
    pub wrong_order: bool,
    /// The receiver, as long as it has not asked for the message.
    pub unreceived: Option<WorldRank>,
}

/// What messages carry, by the places of their communications.
#[derive(Debug, Default)]
pub(crate) struct Carried(Vec<Sent>);

impl Carried {
    /// A message is on its way, or waits for its receiver.
    pub fn set(&mut self, message: usize, sent: Sent) {
        if self.0.len() <= message {
            self.0.resize(message + 1, Sent::default());
        }
        self.0[message] = sent;
    }

    /// What it carries. Its receiver asks for it now, or nobody ever will.
    pub fn take(&mut self, message: usize) -> Sent {
        let Some(sent) = self.0.get_mut(message) else { return Sent::default() };
        let carried = *sent;
        sent.unreceived = None;
        carried
    }
}
