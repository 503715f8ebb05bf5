//! From what ranks do to lines of a trace.
//!
//! Ranks start requests and take their completions; a call that does both at once is one line, as in SMPI's traces.
//! Everything else that takes time or others notice has lines of its own. A call that does something of which nothing
//! was written is noticed at its end ([`Recorder::left`]), so that no trace is silently incomplete.

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_mailbox::{CommId, Context, Pattern};
use smpi_mpi::collective::{Operands, Part, Parts};
use smpi_mpi::comm::{CommCore, WORLD_CONTEXT};
use smpi_mpi::op::Op;
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::p2p::request::{Body, Recv, Request, RequestKey, Send, Status};
use smpi_mpi::rma::{self, Awaited, Lock, Until};
use smpi_mpi::usage::Form;

use crate::action::{
    ANY_SOURCE, ANY_TAG, Access, AccessKind, Action, Blocks, Collective, Items, Message, Named, PROC_NULL, Probe,
    Reduction, Settled, Start, runs,
};
use crate::files::Output;

/// Things that a trace lacks of which the user is told, at most.
const TOLD: usize = 8;

/// A request that is open in a trace.
#[derive(Clone, Copy, Debug)]
struct Open {
    key: RequestKey,
    number: u32,
    /// Sender, receiver and tag, where SMPI can name it by them.
    ends: Option<(i32, i32, i32)>,
}

/// A request that was started by the present call, and is not written yet: the call may wait for it.
#[derive(Debug)]
struct Pending {
    key: RequestKey,
    action: Action,
}

/// What a poll looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Polls {
    Nothing,
    Requests,
    Messages,
}

/// One rank's part.
#[derive(Debug)]
struct RankRecord {
    requests: u32,
    messages: u32,
    open: Vec<Open>,
    taken_messages: Vec<(CommId, u32)>,
    /// Collective requests that were made and not started, and persistent ones.
    prepared: Vec<(RequestKey, Collective)>,
    pending: Option<Pending>,
    /// Requests whose completions are taken by a line that is written already.
    covered: Vec<RequestKey>,
    /// Collective calls so far, by base context.
    calls: Map<Context, u32>,
    /// The send whose processor time was charged, and whether as that of a nonblocking one.
    charged: Option<(RequestKey, bool)>,
    polls: Polls,
    /// Lines of a test that come behind its own.
    behind: Vec<Action>,
    /// Since the present call began: a line was written; the rank was suspended; what it had posted then.
    wrote: bool,
    suspended: bool,
    posts: usize,
    /// The next suspension is for a computation.
    computes: bool,
    /// What the present call still does is known to who reads the trace.
    is_known: bool,
}

impl Default for RankRecord {
    fn default() -> RankRecord {
        RankRecord {
            requests: 0,
            messages: 0,
            open: Vec::new(),
            taken_messages: Vec::new(),
            prepared: Vec::new(),
            pending: None,
            covered: Vec::new(),
            calls: Map::default(),
            charged: None,
            polls: Polls::Nothing,
            behind: Vec::new(),
            wrote: false,
            suspended: false,
            posts: 0,
            computes: false,
            is_known: false,
        }
    }
}

/// Writes a trace while a program runs.
#[derive(Debug)]
pub struct Recorder {
    output: Output,
    records: Vec<RankRecord>,
    ranks: u32,
    /// What is not in the trace, in words, once for each function.
    missing: Vec<(Function, String)>,
    failure: Option<String>,
}

impl Recorder {
    /// A recorder for the ranks of the command line.
    pub fn new(output: Output, ranks: u32) -> Recorder {
        let records = (0..ranks).map(|_| RankRecord::default()).collect();
        Recorder { output, records, ranks, missing: Vec::new(), failure: None }
    }

    fn record(&mut self, rank: WorldRank) -> Option<&mut RankRecord> {
        self.records.get_mut(rank.index())
    }

    /// Writes an action.
    pub fn note(&mut self, rank: WorldRank, action: Action) {
        self.flush(rank);
        let Some(record) = self.record(rank).filter(|record| !record.is_known) else { return };
        record.wrote = true;
        if record.polls == Polls::Requests {
            record.behind.push(action);
        } else {
            self.line(rank, &action);
        }
    }

    fn line(&mut self, rank: WorldRank, action: &Action) {
        let ranks = self.ranks;
        let lines = self.output.lines(rank);
        lines.push_str(&rank.0.to_string());
        lines.push(' ');
        action.write(ranks, lines);
        lines.push('\n');
        self.settle(rank, false);
    }

    fn settle(&mut self, rank: WorldRank, in_any_case: bool) {
        if let Err(message) = self.output.settle(rank, in_any_case) {
            self.failure.get_or_insert(message);
        }
    }

    /// Writes what was started, as something that the present call does not wait for.
    fn flush(&mut self, rank: WorldRank) {
        let Some(pending) = self.record(rank).and_then(|record| record.pending.take()) else { return };
        self.note(rank, pending.action);
    }

    // Calls.

    /// A rank enters a call, having posted so much.
    pub fn entered(&mut self, rank: WorldRank, posts: usize) {
        let Some(record) = self.record(rank) else { return };
        (record.wrote, record.suspended, record.posts) = (false, false, posts);
    }

    /// A rank is suspended.
    pub fn suspended(&mut self, rank: WorldRank) {
        let Some(record) = self.record(rank) else { return };
        if !std::mem::take(&mut record.computes) {
            record.suspended = true;
        }
    }

    /// It goes on; all ranks have posted so much by now.
    pub fn resumed(&mut self, rank: WorldRank, posts: usize) {
        if let Some(record) = self.record(rank) {
            record.posts = posts;
        }
    }

    /// A rank leaves a call, having posted so much; `is_held`: traces hold what such calls do. True when it did
    /// something that is not written.
    pub fn left(&mut self, rank: WorldRank, posts: usize, is_held: bool) -> bool {
        self.flush(rank);
        let Some(record) = self.record(rank) else { return false };
        record.covered.clear();
        record.charged = None;
        record.is_known = false;
        let did_something = record.suspended || posts > record.posts;
        did_something && !(record.wrote && is_held)
    }

    /// Writes an action that says what the rest of the present call does.
    pub fn note_call(&mut self, rank: WorldRank, action: Action) {
        self.note(rank, action);
        if let Some(record) = self.record(rank) {
            record.is_known = true;
        }
    }

    /// What a function does is missing in the trace; `place` says where it was called.
    pub fn missing(&mut self, rank: WorldRank, function: Function, place: impl FnOnce() -> String) {
        let known = self.missing.iter().find(|known| known.0 == function).map(|known| known.1.clone());
        let text = known.unwrap_or_else(|| {
            let text = format!("{}{}", function.name(), place());
            self.missing.push((function, text.clone()));
            text
        });
        self.note(rank, Action::Missing(text));
    }

    // Computation and time.

    /// A rank is charged for what it, and threads beside it, have computed.
    pub fn computed(&mut self, rank: WorldRank, flops: &[f64]) {
        let wrote = self.record(rank).is_some_and(|record| record.wrote);
        self.note(rank, Action::Compute(flops.to_vec()));
        if let Some(record) = self.record(rank) {
            (record.wrote, record.computes) = (wrote, true);
        }
    }

    // Messages.

    /// The processor time of a send is charged.
    pub fn charged(&mut self, rank: WorldRank, key: RequestKey, immediate: bool) {
        if let Some(record) = self.record(rank) {
            record.charged = Some((key, immediate));
        }
    }

    /// A rank has sent a message that needed no request.
    pub fn sent_at_once(&mut self, rank: WorldRank, send: &Send) {
        let message = Action::Message(Start::Blocking, send.context, message_of_send(send));
        // It is a request all the same for who reads the trace.
        if let Some(record) = self.record(rank) {
            record.requests += 1;
        }
        self.note(rank, message);
    }

    /// A rank starts a request. True when traces cannot hold what it is.
    #[must_use]
    pub fn started(&mut self, rank: WorldRank, key: RequestKey, request: &Request) -> bool {
        self.flush(rank);
        let Some(record) = self.records.get_mut(rank.index()) else { return false };
        let charged = record.charged.take().filter(|charged| charged.0 == key).map(|charged| charged.1);
        let mut ends = None;
        let own = rank.0 as i32;
        let action = match &request.body {
            Body::Send(send) => {
                let start = match charged {
                    None => Start::Internal,
                    Some(true) => Start::Immediate,
                    Some(false) => Start::Persistent,
                };
                ends = (send.context == WORLD_CONTEXT && send.dest >= 0).then_some((own, send.dest, send.tag));
                Action::Message(start, send.context, message_of_send(send))
            }
            Body::Recv(recv) => {
                let is_named = recv.context == WORLD_CONTEXT && recv.source >= 0 && recv.tag >= 0;
                ends = is_named.then_some((recv.source, own, recv.tag));
                Action::Message(Start::Immediate, recv.context, message_of_recv(recv))
            }
            Body::SendRecv(both) => {
                let (send, recv) = (&both.send, &both.recv);
                let sent = (rank_word(send.dest), send.tag, items(&send.part));
                let got = (rank_word(recv.source), tag_word(recv.tag), items(&recv.part));
                Action::Message(Start::Immediate, send.context, Message::Both { send: sent, recv: got })
            }
            Body::MatchedRecv(part, comm) => {
                let Some(place) = record.taken_messages.iter().position(|known| known.0 == *comm) else { return true };
                let (_, message) = record.taken_messages.swap_remove(place);
                Action::Message(Start::Immediate, 0, Message::Matched { message, items: items(part) })
            }
            Body::Collective(_) => {
                let Some(place) = record.prepared.iter().position(|known| known.0 == key) else { return true };
                let call = match request.persistent {
                    true => record.prepared[place].1.clone(),
                    false => record.prepared.swap_remove(place).1,
                };
                Action::Collective(Box::new(record.numbered(call)))
            }
            Body::Window(wait) => match (&wait.awaited, wait.target) {
                (Awaited::Lock(lock), Some(target)) => {
                    Action::Lock(Start::Immediate, wait.window, target, *lock == Lock::Exclusive)
                }
                // The line of what it is for says it.
                _ => return false,
            },
            // The line of the access comes after it.
            Body::Access(_) => {
                let number = record.requests;
                record.requests += 1;
                record.open.push(Open { key, number, ends: None });
                return false;
            }
            _ => return true,
        };
        let number = record.requests;
        record.requests += 1;
        record.open.push(Open { key, number, ends });
        record.pending = Some(Pending { key, action });
        false
    }

    /// A request that was to be started could not be.
    pub fn failed(&mut self, rank: WorldRank, key: RequestKey) {
        let Some(record) = self.record(rank) else { return };
        if record.pending.take_if(|pending| pending.key == key).is_some() {
            record.open.retain(|open| open.key != key);
            record.requests -= 1;
        }
    }

    /// A collective request is made.
    pub fn prepared(
        &mut self,
        rank: WorldRank,
        key: RequestKey,
        (core, tag): (&CommCore, i32),
        (form, op): (Form, Option<Op>),
        operands: &Operands,
    ) {
        let Some(record) = self.record(rank) else { return };
        let call = Collective {
            start: match form {
                Form::Blocking => Start::Blocking,
                Form::Immediate => Start::Immediate,
                Form::Persistent => Start::Persistent,
            },
            number: Some(tag as u32),
            root: operands.root,
            op: op.map(|op| match op {
                Op::Predefined(_) => Reduction::Predefined,
                Op::User(user) => Reduction::User { commutes: user.commutative },
            }),
            send: operands.send.as_ref().map(blocks),
            recv: operands.recv.as_ref().map(blocks),
            counts: operands.counts.clone(),
            around: operands.around.as_deref().cloned(),
            ..Collective::new(operands.shape, core.context)
        };
        record.prepared.retain(|known| known.0 != key);
        record.prepared.push((key, call));
    }

    /// A rank begins to wait for all of these, if they are several.
    pub fn waits_for_all(&mut self, rank: WorldRank, keys: impl Iterator<Item = RequestKey> + Clone) {
        if keys.clone().nth(1).is_none() {
            return;
        }
        self.flush(rank);
        let Some(record) = self.record(rank) else { return };
        let find = |key| record.open.iter().find(|open| open.key == key);
        let found: Vec<Open> = keys.filter_map(find).copied().collect();
        if found.is_empty() {
            return;
        }
        let is_all = found.len() == record.open.len()
            && found.iter().all(|open| open.ends.is_some())
            && found.is_sorted_by_key(|open| open.number);
        let numbers = found.iter().map(|open| open.number).collect();
        record.covered = found.iter().map(|open| open.key).collect();
        self.note(rank, if is_all { Action::WaitOpen } else { Action::WaitAll(numbers) });
    }

    /// A rank takes the completion of a request.
    pub fn taken(&mut self, rank: WorldRank, key: RequestKey, is_gone: bool) {
        let Some(record) = self.record(rank) else { return };
        if is_gone {
            record.prepared.retain(|known| known.0 != key);
        }
        let Some(place) = record.open.iter().position(|open| open.key == key) else { return };
        let open = record.open.remove(place);
        if let Some(pending) = record.pending.take_if(|pending| pending.key == key) {
            return self.note(rank, at_once(pending.action));
        }
        if let Some(place) = record.covered.iter().position(|covered| *covered == key) {
            record.covered.swap_remove(place);
            return;
        }
        let is_oldest = open.ends.is_some() && record.open[..place].iter().all(|other| other.ends != open.ends);
        let action = match open.ends {
            Some((from, to, tag)) if is_oldest => Action::WaitFor(from, to, tag),
            _ => Action::Wait(open.number),
        };
        self.note(rank, action);
    }

    /// A request is given up by the program.
    pub fn freed(&mut self, rank: WorldRank, key: RequestKey) {
        self.flush(rank);
        let Some(record) = self.record(rank) else { return };
        record.prepared.retain(|known| known.0 != key);
        let Some(place) = record.open.iter().position(|open| open.key == key) else { return };
        let number = record.open.remove(place).number;
        self.note(rank, Action::Free(number));
    }

    /// A request is cancelled.
    pub fn cancelled(&mut self, rank: WorldRank, key: RequestKey) {
        let Some(record) = self.record(rank) else { return };
        let Some(open) = record.open.iter().find(|open| open.key == key) else { return };
        let number = open.number;
        self.note(rank, Action::Cancel(number));
    }

    /// A rank is told that a request is complete.
    pub fn shown(&mut self, rank: WorldRank, key: RequestKey) {
        let Some(record) = self.record(rank) else { return };
        let Some(open) = record.open.iter().find(|open| open.key == key) else { return };
        let number = open.number;
        self.note(rank, Action::Show(number));
    }

    /// A rank begins to poll, requests or messages.
    pub fn polls(&mut self, rank: WorldRank, messages: bool) {
        self.flush(rank);
        if let Some(record) = self.record(rank) {
            record.polls = if messages { Polls::Messages } else { Polls::Requests };
        }
    }

    /// A poll has found something, or not.
    pub fn polled(&mut self, rank: WorldRank, found: bool) {
        self.flush(rank);
        let Some(record) = self.record(rank) else { return };
        match std::mem::replace(&mut record.polls, Polls::Nothing) {
            Polls::Messages => {}
            Polls::Nothing => self.note(rank, Action::TestNothing(found)),
            Polls::Requests => {
                let behind = std::mem::take(&mut record.behind);
                self.note(rank, Action::Test(found));
                behind.into_iter().for_each(|action| self.note(rank, action));
            }
        }
    }

    /// A probe is answered; `message`: the one that it took.
    pub fn probed(
        &mut self,
        rank: WorldRank,
        pattern: Pattern,
        (take, block): (bool, bool),
        found: bool,
        message: Option<CommId>,
    ) {
        let from = pattern.source.map_or(ANY_SOURCE, |source| source as i32);
        let probe =
            Probe { from, tag: pattern.tag.unwrap_or(ANY_TAG), take, found: if block { None } else { Some(found) } };
        self.note(rank, Action::Probe(pattern.context, probe));
        if let (Some(message), Some(record)) = (message, self.record(rank)) {
            record.taken_messages.push((message, record.messages));
            record.messages += 1;
        }
    }

    // Objects.

    /// A communicator is made.
    pub fn comm(&mut self, rank: WorldRank, core: &CommCore) {
        let own = runs(core.group.worlds().map(|world| world.0));
        let other = core.remote.as_ref().map_or(Vec::new(), |group| runs(group.worlds().map(|world| world.0)));
        self.note(rank, Action::Comm(core.context, core.rank, own, other));
    }

    /// An access to a target of a window, or to nobody, as traces say it.
    pub fn access(window: Context, target: Option<u32>, access: &rma::Access) -> Action {
        let kind = match access.action {
            rma::Action::Write => AccessKind::Put,
            rma::Action::Read => AccessKind::Get,
            rma::Action::Combine(..) if !access.action.writes() => AccessKind::Fetch,
            rma::Action::Combine(..) => AccessKind::Combine,
            rma::Action::Swap(_) => AccessKind::Swap,
        };
        let own = access.data.as_ref().map(|data| data.len() as u64);
        let access = Access {
            window,
            target: target.map_or(PROC_NULL, |target| target as i32),
            kind,
            there: access.there.size(),
            brings: access.brings.as_ref().map(Part::size).or(own),
            result: access.result.as_ref().map(Part::size),
            by_request: access.request.is_some(),
        };
        Action::Access(access)
    }

    /// A rank waits for its accesses.
    pub fn settles(&mut self, rank: WorldRank, window: Context, target: Option<u32>, until: Until) {
        let until = match until {
            Until::Local => Settled::Local,
            Until::Arrived => Settled::Arrived,
            Until::Acknowledged => Settled::Known,
        };
        self.note(rank, Action::Settle(window, target, until));
    }

    /// Writes what was not written yet; gives texts for the user about what is missing.
    ///
    /// # Errors
    /// Text for the user when the trace could not be written.
    pub fn finish(&mut self) -> Result<Vec<String>, String> {
        for rank in (0..self.ranks).map(WorldRank) {
            self.flush(rank);
            self.settle(rank, true);
        }
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let more = self.missing.len().saturating_sub(TOLD);
        let mut texts: Vec<String> = self.missing.iter().take(TOLD).map(|(_, text)| text.clone()).collect();
        if more > 0 {
            texts.push(format!("{more} more functions"));
        }
        Ok(texts)
    }
}

impl RankRecord {
    /// The same call without its number, where whoever reads the trace knows it.
    fn numbered(&mut self, call: Collective) -> Collective {
        let next = self.calls.entry(call.comm).or_default();
        let number = call.number.unwrap_or(*next);
        let is_next = number == *next;
        *next = (*next).max(number.wrapping_add(1));
        Collective { number: if is_next { None } else { Some(number) }, ..call }
    }
}

/// The same action of a call that waits for it.
fn at_once(action: Action) -> Action {
    match action {
        Action::Message(Start::Internal, context, message @ Message::Send { .. }) => {
            Action::Message(Start::Internal, context, message)
        }
        Action::Message(_, context, message) => Action::Message(Start::Blocking, context, message),
        Action::Lock(_, window, target, exclusive) => Action::Lock(Start::Blocking, window, target, exclusive),
        other => other,
    }
}

fn items(part: &Part) -> Items {
    Items { count: part.count, size: part.datatype.size() }
}

fn blocks(parts: &Parts) -> Blocks {
    match parts {
        Parts::Even(part) => Blocks::Even(items(part)),
        Parts::Varying { counts, datatype, .. } => Blocks::Varying { counts: counts.clone(), size: datatype.size() },
        Parts::Typed { counts, datatypes, .. } => {
            let items =
                counts.iter().zip(datatypes).map(|(count, datatype)| Items { count: *count, size: datatype.size() });
            Blocks::Typed(items.collect())
        }
    }
}

/// A rank as traces name it.
fn rank_word(rank: i32) -> i32 {
    match rank {
        _ if rank == Status::PROC_NULL.source => PROC_NULL,
        _ if rank < 0 => ANY_SOURCE,
        _ => rank,
    }
}

fn tag_word(tag: i32) -> i32 {
    if tag < 0 { ANY_TAG } else { tag }
}

fn message_of_send(send: &Send) -> Message {
    let mode = match send.mode {
        Mode::Standard => Named::Standard,
        Mode::Buffered => Named::Buffered,
        Mode::Synchronous => Named::Synchronous,
        Mode::Ready => Named::Ready,
    };
    let to = if send.to.is_none() { PROC_NULL } else { rank_word(send.dest) };
    Message::Send { mode, to, tag: send.tag, items: items(&send.part) }
}

fn message_of_recv(recv: &Recv) -> Message {
    Message::Recv { from: rank_word(recv.source), tag: tag_word(recv.tag), items: items(&recv.part) }
}
