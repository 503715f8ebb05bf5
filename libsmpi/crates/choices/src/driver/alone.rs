//! Choices that may be made before everything else, where states are recognised: others neither add a candidate nor
//! take one away, and the rank of the choice comes to no end of its moves without it.
//!
//! `smpi_liveness` makes ample sets of them. It asks for more than the checker asks of closed choices: without a choice
//! of this kind, executions in which it is never made need not be looked at, as its rank could always move and does
//! not.
//!
//! A rank is *stuck* behind a choice if whatever it waits for comes from ranks that are stuck: it does nothing before
//! the choice is made, so it sends nothing either.

use smpi_base::WorldRank;
use smpi_checker::ChoiceId;
use smpi_checker::held::Fate;
use smpi_mpi::p2p::request::{Body, Phase, Request};
use smpi_mpi::world::World;

use super::Verification;
use super::open::waits_for_token;
use crate::state::Question;

impl Verification {
    /// Whether a choice that is open at rest is such a one: until it is made, its candidates are those that it has now,
    /// whatever else is chosen, and its rank makes at most as many other choices as it has receives that are held now.
    pub fn stands_alone(&self, world: &World, choice: ChoiceId) -> bool {
        let (rank, number) = (choice.rank(), choice.number);
        if world.is_server(rank) {
            return false;
        }
        match &self.state.ranks.at(rank).pending {
            Some(pending) => {
                // Whatever a rank is asked, it waits. What it can answer to these depends on nobody.
                let is_own = matches!(pending.question, Question::Random { .. } | Question::Visible);
                is_own && pending.number == number
            }
            None => self.is_certain_receive(world, choice),
        }
    }

    /// Whether a receive is all that its rank waits for a choice of, and no further sender can come.
    fn is_certain_receive(&self, world: &World, choice: ChoiceId) -> bool {
        let (rank, number) = (choice.rank(), choice.number);
        let mut held = self.state.held.at(rank);
        let (Some(&receive), None) = (held.next(), held.next()) else { return false };
        if receive.number != number || receive.fate != Fate::Takes || !waits_for_token(world, receive.token) {
            return false;
        }
        let stuck = self.stuck_behind(world, rank);
        let can_send = |sender: WorldRank| !self.state.ranks.at(sender).ended && !stuck[sender.index()];
        self.state.held.candidates_of(&world.state.boxes, rank, number).is_closed(world.all_ranks(), can_send)
    }

    /// By rank: whether it is stuck behind the receive that `first` waits for.
    fn stuck_behind(&self, world: &World, first: WorldRank) -> Vec<bool> {
        let mut stuck: Vec<bool> = world.all_ranks().map(|rank| rank == first).collect();
        let may_be = |rank: &WorldRank| {
            let state = self.state.ranks.at(*rank);
            let chooses = state.pending.is_some() || self.state.held.has_any(*rank) || !state.anticipated.is_empty();
            !state.ended && !chooses && world.state.ranks[rank.index()].waits_for_requests()
        };
        let blocked: Vec<WorldRank> = world.all_ranks().filter(may_be).collect();
        loop {
            let waits = |rank: &&WorldRank| {
                let state = &world.state.ranks[rank.index()];
                let mut requests = state.requests.iter().map(|(_, request)| request);
                !stuck[rank.index()]
                    && requests.any(|request| {
                        let is_awaited = request.phase == Phase::Active && state.waits_for(request);
                        is_awaited && is_up_to(request, |peer| stuck[peer.index()])
                    })
            };
            let Some(&next) = blocked.iter().find(waits) else { return stuck };
            stuck[next.index()] = true;
        }
    }
}

/// Whether one of these ranks has to do something before the request is over: it is at rest, so it is not matched.
fn is_up_to(request: &Request, is_one: impl Fn(WorldRank) -> bool) -> bool {
    match &request.body {
        Body::Send(send) => send.to.is_some_and(is_one),
        Body::Recv(recv) => recv.source >= 0 && recv.from.is_some_and(is_one),
        Body::SendRecv(both) => {
            let named = both.recv.from.filter(|_| both.recv.source >= 0);
            both.send.to.is_some_and(&is_one) && named.is_some_and(&is_one)
        }
        _ => false,
    }
}
