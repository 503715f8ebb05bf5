//! The programs as the default exploration sees them: over the mailboxes, with held receives, causality and late
//! arrivals.
//!
//! This is also the smallest complete example of a [`System`].

use std::hash::Hash;
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::digest::Digest;
use smpi_checker::below::{Arrival, Arriving, Carrier, Causes, Ticks};
use smpi_checker::history::{History, PassedOn};
use smpi_checker::late::Late;
use smpi_checker::told::{Between, By};
use smpi_checker::{
    Caller, ChoiceId, ChoiceKind, Choices, Configuration, Event, Fate, GO_ON, Held, HeldReceive, Influence, Prospect,
    Senders, Settled, System, Told,
};
use smpi_mailbox::{CommId, Envelope, Mailboxes, Pattern};

use super::program::{Barriers, Buffering, Call, Communications, Failure, Op, Outcome, Program, Rank};
use super::relaxed::key;

#[derive(Clone, Debug)]
struct Message {
    value: u32,
    /// The sender's request that waits for it.
    request: Option<usize>,
    history: History,
    either: bool,
}

#[derive(Clone, Debug)]
pub struct State {
    ranks: Vec<Rank>,
    histories: Vec<History>,
    influence: Influence,
    told: Told,
    barriers: Barriers,
    /// What was known to those who arrived at each barrier so far: by context and round.
    gathered: [Vec<History>; 2],
    boxes: Mailboxes,
    held: Held,
    /// By send token.
    messages: Vec<Message>,
    /// Number of the next choice of each rank, and that of its present call.
    numbers: Vec<u32>,
    asked: Vec<Option<u32>>,
    late: Late,
    made: u32,
    /// States on the way, where they are recognised.
    tick: u32,
    /// Where each send is buffered or not: those that wait for their receive and need not, and those that were buffered
    /// and have no receive yet.
    waiting: Vec<Waiting>,
    buffered: Vec<(ChoiceId, CommId)>,
    /// Polls answered no because nothing else moved, where that was a choice.
    stood_still: u32,
    /// Operations that may be cancelled, by rank and number of their choice.
    anticipated: Vec<Anticipated>,
}

/// As in the crate `smpi-mpi`: what becomes of an operation that is cancelled later is chosen when it starts.
#[derive(Clone, Debug)]
struct Anticipated {
    id: ChoiceId,
    request: usize,
    /// The message and its receiver, and whether the sender does not wait for it; `None` for receives.
    send: Option<(CommId, WorldRank, bool)>,
    decided: Option<(bool, u32)>,
    marked: Option<History>,
    /// Messages of the same sender that were taken while this one kept them from others, and what they depended on.
    behind: Vec<(Envelope, History)>,
}

/// A send that waits for its receive, and need not.
#[derive(Clone, Debug)]
struct Waiting {
    id: ChoiceId,
    request: usize,
    comm: CommId,
    /// Nothing else moved, and it was not buffered: it never is.
    kept: bool,
}

pub struct Choosing {
    program: Rc<Program>,
    state: State,
    matched: Vec<CommId>,
    /// Test switch: snapshots are given of states after so many choices and multiples of that, so that the exploration
    /// makes choices again; 0: none at all.
    pub snapshots: u32,
    /// Test switch: no choice is called closed.
    pub closes: bool,
    /// States are recognised whatever led to them.
    pub recognises: bool,
}

const NO: u64 = u64::MAX;

/// The slot of a barrier among the requests of its rank, as [`Told`] knows them; those of the model follow.
const BARRIER: u32 = 0;

fn slot(request: usize) -> u32 {
    request as u32 + 1
}

impl Choosing {
    pub fn new(program: Rc<Program>) -> Choosing {
        let state = start(&program, false);
        Choosing { program, state, matched: Vec::new(), snapshots: 1, closes: true, recognises: false }
    }

    /// How ranks have failed.
    pub fn failures(&self) -> impl Iterator<Item = Failure> {
        self.state.ranks.iter().filter_map(Rank::failure)
    }

    /// What every rank has sent and received, if all are through without a failure.
    pub fn communications(&self) -> Option<Vec<Communications>> {
        let is_well = self.state.ranks.iter().all(|rank| rank.failed.is_none());
        is_well.then(|| self.state.ranks.iter().map(Rank::communications).collect())
    }

    /// What each rank has told before it forgot it.
    pub fn told(&self) -> Vec<Vec<u32>> {
        self.state.ranks.iter().map(|rank| rank.told.0.clone()).collect()
    }

    pub fn outcome(&self) -> Outcome {
        self.state.ranks.iter().map(Rank::outcome).collect()
    }

    fn run(&mut self) -> Settled {
        loop {
            let mut moved = true;
            while moved {
                moved = false;
                for rank in 0..self.state.ranks.len() {
                    while self.step(rank) {
                        moved = true;
                    }
                }
            }
            let mut choices = Choices::new();
            self.choices(&mut choices);
            let polls = self.state.ranks.iter_mut().any(|rank| rank.polls(&self.program));
            if choices.are_reluctant() && !polls {
                return if self.is_void() { Settled::Choices } else { Settled::Reluctant };
            }
            if !choices.is_empty() {
                return Settled::Choices;
            }
            self.force();
            if !polls {
                if self.is_void() {
                    return Settled::Void;
                }
                let through = self.state.ranks.iter_mut().all(|rank| rank.call(&self.program) == Call::Exit);
                return if through { Settled::Finished } else { Settled::Deadlock };
            }
        }
    }

    /// The rank that stands for all in the choice of answering polls.
    fn nobody(&self) -> WorldRank {
        WorldRank(self.state.ranks.len() as u32)
    }

    fn number(&mut self, rank: usize) -> u32 {
        self.state.numbers[rank] += 1;
        self.state.numbers[rank] - 1
    }

    /// Lets a rank make its next call as far as that needs no choice. False when it can not.
    fn step(&mut self, rank: usize) -> bool {
        let program = Rc::clone(&self.program);
        let call = self.state.ranks[rank].call(&program);
        match call {
            Call::Send { to, context, tag, value, holds, either } => {
                let comm = self.send(rank, to, context, tag, value, (holds, either));
                if either {
                    let id = ChoiceId::of(WorldRank(rank as u32), self.number(rank));
                    let request = self.state.ranks[rank].requests.len() - 1;
                    if self.state.ranks[rank].requests[request].done.is_none() {
                        self.state.waiting.push(Waiting { id, request, comm, kept: false });
                    }
                }
            }
            Call::Recv(pattern) => self.receive(rank, pattern),
            Call::Wait { requests, index } => {
                let &[request] = &requests[..] else { return self.ask(rank) };
                if self.state.ranks[rank].requests[request].done.is_none() {
                    return false;
                }
                self.learn(rank, request);
                self.state.ranks[rank].waited(&program, request, index);
            }
            // Without a choice in every lap the program might never come to rest.
            Call::Test { fair: false, .. } | Call::Random(_) | Call::Again(_) => return self.ask(rank),
            Call::Test { request, fair: true } => {
                if self.state.ranks[rank].requests[request].done.is_none() {
                    return false;
                }
                self.learn(rank, request);
                self.state.ranks[rank].tested(&program, request, true);
            }
            Call::Probe { pattern, blocking, .. } => {
                if !blocking || pattern.source.is_none() {
                    return self.ask(rank);
                }
                let at = WorldRank(rank as u32);
                let Some(&sender) = self.state.held.probe(&self.state.boxes, at, &pattern).available.first() else {
                    return false;
                };
                self.see(rank, pattern, sender);
            }
            Call::Barrier(context) => self.arrive(rank, context),
            Call::InBarrier(context) => {
                let state = &mut self.state;
                if !state.barriers.is_open(&program, context, rank) {
                    return false;
                }
                let round = state.barriers.count(context, rank) as usize - 1;
                state.histories[rank].join(&state.gathered[context as usize][round]);
                state.told.meet(&[(WorldRank(rank as u32), BARRIER)]);
                state.told.takes(WorldRank(rank as u32), BARRIER);
                state.ranks[rank].left_barrier();
            }
            Call::Cancel(request) => self.cancel(rank, request),
            Call::Exit => return false,
        }
        true
    }

    /// The call in which a rank makes a choice.
    fn asked(&mut self, event: Event, program: &Program) -> Call {
        let call = self.state.ranks[event.choice.rank().index()].call(program);
        self.state.tell_choice(event, &call);
        call
    }

    /// A rank arrives at a barrier.
    fn arrive(&mut self, rank: usize, context: u32) {
        let state = &mut self.state;
        let round = state.barriers.count(context, rank) as usize;
        let gathered = &mut state.gathered[context as usize];
        gathered.resize(gathered.len().max(round + 1), History::EMPTY);
        gathered[round].join(&state.histories[rank]);
        state.ranks[rank].in_barrier();
        state.barriers.arrive(context, rank);
        state.told.starts(WorldRank(rank as u32), BARRIER, None, None);
        state.told.arrives(WorldRank(rank as u32), BARRIER, context);
        if state.barriers.is_open(&self.program, context, rank) {
            let members = (0..state.ranks.len()).filter(|&rank| self.program.is_member(context, rank));
            state.influence.met(members.map(|rank| WorldRank(rank as u32)));
        }
    }

    fn cancel(&mut self, rank: usize, request: usize) {
        self.state.ranks[rank].asked_to_cancel();
        let history = self.state.passed_on(rank);
        let mut all = self.state.anticipated.iter_mut();
        let Some(one) = all.find(|one| one.id.rank().index() == rank && one.request == request) else { return };
        let is_first = one.marked.is_none();
        one.marked.get_or_insert(history);
        let (id, send, decided) = (one.id, one.send, one.decided);
        let is_detached = send.is_some_and(|(_, _, detached)| detached);
        match decided {
            None if is_detached && is_first => self.state.ranks[rank].requests[request].done = None,
            Some((false, _)) => self.withdraw(id),
            _ => {}
        }
    }

    /// Completes an operation as cancelled.
    fn withdraw(&mut self, id: ChoiceId) {
        let state = &mut self.state;
        let place = state.anticipated.iter().position(|one| one.id == id).expect("it is known");
        let Anticipated { request, send, decided, marked, behind, .. } = state.anticipated.remove(place);
        let mut history = marked.expect("it was cancelled");
        decided.into_iter().for_each(|(_, position)| history.insert(position));
        let (at, pattern, sender) = match send {
            Some((comm, to, _)) => {
                let pattern = Pattern::from(state.boxes.get(comm).expect("it waits").envelope);
                state.held.release(to, comm);
                state.boxes.cancel(comm);
                state.waiting.retain(|waiting| waiting.comm != comm);
                state.buffered.retain(|buffered| buffered.1 != comm);
                (to, pattern, Some(id.rank()))
            }
            None => {
                let held = state.held.at(id.rank()).find(|held| held.number == id.number).copied();
                let pattern = held.expect("it is held").pattern;
                state.held.cancel(id.rank(), request as u64);
                (id.rank(), pattern, None)
            }
        };
        let entry = &mut state.ranks[id.rank().index()].requests[request];
        (entry.done, entry.cancelled) = (Some([0; 3]), true);
        entry.history.join(&history);
        state.late.completed(id.rank(), request as u64, &state.told_by(id.rank().index(), request));
        for (envelope, sent) in &behind {
            let mut both = history.clone();
            both.join(sent);
            state.late.revealed(id.rank(), at, envelope, &both, |_, accepted| accepted.overlaps(&pattern));
        }
        for (_, message) in state.boxes.waiting_sends(at) {
            if sender.map_or(!pattern.matches(&message.envelope), |sender| sender != message.from) {
                continue;
            }
            let mut both = history.clone();
            both.join(&state.messages[message.send_token as usize].history);
            state.late.revealed(message.from, at, &message.envelope, &both, |watch, accepted| match sender {
                Some(_) => accepted.overlaps(&pattern),
                None => watch.number > id.number,
            });
        }
        self.progress(at);
    }

    /// Chooses whether a send delivers its message. False when the choice is another one.
    fn deliver(&mut self, id: ChoiceId, delivers: bool, position: u32) -> bool {
        let state = &mut self.state;
        let mut sends = state.anticipated.iter_mut().filter(|one| one.send.is_some());
        let Some(one) = sends.find(|one| one.id == id) else { return false };
        one.decided = Some((delivers, position));
        let (is_marked, request) = (one.marked.is_some(), one.request);
        let (comm, to, detached) = one.send.expect("it is a send");
        if !delivers {
            if is_marked {
                self.withdraw(id);
            }
            return true;
        }
        state.held.release(to, comm);
        let message = state.boxes.get(comm).expect("it waits");
        let history = &mut state.messages[message.send_token as usize].history;
        history.insert(position);
        state.late.sent(id.rank(), to, &message.envelope, history);
        if detached && is_marked {
            let entry = &mut state.ranks[id.rank().index()].requests[request];
            entry.done = Some([0; 3]);
            entry.history.insert(position);
            state.late.completed(id.rank(), request as u64, &entry.history);
        }
        self.progress(to);
        true
    }

    /// Whether the execution anticipated what did not come.
    fn is_void(&self) -> bool {
        let is_broken = |one: &Anticipated| match (one.send, one.decided) {
            (Some(_), Some((false, _))) => true,
            (Some((comm, ..)), Some((true, _))) => {
                let state = self.state.boxes.get(comm).map(|message| message.state);
                one.marked.is_some() && state == Some(smpi_mailbox::State::SendPosted)
            }
            _ => false,
        };
        let mut ranks = (0..self.state.ranks.len() as u32).map(WorldRank);
        self.state.anticipated.iter().any(is_broken)
            || ranks.any(|rank| self.state.held.is_idle_in_vain(&self.state.boxes, rank))
    }

    /// The rank's present call is a choice; false, because the rank can not go on.
    fn ask(&mut self, rank: usize) -> bool {
        if self.state.asked[rank].is_none() {
            self.state.asked[rank] = Some(self.number(rank));
        }
        false
    }

    fn send(
        &mut self,
        rank: usize,
        to: u32,
        context: u32,
        tag: i32,
        value: u32,
        (holds, either): (bool, bool),
    ) -> CommId {
        let state = &mut self.state;
        let envelope = Envelope { context, source: rank as u32, tag };
        let (from, to) = (WorldRank(rank as u32), WorldRank(to));
        let history = state.passed_on(rank);
        let place = state.ranks[rank].requests.len();
        let request = holds.then_some(place);
        let may_cancel = state.ranks[rank].may_cancel(&self.program);
        let known = history.clone().begun(Carrier::Request(from, place as u32), state.tick);
        state.ranks[rank].posted(&self.program, !holds, &known);
        state.influence.told(from, to);
        state.told.starts(from, slot(place), None, None);
        state.told.sends(state.messages.len(), (from, to), (envelope, value.into()), By::Request(slot(place)));
        if !may_cancel {
            state.late.sent(from, to, &envelope, &history);
        }
        let token = state.messages.len() as u64;
        let history = history.begun(Carrier::Message(from, to), state.tick);
        state.messages.push(Message { value, request, history, either });
        let posted = state.boxes.send(from, to, envelope, 0, token);
        if may_cancel {
            self.state.held.withhold(to, posted.comm);
            let id = ChoiceId::of(from, self.number(rank));
            let send = Some((posted.comm, to, !holds));
            self.state.anticipated.push(Anticipated {
                id,
                request: place,
                send,
                decided: None,
                marked: None,
                behind: Vec::new(),
            });
        }
        if posted.matched {
            self.complete(posted.comm, None);
        } else {
            self.progress(to);
        }
        posted.comm
    }

    fn receive(&mut self, rank: usize, pattern: Pattern) {
        let may_cancel = self.state.ranks[rank].may_cancel(&self.program);
        let number = if pattern.source.is_none() || may_cancel { self.number(rank) } else { u32::MAX };
        let state = &mut self.state;
        let token = state.ranks[rank].requests.len() as u64;
        let at = WorldRank(rank as u32);
        let history = state.passed_on(rank).begun(Carrier::Request(at, token as u32), state.tick);
        state.ranks[rank].posted(&self.program, false, &history);
        let choice = pattern.source.is_none().then(|| ChoiceId::of(at, number));
        state.told.starts(at, slot(token as usize), Some(pattern), choice);
        if may_cancel {
            let (id, request) = (ChoiceId::of(at, number), token as usize);
            state.anticipated.push(Anticipated {
                id,
                request,
                send: None,
                decided: None,
                marked: None,
                behind: Vec::new(),
            });
        }
        let fate = if may_cancel { Fate::Open } else { Fate::Takes };
        match state.held.recv(&mut state.boxes, at, HeldReceive { pattern, token, number, fate }) {
            Some(posted) if posted.matched => self.complete(posted.comm, None),
            Some(_) => {}
            None => self.progress(at),
        }
    }

    fn progress(&mut self, at: WorldRank) {
        let mut matched = std::mem::take(&mut self.matched);
        self.state.held.progress(&mut self.state.boxes, at, &mut matched);
        matched.drain(..).for_each(|comm| self.complete(comm, None));
        self.matched = matched;
    }

    /// A message met its receive; `choice` is the position of the choice that did it.
    fn complete(&mut self, comm: CommId, choice: Option<u32>) {
        let state = &mut self.state;
        let joined = state.boxes.get(comm).expect("it was matched");
        let (from, to, envelope) = (joined.from, joined.to, joined.envelope);
        let (message, received) = (&state.messages[joined.send_token as usize], joined.recv_token as usize);
        let mut history = state.told_by_message(comm);
        let either = message.either;
        state.told.matches(joined.send_token as usize, slot(received), message.request.map(slot));
        for one in &mut state.anticipated {
            let is_before = one.send.is_some_and(|(other, receiver, _)| other != comm && receiver == to);
            if is_before && one.id.rank() == from && !matches!(one.decided, Some((true, _))) {
                one.behind.push((envelope, history.clone()));
            }
        }
        let receive = &mut state.ranks[to.index()].requests[received];
        history.join(&receive.history);
        choice.into_iter().for_each(|position| history.insert(position));
        receive.done = Some([envelope.source, envelope.tag as u32, message.value]);
        receive.history = history.clone();
        state.late.completed(to, received as u64, &state.told_by(to.index(), received));
        state.waiting.retain(|waiting| waiting.comm != comm);
        state.buffered.retain(|buffered| buffered.1 != comm);
        if let Some(request) = message.request {
            state.influence.told(to, from);
            let send = &mut state.ranks[from.index()].requests[request];
            send.done = Some([0; 3]);
            // One that need not have waited is no news to its sender.
            if !either {
                send.history.join(&history);
            }
            state.late.completed(from, request as u64, &state.told_by(from.index(), request));
        }
        state.boxes.finish(comm);
    }

    /// The rank sees that a request is over.
    fn learn(&mut self, rank: usize, request: usize) {
        let told = self.state.told_by(rank, request);
        self.state.histories[rank].join(&told);
        self.state.told.takes(WorldRank(rank as u32), slot(request));
    }

    /// The rank's probe sees the message of this sender.
    fn see(&mut self, rank: usize, pattern: Pattern, sender: WorldRank) {
        let state = &mut self.state;
        let comm =
            state.held.probed(&state.boxes, WorldRank(rank as u32), &pattern, sender).expect("it was a candidate");
        let message = state.boxes.get(comm).expect("it waits");
        let told = state.told_by_message(comm);
        state.histories[rank].join(&told);
        let seen = (message.envelope.source, message.envelope.tag);
        state.ranks[rank].probed(Some(seen), pattern);
        state.told.sees(WorldRank(rank as u32), message.send_token as usize);
    }

    /// Sends that their rank asks about, and that can be buffered after all.
    fn offers(&self) -> impl Iterator<Item = &Waiting> {
        self.state.waiting.iter().filter(|waiting| {
            let call = self.state.ranks[waiting.id.rank().index()].clone().call(&self.program);
            let is_asked = match call {
                Call::Wait { requests, .. } => requests.contains(&waiting.request),
                Call::Test { request, .. } => request == waiting.request,
                _ => false,
            };
            // Of a send that is cancelled, it is settled before whether its message is delivered.
            let mut its =
                self.state.anticipated.iter().filter(|one| one.send.is_some_and(|send| send.0 == waiting.comm));
            is_asked && !waiting.kept && its.all(|one| matches!(one.decided, Some((true, _))))
        })
    }

    /// Whether a request that a rank asks about could be over at once.
    fn is_offered(&self, rank: usize, request: u64) -> bool {
        self.offers().any(|waiting| waiting.id.rank().index() == rank && waiting.request as u64 == request)
    }

    /// A send is buffered after all.
    fn buffer(&mut self, id: ChoiceId) {
        let state = &mut self.state;
        let place = state.waiting.iter().position(|waiting| waiting.id == id).expect("the send waits");
        let Waiting { request, comm, .. } = state.waiting.remove(place);
        let token = state.boxes.get(comm).expect("it is not matched").send_token;
        state.messages[token as usize].request = None;
        state.buffered.push((id, comm));
        let send = &mut state.ranks[id.rank().index()].requests[request];
        send.done = Some([0; 3]);
        state.late.completed(id.rank(), request as u64, &send.history);
    }

    /// Polls are answered no.
    fn force(&mut self) {
        let all = History::all(self.state.made).after(&Ticks::all(self.state.ranks.len(), self.state.tick));
        for ((rank, history), number) in self.state.ranks.iter_mut().zip(&mut self.state.histories).zip(0..) {
            if rank.polls(&self.program) {
                rank.force(&self.program);
                history.join(&all);
                self.state.influence.everything(WorldRank(number));
                self.state.told.lose();
            }
        }
        self.state.asked.fill(None);
    }

    /// Nothing else moves, and no send is buffered for that: polls are answered no.
    fn stand_still(&mut self) {
        let kept: Vec<ChoiceId> = self.offers().map(|waiting| waiting.id).collect();
        for waiting in self.state.waiting.iter_mut().filter(|waiting| kept.contains(&waiting.id)) {
            waiting.kept = true;
        }
        self.state.stood_still += 1;
        self.force();
    }

    /// True when no sender can add a candidate to this receive or probe: each has one, or is through. `waits`: the
    /// rank itself can send only after the choice.
    fn is_closed(&self, at: usize, pattern: &Pattern, senders: &Senders, waits: bool) -> bool {
        let members = (0..self.state.ranks.len()).filter(|&rank| self.program.is_member(pattern.context, rank));
        let can_send = |sender: WorldRank| {
            let mut rank = self.state.ranks[sender.index()].clone();
            !(waits && sender.index() == at) && rank.call(&self.program) != Call::Exit
        };
        self.closes && senders.is_closed(members.map(|rank| WorldRank(rank as u32)), can_send)
    }

    fn held_choices(&self, rank: usize, out: &mut Choices) {
        let at = WorldRank(rank as u32);
        let mut open: Vec<ChoiceId> =
            self.state.anticipated.iter().filter(|one| one.is_open_send(at)).map(|one| one.id).collect();
        open.reverse();
        let deliveries = |open: &mut Vec<ChoiceId>, before: u32, out: &mut Choices| {
            while let Some(id) = open.pop_if(|id| id.number < before) {
                out.open(id, ChoiceKind::Delivery, true);
                out.candidate(1);
                out.candidate(NO);
            }
        };
        self.state.held.candidates(&self.state.boxes, at, |receive, senders| {
            deliveries(&mut open, receive.number, out);
            let is_open = receive.fate == Fate::Open;
            if !senders.available.is_empty() || is_open {
                let call = self.state.ranks[rank].clone().call(&self.program);
                let waits = call == Call::Wait { requests: vec![receive.token as usize], index: false };
                let closed = self.is_closed(rank, &receive.pattern, senders, waits);
                out.open(ChoiceId::of(at, receive.number), ChoiceKind::Receive, closed);
                senders.available.iter().for_each(|sender| out.candidate(u64::from(sender.0)));
                if is_open {
                    out.candidate(NO);
                }
            }
        });
        deliveries(&mut open, u32::MAX, out);
    }

    fn call_choice(&self, rank: usize, number: u32, out: &mut Choices) {
        let at = WorldRank(rank as u32);
        let id = ChoiceId::of(at, number);
        let me = &self.state.ranks[rank];
        let done = |request: usize| me.requests[request].done.is_some();
        match me.clone().call(&self.program) {
            Call::Wait { requests, .. } => {
                out.open(id, ChoiceKind::WaitAny, self.closes && requests.iter().all(|&request| done(request)));
                requests.iter().filter(|&&request| done(request)).for_each(|&request| out.candidate(request as u64));
            }
            Call::Test { request, .. } => {
                out.open(id, ChoiceKind::Test, self.closes && done(request));
                out.candidate(NO);
                if done(request) {
                    out.candidate(1);
                }
            }
            Call::Probe { pattern, blocking, .. } => {
                let senders = self.state.held.probe(&self.state.boxes, at, &pattern);
                let closed = self.is_closed(rank, &pattern, &senders, true);
                out.open(id, if blocking { ChoiceKind::Probe } else { ChoiceKind::Test }, closed);
                senders.available.iter().for_each(|sender| out.candidate(u64::from(sender.0)));
                if !blocking {
                    out.candidate(NO);
                }
            }
            Call::Again(_) => {
                out.open(id, ChoiceKind::Random, self.closes);
                out.candidate(0);
            }
            Call::Random(n) => {
                out.open(id, ChoiceKind::Random, self.closes);
                (0..n).for_each(|value| out.candidate(u64::from(value)));
            }
            call => unreachable!("{call:?} is no choice"),
        }
        out.drop_if_empty();
    }
}

impl State {
    /// A rank begins anew. Its requests have the same numbers again, and all of them are over.
    fn again(&mut self, rank: WorldRank, kept: usize) {
        self.ranks[rank.index()].again(kept);
        let boxes = &self.boxes;
        let is_waiting = |one: &Anticipated| {
            let message = one.send.and_then(|(comm, ..)| boxes.get(comm));
            message.is_some_and(|message| message.state == smpi_mailbox::State::SendPosted)
        };
        self.anticipated.retain(|one| one.id.rank() != rank || is_waiting(one));
        let of_last_lap = self.anticipated.iter_mut().filter(|one| one.id.rank() == rank);
        of_last_lap.for_each(|one| one.request = usize::MAX);
    }

    /// A rank makes a choice in a call.
    fn tell_choice(&mut self, Event { choice, candidate }: Event, call: &Call) {
        let slots: Vec<u32> = match call {
            Call::Wait { requests, .. } => requests.iter().copied().map(slot).collect(),
            Call::Test { request, .. } => vec![slot(*request)],
            _ => Vec::new(),
        };
        let between = match call {
            Call::Probe { pattern, .. } => Between::Messages(*pattern),
            Call::Again(_) => return self.told.lose(),
            _ if slots.is_empty() => Between::Nothing,
            _ => Between::Slots(&slots),
        };
        self.told.chooses(choice, candidate, between);
    }

    /// What a rank passes on now.
    fn passed_on(&self, rank: usize) -> History {
        self.histories[rank].passed_on(WorldRank(rank as u32), self.tick)
    }

    /// What a request tells now.
    fn told_by(&self, rank: usize, request: usize) -> History {
        let history = self.ranks[rank].requests[request].history.clone();
        history.passed_by(Carrier::Request(WorldRank(rank as u32), request as u32), self.tick)
    }

    /// What a message tells who learns of it now.
    fn told_by_message(&self, comm: CommId) -> History {
        let message = self.boxes.get(comm).expect("it is under way");
        let history = self.messages[message.send_token as usize].history.clone();
        history.passed_by(Carrier::Message(message.from, message.to), self.tick)
    }

    fn carried(&self, carrier: Carrier) -> History {
        match carrier {
            Carrier::Request(rank, request) => self.told_by(rank.index(), request as usize),
            Carrier::Message(from, to) => {
                let mut meant = self.boxes.on_the_way(from, to);
                match (meant.next(), meant.next()) {
                    (Some(comm), None) => self.told_by_message(comm),
                    _ => History::EMPTY,
                }
            }
        }
    }

    /// The position of a choice that is made now.
    fn chosen(&mut self, rank: WorldRank) -> u32 {
        self.influence.chosen(rank);
        self.made += 1;
        self.made - 1
    }

    /// What may still become of it depends on.
    fn without_history(&self) -> impl Hash {
        let ranks: Vec<Rank> = self.ranks.iter().map(Rank::without_histories).collect();
        let numbers = || (0..self.ranks.len() as u32).map(WorldRank);
        let mut messages: Vec<_> = numbers()
            .flat_map(|at| self.boxes.waiting_sends(at))
            .map(|(_, send)| (send, &self.messages[send.send_token as usize]))
            .map(|(send, message)| (send.to, send.from, send.envelope, message.value, message.request))
            .collect();
        // What different senders have sent is in no order.
        messages.sort_by_key(|message| (message.0, message.1));
        let receives: Vec<_> = numbers()
            .flat_map(|at| self.boxes.posted_receives(at))
            .map(|(_, receive)| (receive.to, receive.pattern(), receive.recv_token))
            .collect();
        let held_at = |at| self.held.at(at).map(|held| (held.pattern, held.token, held.fate)).collect::<Vec<_>>();
        let held: Vec<_> = numbers().map(held_at).collect();
        let mut anticipated: Vec<_> = self.anticipated.iter().map(|one| one.without_history(&self.boxes)).collect();
        anticipated.sort_unstable();
        let asked: Vec<bool> = self.asked.iter().map(Option::is_some).collect();
        let mut waiting: Vec<_> = self.waiting.iter().map(|send| (send.id.rank(), send.request, send.kept)).collect();
        waiting.sort_unstable();
        (ranks, self.barriers.clone(), messages, receives, held, asked, waiting, anticipated)
    }
}

impl Anticipated {
    /// Of a send, its message is known by its place among those of its sender that nobody has taken.
    fn without_history(&self, boxes: &Mailboxes) -> impl Ord + Hash + use<> {
        let send = self.send.map(|(comm, to, detached)| {
            let mut its = boxes.waiting_sends(to).filter(|(_, message)| message.from == self.id.rank());
            (its.position(|(other, _)| other == comm), to, detached)
        });
        (self.id.rank(), self.request, send, self.decided.map(|decided| decided.0), self.marked.is_some())
    }

    fn is_open_send(&self, rank: WorldRank) -> bool {
        self.id.rank() == rank && self.send.is_some() && self.decided.is_none()
    }
}

fn start(program: &Program, recognises: bool) -> State {
    let ranks = program.ranks.len();
    let mut held = Held::new(ranks as u32);
    held.set_withholding(program.ranks.iter().flatten().any(|op| matches!(op, Op::Cancel(_))));
    State {
        ranks: (0..ranks as u32).map(Rank::new).collect(),
        histories: vec![History::EMPTY; ranks],
        influence: Influence::new(ranks as u32),
        told: Told::new(ranks as u32),
        barriers: Barriers::new(ranks),
        gathered: Default::default(),
        boxes: Mailboxes::new(ranks as u32),
        held,
        messages: Vec::new(),
        numbers: vec![0; ranks],
        asked: vec![None; ranks],
        late: Late::new(ranks as u32),
        made: 0,
        tick: u32::from(recognises),
        waiting: Vec::new(),
        buffered: Vec::new(),
        stood_still: 0,
        anticipated: Vec::new(),
    }
}

impl System for Choosing {
    type Snapshot = State;

    fn reset(&mut self) {
        self.state = start(&self.program, self.recognises);
        if self.recognises {
            self.state.late.keep_arrived();
        }
    }

    fn settle(&mut self) -> Settled {
        let settled = self.run();
        self.state.tick += u32::from(self.recognises);
        settled
    }

    fn choices(&mut self, out: &mut Choices) {
        for rank in 0..self.state.ranks.len() {
            self.held_choices(rank, out);
            if let Some(number) = self.state.asked[rank] {
                self.call_choice(rank, number, out);
            }
        }
        let stuck = out.is_empty();
        let offers: Vec<ChoiceId> = self.offers().map(|waiting| waiting.id).collect();
        if stuck && !offers.is_empty() && self.state.ranks.iter().any(|rank| rank.clone().polls(&self.program)) {
            let id = ChoiceId::of(self.nobody(), self.state.stood_still);
            out.reluctant(id, ChoiceKind::Test, NO);
        }
        offers.into_iter().for_each(|id| out.reluctant(id, ChoiceKind::Buffering, GO_ON));
    }

    fn caller(&mut self, event: Event) -> Caller {
        Caller { rank: event.choice.rank(), site: 0, what: 0 }
    }

    fn may_take(&mut self, _: Event) -> bool {
        false
    }

    fn marks(&mut self, out: &mut Vec<Event>) {
        if self.program.buffering == Buffering::Each {
            let progress = self.state.ranks.iter().zip(0..).map(|(rank, number)| (WorldRank(number), rank.progress()));
            out.extend(progress.map(|(rank, number)| Event { choice: ChoiceId::of(rank, number), candidate: 3 }));
        }
        out.extend(self.state.buffered.iter().map(|&(choice, _)| Event { choice, candidate: 1 }));
        let kept = self.state.waiting.iter().filter(|waiting| waiting.kept);
        out.extend(kept.map(|waiting| Event { choice: waiting.id, candidate: 2 }));
    }

    fn take(&mut self, event: Event) {
        let Event { choice: id, candidate } = event;
        let position = self.state.chosen(id.rank());
        let (at, rank) = (id.rank(), id.rank().index());
        if event.goes_on() {
            return self.buffer(id);
        }
        if id.rank() == self.nobody() {
            return self.stand_still();
        }
        let program = Rc::clone(&self.program);
        if self.state.asked[rank] != Some(id.number) {
            if self.deliver(id, candidate != NO, position) {
                return;
            }
            let pattern = self.state.held.receive(at, id.number).expect("it is held").pattern;
            let senders = self.state.held.candidates_of(&self.state.boxes, at, id.number);
            let state = &mut self.state;
            state.late.watch_messages(id, position, pattern, &senders.available);
            if candidate == NO {
                state.held.make_idle(at, id.number);
                let one = state.anticipated.iter_mut().find(|one| one.id == id).expect("it may be cancelled");
                one.decided = Some((false, position));
                if one.marked.is_some() {
                    self.withdraw(id);
                }
                return;
            }
            state.anticipated.retain(|one| one.id != id);
            let comm = state.held.choose(&mut state.boxes, at, id.number, WorldRank(candidate as u32));
            self.complete(comm, Some(position));
            self.progress(at);
            return;
        }
        self.state.asked[rank] = None;
        let done = |state: &State, request: usize| state.ranks[rank].requests[request].done.is_some();
        match self.asked(event, &program) {
            Call::Wait { requests, index } => {
                let open: Vec<u64> = requests.iter().filter(|&&r| !done(&self.state, r)).map(|&r| r as u64).collect();
                self.state.late.watch_completions(id, position, &open);
                if open.iter().any(|&open| self.is_offered(rank, open)) {
                    self.state.late.could_have_come(id);
                }
                self.learn(rank, candidate as usize);
                self.state.ranks[rank].waited(&program, candidate as usize, index);
            }
            Call::Test { request, .. } => {
                if candidate != NO {
                    self.learn(rank, request);
                } else if !done(&self.state, request) {
                    self.state.late.watch_completions(id, position, &[request as u64]);
                    if self.is_offered(rank, request as u64) {
                        self.state.late.could_have_come(id);
                    }
                }
                self.state.ranks[rank].tested(&program, request, candidate != NO);
            }
            Call::Probe { pattern, .. } => {
                let senders = self.state.held.probe(&self.state.boxes, at, &pattern);
                self.state.late.watch_messages(id, position, pattern, &senders.available);
                if candidate == NO {
                    self.state.ranks[rank].probed(None, pattern);
                } else {
                    self.see(rank, pattern, WorldRank(candidate as u32));
                }
            }
            Call::Random(_) => self.state.ranks[rank].drew(candidate as u32),
            Call::Again(kept) => self.state.again(at, kept),
            call => unreachable!("{call:?} is no choice"),
        }
        self.state.histories[rank].insert(position);
    }

    fn tick(&self) -> Option<u32> {
        (self.recognises && self.program.buffering != Buffering::Each).then_some(self.state.tick)
    }

    fn arrived(&mut self, out: &mut Vec<Arrival>) {
        self.state.late.drain_arrived(out);
    }

    fn recall(
        &mut self,
        known: &mut PassedOn,
        causes: &Causes,
        below: &mut dyn Iterator<Item = Arriving>,
        out: &mut Vec<Arrival>,
    ) {
        let mut history = History::EMPTY;
        let state = &self.state;
        causes.ranks().for_each(|rank| history.join(known.of_rank(rank, || state.passed_on(rank.index()))));
        causes.carriers().for_each(|carrier| history.join(known.of_carrier(carrier, || state.carried(carrier))));
        for what in below {
            self.state.late.recall(what, &history);
            out.push(Arrival { what, ticks: history.ticks().clone() });
        }
    }

    fn late(&mut self, out: &mut Vec<ChoiceId>) {
        self.state.late.drain(out);
    }

    fn given(&mut self) -> Option<u128> {
        Some(Digest::of(&self.told()))
    }

    /// No choice of this model is offered as one that may make no difference.
    fn seen(&mut self, _out: &mut Vec<ChoiceId>) {}

    fn prospect(&self, _choices: &Choices) -> Prospect {
        if self.is_void() { Prospect::Void } else { Prospect::Open }
    }

    fn has_met(&self) -> bool {
        true
    }

    fn left_out(&self) -> bool {
        false
    }

    fn fingerprint(&mut self) -> Option<Configuration> {
        // What was taken by others meanwhile belongs to how the state was reached.
        let has_name = self.recognises && self.state.anticipated.iter().all(|one| one.behind.is_empty());
        has_name.then(|| Configuration(key(&self.state.without_history())))
    }

    fn influence(&self) -> Option<Influence> {
        let cancels = self.program.ranks.iter().flatten().any(|op| matches!(op, Op::Cancel(_)));
        (self.program.buffering != Buffering::Each && !cancels).then(|| self.state.influence.clone())
    }

    fn told(&self) -> Option<Told> {
        self.influence().map(|_| self.state.told.clone())
    }

    fn snapshot(&mut self) -> Option<State> {
        (self.snapshots != 0 && self.state.made.is_multiple_of(self.snapshots)).then(|| self.state.clone())
    }

    fn restore(&mut self, snapshot: &State) {
        self.state = snapshot.clone();
    }

    fn failed(&self) -> bool {
        self.state.ranks.iter().any(|rank| rank.failed.is_some())
    }
}
