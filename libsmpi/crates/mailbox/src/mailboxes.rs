//! The mailboxes of all ranks and the primitives on them: Send, Recv, and MPI's probes and cancels.
//!
//! Matching follows MPI 5.0 §3.5: a send joins the oldest receive that accepts it, a receive joins the oldest send that
//! it accepts. Hence messages of one sender do not overtake each other.

use smpi_base::WorldRank;

use crate::communication::{CommId, Communication, NIL, NO_RANK, Slab, State};
use crate::envelope::{Envelope, Kind, Pattern};
use crate::queue::{Index, Queue, Side};

/// Ranks that fit the packed keys of the index.
const MAX_RANKS: u32 = 1 << 29;

/// What posting a send or a receive gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Posted {
    /// The communication: the partner's if there was one to join, else a new one.
    pub comm: CommId,
    /// True when the partner was already waiting, so that the communication is now [`State::Matched`].
    pub matched: bool,
}

/// Mailbox of one rank: 48 bytes.
#[derive(Clone, Debug)]
struct Mailbox {
    sends: Queue,
    receives: Queue,
    /// Posted receives of each kind, so that a send only looks for kinds that are there.
    posted: [u32; 4],
}

impl Mailbox {
    const EMPTY: Mailbox = Mailbox { sends: Queue::EMPTY, receives: Queue::EMPTY, posted: [0; 4] };
}

/// The network state machine: one mailbox per rank and all communications.
#[derive(Clone, Debug)]
pub struct Mailboxes {
    boxes: Vec<Mailbox>,
    slab: Slab,
    index: Index,
    sequence: u64,
}

impl Mailboxes {
    /// Empty mailboxes for ranks `0..ranks`.
    ///
    /// # Panics
    /// When `ranks` exceeds 2²⁹.
    pub fn new(ranks: u32) -> Mailboxes {
        assert!(ranks <= MAX_RANKS, "{ranks} ranks: the mailbox layer handles at most {MAX_RANKS}");
        Mailboxes {
            boxes: vec![Mailbox::EMPTY; ranks as usize],
            slab: Slab::new(),
            index: Index::default(),
            sequence: 0,
        }
    }

    /// Adds empty mailboxes up to this number of ranks.
    ///
    /// # Panics
    /// As [`Mailboxes::new`].
    pub fn grow(&mut self, ranks: u32) {
        assert!(ranks <= MAX_RANKS, "{ranks} ranks: the mailbox layer handles at most {MAX_RANKS}");
        if ranks > self.ranks() {
            self.boxes.resize(ranks as usize, Mailbox::EMPTY);
        }
    }

    /// A communication that no mailbox sees, because both sides know of it: [`State::Matched`] from the beginning.
    pub fn connect(&mut self, from: WorldRank, to: WorldRank, size: u64) -> CommId {
        self.slab.insert(Communication {
            state: State::Matched,
            kind: Kind::EXACT,
            envelope: Envelope { context: 0, source: from.0, tag: 0 },
            from,
            to,
            size,
            send_token: 0,
            recv_token: 0,
            sequence: self.sequence,
        })
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.boxes.len() as u32
    }

    /// The paper's *Send*: joins the oldest posted receive of `to` that accepts the envelope, else waits in its
    /// mailbox.
    ///
    /// Expected constant time, without allocation once the tables have grown to the run's need.
    pub fn send(&mut self, from: WorldRank, to: WorldRank, envelope: Envelope, size: u64, token: u64) -> Posted {
        let Mailboxes { boxes, slab, index, sequence } = self;
        let mailbox = &mut boxes[to.index()];
        *sequence += 1;
        if mailbox.receives.len() != 0
            && let Some(slot) = mailbox.receives.find_receive(to, &envelope, &mailbox.posted, slab, index)
        {
            mailbox.receives.remove(Side::Receives, slab, index, slot);
            let comm = &mut slab.slot_mut(slot).comm;
            mailbox.posted[usize::from(comm.kind.0)] -= 1;
            comm.state = State::Matched;
            comm.envelope = envelope;
            comm.from = from;
            comm.size = size;
            comm.send_token = token;
            return Posted { comm: slab.id(slot), matched: true };
        }
        let comm = slab.insert(Communication {
            state: State::SendPosted,
            kind: Kind::EXACT,
            envelope,
            from,
            to,
            size,
            send_token: token,
            recv_token: 0,
            sequence: *sequence,
        });
        mailbox.sends.push(Side::Sends, slab, index, comm.slot);
        Posted { comm, matched: false }
    }

    /// The paper's *Recv*: joins the oldest waiting send that the pattern accepts, else waits in the mailbox of `at`.
    ///
    /// Expected constant time (amortised for the first receive of a kind on a long queue).
    pub fn recv(&mut self, at: WorldRank, pattern: Pattern, token: u64) -> Posted {
        let (kind, wanted) = (pattern.kind(), pattern.masked());
        let Mailboxes { boxes, slab, index, sequence } = self;
        let mailbox = &mut boxes[at.index()];
        *sequence += 1;
        if mailbox.sends.len() != 0
            && let Some(slot) = mailbox.sends.find_send(at, kind, &wanted, slab, index)
        {
            mailbox.sends.remove(Side::Sends, slab, index, slot);
            let comm = &mut slab.slot_mut(slot).comm;
            comm.state = State::Matched;
            comm.kind = kind;
            comm.recv_token = token;
            return Posted { comm: slab.id(slot), matched: true };
        }
        let comm = slab.insert(Communication {
            state: State::RecvPosted,
            kind,
            envelope: wanted,
            from: NO_RANK,
            to: at,
            size: 0,
            send_token: 0,
            recv_token: token,
            sequence: *sequence,
        });
        mailbox.receives.push(Side::Receives, slab, index, comm.slot);
        mailbox.posted[usize::from(kind.0)] += 1;
        Posted { comm, matched: false }
    }

    /// The oldest waiting send that the pattern accepts: the answer of `MPI_Iprobe`. Nothing observable changes; the
    /// receiver is mutable only because a long queue may index itself for patterns of a new kind.
    pub fn probe(&mut self, at: WorldRank, pattern: Pattern) -> Option<CommId> {
        let Mailboxes { boxes, slab, index, .. } = self;
        let mailbox = &mut boxes[at.index()];
        let slot = mailbox.sends.find_send(at, pattern.kind(), &pattern.masked(), slab, index)?;
        Some(slab.id(slot))
    }

    /// The same for one who may change nothing: quick after [`Mailboxes::index_sources`] if the pattern names a source.
    pub fn look_for(&self, at: WorldRank, pattern: &Pattern) -> Option<(CommId, &Communication)> {
        let sends = &self.boxes[at.index()].sends;
        let slot = sends.look_for_send(at, pattern.kind(), &pattern.masked(), &self.slab, &self.index)?;
        Some((self.slab.id(slot), &self.slab.slot(slot).comm))
    }

    /// The oldest posted receive of `to` that accepts the envelope: what a send would join now. Nothing observable
    /// changes; the mailboxes are mutable only because a long queue may index itself.
    pub fn look_for_receive(&mut self, to: WorldRank, envelope: &Envelope) -> Option<&Communication> {
        let Mailboxes { boxes, slab, index, .. } = self;
        let mailbox = &mut boxes[to.index()];
        let slot = mailbox.receives.find_receive(to, envelope, &mailbox.posted, slab, index)?;
        Some(&slab.slot(slot).comm)
    }

    /// Prepares a long queue of waiting sends for [`Mailboxes::look_for`].
    pub fn index_sources(&mut self, at: WorldRank) {
        let Mailboxes { boxes, slab, index, .. } = self;
        boxes[at.index()].sends.index_sources(slab, index);
    }

    /// Number of sends that wait in the mailbox of `rank`.
    pub fn waiting(&self, rank: WorldRank) -> u32 {
        self.boxes[rank.index()].sends.len()
    }

    /// Number of receives that wait in the mailbox of `rank`.
    pub fn posted(&self, rank: WorldRank) -> u32 {
        self.boxes[rank.index()].receives.len()
    }

    /// Takes the oldest waiting send that the pattern accepts out of matching (`MPI_Improbe`, MPI 5.0 §3.8.2).
    /// It stays [`State::Claimed`] until [`Mailboxes::attach`].
    pub fn claim(&mut self, at: WorldRank, pattern: Pattern) -> Option<CommId> {
        let Mailboxes { boxes, slab, index, .. } = self;
        let mailbox = &mut boxes[at.index()];
        let slot = mailbox.sends.find_send(at, pattern.kind(), &pattern.masked(), slab, index)?;
        mailbox.sends.remove(Side::Sends, slab, index, slot);
        let comm = &mut slab.slot_mut(slot).comm;
        comm.state = State::Claimed;
        comm.kind = pattern.kind();
        Some(slab.id(slot))
    }

    /// Gives a claimed send its receive (`MPI_Mrecv`); it is [`State::Matched`] afterwards.
    ///
    /// # Panics
    /// When the communication is not [`State::Claimed`].
    pub fn attach(&mut self, comm: CommId, token: u64) {
        let entry = self.slab.get_mut(comm).filter(|entry| entry.comm.state == State::Claimed);
        let entry = entry.unwrap_or_else(|| panic!("attach: {comm:?} is not a claimed message"));
        entry.comm.state = State::Matched;
        entry.comm.recv_token = token;
    }

    /// Gives a waiting send another token.
    ///
    /// # Panics
    /// When the communication is over.
    pub fn set_send_token(&mut self, comm: CommId, token: u64) {
        let entry = self.slab.get_mut(comm);
        entry.unwrap_or_else(|| panic!("set_send_token: {comm:?} is over")).comm.send_token = token;
    }

    /// Withdraws a send or a receive that is still unmatched (`MPI_Cancel`, MPI 5.0 §3.8.4). True when it is gone;
    /// false when it was matched or claimed before, or is over: then it takes place as if nothing had been asked.
    pub fn cancel(&mut self, comm: CommId) -> bool {
        let Mailboxes { boxes, slab, index, .. } = self;
        let Some(entry) = slab.get(comm) else { return false };
        let (state, kind, mailbox) = (entry.comm.state, entry.comm.kind, &mut boxes[entry.comm.to.index()]);
        match state {
            State::SendPosted => mailbox.sends.remove(Side::Sends, slab, index, comm.slot),
            State::RecvPosted => {
                mailbox.receives.remove(Side::Receives, slab, index, comm.slot);
                mailbox.posted[usize::from(kind.0)] -= 1;
            }
            State::Claimed | State::Matched => return false,
        }
        slab.remove(comm.slot);
        true
    }

    /// Forgets a matched communication whose transfer took place: both sides know all they need. Its slot is reused,
    /// its id is stale.
    ///
    /// # Panics
    /// When the communication is not matched.
    pub fn finish(&mut self, comm: CommId) {
        let entry = self.slab.get(comm).filter(|entry| entry.comm.state == State::Matched);
        assert!(entry.is_some(), "finish: {comm:?} is not a matched communication");
        self.slab.remove(comm.slot);
    }

    /// The communication of an id, or `None` when it is over (finished or cancelled).
    #[inline]
    pub fn get(&self, comm: CommId) -> Option<&Communication> {
        self.slab.get(comm).map(|entry| &entry.comm)
    }

    /// All communications that are not over, in the order of their ids' slots.
    pub fn iter(&self) -> impl Iterator<Item = (CommId, &Communication)> {
        self.slab.iter()
    }

    /// Number of communications that are not over.
    pub fn live(&self) -> usize {
        self.slab.live()
    }

    /// Unmatched operations of all ranks, for deadlock reports: by rank of the mailbox; its sends, then its receives;
    /// each in posting order.
    pub fn pending(&self) -> impl Iterator<Item = (CommId, &Communication)> {
        (0..self.ranks()).flat_map(|rank| self.pending_at(WorldRank(rank)))
    }

    /// Messages from one rank to another that no receive has joined, claimed ones among them.
    pub fn on_the_way(&self, from: WorldRank, to: WorldRank) -> impl Iterator<Item = CommId> {
        let is_on_the_way = |state| matches!(state, State::SendPosted | State::Claimed);
        let meant = self.iter().filter(move |(_, one)| (one.from, one.to) == (from, to) && is_on_the_way(one.state));
        meant.map(|(comm, _)| comm)
    }

    /// Like [`Mailboxes::pending`], for the mailbox of one rank.
    pub fn pending_at(&self, rank: WorldRank) -> impl Iterator<Item = (CommId, &Communication)> {
        self.waiting_sends(rank).chain(self.posted_receives(rank))
    }

    /// Sends that wait in the mailbox of `rank`, oldest first.
    pub fn waiting_sends(&self, rank: WorldRank) -> impl Iterator<Item = (CommId, &Communication)> {
        self.chain(self.boxes[rank.index()].sends.head())
    }

    /// Receives that `rank` posted and that no send joined, oldest first.
    pub fn posted_receives(&self, rank: WorldRank) -> impl Iterator<Item = (CommId, &Communication)> {
        self.chain(self.boxes[rank.index()].receives.head())
    }

    fn chain(&self, head: u32) -> impl Iterator<Item = (CommId, &Communication)> {
        let existing = |slot: u32| (slot != NIL).then_some(slot);
        std::iter::successors(existing(head), move |&slot| existing(self.slab.slot(slot).link.next))
            .map(|slot| (self.slab.id(slot), &self.slab.slot(slot).comm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: WorldRank = WorldRank(0);
    const ANYTHING: Pattern = Pattern { context: 0, source: None, tag: None };

    fn message(source: u32, tag: i32) -> Envelope {
        Envelope { context: 0, source, tag }
    }

    #[test]
    fn wildcard_posted_earlier_beats_exact_and_vice_versa() {
        for wildcard_first in [true, false] {
            let mut boxes = Mailboxes::new(2);
            let exact = Pattern::from(message(1, 5));
            let patterns = if wildcard_first { [ANYTHING, exact] } else { [exact, ANYTHING] };
            let posted = patterns.map(|pattern| boxes.recv(HERE, pattern, 0));
            for expected in posted {
                let sent = boxes.send(WorldRank(1), HERE, message(1, 5), 8, 0);
                assert_eq!(sent, Posted { comm: expected.comm, matched: true });
            }
        }
    }

    #[test]
    fn claimed_messages_are_out_of_matching() {
        let mut boxes = Mailboxes::new(2);
        let sent = boxes.send(WorldRank(1), HERE, message(1, 5), 8, 1);
        assert_eq!(boxes.probe(HERE, ANYTHING), Some(sent.comm));
        assert_eq!(boxes.claim(HERE, ANYTHING), Some(sent.comm));
        assert_eq!(boxes.probe(HERE, ANYTHING), None);
        assert!(!boxes.cancel(sent.comm));
        boxes.attach(sent.comm, 2);
        assert_eq!(boxes.get(sent.comm).map(|comm| comm.state), Some(State::Matched));
        boxes.finish(sent.comm);
        assert!(boxes.get(sent.comm).is_none());
    }

    #[test]
    fn ids_are_noticed_when_stale() {
        let mut boxes = Mailboxes::new(1);
        let old = boxes.recv(HERE, ANYTHING, 0).comm;
        assert!(boxes.cancel(old));
        assert!(!boxes.cancel(old));
        let new = boxes.recv(HERE, ANYTHING, 0).comm;
        assert_eq!((new.slot, CommId::from_bits(new.to_bits())), (old.slot, new));
        assert!(boxes.get(old).is_none());
    }

    #[test]
    fn an_empty_mailbox_is_small_and_leaves_nothing_in_the_index() {
        assert!(size_of::<Mailbox>() <= 64);
        assert!(size_of::<Communication>() <= 56);
        let mut boxes = Mailboxes::new(2);
        for round in 0..3 {
            let sent: Vec<_> = (0..100).map(|tag| boxes.send(WorldRank(1), HERE, message(1, tag), 0, 0).comm).collect();
            for (tag, &comm) in sent.iter().enumerate().rev() {
                let pattern = if round == 0 { ANYTHING } else { Pattern::from(message(1, tag as i32)) };
                let joined = boxes.recv(HERE, pattern, 0);
                assert!(joined.matched && (round == 0 || joined.comm == comm));
            }
            sent.into_iter().for_each(|comm| boxes.finish(comm));
            assert!(boxes.index.is_empty());
            assert_eq!((boxes.live(), boxes.pending().count()), (0, 0));
        }
    }
}
