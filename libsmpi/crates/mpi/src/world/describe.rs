//! What blocked ranks wait for, in words, for reports.

use std::collections::hash_map::Entry;

use smpi_abi::{Callee, Function};
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_mailbox::{Context, Pattern};

use super::conduct::COMPLETED;
use super::{RankState, World};
use crate::comm::TrafficKind;
use crate::op::Op;
use crate::p2p::partitioned::Partitioned;
use crate::p2p::request::{Body, Collective, Phase, Recv, Request, Send};
use crate::ports::{JOINS, PORTS};
use crate::rma::{Awaited, Lock, Wait};

/// Requests that are described one by one.
const MAX_REQUESTS: usize = 4;

impl RankState {
    /// The unfinished requests that the rank waits for.
    pub(super) fn awaited(&self) -> Vec<&Request> {
        let requests = self.requests.iter().map(|(_, request)| request);
        requests.filter(|request| request.phase == Phase::Active && self.waits_for(request)).collect()
    }
}

impl World {
    /// The unfinished requests that `rank` waits for, in words; `others` has those for the others of a collective
    /// operation.
    pub fn describe_wait(&self, rank: WorldRank, others: impl Fn(&Collective) -> String) -> String {
        let open = self.state.ranks[rank.index()].awaited();
        let words = |request: &&Request| match &request.body {
            Body::Collective(collective) => others(collective),
            _ => self.describe_word(request).unwrap_or_else(|| describe(request)),
        };
        let mut words: Vec<String> = open.iter().take(MAX_REQUESTS).map(words).collect();
        if open.len() > MAX_REQUESTS {
            words.push(format!("{} more", open.len() - MAX_REQUESTS));
        }
        words.join(", ")
    }

    /// The arguments of the call that a rank is blocked in, and the context of its communicator for messages, as far as
    /// its requests tell them. `call` is the function.
    pub fn describe_call(&self, rank: WorldRank, call: Callee) -> (String, Option<Context>) {
        let ours = &self.state.ranks[rank.index()];
        if let (Some((pattern, _)), true) = (&ours.probing, call.function().is_some_and(Function::is_probe)) {
            return (pattern_arguments(pattern), Some(pattern.context));
        }
        let awaited = ours.awaited();
        if awaited.iter().any(|request| self.describe_word(request).is_some()) {
            return (String::new(), None);
        }
        describe_call_on(&awaited, call)
    }

    /// What a rank waits for that waits for a word of another one at a window.
    fn describe_word(&self, request: &Request) -> Option<String> {
        let Body::Recv(recv) = &request.body else { return None };
        let from = recv.from.filter(|_| self.is_of_window(recv.context))?;
        let function = if recv.tag == COMPLETED { Function::Win_complete } else { Function::Win_post };
        Some(format!("{function} of rank {from}"))
    }

    /// The message that a blocking probe of `rank` looks for.
    pub fn describe_probe(&self, rank: WorldRank) -> String {
        match &self.state.ranks[rank.index()].probing {
            Some((pattern, _)) => format!("a message {}", pattern_words(pattern)),
            None => "a message".to_string(),
        }
    }

    /// A shortest round of ranks of which each waits for the next, and the last for the first. `others`: ranks that
    /// have not called the collective operation that a rank waits in.
    pub fn wait_cycle(&self, others: impl Fn(WorldRank, &Collective) -> Vec<u32>) -> Option<Vec<u32>> {
        let next: Vec<Vec<u32>> = self.all_ranks().map(|rank| self.waits_for(rank, &others)).collect();
        let mut shortest: Option<Vec<u32>> = None;
        for start in 0..next.len() as u32 {
            if shortest.as_ref().is_some_and(|cycle| cycle.len() <= 2) {
                break;
            }
            let most = shortest.as_ref().map_or(next.len(), |cycle| cycle.len() - 1);
            shortest = cycle_from(&next, start, most).or(shortest);
        }
        shortest
    }

    /// The ranks that must do something before this one can go on: of some of many. `others` as for
    /// [`World::wait_cycle`].
    pub fn waits_for(&self, rank: WorldRank, others: impl Fn(WorldRank, &Collective) -> Vec<u32>) -> Vec<u32> {
        let awaited = self.state.ranks[rank.index()].awaited();
        let Some(first) = awaited.first() else { return Vec::new() };
        let one = match &first.body {
            Body::Send(send) => send.to,
            Body::Recv(recv) => recv.from,
            // Nobody else marks partitions as ready.
            Body::Partitioned(all) if all.sends && all.marked.contains(&false) => None,
            Body::Partitioned(all) => all.peer,
            Body::Window(wait) => self.keeps_waiting(wait),
            Body::Collective(collective) => return others(rank, collective),
            _ => None,
        };
        one.into_iter().map(|rank| rank.0).collect()
    }
}

/// A shortest way from a rank back to it, of at most so many ranks.
fn cycle_from(next: &[Vec<u32>], start: u32, most: usize) -> Option<Vec<u32>> {
    let mut came_from: Map<u32, u32> = Map::default();
    let mut ranks = vec![start];
    for _ in 0..most {
        let mut further = Vec::new();
        for rank in ranks {
            for &other in next.get(rank as usize)?.iter().filter(|other| (**other as usize) < next.len()) {
                if other == start {
                    let mut cycle = vec![rank];
                    while cycle[cycle.len() - 1] != start {
                        cycle.push(came_from[&cycle[cycle.len() - 1]]);
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                if let Entry::Vacant(unknown) = came_from.entry(other) {
                    unknown.insert(rank);
                    further.push(other);
                }
            }
        }
        ranks = further;
    }
    None
}

/// The arguments of a call that is about these requests, and the context of its communicator for messages.
pub fn describe_call_on(requests: &[&Request], call: Callee) -> (String, Option<Context>) {
    let completes = call.function().is_some_and(Function::is_completion);
    match requests {
        [only] if completes => {
            let (words, context) = request_arguments(only);
            let made = only.origin().call;
            (if made.is_unknown() { words } else { format!("{made}({words})") }, context)
        }
        several if completes => (format!("{} requests", several.len()), None),
        several => {
            let each: Vec<(String, Option<Context>)> = several.iter().map(|one| request_arguments(one)).collect();
            let words: Vec<&str> = each.iter().map(|one| one.0.as_str()).filter(|words| !words.is_empty()).collect();
            (words.join(", "), each.first().and_then(|one| one.1))
        }
    }
}

/// What must happen before these requests are over; only some of many.
pub fn describe_requests<'a>(requests: impl Iterator<Item = &'a Request>) -> String {
    let words: Vec<String> = requests.take(MAX_REQUESTS).map(describe).collect();
    words.join(", ")
}

fn describe(request: &Request) -> String {
    match &request.body {
        Body::Send(send) => send_words(send),
        Body::Recv(recv) => recv_words(recv),
        Body::MatchedRecv(..) => "the rest of a message that a probe took".to_string(),
        Body::SendRecv(both) => format!("{} and {}", send_words(&both.send), recv_words(&both.recv)),
        Body::Collective(collective) => format!("the other ranks of {}", collective.call.function()),
        Body::Partitioned(partitioned) => partitioned_words(partitioned),
        Body::Portion => "a partition of its receive".to_string(),
        Body::Flush(_) => "its buffered messages to be received".to_string(),
        Body::Generalized(_) => "a generalized request".to_string(),
        Body::Access(_) => "its access to a window".to_string(),
        Body::Window(wait) => wait_words(wait),
        Body::File(_) => "what it does with a file".to_string(),
    }
}

fn wait_words(wait: &Wait) -> String {
    match (&wait.awaited, wait.target) {
        (Awaited::Lock(lock), Some(target)) => {
            let kind = if *lock == Lock::Exclusive { "exclusive" } else { "shared" };
            format!("the {kind} lock of rank {target} of the window")
        }
        (Awaited::Lock(_), None) => "the locks of all ranks of the window".to_string(),
        (Awaited::Accesses { .. }, Some(target)) => format!("its accesses to rank {target} of the window"),
        (Awaited::Accesses { .. }, None) => "its accesses to the window".to_string(),
    }
}

/// The arguments of the call that made a request, and the context of its communicator for messages.
pub fn request_arguments(request: &Request) -> (String, Option<Context>) {
    match &request.body {
        Body::Send(send) => (send_arguments(send), Some(send.context)),
        Body::Recv(recv) => (pattern_arguments(&recv.pattern()), Some(recv.context)),
        Body::SendRecv(both) => {
            let words = format!("{}, {}", send_arguments(&both.send), pattern_arguments(&both.recv.pattern()));
            (words, Some(both.send.context))
        }
        Body::Collective(collective) => {
            let call = &collective.call;
            let op = match call.op {
                Some(Op::Predefined(op)) => Some(format!("op={}", op.name())),
                Some(Op::User(_)) => Some("op=(the program's)".to_string()),
                None => None,
            };
            let root = call.agreed.root.map(|root| format!("root={root}"));
            let words: Vec<String> = op.into_iter().chain(root).collect();
            (words.join(", "), Some(collective.comm.context_of(TrafficKind::PointToPoint)))
        }
        Body::Window(wait) => (wait.target.map_or(String::new(), |target| format!("rank={target}")), None),
        Body::Partitioned(all) if all.sends => {
            (format!("dest={}, tag={}", all.peer_rank, all.tag), Some(partitioned_context(all)))
        }
        Body::Partitioned(all) => {
            (format!("source={}, tag={}", all.peer_rank, all.tag), Some(partitioned_context(all)))
        }
        Body::MatchedRecv(..)
        | Body::Flush(_)
        | Body::Generalized(_)
        | Body::Access(_)
        | Body::File(_)
        | Body::Portion => (String::new(), None),
    }
}

/// The arguments of a send.
pub fn send_arguments(send: &Send) -> String {
    if send.context == PORTS {
        return format!("port={}", send.tag / 2);
    }
    format!("dest={}, tag={}", send.dest, send.tag)
}

/// Source and tag of a call.
pub fn pattern_arguments(pattern: &Pattern) -> String {
    if let (PORTS, Some(tag)) = (pattern.context, pattern.tag) {
        return format!("port={}", tag / 2);
    }
    let or_any = |value: Option<String>| value.unwrap_or_else(|| "ANY".to_string());
    let (source, tag) = (pattern.source.map(|rank| rank.to_string()), pattern.tag.map(|tag| tag.to_string()));
    format!("source={}, tag={}", or_any(source), or_any(tag))
}

/// What a message about a port waits for; `other` is the one that it is to or from.
fn port_words(other: Option<WorldRank>, tag: i32) -> String {
    match other {
        _ if tag >= JOINS => "another rank to join by the same socket".to_string(),
        Some(other) => format!("rank {other} to accept at its port {}", tag / 2),
        None => format!("another rank to connect to its port {}", tag / 2),
    }
}

fn send_words(send: &Send) -> String {
    if send.context == PORTS {
        return port_words(send.to, send.tag);
    }
    format!("rank {} to receive {} bytes with tag {}", send.dest, send.part.size(), send.tag)
}

/// The context of the communicator's ordinary messages, by which others know it.
fn partitioned_context(partitioned: &Partitioned) -> Context {
    partitioned.context - TrafficKind::Partitioned as u32
}

fn partitioned_words(all: &Partitioned) -> String {
    let (peer, tag) = (all.peer_rank, all.tag);
    match (all.sends, &all.pieces) {
        (true, _) if all.marked.contains(&false) => {
            let unready = all.list(|partition| !all.marked[partition]);
            format!("its own MPI_Pready for {unready} of the send to rank {peer} with tag {tag}")
        }
        (true, _) => format!("rank {peer} to receive {} of {} partitions with tag {tag}", all.open, all.partitions),
        (false, Some(_)) if !all.missing.is_empty() => {
            format!("{} from rank {peer} with tag {tag}", all.list(|partition| all.missing[partition] > 0))
        }
        (false, _) => format!("rank {peer} to call MPI_Psend_init with tag {tag}"),
    }
}

fn recv_words(recv: &Recv) -> String {
    if recv.context == PORTS {
        return port_words(recv.from, recv.tag);
    }
    format!("a message {}", pattern_words(&recv.pattern()))
}

/// The same, by the names of the standard.
pub fn argument_words(pattern: &Pattern) -> String {
    if let (PORTS, Some(tag)) = (pattern.context, pattern.tag) {
        return format!("port {}", tag / 2);
    }
    let source = pattern.source.map_or("MPI_ANY_SOURCE".to_string(), |rank| format!("source {rank}"));
    let tag = pattern.tag.map_or("MPI_ANY_TAG".to_string(), |tag| format!("tag {tag}"));
    format!("{source}, {tag}")
}

/// The same, in a sentence.
pub fn pattern_words(pattern: &Pattern) -> String {
    let source = pattern.source.map_or("any rank".to_string(), |rank| format!("rank {rank}"));
    let tag = pattern.tag.map_or("any tag".to_string(), |tag| format!("tag {tag}"));
    format!("from {source} with {tag}")
}
