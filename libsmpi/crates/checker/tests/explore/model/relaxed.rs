//! The oracle: ranks and network take single steps in any order, and messages match as MPI 5.0 §3.5 allows, nothing
//! else.
//!
//! A match is a step of the network: a receive with a message that it accepts, unless an older receive of the same rank
//! accepts it, or an older message of the same sender is accepted by the receive. No mailbox, no arrival order, no held
//! receives.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use smpi_checker::history::History;
use smpi_checker::interleaving::{Interleaving, Step};
use smpi_checker::{Event, Settled};
use smpi_mailbox::{Envelope, Pattern};

use super::program::{Barriers, Call, Communications, Failure, Outcome, Program, Rank};

#[derive(Clone, Hash, Debug)]
struct Message {
    from: u32,
    to: u32,
    envelope: Envelope,
    value: u32,
    /// The sender's request that waits for it.
    request: Option<usize>,
    /// The sender's request by which it may be cancelled.
    cancel: Option<usize>,
    /// Its send was cancelled and completed nevertheless: it will be received.
    promised: bool,
}

#[derive(Clone, Hash, Debug)]
struct Receive {
    at: u32,
    pattern: Pattern,
    request: usize,
}

#[derive(Clone, Hash)]
pub struct State {
    ranks: Vec<Rank>,
    barriers: Barriers,
    /// By receiver, then sender, then order of sending.
    messages: Vec<Message>,
    /// By receiver, then order of posting.
    receives: Vec<Receive>,
    /// Requests, with their ranks, that were cancelled.
    marked: Vec<(u32, usize)>,
}

pub struct Relaxed {
    program: Rc<Program>,
    state: State,
    /// How ranks have failed in any state so far.
    pub failures: BTreeSet<Failure>,
}

/// Agent that answers polls when nothing else moves.
const FORCE: u32 = 1000;
/// First agent of the network: one per receiver.
const NETWORK: u32 = 100;
/// Alternative: the send does not wait, although it could.
const BUFFERED: u64 = 1;
/// First agent that cancels: one per rank. Its alternatives are requests, and requests that complete all the same.
const CANCEL: u32 = 500;
const KEEP: u64 = 1 << 32;
/// Alternative: the answer is no.
const NO: u64 = u64::MAX;

impl Relaxed {
    pub fn new(program: Rc<Program>) -> Relaxed {
        let ranks = program.ranks.len();
        let state = State {
            ranks: (0..ranks as u32).map(Rank::new).collect(),
            barriers: Barriers::new(ranks),
            messages: Vec::new(),
            receives: Vec::new(),
            marked: Vec::new(),
        };
        Relaxed { program, state, failures: BTreeSet::new() }
    }

    /// What every rank has sent and received, if all are through without a failure.
    pub fn communications(&self) -> Option<Vec<Communications>> {
        let is_well = self.state.ranks.iter().all(|rank| rank.failed.is_none());
        is_well.then(|| self.state.ranks.iter().map(Rank::communications).collect())
    }

    /// Whether a rank has failed, up to the present state.
    pub fn has_failed(&self) -> bool {
        self.state.ranks.iter().any(|rank| rank.failed.is_some())
    }

    /// What each rank has told before it forgot it.
    pub fn told(&self) -> Vec<Vec<u32>> {
        self.state.ranks.iter().map(|rank| rank.told.0.clone()).collect()
    }

    pub fn outcome(&self) -> Outcome {
        self.state.ranks.iter().map(Rank::outcome).collect()
    }

    /// Oldest message of each sender that the pattern accepts, unless one of these receives accepts it.
    fn visible(&self, at: u32, pattern: &Pattern, older: &[Receive]) -> Vec<usize> {
        let mut senders = Vec::new();
        let mut found = Vec::new();
        for (position, message) in self.state.messages.iter().enumerate() {
            if message.to == at && pattern.matches(&message.envelope) && !senders.contains(&message.from) {
                senders.push(message.from);
                let hidden = older.iter().any(|older| older.at == at && older.pattern.matches(&message.envelope));
                if !hidden {
                    found.push(position);
                }
            }
        }
        found
    }

    fn rank_steps(&mut self, rank: u32, out: &mut Vec<Step>) {
        let call = self.state.ranks[rank as usize].call(&self.program);
        let mut add = |alternative: u64| out.push(Step { agent: rank, alternative });
        let done = |request: usize| self.state.ranks[rank as usize].requests[request].done.is_some();
        match call {
            Call::Send { either: true, .. } => [BUFFERED, 0].into_iter().for_each(add),
            Call::Send { .. } | Call::Recv(_) | Call::Barrier(_) | Call::Cancel(_) => add(0),
            Call::Wait { requests, .. } => requests.iter().filter(|&&r| done(r)).for_each(|&r| add(r as u64)),
            Call::Test { request, fair } => {
                if done(request) {
                    add(1);
                }
                if !fair {
                    add(NO);
                }
            }
            Call::Probe { pattern, blocking, .. } => {
                let found = self.visible(rank, &pattern, &self.state.receives);
                found.iter().for_each(|&message| add(u64::from(self.state.messages[message].from)));
                if !blocking {
                    add(NO);
                }
            }
            Call::InBarrier(context) => {
                if self.state.barriers.is_open(&self.program, context, rank as usize) {
                    add(0);
                }
            }
            Call::Random(n) => (0..n).for_each(|value| add(u64::from(value))),
            Call::Again(_) => add(0),
            Call::Exit => {}
        }
    }

    fn take_rank(&mut self, rank: u32, alternative: u64) {
        let program = Rc::clone(&self.program);
        let state = &mut self.state;
        let me = &mut state.ranks[rank as usize];
        match me.call(&program) {
            Call::Send { to, context, tag, value, holds, .. } => {
                let holds = holds && alternative != BUFFERED;
                let request = holds.then_some(me.requests.len());
                let envelope = Envelope { context, source: rank, tag };
                let cancel = me.may_cancel(&program).then_some(me.requests.len());
                let message = Message { from: rank, to, envelope, value, request, cancel, promised: false };
                let place = state.messages.partition_point(|other| (other.to, other.from) <= (to, rank));
                state.messages.insert(place, message);
                me.posted(&program, !holds, &History::EMPTY);
            }
            Call::Recv(pattern) => {
                let receive = Receive { at: rank, pattern, request: me.requests.len() };
                let place = state.receives.partition_point(|other| other.at <= rank);
                state.receives.insert(place, receive);
                me.posted(&program, false, &History::EMPTY);
            }
            Call::Wait { index, .. } => me.waited(&program, alternative as usize, index),
            Call::Test { request, .. } => me.tested(&program, request, alternative != NO),
            Call::Probe { pattern, .. } => {
                let mut messages = state.messages.iter().filter(|m| m.to == rank && u64::from(m.from) == alternative);
                let seen = messages.find(|m| pattern.matches(&m.envelope));
                me.probed(seen.map(|m| (m.envelope.source, m.envelope.tag)), pattern);
            }
            Call::Barrier(context) => {
                me.in_barrier();
                state.barriers.arrive(context, rank as usize);
            }
            Call::InBarrier(_) => me.left_barrier(),
            Call::Random(_) => me.drew(alternative as u32),
            Call::Again(kept) => {
                me.again(kept);
                // Its requests have the same numbers again.
                state.marked.retain(|marked| marked.0 != rank);
                state.messages.iter_mut().filter(|m| m.from == rank).for_each(|m| m.cancel = None);
            }
            Call::Cancel(request) => {
                me.asked_to_cancel();
                let is_detached =
                    |m: &Message| m.from == rank && m.cancel == Some(request) && m.request.is_none() && !m.promised;
                if state.messages.iter().any(is_detached) {
                    me.requests[request].done = None;
                }
                if !state.marked.contains(&(rank, request)) {
                    state.marked.push((rank, request));
                    state.marked.sort_unstable();
                }
            }
            Call::Exit => unreachable!("a rank that is through takes no step"),
        }
    }

    /// What the network may do with operations that were cancelled and have not matched.
    fn cancel_steps(&self, out: &mut Vec<Step>) {
        for &(rank, request) in &self.state.marked {
            let mut add = |alternative: u64| out.push(Step { agent: CANCEL + rank, alternative });
            if self.state.receives.iter().any(|receive| receive.at == rank && receive.request == request) {
                add(request as u64);
            }
            let mut messages = self.state.messages.iter();
            if let Some(message) = messages.find(|m| m.from == rank && m.cancel == Some(request) && !m.promised) {
                add(request as u64);
                if message.request.is_none() {
                    add(KEEP | request as u64);
                }
            }
        }
    }

    fn take_cancel(&mut self, rank: u32, alternative: u64) {
        let request = (alternative & !KEEP) as usize;
        let state = &mut self.state;
        let entry = &mut state.ranks[rank as usize].requests[request];
        entry.done = Some([0; 3]);
        if alternative & KEEP != 0 {
            let message = state.messages.iter_mut().find(|m| m.from == rank && m.cancel == Some(request));
            message.expect("it is there").promised = true;
            return;
        }
        entry.cancelled = true;
        state.receives.retain(|receive| receive.at != rank || receive.request != request);
        state.messages.retain(|message| message.from != rank || message.cancel != Some(request));
    }

    /// A send was cancelled, completed nevertheless, and nobody has received its message: there is no such execution.
    pub fn is_void(&self) -> bool {
        self.state.messages.iter().any(|message| message.promised)
    }

    fn take_match(&mut self, alternative: u64) {
        let (receive, message) = ((alternative >> 32) as usize, (alternative & 0xffff_ffff) as usize);
        let receive = self.state.receives.remove(receive);
        let message = self.state.messages.remove(message);
        let done = [message.envelope.source, message.envelope.tag as u32, message.value];
        self.state.ranks[receive.at as usize].requests[receive.request].done = Some(done);
        // One that was cancelled before the match waits for it, too.
        let reopened = message.cancel.filter(|_| !message.promised);
        if let Some(request) = message.request.or(reopened) {
            self.state.ranks[message.from as usize].requests[request].done = Some([0; 3]);
        }
    }
}

impl Interleaving for Relaxed {
    type Snapshot = State;

    fn reset(&mut self) {
        *self = Relaxed::new(Rc::clone(&self.program));
    }

    fn enabled(&mut self, out: &mut Vec<Step>) {
        let ranks = self.state.ranks.len() as u32;
        for rank in 0..ranks {
            self.rank_steps(rank, out);
        }
        for (position, receive) in self.state.receives.iter().enumerate() {
            for message in self.visible(receive.at, &receive.pattern, &self.state.receives[..position]) {
                out.push(Step { agent: NETWORK + receive.at, alternative: (position as u64) << 32 | message as u64 });
            }
        }
        self.cancel_steps(out);
        if out.is_empty() && self.state.ranks.iter_mut().any(|rank| rank.polls(&self.program)) {
            out.push(Step { agent: FORCE, alternative: 0 });
        }
    }

    fn step(&mut self, step: Step) {
        match step.agent {
            FORCE => {
                let polling = self.state.ranks.iter_mut().filter_map(|rank| rank.polls(&self.program).then_some(rank));
                polling.for_each(|rank| rank.force(&self.program));
            }
            agent if agent >= CANCEL && agent != FORCE => self.take_cancel(agent - CANCEL, step.alternative),
            agent if agent >= NETWORK => self.take_match(step.alternative),
            rank => self.take_rank(rank, step.alternative),
        }
        for rank in &mut self.state.ranks {
            rank.call(&self.program);
            self.failures.extend(rank.failure());
        }
    }

    nothing_but_states!();

    fn ended(&mut self) -> Settled {
        let through = self.state.ranks.iter_mut().all(|rank| rank.call(&self.program) == Call::Exit);
        if through { Settled::Finished } else { Settled::Deadlock }
    }

    fn key(&mut self) -> Option<u128> {
        Some(key(&self.state))
    }

    fn snapshot(&mut self) -> State {
        self.state.clone()
    }

    fn restore(&mut self, snapshot: &State) {
        self.state = snapshot.clone();
    }
}

/// Two independent 64-bit hashes.
pub fn key(state: &impl Hash) -> u128 {
    let hash = |seed: u64| {
        let mut hasher = Fnv(seed);
        state.hash(&mut hasher);
        hasher.finish()
    };
    u128::from(hash(0xcbf2_9ce4_8422_2325)) << 64 | u128::from(hash(0x9ae1_6a3b_2f90_404f))
}

struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^ (z >> 31)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    }
}
