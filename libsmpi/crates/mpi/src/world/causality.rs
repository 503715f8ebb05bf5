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
use smpi_base::digest::Digest;
use smpi_base::map::Map;
use smpi_mailbox::{CommId, Context, State};

use super::conduct::Conducts;
use super::naming::Tags;
use super::races::{Accesses, at};
use super::relevant::Relevant;
use super::{NOBODY, RankState, World};
use crate::collective::Step;
use crate::comm::{CONTEXTS_PER_COMM, TrafficKind};
use crate::p2p::protocol::Mode;
use crate::p2p::request::{Body, Collective, Owner, Request, RequestKey, Status};
use crate::rma::{Awaited, Seen, Stretch};
use crate::usage::{Clock, Counts, Items, Observation, Origin, Sent, Side};

/// Context, number and round of a collective operation: persistent ones keep their number.
type OperationId = (Context, i32, u32);

/// The first round, and the only one of operations that are not persistent.
const FIRST: u32 = 1;

/// A collective operation that not all ranks have completed.
#[derive(Clone, Debug, Default)]
struct Operation {
    /// What the ranks knew when they called it.
    known: Map<WorldRank, Clock>,
    /// All that together, and what most of it has in common.
    all: Clock,
    base: Option<Counts>,
    completed: u32,
}

/// What ranks know of each other's receives.
#[derive(Clone, Debug, Default)]
pub(super) struct Causality {
    pub(super) clocks: Vec<Clock>,
    /// By rank: it has heard something since its own count rose.
    has_heard: Vec<bool>,
    pub(super) accesses: Accesses,
    stretches: Vec<Stretch>,
    operations: Map<OperationId, Operation>,
    /// What ranks have said at windows.
    pub(super) conducts: Conducts,
    /// Sends whose requests were freed before they were matched: whose, and the receive that has the message.
    freed_sends: Vec<((WorldRank, RequestKey), (WorldRank, u32))>,
    /// Nothing but sends in ready mode is judged, as where states have names.
    is_of_ready_sends: bool,
}

impl Causality {
    /// Whether all that is followed has a name: where sends in ready mode alone are judged, or nothing is remembered
    /// yet that others may be compared with. What will be has a higher count than any that is known by then.
    pub(super) fn has_name(&self) -> bool {
        let remembers_nothing = || {
            self.accesses.are_none()
                && self.stretches.iter().all(Stretch::is_without_memory)
                && self.conducts.are_none()
                && self.freed_sends.is_empty()
        };
        self.is_of_ready_sends || remembers_nothing()
    }

    /// Adds what may still become of it.
    pub(super) fn name(&self, ranks: &[RankState], relevant: &Relevant, tags: &Tags, into: &mut Digest) {
        let Causality {
            clocks,
            has_heard: _, // It only shortens the way to the same clocks.
            accesses: _,
            stretches: _,
            operations,
            conducts: _,
            freed_sends: _, // Nobody asks for these four, or they are empty.
            is_of_ready_sends: _,
        } = self;
        clocks.iter().for_each(|clock| relevant.name_clock(clock, into));
        // Where ranks are in the same round of an operation, it does not matter which one that is.
        let first = |context: Context, tag: i32| {
            operations.keys().filter(|id| (id.0, id.1) == (context, tag)).map(|id| id.2).min()
        };
        for (key, request) in ranks.iter().flat_map(|rank| rank.requests.iter()) {
            if let (Body::Collective(collective), Some(causes)) = (&request.body, &request.causes) {
                let (context, tag, round) = id_of(collective, causes.starts);
                into.add((key, first(context, tag).map(|first| round.wrapping_sub(first))));
            }
        }
        into.add(operations.len());
        into.add_unordered(operations.iter().map(|(id, Operation { known, all, base: _, completed })| {
            let mut one = Digest::new();
            let kind = id.0 % CONTEXTS_PER_COMM;
            one.add((
                id.0,
                tags.relative(id.0 - kind, id.1 as u32),
                first(id.0, id.1).map(|first| id.2 - first),
                completed,
            ));
            relevant.name_clock(all, &mut one);
            one.add_unordered(known.iter().map(|(rank, clock)| {
                let mut digest = Digest::new();
                digest.add(rank);
                relevant.name_clock(clock, &mut digest);
                digest.bits()
            }));
            one.bits()
        }));
    }

    /// What a rank knows, for others to hear: what it does from now on is later.
    pub(super) fn tell(&mut self, rank: WorldRank) -> Clock {
        if let Some(stretch) = self.stretches.get_mut(rank.index()).filter(|stretch| stretch.count > 0) {
            *stretch = Stretch::default();
        }
        self.clocks[rank.index()].clone()
    }

    /// A rank hears of what this clock tells.
    pub(super) fn hear(&mut self, rank: WorldRank, known: &Clock) {
        let (clock, has_heard) = (&mut self.clocks[rank.index()], &mut self.has_heard[rank.index()]);
        let own = clock.knows(rank);
        // Who knows of the last count of the rank was told all that the rank knew with it.
        if !*has_heard && own > 0 && known.knows(rank) >= own {
            clock.clone_from(known);
        } else {
            clock.join(known);
        }
        *has_heard = true;
    }

    /// A rank reads a place of its memory atomically, and writes it or not.
    pub(super) fn meet_at(&mut self, rank: WorldRank, place: u64, writes: bool) {
        let known = self.accesses.place(place).clone();
        self.hear(rank, &known);
        if writes {
            let own = self.tell(rank);
            self.accesses.place(place).join(&own);
        } else {
            self.tell(rank);
        }
    }

    /// What a rank has done with its memory since others could last hear of it.
    pub(super) fn stretch(&mut self, rank: WorldRank) -> &mut Stretch {
        at(&mut self.stretches, rank.index())
    }

    /// The count of a rank that others will hear of next.
    pub(super) fn count_of_stretch(&mut self, rank: WorldRank) -> u32 {
        count_of(&mut self.stretches, (&mut self.clocks, &mut self.has_heard), rank)
    }

    /// Those accesses of a rank that are meant are over, which others will know who hear of the rank next.
    pub(super) fn close(&mut self, rank: WorldRank, is_meant: impl Fn(&Seen) -> bool) {
        let Causality { clocks, has_heard, accesses, stretches, .. } = self;
        let count = || count_of(stretches, (clocks, has_heard), rank);
        accesses.close(rank, count, is_meant);
    }

    /// Adds ranks, up to this number.
    pub(super) fn grow(&mut self, ranks: usize) {
        self.clocks.resize_with(self.clocks.len().max(ranks), Clock::default);
        self.has_heard.resize(self.clocks.len(), true);
    }
}

fn count_of(stretches: &mut Vec<Stretch>, (clocks, has_heard): (&mut [Clock], &mut [bool]), rank: WorldRank) -> u32 {
    let stretch = at(stretches, rank.index());
    if stretch.count == 0 {
        stretch.count = clocks[rank.index()].count(rank);
        has_heard[rank.index()] = false;
    }
    stretch.count
}

/// What a rank does at some moment, and what it had certainly heard of before.
#[derive(Clone, Debug)]
pub struct Moment {
    rank: WorldRank,
    count: u32,
    known: Clock,
}

impl Moment {
    /// Who does it.
    pub fn rank(&self) -> WorldRank {
        self.rank
    }

    /// Which of the moments at which others could hear of the rank is the next one.
    pub fn place(&self) -> (WorldRank, u32) {
        (self.rank, self.count)
    }

    /// Whether something else was certainly done before.
    pub fn is_after(&self, other: &Moment) -> bool {
        self.rank == other.rank || self.known.knows(other.rank) >= other.count
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
        let mut causality = Box::<Causality>::default();
        causality.grow(self.state.ranks.len());
        self.state.causality = Some(causality);
    }

    /// The same, and nothing else is judged: what is followed then has a name ([`Relevant`]).
    pub fn follow_ready_sends(&mut self) {
        self.follow_causality();
        self.state.causality.iter_mut().for_each(|causality| causality.is_of_ready_sends = true);
    }

    /// The same where there are any, and nothing if it was followed for something else.
    pub fn follow_ready_sends_only(&mut self, are_there: bool) {
        match self.follows_causality() && are_there {
            true => self.follow_ready_sends(),
            false => self.state.causality = None,
        }
    }

    /// Whether causality is followed.
    pub fn follows_causality(&self) -> bool {
        self.state.causality.is_some()
    }

    /// What a rank does now, to be compared with what others do; nothing where causality is not followed.
    pub fn moment(&mut self, rank: WorldRank) -> Option<Moment> {
        let causality = self.state.causality.as_mut().filter(|causality| !causality.is_of_ready_sends)?;
        let count = causality.count_of_stretch(rank);
        Some(Moment { rank, count, known: causality.clocks[rank.index()].clone() })
    }

    /// Whether a rank has certainly heard of what was done at a moment, or did it.
    pub fn has_heard_of(&self, rank: WorldRank, moment: &Moment) -> bool {
        let causality = self.state.causality.as_ref();
        rank == moment.rank
            || causality.is_some_and(|causality| causality.clocks[rank.index()].knows(moment.rank) >= moment.count)
    }

    /// Whether a rank has certainly heard of a moment of another one, of which the count is known ([`Moment::place`]).
    pub fn has_heard_of_place(&self, rank: WorldRank, (other, count): (WorldRank, u32)) -> bool {
        self.state.causality.as_ref().is_some_and(|causality| causality.clocks[rank.index()].knows(other) >= count)
    }

    /// A request is started.
    #[inline]
    pub(super) fn post_causes(&mut self, rank: WorldRank, key: RequestKey) {
        if self.state.causality.is_some() {
            self.follow_post(rank, key);
        }
    }

    fn follow_post(&mut self, rank: WorldRank, key: RequestKey) {
        let Some(causality) = &mut self.state.causality else { return };
        let Some(request) = self.state.ranks[rank.index()].requests.get_mut(key) else { return };
        if is_own_matter(request) {
            return;
        }
        let before = causality.tell(rank);
        let mut round = FIRST;
        // Nobody asks what a collective operation that is called once had to do with causality but its ranks.
        if request.persistent || !matches!(request.body, Body::Collective(_)) {
            let causes = request.causes.get_or_insert_default();
            causes.starts += 1;
            round = causes.starts;
            causes.before = before.clone();
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
                causality.has_heard[rank.index()] = false;
            }
            causes.posted = clock.clone();
        }
        if let Body::Collective(collective) = &request.body {
            let operation = causality.operations.entry(id_of(collective, round)).or_default();
            if gives(collective) {
                operation.all.gather(&before, &mut operation.base);
                if !goes_to_all(collective) {
                    operation.known.insert(rank, before);
                }
            }
        }
        self.note_buffers_of(rank, key);
    }

    /// Whether an operation is over whose request its rank has freed, and the rank can know: it has heard from the rank
    /// that has the message.
    pub fn is_freed_over(&self, rank: WorldRank, key: RequestKey) -> bool {
        if self.has_request(rank, key) {
            return false;
        }
        let Some(causality) = self.state.causality.as_ref().filter(|causality| !causality.is_of_ready_sends) else {
            return true;
        };
        let receive = causality.freed_sends.iter().find(|send| send.0 == (rank, key)).map(|send| send.1);
        receive.is_none_or(|place| self.has_heard_of_place(rank, place))
    }

    /// What a message of a request carries that is posted now, or (combined with a receive) was when the request was
    /// started.
    pub(super) fn sent_causes(&self, rank: WorldRank, slot: u32, mode: Mode) -> Option<Box<Sent>> {
        self.state.causality.as_ref()?;
        let request = self.state.ranks[rank.index()].requests.at_slot(slot)?;
        let clock = request.causes.as_ref()?.before.clone();
        Some(Box::new(Sent { clock, is_ready: mode == Mode::Ready, origin: request.origin() }))
    }

    /// A message of the program has found its receive.
    pub(super) fn match_causes(&mut self, comm: CommId, receiver: Owner) {
        if self.state.causality.is_none() {
            return;
        }
        let rare = self.state.in_transit.kept_mut(comm).and_then(|kept| kept.rare.as_mut());
        let Some(sent) = rare.and_then(|rare| rare.causes.take()) else { return };
        let Some(communication) = self.state.boxes.get(comm) else { return };
        let (from, send_token, tag) = (communication.from, communication.send_token, communication.envelope.tag);
        let request = self.state.ranks[receiver.rank.index()].requests.at_slot_mut(receiver.slot);
        let Some(causes) = request.and_then(|request| request.causes.as_mut()) else { return };
        causes.learnt.join(&sent.clock);
        let (number, posted) = (causes.number, causes.posted.clone());
        if sent.is_ready && number > sent.clock.knows(receiver.rank) {
            let receiver = self.side(receiver.rank, Some(receiver.slot));
            let sender = Side { rank: from, origin: sent.origin, away: true };
            self.observe(Observation::Ready { sender, receiver, tag, is_received: true });
        }
        self.teach_partitions(receiver, &sent.clock);
        let sender = (send_token != NOBODY).then(|| Owner::of(send_token));
        if let Some(owner) = sender
            && let requests = &self.state.ranks[owner.rank.index()].requests
            && requests.at_slot(owner.slot).is_some_and(|request| request.freed)
            && let Some((key, causality)) = requests.key_at(owner.slot).zip(self.state.causality.as_mut())
            && !causality.is_of_ready_sends
        {
            causality.freed_sends.push(((owner.rank, key), (receiver.rank, number)));
        }
        if let Some(owner) = sender
            && let Some(request) = self.state.ranks[owner.rank.index()].requests.at_slot_mut(owner.slot)
            && matches!(&request.body, Body::Send(send) if send.mode == Mode::Synchronous)
            && let Some(causes) = &mut request.causes
        {
            causes.learnt.join(&posted);
        }
    }

    /// A rank sees by a probe that a message was sent.
    pub(super) fn probe_causes(&mut self, rank: WorldRank, comm: CommId) {
        let Some(causality) = &mut self.state.causality else { return };
        if let Some(sent) = self.state.in_transit.rare(comm).and_then(|rare| rare.causes.as_ref()) {
            causality.hear(rank, &sent.clock);
        }
    }

    /// A rank is told that a request is over.
    pub fn learn(&mut self, rank: WorldRank, key: RequestKey) {
        self.hear(rank, key, false);
    }

    /// A rank takes the completion of a request.
    pub(super) fn take_causes(&mut self, rank: WorldRank, key: RequestKey) {
        self.hear(rank, key, true);
    }

    fn hear(&mut self, rank: WorldRank, key: RequestKey, is_taken: bool) {
        let Some(causality) = &mut self.state.causality else { return };
        let Some(request) = self.state.ranks[rank.index()].requests.get(key).filter(|request| !is_own_matter(request))
        else {
            return;
        };
        causality.close(rank, |seen| seen.request == Some(key));
        let causes = request.causes.as_ref();
        causes.into_iter().for_each(|causes| causality.hear(rank, &causes.learnt));
        let Body::Collective(collective) = &request.body else { return };
        let id = id_of(collective, causes.map_or(FIRST, |causes| causes.starts));
        let Some(operation) = causality.operations.get_mut(&id) else { return };
        operation.completed += u32::from(is_taken);
        let is_over = operation.completed == members(collective);
        let heard: Vec<Clock> = match sources(collective) {
            Sources::Everybody => {
                let all = operation.all.clone();
                causality.hear(rank, &all);
                Vec::new()
            }
            Sources::These(ranks) => ranks.iter().filter_map(|rank| operation.known.get(rank)).cloned().collect(),
        };
        heard.iter().for_each(|known| causality.hear(rank, known));
        if is_over {
            causality.operations.remove(&id);
        }
    }

    /// Notes the messages in ready mode whose receive nobody has posted, and will not: all ranks wait for ever.
    pub fn note_unreceived(&mut self) {
        if self.state.causality.is_none() {
            return;
        }
        let waiting = self.state.boxes.iter().filter(|(_, communication)| communication.state == State::SendPosted);
        let mut found = Vec::new();
        for (comm, communication) in waiting {
            let causes = self.state.in_transit.rare(comm).and_then(|rare| rare.causes.as_ref());
            if let Some(sent) = causes.filter(|sent| sent.is_ready) {
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

/// Whether nobody is heard of by the end of a request: its rank waits for its own accesses.
fn is_own_matter(request: &Request) -> bool {
    match &request.body {
        Body::Window(wait) => matches!(wait.awaited, Awaited::Accesses { .. }),
        Body::File(_) => true,
        _ => false,
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

/// Whether every rank gets everybody's data.
fn goes_to_all(collective: &Collective) -> bool {
    let is_of_all = matches!(collective.call.name, Function::Barrier | Function::Win_fence | Function::Allreduce);
    is_of_all && collective.call.agreed.exchange.is_none()
}

/// Whose data the rank that calls gets. Between two groups that is only known where the blocks are: elsewhere it counts
/// as everybody's.
fn sources(collective: &Collective) -> Sources {
    let (call, comm) = (&collective.call, &collective.comm);
    if let Some(exchange) = &call.agreed.exchange {
        let given = exchange.takes.iter().filter(|(_, items)| !items.is_nothing());
        return Sources::These(given.filter_map(|(peer, _)| comm.peer(*peer)).collect());
    }
    if comm.remote.is_some() || goes_to_all(collective) {
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
        // Accesses of all ranks to a file need nothing of each other, but for those in the order of ranks.
        Function::File_read_all
        | Function::File_read_all_begin
        | Function::File_read_at_all
        | Function::File_read_at_all_begin
        | Function::File_write_all
        | Function::File_write_all_begin
        | Function::File_write_at_all
        | Function::File_write_at_all_begin
        | Function::File_iread_all
        | Function::File_iread_at_all
        | Function::File_iwrite_all
        | Function::File_iwrite_at_all => world(0..0),
        name if name.chapter() == Chapter::Neighbor => {
            let peer = |step: &Step| match step {
                Step::Recv(peer, _) if !peer.is_remote() => comm.group.world(peer.number()),
                _ => None,
            };
            Sources::These(collective.schedule.steps.iter().filter_map(peer).collect())
        }
        _ => Sources::Everybody,
    }
}
