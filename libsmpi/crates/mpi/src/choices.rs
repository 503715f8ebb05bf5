//! The choices that are open when nothing moves any more, and what happens when one is made.
//!
//! The rules are those of design 3.5: (a) which source a wildcard receive or probe takes, (b) which completed requests
//! Waitany, Waitsome, Testany and Testsome return, (c) whether a test or probe answers yes or not yet, (f) `MC_random`.
//!
//! **Fairness.** A rank that polls again after a poll that found nothing is answered only when there is something to find,
//! or when no other choice is open anywhere. Without this, every polling loop would have infinitely many executions.

use smpi_base::WorldRank;
use smpi_mailbox::{CommId, Pattern, State};

use crate::choosing::{Asked, ChoicePoint, Question};
use crate::progress::slot_of;
use crate::request::{Owner, Phase};
use crate::world::{Fabric, World};

/// What kind of choice it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceKind {
    /// A receive from any source.
    Receive,
    /// A probe.
    Probe,
    /// Which completed request a wait or test returns.
    Completion,
    /// Whether a test answers yes.
    Test,
    /// `MC_random`.
    Random,
}

/// An open choice.
#[derive(Clone, Debug)]
pub struct OpenChoice {
    /// Whose it is.
    pub point: ChoicePoint,
    /// What kind.
    pub kind: ChoiceKind,
    /// What can be chosen, ascending. Messages are `sender << 32 | number of the sender's send`; completions are indices (or
    /// sets of indices as bits, for Waitsome); tests 0 or 1.
    pub candidates: Vec<u64>,
}

/// Completed requests beyond which Waitsome's subsets are not all tried: then single ones, and all together.
const MAX_SUBSET: usize = 4;
/// The candidate that means "nothing yet" for polls; larger than any other.
pub const NOT_YET: u64 = u64::MAX;

impl World {
    /// Lists the open choices by rank and number. Empty: nothing can go on.
    pub fn open_choices(&mut self, into: &mut Vec<OpenChoice>) {
        into.clear();
        for index in 0..self.ranks.len() {
            self.open_choices_of(WorldRank(index as u32), false, into);
        }
        if into.is_empty() {
            // Only polls that find nothing are left.
            for index in 0..self.ranks.len() {
                self.open_choices_of(WorldRank(index as u32), true, into);
            }
        }
    }

    fn open_choices_of(&mut self, rank: WorldRank, forced: bool, into: &mut Vec<OpenChoice>) {
        let start = into.len();
        let Some(choosing) = &self.choosing else { return };
        for (index, held) in choosing.held[rank.index()].iter().enumerate() {
            let Some(number) = held.number else { continue };
            let before = &choosing.held[rank.index()][..index];
            let free = |envelope: &_| !before.iter().any(|earlier| earlier.pattern.matches(envelope));
            let candidates = self.senders(rank, &held.pattern, free);
            if !candidates.is_empty() {
                into.push(OpenChoice { point: ChoicePoint { rank, number }, kind: ChoiceKind::Receive, candidates });
            }
        }
        if let Some(question) = &choosing.questions[rank.index()] {
            let (kind, candidates) = self.answers(rank, question, forced);
            if !candidates.is_empty() {
                into.push(OpenChoice { point: ChoicePoint { rank, number: question.number }, kind, candidates });
            }
        }
        into[start..].sort_by_key(|choice| choice.point);
    }

    /// Messages that a pattern can take now: the oldest of each sender.
    fn senders(&self, rank: WorldRank, pattern: &Pattern, free: impl Fn(&smpi_mailbox::Envelope) -> bool) -> Vec<u64> {
        let mut found: Vec<u64> = Vec::new();
        for (comm, communication) in self.boxes.waiting_sends(rank) {
            let from = u64::from(communication.from.0);
            if communication.state == State::SendPosted
                && pattern.matches(&communication.envelope)
                && free(&communication.envelope)
                && !found.iter().any(|&other| other >> 32 == from)
            {
                found.push(from << 32 | u64::from(self.flights[slot_of(comm)].number));
            }
        }
        found.sort_unstable();
        found
    }

    fn answers(&self, rank: WorldRank, question: &Question, forced: bool) -> (ChoiceKind, Vec<u64>) {
        match &question.asked {
            Asked::Probe { pattern, .. } => (ChoiceKind::Probe, self.senders(rank, pattern, |_| true)),
            Asked::Iprobe { pattern, polls, .. } => {
                let mut found = self.senders(rank, pattern, |_| true);
                add_not_yet(&mut found, *polls, forced);
                (ChoiceKind::Probe, found)
            }
            Asked::WaitAny { slots, some } => (ChoiceKind::Completion, selections(&self.done(rank, slots), *some)),
            Asked::Test { slots, all: true, polls, .. } => {
                let over = self.done(rank, slots).len() == slots.len();
                let mut found = if over { vec![1] } else { Vec::new() };
                add_not_yet(&mut found, *polls, forced);
                (ChoiceKind::Test, found)
            }
            Asked::Test { slots, all: false, some, polls } => {
                let mut found = selections(&self.done(rank, slots), *some);
                add_not_yet(&mut found, *polls, forced);
                (ChoiceKind::Completion, found)
            }
            Asked::Random { min, max } => (ChoiceKind::Random, (*min..=*max).map(|value| value as u64).collect()),
        }
    }

    /// Indices of the requests that are over.
    fn done(&self, rank: WorldRank, slots: &[u32]) -> Vec<usize> {
        let requests = &self.ranks[rank.index()].requests;
        let is_done = |slot: u32| requests.at_slot(slot).is_some_and(|request| request.phase == Phase::Done);
        slots.iter().enumerate().filter(|&(_, &slot)| is_done(slot)).map(|(index, _)| index).collect()
    }

    /// Makes a choice. The caller commits and lets the woken ranks run afterwards.
    pub fn choose(&mut self, fabric: &mut dyn Fabric, point: ChoicePoint, candidate: u64) {
        let rank = point.rank;
        let Some(choosing) = &mut self.choosing else { return };
        let held = &mut choosing.held[rank.index()];
        if let Some(index) = held.iter().position(|held| held.number == Some(point.number)) {
            let held = held.remove(index);
            return self.choose_sender(fabric, point, held.pattern, held.token, candidate);
        }
        if let Some(question) = choosing.questions[rank.index()].take_if(|question| question.number == point.number) {
            self.answer(point, question.asked, candidate);
        }
    }

    fn choose_sender(
        &mut self,
        fabric: &mut dyn Fabric,
        point: ChoicePoint,
        pattern: Pattern,
        token: u64,
        candidate: u64,
    ) {
        let from = WorldRank((candidate >> 32) as u32);
        let source = self.message(point.rank, candidate).map(|envelope| envelope.source);
        let Some(choosing) = &mut self.choosing else { return };
        let position = choosing.record_message(point, pattern, Some(from));
        let owner = Owner::of(token);
        if let Some(request) = self.ranks[owner.rank.index()].requests.at_slot_mut(owner.slot) {
            request.clock.add(position);
        }
        let posted = self.boxes.recv(point.rank, Pattern { source, ..pattern }, token);
        if owner.step.is_none()
            && let Some(request) = self.ranks[owner.rank.index()].requests.at_slot_mut(owner.slot)
        {
            request.comm = Some(posted.comm);
        }
        if posted.matched {
            self.matched(fabric, posted.comm);
        }
        self.release_held(fabric, point.rank);
    }

    /// Posts the receives that were only held behind one that is gone.
    fn release_held(&mut self, fabric: &mut dyn Fabric, rank: WorldRank) {
        let Some(choosing) = &mut self.choosing else { return };
        let waiting = std::mem::take(&mut choosing.held[rank.index()]);
        for held in waiting {
            let Some(choosing) = &mut self.choosing else { return };
            if held.number.is_some() || choosing.must_hold(rank, &held.pattern) {
                choosing.held[rank.index()].push(held);
                continue;
            }
            let owner = Owner::of(held.token);
            let posted = self.recv(fabric, rank, held.pattern, held.token);
            if owner.step.is_none()
                && let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(owner.slot)
            {
                request.comm = posted;
            }
        }
    }

    /// Envelope of the waiting message that a candidate names.
    fn message(&self, rank: WorldRank, candidate: u64) -> Option<smpi_mailbox::Envelope> {
        let named = |comm: CommId, from: WorldRank| {
            u64::from(from.0) << 32 | u64::from(self.flights[slot_of(comm)].number) == candidate
        };
        let mut waiting = self.boxes.waiting_sends(rank);
        waiting.find(|(comm, communication)| named(*comm, communication.from)).map(|(_, found)| found.envelope)
    }

    fn answer(&mut self, point: ChoicePoint, asked: Asked, candidate: u64) {
        let rank = point.rank;
        let open: Vec<u32> = match &asked {
            Asked::WaitAny { slots, .. } | Asked::Test { slots, .. } => {
                let done = self.done(rank, slots);
                (0..slots.len()).filter(|index| !done.contains(index)).map(|index| slots[index]).collect()
            }
            _ => Vec::new(),
        };
        let envelope = self.message(rank, candidate);
        let Some(choosing) = &mut self.choosing else { return };
        let from = (candidate != NOT_YET).then_some(WorldRank((candidate >> 32) as u32));
        let position = match &asked {
            Asked::Probe { pattern, .. } | Asked::Iprobe { pattern, .. } => {
                choosing.record_message(point, *pattern, from)
            }
            Asked::WaitAny { .. } | Asked::Test { .. } => choosing.record_requests(point, open),
            Asked::Random { .. } => choosing.record_free(point),
        };
        choosing.clocks[rank.index()].add(position);
        match asked {
            Asked::Probe { pattern, take } | Asked::Iprobe { pattern, take, .. } => match envelope {
                Some(envelope) => {
                    let exact = Pattern { source: Some(envelope.source), ..pattern };
                    self.learn_probed(rank, exact);
                    self.answer_probe(rank, exact, take, false);
                }
                None => {
                    self.ranks[rank.index()].probed = None;
                    self.woken.push(rank);
                }
            },
            _ => {
                choosing.answers[rank.index()] = Some(candidate as i64);
                self.woken.push(rank);
            }
        }
    }

    /// A probe shows its rank that the message was sent.
    fn learn_probed(&mut self, rank: WorldRank, pattern: Pattern) {
        if let Some(comm) = self.boxes.probe(rank, pattern)
            && let Some(choosing) = &mut self.choosing
        {
            choosing.clocks[rank.index()].merge(&self.flights[slot_of(comm)].clock);
        }
    }

    /// Puts a question of the calling rank, which must then be suspended until it is woken.
    pub fn ask(&mut self, rank: WorldRank, asked: Asked) {
        if let Some(choosing) = &mut self.choosing {
            choosing.ask(rank, asked);
        }
    }

    /// The answer to the rank's question.
    pub fn take_answer(&mut self, rank: WorldRank) -> Option<i64> {
        self.choosing.as_mut()?.answers[rank.index()].take()
    }
}

/// "Not yet" is always a possible first answer; a repeated poll gets it only when nothing else can happen.
fn add_not_yet(found: &mut Vec<u64>, polls: u32, forced: bool) {
    if polls == 0 || (forced && found.is_empty()) {
        found.push(NOT_YET);
    }
}

/// What can be returned of the completed requests: one of them, or (`some`) any set of them.
fn selections(done: &[usize], some: bool) -> Vec<u64> {
    if !some {
        return done.iter().map(|&index| index as u64).collect();
    }
    let bits = |set: u32| done.iter().enumerate().filter(|(i, _)| set >> i & 1 != 0).map(|(_, &index)| 1 << index).sum();
    if done.len() <= MAX_SUBSET {
        return (1..1_u32 << done.len()).map(bits).collect();
    }
    let all = done.iter().map(|&index| 1 << index).sum();
    done.iter().map(|&index| 1 << index).chain([all]).collect()
}
