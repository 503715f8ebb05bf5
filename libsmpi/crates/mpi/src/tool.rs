//! What is counted of a rank's messages for its tool, and the events that wait for it (MPI 5.0 §15.3.7, §15.3.8).
//!
//! A rank has a [`Tally`] from its first performance session or callback on; others cost one branch. What a tool
//! sees of it, and when its callbacks run, is decided above. `world/tally.rs` says what is counted where.
//!
//! Source: MPI 5.0 §15.3.

use std::collections::VecDeque;

use smpi_base::SimTime;
use smpi_base::table::{Key, Table};
use smpi_mailbox::Context;

use crate::collective::select::Form;
use smpi_abi::Function;

/// Events that may wait for one rank; later ones are dropped.
pub const MAX_WAITING: usize = 1024;

/// Messages and bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Volume {
    /// Messages.
    pub messages: u64,
    /// Their payload.
    pub bytes: u64,
}

/// Messages that a rank has sent and received.
#[derive(Clone, Copy, Default, Debug)]
pub struct Traffic {
    /// Messages of the program, from the call that starts them on.
    pub sent: Volume,
    /// Messages of the program, once the rank has taken their completion.
    pub received: Volume,
    /// Messages of the program that came before their receives were posted.
    pub unexpected: Volume,
    /// Collective operations that were started.
    pub collectives: u64,
}

/// What a rank counts, all of it or on one communicator.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// On all communicators.
    pub all: Traffic,
    /// Messages that collective operations of the rank have sent.
    pub of_collectives: Volume,
    /// On those that somebody asks about, by their base contexts.
    on: Vec<(Context, Traffic)>,
    /// Extremes of the lengths of queues.
    pub extremes: Table<Extreme>,
    /// Who is told of which events.
    pub listeners: Vec<Listener>,
    /// Events that happened, the oldest first.
    pub waiting: VecDeque<Event>,
}

/// The queues of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Queue {
    /// Messages that no receive has joined.
    Unexpected,
    /// Receives that no message has joined.
    Posted,
}

/// The greatest or smallest length of a queue while it is watched.
#[derive(Clone, Copy, Debug)]
pub struct Extreme {
    /// Which queue.
    pub queue: Queue,
    /// The greatest one.
    pub is_highest: bool,
    /// It is watched now.
    pub is_running: bool,
    /// The extreme so far; `None` before it was first watched.
    pub value: Option<u64>,
}

impl Extreme {
    /// The queue has this length now.
    pub fn see(&mut self, length: u64) {
        let further = |known: u64| if self.is_highest { known.max(length) } else { known.min(length) };
        self.value = Some(self.value.map_or(length, further));
    }
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The program has started to send a message.
    Sent,
    /// A message came and found no receive.
    Unexpected,
    /// A message and a receive of the rank have joined.
    Matched,
    /// The rank has taken the completion of a receive.
    Received,
    /// The rank has started a collective operation.
    Begun,
    /// The rank has taken the completion of a collective operation.
    Ended,
}

/// Somebody who is told of events.
#[derive(Clone, Copy, Debug)]
pub struct Listener {
    /// The registration, by its key.
    pub registration: Key,
    /// What it is told of.
    pub kind: Kind,
    /// Only on the communicator with this base context.
    pub context: Option<Context>,
    /// Events that it was not told of, because too many waited.
    pub dropped: u64,
}

/// Something that happened.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Event {
    /// Who is to be told.
    pub registration: Key,
    /// What happened.
    pub kind: Kind,
    /// When.
    pub time: SimTime,
    /// What is to be known of it.
    pub facts: Facts,
}

/// What is to be known of something that happened.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Facts {
    /// Of a message.
    Message {
        /// The other rank, in the communicator.
        peer: i32,
        /// Its tag.
        tag: i32,
        /// Its payload.
        bytes: u64,
        /// It came before its receive.
        is_unexpected: bool,
    },
    /// Of a collective operation: its blocking form, and how it was called.
    Collective(Function, Form),
}

impl Tally {
    /// Counts on the communicator with this base context, too.
    pub fn follow(&mut self, context: Context) {
        if !self.on.iter().any(|entry| entry.0 == context) {
            self.on.push((context, Traffic::default()));
        }
    }

    /// What was counted, on one communicator since it is [followed](Tally::follow).
    pub fn traffic(&self, context: Option<Context>) -> Traffic {
        let Some(context) = context else { return self.all };
        self.on.iter().find(|entry| entry.0 == context).map_or(Traffic::default(), |entry| entry.1)
    }

    /// Counts something on the communicator with this base context.
    pub(crate) fn count(&mut self, context: Context, mut action: impl FnMut(&mut Traffic)) {
        action(&mut self.all);
        self.on.iter_mut().filter(|entry| entry.0 == context).for_each(|entry| action(&mut entry.1));
    }

    /// The queues have these lengths from now on.
    pub(crate) fn see(&mut self, length: impl Fn(Queue) -> u64) {
        for extreme in self.extremes.values_mut().filter(|extreme| extreme.is_running) {
            extreme.see(length(extreme.queue));
        }
    }

    /// Something has happened on the communicator with this base context: who wants to know will.
    pub(crate) fn tell(&mut self, kind: Kind, context: Context, time: SimTime, facts: Facts) {
        for listener in &mut self.listeners {
            if listener.kind != kind || listener.context.is_some_and(|only| only != context) {
                continue;
            }
            if self.waiting.len() < MAX_WAITING {
                self.waiting.push_back(Event { registration: listener.registration, kind, time, facts });
            } else {
                listener.dropped += 1;
            }
        }
    }
}

impl Volume {
    /// One more message.
    pub(crate) fn add(&mut self, bytes: u64) {
        self.messages += 1;
        self.bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: Facts = Facts::Message { peer: 1, tag: 2, bytes: 3, is_unexpected: false };

    fn listener(slot: u32, kind: Kind, context: Option<Context>) -> Listener {
        Listener { registration: Key { slot, generation: 0 }, kind, context, dropped: 0 }
    }

    #[test]
    fn a_communicator_counts_from_when_it_is_followed() {
        let mut tally = Tally::default();
        tally.count(5, |traffic| traffic.sent.add(10));
        tally.follow(5);
        tally.follow(5);
        tally.count(5, |traffic| traffic.sent.add(20));
        tally.count(10, |traffic| traffic.sent.add(40));
        let sent = |context| tally.traffic(context).sent;
        assert_eq!((sent(None).messages, sent(None).bytes), (3, 70));
        assert_eq!((sent(Some(5)).messages, sent(Some(5)).bytes), (1, 20));
        assert_eq!(sent(Some(10)).messages, 0);
    }

    #[test]
    fn extremes_move_while_they_are_watched() {
        let mut tally = Tally::default();
        let extreme = |is_highest| Extreme { queue: Queue::Posted, is_highest, is_running: true, value: None };
        let [high, low] = [true, false].map(|is_highest| tally.extremes.insert(extreme(is_highest)).unwrap());
        for length in [3, 1, 2] {
            tally.see(|queue| if queue == Queue::Posted { length } else { 100 });
        }
        tally.extremes.get_mut(high).unwrap().is_running = false;
        tally.see(|_| 50);
        let value = |key| tally.extremes.get(key).unwrap().value;
        assert_eq!((value(high), value(low)), (Some(3), Some(1)));
    }

    #[test]
    fn whoever_listens_is_told_until_too_much_waits() {
        let listeners = vec![listener(0, Kind::Sent, None), listener(1, Kind::Sent, Some(5))];
        let mut tally = Tally { listeners, ..Tally::default() };
        tally.tell(Kind::Sent, 10, SimTime::ZERO, FACTS);
        tally.tell(Kind::Matched, 5, SimTime::ZERO, FACTS);
        assert_eq!(tally.waiting.iter().map(|event| event.registration.slot).collect::<Vec<_>>(), [0]);
        for _ in 0..MAX_WAITING {
            tally.tell(Kind::Sent, 5, SimTime::ZERO, FACTS);
        }
        assert_eq!(tally.waiting.len(), MAX_WAITING);
        let dropped = tally.listeners.iter().map(|listener| listener.dropped).sum::<u64>();
        assert_eq!(dropped as usize, 2 * MAX_WAITING + 1 - MAX_WAITING);
    }
}
