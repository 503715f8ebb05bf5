//! Partitioned operations (MPI 5.0 §4.2): partitions are made ready and sent, and arrive.
//!
//! A partitioned send has an ordinary send of standard mode for each partition, which `MPI_Pready` starts. A
//! partitioned receive posts a receive for each of these pieces when both ends are known and it is started; they are
//! its steps. Each of its own partitions has a request as well, which is complete when all of it has arrived:
//! `MPI_Parrived` tests it. The whole is complete when all its partitions are.

use smpi_base::WorldRank;
use smpi_mailbox::Pattern;

use super::{Data, Driver, Notice, Post, World};
use crate::error::{ErrorClass, MpiError, Result};
use crate::p2p::partitioned::{Lane, Pair, Partitioned, Pieces};
use crate::p2p::protocol::Mode;
use crate::p2p::request::{Body, Owner, Phase, Request, RequestKey, Send, Status};
use crate::usage::{Clock, Items, Observation};

impl World {
    /// Makes the request of a partitioned operation, with one for each partition. Matching with the other end is due at
    /// the next commit.
    ///
    /// # Errors
    /// `MPI_ERR_OTHER` when the rank has too many requests, or when there are too many partitions between two ranks.
    pub fn new_partitioned<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        made: Partitioned,
        comm_handle: u64,
    ) -> Result<RequestKey> {
        let (partitions, lane, sends) = (made.partitions, made.lane(rank), made.sends);
        let (bytes, items) = (made.bytes(), Items::of(&made.part));
        let template = made.clone();
        let key = self.new_request(rank, Request::new(Body::Partitioned(Box::new(made)), true, comm_handle))?;
        let Some(lane) = lane else { return Ok(key) };
        let mut first_tag = 0;
        if sends {
            match self.state.lanes.send(lane, key.slot, (partitions, bytes), items) {
                Some(tag) => first_tag = tag,
                None => {
                    self.forget_request(rank, key);
                    return Err(too_many_pieces());
                }
            }
        } else {
            self.state.lanes.receive(lane, key.slot);
        }
        for partition in 0..partitions {
            let body = if sends { template.send_of(partition, first_tag) } else { Body::Portion };
            let request = Request { part_of: Some(key.slot), ..Request::new(body, true, comm_handle) };
            match self.new_request(rank, request) {
                Ok(member) => self.partitioned_mut(rank, key.slot).into_iter().for_each(|own| own.members.push(member)),
                Err(error) => {
                    self.free_request(rank, key);
                    return Err(error);
                }
            }
        }
        self.post(driver, rank, Post::Join(lane));
        Ok(key)
    }

    /// The partitioned operation in a slot.
    #[inline]
    pub fn partitioned(&self, rank: WorldRank, slot: u32) -> Option<&Partitioned> {
        match &self.request_at(rank, slot)?.body {
            Body::Partitioned(partitioned) => Some(partitioned),
            _ => None,
        }
    }

    pub(super) fn partitioned_mut(&mut self, rank: WorldRank, slot: u32) -> Option<&mut Partitioned> {
        match &mut self.request_at_mut(rank, slot)?.body {
            Body::Partitioned(partitioned) => Some(partitioned),
            _ => None,
        }
    }

    /// The requests of the partitions of an operation; none if it is not partitioned.
    pub fn members(&self, rank: WorldRank, slot: u32) -> &[RequestKey] {
        self.partitioned(rank, slot).map_or(&[], |partitioned| &partitioned.members)
    }

    /// Starts a round.
    pub(super) fn start_partitioned<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32) {
        let Some(partitioned) = self.partitioned_mut(rank, slot) else { return };
        partitioned.open = partitioned.partitions;
        partitioned.missing.clear();
        partitioned.told = 0;
        partitioned.marked = vec![false; partitioned.partitions as usize];
        let (sends, members) = (partitioned.sends, partitioned.members.clone());
        let Some(lane) = partitioned.lane(rank) else {
            if let Some(request) = self.request_at_mut(rank, slot).filter(|_| !sends) {
                request.status = Status::PROC_NULL;
            }
            return self.complete(driver, rank, slot);
        };
        if sends {
            return;
        }
        for member in members {
            self.begin_member(driver, rank, (slot, member));
        }
        self.post(driver, rank, Post::Join(lane));
    }

    /// A partition of a receive waits for its data from now on.
    fn begin_member<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, (slot, member): (u32, RequestKey)) {
        if let Some(request) = self.request(rank, member) {
            (request.started, request.shown, request.error) = (true, false, None);
            request.causes = None;
            self.state.ranks[rank.index()].set_phase(member.slot, Phase::Active);
            driver.told(self, Notice::BegunWithin { rank, whole: slot, part: member.slot });
        }
    }

    /// One end is new, or started: where both are known and the receiver is started, its receives are posted. (The
    /// sender may have freed its request meanwhile.)
    pub(super) fn join_ends<D: Driver>(&mut self, driver: &mut D, lane: Lane) {
        let pairs: Vec<Pair> = self.state.lanes.pairs(lane).collect();
        for pair in pairs {
            let (at, receiver) = (lane.to, pair.receiver);
            let Some(partitioned) = self.partitioned_mut(at, receiver) else { continue };
            let is_new = partitioned.pieces.replace(pair.pieces).is_none();
            let is_posted = !partitioned.missing.is_empty();
            if is_new {
                self.compare_ends(lane.from, (at, receiver), &pair);
            }
            if self.request_at(at, receiver).is_some_and(|request| request.phase == Phase::Active) && !is_posted {
                self.post_pieces(driver, (at, receiver), pair.pieces);
            }
        }
    }

    /// The types on both sides must be the same; [`size_error`] tells of sizes.
    fn compare_ends(&mut self, from: WorldRank, (at, slot): (WorldRank, u32), pair: &Pair) {
        let Some(receiver) = self.partitioned(at, slot) else { return };
        let (part, tag) = (receiver.part.clone(), receiver.tag);
        if part.size() != pair.pieces.total() || pair.sent.fits(&part) {
            return;
        }
        let (sender, receiver) = (self.side(from, pair.sender), self.side(at, Some(slot)));
        let (sent, wanted) = (pair.sent.clone(), Items::of(&part));
        self.observe(Observation::Types { sender, receiver, sent, wanted, tag });
    }

    /// Posts the receives of a round.
    fn post_pieces<D: Driver>(&mut self, driver: &mut D, (rank, slot): (WorldRank, u32), pieces: Pieces) {
        let Some(partitioned) = self.partitioned_mut(rank, slot) else { return };
        partitioned.await_all(&pieces);
        let (context, source, members) = (partitioned.context, partitioned.source, partitioned.members.clone());
        let error = size_error(partitioned, &pieces);
        // Partitions that nothing is sent for, where there is less than there is room for.
        let empty: Vec<u32> = members
            .iter()
            .zip(&partitioned.missing)
            .filter(|(_, missing)| **missing == 0)
            .map(|(key, _)| key.slot)
            .collect();
        if let Some(request) = self.request_at_mut(rank, slot) {
            request.error = error;
        }
        for piece in 0..pieces.count {
            let pattern = Pattern { context, source: Some(source), tag: Some(pieces.tag + piece as i32) };
            self.recv(driver, pattern, Owner { rank, slot, step: Some(piece) });
        }
        empty.into_iter().for_each(|member| self.complete(driver, rank, member));
    }

    /// Whether a message belongs to a partitioned receive.
    pub(super) fn takes_piece(&self, receiver: Owner) -> bool {
        receiver.step.is_some() && self.partitioned(receiver.rank, receiver.slot).is_some()
    }

    /// Copies the data of a piece into the receiver's buffer, as far as there is room.
    pub(super) fn deliver_piece(&mut self, from: WorldRank, receiver: Owner, data: Option<&Data>) {
        let Some(partitioned) = self.partitioned(receiver.rank, receiver.slot) else { return };
        let (Some(pieces), Some(piece)) = (partitioned.pieces, receiver.step) else { return };
        let part = partitioned.part.clone();
        let own;
        let packed = match data {
            Some(Data::InPlace(source)) => {
                own = self.pack(from, source);
                &own
            }
            Some(Data::Packed(bytes)) => bytes,
            Some(Data::Delivered) | None => return,
        };
        let range = pieces.range(piece);
        let range = range.start.min(part.size())..range.end.min(part.size());
        let length = (range.end - range.start).min(packed.len() as u64);
        if length > 0 {
            self.about_to_write(receiver.rank, &part);
            let (count, range) = (part.count as u64, range.start..range.start + length);
            let bytes = &packed[..length as usize];
            part.datatype.unpack_range(&mut *self.memory, receiver.rank, part.at, count, range, bytes);
        }
    }

    /// The partitions that need a piece will tell what its sender knew.
    pub(super) fn teach_partitions(&mut self, receiver: Owner, known: &Clock) {
        let Owner { rank, slot, step } = receiver;
        let (Some(partitioned), Some(piece)) = (self.partitioned(rank, slot), step) else { return };
        let Some(pieces) = partitioned.pieces else { return };
        let partitions = partitioned.overlapping(&pieces, piece);
        let members: Vec<RequestKey> = partitions.map(|partition| partitioned.members[partition as usize]).collect();
        for member in members {
            if let Some(request) = self.request(rank, member) {
                request.causes.get_or_insert_default().learnt.join(known);
            }
        }
    }

    /// A piece has arrived.
    pub(super) fn piece_done<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, (slot, piece): (u32, u32)) {
        let Some(partitioned) = self.partitioned_mut(rank, slot) else { return };
        let Some(pieces) = partitioned.pieces.filter(|_| !partitioned.missing.is_empty()) else { return };
        let mut over = Vec::new();
        for partition in partitioned.overlapping(&pieces, piece) {
            let missing = &mut partitioned.missing[partition as usize];
            *missing -= 1;
            over.push((partitioned.members[partition as usize].slot, *missing == 0));
        }
        for (member, is_over) in over {
            driver.told(self, Notice::PieceArrived { rank, whole: slot, step: piece, part: member });
            if is_over {
                self.complete(driver, rank, member);
            }
        }
    }

    /// A partition is over: the whole is if it was the last.
    pub(super) fn partition_over<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, (slot, member): (u32, u32)) {
        driver.told(self, Notice::PartitionOver { rank, whole: slot, part: member });
        let error = self.request_at_mut(rank, member).and_then(|request| request.error.take());
        let Some(request) = self.request_at_mut(rank, slot) else { return };
        let is_active = request.phase == Phase::Active;
        request.error = request.error.take().or(error);
        let class = request.error.as_ref().map_or(0, |error| error.class.0);
        let Body::Partitioned(partitioned) = &mut request.body else { return };
        partitioned.open = partitioned.open.saturating_sub(1);
        let is_over = is_active && partitioned.open == 0;
        request.status = match partitioned.sends {
            true => Status { error: class, ..Status::EMPTY },
            false => Status {
                source: partitioned.peer_rank,
                tag: partitioned.tag,
                error: class,
                bytes: partitioned.pieces.map_or(0, |pieces| pieces.total()),
                cancelled: false,
            },
        };
        if is_over {
            self.complete(driver, rank, slot);
        }
    }

    /// The program takes the completion of the whole: its partitions rest until the next round.
    #[inline]
    pub(super) fn rest_members(&mut self, rank: WorldRank, slot: u32) {
        if self.partitioned(rank, slot).is_some() {
            self.let_rest(rank, slot);
        }
    }

    #[inline(never)]
    fn let_rest(&mut self, rank: WorldRank, slot: u32) {
        let Some(partitioned) = self.partitioned_mut(rank, slot) else { return };
        partitioned.marked.clear();
        for member in partitioned.members.clone() {
            self.returned(rank, member);
            self.observe_taken(rank, member);
            if let Some(request) = self.request(rank, member) {
                request.comm = None;
                request.watched.iter_mut().for_each(|watched| watched.content = None);
                self.state.ranks[rank.index()].set_phase(member.slot, Phase::Inactive);
            }
        }
    }

    /// The whole is freed: so are its partitions, and the other end is on its own.
    pub(super) fn free_members(&mut self, rank: WorldRank, slot: u32) {
        let Some(partitioned) = self.partitioned_mut(rank, slot) else { return };
        let (members, sends) = (std::mem::take(&mut partitioned.members), partitioned.sends);
        if let Some(lane) = partitioned.lane(rank) {
            self.state.lanes.leave(lane, sends, slot);
        }
        members.into_iter().for_each(|member| self.free_request(rank, member));
    }

    /// The program marks a partition as ready: the request of its send, which is to be started.
    pub fn mark_ready(&mut self, rank: WorldRank, key: RequestKey, partition: u32) -> Option<RequestKey> {
        let partitioned = self.partitioned_mut(rank, key.slot)?;
        partitioned.marked[partition as usize] = true;
        partitioned.members.get(partition as usize).copied()
    }
}

impl Partitioned {
    /// The send of one partition.
    fn send_of(&self, partition: u32, first_tag: i32) -> Body {
        Body::Send(Send {
            part: self.part_of(partition..partition + 1),
            to: self.peer,
            context: self.context,
            source: self.source,
            dest: self.peer_rank,
            tag: first_tag + partition as i32,
            mode: Mode::Standard,
            caller: 0,
        })
    }
}

/// What is wrong when the two sides do not have the same amount of data (MPI 5.0 §4.2.1).
fn size_error(receiver: &Partitioned, pieces: &Pieces) -> Option<MpiError> {
    let (sent, room) = (pieces.total(), receiver.part.size());
    let class = if sent > room { ErrorClass::TRUNCATE } else { ErrorClass::COUNT };
    (sent != room).then(|| {
        MpiError::new(
            class,
            format!(
                "rank {} sends {} partitions of {} bytes with tag {}, {sent} bytes in all, but there are {} partitions of \
                 {} bytes to receive them, {room} bytes in all; both sides must have the same amount",
                receiver.peer_rank,
                pieces.count,
                pieces.bytes,
                receiver.tag,
                receiver.partitions,
                receiver.bytes()
            ),
        )
    })
}

#[cold]
fn too_many_pieces() -> MpiError {
    MpiError::new(
        ErrorClass::OTHER,
        "there are already so many partitions between these two ranks on this communicator that their number exceeds \
         2147483647; free partitioned requests that are not used any more",
    )
}
