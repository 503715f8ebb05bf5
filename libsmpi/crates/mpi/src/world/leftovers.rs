//! Communication that is left when the ranks have ended: requests not completed, messages not received.

use smpi_base::WorldRank;
use smpi_base::map::Set;
use smpi_mailbox::{CommId, Communication, State};

use super::conduct::COMPLETED;
use super::{NOBODY, World};
use crate::comm::{CONTEXTS_PER_COMM, TrafficKind};
use crate::p2p::request::{Body, Owner, Phase, Request};
use crate::usage::{Left, Leftover, Origin};

impl World {
    /// Everything left over, by kind and rank. To be called when all ranks have ended.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let mut found = Vec::new();
        let mut unreceived: Set<(WorldRank, u32)> = Set::default();
        for (comm, communication) in self.state.boxes.iter() {
            // Those of collective operations are the operations', which say what is missing themselves.
            if !communication.envelope.context.is_multiple_of(CONTEXTS_PER_COMM) {
                continue;
            }
            let (sender, receiver) = (communication.from, communication.to);
            let (left, rank, token) = match communication.state {
                State::SendPosted | State::Claimed => (Left::Message, sender, communication.send_token),
                State::RecvPosted => (Left::Receive, receiver, communication.recv_token),
                State::Matched => continue,
            };
            // A send that did not wait for its message may have been forgotten along with it.
            let requests = &self.state.ranks[rank.index()].requests;
            let forgotten = || self.detached_request(comm).filter(|&key| requests.get(key).is_some());
            let slot = match token {
                NOBODY => forgotten().map(|key| key.slot),
                token => Some(Owner::of(token).slot),
            };
            let request = slot.and_then(|slot| requests.at_slot(slot));
            if left == Left::Receive && request.is_some_and(|request| !request.freed) {
                continue;
            }
            unreceived.extend(slot.map(|slot| (rank, slot)));
            let origin = self.made_at(request, comm);
            let Some(what) = self.left_in_words(communication, left) else { continue };
            found.push(Leftover { rank, left, origin, what });
        }
        self.unreceived_partitions(&mut found);
        for rank in self.all_ranks() {
            for (key, request) in self.state.ranks[rank.index()].requests.iter() {
                if request.freed || request.part_of.is_some() || unreceived.contains(&(rank, key.slot)) {
                    continue;
                }
                let left = match (request.phase, request.persistent, request.started) {
                    (Phase::Inactive, true, false) => Left::NeverStarted,
                    (Phase::Inactive, true, true) => Left::Persistent,
                    (Phase::Inactive, false, _) => continue,
                    (Phase::Active | Phase::Done, ..) => Left::NeverCompleted,
                };
                let what = match &request.body {
                    Body::Collective(collective) => format!("{} of rank {rank}", collective.call.name),
                    Body::Send(_) => format!("a send of rank {rank}"),
                    Body::Recv(_) | Body::MatchedRecv(..) => format!("a receive of rank {rank}"),
                    Body::Partitioned(all) if all.sends => format!("a partitioned send of rank {rank}"),
                    Body::Partitioned(_) => format!("a partitioned receive of rank {rank}"),
                    _ => format!("an operation of rank {rank}"),
                };
                found.push(Leftover { rank, left, origin: request.origin(), what });
            }
        }
        found.sort_by_key(|leftover| (leftover.left, leftover.rank));
        found
    }

    /// What was left behind, in words; `None` where that has been said already.
    fn left_in_words(&self, communication: &Communication, left: Left) -> Option<String> {
        let (sender, receiver, envelope) = (communication.from, communication.to, communication.envelope);
        if left != Left::Message {
            return Some(format!("a receive of rank {receiver}"));
        }
        if !self.is_of_window(envelope.context) {
            let (tag, size) = (envelope.tag, communication.size);
            return Some(format!("the message of rank {sender} to rank {receiver} with tag {tag} ({size} bytes)"));
        }
        let word = match envelope.tag {
            COMPLETED => "that its accesses are over (MPI_Win_complete)",
            _ => "that its memory is exposed (MPI_Win_post)",
        };
        let is_said = self.is_breached(envelope.context);
        (!is_said).then(|| format!("the word of rank {sender} to rank {receiver} {word}"))
    }

    /// Where the program made a request, or else sent the message, if either is remembered.
    pub(super) fn made_at(&self, request: Option<&Request>, comm: CommId) -> Origin {
        let made = request.map(|request| request.origin()).filter(|origin| origin.site != 0);
        made.or_else(|| self.sent_from(comm)).unwrap_or_default()
    }

    /// Where the program sent a message, if that is remembered.
    pub(super) fn sent_from(&self, comm: CommId) -> Option<Origin> {
        self.state.in_transit.rare(comm)?.origin
    }

    /// Partitions that were sent, by operations that are over for their senders, and that nobody received: all between
    /// two ranks on a communicator as one.
    fn unreceived_partitions(&self, found: &mut Vec<Leftover>) {
        let mut known: Vec<(u32, WorldRank, WorldRank, u64, Origin)> = Vec::new();
        for (comm, communication) in self.state.boxes.iter() {
            let context = communication.envelope.context;
            let kind = context % CONTEXTS_PER_COMM;
            if kind != TrafficKind::Partitioned as u32 || communication.state != State::SendPosted {
                continue;
            }
            let (from, to) = (communication.from, communication.to);
            let requests = &self.state.ranks[from.index()].requests;
            let member = match communication.send_token {
                NOBODY => self.detached_request(comm).and_then(|key| requests.get(key)),
                token => requests.at_slot(Owner::of(token).slot),
            };
            let whole = member.and_then(|member| member.part_of).and_then(|slot| requests.at_slot(slot));
            if whole.is_some_and(|whole| whole.phase != Phase::Inactive) {
                continue;
            }
            match known.iter_mut().find(|one| (one.0, one.1, one.2) == (context, from, to)) {
                Some(one) => one.3 += 1,
                None => {
                    known.push((context, from, to, 1, self.made_at(member, comm)));
                }
            }
        }
        found.extend(known.into_iter().map(|(_, from, to, count, origin)| {
            let noun = if count == 1 { "partition" } else { "partitions" };
            let what = format!("a partitioned send of rank {from} to rank {to} ({count} {noun})");
            Leftover { rank: from, left: Left::Message, origin, what }
        }));
    }
}
