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
//!   where a rank comes back to. But if the rank was told "not yet" already where it could find something now, it has
//!   been told so in vain: what it waited for has not come. It would go round, and find it then: as in the execution
//!   without this round. So this one is void ([`smpi_checker::Settled::Void`]).
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
//! # Echoes
//!
//! Programs keep what their polls have told them last, whether or not they look at it again. So a rank that has found
//! something by one poll, and stands at another one, is not where it was when it has gone round: the first has answered
//! "not yet" since then. A place further on that polls for the same as a place where the rank is told "not yet", and is
//! the same but for some bytes that it remembers, is an *echo* of that one. What can be found at both is found at the
//! first, if that makes no difference: the rank is let find it at the echo, with those bytes and with the others, and
//! is the same afterwards, and so is all else. Then the echo does not count as a poll further on that could find
//! something.
//!
//! *Claim.* Nothing is lost. Let a rank be told "not yet" at P, and find a at an echo of P, in some execution. What
//! others have done until then does not depend on that "not yet", so they can do it while the rank stands at P, where a
//! could be found then. If the rank does the same after it has found a there, that is an execution with the same end,
//! without the round. If it does not, the echo counts, at P and at each place on the way to it. That a has come while
//! the rank was at P is watched at P, which polls for the same: the echoes need not be watched.
//!
//! # What is not followed
//!
//! All this needs to know all that a rank may look at. Where it is in windows, or where sends are buffered by choice,
//! every "not yet" is a candidate.

use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::{ChoiceId, Event};
use smpi_mpi::world::World;

use super::Verification;
use crate::state::{Ahead, Pending, Place, Question, Remembered, Round};

/// An echo at which a rank could find something now.
pub struct EchoAhead {
    /// Its name.
    pub place: u128,
    /// Polls in vain that lead there.
    pub polls: usize,
    /// What could be found.
    pub found: Vec<u64>,
    /// What the rank remembers at each place that it echoes.
    pub remembered: Vec<Remembered>,
}

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

    /// The places of a round that poll for the same as a rank does now.
    pub fn asking_the_same(&self, rank: WorldRank, round: &Round) -> Vec<usize> {
        let Some(pending) = &self.state.ranks.at(rank).pending else { return Vec::new() };
        let places = round.places.iter().enumerate();
        places.filter(|(_, place)| place.question.asks_the_same(&pending.question)).map(|(place, _)| place).collect()
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

    /// The places further on of a rank.
    fn further_on<'a>(&'a self, rank: WorldRank, round: &'a Round) -> impl Iterator<Item = &'a Place> {
        let polled = &self.state.ranks.at(rank).polled;
        let is_new = |place: &&Place| !polled.was_at(place.name, &self.state.turns);
        round.places.iter().take_while(is_new)
    }

    /// What a rank remembers at the places that a place further on echoes.
    fn echoed<'a>(
        &'a self,
        rank: WorldRank,
        round: &'a Round,
        place: &'a Place,
    ) -> impl Iterator<Item = &'a Remembered> {
        let before = self.state.ranks.at(rank).polled.echoes(&self.state.turns);
        let echoes = round.echoes.iter().chain(before);
        echoes.filter(|echo| echo.place == place.name).map(|echo| &echo.remembered)
    }

    /// Whether a rank that finds nothing does nothing else than to poll, and could find nothing further on now that it
    /// cannot find here or could not have found before.
    pub(super) fn leads_nowhere(&self, world: &World, rank: WorldRank, pending: &Pending) -> bool {
        let finds = |place: &Place| {
            !pending.same.contains(&place.name) && !self.found_by(world, rank, &place.question).is_empty()
        };
        pending.round().is_some_and(|round| !self.further_on(rank, round).any(finds))
    }

    /// The ranks that could find something further on now, but at echoes only: at which.
    pub fn echoes_ahead(&self, world: &World) -> Vec<(WorldRank, Vec<EchoAhead>)> {
        let asks = |rank: WorldRank| {
            let round = self.state.ranks.at(rank).pending.as_ref()?.round()?;
            let mut echoes = Vec::new();
            for (place, polls) in self.further_on(rank, round).zip(1..) {
                let found = self.found_by(world, rank, &place.question);
                if found.is_empty() {
                    continue;
                }
                let remembered: Vec<Remembered> = self.echoed(rank, round, place).cloned().collect();
                if remembered.is_empty() {
                    return None;
                }
                echoes.push(EchoAhead { place: place.name, polls, found, remembered });
            }
            (!echoes.is_empty()).then_some((rank, echoes))
        };
        world.all_ranks().filter_map(asks).collect()
    }

    /// Tells at which echoes it is the same to find what can be found now: nobody else's are.
    pub fn tell_same(&mut self, told: Vec<(WorldRank, Vec<u128>)>) {
        let has_some = |pending: &Pending| !pending.same.is_empty();
        let ranks = self.state.ranks.iter().zip((0..).map(WorldRank));
        let known = ranks.filter(|(state, _)| state.pending.as_ref().is_some_and(has_some));
        let forgotten: Vec<_> = known.map(|(_, rank)| (rank, Vec::new())).collect();
        for (rank, same) in forgotten.into_iter().chain(told) {
            if let Some(pending) = self.state.ranks.at_mut(rank).pending.as_mut() {
                pending.same = same;
            }
        }
    }

    /// Says whether executions in which a rank was told "not yet" in vain are void; returns whether they were. Who
    /// makes choices at random would come to no other end for long.
    pub fn leave_rounds(&mut self, leaves: bool) -> bool {
        std::mem::replace(&mut self.leaves_rounds, leaves)
    }

    /// Whether some rank was told "not yet" in vain where it could find something now: nothing further on has come.
    /// Asked where nothing else can happen, so that what is found there was tried.
    pub(super) fn has_gone_round(&self, world: &World) -> bool {
        self.leaves_rounds
            && world.all_ranks().any(|rank| {
                let round = self.state.ranks.at(rank).pending.as_ref().and_then(Pending::round);
                let finds = |place: &Place| !self.found_by(world, rank, &place.question).is_empty();
                round.is_some_and(|round| round.places.iter().any(finds))
            })
    }

    /// Whether a rank that is told "not yet" is told so only because nothing else can happen.
    pub(super) fn is_forced_no(&self, world: &World, rank: WorldRank, pending: &Pending) -> bool {
        match pending.round() {
            Some(_) => {
                self.found_by(world, rank, &pending.question).is_empty() && self.leads_nowhere(world, rank, pending)
            }
            None => pending.is_forced(),
        }
    }

    /// What a poll of the rank could find now: a poll of messages or requests.
    fn found_by(&self, world: &World, rank: WorldRank, question: &Question) -> Vec<u64> {
        let mut found = Vec::new();
        if let Some(pattern) = question.pattern() {
            found = self.senders(world, rank, pattern);
        } else if let Some(requests) = question.requests() {
            self.selections(world, rank, requests, &mut found);
        }
        found
    }

    /// A poll has found something: watches for what polls further on would find.
    pub(super) fn watch_ahead(&mut self, world: &World, id: ChoiceId, position: u32, pending: &Pending) {
        let rank = id.rank();
        let Some(round) = pending.round().filter(|_| self.leads_nowhere(world, rank, pending)) else { return };
        let is_watched = |place: &&Place| self.echoed(rank, round, place).next().is_none();
        let watched: Vec<_> = self
            .further_on(rank, round)
            .filter(is_watched)
            .map(|Place { question, .. }| (question.pattern().copied(), self.open_slots(world, rank, question)))
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
