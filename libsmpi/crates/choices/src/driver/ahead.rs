//! What a rank would poll for next if a poll of it found nothing.
//!
//! A rank that is told "not yet" often does nothing else than to poll on: it goes a *round* of places until it is where
//! it was. Nobody else sees that, so it makes no difference whether the rank stands at one place of its round or at
//! another, but for one thing: which of its polls finds something first. So "not yet" is worth an execution only where
//! a poll further on could find something that does not depend on what this one finds.
//!
//! - A poll further on could find something now: "not yet" is a candidate like any other.
//! - This poll finds something, and none further on could: "not yet" is needless ([`smpi_checker::Choice`]), until a
//!   message comes or a request completes that one of those would find, and that does not depend on what this one has
//!   found. That is watched as late arrivals are.
//! - No poll of the round could find anything: the rank waits. If nothing else can happen, "not yet" is forced, as
//!   where a rank comes back to.
//!
//! Where states are recognised whatever led to them, all this follows from the state: its name tells where each rank
//! was told "not yet", and whether somebody was forced since then. What would be found is watched on each path to it
//! (`smpi_checker::below`).
//!
//! A place where the rank was told "not yet" already is not further on: what could be found there now, could have been
//! found then, and was or will be tried there. Not if some rank was *forced* since then: what that rank does counts as
//! caused by all that was before, so that nothing of it comes late. For the same reason, all that is watched could have
//! come when a rank is forced.
//!
//! All this needs to know all that a rank may look at. Where it is in windows, or where sends are buffered by choice,
//! every "not yet" is a candidate.

use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::{ChoiceId, Event};
use smpi_mpi::world::World;

use super::Verification;
use crate::state::{Ahead, Pending, Place, Question, Round};

impl Verification {
    /// The ranks that poll where "not yet" is no repetition, of which nobody knows what they do next if they find
    /// nothing; none where that is not asked.
    pub fn asking_ahead(&self, world: &World) -> Vec<WorldRank> {
        let is_exact = !self.polls_freely && self.free_polls == 0 && !self.reluctant_sends && self.symmetric.is_empty();
        if !is_exact || world.has_windows() {
            return Vec::new();
        }
        let asks = |&rank: &WorldRank| {
            let pending = self.state.ranks.at(rank).pending.as_ref();
            pending.is_some_and(|pending| {
                matches!(pending.ahead, Ahead::Unknown)
                    && is_followed(&pending.question)
                    && !pending.is_forced()
                    && !self.knows_yes(world, rank, &pending.question)
            })
        };
        world.all_ranks().filter(asks).collect()
    }

    /// Tells where a rank comes that finds nothing; `None` if it may do anything.
    pub fn tell_ahead(&mut self, rank: WorldRank, round: Option<Rc<Round>>) {
        if let Some(pending) = self.state.ranks.at_mut(rank).pending.as_mut() {
            pending.ahead = round.map_or(Ahead::Anything, Ahead::Polls);
        }
    }

    /// Adds where a rank is now, by this name, to its round. False: it does something else there than to poll for what
    /// others bring, or it cannot be told "not yet".
    pub fn add_place(&self, world: &World, rank: WorldRank, name: u128, round: &mut Round) -> bool {
        let Some(pending) = &self.state.ranks.at(rank).pending else { return false };
        let polls = is_followed(&pending.question) && !self.knows_yes(world, rank, &pending.question);
        if polls {
            round.places.push(Place { name, question: pending.question.clone() });
        }
        polls
    }

    /// Whether a schedule may say that a poll finds nothing.
    pub fn may_find_nothing(&self, world: &World, event: Event) -> bool {
        let pending = self.state.ranks.at(event.choice.rank()).pending.as_ref();
        let is_meant = |pending: &Pending| {
            pending.number == event.choice.number
                && pending.question.polls().is_some()
                && !self.knows_yes(world, event.choice.rank(), &pending.question)
        };
        event.candidate == NOT_YET && pending.is_some_and(is_meant)
    }

    /// The polls further on of a rank.
    fn further_on<'a>(&'a self, rank: WorldRank, round: &'a Round) -> impl Iterator<Item = &'a Question> {
        let polled = &self.state.ranks.at(rank).polled;
        let is_new = |place: &&Place| !polled.was_at(place.name, &self.state.turns);
        round.places.iter().take_while(is_new).map(|place| &place.question)
    }

    /// Whether a rank that finds nothing does nothing else than to poll, and could find nothing further on now.
    pub(super) fn leads_nowhere(&self, world: &World, rank: WorldRank, pending: &Pending) -> bool {
        let finds = |question: &Question| self.finds_something(world, rank, question);
        pending.round().is_some_and(|round| !self.further_on(rank, round).any(finds))
    }

    /// Whether a rank that is told "not yet" is told so only because nothing else can happen.
    pub(super) fn is_forced_no(&self, world: &World, rank: WorldRank, pending: &Pending) -> bool {
        match pending.round() {
            Some(_) => {
                !self.finds_something(world, rank, &pending.question) && self.leads_nowhere(world, rank, pending)
            }
            None => pending.is_forced(),
        }
    }

    /// Whether a poll of the rank could find something now.
    fn finds_something(&self, world: &World, rank: WorldRank, question: &Question) -> bool {
        match question {
            Question::Iprobe { pattern, .. } => !self.senders(world, rank, pattern).is_empty(),
            _ => question.requests().is_none_or(|requests| {
                let mut found = Vec::new();
                self.selections(world, rank, requests, &mut found);
                !found.is_empty()
            }),
        }
    }

    /// A poll has found something: watches for what polls further on would find.
    pub(super) fn watch_ahead(&mut self, world: &World, id: ChoiceId, position: u32, pending: &Pending) {
        let rank = id.rank();
        let Some(round) = pending.round().filter(|_| self.leads_nowhere(world, rank, pending)) else { return };
        let watched: Vec<_> = self
            .further_on(rank, round)
            .map(|question| (question.pattern().copied(), self.open_slots(world, rank, question)))
            .collect();
        for (pattern, open) in watched {
            match pattern {
                Some(pattern) => self.state.ahead.watch_messages(id, position, pattern, &[]),
                None => self.state.ahead.watch_completions(id, position, &open),
            }
        }
    }
}

/// Whether it is a poll for what messages and requests bring.
fn is_followed(question: &Question) -> bool {
    question.polls().is_some() && !question.is_about_memory()
}
