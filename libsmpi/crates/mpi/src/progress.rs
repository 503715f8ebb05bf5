//! How requests advance: start, commit, match, arrival, completion.
//!
//! ```text
//! rank:    start ──post──►│ commit: mailbox ─► match ─► data copied ─► fabric … transfer_done ─► complete ─► woken
//!                         │                              (eager transfers start before the match)
//! ```
//!
//! Data is copied when both sides are known: straight from one buffer to the other where the sender waits
//! (rendezvous), else from the packed payload that was taken when the send was started.

use std::mem;

use smpi_base::WorldRank;
use smpi_checker::held::{Fate, HeldReceive};
use smpi_checker::history::History;
use smpi_mailbox::{CommId, Context, Envelope, Pattern, State};

use crate::bsend::BufferOwner;
use crate::cancel::Started;
use crate::causality::Sent;
use crate::choosing::{Asked, NO_CHOICE};
use crate::collective::reduce_parts;
use crate::collective::{Part, Peer, Step};
use crate::comm::Traffic as Kind;
use crate::datatype::{Datatype, copy_typed};
use crate::error::{ErrorClass, MpiError, Result};
use crate::memory::Addr;
use crate::notes::{Items, Origin};
use crate::op::Op;
use crate::polls::Polls;
use crate::protocol::{ENVELOPE_BYTES, Mode, Protocol};
use crate::request::{Body, Owner, Phase, Request, RequestKey, SendRecv, Status};
use crate::world::{Fabric, Post, Probed, World};

/// Token of a sender that does not wait for its message.
pub(crate) const NOBODY: u64 = u64::MAX;

/// A send on its way to the mailbox.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub to: WorldRank,
    pub context: Context,
    pub source: u32,
    pub tag: i32,
    pub size: u64,
    pub protocol: Protocol,
    /// Until it is on its way.
    pub data: Option<Data>,
    pub token: u64,
    /// Bytes of one of the sender's attached buffers that it occupies.
    pub buffered: Option<(BufferOwner, u64)>,
    /// Type of the elements, for messages of the program.
    pub sent: Option<Datatype>,
    /// What the sender knew when it posted it.
    pub history: History,
    /// What it tells of causality, where that is followed.
    pub causes: Option<Box<Sent>>,
    /// Where the program sent it, while that is recorded.
    pub origin: Option<Box<Origin>>,
    /// The request of a program that need not wait for its message.
    pub request: Option<RequestKey>,
    /// The request, where the program may cancel it.
    pub cancellable: Option<Started>,
}

/// Where the data of an outgoing message is.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// Packed already.
    Packed(Vec<u8>),
    /// Still in the sender's buffer.
    InPlace(Part),
}

/// A reduction that only the rank itself can do, because the operation is the program's function.
#[derive(Clone, Debug)]
pub struct UserReduction {
    /// Request it belongs to.
    pub slot: u32,
    /// Identity of the function.
    pub id: u64,
    /// Left operand.
    pub input: Addr,
    /// Right operand and result.
    pub inout: Addr,
    /// Elements.
    pub count: i64,
    /// Handle value of the datatype, as the program passed it.
    pub datatype_handle: u64,
    /// The datatype, which lives on when the program has freed its handle.
    pub datatype: Datatype,
}

impl World {
    /// Starts an inactive request. Runs on the rank; what concerns others is posted.
    ///
    /// # Errors
    /// `MPI_ERR_BUFFER` when a buffered send does not fit the attached buffer.
    pub fn start(&mut self, rank: WorldRank, key: RequestKey) -> Result<()> {
        self.post_causes(rank, key);
        let Some(request) = self.ranks[rank.index()].requests.get_mut(key) else { return Ok(()) };
        request.phase = Phase::Active;
        request.started = true;
        request.shown = false;
        request.status = Status::EMPTY;
        request.error = None;
        if let Some(choosing) = &mut self.choosing {
            request.history = choosing.histories[rank.index()].clone();
            request.posted = request.history.clone();
            choosing.number(rank, request, &self.cancels, self.reluctant_sends);
        }
        match &mut request.body {
            Body::Send(send) => {
                let send = send.clone();
                let Some(to) = send.to else {
                    self.complete(rank, key.slot);
                    return Ok(());
                };
                self.start_send(rank, key.slot, to, &send)?;
                if self.choosing.is_some() {
                    self.watch_buffer(rank, key.slot);
                }
                Ok(())
            }
            Body::Recv(recv) if recv.source == Status::PROC_NULL.source => {
                request.status = Status::PROC_NULL;
                self.complete(rank, key.slot);
                Ok(())
            }
            Body::Generalized(_) => Ok(()),
            &mut Body::Flush(owner) => {
                if self.ranks[rank.index()].buffers.is_empty(owner) {
                    self.complete(rank, key.slot);
                }
                Ok(())
            }
            _ => {
                if let Body::Collective(collective) = &mut request.body {
                    collective.schedule.next = 0;
                }
                self.posts.push((rank, Post::Start(key.slot)));
                if self.choosing.is_some() {
                    self.watch_buffer(rank, key.slot);
                }
                Ok(())
            }
        }
    }

    fn start_send(&mut self, rank: WorldRank, slot: u32, to: WorldRank, send: &crate::request::Send) -> Result<()> {
        let size = send.part.size();
        let sent = Some(send.part.datatype.clone());
        let protocol = self.thresholds.choose(send.mode, size);
        let mut buffered = None;
        if send.mode == Mode::Buffered {
            let bytes = size + crate::bsend::OVERHEAD;
            let state = &mut self.ranks[rank.index()];
            match state.buffers.take(send.context, bytes) {
                Ok(owner) => buffered = Some((owner, bytes)),
                Err(error) => {
                    state.requests.at_slot_mut(slot).into_iter().for_each(|request| request.phase = Phase::Inactive);
                    return Err(error);
                }
            }
        }
        let (data, token) = if protocol == Protocol::Rendezvous {
            (Some(Data::InPlace(send.part.clone())), Owner { rank, slot, step: None }.token())
        } else {
            (Some(Data::Packed(self.pack(rank, &send.part))), NOBODY)
        };
        let (context, source, tag) = (send.context, send.source, send.tag);
        let history = self.history_of(rank);
        let causes = self.sent_causes(rank, slot, send.mode);
        let origin = self.origin_of(rank, slot);
        let requests = &self.ranks[rank.index()].requests;
        let request = requests.key_at(slot).filter(|_| token == NOBODY);
        let cancellable = self.cancels.started(rank, slot, requests);
        let outgoing = Outgoing {
            to,
            context,
            source,
            tag,
            size,
            protocol,
            data,
            token,
            buffered,
            sent,
            history,
            causes,
            origin,
            request,
            cancellable,
        };
        self.posts.push((rank, Post::Send(outgoing)));
        if protocol != Protocol::Rendezvous {
            self.complete(rank, slot);
        }
        Ok(())
    }

    /// Posts a send whose sender need not wait for anything, without making a request. False, and nothing happened,
    /// when it takes one: because of the message's size or mode, or because a checker looks on.
    pub fn send_at_once(&mut self, rank: WorldRank, send: &crate::request::Send) -> bool {
        let size = send.part.size();
        let protocol = self.thresholds.choose(send.mode, size);
        let takes_request = protocol == Protocol::Rendezvous || send.mode == Mode::Buffered;
        if takes_request || self.choosing.is_some() || self.causality.is_some() || self.tape.is_some() {
            return false;
        }
        let Some(to) = send.to else { return true };
        let outgoing = Outgoing {
            to,
            context: send.context,
            source: send.source,
            tag: send.tag,
            size,
            protocol,
            data: Some(Data::Packed(self.pack(rank, &send.part))),
            token: NOBODY,
            buffered: None,
            sent: Some(send.part.datatype.clone()),
            history: History::EMPTY,
            causes: None,
            origin: None,
            request: None,
            cancellable: None,
        };
        self.posts.push((rank, Post::Send(outgoing)));
        true
    }

    /// What a rank knows now; empty without a checker.
    pub(crate) fn history_of(&self, rank: WorldRank) -> History {
        self.choosing.as_ref().map_or(History::EMPTY, |choosing| choosing.histories[rank.index()].clone())
    }

    /// Where the program made a request, as far as anybody wants to know.
    fn origin_of(&self, rank: WorldRank, slot: u32) -> Option<Box<Origin>> {
        self.tape.as_ref()?;
        self.ranks[rank.index()].requests.at_slot(slot).map(|request| Box::new(request.origin()))
    }

    /// What a message that a request posts now depends on.
    fn posted_history(&self, rank: WorldRank, slot: u32) -> History {
        let request = self.ranks[rank.index()].requests.at_slot(slot);
        request.map_or(History::EMPTY, |request| request.posted.clone())
    }

    pub(crate) fn pack(&mut self, rank: WorldRank, part: &Part) -> Vec<u8> {
        let mut packed = self.spare.pop().unwrap_or_default();
        packed.clear();
        if part.size() > 0 {
            part.datatype.pack(&*self.memory, rank, part.at, part.count as u64, &mut packed);
        }
        packed
    }

    /// Hands everything that the ranks posted in this instant to the mailbox, in rank order.
    pub fn commit(&mut self, fabric: &mut dyn Fabric) {
        let mut posts = mem::take(&mut self.posts);
        if !posts.is_sorted_by_key(|post| post.0) {
            posts.sort_by_key(|post| post.0);
        }
        for (rank, post) in &mut posts {
            self.commit_post(fabric, *rank, post);
        }
        posts.clear();
        // Nothing was posted meanwhile: ranks do not run during a commit. Keep the allocation.
        self.posts = posts;
    }

    /// Hands one post to the mailbox; what it holds is taken.
    pub(crate) fn commit_post(&mut self, fabric: &mut dyn Fabric, rank: WorldRank, post: &mut Post) {
        match *post {
            Post::Send(ref mut outgoing) => {
                self.send(fabric, rank, outgoing);
            }
            Post::Start(slot) => self.begin(fabric, rank, slot),
            Post::Advance(slot) => self.advance(fabric, rank, slot),
            Post::Cancel(key, ref known) => self.cancel(fabric, rank, key, known),
            Post::Probe { pattern, take, block, polls } => self.probe(rank, pattern, take, block, polls),
        }
    }

    /// The transfer of `comm` is over. Nothing happens when the message was taken back on its way.
    pub fn transfer_done(&mut self, fabric: &mut dyn Fabric, comm: CommId) {
        let Some(communication) = self.boxes.get(comm) else { return };
        self.flights[slot_of(comm)].arrived = true;
        if communication.state == State::Matched {
            self.finish(fabric, comm);
        }
    }

    fn begin(&mut self, fabric: &mut dyn Fabric, rank: WorldRank, slot: u32) {
        let Some(request) = self.ranks[rank.index()].requests.at_slot(slot) else { return };
        let token = Owner { rank, slot, step: None }.token();
        match &request.body {
            Body::Recv(recv) => {
                let pattern = recv.pattern();
                let posted = self.recv(fabric, rank, pattern, token);
                if let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(slot) {
                    request.comm = posted;
                }
            }
            &Body::MatchedRecv(_, comm) => {
                self.boxes.attach(comm, token);
                self.matched(fabric, comm);
            }
            Body::SendRecv(both) => {
                let both = both.clone();
                self.begin_both(fabric, rank, slot, *both);
            }
            Body::Collective(_) => self.meet(fabric, rank, slot),
            Body::Send(_) | Body::Generalized(_) | Body::Flush(_) => {}
        }
    }

    /// Posts both halves of a combined send and receive.
    fn begin_both(&mut self, fabric: &mut dyn Fabric, rank: WorldRank, slot: u32, both: SendRecv) {
        let SendRecv { send, recv, .. } = both;
        let token = |step| Owner { rank, slot, step: Some(step) }.token();
        if recv.source == Status::PROC_NULL.source {
            if let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(slot) {
                request.status = Status::PROC_NULL;
            }
            self.half_done(rank, slot);
        } else {
            self.recv(fabric, rank, recv.pattern(), token(SendRecv::RECV));
        }
        let Some(to) = send.to else { return self.half_done(rank, slot) };
        let size = send.part.size();
        let protocol = self.thresholds.choose(send.mode, size);
        let token = if protocol == Protocol::Rendezvous { token(SendRecv::SEND) } else { NOBODY };
        let sent = Some(send.part.datatype.clone());
        let data = Some(Data::InPlace(send.part));
        let (context, source, tag) = (send.context, send.source, send.tag);
        let history = self.posted_history(rank, slot);
        let causes = self.sent_causes(rank, slot, send.mode);
        let origin = self.origin_of(rank, slot);
        let (buffered, request, cancellable) = (None, None, None);
        let mut outgoing = Outgoing {
            to,
            context,
            source,
            tag,
            size,
            protocol,
            data,
            token,
            buffered,
            sent,
            history,
            causes,
            origin,
            request,
            cancellable,
        };
        if !self.send(fabric, rank, &mut outgoing) {
            self.half_done(rank, slot);
        }
    }

    pub(crate) fn half_done(&mut self, rank: WorldRank, slot: u32) {
        if let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(slot)
            && let Body::SendRecv(both) = &mut request.body
        {
            both.open -= 1;
            if both.open == 0 {
                self.complete(rank, slot);
            }
        }
    }

    /// Posts a send to the mailbox and takes what it holds. Returns false when the sender need not wait for it.
    fn send(&mut self, fabric: &mut dyn Fabric, from: WorldRank, outgoing: &mut Outgoing) -> bool {
        let &mut Outgoing { to, context, source, tag, size, protocol, token, buffered, request, .. } = outgoing;
        let traffic = &mut self.ranks[from.index()].traffic;
        traffic.messages += 1;
        traffic.bytes += size;
        let envelope = Envelope { context, source, tag };
        if let Some(choosing) = self.choosing.as_mut().filter(|_| outgoing.cancellable.is_none()) {
            choosing.late.sent(from, to, &envelope, &outgoing.history);
        }
        let posted = self.boxes.send(from, to, envelope, size, token);
        // The sender goes on before the data can be copied.
        if let Some(Data::InPlace(part)) = &outgoing.data
            && !posted.matched
            && protocol != Protocol::Rendezvous
        {
            outgoing.data = Some(Data::Packed(self.pack(from, part)));
        }
        let flight = self.flight(posted.comm);
        flight.data = outgoing.data.take();
        flight.buffered = buffered;
        flight.request = request;
        flight.sent = outgoing.sent.take();
        flight.history = mem::take(&mut outgoing.history);
        flight.causes = outgoing.causes.take();
        flight.started = false;
        flight.arrived = false;
        if self.tape.is_some() {
            let origin = outgoing.origin.take().map_or(Origin::default(), |origin| *origin);
            self.tape_send(posted.comm, context, size, tag, origin);
        }
        if token != NOBODY {
            let owner = Owner::of(token);
            if owner.step.is_none()
                && let Some(request) = self.ranks[from.index()].requests.at_slot_mut(owner.slot)
            {
                request.comm = Some(posted.comm);
            }
        } else if let Some(key) = request
            && let Some(request) = self.ranks[from.index()].requests.get_mut(key)
        {
            request.comm = Some(posted.comm);
        }
        if protocol == Protocol::Eager {
            self.flights[slot_of(posted.comm)].started = true;
            fabric.start_transfer(posted.comm, from, to, size + ENVELOPE_BYTES);
        }
        if let Some(started) = outgoing.cancellable {
            self.anticipate_send(from, started, posted.comm, to);
        }
        if posted.matched {
            self.matched(fabric, posted.comm);
        } else if self.choosing.is_some() {
            self.note_waiting(token, posted.comm);
            self.progress_held(fabric, to);
        }
        if !posted.matched
            && let Some((pattern, take)) = self.ranks[to.index()].probing
            && pattern.matches(&envelope)
        {
            self.answer_probe(to, pattern, take, true);
        }
        protocol == Protocol::Rendezvous
    }

    /// Posts a receive to the mailbox, unless the checker has to choose its message first.
    pub(crate) fn recv(
        &mut self,
        fabric: &mut dyn Fabric,
        at: WorldRank,
        pattern: Pattern,
        token: u64,
    ) -> Option<CommId> {
        let posted = match &mut self.choosing {
            None => self.boxes.recv(at, pattern, token),
            Some(choosing) => {
                let owner = Owner::of(token);
                let request = self.ranks[at.index()].requests.at_slot(owner.slot);
                let number = request.map_or(NO_CHOICE, |request| request.choice);
                let started = self.cancels.started(at, owner.slot, &self.ranks[at.index()].requests);
                let fate = if started.is_some() { Fate::Open } else { Fate::Takes };
                let receive = HeldReceive { pattern, token, number, fate };
                match choosing.held.recv(&mut self.boxes, at, receive) {
                    Some(posted) => posted,
                    None => {
                        if let Some(started) = started {
                            self.anticipate_receive(at, started);
                        }
                        self.progress_held(fabric, at);
                        return None;
                    }
                }
            }
        };
        if posted.matched {
            self.matched(fabric, posted.comm);
        }
        Some(posted.comm)
    }

    fn flight(&mut self, comm: CommId) -> &mut crate::world::Flight {
        let slot = slot_of(comm);
        if self.flights.len() <= slot {
            self.flights.resize_with(slot + 1, Default::default);
        }
        &mut self.flights[slot]
    }

    /// Both sides are known: copies the data and sees to the transfer.
    pub(crate) fn matched(&mut self, fabric: &mut dyn Fabric, comm: CommId) {
        let Some(communication) = self.boxes.get(comm) else { return };
        let (from, to, size) = (communication.from, communication.to, communication.size);
        let (envelope, recv_token) = (communication.envelope, communication.recv_token);
        let sender = (from, communication.send_token);
        let receiver = Owner::of(recv_token);
        let flight = &mut self.flights[slot_of(comm)];
        let data = flight.data.take();
        let sent = flight.sent.take();
        let buffered = mem::take(&mut flight.buffered);
        let (started, arrived) = (mem::replace(&mut flight.started, true), flight.arrived);
        if self.choosing.is_some() {
            self.join_histories(comm, receiver);
            self.note_settled(comm);
            self.tape_match(comm, receiver);
            self.check_buffers(sender.1, receiver);
        }
        self.match_causes(comm, receiver);
        let mut error = None;
        if let Some(part) = self.part(receiver) {
            let capacity = part.size();
            if size > capacity {
                error = Some(truncated(size, capacity, envelope));
            } else if let Some(datatype) = sent
                && !datatype.is_same(&part.datatype)
            {
                let count = size.checked_div(datatype.size()).unwrap_or(0) as i64;
                self.check_types(Items { count, datatype }, sender, receiver, &part, envelope.tag);
            }
            if size.min(capacity) > 0 {
                match &data {
                    Some(Data::Packed(bytes)) => {
                        let end = bytes.len().min(capacity as usize);
                        part.datatype.unpack(&mut *self.memory, to, part.at, part.count as u64, &bytes[..end]);
                    }
                    Some(Data::InPlace(source)) => {
                        copy_typed(&mut *self.memory, source.place(from), part.place(to));
                    }
                    None => {}
                }
            }
        }
        if let Some(Data::Packed(bytes)) = data
            && self.spare.len() < 4096
            && bytes.capacity() <= 1 << 16
        {
            self.spare.push(bytes);
        }
        if let Some((owner, bytes)) = buffered
            && self.ranks[from.index()].buffers.give_back(owner, bytes)
        {
            self.wake_drained(from, owner);
        }
        if self.choosing.is_some() {
            self.watch_received(receiver);
        }
        self.note_receive(receiver, envelope, size, error);
        if !started {
            fabric.start_transfer(comm, from, to, size + ENVELOPE_BYTES);
        } else if arrived {
            self.finish(fabric, comm);
        }
    }

    /// Both sides of a matched message learn what the other knew, once they take their completions.
    fn join_histories(&mut self, comm: CommId, receiver: Owner) {
        let Some(communication) = self.boxes.get(comm) else { return };
        let sender = (communication.send_token != NOBODY).then(|| Owner::of(communication.send_token));
        let sent = mem::take(&mut self.flights[slot_of(comm)].history);
        let Some(request) = self.ranks[receiver.rank.index()].requests.at_slot_mut(receiver.slot) else { return };
        // Not what another half or step of the same request has learnt meanwhile.
        let received = request.posted.clone();
        request.history.join(&sent);
        // A sender that need not have waited learns nothing.
        if let Some(owner) = sender.filter(|&owner| !self.is_reluctant(owner))
            && let Some(request) = self.ranks[owner.rank.index()].requests.at_slot_mut(owner.slot)
        {
            request.history.join(&received);
        }
    }

    /// Nobody may have changed the buffers of a message before it is copied.
    fn check_buffers(&mut self, send_token: u64, receiver: Owner) {
        if send_token != NOBODY {
            let sender = Owner::of(send_token);
            self.check_buffer(sender.rank, sender.slot, false);
        }
        self.check_buffer(receiver.rank, receiver.slot, false);
    }

    /// Writes down what a receive will report.
    fn note_receive(&mut self, receiver: Owner, envelope: Envelope, size: u64, error: Option<MpiError>) {
        let Some(request) = self.ranks[receiver.rank.index()].requests.at_slot_mut(receiver.slot) else { return };
        if receiver.step.is_none() || matches!(request.body, Body::SendRecv(_)) {
            request.status = Status {
                source: envelope.source as i32,
                tag: envelope.tag,
                error: error.as_ref().map_or(0, |error| error.class.0),
                bytes: size,
                cancelled: false,
            };
        }
        if request.error.is_none() {
            request.error = error;
        }
    }

    /// A matched message has arrived: both owners are told.
    fn finish(&mut self, fabric: &mut dyn Fabric, comm: CommId) {
        let Some(communication) = self.boxes.get(comm) else { return };
        let (send_token, recv_token) = (communication.send_token, communication.recv_token);
        self.boxes.finish(comm);
        if send_token != NOBODY {
            self.message_done(fabric, Owner::of(send_token));
        }
        self.message_done(fabric, Owner::of(recv_token));
    }

    fn message_done(&mut self, fabric: &mut dyn Fabric, owner: Owner) {
        let Owner { rank, slot, step } = owner;
        if step.is_none() {
            return self.complete(rank, slot);
        }
        let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(slot) else { return };
        match &mut request.body {
            Body::Collective(collective) => {
                collective.schedule.outstanding -= 1;
                if collective.schedule.outstanding == 0 {
                    self.advance(fabric, rank, slot);
                }
            }
            _ => self.half_done(rank, slot),
        }
    }

    /// Runs a schedule's steps until one has to wait.
    pub(crate) fn advance(&mut self, fabric: &mut dyn Fabric, rank: WorldRank, slot: u32) {
        loop {
            let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(slot) else { return };
            let Body::Collective(collective) = &mut request.body else { return };
            let schedule = &mut collective.schedule;
            let Some(step) = schedule.steps.get(schedule.next) else {
                if schedule.outstanding == 0 {
                    self.schedule_done(rank, slot);
                }
                return;
            };
            match step {
                Step::Fence => {
                    if schedule.outstanding > 0 {
                        return;
                    }
                    schedule.next += 1;
                    request.posted = request.history.clone();
                }
                Step::Send(..) | Step::Recv(..) => {
                    let token = Owner { rank, slot, step: Some(schedule.next as u32) }.token();
                    schedule.next += 1;
                    // Counted before posting: a message may be over at once.
                    schedule.outstanding += 1;
                    let step = schedule.steps[schedule.next - 1].clone();
                    self.post_step(fabric, rank, slot, step, token);
                }
                Step::Copy { from, to } => {
                    let (from, to) = (from.clone(), to.clone());
                    schedule.next += 1;
                    copy_typed(&mut *self.memory, from.place(rank), to.place(rank));
                }
                Step::Reduce { input, inout } => match schedule.op {
                    Some(Op::Predefined(op)) => {
                        let (input, inout) = (input.clone(), inout.clone());
                        schedule.next += 1;
                        let outcome = reduce_parts(&mut *self.memory, rank, op, &input, &inout);
                        self.note_error(rank, slot, outcome);
                    }
                    _ => {
                        self.ranks[rank.index()].user_work.push(slot);
                        self.wake_for_user_work(rank);
                        return;
                    }
                },
            }
        }
    }

    /// Wakes a rank that is blocked, in whatever call, so that it does what is due; then it waits on for the same
    /// thing. Progress of a collective must not depend on which call its ranks are in (MPI 5.0 §3.5, §6.12).
    fn wake_for_user_work(&mut self, rank: WorldRank) {
        let is_probing = self.is_probing(rank);
        let state = &mut self.ranks[rank.index()];
        if mem::take(&mut state.waiting) > 0 || is_probing || state.draining.is_some() || self.is_asking(rank) {
            self.woken.push(rank);
        }
    }

    fn note_error(&mut self, rank: WorldRank, slot: u32, outcome: Result<()>) {
        if let Err(error) = outcome
            && let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(slot)
        {
            request.error.get_or_insert(error);
        }
    }

    /// Posts the message of a schedule's step.
    fn post_step(&mut self, fabric: &mut dyn Fabric, rank: WorldRank, slot: u32, step: Step, token: u64) {
        let Some(Body::Collective(collective)) =
            self.ranks[rank.index()].requests.at_slot(slot).map(|request| &request.body)
        else {
            return;
        };
        let (Step::Send(peer, _) | Step::Recv(peer, _)) = &step else { return };
        let comm = &collective.comm;
        let (kind, group, number) = match *peer {
            Peer::Local(number) if comm.remote.is_some() => (Kind::LocalCollective, &comm.group, number),
            Peer::Local(number) => (Kind::Collective, &comm.group, number),
            Peer::Remote(number) => (Kind::Collective, comm.peers(), number),
        };
        let (context, tag, source) = (comm.context_of(kind), collective.tag, comm.rank);
        let detached = collective.schedule.detached;
        let Some(to) = group.world(number) else { return };
        match step {
            Step::Send(_, part) => {
                let size = part.size();
                let protocol = match self.thresholds.choose(Mode::Standard, size) {
                    _ if detached => Protocol::Detached,
                    protocol => protocol,
                };
                let token = if protocol == Protocol::Rendezvous { token } else { NOBODY };
                let data = Some(Data::InPlace(part));
                let history = self.posted_history(rank, slot);
                let origin = None;
                let mut outgoing = Outgoing {
                    to,
                    context,
                    source,
                    tag,
                    size,
                    protocol,
                    data,
                    token,
                    buffered: None,
                    sent: None,
                    history,
                    causes: None,
                    origin,
                    request: None,
                    cancellable: None,
                };
                if !self.send(fabric, rank, &mut outgoing)
                    && let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(slot)
                    && let Body::Collective(collective) = &mut request.body
                {
                    collective.schedule.outstanding -= 1;
                }
            }
            Step::Recv(..) => {
                let pattern = Pattern { context, source: Some(number), tag: Some(tag) };
                self.recv(fabric, rank, pattern, token);
            }
            _ => {}
        }
    }

    /// The next reduction that the rank itself has to do, if any.
    pub fn user_work(&mut self, rank: WorldRank) -> Option<UserReduction> {
        let state = &mut self.ranks[rank.index()];
        let slot = *state.user_work.last()?;
        let Body::Collective(collective) = &state.requests.at_slot(slot)?.body else { return None };
        let schedule = &collective.schedule;
        let (Step::Reduce { input, inout }, Some(Op::User(user))) = (schedule.steps.get(schedule.next)?, schedule.op)
        else {
            return None;
        };
        Some(UserReduction {
            slot,
            id: user.id,
            input: input.at,
            inout: inout.at,
            count: inout.count,
            datatype_handle: schedule.user_datatype,
            datatype: inout.datatype.clone(),
        })
    }

    /// The reduction that [`World::user_work`] named is done; the schedule goes on with the next commit.
    pub fn user_work_done(&mut self, rank: WorldRank, slot: u32) {
        let state = &mut self.ranks[rank.index()];
        state.user_work.retain(|&other| other != slot);
        if let Some(request) = state.requests.at_slot_mut(slot)
            && let Body::Collective(collective) = &mut request.body
        {
            collective.schedule.next += 1;
            self.posts.push((rank, Post::Advance(slot)));
        }
    }

    /// The memory that belongs to a message's owner.
    fn part(&self, owner: Owner) -> Option<Part> {
        match (&self.ranks[owner.rank.index()].requests.at_slot(owner.slot)?.body, owner.step) {
            (Body::Send(send), None) => Some(send.part.clone()),
            (Body::Recv(recv), None) => Some(recv.part.clone()),
            (Body::MatchedRecv(part, _), None) => Some(part.clone()),
            (Body::SendRecv(both), Some(SendRecv::SEND)) => Some(both.send.part.clone()),
            (Body::SendRecv(both), Some(_)) => Some(both.recv.part.clone()),
            (Body::Collective(collective), Some(step)) => match collective.schedule.steps.get(step as usize)? {
                Step::Send(_, part) | Step::Recv(_, part) => Some(part.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    fn probe(&mut self, rank: WorldRank, pattern: Pattern, take: bool, block: bool, polls: Polls) {
        if let Some(choosing) = &mut self.choosing {
            let asked = if block { Asked::Probe { pattern, take } } else { Asked::Iprobe { pattern, take, polls } };
            choosing.ask(rank, asked);
            return;
        }
        self.answer_probe(rank, pattern, take, block);
    }

    /// Answers a probe with what is in the mailbox now.
    pub(crate) fn answer_probe(&mut self, rank: WorldRank, pattern: Pattern, take: bool, block: bool) {
        let found = if take { self.boxes.claim(rank, pattern) } else { self.boxes.probe(rank, pattern) };
        found.into_iter().for_each(|comm| self.probe_causes(rank, comm));
        let probed = found.and_then(|comm| {
            let communication = self.boxes.get(comm)?;
            let status = Status {
                source: communication.envelope.source as i32,
                tag: communication.envelope.tag,
                bytes: communication.size,
                ..Status::EMPTY
            };
            Some(Probed { status, message: take.then_some(comm) })
        });
        let state = &mut self.ranks[rank.index()];
        if probed.is_none() && block {
            state.probing = Some((pattern, take));
            return;
        }
        state.probing = None;
        state.probed = probed;
        self.woken.push(rank);
    }

    /// An operation is over: wakes its rank when that waits for nothing else.
    pub(crate) fn complete(&mut self, rank: WorldRank, slot: u32) {
        let state = &mut self.ranks[rank.index()];
        let Some(request) = state.requests.at_slot_mut(slot) else { return };
        request.phase = Phase::Done;
        if let Some(choosing) = &mut self.choosing {
            choosing.late.completed(rank, u64::from(slot), &request.history);
        }
        match &mut request.body {
            // A persistent one needs its scratch memory again.
            Body::Collective(collective) if !request.persistent || request.freed => {
                for block in collective.schedule.scratch.drain(..) {
                    self.memory.release(rank, block.at, block.len);
                }
            }
            Body::SendRecv(both) => {
                if let Some(block) = both.copy.take() {
                    self.memory.release(rank, block.at, block.len);
                }
            }
            _ => {}
        }
        if mem::take(&mut request.waited) && state.waiting > 0 {
            state.waiting -= 1;
            if state.waiting == 0 {
                self.woken.push(rank);
            }
        }
        if request.freed
            && let Some(key) = state.requests.key_at(slot)
        {
            state.requests.remove(key);
        }
    }

    /// Declares that the rank waits until one of its attached buffers is empty. Returns true when it is.
    pub fn wait_drained(&mut self, rank: WorldRank, owner: BufferOwner) -> bool {
        let state = &mut self.ranks[rank.index()];
        let empty = state.buffers.is_empty(owner);
        state.draining = (!empty).then_some(owner);
        empty
    }

    pub(crate) fn wake_drained(&mut self, rank: WorldRank, owner: BufferOwner) {
        let state = &mut self.ranks[rank.index()];
        if state.draining.take_if(|waited| *waited == owner).is_some() {
            self.woken.push(rank);
        }
        let is_due = |request: &Request| {
            request.phase == Phase::Active && matches!(request.body, Body::Flush(flushed) if flushed == owner)
        };
        let due: Vec<u32> =
            state.requests.iter().filter(|(_, request)| is_due(request)).map(|(key, _)| key.slot).collect();
        due.into_iter().for_each(|slot| self.complete(rank, slot));
    }
}

pub(crate) fn slot_of(comm: CommId) -> usize {
    (comm.to_bits() & u64::from(u32::MAX)) as usize
}

fn truncated(size: u64, capacity: u64, envelope: Envelope) -> MpiError {
    MpiError::new(
        ErrorClass::TRUNCATE,
        format!(
            "the message from rank {} with tag {} has {size} bytes, the receive buffer {capacity}",
            envelope.source, envelope.tag
        ),
    )
}
