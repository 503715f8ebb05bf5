//! Receives that are held back because a wildcard is among them, on top of [`smpi_mailbox`].
//!
//! A mailbox matches at once, in order of arrival. That order is one of many: messages of different senders may arrive
//! in any order, even if one was sent because of the other (MPI 5.0 §3.5 orders messages of one sender only). So a
//! wildcard receive is kept out of the mailbox until its sender is *chosen*. Later receives that overlap with it are
//! kept out, too.
//!
//! Who may match whom (MPI 5.0 §3.5, both halves of the non-overtaking rule):
//!
//! - a held receive may take a waiting message that it accepts, if no older held receive accepts it, and if no older
//!   message of the same sender is acceptable;
//! - if the receive names its sender, at most one message qualifies, and the match is no choice: it happens by itself;
//! - if it does not, each sender contributes at most one candidate. The sender's rank is therefore the candidate's key.
//!
//! A candidate stays one until it is taken. Only its receive can take it: no older receive accepts it, and younger ones
//! must not take it. [`crate::system::System`] demands this.
//!
//! **Cancellation.** An operation that will be cancelled may never match, but keeps its place until then. A receive
//! that was made *idle* keeps messages from younger receives. A message that is *withheld* keeps later messages of its
//! sender from receives that accept both.

use std::collections::VecDeque;
use std::ops::Range;

use smpi_base::WorldRank;
use smpi_base::map::{Map, Set};
use smpi_mailbox::{CommId, Communication, Envelope, Mailboxes, Pattern, Posted};

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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fate {
    /// It takes what comes.
    Takes,
    /// It may be cancelled, so that even one that names its sender is a choice.
    Open,
    /// It takes nothing, and keeps its place until it is cancelled.
    Idle,
}

impl HeldReceive {
    /// A wildcard that takes what comes.
    fn is_plain(&self) -> bool {
        self.fate == Fate::Takes && self.pattern.source.is_none()
    }

    /// True when its sender must be chosen.
    pub fn is_choice(&self) -> bool {
        match self.fate {
            Fate::Takes => self.pattern.source.is_none(),
            Fate::Open => true,
            Fate::Idle => false,
        }
    }
}

/// The held receives of one rank, in posting order.
#[derive(Clone, Debug, Default)]
struct Line {
    /// Invariant: the numbers of those that are choices ascend.
    receives: VecDeque<HeldReceive>,
    /// How many there are of each pattern.
    patterns: Map<Pattern, u32>,
    /// Receives that are no wildcards which take what comes: they may match by themselves or not at all.
    special: u32,
}

impl Line {
    fn push(&mut self, receive: HeldReceive) {
        *self.patterns.entry(receive.pattern).or_default() += 1;
        self.special += u32::from(!receive.is_plain());
        self.receives.push_back(receive);
    }

    fn remove(&mut self, position: usize) -> Option<HeldReceive> {
        let receive = self.receives.remove(position)?;
        self.special -= u32::from(!receive.is_plain());
        if let Some(count) = self.patterns.get_mut(&receive.pattern) {
            *count -= 1;
            if *count == 0 {
                self.patterns.remove(&receive.pattern);
            }
        }
        Some(receive)
    }

    fn make_idle(&mut self, number: u32) {
        if let Some(held) = self.receives.iter_mut().find(|held| held.is_choice() && held.number == number) {
            self.special += u32::from(held.is_plain());
            held.fate = Fate::Idle;
        }
    }

    /// The place of the receive `number`, if that is a choice.
    fn choice(&self, number: u32) -> Option<usize> {
        self.receives.iter().position(|held| held.is_choice() && held.number == number)
    }

    fn accepts_before(&self, position: usize, envelope: &Envelope) -> bool {
        self.receives.iter().take(position).any(|held| held.pattern.matches(envelope))
    }
}

/// Held receives of all ranks.
#[derive(Clone, Debug, Default)]
pub struct Held {
    lines: Vec<Line>,
    /// Messages in each mailbox that nobody may take or see yet.
    withheld: Vec<Vec<CommId>>,
    /// Messages may be withheld, so the mailboxes must not match by themselves.
    holds_all: bool,
}

impl Held {
    /// Adds ranks, up to this number.
    pub fn grow(&mut self, ranks: u32) {
        let ranks = self.lines.len().max(ranks as usize);
        self.lines.resize_with(ranks, Line::default);
        self.withheld.resize_with(ranks, Vec::new);
    }

    /// Nothing held for ranks `0..ranks`.
    pub fn new(ranks: u32) -> Held {
        let ranks = ranks as usize;
        Held { lines: vec![Line::default(); ranks], withheld: vec![Vec::new(); ranks], holds_all: false }
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
        self.lines[at.index()].make_idle(number);
    }

    /// Whether some idle receive at a rank could take a message if it were not.
    pub fn is_idle_in_vain(&self, boxes: &Mailboxes, at: WorldRank) -> bool {
        let line = &self.lines[at.index()];
        let mut senders = Senders::default();
        line.receives.iter().enumerate().any(|(position, receive)| {
            receive.fate == Fate::Idle && {
                let is_kept = |envelope: &Envelope| line.accepts_before(position, envelope);
                self.find(is_kept, boxes, at, &receive.pattern, &mut senders);
                !senders.available.is_empty()
            }
        })
    }

    /// Receives held at a rank, in posting order.
    pub fn at(&self, rank: WorldRank) -> impl ExactSizeIterator<Item = &HeldReceive> {
        self.lines[rank.index()].receives.iter()
    }

    /// The receive `number` of a rank, if it is held and a choice.
    pub fn receive(&self, rank: WorldRank, number: u32) -> Option<&HeldReceive> {
        let line = &self.lines[rank.index()];
        line.choice(number).map(|position| &line.receives[position])
    }

    /// Posts a receive: to the mailbox if nothing is to be chosen (the result says what came of it), else it is held.
    /// [`Held::progress`] must follow when it is held, because it may still match by itself.
    pub fn recv(&mut self, boxes: &mut Mailboxes, at: WorldRank, receive: HeldReceive) -> Option<Posted> {
        let line = &mut self.lines[at.index()];
        let is_held = receive.is_choice() || self.holds_all;
        if is_held || line.patterns.keys().any(|pattern| pattern.overlaps(&receive.pattern)) {
            line.push(receive);
            return None;
        }
        Some(boxes.recv(at, receive.pattern, receive.token))
    }

    /// Makes the matches at a rank that are no choices, and hands receives to the mailbox that need not be held any
    /// more. To be called after a receive was held, a receive was chosen for, or a message arrived that found no
    /// receive in the mailbox. Appends the matched communications in the order of their receives.
    pub fn progress(&mut self, boxes: &mut Mailboxes, at: WorldRank, matched: &mut Vec<CommId>) {
        boxes.index_sources(at);
        let line = &mut self.lines[at.index()];
        if line.special == 0 {
            return;
        }
        let mut next = 0;
        while let Some(&receive) = line.receives.get(next) {
            if receive.is_choice() || receive.fate == Fate::Idle {
                next += 1;
                continue;
            }
            let mut older = line.receives.iter().take(next);
            let posted = if self.holds_all || older.any(|held| held.pattern.overlaps(&receive.pattern)) {
                let oldest = boxes.look_for(at, &receive.pattern);
                let is_there = |(comm, _): &(CommId, _)| !self.withheld[at.index()].contains(comm);
                let envelope = oldest.filter(is_there).map(|(_, send)| send.envelope);
                let free = envelope.filter(|envelope| !line.accepts_before(next, envelope));
                // The oldest message with this very envelope is the one that was found.
                free.map(|envelope| boxes.recv(at, Pattern::from(envelope), receive.token))
            } else {
                Some(boxes.recv(at, receive.pattern, receive.token))
            };
            match posted {
                Some(posted) => {
                    line.remove(next);
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
        !self.lines[at.index()].receives.is_empty()
    }

    /// Calls `found` for the held receives that are choices, in posting order, with the senders that each may take a
    /// message of. It is enabled if there are any. Wildcards are left out that may take none, because an older receive
    /// has the same pattern.
    pub fn candidates(&self, boxes: &Mailboxes, at: WorldRank, mut found: impl FnMut(&HeldReceive, &Senders)) {
        let line = &self.lines[at.index()];
        let mut senders = Senders::default();
        let mut older: Set<Pattern> = Set::default();
        for receive in &line.receives {
            let is_behind = older.contains(&receive.pattern);
            if receive.is_choice() && !(is_behind && receive.is_plain()) {
                let is_kept = |envelope: &Envelope| envelope.patterns().iter().any(|pattern| older.contains(pattern));
                self.find(is_kept, boxes, at, &receive.pattern, &mut senders);
                found(receive, &senders);
            }
            if !is_behind {
                older.insert(receive.pattern);
            }
            if older.len() == line.patterns.len() && line.special == 0 {
                break;
            }
        }
    }

    /// The senders that the held receive `number` may take a message of.
    pub fn candidates_of(&self, boxes: &Mailboxes, at: WorldRank, number: u32) -> Senders {
        let line = &self.lines[at.index()];
        let mut senders = Senders::default();
        if let Some(position) = line.choice(number) {
            let is_kept = |envelope: &Envelope| line.accepts_before(position, envelope);
            self.find(is_kept, boxes, at, &line.receives[position].pattern, &mut senders);
        }
        senders
    }

    /// The senders whose message a probe with this pattern may see now.
    pub fn probe(&self, boxes: &Mailboxes, at: WorldRank, pattern: &Pattern) -> Senders {
        let line = &self.lines[at.index()];
        let mut senders = Senders::default();
        let is_kept = |envelope: &Envelope| envelope.patterns().iter().any(|other| line.patterns.contains_key(other));
        self.find(is_kept, boxes, at, pattern, &mut senders);
        senders
    }

    /// The message of `sender` that a probe with this pattern sees.
    pub fn probed(&self, boxes: &Mailboxes, at: WorldRank, pattern: &Pattern, sender: WorldRank) -> Option<CommId> {
        oldest_of(boxes, at, pattern, sender).map(|(comm, _)| comm)
    }

    /// Gives the held receive `number` the message of the chosen sender. [`Held::progress`] must follow.
    ///
    /// # Panics
    /// When that was no candidate.
    pub fn choose(&mut self, boxes: &mut Mailboxes, at: WorldRank, number: u32, sender: WorldRank) -> CommId {
        let line = &mut self.lines[at.index()];
        let receive = line.choice(number).and_then(|position| line.remove(position));
        let receive = receive.unwrap_or_else(|| panic!("rank {at} holds no receive {number}"));
        let envelope = oldest_of(boxes, at, &receive.pattern, sender).map(|(_, send)| send.envelope);
        let envelope =
            envelope.unwrap_or_else(|| panic!("rank {sender} has no message for receive {number} of rank {at}"));
        boxes.recv(at, Pattern::from(envelope), receive.token).comm
    }

    /// The senders of messages that a receive or probe may take or see, if older receives keep what `is_kept` says.
    fn find(
        &self,
        is_kept: impl Fn(&Envelope) -> bool,
        boxes: &Mailboxes,
        at: WorldRank,
        pattern: &Pattern,
        senders: &mut Senders,
    ) {
        let Senders { available, hidden } = senders;
        available.clear();
        hidden.clear();
        let withheld = &self.withheld[at.index()];
        let mut sort_in = |comm: CommId, send: &Communication| {
            let is_hidden = withheld.contains(&comm) || is_kept(&send.envelope);
            if is_hidden { hidden.push(send.from) } else { available.push(send.from) }
        };
        let sources = sources(boxes, pattern);
        if boxes.waiting(at) as usize > sources.len() {
            // The oldest of each sender by the index; a sender has one number in a context.
            let named = sources.map(|source| Pattern { source: Some(source), ..*pattern });
            named.filter_map(|pattern| boxes.look_for(at, &pattern)).for_each(|(comm, send)| sort_in(comm, send));
        } else {
            let mut seen = Vec::new();
            for (comm, send) in boxes.waiting_sends(at).filter(|(_, send)| pattern.matches(&send.envelope)) {
                if !seen.contains(&send.from) {
                    seen.push(send.from);
                    sort_in(comm, send);
                }
            }
        }
        available.sort_unstable();
        hidden.sort_unstable();
    }

    /// Withdraws a held receive (`MPI_Cancel`). True when it was held. [`Held::progress`] must follow.
    pub fn cancel(&mut self, at: WorldRank, token: u64) -> bool {
        let line = &mut self.lines[at.index()];
        let position = line.receives.iter().position(|held| held.token == token);
        position.and_then(|position| line.remove(position)).is_some()
    }
}

/// The oldest message of this sender that the pattern accepts.
fn oldest_of<'a>(
    boxes: &'a Mailboxes,
    at: WorldRank,
    pattern: &Pattern,
    sender: WorldRank,
) -> Option<(CommId, &'a Communication)> {
    let sources = sources(boxes, pattern);
    if boxes.waiting(at) as usize > sources.len() {
        // By the index; a sender has one number in a context.
        let named = sources.map(|source| Pattern { source: Some(source), ..*pattern });
        return named.filter_map(|pattern| boxes.look_for(at, &pattern)).find(|(_, send)| send.from == sender);
    }
    boxes.waiting_sends(at).find(|(_, send)| send.from == sender && pattern.matches(&send.envelope))
}

/// The numbers in a context that messages may have which this pattern accepts.
fn sources(boxes: &Mailboxes, pattern: &Pattern) -> Range<u32> {
    pattern.source.map_or(0..boxes.ranks(), |source| source..source + 1)
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

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: WorldRank = WorldRank(0);

    /// The definition: the oldest message of each sender that the pattern accepts, kept or not.
    fn by_definition(boxes: &Mailboxes, older: &[HeldReceive], pattern: &Pattern) -> Senders {
        let mut senders = Senders::default();
        for from in (0..boxes.ranks()).map(WorldRank) {
            let mut accepted = boxes.waiting_sends(HERE).filter(|(_, send)| pattern.matches(&send.envelope));
            let Some((_, send)) = accepted.find(|(_, send)| send.from == from) else { continue };
            let is_kept = older.iter().any(|held| held.pattern.matches(&send.envelope));
            if is_kept { senders.hidden.push(from) } else { senders.available.push(from) }
        }
        senders
    }

    /// Short and long queues, plain and mixed lines of receives; receives that are not reported have no candidate.
    #[test]
    fn candidates_are_what_the_definition_says() {
        let mut seed = 12_345_u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        for round in 0..400 {
            let ranks = 2 + random(4);
            let (mut boxes, mut held) = (Mailboxes::new(ranks), Held::new(ranks));
            let mut matched = Vec::new();
            for _ in 0..1 + random(if round % 2 == 0 { 8 } else { 60 }) {
                let from = random(ranks);
                let envelope = Envelope { context: 0, source: from, tag: random(3) as i32 };
                boxes.send(WorldRank(from), HERE, envelope, 0, 0);
            }
            for number in 0..1 + random(12) {
                let wildcard = Pattern { context: 0, source: None, tag: Some(random(3) as i32) };
                let pattern = match random(6) {
                    0 => Pattern { tag: None, ..wildcard },
                    1 => Pattern { source: Some(random(ranks)), ..wildcard },
                    2 => Pattern { source: Some(random(ranks)), tag: None, ..wildcard },
                    _ => wildcard,
                };
                let fate = if random(5) == 0 { Fate::Open } else { Fate::Takes };
                let receive = HeldReceive { pattern, token: number.into(), number, fate };
                if held.recv(&mut boxes, HERE, receive).is_none() {
                    held.progress(&mut boxes, HERE, &mut matched);
                }
                if random(8) == 0 {
                    held.make_idle(HERE, number);
                }
            }
            let line: Vec<HeldReceive> = held.at(HERE).copied().collect();
            let mut reported = Vec::new();
            held.candidates(&boxes, HERE, |receive, senders| reported.push((receive.number, senders.clone())));
            for (position, receive) in line.iter().enumerate().filter(|(_, receive)| receive.is_choice()) {
                let expected = by_definition(&boxes, &line[..position], &receive.pattern);
                assert_eq!(held.candidates_of(&boxes, HERE, receive.number), expected);
                match reported.iter().find(|(number, _)| *number == receive.number) {
                    Some((_, senders)) => assert_eq!(*senders, expected, "round {round}"),
                    None => assert!(receive.fate == Fate::Takes && expected.available.is_empty(), "round {round}"),
                }
            }
            let anything = Pattern { context: 0, source: None, tag: None };
            assert_eq!(held.probe(&boxes, HERE, &anything), by_definition(&boxes, &line, &anything));
        }
    }
}
