//! Results of Waitany that the program has not looked at: which request it was makes no difference so far.
//!
//! Who watches the program (the C layer) asks such questions as `alike`, and tells here when a difference is seen after
//! all. Until then the rank has learnt nothing of the choice, nor of the completion that it took: it would have gone on
//! with any other. So neither joins its history; an underestimated history costs time, an overestimated one executions
//! (docs/verification.md has the argument). When all requests of the group are taken, all their completions have
//! happened.
//!
//! Where a program has said by an annotation that it does not matter which of some requests it is given, it does not
//! learn of that completion either: only that it was one of them.

use smpi_base::WorldRank;
use smpi_checker::ChoiceId;
use smpi_checker::history::History;
use smpi_mpi::p2p::request::RequestKey;

use super::Verification;

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
            self.state.seen.push(ChoiceId { rank, number });
        }
    }

    /// Hands over the choices whose outcome was seen.
    pub fn take_seen(&mut self, into: &mut Vec<ChoiceId>) {
        into.append(&mut self.state.seen);
    }
}
