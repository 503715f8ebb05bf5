//! The papers' world: a send is in its receiver's mailbox at once, and mailboxes match in order of arrival.
//!
//! Outcomes that need a message to be overtaken by another sender's do not occur here although MPI allows them, and
//! Test answers yes as soon as it can. So these outcomes are a part of those of [`super::relaxed`].

use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_checker::dpor::Dependence;
use smpi_checker::history::History;
use smpi_checker::interleaving::{Interleaving, Step};
use smpi_checker::{Event, Settled};
use smpi_mailbox::independence::{Action, Operation, Posting, independent};
use smpi_mailbox::{CommId, Envelope, Mailboxes};

use super::program::{Barriers, Call, Outcome, Program, Rank};
use super::relaxed::key;

#[derive(Clone)]
pub struct State {
    ranks: Vec<Rank>,
    barriers: Barriers,
    boxes: Mailboxes,
    /// By send token: value, and the request that waits.
    messages: Vec<(u32, Option<usize>)>,
    /// What each request of each rank posted.
    postings: Vec<Vec<Posting>>,
}

pub struct Eager {
    program: Rc<Program>,
    state: State,
    /// States have keys.
    pub recognise: bool,
}

impl Eager {
    pub fn new(program: Rc<Program>) -> Eager {
        let ranks = program.ranks.len();
        let state = State {
            ranks: (0..ranks as u32).map(Rank::new).collect(),
            barriers: Barriers::new(ranks),
            boxes: Mailboxes::new(ranks as u32),
            messages: Vec::new(),
            postings: vec![Vec::new(); ranks],
        };
        Eager { program, state, recognise: true }
    }

    pub fn outcome(&self) -> Outcome {
        self.state.ranks.iter().map(Rank::outcome).collect()
    }

    fn is_done(&self, rank: u32, request: usize) -> bool {
        self.state.ranks[rank as usize].requests[request].done.is_some()
    }

    /// Agent that answers polls when nothing else moves.
    fn force_agent(&self) -> u32 {
        self.state.ranks.len() as u32
    }

    fn complete(&mut self, comm: CommId) {
        let state = &mut self.state;
        let joined = state.boxes.get(comm).expect("it was matched");
        let (value, request) = state.messages[joined.send_token as usize];
        let done = [joined.envelope.source, joined.envelope.tag as u32, value];
        state.ranks[joined.to.index()].requests[joined.recv_token as usize].done = Some(done);
        if let Some(request) = request {
            state.ranks[joined.from.index()].requests[request].done = Some([0; 3]);
        }
        state.boxes.finish(comm);
    }

    fn take(&mut self, rank: u32, alternative: u64) {
        let program = Rc::clone(&self.program);
        let state = &mut self.state;
        let at = WorldRank(rank);
        let me = &mut state.ranks[rank as usize];
        match me.call(&program) {
            Call::Send { to, context, tag, value, holds, .. } => {
                let envelope = Envelope { context, source: rank, tag };
                state.messages.push((value, holds.then_some(me.requests.len())));
                state.postings[rank as usize].push(Posting::Send { to: WorldRank(to), envelope });
                me.posted(&program, !holds, &History::EMPTY);
                let posted = state.boxes.send(at, WorldRank(to), envelope, 0, state.messages.len() as u64 - 1);
                if posted.matched {
                    self.complete(posted.comm);
                }
            }
            Call::Recv(pattern) => {
                let token = me.requests.len() as u64;
                state.postings[rank as usize].push(Posting::Recv { at, pattern });
                me.posted(&program, false, &History::EMPTY);
                let posted = state.boxes.recv(at, pattern, token);
                if posted.matched {
                    self.complete(posted.comm);
                }
            }
            Call::Wait { index, .. } => me.waited(&program, alternative as usize, index),
            Call::Test { request, .. } => {
                let done = me.requests[request].done.is_some();
                me.tested(&program, request, done);
            }
            Call::Probe { pattern, .. } => {
                let seen = state.boxes.probe(at, pattern).and_then(|comm| state.boxes.get(comm));
                me.probed(seen.map(|message| (message.envelope.source, message.envelope.tag)), pattern);
            }
            Call::Barrier(context) => {
                me.in_barrier();
                state.barriers.arrive(context, rank as usize);
            }
            Call::InBarrier(_) => me.left_barrier(),
            Call::Random(_) => me.drew(alternative as u32),
            Call::Again(_) => unreachable!("the papers' programs end"),
            Call::Cancel(_) => unreachable!("the papers have no cancellation"),
            Call::Exit => unreachable!("a rank that is through takes no step"),
        }
    }
}

impl Interleaving for Eager {
    type Snapshot = State;

    fn reset(&mut self) {
        self.state = Eager::new(Rc::clone(&self.program)).state;
    }

    fn enabled(&mut self, out: &mut Vec<Step>) {
        for rank in 0..self.state.ranks.len() as u32 {
            let mut add = |alternative: u64| out.push(Step { agent: rank, alternative });
            match self.state.ranks[rank as usize].call(&self.program) {
                Call::Send { .. } | Call::Recv(_) | Call::Barrier(_) => add(0),
                Call::Wait { requests, .. } => {
                    requests.iter().filter(|&&r| self.is_done(rank, r)).for_each(|&r| add(r as u64));
                }
                Call::Test { request, fair } if !fair || self.is_done(rank, request) => add(0),
                Call::Probe { pattern, blocking, .. } => {
                    if !blocking || self.state.boxes.probe(WorldRank(rank), pattern).is_some() {
                        add(0);
                    }
                }
                Call::InBarrier(context) if self.state.barriers.is_open(&self.program, context, rank as usize) => {
                    add(0);
                }
                Call::Random(n) => (0..n).for_each(|value| add(u64::from(value))),
                Call::Test { .. } | Call::InBarrier(_) | Call::Cancel(_) | Call::Again(_) | Call::Exit => {}
            }
        }
        if out.is_empty() && self.state.ranks.iter_mut().any(|rank| rank.polls(&self.program)) {
            out.push(Step { agent: self.force_agent(), alternative: 0 });
        }
    }

    fn step(&mut self, step: Step) {
        if step.agent == self.force_agent() {
            let polling = self.state.ranks.iter_mut().filter_map(|rank| rank.polls(&self.program).then_some(rank));
            polling.for_each(|rank| rank.force(&self.program));
        } else {
            self.take(step.agent, step.alternative);
        }
        for rank in &mut self.state.ranks {
            rank.call(&self.program);
        }
    }

    nothing_but_states!();

    fn ended(&mut self) -> Settled {
        let through = self.state.ranks.iter_mut().all(|rank| rank.call(&self.program) == Call::Exit);
        if through { Settled::Finished } else { Settled::Deadlock }
    }

    fn key(&mut self) -> Option<u128> {
        if !self.recognise {
            return None;
        }
        // Messages in a mailbox are named by sender and value, not by tokens, which tell the order of all sends.
        let State { ranks, barriers, boxes, messages, .. } = &self.state;
        let waiting = boxes.pending().filter(|(_, comm)| comm.state == smpi_mailbox::State::SendPosted);
        let waiting: Vec<_> =
            waiting.map(|(_, send)| (send.to, send.from, send.envelope, messages[send.send_token as usize])).collect();
        // Posted receives follow from the ranks: those of their requests that are not done, in their order.
        Some(key(&(ranks, barriers, waiting)))
    }

    fn snapshot(&mut self) -> State {
        self.state.clone()
    }

    fn restore(&mut self, snapshot: &State) {
        self.state = snapshot.clone();
    }
}

impl Dependence for Eager {
    /// `None`: answers polls; only when nothing else moves, so no order of it can be changed.
    type Operation = Option<Operation>;

    fn agents(&self) -> u32 {
        self.force_agent() + 1
    }

    fn next(&mut self, agent: u32) -> Option<Option<Operation>> {
        let by = WorldRank(agent);
        if agent == self.force_agent() {
            return Some(None);
        }
        let postings = &self.state.postings[agent as usize];
        let action = match self.state.ranks[agent as usize].call(&self.program) {
            Call::Send { to, context, tag, .. } => {
                let envelope = Envelope { context, source: agent, tag };
                Action::Post(Posting::Send { to: WorldRank(to), envelope })
            }
            Call::Recv(pattern) => Action::Post(Posting::Recv { at: by, pattern }),
            Call::Wait { requests, .. } => Action::WaitAny(requests.iter().map(|&request| postings[request]).collect()),
            Call::Test { request, .. } => Action::TestAny(vec![postings[request]]),
            Call::Probe { pattern, may_say_no, .. } => Action::Probe { pattern, blocking: !may_say_no, claim: false },
            Call::Barrier(_) | Call::InBarrier(_) | Call::Random(_) | Call::Cancel(_) | Call::Again(_) => Action::Local,
            Call::Exit => return None,
        };
        Some(Some(Operation { by, action }))
    }

    fn dependent(a: &Option<Operation>, b: &Option<Operation>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => !independent(a, b),
            _ => false,
        }
    }
}
