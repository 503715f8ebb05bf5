//! Results of Waitany that the program has not looked at: so far, the returned request makes no difference.
//!
//! The program's observer (`smpi-watch`) marks such questions as `alike`, and reports here when the program sees a
//! difference after all. Until then the rank has learnt nothing of the choice, nor of the completion that it took: it
//! would have gone on with any other. So neither joins its history. Too small a history costs time, too large a history
//! loses executions (docs/verification.md has the proof). When all requests of the group are taken, all their
//! completions have happened.
//!
//! What a poll finds, and the program does not look at, is told likewise: "not yet" is answered first, and stands for
//! all answers. A rank that was told "not yet" has learnt nothing, so its history needs no care. Which of its polls
//! the program may still look at, the observer knows, and says so by their numbers.
//!
//! An annotation may say that some requests do not matter. A rank that gets one of them learns only that one of them
//! was complete, not which.

use smpi_base::WorldRank;
use smpi_checker::ChoiceId;
use smpi_checker::history::History;
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::world::World;

use super::Verification;
use crate::state::Pending;

impl Verification {
    /// A rank takes a completion; true when it does not learn of it.
    pub(super) fn takes_unseen(&mut self, rank: WorldRank, key: RequestKey, history: &History) -> bool {
        if self.state.ignored.take_if(|ignored| *ignored == (rank, key.slot)).is_some() {
            return true;
        }
        let unseen = self.state.taken_unseen.take_if(|next| *next == (rank, key)).is_some();
        if unseen {
            self.state.ranks.at_mut(rank).deferred.join(history);
        }
        unseen
    }

    /// The rank takes this completion next, and does not look at which it is.
    pub fn take_unseen(&mut self, rank: WorldRank, key: RequestKey) {
        self.state.taken_unseen = Some((rank, key));
    }

    /// All requests that a rank could have taken are taken: it has waited for all of them.
    pub fn all_taken(&mut self, rank: WorldRank) {
        let state = self.state.ranks.at_mut(rank);
        let deferred = std::mem::take(&mut state.deferred);
        state.history.join(&deferred);
    }

    /// Nothing is left that could show what was chosen.
    pub fn nothing_seen(&mut self, rank: WorldRank) {
        self.state.ranks.at_mut(rank).unseen.clear();
    }

    /// The rank looks at a difference.
    pub fn see(&mut self, rank: WorldRank) {
        self.all_taken(rank);
        let state = self.state.ranks.at_mut(rank);
        for (number, position) in std::mem::take(&mut state.unseen) {
            state.history.insert(position);
            self.state.seen.push(ChoiceId::of(rank, number));
        }
    }

    /// Hands over the choices whose outcome was seen, and those of polls that might have found nothing.
    pub fn take_seen(&mut self, into: &mut Vec<ChoiceId>) {
        into.append(&mut self.state.seen);
        self.state.ahead.drain(into);
    }

    /// The probe that a rank posts next may be told "not yet" in the place of all answers.
    pub fn ask_unheard(&mut self, rank: WorldRank) {
        self.state.ranks.at_mut(rank).asks_unheard = true;
    }

    /// Whether "not yet" stands for all answers of a poll, as long as nobody looks at that. Not where it comes only
    /// because nothing else can happen, nor where a round of polls decides about it (`ahead.rs`).
    pub(super) fn is_unheard(&self, world: &World, rank: WorldRank, pending: &Pending) -> bool {
        pending.question.may_be_unheard()
            && !pending.is_forced()
            && !self.reluctant_sends
            && !self.polls_freely
            && self.symmetric.is_empty()
            && !self.leads_nowhere(world, rank, pending)
            && !self.knows_yes(world, rank, &pending.question)
    }

    /// The number of the poll, if its rank was told "not yet" in the place of all answers by the last one.
    pub fn take_unheard(&mut self, rank: WorldRank) -> Option<u32> {
        self.state.ranks.at(rank).unheard?;
        self.state.ranks.at_mut(rank).unheard.take()
    }

    /// The rank looks at the answer of its poll of this number, which was told "not yet" in the place of all answers.
    pub fn hear(&mut self, rank: WorldRank, number: u32) {
        self.state.seen.push(ChoiceId::of(rank, number));
    }
}
