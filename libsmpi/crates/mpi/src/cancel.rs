//! `MPI_Cancel` under the checker (MPI 5.0 §3.8.4): the operation is cancelled or completes, and both are explored.
//!
//! What becomes of an operation that the program cancels later is chosen when it is started, as if its rank knew
//! already:
//!
//! - a receive takes a message, or *nothing*: then it is idle, keeps its place before younger receives, and completes
//!   when `MPI_Cancel` is called. Its choice has the senders as candidates, also when it names one, and [`NOT_YET`] for
//!   nothing;
//! - a send delivers its message, or not: then the message keeps its place before later ones of its sender, is never
//!   seen, and is withdrawn when `MPI_Cancel` is called. That is a choice of the sender ([`ChoiceKind::Delivery`]).
//!
//! So nothing that was possible becomes impossible, as the checker demands: a call of `MPI_Cancel` only takes away what
//! nobody could take. In return an execution may anticipate what does not come; [`World::is_void`] says so at its end:
//!
//! - an idle receive was not cancelled although there was a message for it;
//! - a send that does not deliver was not cancelled;
//! - a send that delivers was cancelled, and nobody took its message: "if the send completes normally, the message sent
//!   was received at the destination".
//!
//! Each of these has a sibling with the other answer, which is explored. That a wait for a cancelled request is local
//! follows, and so does that `MPI_Cancel` fails once its rank can know that the operation has matched.
//!
//! **Discovery.** Which operations are cancelled is not known when they start. They have names: the rank, and the
//! number among the requests that it started, which follow from the rank's own program. When `MPI_Cancel` is called for
//! one that is not known as *cancellable*, the name is noted, and whoever explores begins again with it.
//!
//! Not tried: that a probe sees a message which is cancelled afterwards (§3.8.1 allows it), and that `MPI_Imrecv` or
//! `MPI_Isendrecv` is cancelled. That is noted in [`Cancels::is_partial`].

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use smpi_base::WorldRank;
use smpi_base::table::Table;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::history::History;
use smpi_checker::{ChoiceId, ChoiceKind, Choices, Event};
use smpi_mailbox::{CommId, Envelope, Pattern, State};

use crate::choosing::Asked;
use crate::progress::slot_of;
use crate::protocol::Protocol;
use crate::request::{Body, Owner, Phase, Recv, Request, RequestKey, Status};
use crate::world::{Fabric, World};

/// The candidate of a send that delivers its message.
pub const DELIVERED: u64 = 1;

/// A request that was started: by whom, and as which of that rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name {
    /// The rank.
    pub rank: WorldRank,
    /// Its number among the requests that the rank started, from 0.
    pub start: u32,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.rank, self.start)
    }
}

impl FromStr for Name {
    type Err = ();

    fn from_str(text: &str) -> Result<Name, ()> {
        let number = |text: &str| text.parse().ok().filter(|_| !text.starts_with('+')).ok_or(());
        let (rank, start) = text.split_once('.').ok_or(())?;
        Ok(Name { rank: WorldRank(number(rank)?), start: number(start)? })
    }
}

/// What is known of cancellation in the present exploration. Not part of the state that snapshots restore.
#[derive(Clone, Default, Debug)]
pub struct Cancels {
    /// Requests that the program may cancel.
    pub cancellable: BTreeSet<Name>,
    /// Further ones that it did.
    pub discovered: BTreeSet<Name>,
    /// Something was met of which not everything is tried.
    pub is_partial: bool,
}

/// A cancellable request that was started, and the number of its choice. The request itself may be over before its
/// message is on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Started {
    pub key: RequestKey,
    pub number: u32,
}

/// A cancellable operation under way.
#[derive(Clone, Debug)]
pub(crate) struct Anticipated {
    key: RequestKey,
    /// Of its choice; another one each time a persistent request is started.
    number: u32,
    operation: Operation,
    /// Whether it takes part in matching, and the position of that choice.
    decided: Option<(bool, u32)>,
    /// It was cancelled: what the rank knew then.
    marked: Option<History>,
}

/// What kept messages from receives: an idle receive with its number, or a withheld message with its sender.
#[derive(Clone, Copy)]
enum Hiding {
    Receive(Pattern, u32),
    Message(WorldRank, Envelope),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Operation {
    Receive,
    /// `detached`: the sender does not wait for its message.
    Send {
        comm: CommId,
        to: WorldRank,
        detached: bool,
    },
}

impl Request {
    /// Whether `MPI_Cancel` can make a difference.
    pub(crate) fn may_be_cancelled(&self) -> bool {
        match &self.body {
            Body::Send(send) => send.to.is_some(),
            Body::Recv(recv) => recv.source != Status::PROC_NULL.source,
            _ => false,
        }
    }
}

impl World {
    /// Declares which requests the program may cancel; before the ranks start.
    pub fn set_cancellable(&mut self, names: BTreeSet<Name>) {
        self.cancels = Cancels { cancellable: names, ..Cancels::default() };
        self.apply_cancellable();
    }

    /// Lets the mailboxes match by themselves, or not.
    pub(crate) fn apply_cancellable(&mut self) {
        if let Some(choosing) = &mut self.choosing {
            choosing.held.set_withholding(!self.cancels.cancellable.is_empty());
        }
    }

    /// Requests that were cancelled and that the present exploration did not expect to be.
    pub fn take_discovered(&mut self) -> BTreeSet<Name> {
        std::mem::take(&mut self.cancels.discovered)
    }

    /// Posts the cancellation of an active request. Nothing happens to one whose rank has been told that it is done:
    /// its operation is not pending any more.
    pub fn post_cancel(&mut self, rank: WorldRank, key: RequestKey) {
        if self.ranks[rank.index()].requests.get(key).is_some_and(|request| request.shown) {
            return;
        }
        let history = self.history_of(rank);
        if self.choosing.is_some() {
            self.discover(rank, key);
        } else {
            self.hear_of_message(rank, key);
        }
        self.posts.push((rank, crate::world::Post::Cancel(key, history)));
    }

    /// A rank does not wait for a message that is eager or detached; when it cancels it, it has to hear what became of
    /// it.
    fn hear_of_message(&mut self, rank: WorldRank, key: RequestKey) {
        let Some(request) = self.ranks[rank.index()].requests.get_mut(key) else { return };
        if let Body::Send(send) = &request.body
            && send.to.is_some()
            && request.phase == Phase::Done
            && self.thresholds.choose(send.mode, send.part.size()) != Protocol::Rendezvous
        {
            request.phase = Phase::Active;
        }
    }

    /// Commits a cancellation: an operation that has not matched is taken back, any other takes place.
    pub(crate) fn cancel(&mut self, fabric: &mut dyn Fabric, rank: WorldRank, key: RequestKey, known: &History) {
        let Some(request) = self.ranks[rank.index()].requests.get_mut(key) else { return };
        if request.phase != Phase::Active {
            return;
        }
        if self.cancels.expect(rank, request) {
            return self.mark(fabric, rank, key, known);
        }
        let is_detached = matches!(&request.body, Body::Send(send)
            if self.thresholds.choose(send.mode, send.part.size()) != Protocol::Rendezvous);
        let is_withdrawn = match request.comm {
            Some(comm) => self.take_back(rank, comm),
            None => {
                let token = Owner { rank, slot: key.slot, step: None }.token();
                self.choosing.as_mut().is_some_and(|choosing| choosing.held.cancel(rank, token))
            }
        };
        if let Some(request) = self.ranks[rank.index()].requests.get_mut(key).filter(|_| is_withdrawn) {
            request.status.cancelled = true;
        }
        // The sender of a detached message that was received has waited for nothing but this answer.
        if is_withdrawn || is_detached {
            self.complete(rank, key.slot);
        }
        if is_withdrawn {
            self.progress_held(fabric, rank);
        }
    }

    fn discover(&mut self, rank: WorldRank, key: RequestKey) {
        let number = self.ranks[rank.index()].requests.get(key).map(|request| request.choice);
        let operation = number.and_then(|number| self.anticipated(rank, number)).map(|one| one.operation);
        let is_detached = matches!(operation, Some(Operation::Send { detached: true, .. }));
        let Some(request) = self.ranks[rank.index()].requests.get_mut(key) else { return };
        if request.phase == Phase::Inactive {
            return;
        }
        self.cancels.is_partial |= matches!(request.body, Body::MatchedRecv(..) | Body::SendRecv(_));
        if !request.may_be_cancelled() {
            return;
        }
        let name = Name { rank, start: request.start };
        if !self.cancels.cancellable.contains(&name) {
            self.cancels.discovered.insert(name);
        } else if let Body::Send(send) = &request.body
            // Of one that was cancelled before, the rank will hear nothing more.
            && !request.status.cancelled
            && (self.thresholds.choose(send.mode, send.part.size()) != Protocol::Rendezvous || is_detached)
        {
            // Its rank did not wait for the message; now it has to hear what became of it.
            request.phase = Phase::Active;
        }
    }

    /// A cancellable receive is held now.
    pub(crate) fn anticipate_receive(&mut self, rank: WorldRank, started: Started) {
        self.anticipate(rank, started, Operation::Receive);
    }

    /// The message of a cancellable send is in its receiver's mailbox now.
    pub(crate) fn anticipate_send(&mut self, rank: WorldRank, started: Started, comm: CommId, to: WorldRank) {
        if let Some(choosing) = &mut self.choosing {
            choosing.held.withhold(to, comm);
        }
        let detached = self.flights[slot_of(comm)].request.is_some();
        self.anticipate(rank, started, Operation::Send { comm, to, detached });
    }

    fn anticipate(&mut self, rank: WorldRank, Started { key, number }: Started, operation: Operation) {
        if let Some(choosing) = &mut self.choosing {
            let (decided, marked) = (None, None);
            choosing.anticipated[rank.index()].push(Anticipated { key, number, operation, decided, marked });
        }
    }

    /// Lists the sends of a rank whose delivery is to be chosen, with numbers below `before`.
    pub(crate) fn open_deliveries(&self, rank: WorldRank, before: u32, next: &mut usize, out: &mut Choices) {
        let Some(choosing) = &self.choosing else { return };
        let all = &choosing.anticipated[rank.index()];
        while let Some(one) = all.get(*next).filter(|one| one.number < before) {
            *next += 1;
            if one.decided.is_none() && matches!(one.operation, Operation::Send { .. }) {
                out.open(ChoiceId { rank, number: one.number }, ChoiceKind::Delivery, true);
                out.candidate(DELIVERED);
                out.candidate(NOT_YET);
            }
        }
    }

    fn anticipated(&mut self, rank: WorldRank, number: u32) -> Option<&mut Anticipated> {
        let all = &mut self.choosing.as_mut()?.anticipated[rank.index()];
        all.iter_mut().find(|one| one.number == number)
    }

    /// Whether nothing holds up a message because its send may be cancelled.
    pub(crate) fn is_delivered(&self, from: WorldRank, message: CommId) -> bool {
        let all = self.choosing.iter().flat_map(|choosing| &choosing.anticipated[from.index()]);
        let mut its = all.filter(|one| matches!(one.operation, Operation::Send { comm, .. } if comm == message));
        its.all(|one| matches!(one.decided, Some((true, _))))
    }

    /// The sender of a message does not wait for it, although it could.
    pub(crate) fn note_detached(&mut self, from: WorldRank, message: CommId) {
        let all = self.choosing.iter_mut().flat_map(|choosing| &mut choosing.anticipated[from.index()]);
        for one in all {
            if let Operation::Send { comm, detached, .. } = &mut one.operation {
                *detached |= *comm == message;
            }
        }
    }

    /// Chooses whether a send delivers its message. False when the choice is another one.
    pub(crate) fn choose_delivery(&mut self, fabric: &mut dyn Fabric, event: Event) -> bool {
        let ChoiceId { rank, number } = event.choice;
        let Some(&mut Anticipated { key, operation: Operation::Send { comm, to, detached }, .. }) =
            self.anticipated(rank, number)
        else {
            return false;
        };
        let delivers = event.candidate == DELIVERED;
        let Some(choosing) = &mut self.choosing else { return false };
        let position = choosing.next_position();
        if delivers {
            choosing.held.release(to, comm);
            let flight = &mut self.flights[slot_of(comm)];
            flight.history.insert(position);
            if let Some(message) = self.boxes.get(comm) {
                choosing.late.sent(rank, to, &message.envelope, &flight.history);
            }
        }
        let is_marked = self.anticipated(rank, number).is_some_and(|one| {
            one.decided = Some((delivers, position));
            one.marked.is_some()
        });
        if delivers {
            // What waits for the delivery depends on it.
            let waits = |request: &&mut Request| request.phase == Phase::Active;
            let request = self.ranks[rank.index()].requests.get_mut(key).filter(waits);
            request.into_iter().for_each(|request| request.history.insert(position));
            if is_marked && detached {
                self.complete(rank, key.slot);
            }
            self.progress_held(fabric, to);
        } else if is_marked {
            self.withdraw(fabric, rank, number);
        }
        true
    }

    /// A cancellable receive takes nothing.
    pub(crate) fn choose_nothing(&mut self, fabric: &mut dyn Fabric, id: ChoiceId, position: u32) {
        let Some(choosing) = &mut self.choosing else { return };
        choosing.held.make_idle(id.rank, id.number);
        let is_marked = self.anticipated(id.rank, id.number).is_some_and(|one| {
            one.decided = Some((false, position));
            one.marked.is_some()
        });
        if is_marked {
            self.withdraw(fabric, id.rank, id.number);
        }
    }

    /// A cancellable receive takes a message: it cannot be cancelled any more.
    pub(crate) fn choose_message(&mut self, id: ChoiceId) {
        if let Some(choosing) = &mut self.choosing {
            choosing.anticipated[id.rank.index()].retain(|one| one.number != id.number);
        }
    }

    /// Cancels a request under the checker, if that was anticipated; `known` is what the rank knew when it called.
    pub(crate) fn mark(&mut self, fabric: &mut dyn Fabric, rank: WorldRank, key: RequestKey, known: &History) {
        let Some(request) = self.ranks[rank.index()].requests.get(key) else { return };
        let number = request.choice;
        // A receive that has its message is not among them any more.
        let Some(one) = self.anticipated(rank, number) else { return };
        one.marked.get_or_insert_with(|| known.clone());
        match (one.operation, one.decided) {
            (_, Some((false, _))) => self.withdraw(fabric, rank, number),
            (Operation::Send { detached: true, .. }, Some((true, position))) => {
                if let Some(request) = self.ranks[rank.index()].requests.get_mut(key) {
                    request.history.insert(position);
                }
                self.complete(rank, key.slot);
            }
            _ => {}
        }
    }

    /// Completes an operation as cancelled that takes no part in matching.
    fn withdraw(&mut self, fabric: &mut dyn Fabric, rank: WorldRank, number: u32) {
        let Some(choosing) = &mut self.choosing else { return };
        let all = &mut choosing.anticipated[rank.index()];
        let Some(place) = all.iter().position(|one| one.number == number) else { return };
        let Anticipated { key, operation, decided, marked, .. } = all.remove(place);
        let mut history = marked.unwrap_or_default();
        decided.into_iter().for_each(|(_, position)| history.insert(position));
        let token = Owner { rank, slot: key.slot, step: None }.token();
        let (at, gone) = match operation {
            Operation::Receive => {
                let held = choosing.held.at(rank).iter().find(|held| held.token == token);
                let gone = held.map(|held| Hiding::Receive(held.pattern, number));
                choosing.held.cancel(rank, token);
                (rank, gone)
            }
            Operation::Send { comm, to, .. } => {
                choosing.held.release(to, comm);
                let gone = self.boxes.get(comm).map(|message| Hiding::Message(rank, message.envelope));
                self.take_back(rank, comm);
                (to, gone)
            }
        };
        if let Some(request) = self.ranks[rank.index()].requests.get_mut(key) {
            request.status.cancelled = true;
            request.history.join(&history);
            self.complete(rank, key.slot);
        }
        gone.into_iter().for_each(|gone| self.note_revealed(at, gone, &history));
        self.progress_held(fabric, at);
    }

    /// Takes an operation out of its mailbox. False when it was matched before. A message that is on its way already
    /// still uses the network, and is dropped when it arrives.
    fn take_back(&mut self, from: WorldRank, comm: CommId) -> bool {
        if !self.boxes.cancel(comm) {
            return false;
        }
        self.note_settled(comm);
        // A receive may be in a place that no message has had.
        let Some(flight) = self.flights.get_mut(slot_of(comm)) else { return true };
        flight.data = None;
        flight.sent = None;
        flight.request = None;
        if let Some((owner, bytes)) = flight.buffered.take()
            && self.ranks[from.index()].buffers.give_back(owner, bytes)
        {
            self.wake_drained(from, owner);
        }
        true
    }

    /// Something that kept messages from receives is gone: to choices that were made before, they come late.
    fn note_revealed(&mut self, at: WorldRank, gone: Hiding, history: &History) {
        let Some(choosing) = &mut self.choosing else { return };
        for (comm, message) in self.boxes.waiting_sends(at) {
            let is_hidden = match gone {
                Hiding::Receive(pattern, _) => pattern.matches(&message.envelope),
                Hiding::Message(from, _) => message.from == from,
            };
            if !is_hidden {
                continue;
            }
            let mut both = history.clone();
            both.join(&self.flights[slot_of(comm)].history);
            choosing.late.revealed(message.from, at, &message.envelope, &both, |id, pattern| match gone {
                // It was kept from younger receives only.
                Hiding::Receive(_, number) => id.number > number,
                Hiding::Message(_, envelope) => pattern.matches(&envelope),
            });
        }
    }

    /// Whether a rank probes for a message that may be cancelled after it was seen.
    pub(crate) fn probes_cancellable(&self, rank: WorldRank) -> bool {
        let Some(choosing) = self.choosing.as_ref().filter(|_| !self.cancels.cancellable.is_empty()) else {
            return false;
        };
        let asked = choosing.questions[rank.index()].as_ref().map(|question| &question.asked);
        let Some(Asked::Probe { pattern, take: false } | Asked::Iprobe { pattern, take: false, .. }) = asked else {
            return false;
        };
        let is_looked_for = |one: &Anticipated| match one.operation {
            Operation::Send { comm, to, .. } if to == rank => self
                .boxes
                .get(comm)
                .is_some_and(|message| message.state == State::SendPosted && pattern.matches(&message.envelope)),
            _ => false,
        };
        choosing.anticipated.iter().flatten().any(is_looked_for)
    }

    /// Whether the execution, which has come to its end, anticipated what did not come.
    pub fn is_void(&self) -> bool {
        let Some(choosing) = self.choosing.as_ref().filter(|_| !self.cancels.cancellable.is_empty()) else {
            return false;
        };
        let is_broken = |one: &Anticipated| match (one.operation, one.decided) {
            (Operation::Send { .. }, Some((false, _))) => true,
            (Operation::Send { comm, .. }, Some((true, _))) => {
                let state = self.boxes.get(comm).map(|message| message.state);
                one.marked.is_some() && state == Some(State::SendPosted)
            }
            _ => false,
        };
        let ranks = (0..self.ranks.len() as u32).map(WorldRank);
        choosing.anticipated.iter().flatten().any(is_broken)
            || ranks.into_iter().any(|rank| choosing.held.is_idle_in_vain(&self.boxes, rank))
    }

    /// What the messages of a rank depended on whose delivery is to be chosen.
    pub(crate) fn undelivered(&self, rank: WorldRank) -> impl Iterator<Item = &History> {
        let all = self.choosing.iter().flat_map(move |choosing| &choosing.anticipated[rank.index()]);
        let open = all.filter(|one| one.decided.is_none() && matches!(one.operation, Operation::Send { .. }));
        open.map(move |one| {
            let request = self.ranks[rank.index()].requests.get(one.key).filter(|request| request.choice == one.number);
            request.map_or(&History::EMPTY, |request| &request.posted)
        })
    }

    /// The arguments of a send whose delivery is to be chosen, and its request.
    pub(crate) fn describe_delivery(&self, rank: WorldRank, number: u32) -> Option<(String, &Request)> {
        let all = &self.choosing.as_ref()?.anticipated[rank.index()];
        let one = all.iter().find(|one| one.number == number && matches!(one.operation, Operation::Send { .. }))?;
        let request = self.ranks[rank.index()].requests.get(one.key)?;
        let Body::Send(send) = &request.body else { return None };
        Some((format!("dest {}, tag {}", send.dest, send.tag), request))
    }
}

/// The sender of a cancellable receive that names it: nobody else can send it a message.
pub(crate) fn named_sender(request: Option<&Request>) -> Option<WorldRank> {
    match &request?.body {
        Body::Recv(Recv { source, from, .. }) if *source >= 0 => *from,
        _ => None,
    }
}

impl Cancels {
    /// Whether the program may cancel this request of a rank.
    pub(crate) fn expect(&self, rank: WorldRank, request: &Request) -> bool {
        !self.cancellable.is_empty()
            && request.may_be_cancelled()
            && self.cancellable.contains(&Name { rank, start: request.start })
    }

    /// The request in a slot, if the program may cancel it.
    #[inline]
    pub(crate) fn started(&self, rank: WorldRank, slot: u32, requests: &Table<Request>) -> Option<Started> {
        if self.cancellable.is_empty() {
            return None;
        }
        let request = requests.at_slot(slot).filter(|request| self.expect(rank, request))?;
        Some(Started { key: requests.key_at(slot)?, number: request.choice })
    }
}
