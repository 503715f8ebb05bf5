//! What becomes of the histories of ranks, requests and messages when the driver is told what has happened.

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_checker::Told;
use smpi_checker::history::History;
use smpi_mailbox::{Context, Envelope};
use smpi_mpi::p2p::request::{Body, Request, RequestKey, Status};
use smpi_mpi::world::{Post, World};

use super::Verification;
use crate::state::{Polls, PostNote, Tracked};

impl Verification {
    pub(super) fn entered(&mut self, rank: WorldRank, function: Function) {
        self.follow_call(rank, function);
        let state = self.state.ranks.at_mut(rank);
        if function != Function::Wtime {
            state.clock.interrupt();
        }
        state.polled.enter(peeks(function));
        if function.is_passive() {
            state.polled.look();
        }
        if !function.is_poll() && !function.is_seen_by_operations() && !function.is_passive() {
            self.acts(rank);
        }
    }

    /// A poll has found something. One of nothing that is active always does, and that is nothing new.
    pub(super) fn poll_found(&mut self, rank: WorldRank) {
        if self.state.ranks.at(rank).polled.is_asking() {
            self.acts(rank);
        }
    }

    /// A rank does something that others can see, or gets something: what it polls for from now on, it has not polled
    /// for.
    #[inline]
    pub(super) fn acts(&mut self, rank: WorldRank) {
        if !self.state.ranks.at(rank).polled.is_empty() {
            let state = self.state.ranks.at_mut(rank);
            state.polled.clear();
            state.clock.progress();
        }
    }

    pub(super) fn note_post(&mut self, world: &World, rank: WorldRank, post: &Post) {
        if !self.is_noted(post) {
            return;
        }
        let cancellable = match post {
            Post::Send(outgoing) => outgoing.slot().and_then(|slot| self.cancellable(world, rank, slot)),
            _ => None,
        };
        let polls = match post {
            Post::Probe { pattern, take, block: false } => self.count_poll(rank, (pattern, take)),
            _ => Polls::default(),
        };
        let history = self.state.passed_on(rank);
        let by = self.place_of(rank, post);
        let state = self.state.ranks.at_mut(rank);
        let unheard = matches!(post, Post::Probe { .. }) && std::mem::take(&mut state.asks_unheard);
        state.posted.push_back(PostNote { history, cancellable, polls, by, unheard });
    }

    pub(super) fn taken(&mut self, world: &World, rank: WorldRank, key: RequestKey) {
        if let Some(request) = world.request_at(rank, key.slot) {
            if is_seen(request, rank) {
                self.acts(rank);
            }
            let state = self.state.ranks.at_mut(rank);
            let &Tracked { receive, sender, .. } = state.request(key.slot);
            let received = state.communications.take(rank, request, (receive, sender));
            if let Some(recorded) = &mut self.recorded {
                recorded.extend(received);
            }
        }
        let history = self.state.told_by(rank, key.slot);
        let is_unseen = self.takes_unseen(rank, key, &history);
        self.tell(|told| if is_unseen { told.lose() } else { told.takes(rank, key.slot) });
        let state = self.state.ranks.at_mut(rank);
        state.progress += 1;
        if !is_unseen {
            state.history.join(&history);
            if let Some(request) = world.request_at(rank, key.slot) {
                state.seen.took(key.slot, taken_by(request));
            }
        }
    }

    /// A rank is told that a request is over, and does not take its completion.
    pub(super) fn shown(&mut self, rank: WorldRank, key: RequestKey) {
        let history = self.state.told_by(rank, key.slot);
        self.state.ranks.at_mut(rank).history.join(&history);
        self.tell(|told| told.takes(rank, key.slot));
    }

    /// What it does depends on what its parent knew.
    pub(super) fn rank_begins(&mut self, rank: WorldRank, parent: WorldRank) {
        self.tell(Told::lose);
        self.has_met = true;
        let history = self.state.passed_on(parent);
        let state = self.state.ranks.at_mut(rank);
        (state.ended, state.history) = (false, history);
    }

    pub(super) fn commits(&mut self, rank: WorldRank, post: &Post) {
        let is_noted = self.is_noted(post);
        self.committing = if is_noted { self.state.ranks.at_mut(rank).posted.pop_front() } else { None };
    }

    /// What the rank asks for now, of those who have files, depends on what it knows: it waits in that call.
    pub(super) fn acts_for(&mut self, rank: WorldRank) {
        self.tell(Told::lose);
        let history = self.state.passed_on(rank);
        self.committing =
            Some(PostNote { history, cancellable: None, polls: Polls::default(), by: None, unheard: false });
    }

    pub(super) fn completed(&mut self, world: &World, rank: WorldRank, slot: u32) {
        let watched = world.request_at(rank, slot).and_then(|request| request.watched.as_ref());
        if watched.is_some_and(|watched| watched.in_call) {
            // The program has no handle of it to ask about it with.
            return;
        }
        let history = self.state.told_by(rank, slot);
        self.state.is_over(rank, slot, &history);
    }

    pub(super) fn begun_within(&mut self, rank: WorldRank, whole: u32, part: u32) {
        self.tell(Told::lose);
        let state = self.state.ranks.at_mut(rank);
        let &Tracked { ref history, ref posted, start, .. } = state.request(whole);
        let (history, posted) = (history.clone(), posted.clone());
        *state.request_mut(part) = Tracked { history, posted, start, ..Tracked::NONE };
    }

    /// Who sees that a partition is there learns what its own messages tell, and nothing of the others.
    pub(super) fn piece_arrived(&mut self, rank: WorldRank, (whole, step): (u32, u32), part: u32) {
        self.tell(Told::lose);
        let state = self.state.ranks.at_mut(rank);
        if let Some(place) = state.single(whole, step) {
            let learnt = state.single[place].history.clone();
            state.request_mut(part).history.join(&learnt);
        }
    }

    pub(super) fn partition_over(&mut self, rank: WorldRank, whole: u32, part: u32) {
        self.tell(Told::lose);
        let state = self.state.ranks.at_mut(rank);
        let learnt = state.request(part).history.clone();
        state.request_mut(whole).history.join(&learnt);
    }

    pub(super) fn answered(&mut self, server: WorldRank, rank: WorldRank, about: (Context, u32), slot: Option<u32>) {
        self.tell(Told::lose);
        let known = self.state.ranks.at(server).history.clone();
        let state = self.state.ranks.at_mut(rank);
        if let Some(slot) = slot {
            state.request_mut(slot).history.join(&known);
        }
        match state.answers.iter_mut().find(|(other, _)| *other == about) {
            Some((_, history)) => history.join(&known),
            None => state.answers.push((about, known)),
        }
    }

    pub(super) fn served(&mut self, server: WorldRank, rank: WorldRank, slot: u32) {
        self.tell(Told::lose);
        let known = self.state.ranks.at(server).history.clone();
        self.state.ranks.at_mut(rank).request_mut(slot).history.join(&known);
    }

    pub(super) fn heard(&mut self, rank: WorldRank, about: (Context, u32)) {
        self.tell(Told::lose);
        let state = self.state.ranks.at_mut(rank);
        if let Some(place) = state.answers.iter().position(|(other, _)| *other == about) {
            let (_, known) = state.answers.swap_remove(place);
            state.history.join(&known);
        }
    }

    /// A rank has changed memory of a window.
    pub(super) fn changed(&mut self, rank: WorldRank) {
        self.tell(Told::lose);
        self.has_met = true;
        self.state.turns.change();
        self.acts(rank);
    }

    pub(super) fn fence_passed(&mut self, rank: WorldRank, slot: u32) {
        let state = self.state.ranks.at_mut(rank);
        state.single.retain(|single| single.slot != slot);
        let tracked = state.request_mut(slot);
        tracked.posted = tracked.history.clone();
    }

    /// What is posted from now on depends on this message, and not on others that happen to be over.
    pub(super) fn message_awaited(&mut self, rank: WorldRank, slot: u32, step: u32) {
        let state = self.state.ranks.at_mut(rank);
        if let Some(place) = state.single(slot, step) {
            let learnt = state.single.swap_remove(place).history;
            state.request_mut(slot).posted.join(&learnt);
        }
    }

    pub(super) fn gate_opens(&mut self, ready: &[(WorldRank, u32)]) {
        self.has_met |= ready.iter().any(|(rank, _)| *rank != ready[0].0);
        self.follow(|influence| influence.met(ready.iter().map(|(rank, _)| *rank)));
        self.tell(|told| told.meet(ready));
        let mut history = History::EMPTY;
        for &(rank, slot) in ready {
            history.join(&self.state.told_by(rank, slot));
        }
        for &(rank, slot) in ready {
            let tracked = self.state.ranks.at_mut(rank).request_mut(slot);
            tracked.history.join(&history);
            tracked.posted = tracked.history.clone();
        }
    }
}

/// Whether others can see that a rank starts this operation, or takes its completion. Of accesses to windows and of
/// locks they see what is changed ([`Notice::Changed`](smpi_mpi::world::Notice::Changed)).
pub(super) fn is_seen(request: &Request, rank: WorldRank) -> bool {
    !request.body.is_alone(rank) && !matches!(request.body, Body::Access(_) | Body::Window(_))
}

/// Whether a function looks at requests, and does not take their completions.
fn peeks(function: Function) -> bool {
    use Function::*;
    matches!(
        function,
        Request_get_status | Request_get_status_all | Request_get_status_any | Request_get_status_some | Parrived
    )
}

/// The envelope of the message that a request has received, if it has.
fn taken_by(request: &Request) -> Option<Envelope> {
    let recv = match &request.body {
        Body::Recv(recv) => recv,
        Body::SendRecv(both) => &both.recv,
        _ => return None,
    };
    let Status { source, tag, cancelled, .. } = request.status;
    let source = u32::try_from(source).ok().filter(|_| !cancelled)?;
    Some(Envelope { context: recv.context, source, tag })
}
