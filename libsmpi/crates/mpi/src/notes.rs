//! What the MPI layer notices about a program that no single call shows: types, collective calls and buffers that do
//! not fit together. Typed notes; `libsmpi` puts them into words, as warnings of a simulation or findings of the
//! checker.
//!
//! Source: MPI 5.0 §3.3.1 (type matching), §3.7.2 (buffers of nonblocking operations), §6.1 and §6.2 (which arguments
//! of collective operations must agree).

use std::sync::Arc;

use smpi_abi::{Callee, Function};
use smpi_base::WorldRank;

use crate::buffers::{read_only_parts, sent_part};
use crate::collective::Part;
use crate::datatype::Datatype;
use crate::exchange::Exchange;
use crate::memory::Memory;
use crate::op::Op;
use crate::request::{Body, Content, Owner, Phase, Request, RequestKey, Watched};
use crate::world::{RankMemory, World};

/// Where the program made something, as far as the C layer was asked to remember it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Origin {
    /// A number of the C layer's; 0 when it is not known.
    pub site: u64,
    /// The MPI function; empty when it is not known.
    pub call: Callee,
}

/// One side of a message or collective operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Side {
    /// Whose.
    pub rank: WorldRank,
    /// Where its request was made, when it has one that the program knows.
    pub origin: Origin,
    /// The call has returned or its request is the program's: the rank may be anywhere now.
    pub away: bool,
}

/// Elements that a side gives or takes.
#[derive(Clone, Debug)]
pub struct Items {
    /// How many.
    pub count: i64,
    /// Of which type.
    pub datatype: Datatype,
}

impl Items {
    /// The elements of a part.
    pub fn of(part: &Part) -> Items {
        Items { count: part.count, datatype: part.datatype.clone() }
    }

    /// True when a receive of `other` may take what a send of these gives: basic types in the same order, and not more
    /// of them.
    fn fits(&self, other: &Part) -> bool {
        self.datatype.signature().starts(self.count as u64, other.datatype.signature(), other.count as u64)
    }

    /// True when there are no elements: nobody need expect them.
    pub(crate) fn is_nothing(&self) -> bool {
        self.count == 0 || self.datatype.signature().elements() == 0
    }

    /// True when both have the same basic types in the same order.
    pub(crate) fn equals(&self, other: &Items) -> bool {
        let (own, others) = (self.datatype.signature(), other.datatype.signature());
        if self.datatype.is_same(&other.datatype) {
            return self.count == other.count || own.elements() == 0;
        }
        own.starts(self.count as u64, others, other.count as u64)
            && others.starts(other.count as u64, own, self.count as u64)
    }
}

/// How a collective operation was called; blocking, nonblocking and persistent calls do not match (MPI 5.0 §6.12).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// `MPI_Bcast`.
    #[default]
    Blocking,
    /// `MPI_Ibcast`.
    Immediate,
    /// `MPI_Bcast_init`.
    Persistent,
}

/// The arguments of a collective call that the ranks must agree on.
#[derive(Clone, Debug, Default)]
pub struct Agreed {
    /// The root, in intracommunicators.
    pub root: Option<u32>,
    /// Blocks that must have the same signature on all ranks.
    pub blocks: [Option<Items>; 2],
    /// What each rank gives and expects, where that is not the same for all; only under the checker.
    pub exchange: Option<Arc<Exchange>>,
}

/// A collective call as others are compared with it.
#[derive(Clone, Debug)]
pub struct Call {
    /// The blocking form.
    pub name: Function,
    /// Which form it was.
    pub form: Form,
    /// Operation of a reduction.
    pub op: Option<Op>,
    /// The rest.
    pub agreed: Agreed,
}

/// In what two collective calls differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The operation itself.
    Name,
    /// One blocks, the other does not.
    Form,
    /// The root.
    Root,
    /// The reduction operation.
    Op,
    /// Number or types of the elements.
    Items,
}

impl Call {
    /// What is different in the other call.
    pub(crate) fn difference(&self, other: &Call) -> Option<Difference> {
        if self.name != other.name {
            return Some(Difference::Name);
        }
        if self.form != other.form {
            return Some(Difference::Form);
        }
        if self.agreed.root != other.agreed.root {
            return Some(Difference::Root);
        }
        let same_op = match (self.op, other.op) {
            (Some(Op::Predefined(own)), Some(Op::Predefined(others))) => own == others,
            // Functions of a program lie elsewhere on every rank.
            (Some(Op::User(own)), Some(Op::User(others))) => own.commutative == others.commutative,
            (own, others) => own.is_none() && others.is_none(),
        };
        if !same_op {
            return Some(Difference::Op);
        }
        let pairs = self
            .agreed
            .blocks
            .iter()
            .flatten()
            .flat_map(|own| other.agreed.blocks.iter().flatten().map(move |others| (own, others)));
        pairs.into_iter().any(|(own, others)| !own.equals(others)).then_some(Difference::Items)
    }
}

/// Something that does not fit.
#[derive(Clone, Debug)]
pub enum Note {
    /// A receive takes a message of other types.
    Types {
        /// The sender.
        sender: Side,
        /// The receiver.
        receiver: Side,
        /// What was sent.
        sent: Items,
        /// What the receive asked for.
        wanted: Items,
        /// Tag of the message.
        tag: i32,
    },
    /// Two ranks call different things in the same collective operation of a communicator.
    Collective {
        /// One of them and its call.
        first: (Side, Call),
        /// The other.
        second: (Side, Call),
        /// What is different.
        difference: Difference,
    },
    /// In a collective operation, a rank gives another something else than that one expects.
    Exchange {
        /// Who gives, and its call.
        giver: (Side, Call),
        /// Who expects, and its call.
        taker: (Side, Call),
        /// What is given, block by block.
        given: Vec<Items>,
        /// What is expected.
        taken: Vec<Items>,
    },
    /// The program changed a buffer that belonged to MPI.
    Buffer {
        /// Whose.
        side: Side,
        /// It was the buffer of a send, else of a receive.
        send: bool,
        /// It was noticed when the rank completed the operation; else when the message was matched.
        at_completion: bool,
        /// Where the rank completed it, if so.
        noticed: Origin,
    },
    /// The program touched a byte of a buffer that belonged to MPI.
    Access {
        /// Whose, and where the operation was started.
        side: Side,
        /// What it did.
        touch: Touch,
        /// The buffer is one to receive into, else to send from.
        receives: bool,
        /// Where the program did it.
        place: Origin,
    },
    /// A call uses memory that belongs to an operation under way.
    Shared {
        /// The call.
        call: Side,
        /// It writes to that memory, else it reads it.
        writes: bool,
        /// The operation under way.
        other: Side,
        /// That one receives there, else it sends from there.
        receives: bool,
    },
    /// The buffers of one call overlap.
    Overlap {
        /// The call.
        side: Side,
        /// It receives twice into the same memory; else into memory that it sends from.
        twice: bool,
    },
    /// A message was sent in ready mode, and nothing made sure that its receive was posted before.
    Ready {
        /// The sender.
        sender: Side,
        /// The receiver.
        receiver: Side,
        /// Tag of the message.
        tag: i32,
        /// The receive came; else the ranks wait for ever without it.
        is_received: bool,
    },
    /// What a program says about its next Waitany does not fit.
    Annotation(Side, Trouble),
}

/// What a program does to memory that belongs to MPI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// It reads it.
    Read,
    /// It writes to it.
    Write,
    /// It frees it.
    Free,
    /// It leaves the function whose variable it is.
    Leave,
}

/// What is wrong with an annotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The count is negative, or the vector is null or has other values than 0 and 1.
    Vector,
    /// The call has another number of requests.
    Count {
        /// Requests that the annotation has a value for.
        announced: u64,
        /// Requests of the call.
        asked: u64,
    },
    /// Another one followed before any call that it could concern.
    Unused,
}

impl World {
    /// Takes what was noticed since the last time.
    pub fn take_notes(&mut self) -> Vec<Note> {
        let mut notes = std::mem::take(&mut self.notes);
        // Accesses come while ranks run, in whatever order that is.
        notes.sort_by_key(|note| match note {
            Note::Access { side, .. } | Note::Shared { call: side, .. } | Note::Overlap { side, .. } => Some(side.rank),
            _ => None,
        });
        notes
    }

    /// A rank touched memory that belongs to MPI because of one of its requests.
    pub fn note_access(&mut self, rank: WorldRank, key: RequestKey, receives: bool, touch: Touch, place: Origin) {
        let side = Side { away: true, ..self.side(rank, Some(key.slot)) };
        if touch != Touch::Read {
            self.forget_content(rank, key);
        }
        self.notes.push(Note::Access { side, touch, receives, place });
    }

    /// A call of a rank, with this request of its own if it has one, uses memory that belongs to MPI because of
    /// `other`.
    pub fn note_shared(
        &mut self,
        (rank, place, own): (WorldRank, Origin, Option<RequestKey>),
        writes: bool,
        (other, receives): (RequestKey, bool),
    ) {
        let call = Side { rank, origin: place, away: true };
        let side = Side { away: true, ..self.side(rank, Some(other.slot)) };
        own.into_iter().chain([other]).for_each(|key| self.forget_content(rank, key));
        self.notes.push(Note::Shared { call, writes, other: side, receives });
    }

    /// The buffers of a call of a rank overlap.
    pub fn note_overlap(&mut self, rank: WorldRank, place: Origin, twice: bool) {
        self.notes.push(Note::Overlap { side: Side { rank, origin: place, away: true }, twice });
    }

    /// What is known exactly of a buffer need not be noticed again by its content.
    fn forget_content(&mut self, rank: WorldRank, key: RequestKey) {
        if let Some(request) = self.ranks[rank.index()].requests.get_mut(key) {
            let watched = request.watched.get_or_insert_default();
            watched.content = None;
            watched.is_misused = true;
        }
    }

    /// True when there is something to take.
    #[inline]
    pub fn has_notes(&self) -> bool {
        !self.notes.is_empty()
    }

    /// Says where a rank is that has just noticed a changed buffer.
    pub fn place_notes(&mut self, rank: WorldRank, place: Origin) {
        for note in &mut self.notes {
            if let Note::Buffer { side, at_completion: true, noticed, .. } = note
                && side.rank == rank
                && noticed.site == 0
            {
                *noticed = place;
            }
        }
    }

    /// What a rank says about its next Waitany does not fit; `origin` is where it said so.
    pub fn note_annotation(&mut self, rank: WorldRank, origin: Origin, trouble: Trouble) {
        self.notes.push(Note::Annotation(Side { rank, origin, away: true }, trouble));
    }

    pub(crate) fn side(&self, rank: WorldRank, slot: Option<u32>) -> Side {
        let request = slot.and_then(|slot| self.ranks[rank.index()].requests.at_slot(slot));
        let origin = request.map_or(Origin::default(), |request| request.origin());
        Side { rank, origin, away: request.is_none_or(|request| !request.waited) }
    }

    /// Compares the types of a message with those of the receive that takes it.
    #[cold]
    pub(crate) fn check_types(
        &mut self,
        sent: Items,
        sender: (WorldRank, u64),
        receiver: Owner,
        part: &Part,
        tag: i32,
    ) {
        if sent.fits(part) {
            return;
        }
        let slot = (sender.1 != u64::MAX).then(|| Owner::of(sender.1).slot);
        let (sender, receiver) = (self.side(sender.0, slot), self.side(receiver.rank, Some(receiver.slot)));
        self.notes.push(Note::Types { sender, receiver, sent, wanted: Items::of(part), tag });
    }

    /// The program gets the handle of a request: where it was made is remembered, and, under the checker, what its
    /// buffer holds.
    pub fn watch(&mut self, rank: WorldRank, key: RequestKey, origin: Origin) {
        if let Some(request) = self.ranks[rank.index()].requests.get_mut(key) {
            let is_misused = request.watched.as_ref().is_some_and(|watched| watched.is_misused);
            request.watched = Some(Box::new(Watched { origin, content: None, is_misused }));
        }
        self.watch_buffer(rank, key.slot);
    }

    /// Remembers what the buffers of a request of the program hold, under the checker.
    pub(crate) fn watch_buffer(&mut self, rank: WorldRank, slot: u32) {
        if self.choosing.is_none() {
            return;
        }
        if let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(slot)
            && request.watched.as_ref().is_some_and(|watched| !watched.is_misused)
            && request.phase != Phase::Inactive
        {
            let now = content(&mut *self.memory, rank, request);
            request.watched.iter_mut().for_each(|watched| watched.content = now);
        }
    }

    /// A message was received into a buffer of a request: remembers what the buffer holds now.
    pub(crate) fn watch_received(&mut self, receiver: Owner) {
        // Those of a collective operation that are received into are not watched.
        let request = self.ranks[receiver.rank.index()].requests.at_slot(receiver.slot);
        if request.is_some_and(|request| !matches!(request.body, Body::Collective(_))) {
            self.watch_buffer(receiver.rank, receiver.slot);
        }
    }

    /// Notes it when the program has changed a buffer since it was looked at last.
    pub(crate) fn check_buffer(&mut self, rank: WorldRank, slot: u32, at_completion: bool) {
        // What lay on the stack of a rank that has ended is nobody's any more.
        if self.choosing.as_ref().is_some_and(|choosing| choosing.ended[rank.index()]) {
            return;
        }
        let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(slot) else { return };
        let Some(before) = request.watched.as_ref().and_then(|watched| watched.content) else { return };
        if !at_completion && matches!(request.body, Body::Collective(_)) {
            return;
        }
        let now = content(&mut *self.memory, rank, request);
        if now == Some(before) {
            return;
        }
        request.watched.iter_mut().for_each(|watched| watched.content = now);
        let send = now.is_some_and(|now| now.sent != before.sent);
        let side = Side { away: at_completion || !request.waited, ..self.side(rank, Some(slot)) };
        self.notes.push(Note::Buffer { side, send, at_completion, noticed: Origin::default() });
    }
}

/// What the buffers of an operation hold; `None` for operations without.
fn content(memory: &mut dyn RankMemory, rank: WorldRank, request: &Request) -> Option<Content> {
    let mut hash = |part: &Part| {
        let mut bytes = Vec::new();
        if part.size() > 0 {
            let memory: &dyn Memory = memory;
            part.datatype.pack(memory, rank, part.at, part.count as u64, &mut bytes);
        }
        digest(&bytes)
    };
    Some(match &request.body {
        Body::Send(send) if send.to.is_some() => Content { sent: hash(&send.part), received: 0 },
        Body::Recv(recv) => Content { sent: 0, received: hash(&recv.part) },
        Body::MatchedRecv(part, _) => Content { sent: 0, received: hash(part) },
        Body::SendRecv(both) => {
            Content { sent: sent_part(request).map_or(0, &mut hash), received: hash(&both.recv.part) }
        }
        Body::Collective(collective) => {
            let sent = read_only_parts(&collective.schedule);
            let sent = sent.iter().fold(0, |all: u64, part| all.rotate_left(9) ^ hash(part));
            Content { sent, received: 0 }
        }
        _ => return None,
    })
}

/// A hash of bytes; the same in every run.
pub fn digest(bytes: &[u8]) -> u64 {
    extend_digest(0x9e37_79b9_7f4a_7c15, bytes)
}

/// The hash of what `hash` stands for, followed by more bytes.
pub fn extend_digest(hash: u64, bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x2545_f491_4f6c_dd1d;
    let mut hash = hash;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    }
    (hash ^ bytes.len() as u64).wrapping_mul(FACTOR)
}
