//! Single events, for pictures of short runs. Once there are too many, all are dropped: the timeline has their sums.

use crate::places::{Parts, Place};

/// Events of each kind that are kept.
const MOST: usize = 20_000;

/// A call, or a computation after one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallDetail {
    /// Whose.
    pub rank: u32,
    /// Which call; of a computation, the one before.
    pub place: Place,
    /// From this date, in simulated seconds.
    pub start: f64,
    /// To this one.
    pub end: f64,
    /// What its time is made up of.
    pub parts: Parts,
}

/// A message, from its way's begin to its arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageDetail {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// The call that sent it.
    pub place: Place,
    /// Its payload.
    pub bytes: u64,
    /// When it began to travel, in simulated seconds.
    pub start: f64,
    /// When it arrived.
    pub end: f64,
}

/// All events, or none.
#[derive(Debug, Default)]
pub struct Details {
    calls: Vec<CallDetail>,
    computations: Vec<CallDetail>,
    messages: Vec<MessageDetail>,
    are_too_many: bool,
}

impl Details {
    /// A call is over.
    #[inline]
    pub fn call(&mut self, call: CallDetail) {
        // A call that took no time is not seen.
        if !self.are_too_many && call.end > call.start {
            self.calls.push(call);
            self.check(self.calls.len());
        }
    }

    /// A rank has computed.
    #[inline]
    pub fn computation(&mut self, computation: CallDetail) {
        if !self.are_too_many {
            self.computations.push(computation);
            self.check(self.computations.len());
        }
    }

    /// A message has arrived.
    #[inline]
    pub fn message(&mut self, message: MessageDetail) {
        if !self.are_too_many {
            self.messages.push(message);
            self.check(self.messages.len());
        }
    }

    /// One kind has become more.
    fn check(&mut self, count: usize) {
        if count > MOST {
            *self = Details { are_too_many: true, ..Details::default() };
        }
    }

    /// Calls, computations and messages in the order of their ends; `None` if there were too many.
    pub fn all(&self) -> Option<(&[CallDetail], &[CallDetail], &[MessageDetail])> {
        (!self.are_too_many).then_some((&self.calls[..], &self.computations[..], &self.messages[..]))
    }
}
