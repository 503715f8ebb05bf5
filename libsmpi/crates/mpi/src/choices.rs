//! The choices that are open when nothing moves any more, and what happens when one is made.
//!
//! The rules are those of design 3.5: (a) which source a wildcard receive or probe takes, (b) which completed requests
//! Waitany, Waitsome, Testany and Testsome return, (c) whether a test or probe answers yes or not yet, (f) `MC_random`.
//!
//! **Fairness.** A rank that polls again after a poll that found nothing is answered only when there is something to
//! find, or when no other choice is open anywhere and it is its turn ([`crate::polls`]). Without this, every polling
//! loop would have infinitely many executions.

use smpi_base::WorldRank;
use smpi_checker::alternatives::{self, ANY, Completed, NOT_YET};
use smpi_checker::held::Fate;
use smpi_checker::{ChoiceId, ChoiceKind, Choices, Event};
use smpi_mailbox::CommId;

use crate::cancel::named_sender;
use crate::choosing::{Asked, Question};
use crate::progress::slot_of;
use crate::request::{Owner, Phase, RequestKey};
use crate::world::{Fabric, World};

/// The answer that a deadline has passed.
const PASSED: u64 = 1;

impl World {
    /// Lists the open choices by rank and number: keys are senders' world ranks for messages; those of
    /// [`smpi_checker::alternatives`] for completions; 1 for a yes. Empty: nothing can go on, or only polls that have
    /// failed more than `max_futile` times since something happened; while posts wait to be committed, those are not
    /// forced.
    pub fn open_choices(&mut self, max_futile: u32, out: &mut Choices) {
        self.forced = false;
        for rank in (0..self.ranks.len() as u32).map(WorldRank) {
            self.left_out |= self.open_choices_of(rank, None, out);
            self.cancels.is_partial |= self.probes_cancellable(rank);
        }
        if self.reluctant_sends {
            self.offer(max_futile, out);
        }
        if out.is_empty() && self.posts.is_empty() {
            // Only polls that find nothing are left.
            self.forced = true;
            self.next_forced(max_futile, out);
        }
    }

    /// True when alternatives were left out.
    pub(crate) fn open_choices_of(&self, rank: WorldRank, forced: Option<u32>, out: &mut Choices) -> bool {
        let Some(choosing) = &self.choosing else { return false };
        let asked = choosing.questions[rank.index()].as_ref();
        if asked.is_none() && !choosing.held.has_any(rank) && choosing.anticipated[rank.index()].is_empty() {
            return false;
        }
        let mut left_out = false;
        let question = asked.map(|question| (question, self.answers(rank, question, forced, &mut left_out)));
        let mut next = 0;
        choosing.held.candidates(&self.boxes, rank, |receive, senders| {
            self.open_deliveries(rank, receive.number, &mut next, out);
            let named = named_sender(self.ranks[rank.index()].requests.at_slot(Owner::of(receive.token).slot));
            let possible =
                (0..self.ranks.len() as u32).map(WorldRank).filter(|&sender| named.is_none_or(|is| is == sender));
            let closed = senders.is_closed(possible, |sender| {
                let is_blocked = sender == rank && self.waits_for_token(receive.token);
                !choosing.ended[sender.index()] && !is_blocked
            });
            out.open(ChoiceId { rank, number: receive.number }, ChoiceKind::Receive, closed);
            senders.available.iter().for_each(|sender| out.candidate(u64::from(sender.0)));
            if receive.fate == Fate::Open {
                out.candidate(NOT_YET);
            }
            out.drop_if_empty();
        });
        self.open_deliveries(rank, u32::MAX, &mut next, out);
        // A blocked rank has posted its receives before it asked.
        if let Some((question, found)) = question.filter(|(_, found)| !found.is_empty()) {
            let closed = matches!(question.asked, Asked::Random { .. } | Asked::Time);
            out.open(ChoiceId { rank, number: question.number }, question.asked.kind(), closed);
            found.into_iter().for_each(|key| out.candidate(key));
            if matches!(question.asked, Asked::WaitAny { alike: true, .. }) {
                out.mark_alike();
            }
        }
        left_out
    }

    /// Whether the choices that were listed last are polls that find nothing.
    pub fn is_forced(&self) -> bool {
        self.forced
    }

    /// Whether the rank of a receive does nothing before that receive is over.
    fn waits_for_token(&self, token: u64) -> bool {
        let owner = Owner::of(token);
        let request = self.ranks[owner.rank.index()].requests.at_slot(owner.slot);
        owner.step.is_none() && request.is_some_and(|request| request.waited)
    }

    /// A rank is through: it posts nothing any more.
    pub fn rank_ended(&mut self, rank: WorldRank) {
        if let Some(choosing) = &mut self.choosing {
            choosing.ended[rank.index()] = true;
        }
    }

    /// Whether some rank polls, as far as nothing else happens.
    pub fn is_polling(&self) -> bool {
        let questions = self.choosing.iter().flat_map(|choosing| choosing.questions.iter().flatten());
        questions.into_iter().any(|question| matches!(question.asked, Asked::Iprobe { .. } | Asked::Test { .. }))
    }

    /// What a question can be answered with; notes it when not all of that is tried.
    fn answers(&self, rank: WorldRank, question: &Question, forced: Option<u32>, left_out: &mut bool) -> Vec<u64> {
        let mut found: Vec<u64> = Vec::new();
        let polls = match &question.asked {
            Asked::Probe { pattern, .. } => return self.senders(rank, pattern),
            Asked::Random { min, max } => return (*min..=*max).map(|value| value as u64).collect(),
            Asked::Time => return vec![NOT_YET, PASSED],
            Asked::WaitAny { slots, some, relevant, .. } => {
                let done = self.done(rank, slots, relevant.as_deref());
                *left_out |= self.selections(&done, *some, &mut found);
                return found;
            }
            Asked::Iprobe { pattern, polls, .. } => {
                found = self.senders(rank, pattern);
                polls
            }
            Asked::Test { slots, all: true, polls, .. } => {
                found.extend((self.done(rank, slots, None).len() == slots.len()).then_some(1));
                polls
            }
            Asked::Test { slots, some, relevant, polls, .. } => {
                let done = self.done(rank, slots, relevant.as_deref());
                *left_out |= self.selections(&done, *some, &mut found);
                polls
            }
        };
        // "Not yet" is a possible first answer unless the rank knows better; a repeated poll gets it only when nothing
        // else can happen.
        if (polls.in_row == 0 && !self.knows_yes(rank, &question.asked))
            || (found.is_empty() && forced.is_some_and(|most| polls.in_vain(self.changes()) <= most))
        {
            found.push(NOT_YET);
        }
        found
    }

    /// Whether the rank has been told already of requests or a message for which a test or probe must say yes.
    fn knows_yes(&self, rank: WorldRank, asked: &Asked) -> bool {
        let (slots, all) = match asked {
            Asked::Test { slots, all, .. } => (slots, all),
            Asked::Iprobe { pattern, .. } => {
                return self.choosing.as_ref().is_some_and(|choosing| choosing.has_seen(rank, pattern));
            }
            _ => return false,
        };
        let requests = &self.ranks[rank.index()].requests;
        let mut shown = slots.iter().map(|&slot| requests.at_slot(slot).is_some_and(|request| request.shown));
        if *all { shown.all(|shown| shown) } else { shown.any(|shown| shown) }
    }

    /// Tells a rank that a request is done, whose completion it does not take (`MPI_Request_get_status`).
    pub fn show(&mut self, rank: WorldRank, key: RequestKey) {
        let request = self.ranks[rank.index()].requests.get_mut(key).filter(|request| request.phase == Phase::Done);
        let Some(request) = request else { return };
        request.shown = true;
        if let Some(choosing) = &mut self.choosing {
            choosing.histories[rank.index()].join(&request.history);
        }
    }

    /// What can be returned of the completed requests: one of them, or (`some`) a set of them. True when not all is
    /// tried.
    fn selections(&self, done: &[Completed], some: bool, found: &mut Vec<u64>) -> bool {
        if some {
            return alternatives::of_sets(done, self.max_waitsome, found);
        }
        alternatives::of_one(done, found);
        false
    }

    /// Senders whose message a probe can see.
    fn senders(&self, rank: WorldRank, pattern: &smpi_mailbox::Pattern) -> Vec<u64> {
        let Some(choosing) = &self.choosing else { return Vec::new() };
        let senders = choosing.held.probe(&self.boxes, rank, pattern);
        senders.available.iter().map(|sender| u64::from(sender.0)).collect()
    }

    /// The requests that are over.
    fn done(&self, rank: WorldRank, slots: &[u32], relevant: Option<&[bool]>) -> Vec<Completed> {
        let requests = &self.ranks[rank.index()].requests;
        let known = self.choosing.as_ref().map(|choosing| &choosing.histories[rank.index()]);
        let completed = |(position, &slot): (usize, &u32)| {
            let request = requests.at_slot(slot).filter(|request| request.phase == Phase::Done)?;
            Some(Completed {
                position: position as u32,
                matters: matters(relevant, position),
                // Only asked for where something does not matter.
                certain: relevant.is_some() && known.is_some_and(|known| request.history.is_within(known)),
            })
        };
        slots.iter().enumerate().filter_map(completed).collect()
    }

    /// The position among the requests asked about that an event means where any of those that do not matter will do.
    pub fn meant(&self, event: Event) -> u64 {
        let rank = event.choice.rank;
        let question = self.choosing.as_ref().and_then(|choosing| choosing.questions[rank.index()].as_ref());
        match question.map(|question| &question.asked) {
            Some(Asked::WaitAny { slots, relevant, some, .. } | Asked::Test { slots, relevant, some, .. }) => {
                alternatives::resolved(event.candidate, &self.done(rank, slots, relevant.as_deref()), *some)
            }
            _ => event.candidate,
        }
    }

    /// The slot of the request that an event takes where any of those that do not matter will do.
    fn ignored(&self, event: Event) -> Option<u32> {
        let rank = event.choice.rank;
        let question = self.choosing.as_ref()?.questions[rank.index()].as_ref()?;
        let (Asked::WaitAny { slots, relevant, .. } | Asked::Test { slots, relevant, .. }) = &question.asked else {
            return None;
        };
        let relevant = relevant.as_deref().filter(|_| event.candidate == ANY)?;
        let done = self.done(rank, slots, Some(relevant));
        let taken = done.iter().find(|one| !one.matters)?;
        slots.get(taken.position as usize).copied()
    }

    /// Makes a choice. The caller commits and lets the woken ranks run afterwards.
    pub fn choose(&mut self, fabric: &mut dyn Fabric, event: Event) {
        let ChoiceId { rank, number } = event.choice;
        if event.goes_on() {
            return self.go_on(event.choice);
        }
        if self.reluctant_sends && event.candidate == NOT_YET && self.is_forced_poll(rank) {
            self.keep_offers();
        }
        self.note_change(event);
        let meant = self.meant(event);
        let ignored = self.ignored(event);
        let Some(choosing) = &mut self.choosing else { return };
        choosing.unseen.takes_next(rank, ignored);
        match choosing.questions[rank.index()].take_if(|question| question.number == number) {
            Some(question) => self.answer(event, meant, question.asked),
            None if self.choose_delivery(fabric, event) => {}
            None => self.choose_sender(fabric, event),
        }
    }

    fn choose_sender(&mut self, fabric: &mut dyn Fabric, event: Event) {
        let ChoiceId { rank, number } = event.choice;
        let Some(choosing) = &mut self.choosing else { return };
        let senders = choosing.held.candidates_of(&self.boxes, rank, number).available;
        let held = choosing.held.at(rank).iter().find(|held| held.number == number && held.is_choice());
        let Some(&held) = held else { return };
        if self.tape.is_some() {
            let seen =
                senders.iter().filter_map(|&sender| choosing.held.probed(&self.boxes, rank, &held.pattern, sender));
            let seen: Vec<CommId> = seen.collect();
            self.tape_candidates(seen.into_iter());
        }
        let Some(choosing) = &mut self.choosing else { return };
        let position = choosing.next_position();
        choosing.late.watch_messages(event.choice, position, held.pattern, &senders);
        if event.candidate == NOT_YET {
            return self.choose_nothing(fabric, event.choice, position);
        }
        let owner = Owner::of(held.token);
        if let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(owner.slot) {
            request.history.insert(position);
            if owner.step.is_none() {
                request.posted.insert(position);
            }
        }
        let comm = choosing.held.choose(&mut self.boxes, rank, number, WorldRank(event.candidate as u32));
        self.choose_message(event.choice);
        self.joined(fabric, comm);
        self.progress_held(fabric, rank);
    }

    /// A held receive has found its message.
    fn joined(&mut self, fabric: &mut dyn Fabric, comm: CommId) {
        if let Some(communication) = self.boxes.get(comm) {
            let owner = Owner::of(communication.recv_token);
            if owner.step.is_none()
                && let Some(request) = self.ranks[owner.rank.index()].requests.at_slot_mut(owner.slot)
            {
                request.comm = Some(comm);
            }
        }
        self.matched(fabric, comm);
    }

    /// Makes the matches at a rank that are no choices.
    pub(crate) fn progress_held(&mut self, fabric: &mut dyn Fabric, rank: WorldRank) {
        let Some(choosing) = &mut self.choosing else { return };
        if choosing.held.at(rank).is_empty() {
            return;
        }
        let mut matched = Vec::new();
        choosing.held.progress(&mut self.boxes, rank, &mut matched);
        for comm in matched {
            self.joined(fabric, comm);
        }
    }

    /// Whether a rank polls again for what it has not found.
    fn is_forced_poll(&self, rank: WorldRank) -> bool {
        let question = self.choosing.as_ref().and_then(|choosing| choosing.questions[rank.index()].as_ref());
        question.is_some_and(|question| question.asked.is_repeated())
    }

    fn answer(&mut self, event: Event, meant: u64, asked: Asked) {
        let (id, rank) = (event.choice, event.choice.rank);
        let open: Vec<u64> = match &asked {
            Asked::WaitAny { slots, relevant, .. } | Asked::Test { slots, relevant, .. } => {
                let done = self.done(rank, slots, relevant.as_deref());
                let is_awaited = |position: usize| {
                    done.iter().all(|one| one.position as usize != position)
                        && alternatives::is_awaited(&done, matters(relevant.as_deref(), position))
                };
                (0..slots.len()).filter(|&index| is_awaited(index)).map(|index| u64::from(slots[index])).collect()
            }
            _ => Vec::new(),
        };
        let senders: Vec<WorldRank> = match &asked {
            Asked::Probe { pattern, .. } | Asked::Iprobe { pattern, .. } => {
                self.senders(rank, pattern).into_iter().map(|sender| WorldRank(sender as u32)).collect()
            }
            _ => Vec::new(),
        };
        let forced = event.candidate == NOT_YET && asked.is_repeated();
        let could_be_over = self.could_be_over(rank, &asked, &open);
        let Some(choosing) = &mut self.choosing else { return };
        let position = choosing.next_position();
        if could_be_over {
            choosing.late.could_have_come(id);
        }
        match &asked {
            Asked::Probe { pattern, .. } | Asked::Iprobe { pattern, .. } => {
                choosing.late.watch_messages(id, position, *pattern, &senders);
            }
            Asked::WaitAny { .. } | Asked::Test { .. } => choosing.late.watch_completions(id, position, &open),
            Asked::Random { .. } | Asked::Time => {}
        }
        let everything = choosing.everything();
        let history = &mut choosing.histories[rank.index()];
        if forced {
            history.join(&everything);
        }
        match asked {
            Asked::WaitAny { alike: true, .. } => choosing.unseen.chose(id, position),
            _ => history.insert(position),
        }
        match asked {
            Asked::Probe { pattern, take } | Asked::Iprobe { pattern, take, .. } => {
                self.answer_chosen_probe(rank, &pattern, take, event.candidate);
            }
            _ => {
                choosing.answers[rank.index()] = Some(meant as i64);
                self.woken.push(rank);
            }
        }
    }

    fn answer_chosen_probe(&mut self, rank: WorldRank, pattern: &smpi_mailbox::Pattern, take: bool, candidate: u64) {
        let sender = WorldRank(candidate as u32);
        let Some(choosing) = &mut self.choosing else { return };
        let seen = if candidate == NOT_YET { None } else { choosing.held.probed(&self.boxes, rank, pattern, sender) };
        let Some(comm) = seen else {
            self.ranks[rank.index()].probed = None;
            self.woken.push(rank);
            return;
        };
        // A probe shows its rank that the message was sent.
        choosing.histories[rank.index()].join(&self.flights[slot_of(comm)].history);
        if let Some(envelope) = self.boxes.get(comm).map(|communication| communication.envelope) {
            choosing.note_seen(rank, envelope, take);
            self.answer_probe(rank, envelope.into(), take, false);
        }
    }

    /// Puts a question of the calling rank, which must then be suspended until it is woken.
    pub fn ask(&mut self, rank: WorldRank, asked: Asked) {
        if let Some(choosing) = &mut self.choosing {
            choosing.ask(rank, asked);
        }
    }

    /// Whether a question of the rank has no answer yet.
    pub fn is_asking(&self, rank: WorldRank) -> bool {
        self.choosing.as_ref().is_some_and(|choosing| choosing.questions[rank.index()].is_some())
    }

    /// The answer to the rank's question.
    pub fn take_answer(&mut self, rank: WorldRank) -> Option<i64> {
        self.choosing.as_mut()?.answers[rank.index()].take()
    }
}

/// Whether it matters that it is the request at this position.
fn matters(relevant: Option<&[bool]>, position: usize) -> bool {
    relevant.is_none_or(|relevant| relevant.get(position).copied().unwrap_or(true))
}
