//! Messages in transit, beside what the mailbox knows of them.
//!
//! There may be millions, and most of them are matched and have nothing left to keep: their data has been copied. So
//! each has a few bytes here, and what some keep lies apart, in places that are used again.

use std::mem;

use smpi_base::WorldRank;
use smpi_base::table::Key;
use smpi_mailbox::CommId;

use super::{Data, slot_of};
use crate::datatype::Datatype;
use crate::p2p::buffered::BufferOwner;
use crate::rma::Lock;
use crate::usage::{Origin, Sent};

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct InTransit {
    /// By the slots of their communications.
    messages: Vec<Message>,
    kept: Vec<Kept>,
    /// Places in `kept` that no message has. Invariant: they hold nothing.
    free: Vec<u32>,
}

/// What every message has. There may be millions.
#[derive(Clone, Copy, Debug)]
struct Message {
    /// Where the rest is, or [`NOWHERE`].
    place: u32,
    progress: Progress,
}

/// [`Message::place`] of a message that keeps nothing.
const NOWHERE: u32 = u32::MAX;

/// How far a message has come.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Progress {
    /// The transfer was given to the driver.
    pub started: bool,
    /// It has arrived (before its receiver, if that is not matched yet).
    pub arrived: bool,
}

/// What messages keep until they are matched, or have done their errand.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// The data, unless the receiver has it already.
    pub data: Option<Data>,
    /// Type of the program's elements.
    pub sent: Option<Datatype>,
    /// The sender's request, where it does not wait for the message.
    pub request: Option<Key>,
    /// What few messages have.
    pub rare: Option<Box<Rare>>,
    /// Where the program goes on behind the call that has sent it; 0 where nobody knows.
    pub caller: usize,
}

/// What few messages have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rare {
    /// Bytes of one of the sender's attached buffers that it occupies.
    pub buffered: Option<(BufferOwner, u64)>,
    /// What it tells of causality, where that is followed.
    pub causes: Option<Box<Sent>>,
    /// Where the program sent it, where that is remembered.
    pub origin: Option<Origin>,
    /// Its number on the tape.
    pub message: u64,
    /// What is due when it arrives, if it is no message between mailboxes.
    pub(super) errand: Option<Errand>,
}

/// What is due when something arrives that is no message between mailboxes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Errand {
    /// An access is at its target.
    There(Key),
    /// What an access has read is at its origin.
    Back(Key),
    /// A request for a lock is where its server stands.
    Lock { server: WorldRank, asker: (WorldRank, u32), lock: Lock },
    /// The answer that a request waits for is there.
    Word { rank: WorldRank, slot: u32 },
}

/// What a match needs of a message.
pub(super) struct Content {
    /// The data, unless the receiver has it already.
    pub data: Option<Data>,
    /// Type of the program's elements.
    pub sent: Option<Datatype>,
    /// How far it had come.
    pub progress: Progress,
    /// It has something that few messages have.
    pub has_rare: bool,
}

impl Rare {
    /// These together, if there is any of them.
    #[inline]
    pub(super) fn of(
        buffered: Option<(BufferOwner, u64)>,
        causes: Option<Box<Sent>>,
        origin: Option<Origin>,
    ) -> Option<Box<Rare>> {
        let any = buffered.is_some() || causes.is_some() || origin.is_some();
        any.then(|| Box::new(Rare { buffered, causes, origin, ..Rare::default() }))
    }
}

impl InTransit {
    /// A message sets out that keeps this, if anything. Its communication had none before.
    #[inline(always)]
    pub(super) fn put(&mut self, comm: CommId, started: bool, kept: Option<Kept>) {
        let place = kept.map_or(NOWHERE, |kept| self.add(kept));
        let message = Message { place, progress: Progress { started, arrived: false } };
        let slot = slot_of(comm);
        if self.messages.len() <= slot {
            // Those between are of receives that wait.
            self.messages.resize(slot + 1, Message { place: NOWHERE, progress: Progress::default() });
        }
        self.messages[slot] = message;
    }

    /// The place of what a message keeps.
    #[inline]
    fn add(&mut self, kept: Kept) -> u32 {
        if let Some(place) = self.free.pop() {
            self.kept[place as usize] = kept;
            return place;
        }
        self.kept.push(kept);
        self.kept.len() as u32 - 1
    }

    /// What a message keeps, if anything.
    #[inline]
    pub(super) fn kept(&self, comm: CommId) -> Option<&Kept> {
        self.kept.get(self.messages.get(slot_of(comm))?.place as usize)
    }

    /// The same, for changing it.
    #[inline]
    pub(super) fn kept_mut(&mut self, comm: CommId) -> Option<&mut Kept> {
        self.kept.get_mut(self.messages.get(slot_of(comm))?.place as usize)
    }

    /// What few messages have, of one that has some of it.
    pub(super) fn rare(&self, comm: CommId) -> Option<&Rare> {
        self.kept(comm)?.rare.as_deref()
    }

    /// A message is matched, and is on its way from now on. It keeps only what few messages have.
    #[inline]
    pub(super) fn take_content(&mut self, comm: CommId) -> Content {
        let message = &mut self.messages[slot_of(comm)];
        let mut content = Content { data: None, sent: None, progress: message.progress, has_rare: false };
        message.progress.started = true;
        if let Some(kept) = self.kept.get_mut(message.place as usize) {
            (content.data, content.sent) = (kept.data.take(), kept.sent.take());
            kept.request = None;
            content.has_rare = kept.rare.is_some();
            if !content.has_rare {
                self.free.push(mem::replace(&mut message.place, NOWHERE));
            }
        }
        content
    }

    /// A message keeps nothing from now on.
    #[inline]
    pub(super) fn forget(&mut self, comm: CommId) {
        if let Some(message) = self.messages.get_mut(slot_of(comm))
            && message.place != NOWHERE
        {
            self.kept[message.place as usize] = Kept::default();
            self.free.push(mem::replace(&mut message.place, NOWHERE));
        }
    }

    /// How far a message has come; `None` of a communication that never had one.
    pub(super) fn progress(&self, comm: CommId) -> Option<Progress> {
        Some(self.messages.get(slot_of(comm))?.progress)
    }

    /// The same, for changing it.
    #[inline]
    pub(super) fn progress_mut(&mut self, comm: CommId) -> &mut Progress {
        &mut self.messages[slot_of(comm)].progress
    }
}

/// Into the memory that is there, as snapshots are copied.
impl Clone for InTransit {
    fn clone(&self) -> InTransit {
        InTransit { messages: self.messages.clone(), kept: self.kept.clone(), free: self.free.clone() }
    }

    fn clone_from(&mut self, source: &InTransit) {
        self.messages.clone_from(&source.messages);
        self.kept.clone_from(&source.kept);
        self.free.clone_from(&source.free);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_keeps_nothing_has_a_few_bytes() {
        assert_eq!(size_of::<Message>(), 8);
        let comm = CommId::from_bits;
        let mut messages = InTransit::default();
        for slot in 0..100 {
            let data = Some(Data::Packed(vec![slot as u8]));
            messages.put(comm(slot), slot % 2 == 0, (slot != 9).then(|| Kept { data, ..Kept::default() }));
            messages.progress_mut(comm(slot)).arrived = true;
            assert_eq!(messages.kept(comm(slot)).is_some_and(|kept| kept.data.is_some()), slot != 9);
            messages.forget(comm(slot));
            messages.forget(comm(slot));
            assert!(messages.kept(comm(slot)).is_none() && messages.kept_mut(comm(slot)).is_none());
        }
        assert_eq!((messages.kept.len(), messages.free.len()), (1, 1));
        let ways = |slot| messages.progress(comm(slot)).map(|progress| (progress.started, progress.arrived));
        assert_eq!((ways(4), ways(5), ways(100)), (Some((true, true)), Some((false, true)), None));
    }
}
