//! A communication — the papers' record of one (future) message — and the slab that stores all of them.
//!
//! The record goes through `SendPosted`/`RecvPosted` → `Matched` (the statuses "send", "recv" and "ready" of the TLA⁺
//! module of "A Simple Model of Communication APIs", figure 1). It is removed where the module says "done". MPI's
//! matched probe adds `Claimed` (MPI 5.0 §3.8.2).

use smpi_base::WorldRank;

use crate::envelope::{Envelope, Kind, Pattern};

/// Names a communication: a slot and how many communications the slot had held before. 8 bytes; stale ids are noticed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CommId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl CommId {
    /// Numbers of ids have so many bits at most: there is room for three more in a word.
    pub const BITS: u32 = u32::BITS + Self::GENERATION_BITS;
    const GENERATION_BITS: u32 = 29;

    /// The id as one number, for tokens and traces. Different live communications have different numbers.
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.slot)
    }

    /// The id that [`CommId::to_bits`] was made from.
    pub fn from_bits(bits: u64) -> CommId {
        CommId { slot: bits as u32, generation: (bits >> 32) as u32 }
    }
}

/// The rank of a partner that is not known yet (the paper's *NoProc*).
pub const NO_RANK: WorldRank = WorldRank(u32::MAX);

/// Where a communication stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum State {
    /// A send waits for its receive (the paper's "send").
    SendPosted,
    /// A receive waits for its send (the paper's "recv").
    RecvPosted,
    /// A matched probe took the send out of matching; its receive is still to come.
    Claimed,
    /// Both sides are there (the paper's "ready"): the transfer may take place.
    Matched,
}

/// One communication. Tokens are the caller's: nothing here looks at them.
#[derive(Clone, Debug)]
pub struct Communication {
    /// Where it stands.
    pub state: State,
    pub(crate) kind: Kind,
    /// Envelope of the message. While the state is [`State::RecvPosted`], wildcard fields hold 0: read
    /// [`Communication::pattern`] then.
    pub envelope: Envelope,
    /// Sending rank; [`NO_RANK`] while the state is [`State::RecvPosted`].
    pub from: WorldRank,
    /// Receiving rank: the owner of the mailbox.
    pub to: WorldRank,
    /// Bytes of the message; 0 while the state is [`State::RecvPosted`].
    pub size: u64,
    /// What the sender passed to [`crate::Mailboxes::send`]; 0 until then.
    pub send_token: u64,
    /// What the receiver passed to [`crate::Mailboxes::recv`] or [`crate::Mailboxes::attach`]; 0 until then.
    pub recv_token: u64,
    /// Position, among all postings of the run, of the posting that created the communication.
    pub sequence: u64,
}

impl Communication {
    /// What the receive asked for. For a send without receive: the pattern that accepts exactly its envelope.
    pub fn pattern(&self) -> Pattern {
        Pattern {
            context: self.envelope.context,
            source: (!self.kind.any_source()).then_some(self.envelope.source),
            tag: (!self.kind.any_tag()).then_some(self.envelope.tag),
        }
    }
}

/// End of an intrusive list.
pub(crate) const NIL: u32 = u32::MAX;

/// Neighbours in an intrusive list of slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) prev: u32,
    pub(crate) next: u32,
}

impl Link {
    pub(crate) const NONE: Link = Link { prev: NIL, next: NIL };
}

#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) comm: Communication,
    /// Neighbours in the posting-order list of its queue; `next` chains the free slots when `free` is set.
    pub(crate) link: Link,
    generation: u32,
    free: bool,
}

/// All communications, in slots that are reused last in, first out.
#[derive(Clone, Debug)]
pub(crate) struct Slab {
    slots: Vec<Slot>,
    free: u32,
    live: usize,
}

impl Slab {
    pub(crate) fn new() -> Slab {
        Slab { slots: Vec::new(), free: NIL, live: 0 }
    }

    #[inline]
    pub(crate) fn insert(&mut self, comm: Communication) -> CommId {
        self.live += 1;
        let slot = self.free;
        if slot == NIL {
            return self.grow(comm);
        }
        let entry = &mut self.slots[slot as usize];
        self.free = entry.link.next;
        entry.comm = comm;
        entry.link = Link::NONE;
        entry.free = false;
        CommId { slot, generation: entry.generation }
    }

    #[cold]
    fn grow(&mut self, comm: Communication) -> CommId {
        let slot = u32::try_from(self.slots.len()).ok().filter(|&slot| slot != NIL).expect("fewer than 2^32 messages");
        self.slots.push(Slot { comm, link: Link::NONE, generation: 0, free: false });
        CommId { slot, generation: 0 }
    }

    /// Frees a live slot.
    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) {
        let entry = &mut self.slots[slot as usize];
        entry.free = true;
        entry.generation = (entry.generation + 1) % (1 << CommId::GENERATION_BITS);
        entry.link.next = self.free;
        self.free = slot;
        self.live -= 1;
    }

    /// The live slot that an id names.
    #[inline]
    pub(crate) fn get(&self, id: CommId) -> Option<&Slot> {
        self.slots.get(id.slot as usize).filter(|entry| entry.generation == id.generation && !entry.free)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: CommId) -> Option<&mut Slot> {
        self.slots.get_mut(id.slot as usize).filter(|entry| entry.generation == id.generation && !entry.free)
    }

    #[inline]
    pub(crate) fn slot(&self, slot: u32) -> &Slot {
        &self.slots[slot as usize]
    }

    #[inline]
    pub(crate) fn slot_mut(&mut self, slot: u32) -> &mut Slot {
        &mut self.slots[slot as usize]
    }

    pub(crate) fn id(&self, slot: u32) -> CommId {
        CommId { slot, generation: self.slots[slot as usize].generation }
    }

    /// Live communications in slot order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (CommId, &Communication)> {
        self.slots
            .iter()
            .enumerate()
            .filter(|(_, entry)| !entry.free)
            .map(|(slot, entry)| (CommId { slot: slot as u32, generation: entry.generation }, &entry.comm))
    }

    pub(crate) fn live(&self) -> usize {
        self.live
    }
}
