//! A rank starts requests: effects on the rank itself happen at once, the others are posted.

use smpi_base::WorldRank;
use smpi_mailbox::{Context, Envelope, Pattern};

use super::transit::Rare;
use super::{Data, Driver, NOBODY, Notice, Outgoing, Post, World};
use crate::collective::Part;
use crate::error::Result;
use crate::p2p::protocol::{Mode, Protocol};
use crate::p2p::request::{Body, Owner, Phase, RequestKey, Send, Status};
use crate::usage::Sent;

impl Outgoing {
    /// A message of `size` bytes: nobody waits for it, and nothing is known of where it comes from.
    #[inline(always)]
    pub(super) fn new(to: WorldRank, envelope: Envelope, size: u64, protocol: Protocol, data: Data) -> Outgoing {
        let (data, token) = (Some(data), NOBODY);
        let (sent, rare, request, caller) = (None, None, None, 0);
        Outgoing { to, envelope, size, protocol, data, token, sent, rare, request, caller }
    }

    /// A message without data that leaves at once, as if it had `size` bytes.
    pub(super) fn word(to: WorldRank, envelope: Envelope, size: u64, causes: Option<Box<Sent>>) -> Outgoing {
        let rare = Rare::of(None, causes, None);
        Outgoing { rare, ..Outgoing::new(to, envelope, size, Protocol::Eager, Data::Packed(Vec::new())) }
    }

    /// The message of a send of the program.
    #[inline(always)]
    pub(super) fn of_send(send: &Send, to: WorldRank, protocol: Protocol, data: Data) -> Outgoing {
        let envelope = send.envelope();
        let sent = Some(send.part.datatype.clone());
        let caller = send.caller;
        Outgoing { sent, caller, ..Outgoing::new(to, envelope, send.part.size(), protocol, data) }
    }

    /// The context of its message.
    pub fn context(&self) -> Context {
        self.envelope.context
    }

    /// The slot of the request that made it.
    pub fn slot(&self) -> Option<u32> {
        match self.token {
            NOBODY => self.request.map(|key| key.slot),
            token => Some(Owner::of(token).slot),
        }
    }
}

/// Why an exploration is not complete where the space of an attached buffer is used again: a send that finds it full
/// fails, and which one that is follows from how soon the others receive. Not all orders are tried for that.
const FILLING: &str = "more was sent with MPI_Bsend than the attached buffer holds, so that a send may fail where others receive late; \
                       a larger buffer, or MPI_Buffer_flush from time to time, does without that";

impl World {
    /// Starts an inactive request. Runs on the rank; what concerns others is posted.
    ///
    /// # Errors
    /// `MPI_ERR_BUFFER` when a buffered send does not fit the attached buffer.
    pub fn start<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, key: RequestKey) -> Result<()> {
        self.post_causes(rank, key);
        let state = &mut self.state.ranks[rank.index()];
        let Some(request) = state.requests.get_mut(key) else { return Ok(()) };
        request.started = true;
        request.shown = request.body.is_with_nobody();
        request.status = Status::EMPTY;
        request.error = None;
        state.set_phase(key.slot, Phase::Active);
        driver.started(self, rank, key);
        let Some(request) = self.state.ranks[rank.index()].requests.get_mut(key) else { return Ok(()) };
        match &mut request.body {
            Body::Send(send) => {
                let send = send.clone();
                let Some(to) = send.to else {
                    self.complete(driver, rank, key.slot);
                    return Ok(());
                };
                self.start_send(driver, rank, key.slot, to, &send)?;
                self.tally_send(driver, rank, &send);
                self.watch_contents(rank, key.slot);
            }
            Body::Recv(recv) if recv.source == Status::PROC_NULL.source => {
                request.status = Status::PROC_NULL;
                self.complete(driver, rank, key.slot);
            }
            Body::Generalized(_) | Body::Access(_) | Body::File(_) | Body::Portion => {}
            Body::Partitioned(_) => self.start_partitioned(driver, rank, key.slot),
            &mut Body::Flush(owner) => {
                if self.state.ranks[rank.index()].buffers.is_empty(owner) {
                    self.complete(driver, rank, key.slot);
                }
            }
            body => {
                if let Body::Collective(collective) = body {
                    collective.schedule.rewind();
                    collective.round = collective.round.wrapping_add(1);
                }
                self.tally_started(driver, rank, key);
                self.post(driver, rank, Post::Start(key.slot));
                self.watch_contents(rank, key.slot);
            }
        }
        Ok(())
    }

    fn start_send<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        slot: u32,
        to: WorldRank,
        send: &Send,
    ) -> Result<()> {
        let size = send.part.size();
        let protocol = self.thresholds_of(rank).choose(send.mode, size);
        let mut held = None;
        if send.mode == Mode::Buffered {
            let bytes = size + self.rules.bsend_overhead;
            let state = &mut self.state.ranks[rank.index()];
            match state.buffers.take(send.context, bytes, self.rules.bsend_overhead) {
                Ok(owner) => {
                    held = Some((owner, bytes));
                    if self.rules.by_states && state.buffers.depends_on_receivers(owner) {
                        self.observers.unexplored = Some(FILLING);
                    }
                }
                Err(error) => {
                    state.set_phase(slot, Phase::Inactive);
                    return Err(error);
                }
            }
        }
        let waits = protocol == Protocol::Rendezvous;
        // What is sent in buffered mode lies in the attached buffer.
        let is_late = self.rules.copies_late && send.mode != Mode::Buffered;
        let data =
            if waits || is_late { Data::InPlace(send.part.clone()) } else { Data::Packed(self.pack(rank, &send.part)) };
        let request = self.state.ranks[rank.index()].requests.key_at(slot);
        let place = self.state.posts.len() as u32;
        if is_late
            && !waits
            && let Some(request) = self.request_at_mut(rank, slot)
        {
            request.late_post = Some(place);
        }
        let outgoing = Outgoing {
            token: if waits { Owner { rank, slot, step: None }.token() } else { NOBODY },
            rare: Rare::of(held, self.sent_causes(rank, slot, send.mode), self.sent_at(rank, slot)),
            request: request.filter(|_| !waits),
            ..Outgoing::of_send(send, to, protocol, data)
        };
        self.post(driver, rank, Post::Send(outgoing));
        if !waits {
            self.complete(driver, rank, slot);
        }
        Ok(())
    }

    /// Posts a send whose sender need not wait for anything, without making a request. False, and nothing happened,
    /// when it takes one: because of the message's size or mode, or because it is to be followed.
    pub fn send_at_once<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, send: &Send) -> bool {
        let protocol = self.thresholds_of(rank).choose(send.mode, send.part.size());
        let takes_request = protocol == Protocol::Rendezvous || send.mode == Mode::Buffered;
        if takes_request || self.rules.requests_for_all || self.follows_sends() {
            return false;
        }
        let Some(to) = send.to else { return true };
        let is_delivered = self.deliver_at_once(rank, to, send);
        let data = if is_delivered { Data::Delivered } else { Data::Packed(self.pack(rank, &send.part)) };
        self.post(driver, rank, Post::Send(Outgoing::of_send(send, to, protocol, data)));
        self.tally_send(driver, rank, send);
        true
    }

    /// Posts a probe; the answer is in [`World::take_probed`] after the rank was suspended and woken.
    pub fn post_probe<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        pattern: Pattern,
        take: bool,
        block: bool,
    ) {
        self.post(driver, rank, Post::Probe { pattern, take, block });
    }

    #[inline(always)]
    pub(super) fn post<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, post: Post) {
        self.state.posts.push((rank, post));
        let place = self.state.posts.len() - 1;
        driver.told(self, Notice::Posting { rank, post: &self.state.posts[place].1 });
    }

    /// The payload of a part in one piece.
    #[inline]
    pub(super) fn pack(&mut self, rank: WorldRank, part: &Part) -> Vec<u8> {
        let mut packed = self.spare.pop().unwrap_or_default();
        packed.clear();
        if part.size() > 0 && !part.place(rank).is_void(&*self.memory) {
            part.datatype.pack(&*self.memory, rank, part.at, part.count as u64, &mut packed);
        }
        packed
    }
}
