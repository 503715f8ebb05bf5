//! The ranks' posts reach the mailboxes, in the order of ranks and of each rank's calls.

use std::mem;

use smpi_base::WorldRank;
use smpi_mailbox::{CommId, Pattern};

use super::transit::{Content, Kept, Progress, Rare};
use super::{Data, Driver, NOBODY, Notice, Outgoing, Post, World};
use crate::p2p::protocol::{ENVELOPE_BYTES, Protocol};
use crate::p2p::request::{Body, Owner, RequestKey, SendRecv, Status};

impl World {
    /// Hands everything that the ranks posted in this instant to the mailboxes, in rank order.
    pub fn commit<D: Driver>(&mut self, driver: &mut D) {
        if self.is_taped() {
            self.tape_commit();
        }
        let mut posts = mem::take(&mut self.state.posts);
        if !posts.is_sorted_by_key(|post| post.0) {
            posts.sort_by_key(|post| post.0);
        }
        for (rank, post) in &mut posts {
            self.commit_post(driver, *rank, post);
        }
        self.put_away_all();
        posts.clear();
        // Nothing was posted meanwhile: ranks do not run during a commit. Keep the allocation.
        self.state.posts = posts;
    }

    /// Commits the oldest post of a rank.
    pub fn commit_first<D: Driver>(&mut self, driver: &mut D, rank: WorldRank) {
        let Some(place) = self.state.posts.iter().position(|post| post.0 == rank) else { return };
        let (_, mut post) = self.state.posts.remove(place);
        self.commit_post(driver, rank, &mut post);
    }

    /// Hands one post to the mailbox; what it holds is taken.
    fn commit_post<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, post: &mut Post) {
        driver.told(self, Notice::Committing { rank, post });
        match *post {
            Post::Send(ref mut outgoing) => {
                self.send(driver, rank, outgoing, None);
            }
            Post::Start(slot) => self.begin(driver, rank, slot),
            Post::Join(lane) => self.join_ends(driver, lane),
            Post::Advance(slot) => self.advance(driver, rank, slot),
            Post::Cancel(key) => self.cancel(driver, rank, key),
            Post::Probe { pattern, take, block } => {
                if !driver.probes(self, rank, pattern, take, block) {
                    self.answer_probe(rank, pattern, take, block);
                }
            }
            Post::Access(key) => self.depart(driver, rank, key),
            Post::Release(ref mut release) => {
                let causes = release.causes.take();
                self.release(driver, rank, (release.window, release.target), causes);
            }
        }
    }

    pub(super) fn begin<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32) {
        let Some(request) = self.request_at(rank, slot) else { return };
        match &request.body {
            Body::Recv(recv) => {
                let pattern = recv.pattern();
                let posted = self.recv(driver, pattern, Owner { rank, slot, step: None });
                if let Some(request) = self.request_at_mut(rank, slot) {
                    request.comm = posted;
                }
            }
            &Body::MatchedRecv(_, comm) => {
                self.state.boxes.attach(comm, Owner { rank, slot, step: None }.token());
                self.tally_match(driver, comm, true);
                self.matched(driver, comm);
            }
            Body::SendRecv(both) => {
                let both = both.clone();
                self.begin_both(driver, rank, slot, *both);
            }
            Body::Collective(_) => self.meet(driver, rank, slot),
            Body::Window(wait) => {
                let wait = wait.clone();
                self.begin_wait(driver, rank, slot, &wait);
            }
            Body::Send(_)
            | Body::Generalized(_)
            | Body::Flush(_)
            | Body::Access(_)
            | Body::File(_)
            | Body::Partitioned(_)
            | Body::Portion => {}
        }
    }

    /// Posts both halves of a combined send and receive.
    fn begin_both<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32, both: SendRecv) {
        let SendRecv { send, recv, .. } = both;
        let owner = |step| Owner { rank, slot, step: Some(step) };
        if recv.source == Status::PROC_NULL.source {
            if let Some(request) = self.request_at_mut(rank, slot) {
                request.status = Status::PROC_NULL;
            }
            self.half_done(driver, rank, slot);
        } else {
            self.recv(driver, recv.pattern(), owner(SendRecv::RECV));
        }
        let Some(to) = send.to else { return self.half_done(driver, rank, slot) };
        let protocol = self.thresholds_of(rank).choose(send.mode, send.part.size());
        let waits = protocol == Protocol::Rendezvous;
        let mut outgoing = Outgoing {
            token: if waits { owner(SendRecv::SEND).token() } else { NOBODY },
            rare: Rare::of(None, self.sent_causes(rank, slot, send.mode), self.sent_at(rank, slot)),
            ..Outgoing::of_send(&send, to, protocol, Data::InPlace(send.part.clone()))
        };
        self.send(driver, rank, &mut outgoing, Some(slot));
        if !waits {
            self.half_done(driver, rank, slot);
        }
    }

    /// Gives a message to its receiver's mailbox and takes what it holds. `owner`: the slot of the request whose step
    /// it is.
    pub(super) fn send<D: Driver>(
        &mut self,
        driver: &mut D,
        from: WorldRank,
        outgoing: &mut Outgoing,
        owner: Option<u32>,
    ) {
        let &mut Outgoing { to, envelope, size, protocol, token, request, caller, .. } = outgoing;
        let volume = &mut self.state.ranks[from.index()].sent;
        volume.messages += 1;
        volume.bytes += size;
        let posted = self.state.boxes.send(from, to, envelope, size, token);
        // The sender may go on before the data can be copied.
        if let Some(Data::InPlace(part)) = &outgoing.data
            && !posted.matched
            && protocol != Protocol::Rendezvous
        {
            if self.rules.copies_late {
                self.leave_in_place(from, posted.comm, part);
            } else {
                outgoing.data = Some(Data::Packed(self.pack(from, part)));
            }
        }
        if self.is_taped() {
            self.tape_send(posted.comm, outgoing);
        }
        let Outgoing { data, sent, rare, .. } = outgoing;
        let (mut data, mut sent, rare) = (data.take(), sent.take(), rare.take());
        // What is matched now need not be put away, unless somebody looks at it.
        let keeps = !posted.matched || rare.is_some() || self.rules.requests_for_all;
        let kept = keeps.then(|| Kept { data: data.take(), sent: sent.take(), request, rare, caller });
        let started = protocol == Protocol::Eager;
        self.state.in_transit.put(posted.comm, started || !keeps, kept);
        self.note_comm(from, token, request, posted.comm);
        driver.sent(self, posted.comm, owner);
        if protocol == Protocol::Eager {
            driver.start_transfer(posted.comm, from, self.stands_at(to), size + ENVELOPE_BYTES);
        }
        if posted.matched {
            self.tally_match(driver, posted.comm, false);
            return match keeps {
                true => self.matched(driver, posted.comm),
                false => {
                    let progress = Progress { started, arrived: false };
                    self.matched_with(driver, posted.comm, Content { data, sent, progress, has_rare: false })
                }
            };
        }
        self.tally_unexpected(driver, posted.comm);
        driver.unmatched(self, posted.comm);
        if let Some((pattern, take)) = self.state.ranks[to.index()].probing
            && pattern.matches(&envelope)
        {
            self.answer_probe(to, pattern, take, true);
        }
    }

    /// The request of a send learns which communication it is.
    #[inline]
    fn note_comm(&mut self, from: WorldRank, token: u64, request: Option<RequestKey>, comm: CommId) {
        let requests = &mut self.state.ranks[from.index()].requests;
        let request = match (token, request) {
            (NOBODY, Some(key)) => requests.get_mut(key),
            (NOBODY, None) => None,
            _ => {
                let owner = Owner::of(token);
                requests.at_slot_mut(owner.slot).filter(|_| owner.step.is_none())
            }
        };
        request.into_iter().for_each(|request| request.comm = Some(comm));
    }

    /// Gives a receive to its mailbox, unless the driver keeps it.
    pub(super) fn recv<D: Driver>(&mut self, driver: &mut D, pattern: Pattern, owner: Owner) -> Option<CommId> {
        let posted = driver.receive(self, owner.rank, pattern, owner)?;
        if posted.matched {
            self.tally_match(driver, posted.comm, true);
            self.matched(driver, posted.comm);
        } else {
            self.tally_queues(owner.rank);
        }
        Some(posted.comm)
    }

    /// Answers a probe with what is in the mailbox now.
    pub fn answer_probe(&mut self, rank: WorldRank, pattern: Pattern, take: bool, block: bool) {
        let found = if take { self.state.boxes.claim(rank, pattern) } else { self.state.boxes.probe(rank, pattern) };
        found.into_iter().for_each(|comm| self.probe_causes(rank, comm));
        let probed = found.and_then(|comm| {
            let communication = self.state.boxes.get(comm)?;
            let status = Status {
                source: communication.envelope.source as i32,
                tag: communication.envelope.tag,
                bytes: communication.size,
                ..Status::EMPTY
            };
            Some(super::Probed { status, message: take.then_some(comm) })
        });
        let state = &mut self.state.ranks[rank.index()];
        if probed.is_none() && block {
            state.probing = Some((pattern, take));
            return;
        }
        state.probing = None;
        state.probed = probed;
        self.woken.push(rank);
    }

    /// Answers a probe with "nothing there".
    pub fn answer_nothing(&mut self, rank: WorldRank) {
        self.state.ranks[rank.index()].probed = None;
        self.woken.push(rank);
    }
}
