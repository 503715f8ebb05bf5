//! `MPI_Cancel` in a verification (MPI 5.0 §3.8.4): the operation is cancelled or completes, and both are explored.
//!
//! The outcome of an operation that will be cancelled is chosen when it starts, as if its rank knew of the cancellation
//! already:
//!
//! - a receive takes a message or *nothing*. With nothing it is idle, keeps its place before younger receives, and
//!   completes when `MPI_Cancel` is called. The candidates are the senders, even if the receive names one, and
//!   [`NOT_YET`] for nothing;
//! - a send delivers its message or not. If not, the message keeps its place before later ones of its sender, is never
//!   seen, and is withdrawn when `MPI_Cancel` is called. The sender makes this choice ([`ChoiceKind::Delivery`]).
//!
//! So no candidate disappears, as the checker demands: `MPI_Cancel` only removes what nobody could take. In return, an
//! execution may anticipate an event that does not come. Then [`Verification::is_void`] says so at its end:
//!
//! - an idle receive was not cancelled although there was a message for it;
//! - a send that does not deliver was not cancelled;
//! - a send that delivers was cancelled, and nobody took its message: "if the send completes normally, the message sent
//!   was received at the destination".
//!
//! Each of these executions has a sibling with the other answer, which is explored. It follows that a wait for a
//! cancelled request is local, and that `MPI_Cancel` fails once its rank can know that the operation has matched.
//!
//! **Discovery.** When an operation starts, it is not known whether it will be cancelled. Its name is the rank and the
//! number among the requests that this rank started; both follow from the rank's own program. When `MPI_Cancel` is
//! called for an operation that is not known as *cancellable*, its name is recorded, and the exploration begins again
//! with this name. Where that happens more than some times for requests of one place in the program, all that its rank
//! starts there are cancellable: a program that cancels in a loop has no end of names.
//!
//! **States** have names where operations are cancelled. What is cancellable and not started yet is counted from there
//! on; of an operation under way, it is named what was decided and whether it was cancelled. A state in which something
//! was anticipated that has not come ([`Verification::is_void`]) is one in which nobody stays for ever
//! (`Prospect::Void` of `smpi-checker`).
//!
//! Not tried: that a probe sees a message which is cancelled afterwards (§3.8.1 allows it), and that `MPI_Imrecv` or
//! `MPI_Isendrecv` is cancelled. [`crate::Cancels::is_partial`] records such calls.

use std::collections::{BTreeMap, BTreeSet};

use smpi_base::WorldRank;
use smpi_base::digest::Digest;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::history::History;
use smpi_checker::{ChoiceId, ChoiceKind, Choices, Event};
use smpi_mailbox::{CommId, Communication, Envelope, Pattern, State as Life};
use smpi_mpi::p2p::request::{Body, Owner, Phase, Request, RequestKey};
use smpi_mpi::world::{World, slot_of};

use super::Verification;
use crate::state::{Anticipated, Cancels, Discoveries, Discovery, Name, Operation, Site, Started};

/// Requests of one place that are cancelled one by one. Where all are, each one that is not costs executions that are
/// none, but a program that cancels in a loop has no end of numbers.
const MOST_REQUESTS: usize = 4;

/// The candidate of a send that delivers its message.
pub(crate) const DELIVERED: u64 = 1;

/// What kept messages from receives: an idle receive with its number, or a withheld message with its sender.
#[derive(Clone, Copy)]
enum Hiding {
    Receive(Pattern, u32),
    Message(WorldRank, Envelope),
}

/// Where a rank cancels many requests that it makes at one place, all that it makes there may be cancelled.
pub(super) fn bound_cancels(known: &mut Discoveries) {
    let mut requests: BTreeMap<Site, usize> = BTreeMap::new();
    for discovery in &*known {
        if let Discovery::Cancels(name @ Name { place: 1.., .. }) = discovery {
            *requests.entry(name.site()).or_default() += 1;
        }
    }
    requests.retain(|_, count| *count > MOST_REQUESTS);
    known.extend(requests.into_keys().map(Discovery::CancelsAt));
    let sites: BTreeSet<Site> = known.iter().filter_map(Discovery::site).collect();
    known.retain(|discovery| !matches!(discovery, Discovery::Cancels(name) if sites.contains(&name.site())));
}

impl Verification {
    /// Lets the mailboxes match by themselves, or not.
    pub(super) fn apply_cancellable(&mut self) {
        self.state.held.set_withholding(!self.cancels.are_none());
    }

    /// What is known of cancellation.
    pub fn known_cancels(&self) -> &Cancels {
        &self.cancels
    }

    /// A rank calls `MPI_Cancel` for a request.
    pub(super) fn discover(&mut self, world: &mut World, rank: WorldRank, key: RequestKey) {
        let tracked = self.state.ranks.at(rank).request(key.slot);
        let (number, start) = (tracked.choice, tracked.start);
        let operation = self.anticipated(rank, number).map(|one| one.operation);
        let is_detached = matches!(operation, Some(Operation::Send { detached: true, .. }));
        let Some(request) = world.request(rank, key).filter(|request| request.phase != Phase::Inactive) else { return };
        self.cancels.is_partial |= matches!(request.body, Body::MatchedRecv(..) | Body::SendRecv(_));
        if !request.may_be_cancelled() {
            return;
        }
        let name = Site::of(rank, request).name(start);
        if !self.cancels.expects(name) {
            self.cancels.discovered.insert(name);
            return;
        }
        // Of one that was cancelled before, the rank will hear nothing more.
        let Body::Send(send) = &request.body else { return };
        if request.status.cancelled {
            return;
        }
        let send = send.clone();
        if (is_detached || world.is_detached(rank, &send))
            && let Some(request) = world.request(rank, key)
        {
            // Its rank did not wait for the message; now it has to hear what became of it.
            request.phase = Phase::Active;
        }
    }

    /// A cancellable receive is held now.
    pub(super) fn anticipate_receive(&mut self, world: &World, rank: WorldRank, started: Started) {
        self.anticipate(world, rank, started, Operation::Receive);
    }

    /// The message of a cancellable send is in its receiver's mailbox now.
    pub(super) fn anticipate_send(
        &mut self,
        world: &World,
        rank: WorldRank,
        started: Started,
        comm: CommId,
        to: WorldRank,
    ) {
        self.state.held.withhold(to, comm);
        let detached = world.detached_request(comm).is_some();
        self.anticipate(world, rank, started, Operation::Send { comm, to, detached });
    }

    fn anticipate(&mut self, world: &World, rank: WorldRank, Started { key, number }: Started, operation: Operation) {
        let (decided, marked) = (None, None);
        let all = &mut self.state.ranks.at_mut(rank).anticipated;
        all.retain(|one| one.is_open(world, rank));
        all.push(Anticipated { key, number, operation, decided, marked, behind: Vec::new() });
    }

    /// Lists the sends of a rank whose delivery is to be chosen, with numbers below `before`.
    pub(super) fn open_deliveries(&self, rank: WorldRank, before: u32, next: &mut usize, out: &mut Choices) {
        let all = &self.state.ranks.at(rank).anticipated;
        while let Some(one) = all.get(*next).filter(|one| one.number < before) {
            *next += 1;
            if one.decided.is_none() && matches!(one.operation, Operation::Send { .. }) {
                out.open(ChoiceId::of(rank, one.number), ChoiceKind::Delivery, true);
                out.candidate(DELIVERED);
                out.candidate(NOT_YET);
            }
        }
    }

    /// Adds which requests to come, and which of those that were started, may be cancelled.
    pub(super) fn name_cancellable(&self, world: &World, into: &mut Digest) {
        for rank in world.all_ranks() {
            let state = self.state.ranks.at(rank);
            into.add(self.cancels.to_come(rank, state.started).collect::<Vec<_>>());
            for (key, request) in world.state.ranks[rank.index()].requests.iter() {
                into.add(self.cancels.expect(rank, request, state.request(key.slot).start));
            }
        }
    }

    fn anticipated(&mut self, rank: WorldRank, number: u32) -> Option<&mut Anticipated> {
        if self.state.ranks.at(rank).anticipated.is_empty() {
            return None;
        }
        self.state.ranks.at_mut(rank).anticipated.iter_mut().find(|one| one.number == number)
    }

    /// Whether nothing holds up a message because its send may be cancelled.
    pub(super) fn is_delivered(&self, from: WorldRank, message: CommId) -> bool {
        let all = self.state.ranks.at(from).anticipated.iter();
        let mut its = all.filter(|one| matches!(one.operation, Operation::Send { comm, .. } if comm == message));
        its.all(|one| matches!(one.decided, Some((true, _))))
    }

    /// A message is taken. Others of its sender to the same rank that may be withdrawn may have kept it from others.
    pub(super) fn note_overtaking(
        &mut self,
        message: CommId,
        from: WorldRank,
        to: WorldRank,
        taken: (Envelope, &History),
    ) {
        for one in &mut self.state.ranks.at_mut(from).anticipated {
            let is_before =
                matches!(one.operation, Operation::Send { comm, to: other, .. } if other == to && comm != message);
            if is_before && !matches!(one.decided, Some((true, _))) {
                one.behind.push((taken.0, taken.1.clone()));
            }
        }
    }

    /// The sender of a message does not wait for it, although it could.
    pub(super) fn note_detached(&mut self, from: WorldRank, message: CommId) {
        for one in &mut self.state.ranks.at_mut(from).anticipated {
            if let Operation::Send { comm, detached, .. } = &mut one.operation {
                *detached |= *comm == message;
            }
        }
    }

    /// Chooses whether a send delivers its message. False when the choice is another one.
    pub(super) fn choose_delivery(&mut self, world: &mut World, event: Event) -> bool {
        let (rank, number) = (event.choice.rank(), event.choice.number);
        let Some(&mut Anticipated { key, operation: Operation::Send { comm, to, detached }, .. }) =
            self.anticipated(rank, number)
        else {
            return false;
        };
        let delivers = event.candidate == DELIVERED;
        let position = self.state.next_position();
        if delivers {
            self.state.held.release(to, comm);
            let history = self.state.message_mut(slot_of(comm));
            history.insert(position);
            let history = history.clone();
            if let Some(message) = world.state.boxes.get(comm) {
                self.state.is_sent((rank, to), &message.envelope, &history);
            }
        }
        let is_marked = self.anticipated(rank, number).is_some_and(|one| {
            one.decided = Some((delivers, position));
            one.marked.is_some()
        });
        if delivers {
            // What waits for the delivery depends on it.
            if world.request(rank, key).is_some_and(|request| request.phase == Phase::Active) {
                self.state.ranks.at_mut(rank).request_mut(key.slot).history.insert(position);
            }
            if is_marked && detached {
                world.complete(self, rank, key.slot);
            }
            self.progress_held(world, to);
        } else if is_marked {
            self.withdraw(world, rank, number);
        }
        true
    }

    /// A cancellable receive takes nothing.
    pub(super) fn choose_nothing(&mut self, world: &mut World, id: ChoiceId, position: u32) {
        self.state.held.make_idle(id.rank(), id.number);
        let is_marked = self.anticipated(id.rank(), id.number).is_some_and(|one| {
            one.decided = Some((false, position));
            one.marked.is_some()
        });
        if is_marked {
            self.withdraw(world, id.rank(), id.number);
        }
    }

    /// A cancellable receive takes a message: it cannot be cancelled any more.
    pub(super) fn choose_message(&mut self, id: ChoiceId) {
        self.state.ranks.at_mut(id.rank()).anticipated.retain(|one| one.number != id.number);
    }

    /// Cancels a request, if that was anticipated; `known` is what the rank knew when it called.
    pub(super) fn mark(&mut self, world: &mut World, rank: WorldRank, key: RequestKey, known: &History) {
        let number = self.state.ranks.at(rank).request(key.slot).choice;
        // A receive that has its message is not among them any more.
        let Some(one) = self.anticipated(rank, number) else { return };
        one.marked.get_or_insert_with(|| known.clone());
        match (one.operation, one.decided) {
            (_, Some((false, _))) => self.withdraw(world, rank, number),
            (Operation::Send { detached: true, .. }, Some((true, position))) => {
                self.state.ranks.at_mut(rank).request_mut(key.slot).history.insert(position);
                world.complete(self, rank, key.slot);
            }
            _ => {}
        }
    }

    /// Completes an operation as cancelled that takes no part in matching.
    fn withdraw(&mut self, world: &mut World, rank: WorldRank, number: u32) {
        let all = &mut self.state.ranks.at_mut(rank).anticipated;
        let Some(place) = all.iter().position(|one| one.number == number) else { return };
        let Anticipated { key, operation, decided, marked, behind, .. } = all.remove(place);
        let mut history = marked.unwrap_or_default();
        decided.into_iter().for_each(|(_, position)| history.insert(position));
        let token = Owner { rank, slot: key.slot, step: None }.token();
        let (at, gone) = match operation {
            Operation::Receive => {
                let held = self.state.held.at(rank).find(|held| held.token == token);
                let gone = held.map(|held| Hiding::Receive(held.pattern, number));
                self.state.held.cancel(rank, token);
                (rank, gone)
            }
            Operation::Send { comm, to, .. } => {
                self.state.held.release(to, comm);
                let gone = world.state.boxes.get(comm).map(|message| Hiding::Message(rank, message.envelope));
                world.take_back(self, rank, comm);
                (to, gone)
            }
        };
        if world.request(rank, key).is_some() {
            self.state.ranks.at_mut(rank).request_mut(key.slot).history.join(&history);
            world.complete_cancelled(self, rank, key);
        }
        let taken = behind.into_iter().map(|(envelope, causes)| (rank, envelope, causes));
        if let Some(gone) = gone {
            self.note_revealed(world, at, gone, taken, &history);
        }
        self.progress_held(world, at);
    }

    /// Something that kept messages from receives is gone: to choices that were made before, they come late. So do
    /// those that others have `taken` meanwhile: they could have waited.
    fn note_revealed(
        &mut self,
        world: &World,
        at: WorldRank,
        gone: Hiding,
        taken: impl Iterator<Item = (WorldRank, Envelope, History)>,
        history: &History,
    ) {
        let is_hidden = |message: &Communication| match gone {
            Hiding::Receive(pattern, _) => pattern.matches(&message.envelope),
            Hiding::Message(from, _) => message.from == from,
        };
        let waiting = world.state.boxes.waiting_sends(at).filter(|(_, message)| is_hidden(message));
        let waiting = waiting.map(|(comm, one)| (one.from, one.envelope, self.state.message(slot_of(comm)).clone()));
        let hidden: Vec<_> = taken.chain(waiting).collect();
        for (from, envelope, mut causes) in hidden {
            causes.join(history);
            self.state.is_revealed((from, at), &envelope, &causes, |id, pattern| match gone {
                // It was kept from younger receives only.
                Hiding::Receive(_, number) => id.number > number,
                Hiding::Message(_, hiding) => pattern.matches(&hiding),
            });
        }
    }

    /// Whether a rank probes for a message that may be cancelled after it was seen. One that a receive of the rank
    /// accepts goes there.
    pub(super) fn probes_cancellable(&self, world: &World, rank: WorldRank) -> bool {
        if self.cancels.are_none() {
            return false;
        }
        use crate::state::Question::{Iprobe, Probe};
        let pending = self.state.ranks.at(rank).pending.as_ref().map(|pending| &pending.question);
        let Some(Probe { pattern, take: false } | Iprobe { pattern, take: false, .. }) = pending else { return false };
        let is_received = |envelope: &Envelope| self.state.held.at(rank).any(|held| held.pattern.matches(envelope));
        let is_seen = |envelope: &Envelope| pattern.matches(envelope) && !is_received(envelope);
        let is_looked_for = |one: &Anticipated| match one.operation {
            Operation::Send { comm, to, .. } if to == rank => world
                .state
                .boxes
                .get(comm)
                .is_some_and(|message| message.state == Life::SendPosted && is_seen(&message.envelope)),
            _ => false,
        };
        self.state.ranks.iter().flat_map(|rank| &rank.anticipated).any(is_looked_for)
    }

    /// Whether the execution, which has come to its end, anticipated what did not come.
    pub fn is_void(&self, world: &World) -> bool {
        if self.forced && self.has_gone_round(world) {
            return true;
        }
        if self.cancels.are_none() {
            return false;
        }
        let is_broken = |one: &Anticipated| match (one.operation, one.decided) {
            (Operation::Send { .. }, Some((false, _))) => true,
            (Operation::Send { comm, .. }, Some((true, _))) => {
                let state = world.state.boxes.get(comm).map(|message| message.state);
                one.marked.is_some() && state == Some(Life::SendPosted)
            }
            _ => false,
        };
        self.state.ranks.iter().flat_map(|rank| &rank.anticipated).any(is_broken)
            || world.all_ranks().any(|rank| self.state.held.is_idle_in_vain(&world.state.boxes, rank))
    }

    /// What the messages of a rank depended on whose delivery is to be chosen.
    pub(super) fn undelivered(&self, world: &World, rank: WorldRank) -> impl Iterator<Item = &History> {
        let state = self.state.ranks.at(rank);
        let is_open = |one: &&Anticipated| one.decided.is_none() && matches!(one.operation, Operation::Send { .. });
        state.anticipated.iter().filter(is_open).map(move |one| {
            let tracked = state.request(one.key.slot);
            let is_there =
                world.state.ranks[rank.index()].requests.get(one.key).is_some() && tracked.choice == one.number;
            if is_there { &tracked.posted } else { &History::EMPTY }
        })
    }

    /// The arguments of a send whose delivery is to be chosen, and its request.
    pub(super) fn describe_delivery<'a>(
        &self,
        world: &'a World,
        rank: WorldRank,
        number: u32,
    ) -> Option<(String, &'a Request)> {
        let all = &self.state.ranks.at(rank).anticipated;
        let one = all.iter().find(|one| one.number == number && matches!(one.operation, Operation::Send { .. }))?;
        let request = world.state.ranks[rank.index()].requests.get(one.key)?;
        let Body::Send(send) = &request.body else { return None };
        Some((format!("dest {}, tag {}", send.dest, send.tag), request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_requests_of_one_call_are_all_that_it_makes() {
        let known = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect::<Discoveries>();
        let others = ["0.1", "0.2", "0.3", "0.4", "0.5", "1.1.7", "0.6.8", "0w0l"];
        let few = known(&[&others, &["0.7.7", "0.8.7", "0.9.7", "0.10.7"][..]].concat());
        let mut bounded = few.clone();
        bound_cancels(&mut bounded);
        assert_eq!(bounded, few, "so many of one call, and any number of unknown ones");
        bounded.extend(known(&["0.11.7"]));
        bound_cancels(&mut bounded);
        let one = known(&[&others, &["0c7"][..]].concat());
        assert_eq!(bounded, one);
        bounded.extend(known(&["0.12.7"]));
        bound_cancels(&mut bounded);
        assert_eq!(bounded, one, "it stays so");
    }
}
