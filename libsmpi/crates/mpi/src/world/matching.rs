//! Both sides of a message are known: its data is copied, and its owners hear when it has arrived.

use smpi_base::WorldRank;
use smpi_mailbox::{CommId, Envelope, State};

use super::transit::{Content, Progress};
use super::{Data, Driver, NOBODY, World};
use crate::collective::{Part, Step};
use crate::datatype::{Datatype, copy_typed};
use crate::error::{ErrorClass, MpiError};
use crate::p2p::protocol::ENVELOPE_BYTES;
use crate::p2p::request::{Body, Owner, SendRecv, Status};
use crate::usage::Items;

/// Payload buffers that are kept to be used again, and how large they may be.
const MAX_SPARE: usize = 4096;
const MAX_SPARE_BYTES: usize = 1 << 16;

impl World {
    /// Both sides are known: copies the data and sees to the transfer.
    pub(super) fn matched<D: Driver>(&mut self, driver: &mut D, comm: CommId) {
        let content = self.state.in_transit.take_content(comm);
        self.matched_with(driver, comm, content);
    }

    /// The same for a message whose content the caller has.
    pub(super) fn matched_with<D: Driver>(&mut self, driver: &mut D, comm: CommId, content: Content) {
        let Some(communication) = self.state.boxes.get(comm) else { return };
        let (from, to, size) = (communication.from, communication.to, communication.size);
        let (envelope, recv_token) = (communication.envelope, communication.recv_token);
        let send_token = communication.send_token;
        let receiver = Owner::of(recv_token);
        let Content { data, sent, progress: Progress { started, arrived }, has_rare } = content;
        driver.matched(self, comm, receiver);
        self.observe_match(comm, (from, send_token), receiver);
        let error = self.deliver((from, send_token), receiver, (comm, envelope, size), data.as_ref(), sent);
        let mut buffered = None;
        if has_rare {
            buffered = self.state.in_transit.rare(comm).and_then(|rare| rare.buffered);
            self.state.in_transit.forget(comm);
        }
        if let Some(Data::Packed(bytes)) = data
            && self.spare.len() < MAX_SPARE
            && bytes.capacity() <= MAX_SPARE_BYTES
        {
            self.spare.push(bytes);
        }
        if let Some((owner, bytes)) = buffered
            && self.state.ranks[from.index()].buffers.give_back(owner, bytes)
        {
            self.wake_drained(driver, from, owner);
        }
        self.watch_received(receiver);
        self.note_receive(receiver, envelope, size, error, send_token == NOBODY);
        if !started {
            driver.start_transfer(comm, from, self.stands_at(to), size + ENVELOPE_BYTES);
        } else if arrived {
            self.finish(driver, comm);
        }
    }

    /// A receive that its driver kept has found its message.
    pub fn joined<D: Driver>(&mut self, driver: &mut D, comm: CommId) {
        if let Some(communication) = self.state.boxes.get(comm) {
            let owner = Owner::of(communication.recv_token);
            if owner.step.is_none()
                && let Some(request) = self.request_at_mut(owner.rank, owner.slot)
            {
                request.comm = Some(comm);
            }
        }
        self.tally_match(driver, comm, true);
        self.matched(driver, comm);
    }

    /// Copies the data of a message into the receive's buffer, as far as there is room; says what is wrong with it.
    #[inline]
    fn deliver(
        &mut self,
        sender: (WorldRank, u64),
        receiver: Owner,
        (comm, envelope, size): (CommId, Envelope, u64),
        data: Option<&Data>,
        sent: Option<Datatype>,
    ) -> Option<MpiError> {
        let part = self.part(receiver)?;
        if self.takes_piece(receiver) {
            self.deliver_piece(sender.0, receiver, data);
            return None;
        }
        let capacity = part.size();
        let mut error = (size > capacity).then(|| truncated(size, capacity, envelope));
        if let Some(datatype) = sent.filter(|datatype| error.is_none() && !datatype.is_same(&part.datatype)) {
            let count = size.checked_div(datatype.size()).unwrap_or(0) as i64;
            self.check_types(Items { count, datatype }, (comm, sender), receiver, &part, envelope.tag);
            // Steps of collective operations have types of their own.
            let request = self.request_at(receiver.rank, receiver.slot)?;
            if !matches!(request.body, Body::Collective(_)) {
                error = in_parts(size, &part.datatype, envelope);
            }
        }
        if size.min(capacity) > 0 {
            self.about_to_write(receiver.rank, &part);
            match data {
                Some(Data::Packed(bytes)) => {
                    let end = bytes.len().min(capacity as usize);
                    part.datatype.unpack(&mut *self.memory, receiver.rank, part.at, part.count as u64, &bytes[..end]);
                }
                Some(Data::InPlace(source)) => {
                    copy_typed(&mut *self.memory, source.place(sender.0), part.place(receiver.rank));
                }
                Some(Data::Delivered) | None => {}
            }
        }
        error
    }

    /// Puts the payload of a message away that nobody has received: its sender need not wait any more.
    pub fn buffer_message<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32, comm: CommId) {
        self.put_away(rank, comm);
        self.state.boxes.set_send_token(comm, NOBODY);
        let requests = &self.state.ranks[rank.index()].requests;
        match requests.at_slot(slot).map(|request| &request.body) {
            Some(Body::SendRecv(_)) => self.half_done(driver, rank, slot),
            _ => {
                if let Some(kept) = self.state.in_transit.kept_mut(comm) {
                    kept.request = requests.key_at(slot);
                }
                self.complete(driver, rank, slot);
            }
        }
    }

    /// The transfer of `comm` is over. Nothing happens when the message was taken back on its way.
    pub fn transfer_done<D: Driver>(&mut self, driver: &mut D, comm: CommId) {
        let Some(communication) = self.state.boxes.get(comm) else { return };
        let is_matched = communication.state == State::Matched;
        let rare = self.state.in_transit.kept_mut(comm).and_then(|kept| kept.rare.as_mut());
        if let Some(errand) = rare.and_then(|rare| rare.errand.take()) {
            self.state.in_transit.forget(comm);
            self.state.boxes.finish(comm);
            return self.errand_done(driver, errand);
        }
        self.state.in_transit.progress_mut(comm).arrived = true;
        if is_matched {
            self.finish(driver, comm);
        }
    }

    /// Writes down what a receive will report.
    #[inline]
    fn note_receive(
        &mut self,
        receiver: Owner,
        envelope: Envelope,
        size: u64,
        error: Option<MpiError>,
        unawaited: bool,
    ) {
        let Some(request) = self.request_at_mut(receiver.rank, receiver.slot) else { return };
        request.unawaited = unawaited;
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
    fn finish<D: Driver>(&mut self, driver: &mut D, comm: CommId) {
        let Some(communication) = self.state.boxes.get(comm) else { return };
        let (send_token, recv_token) = (communication.send_token, communication.recv_token);
        self.state.boxes.finish(comm);
        if send_token != NOBODY {
            self.message_done(driver, Owner::of(send_token));
        }
        self.message_done(driver, Owner::of(recv_token));
    }

    fn message_done<D: Driver>(&mut self, driver: &mut D, owner: Owner) {
        let Owner { rank, slot, step } = owner;
        let Some(step) = step else { return self.complete(driver, rank, slot) };
        let Some(request) = self.request_at_mut(rank, slot) else { return };
        match &mut request.body {
            Body::Collective(collective) => {
                let schedule = &mut collective.schedule;
                schedule.message_done(step);
                let is_awaited = matches!(schedule.steps.get(schedule.next), Some(&Step::Await(next)) if next == step);
                if is_awaited || schedule.outstanding == 0 {
                    self.advance(driver, rank, slot);
                }
            }
            Body::Partitioned(_) => self.piece_done(driver, rank, (slot, step)),
            _ => self.half_done(driver, rank, slot),
        }
    }

    /// The memory that belongs to a message's owner.
    pub(super) fn part(&self, owner: Owner) -> Option<Part> {
        match (&self.request_at(owner.rank, owner.slot)?.body, owner.step) {
            (Body::Send(send), None) => Some(send.part.clone()),
            (Body::Recv(recv), None) => Some(recv.part.clone()),
            (Body::MatchedRecv(part, _), None) => Some(part.clone()),
            (Body::Partitioned(partitioned), Some(_)) => Some(partitioned.part.clone()),
            (Body::SendRecv(both), Some(SendRecv::SEND)) => Some(both.send.part.clone()),
            (Body::SendRecv(both), Some(_)) => Some(both.recv.part.clone()),
            (Body::Collective(collective), Some(step)) => match collective.schedule.steps.get(step as usize)? {
                Step::Send(_, part) | Step::Recv(_, part) => Some(part.clone()),
                _ => None,
            },
            _ => None,
        }
    }
}

/// What is wrong with a message that ends within an element of the receive: MPI has no number of elements for it, so
/// the receive does not pretend that it went well.
fn in_parts(size: u64, datatype: &Datatype, envelope: Envelope) -> Option<MpiError> {
    let element = datatype.signature().uniform()?;
    if size.is_multiple_of(u64::from(element.size())) {
        return None;
    }
    Some(MpiError::new(
        ErrorClass::TYPE,
        format!(
            "the message from rank {} with tag {} has {size} bytes, the receive elements of {} with {} bytes each",
            envelope.source,
            envelope.tag,
            element.name(),
            element.size()
        ),
    ))
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
