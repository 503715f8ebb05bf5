//! Receives that are held back because a wildcard is among them, on top of [`smpi_mailbox`].
//!
//! A mailbox matches at once, in order of arrival. That order is one of many: messages of different senders may arrive
//! in any order, even if one was sent because of the other (MPI 5.0 §3.5 orders messages of one sender only). So
//! wildcard receives are kept out of the mailbox until their sender is *chosen*, and so are the later receives that
//! overlap with them.
//!
//! Who may match whom (MPI 5.0 §3.5, both halves of the non-overtaking rule):
//!
//! - a held receive may take a waiting message that it accepts, if no held receive posted earlier accepts it, and if it
//!   is the oldest that it accepts of that sender;
//! - if the receive names its sender, at most one message qualifies, and the match is no choice: it happens by itself;
//! - if it does not, each sender contributes at most one candidate. The sender's rank is therefore the candidate's key.
//!
//! A candidate stays one until it is taken, and only that receive can take it: older receives that accept it are gone,
//! younger ones must not. This is what [`crate::system::System`] asks for.
//!
//! **Cancellation.** An operation that the program cancels may be one that never matches. Until it is cancelled it
//! keeps its place nevertheless: a receive that was made *idle* keeps messages from younger receives, a message that is
//! *withheld* keeps the later ones of its sender from receives that accept both.

use smpi_base::WorldRank;
use smpi_mailbox::{CommId, Envelope, Mailboxes, Pattern, Posted};

/// A receive that is held back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeldReceive {
    /// What it accepts.
    pub pattern: Pattern,
    /// Given by the caller, for [`Mailboxes::recv`].
    pub token: u64,
    /// Given by the caller, to tell the receives of one rank apart: the number of the choice if it is one.
    pub number: u32,
    /// What becomes of it.
    pub fate: Fate,
}

/// What becomes of a receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It takes what comes.
    Takes,
    /// It may be cancelled, so that even one that names its sender is a choice.
    Open,
    /// It takes nothing, and keeps its place until it is cancelled.
    Idle,
}

impl HeldReceive {
    /// True when its sender must be chosen.
    pub fn is_choice(&self) -> bool {
        match self.fate {
            Fate::Takes => self.pattern.source.is_none(),
            Fate::Open => true,
            Fate::Idle => false,
        }
    }
}

/// Held receives of all ranks.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// The held receives of each rank. Invariant: in posting order, and the numbers of those that are choices ascend.
    lists: Vec<Vec<HeldReceive>>,
    /// Messages in each mailbox that nobody may take or see yet.
    withheld: Vec<Vec<CommId>>,
    /// Messages may be withheld, so the mailboxes must not match by themselves.
    holds_all: bool,
}

impl Held {
    /// Nothing held for ranks `0..ranks`.
    pub fn new(ranks: u32) -> Held {
        let ranks = ranks as usize;
        Held { lists: vec![Vec::new(); ranks], withheld: vec![Vec::new(); ranks], holds_all: false }
    }

    /// From now on messages may be withheld. To be called before the first receive.
    pub fn set_withholding(&mut self, withholds: bool) {
        self.holds_all = withholds;
    }

    /// A message has arrived that nobody may take before [`Held::release`].
    pub fn withhold(&mut self, at: WorldRank, comm: CommId) {
        self.withheld[at.index()].push(comm);
    }

    /// A withheld message may be taken from now on, or has been removed. [`Held::progress`] must follow.
    pub fn release(&mut self, at: WorldRank, comm: CommId) {
        self.withheld[at.index()].retain(|&other| other != comm);
    }

    /// The receive `number` will take nothing.
    pub fn make_idle(&mut self, at: WorldRank, number: u32) {
        let found = self.lists[at.index()].iter_mut().find(|held| held.number == number && held.is_choice());
        found.into_iter().for_each(|held| held.fate = Fate::Idle);
    }

    /// Whether some idle receive at a rank could take a message if it were not.
    pub fn is_idle_in_vain(&self, boxes: &Mailboxes, at: WorldRank) -> bool {
        let list = &self.lists[at.index()];
        let mut senders = Senders::default();
        list.iter().enumerate().any(|(position, receive)| {
            receive.fate == Fate::Idle && {
                self.find(&list[..position], boxes, at, &receive.pattern, &mut senders);
                !senders.available.is_empty()
            }
        })
    }

    /// Receives held at a rank, in posting order.
    pub fn at(&self, rank: WorldRank) -> &[HeldReceive] {
        &self.lists[rank.index()]
    }

    /// Posts a receive: to the mailbox if nothing is to be chosen (the result says what came of it), else it is held.
    /// [`Held::progress`] must follow when it is held, because it may still match by itself.
    pub fn recv(&mut self, boxes: &mut Mailboxes, at: WorldRank, receive: HeldReceive) -> Option<Posted> {
        let list = &mut self.lists[at.index()];
        let is_held = receive.is_choice() || self.holds_all;
        if is_held || list.iter().any(|held| held.pattern.overlaps(&receive.pattern)) {
            list.push(receive);
            return None;
        }
        Some(boxes.recv(at, receive.pattern, receive.token))
    }

    /// Makes the matches at a rank that are no choices, and hands receives to the mailbox that need not be held any
    /// more. To be called after a receive was held, a receive was chosen for, or a message arrived that found no
    /// receive in the mailbox. Appends the matched communications in the order of their receives.
    pub fn progress(&mut self, boxes: &mut Mailboxes, at: WorldRank, matched: &mut Vec<CommId>) {
        let list = &mut self.lists[at.index()];
        let mut next = 0;
        while next < list.len() {
            let receive = list[next];
            let older = &list[..next];
            if receive.is_choice() || receive.fate == Fate::Idle {
                next += 1;
                continue;
            }
            let posted = if self.holds_all || older.iter().any(|held| held.pattern.overlaps(&receive.pattern)) {
                let oldest = boxes.waiting_sends(at).find(|(_, send)| receive.pattern.matches(&send.envelope));
                let is_there = |(comm, _): &(CommId, _)| !self.withheld[at.index()].contains(comm);
                let envelope = oldest.filter(is_there).map(|(_, send)| send.envelope);
                let free = envelope.filter(|envelope| !older.iter().any(|held| held.pattern.matches(envelope)));
                // The oldest message with this very envelope is the one that was found.
                free.map(|envelope| boxes.recv(at, Pattern::from(envelope), receive.token))
            } else {
                Some(boxes.recv(at, receive.pattern, receive.token))
            };
            match posted {
                Some(posted) => {
                    list.remove(next);
                    if posted.matched {
                        matched.push(posted.comm);
                    }
                    // Removing a receive frees messages for those after it only; none before it waits for it.
                }
                None => next += 1,
            }
        }
    }

    /// True when some receive of this rank is held.
    pub fn has_any(&self, at: WorldRank) -> bool {
        !self.lists[at.index()].is_empty()
    }

    /// Calls `found` for every held receive that is a choice, in posting order, with the senders that it may take a
    /// message of. It is enabled if there are any.
    pub fn candidates(&self, boxes: &Mailboxes, at: WorldRank, mut found: impl FnMut(&HeldReceive, &Senders)) {
        let list = &self.lists[at.index()];
        let mut senders = Senders::default();
        for (position, receive) in list.iter().enumerate().filter(|(_, receive)| receive.is_choice()) {
            self.find(&list[..position], boxes, at, &receive.pattern, &mut senders);
            found(receive, &senders);
        }
    }

    /// The senders that the held receive `number` may take a message of.
    pub fn candidates_of(&self, boxes: &Mailboxes, at: WorldRank, number: u32) -> Senders {
        let list = &self.lists[at.index()];
        let mut senders = Senders::default();
        if let Some(position) = list.iter().position(|held| held.number == number && held.is_choice()) {
            self.find(&list[..position], boxes, at, &list[position].pattern, &mut senders);
        }
        senders
    }

    /// The senders whose message a probe with this pattern may see now.
    pub fn probe(&self, boxes: &Mailboxes, at: WorldRank, pattern: &Pattern) -> Senders {
        let mut senders = Senders::default();
        self.find(&self.lists[at.index()], boxes, at, pattern, &mut senders);
        senders
    }

    /// The message of `sender` that a probe with this pattern sees.
    pub fn probed(&self, boxes: &Mailboxes, at: WorldRank, pattern: &Pattern, sender: WorldRank) -> Option<CommId> {
        let accepted = |envelope: &Envelope| pattern.matches(envelope);
        boxes.waiting_sends(at).find(|(_, send)| send.from == sender && accepted(&send.envelope)).map(|(comm, _)| comm)
    }

    /// Gives the held receive `number` the message of the chosen sender. [`Held::progress`] must follow.
    ///
    /// # Panics
    /// When that was no candidate.
    pub fn choose(&mut self, boxes: &mut Mailboxes, at: WorldRank, number: u32, sender: WorldRank) -> CommId {
        let list = &mut self.lists[at.index()];
        let position = list.iter().position(|held| held.number == number && held.is_choice());
        let position = position.unwrap_or_else(|| panic!("rank {at} holds no receive {number}"));
        let receive = list.remove(position);
        let mut sends = boxes.waiting_sends(at).filter(|(_, send)| send.from == sender);
        let envelope = sends.find(|(_, send)| receive.pattern.matches(&send.envelope)).map(|(_, send)| send.envelope);
        drop(sends);
        let envelope =
            envelope.unwrap_or_else(|| panic!("rank {sender} has no message for receive {number} of rank {at}"));
        boxes.recv(at, Pattern::from(envelope), receive.token).comm
    }

    /// The senders of messages that a receive or probe may take or see behind these older receives.
    fn find(&self, older: &[HeldReceive], boxes: &Mailboxes, at: WorldRank, pattern: &Pattern, senders: &mut Senders) {
        let Senders { available, hidden } = senders;
        available.clear();
        hidden.clear();
        for (comm, send) in boxes.waiting_sends(at).filter(|(_, send)| pattern.matches(&send.envelope)) {
            if available.contains(&send.from) || hidden.contains(&send.from) {
                continue;
            }
            let is_kept = self.withheld[at.index()].contains(&comm)
                || older.iter().any(|held| held.pattern.matches(&send.envelope));
            if is_kept { hidden.push(send.from) } else { available.push(send.from) }
        }
        available.sort_unstable();
        hidden.sort_unstable();
    }

    /// Withdraws a held receive (`MPI_Cancel`). True when it was held. [`Held::progress`] must follow.
    pub fn cancel(&mut self, at: WorldRank, token: u64) -> bool {
        let list = &mut self.lists[at.index()];
        let position = list.iter().position(|held| held.token == token);
        position.is_some_and(|position| {
            list.remove(position);
            true
        })
    }
}

/// Who may be chosen for a receive or a probe.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Senders {
    /// Senders with a candidate, ascending.
    pub available: Vec<WorldRank>,
    /// Senders whose oldest message that the pattern accepts is withheld, or kept from it by an older held receive,
    /// which accepts it, too. They may get a candidate without sending anything, so the choice is not closed.
    pub hidden: Vec<WorldRank>,
}

impl Senders {
    /// True when no further candidate can come: nothing is hidden, and each of `possible` has a candidate or can not
    /// send to this rank before the choice is made, whatever else is chosen (it has ended, say, or is the waiting rank
    /// itself).
    pub fn is_closed(
        &self,
        mut possible: impl Iterator<Item = WorldRank>,
        can_send: impl Fn(WorldRank) -> bool,
    ) -> bool {
        self.hidden.is_empty()
            && possible.all(|sender| self.available.binary_search(&sender).is_ok() || !can_send(sender))
    }
}
