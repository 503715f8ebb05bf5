//! What ranks are told ([`Told`]), where the exploration asks for it.

use smpi_abi::{Chapter, Function};
use smpi_base::WorldRank;
use smpi_checker::history::History;
use smpi_checker::told::{Between, By};
use smpi_checker::{ChoiceId, Event, Told};
use smpi_mailbox::{CommId, NO_RANK, Pattern};
use smpi_mpi::comm::TrafficKind;
use smpi_mpi::p2p::request::Body;
use smpi_mpi::world::{Post, World, slot_of};

use super::Verification;
use super::influence::is_one_of;
use crate::state::{NO_CHOICE, Pending, Question};

/// Beginnings of the names of functions by which ranks are told something, or wait for something, that no message tells
/// and no request: buffers that fill, receives that have to be there, messages that were matched before they are
/// received, names, operations that the program completes.
const NOT_TOLD: [&str; 13] = [
    "MPI_Buffer_",
    "MPI_Comm_attach_buffer",
    "MPI_Comm_detach_buffer",
    "MPI_Comm_flush_buffer",
    "MPI_Comm_iflush_buffer",
    "MPI_Irsend",
    "MPI_Rsend",
    "MPI_Mprobe",
    "MPI_Improbe",
    "MPI_Publish_name",
    "MPI_Lookup_name",
    "MPI_Unpublish_name",
    "MPI_Grequest_",
];

/// Whether all that a function of this chapter tells its rank comes by messages, by requests that it waits for, or from
/// the rank itself.
fn is_told_by_messages(chapter: Chapter) -> bool {
    match chapter {
        Chapter::P2p
        | Chapter::Request
        | Chapter::Environment
        | Chapter::Info
        | Chapter::Group
        | Chapter::Datatype
        | Chapter::DatatypeCreate
        | Chapter::Collective
        | Chapter::CollectiveNonblocking
        | Chapter::CollectivePersistent
        | Chapter::Attribute
        | Chapter::Neighbor
        | Chapter::Error
        | Chapter::Handles => true,
        Chapter::Session
        | Chapter::Comm
        | Chapter::Buffer
        | Chapter::Process
        | Chapter::Rma
        | Chapter::RmaWindow
        | Chapter::Partitioned
        | Chapter::Topology
        | Chapter::Io
        | Chapter::IoNonblocking
        | Chapter::IoView
        | Chapter::Tool
        | Chapter::Extension => false,
    }
}

impl Verification {
    /// Whether to follow from now on, before the first choice, what ranks are told.
    pub fn follow_told(&mut self, ranks: u32, is_followed: bool) {
        self.state.told = is_followed.then(|| Told::new(ranks));
    }

    /// What ranks were told in this execution, if that is followed.
    pub fn traces(&self) -> Option<Told> {
        let is_followed = !self.reluctant_sends && self.cancels.are_none() && self.symmetric.is_empty();
        self.state.told.clone().filter(|_| is_followed)
    }

    #[inline]
    pub(super) fn tell(&mut self, note: impl FnOnce(&mut Told)) {
        if let Some(told) = &mut self.state.told {
            note(told);
        }
    }

    /// A rank calls a function. What communicators are made of may depend on what it knows, and their members are told
    /// that by nothing that is followed.
    pub(super) fn tell_call(&mut self, rank: WorldRank, function: Function) {
        if self.state.told.is_none() {
            return;
        }
        let knows = self.state.ranks.at(rank).history != History::EMPTY;
        let makes_more = !function.is_private() && !is_told_by_messages(function.chapter());
        if is_one_of(function, &NOT_TOLD) || knows && makes_more {
            self.tell(Told::lose);
        }
    }

    /// Where a rank is that posts something.
    pub(super) fn place_of(&self, rank: WorldRank, post: &Post) -> Option<By> {
        let told = self.state.told.as_ref()?;
        let slot = match post {
            Post::Send(outgoing) => outgoing.slot(),
            _ => None,
        };
        Some(slot.map_or_else(|| By::Place(told.place(rank)), By::Request))
    }

    /// A rank starts a request, whose choice may be its message, and which may accept this.
    pub(super) fn tell_start(
        &mut self,
        world: &World,
        rank: WorldRank,
        slot: u32,
        (choice, pattern): (u32, Option<Pattern>),
    ) {
        if self.state.told.is_none() {
            return;
        }
        let choice = (choice != NO_CHOICE).then(|| ChoiceId::of(rank, choice));
        self.tell(|told| told.starts(rank, slot, pattern, choice));
        let Some(request) = world.request_at(rank, slot) else { return };
        match &request.body {
            Body::Send(_) | Body::Recv(_) | Body::SendRecv(_) => {}
            Body::Collective(of) if of.comm.remote.is_none() => {
                let context = of.comm.context_of(TrafficKind::Collective);
                if of.schedule.gated && of.comm.group.size() > 1 {
                    self.tell(|told| told.arrives(rank, slot, context));
                }
            }
            _ => self.tell(Told::lose),
        }
    }

    /// A message is sent, by a step of the request in this slot if it has one.
    pub(super) fn tell_message(&mut self, world: &World, comm: CommId, owner: Option<u32>) {
        let (Some(told), Some(message)) = (&mut self.state.told, world.state.boxes.get(comm)) else { return };
        let of_collective = |slot: u32| {
            let request = world.request_at(message.from, slot);
            request.is_some_and(|request| matches!(request.body, Body::Collective(_)))
        };
        let by = match owner {
            Some(slot) if of_collective(slot) => Some(By::Step(slot)),
            Some(slot) => Some(By::Request(slot)),
            None => self.committing.as_ref().and_then(|note| note.by),
        };
        match by {
            Some(by) if message.to != NO_RANK => {
                let contents = (message.envelope, world.digest_of(comm));
                told.sends(slot_of(comm), (message.from, message.to), contents, by);
            }
            _ => told.lose(),
        }
    }

    /// A rank's question is answered. One that does nothing but poll until it is where it was is told "not yet" only if
    /// a poll further on could find something: its choice is among more than its question is about.
    pub(super) fn tell_choice(&mut self, event: Event, pending: &Pending) {
        let Some(told) = &mut self.state.told else { return };
        if pending.round().is_some() {
            return told.lose();
        }
        let between = match &pending.question {
            Question::Probe { take: true, .. } | Question::Iprobe { take: true, .. } => return told.lose(),
            Question::WaitAny { alike: true, .. }
            | Question::Test { unheard: true, .. }
            | Question::Iprobe { unheard: true, .. } => return told.lose(),
            Question::WaitAny { requests, .. } | Question::Test { requests, .. } if requests.relevant.is_some() => {
                return told.lose();
            }
            Question::Probe { pattern, .. } | Question::Iprobe { pattern, .. } => Between::Messages(*pattern),
            Question::WaitAny { requests, .. } | Question::Test { requests, .. } => Between::Slots(&requests.slots),
            Question::Random { .. } | Question::Time | Question::Visible => Between::Nothing,
        };
        told.chooses(event.choice, event.candidate, between);
    }
}
