//! Single steps: what the slow reductions of the checker explore in every order (or in all that matter).
//!
//! A step is one post of one rank given to the mailboxes, or one choice. A rank's actions between two suspensions
//! concern only itself, so they are part of the step that woke it. Its posts are then committed one by one, in its
//! order. The agents are the ranks and, for each rank, the network in front of its mailbox, which gives its held
//! receives their messages.
//!
//! Mailboxes define races. An operation *changes* the mailboxes where it posts or takes something. It *looks* at the
//! mailboxes whose contents decide a choice's candidates. A choice races with a later change of a mailbox that it looks
//! at, unless the choice caused the change, which the histories show. A change does not race with a later choice: every
//! candidate from before the change is still one after it (see the crate `smpi-checker` on stability). Two sends to one
//! mailbox do not race: only a choice of the receiver tells them apart, and this choice looks at the mailbox.

use smpi_base::WorldRank;
use smpi_checker::held::HeldReceive;
use smpi_checker::history::History;
use smpi_mpi::p2p::request::{Body, Owner, Request};
use smpi_mpi::world::{Post, World};

use super::Verification;
use crate::state::Question;

/// What stands for the meeting point of all collective operations, which is no mailbox.
const COLLECTIVES: u32 = u32::MAX;

/// What an agent does next, as far as dependence is concerned.
#[derive(Clone, Default, Debug)]
pub struct NextOperation {
    looks: Vec<u32>,
    changes: Vec<u32>,
    /// It races with everything.
    on_all: bool,
}

impl NextOperation {
    /// True when the answers to this one may be others after a later one.
    pub fn races_with(&self, later: &NextOperation) -> bool {
        self.on_all || later.on_all || self.looks.iter().any(|place| later.changes.contains(place))
    }

    /// True when it may take steps of others away.
    pub fn disables(&self) -> bool {
        self.on_all
    }

    /// Adds the mailboxes that a request concerns.
    fn add(&mut self, rank: WorldRank, request: &Request, places: fn(&mut NextOperation) -> &mut Vec<u32>) {
        let list = places(self);
        match &request.body {
            Body::Send(send) => list.extend(send.to.map(|to| to.0)),
            Body::Recv(_) | Body::MatchedRecv(..) | Body::Portion => list.push(rank.0),
            Body::Partitioned(all) if all.sends => list.extend(all.peer.map(|to| to.0)),
            Body::Partitioned(_) => list.push(rank.0),
            Body::SendRecv(both) => list.extend(both.send.to.map(|to| to.0).into_iter().chain([rank.0])),
            Body::Collective(_) => list.push(COLLECTIVES),
            Body::Generalized(_) => {}
            // Who receives a buffered message frees its place in the buffer.
            Body::Flush(_) | Body::Access(_) | Body::Window(_) | Body::File(_) => self.on_all = true,
        }
    }
}

impl Verification {
    /// Ranks that have posted something that is not committed, ascending.
    pub fn posting(world: &World) -> Vec<WorldRank> {
        let mut ranks: Vec<WorldRank> = world.posts().iter().map(|post| post.0).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// Commits the oldest post of a rank.
    pub fn commit_first(&mut self, world: &mut World, rank: WorldRank) {
        // Positions in the histories are numbers of steps.
        self.state.next_position();
        world.commit_first(self, rank);
    }

    /// The choices, by their position, without which a rank would not do that next.
    pub fn past_of_rank(&self, rank: WorldRank, out: &mut Vec<usize>) {
        let state = self.state.ranks.at(rank);
        // A post was made with what the rank knew then; what it has learnt since in the same turn comes after.
        let known = state.posted.front().map_or(&state.history, |post| &post.history);
        let positions = 0..self.state.positions();
        out.extend(positions.filter(|&position| known.contains(position)).map(|at| at as usize));
    }

    /// The choices without which no receive would be held at a rank.
    pub fn past_of_network(&self, world: &World, rank: WorldRank, out: &mut Vec<usize>) {
        let open = self.state.held.at(rank).filter(|receive| receive.is_choice());
        let state = self.state.ranks.at(rank);
        let posted = |receive: &HeldReceive| &state.request(Owner::of(receive.token).slot).posted;
        let mut pasts: Vec<&History> = open.map(posted).collect();
        pasts.extend(self.undelivered(world, rank));
        let in_all = |&position: &u32| !pasts.is_empty() && pasts.iter().all(|past| past.contains(position));
        out.extend((0..self.state.positions()).filter(in_all).map(|at| at as usize));
    }

    /// What a rank does next; `None` when it is through, or waits for something that leaves it no choice.
    pub fn next_of_rank(&self, world: &World, rank: WorldRank) -> Option<NextOperation> {
        let mut operation = NextOperation::default();
        if let Some((_, post)) = world.posts().iter().find(|post| post.0 == rank) {
            match post {
                Post::Send(outgoing) => operation.changes.push(outgoing.to.0),
                Post::Start(slot) => {
                    if let Some(request) = world.request_at(rank, *slot) {
                        operation.add(rank, request, |operation| &mut operation.changes);
                    }
                }
                Post::Join(lane) => operation.changes.push(lane.to.0),
                Post::Advance(_) => operation.changes.push(COLLECTIVES),
                Post::Cancel(_) | Post::Access(_) | Post::Release(_) => operation.on_all = true,
                Post::Probe { .. } => {}
            }
            return Some(operation);
        }
        match &self.state.ranks.at(rank).pending.as_ref()?.question {
            Question::Probe { take, .. } | Question::Iprobe { take, .. } => {
                operation.looks.push(rank.0);
                operation.changes.extend(take.then_some(rank.0));
            }
            Question::WaitAny { requests, .. } | Question::Test { requests, .. } => {
                for request in requests.slots.iter().filter_map(|&slot| world.request_at(rank, slot)) {
                    operation.add(rank, request, |operation| &mut operation.looks);
                }
            }
            Question::Random { .. } | Question::Time | Question::Visible => {}
        }
        Some(operation)
    }

    /// What the network in front of a rank's mailbox does next, which also chooses whether messages of the rank are
    /// delivered; `None` when there is nothing to choose.
    pub fn next_of_network(&self, world: &World, rank: WorldRank) -> Option<NextOperation> {
        let is_open = self.state.held.at(rank).any(|receive| receive.is_choice());
        // Whether a message is delivered changes another mailbox. That is rare enough to be tried in every order.
        let on_all = self.undelivered(world, rank).next().is_some();
        (is_open || on_all).then(|| NextOperation { looks: vec![rank.0], changes: vec![rank.0], on_all })
    }
}
