//! How often ranks have polled in vain. This decides whether a poll may be answered "not yet" once more, and whose turn
//! it is.
//!
//! When only futile polls are left, ranks get "not yet" in turn: first the rank that has got it least often for its
//! present question. So a rank that polls for several things in a loop reaches each of them, and no rank spins while
//! another could make progress. A new question has its turn with those that have waited longest, and not before: whose
//! turn it is then depends on differences only, and states can be recognised however long ranks have polled. Too many
//! polls means: too many since anything happened anywhere.

use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::digest::Digest;
use smpi_checker::alternatives::{self, NOT_YET};
use smpi_checker::{ChoiceId, Choices, Event};
use smpi_mailbox::{Envelope, Pattern};
use smpi_mpi::world::{HowMany, Matter, World};

use super::Verification;
use crate::state::{Pending, Polled, Question, Retry, Unseen};

impl Verification {
    /// Lists the poll whose turn it is, of those that find nothing and that have not failed more than `max_futile`
    /// times since something has happened.
    pub(super) fn next_forced(&mut self, world: &World, max_futile: u32, out: &mut Choices) {
        let turn = |pending: &Pending| Some(pending.question.polls()?.turn(&self.state.turns));
        let waiting = self.state.ranks.iter().zip((0..).map(WorldRank));
        let turn = waiting.filter_map(|(state, rank)| Some((turn(state.pending.as_ref()?)?, rank))).min();
        if let Some((_, rank)) = turn {
            self.open_choices_of(world, rank, Some(max_futile), out);
        }
    }

    /// The ranks that poll again for what they have polled for in vain, of which it is not known whether they give up,
    /// and whether it is, or may be, there now. (Where it is not there, and they do not, "not yet" comes when nothing
    /// else can happen.) A poll that has been looked at is left out where it still finds nothing.
    pub fn asking_again(&self, world: &World) -> Vec<(WorldRank, bool)> {
        let found = |rank: WorldRank| {
            let pending = self.state.ranks.at(rank).pending.as_ref().filter(|pending| pending.is_forced())?;
            // What a rank that looks at memory would be told is not known before it looks.
            let is_there =
                pending.question.is_about_memory() || !self.answers(world, rank, pending, None, &mut false).is_empty();
            let is_open = is_there || pending.retry.is_none();
            (is_open && !self.knows_yes(world, rank, &pending.question)).then_some((rank, is_there))
        };
        if self.polls_freely { Vec::new() } else { world.all_ranks().filter_map(found).collect() }
    }

    /// Whether an event is that a poll finds nothing although that is not all that can happen.
    pub fn is_free_no(&self, world: &World, event: Event) -> bool {
        let rank = event.choice.rank();
        let pending = self.state.ranks.at(rank).pending.as_ref();
        let is_meant = |pending: &Pending| {
            pending.number == event.choice.number
                && pending.question.polls().is_some()
                && !self.is_forced_no(world, rank, pending)
        };
        event.candidate == NOT_YET && !self.polls_freely && pending.is_some_and(is_meant)
    }

    /// A rank is told "not yet" where it has this name.
    pub fn try_at(&mut self, rank: WorldRank, name: u128, unseen: Unseen) {
        let turns = self.state.turns;
        let state = self.state.ranks.at_mut(rank);
        let round = state.pending.as_ref().and_then(Pending::round);
        let echoes = round.map_or_else(Rc::default, |round| Rc::clone(&round.echoes));
        state.polled.try_at(name, unseen, echoes, &turns);
    }

    /// What a rank has polled for in vain, and where.
    pub fn polled(&self, rank: WorldRank) -> &Polled {
        &self.state.ranks.at(rank).polled
    }

    /// Tells where a rank is whose poll finds nothing.
    pub fn tell_retry(&mut self, rank: WorldRank, retry: Retry) {
        if let Some(pending) = self.state.ranks.at_mut(rank).pending.as_mut() {
            pending.retry = Some(retry);
        }
    }

    /// Whether an event is that a poll finds nothing because nothing else can happen, of which nobody knows what it
    /// changes.
    pub fn is_open_retry(&self, event: Event) -> bool {
        let pending = self.state.ranks.at(event.choice.rank()).pending.as_ref();
        let is_meant = |pending: &Pending| {
            pending.number == event.choice.number && pending.is_forced() && pending.retry == Some(Retry::Open)
        };
        event.candidate == NOT_YET && pending.is_some_and(is_meant)
    }

    /// Says that what happens is only tried, or is not any more: clocks stand still meanwhile, and the program's
    /// messages are not recorded.
    pub fn try_out(&mut self, tries: bool) {
        if self.is_trial != tries {
            std::mem::swap(&mut self.recorded, &mut self.recorded_before);
        }
        self.is_trial = tries;
        self.looks_at_clock = false;
    }

    /// Whether some rank has looked at its clock since something is tried.
    pub fn has_looked_at_clock(&self) -> bool {
        self.looks_at_clock
    }

    /// Nobody is told what has ended, until a state is put back: only one rank is to go on.
    pub fn hold_back_ended(&mut self) {
        self.state.ended.clear();
    }

    /// The answers that a rank can get that polls for what it does not find, or draws a number between polls. What it
    /// asks of the servers of windows meanwhile, it gets.
    pub fn asked_in_vain(&self, world: &World, rank: WorldRank) -> Vec<Event> {
        let Some(pending) = &self.state.ranks.at(rank).pending else { return self.granted_next(world, rank) };
        let choice = ChoiceId::of(rank, pending.number);
        let events = |candidates: &mut dyn Iterator<Item = u64>| {
            candidates.map(|candidate| Event { choice, candidate }).collect()
        };
        match &pending.question {
            Question::Random { min, max } => events(&mut (*min..=*max).map(|value| value as u64)),
            question if question.polls().is_some() => events(&mut std::iter::once(NOT_YET)),
            _ => Vec::new(),
        }
    }

    /// What a server of a window does next of what a rank has asked for.
    fn granted_next(&self, world: &World, rank: WorldRank) -> Vec<Event> {
        let mut open = Choices::new();
        for server in world.everybody().filter(|&other| world.is_server(other)) {
            self.open_choices_of(world, server, None, &mut open);
            let asked = open.all().find(|choice| open.candidates(choice).contains(&u64::from(rank.0)));
            if let Some(choice) = asked {
                return vec![Event { choice: choice.id, candidate: u64::from(rank.0) }];
            }
            open.clear();
        }
        Vec::new()
    }

    /// Adds what a rank asks to a name, apart from how often.
    pub fn name_question(&self, rank: WorldRank, into: &mut Digest) {
        let question = self.state.ranks.at(rank).pending.as_ref().map(|pending| &pending.question);
        let asks = question.map(Question::kind);
        into.add((
            asks.map(|kind| kind as u32),
            question.and_then(Question::pattern),
            question.and_then(Question::requests),
            matches!(question, Some(Question::Iprobe { take: true, .. })),
        ));
    }

    /// Whether an answer of a poll tells a rank what it knows, and leaves it as it is: that a message is there, or that
    /// requests are complete.
    pub(super) fn is_known(&self, world: &World, rank: WorldRank, pending: &Pending, answer: u64) -> bool {
        match &pending.question {
            Question::Iprobe { pattern, take: false, .. } => {
                let comm = self.state.held.probed(&world.state.boxes, rank, pattern, WorldRank(answer as u32));
                let message = comm.and_then(|comm| world.state.boxes.get(comm));
                message.is_some_and(|message| {
                    let Envelope { context, source, tag } = message.envelope;
                    self.state.ranks.at(rank).seen.has(&Pattern { context, source: Some(source), tag: Some(tag) })
                })
            }
            Question::Test { requests, take: false, .. } => {
                let returned = match requests.how_many {
                    HowMany::One => Some(vec![answer as u32]),
                    HowMany::Some => alternatives::members(answer),
                    HowMany::All => None,
                };
                let is_returned = |place: u32| returned.as_ref().is_none_or(|returned| returned.contains(&place));
                self.done(world, rank, requests).iter().all(|one| one.known || !is_returned(one.position))
            }
            _ => false,
        }
    }

    /// Whether an event answers a poll with what its rank knows already.
    pub fn tells_nothing_new(&self, world: &World, event: Event) -> bool {
        let rank = event.choice.rank();
        let pending = self.state.ranks.at(rank).pending.as_ref();
        let asked = pending.filter(|pending| pending.number == event.choice.number && event.candidate != NOT_YET);
        asked.is_some_and(|pending| self.is_known(world, rank, pending, event.candidate))
    }

    /// A choice is made: does anybody get something by it? "Not yet" is nothing, and neither is what a rank does by
    /// itself. Who gets the lock of a window, or accesses it, has changed nothing by that: `matter` is what the chooser
    /// serves, if it is a server.
    pub(super) fn note_change(&mut self, event: Event, matter: Option<Matter>, is_known: bool) {
        if is_known {
            self.state.ranks.at_mut(event.choice.rank()).polled.tell_again();
        }
        let pending = self.state.ranks.at(event.choice.rank()).pending.as_ref();
        let is_nothing = match pending.filter(|pending| pending.number == event.choice.number) {
            Some(pending) => {
                event.candidate == NOT_YET
                    || is_known
                    || matches!(pending.question, Question::Time | Question::Random { .. } | Question::Visible)
            }
            None => matter.is_some_and(|matter| matter != Matter::File),
        };
        if !is_nothing {
            self.state.turns.change();
        } else if let Some(polls) = pending.and_then(|pending| pending.question.polls()) {
            self.state.turns.serve(&polls);
        }
    }
}
