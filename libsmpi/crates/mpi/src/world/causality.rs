//! Causality as MPI guarantees it, for sends in ready mode: was the receive certainly posted before?
//!
//! Source: MPI 5.0 §3.4: such a send may be started only if the matching receive is already posted. A receive that is
//! present in one execution proves nothing, because ranks run in any order. The receive is certain if its posting
//! *happened before* the send: then no order of the same calls, with the same matching, has the send first. Otherwise
//! such an order exists. So every rank has a vector clock, which counts for each rank the receives that were certainly
//! posted before. The clock follows only MPI's promises, so it is the same in every buffering mode:
//!
//! | a rank | learns what was known when |
//! |---|---|
//! | completes a receive, or sees a message by a probe | the message was sent |
//! | completes a synchronous send | its receive was posted, that one included |
//! | completes a collective operation | the ranks called it whose data it gets (of a barrier: all) |
//!
//! The completion of any other send teaches nothing, because its message may lie in a buffer. The halves of a combined
//! send and receive run concurrently (§3.10): its message does not prove that its receive was posted.
//!
//! The histories of a verification are different, and follow other rules.

use smpi_abi::{Chapter, Function};
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_mailbox::{CommId, Context, State};

use super::races::Accesses;
use super::{NOBODY, World, slot_of};
use crate::collective::{Peer, Step};
use crate::comm::TrafficKind;
use crate::p2p::protocol::Mode;
use crate::p2p::request::{Body, Collective, Owner, RequestKey, Status};
use crate::rma::Stretch;
use crate::usage::{Clock, Items, Observation, Origin, Sent, Side};

/// Context, number and round of a collective operation: persistent ones keep their number.
type OperationId = (Context, i32, u32);

/// A collective operation that not all ranks have completed.
#[derive(Clone, Debug, Default)]
struct Operation {
    /// What the ranks knew when they called it.
    known: Map<WorldRank, Clock>,
    /// All that together.
    all: Clock,
    completed: u32,
}

/// What ranks know of each other's receives.
#[derive(Clone, Debug, Default)]
pub(super) struct Causality {
    pub(super) clocks: Vec<Clock>,
    pub(super) accesses: Accesses,
    stretches: Vec<Stretch>,
    operations: Map<OperationId, Operation>,
}

impl Causality {
    /// What a rank knows.
    pub(super) fn clock(&mut self, rank: WorldRank) -> &mut Clock {
        &mut self.clocks[rank.index()]
    }

    /// What a rank knows, for others to hear: what it does from now on is later.
    pub(super) fn tell(&mut self, rank: WorldRank) -> Clock {
        if let Some(stretch) = self.stretches.get_mut(rank.index()).filter(|stretch| stretch.count > 0) {
            *stretch = Stretch::default();
        }
        self.clocks[rank.index()].clone()
    }

    /// What a rank has done with its memory since others could last hear of it.
    pub(super) fn stretch(&mut self, rank: WorldRank) -> &mut Stretch {
        if self.stretches.len() <= rank.index() {
            self.stretches.resize_with(rank.index() + 1, Stretch::default);
        }
        &mut self.stretches[rank.index()]
    }

    /// The count of a rank that others will hear of next.
    pub(super) fn count_of_stretch(&mut self, rank: WorldRank) -> u32 {
        if self.stretch(rank).count == 0 {
            self.stretch(rank).count = self.clock(rank).count(rank);
        }
        self.stretch(rank).count
    }

    /// Adds ranks, up to this number.
    pub(super) fn grow(&mut self, ranks: usize) {
        self.clocks.resize_with(self.clocks.len().max(ranks), Clock::default);
    }
}

/// The ranks whose data a rank gets in a collective operation.
enum Sources {
    Everybody,
    These(Vec<WorldRank>),
}

impl World {
    /// Follows causality from now on, to judge sends in ready mode.
    pub fn follow_causality(&mut self) {
        let clocks = vec![Clock::default(); self.ranks.len()];
        self.observers.causality = Some(Box::new(Causality { clocks, ..Causality::default() }));
    }

    /// Whether causality is followed.
    pub fn follows_causality(&self) -> bool {
        self.observers.causality.is_some()
    }

    /// A request is started.
    #[inline]
    pub(super) fn post_causes(&mut self, rank: WorldRank, key: RequestKey) {
        if self.observers.causality.is_some() {
            self.follow_post(rank, key);
        }
    }

    fn follow_post(&mut self, rank: WorldRank, key: RequestKey) {
        let Some(causality) = &mut self.observers.causality else { return };
        let Some(request) = self.ranks[rank.index()].requests.get_mut(key) else { return };
        let mut causes = request.causes.take().unwrap_or_default();
        causes.starts += 1;
        causes.before = causality.tell(rank);
        let clock = &mut causality.clocks[rank.index()];
        causes.learnt = Clock::default();
        let recv = match &request.body {
            Body::Recv(recv) => Some(recv.source),
            Body::SendRecv(both) => Some(both.recv.source),
            Body::MatchedRecv(..) => Some(0),
            _ => None,
        };
        if recv.is_some_and(|source| source != Status::PROC_NULL.source) {
            causes.number = clock.count(rank);
        }
        causes.posted = clock.clone();
        if let Body::Collective(collective) = &request.body {
            let operation = causality.operations.entry(id_of(collective, causes.starts)).or_default();
            if gives(collective) {
                operation.all.join(&causes.before);
                operation.known.insert(rank, causes.before.clone());
            }
        }
        request.causes = Some(causes);
        self.note_buffers_of(rank, key);
    }

    /// What a message of a request carries that is posted now, or (combined with a receive) was when the request was
    /// started.
    pub(super) fn sent_causes(&self, rank: WorldRank, slot: u32, mode: Mode) -> Option<Box<Sent>> {
        self.observers.causality.as_ref()?;
        let request = self.ranks[rank.index()].requests.at_slot(slot)?;
        let clock = request.causes.as_ref()?.before.clone();
        Some(Box::new(Sent { clock, is_ready: mode == Mode::Ready, origin: request.origin() }))
    }

    /// A message of the program has found its receive.
    pub(super) fn match_causes(&mut self, comm: CommId, receiver: Owner) {
        if self.observers.causality.is_none() {
            return;
        }
        let Some(sent) = self.in_transit[slot_of(comm)].causes.take() else { return };
        let Some(communication) = self.boxes.get(comm) else { return };
        let (from, send_token, tag) = (communication.from, communication.send_token, communication.envelope.tag);
        let request = self.ranks[receiver.rank.index()].requests.at_slot_mut(receiver.slot);
        let Some(causes) = request.and_then(|request| request.causes.as_mut()) else { return };
        causes.learnt.join(&sent.clock);
        let (number, posted) = (causes.number, causes.posted.clone());
        if sent.is_ready && number > sent.clock.knows(receiver.rank) {
            let receiver = self.side(receiver.rank, Some(receiver.slot));
            let sender = Side { rank: from, origin: sent.origin, away: true };
            self.observe(Observation::Ready { sender, receiver, tag, is_received: true });
        }
        let sender = (send_token != NOBODY).then(|| Owner::of(send_token));
        if let Some(owner) = sender
            && let Some(request) = self.ranks[owner.rank.index()].requests.at_slot_mut(owner.slot)
            && matches!(&request.body, Body::Send(send) if send.mode == Mode::Synchronous)
            && let Some(causes) = &mut request.causes
        {
            causes.learnt.join(&posted);
        }
    }

    /// A rank sees by a probe that a message was sent.
    pub(super) fn probe_causes(&mut self, rank: WorldRank, comm: CommId) {
        let Some(causality) = &mut self.observers.causality else { return };
        if let Some(sent) = &self.in_transit[slot_of(comm)].causes {
            causality.clocks[rank.index()].join(&sent.clock);
        }
    }

    /// A rank is told that a request is over.
    pub fn learn(&mut self, rank: WorldRank, key: RequestKey) {
        self.request_known(rank, key);
        let Some(causality) = &mut self.observers.causality else { return };
        let Some(request) = self.ranks[rank.index()].requests.get(key) else { return };
        let Some(causes) = &request.causes else { return };
        let clock = &mut causality.clocks[rank.index()];
        clock.join(&causes.learnt);
        let Body::Collective(collective) = &request.body else { return };
        let Some(operation) = causality.operations.get(&id_of(collective, causes.starts)) else { return };
        match sources(collective) {
            Sources::Everybody => clock.join(&operation.all),
            Sources::These(ranks) => {
                ranks.iter().filter_map(|rank| operation.known.get(rank)).for_each(|known| clock.join(known));
            }
        }
    }

    /// A rank takes the completion of a request.
    pub(super) fn take_causes(&mut self, rank: WorldRank, key: RequestKey) {
        self.learn(rank, key);
        let Some(causality) = &mut self.observers.causality else { return };
        let Some(request) = self.ranks[rank.index()].requests.get(key) else { return };
        let (Body::Collective(collective), Some(causes)) = (&request.body, &request.causes) else { return };
        let id = id_of(collective, causes.starts);
        if let Some(operation) = causality.operations.get_mut(&id) {
            operation.completed += 1;
            if operation.completed == members(collective) {
                causality.operations.remove(&id);
            }
        }
    }

    /// Notes the messages in ready mode whose receive nobody has posted, and will not: all ranks wait for ever.
    pub fn note_unreceived(&mut self) {
        if self.observers.causality.is_none() {
            return;
        }
        let waiting = self.boxes.iter().filter(|(_, communication)| communication.state == State::SendPosted);
        let mut found = Vec::new();
        for (comm, communication) in waiting {
            if let Some(sent) = self.in_transit[slot_of(comm)].causes.as_ref().filter(|sent| sent.is_ready) {
                let side = |rank, origin| Side { rank, origin, away: true };
                let (sender, receiver) =
                    (side(communication.from, sent.origin), side(communication.to, Origin::default()));
                found.push(Observation::Ready {
                    sender,
                    receiver,
                    tag: communication.envelope.tag,
                    is_received: false,
                });
            }
        }
        self.observers.observations.append(&mut found);
    }
}

fn id_of(collective: &Collective, round: u32) -> OperationId {
    (collective.comm.context_of(TrafficKind::Collective), collective.tag, round)
}

fn members(collective: &Collective) -> u32 {
    let comm = &collective.comm;
    comm.group.size() + comm.remote.as_ref().map_or(0, |group| group.size())
}

/// Whether the rank that calls gives anything that others could wait for.
fn gives(collective: &Collective) -> bool {
    let agreed = &collective.call.agreed;
    match &agreed.exchange {
        Some(exchange) => exchange.gives.iter().any(|(_, items)| !items.is_nothing()),
        None => agreed.blocks.iter().all(Option::is_none) || !agreed.blocks.iter().flatten().all(Items::is_nothing),
    }
}

/// Whose data the rank that calls gets. Between two groups that is only known where the blocks are: elsewhere it counts
/// as everybody's.
fn sources(collective: &Collective) -> Sources {
    let (call, comm) = (&collective.call, &collective.comm);
    if let Some(exchange) = &call.agreed.exchange {
        let given = exchange.takes.iter().filter(|(_, items)| !items.is_nothing());
        return Sources::These(given.filter_map(|(peer, _)| comm.peer(*peer)).collect());
    }
    if comm.remote.is_some() {
        return Sources::Everybody;
    }
    let is_root = call.agreed.root == Some(comm.rank);
    let world = |ranks: std::ops::Range<u32>| Sources::These(ranks.filter_map(|rank| comm.group.world(rank)).collect());
    match call.name {
        Function::Bcast | Function::Scatter | Function::Scatterv => {
            call.agreed.root.map_or(Sources::Everybody, |root| world(root..root + 1))
        }
        Function::Gather | Function::Gatherv | Function::Reduce if !is_root => world(0..0),
        Function::Scan | Function::Exscan => world(0..comm.rank),
        // Every rank knows all that it needs.
        Function::Comm_dup
        | Function::Comm_dup_with_info
        | Function::Comm_create
        | Function::Dist_graph_create_adjacent => world(0..0),
        name if name.chapter() == Chapter::Neighbor => {
            let peer = |step: &Step| match step {
                Step::Recv(Peer::Local(rank), _) => comm.group.world(*rank),
                _ => None,
            };
            Sources::These(collective.schedule.steps.iter().filter_map(peer).collect())
        }
        _ => Sources::Everybody,
    }
}
