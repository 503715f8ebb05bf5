//! Small MPI-like programs, and ranks that run them call by call. Who may match whom is the worlds' business.

use std::hash::{Hash, Hasher};

use smpi_checker::history::History;
use smpi_mailbox::Pattern;

/// Mode of a send.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    Standard,
    Synchronous,
    Buffered,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Send {
        to: u32,
        context: u32,
        tag: i32,
        mode: Mode,
    },
    Isend {
        to: u32,
        context: u32,
        tag: i32,
        mode: Mode,
    },
    Recv(Pattern),
    Irecv(Pattern),
    /// Of the n-th nonblocking operation; nothing when it is over or was never started.
    Wait(usize),
    Test(usize),
    /// `while (!flag) MPI_Test(...)`.
    Poll(usize),
    /// Over all nonblocking operations that are not over.
    Waitany,
    Waitall,
    Probe(Pattern),
    Iprobe(Pattern),
    /// A receive of exactly the message that the last successful probe saw.
    RecvProbed,
    Barrier(u32),
    /// The last observation must not be this value.
    AssertNot(u32),
    /// Skips the next operation when the last observation is odd.
    SkipIfOdd,
    /// Does the next two operations in the other order when the last observation is odd.
    SwapIfOdd,
    /// `MC_random(0, n - 1)`.
    Random(u32),
    /// Of the n-th nonblocking operation; nothing when its rank has seen that it is over, or it was never started.
    Cancel(usize),
    /// Once all that the rank has started is over: it begins anew, and remembers that many of its last observations.
    /// Nothing if it has started nothing.
    Again(usize),
    /// The rank is through if the last observation is this value.
    EndIf(u32),
}

/// What standard-mode sends do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffering {
    /// They wait for their receive.
    Zero,
    /// They never wait.
    Infinite,
    /// Each waits or not, for itself.
    Each,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub ranks: Vec<Vec<Op>>,
    /// Members of the communicator with context 1; context 0 is the world. Ranks keep their numbers.
    pub members: Vec<bool>,
    pub buffering: Buffering,
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let any = |n: Option<u32>| n.map_or("*".to_owned(), |n| n.to_string());
        let pattern = |p: &Pattern| format!("({},{},{})", p.context, any(p.source), any(p.tag.map(|tag| tag as u32)));
        writeln!(f, "buffering {:?} members {:?}", self.buffering, self.members)?;
        for (rank, code) in self.ranks.iter().enumerate() {
            write!(f, "{rank}:")?;
            for op in code {
                match op {
                    Op::Send { to, context, tag, mode } => write!(f, " send{mode:.1?}(c{context} to {to} tag {tag})")?,
                    Op::Isend { to, context, tag, mode } => {
                        write!(f, " isend{mode:.1?}(c{context} to {to} tag {tag})")?;
                    }
                    Op::Recv(p) => write!(f, " recv{}", pattern(p))?,
                    Op::Irecv(p) => write!(f, " irecv{}", pattern(p))?,
                    Op::Probe(p) => write!(f, " probe{}", pattern(p))?,
                    Op::Iprobe(p) => write!(f, " iprobe{}", pattern(p))?,
                    other => write!(f, " {other:?}")?,
                }
                write!(f, ";")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Program {
    /// All programs with one operation less.
    pub fn smaller(&self) -> impl Iterator<Item = Program> {
        let places = self.ranks.iter().enumerate().flat_map(|(rank, code)| (0..code.len()).map(move |at| (rank, at)));
        places.map(|(rank, at)| {
            let mut program = self.clone();
            program.ranks[rank].remove(at);
            program
        })
    }

    /// Whether a rank cancels its n-th nonblocking operation.
    pub fn cancels(&self, rank: u32, n: usize) -> bool {
        self.ranks[rank as usize].contains(&Op::Cancel(n))
    }

    /// Whether a send of this mode may wait for its receive.
    fn holds(&self, mode: Mode) -> bool {
        match mode {
            Mode::Standard => self.buffering != Buffering::Infinite,
            Mode::Synchronous => true,
            Mode::Buffered => false,
        }
    }

    pub fn is_member(&self, context: u32, rank: usize) -> bool {
        context == 0 || self.members[rank]
    }
}

/// What a rank asks for next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Call {
    /// Posts the request `requests.len()`; it is complete at once unless `holds`. `either`: it may be complete at once.
    Send {
        to: u32,
        context: u32,
        tag: i32,
        value: u32,
        holds: bool,
        either: bool,
    },
    Recv(Pattern),
    /// Waits for one of these requests and sees its completion; `index` says whether which one is an observation.
    Wait {
        requests: Vec<usize>,
        index: bool,
    },
    /// `fair`: asked before without any other call in between; it waits for a yes unless nothing else can move.
    Test {
        request: usize,
        fair: bool,
    },
    /// `blocking`: a Probe, or an Iprobe that was answered no before.
    Probe {
        pattern: Pattern,
        blocking: bool,
        may_say_no: bool,
    },
    Barrier(u32),
    /// In a barrier, until all members have arrived as often as this rank has.
    InBarrier(u32),
    Random(u32),
    Cancel(usize),
    /// Begins anew, with that many of its observations.
    Again(usize),
    Exit,
}

#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Request {
    /// Source, tag and value of a finished receive, zeros of a send.
    pub done: Option<[u32; 3]>,
    /// The rank has seen that it is over.
    pub seen: bool,
    /// A nonblocking operation of the program, which Wait and so on may name.
    pub named: bool,
    pub is_send: bool,
    /// It is over and did not take place.
    pub cancelled: bool,
    /// When it is done: what that depends on. Only the choosing world looks at it.
    pub history: History,
}

/// Answers "no" that a polling rank may get after nothing else can move.
const FORCED: u8 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Polled {
    Request(usize),
    Messages(Pattern),
}

/// What a rank has told, which belongs to no state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Told(pub Vec<u32>);

impl Hash for Told {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rank {
    pub number: u32,
    pub pc: usize,
    /// The first of two operations whose order is the other one.
    swapped: Option<usize>,
    /// Part of a blocking operation: its request has been posted.
    pub posted: bool,
    pub requests: Vec<Request>,
    pub observed: Vec<u32>,
    /// What it had observed before it forgot it.
    pub told: Told,
    /// Receivers and tags of its sends.
    sent: Vec<(u32, i32)>,
    /// The poll that was answered no last, with no other call since.
    polled: Option<Polled>,
    forced: u8,
    pub failed: Option<&'static str>,
    probed: Option<Pattern>,
    /// Messages that it has probed, as patterns, and that no receive of its can have taken since.
    found: Vec<Pattern>,
}

impl Rank {
    pub fn new(number: u32) -> Rank {
        Rank {
            number,
            pc: 0,
            swapped: None,
            posted: false,
            requests: Vec::new(),
            observed: Vec::new(),
            told: Told::default(),
            sent: Vec::new(),
            polled: None,
            forced: 0,
            failed: None,
            probed: None,
            found: Vec::new(),
        }
    }

    fn named(&self, n: usize) -> Option<usize> {
        let nth = self.requests.iter().enumerate().filter(|(_, request)| request.named).nth(n);
        nth.filter(|(_, request)| !request.seen).map(|(at, _)| at)
    }

    fn unseen(&self) -> Vec<usize> {
        (0..self.requests.len()).filter(|&at| self.requests[at].named && !self.requests[at].seen).collect()
    }

    fn is_odd(&self) -> bool {
        self.observed.last().is_some_and(|last| last % 2 == 1)
    }

    /// Where the operation stands that is next.
    fn place(&self, program: &Program) -> usize {
        let end = program.ranks[self.number as usize].len();
        match self.swapped {
            Some(first) if first == self.pc && first + 1 < end => first + 1,
            Some(first) if first + 1 == self.pc => first,
            _ => self.pc,
        }
    }

    /// Goes over local operations and says what comes next.
    pub fn call(&mut self, program: &Program) -> Call {
        loop {
            let place = self.place(program);
            let next = program.ranks[self.number as usize].get(place).filter(|_| self.failed.is_none());
            let Some(&op) = next else { return Call::Exit };
            let value = 16 * self.number + place as u32;
            let last = self.requests.len().wrapping_sub(1);
            match op {
                Op::Send { .. } | Op::Recv(_) | Op::RecvProbed if self.posted => {
                    return Call::Wait { requests: vec![last], index: false };
                }
                Op::Send { to, context, tag, mode } | Op::Isend { to, context, tag, mode } => {
                    let either = mode == Mode::Standard && program.buffering == Buffering::Each;
                    return Call::Send { to, context, tag, value, holds: program.holds(mode), either };
                }
                Op::Recv(pattern) | Op::Irecv(pattern) => return Call::Recv(pattern),
                Op::RecvProbed => {
                    if let Some(pattern) = self.probed {
                        return Call::Recv(pattern);
                    }
                }
                Op::Wait(n) => {
                    if let Some(request) = self.named(n) {
                        return Call::Wait { requests: vec![request], index: false };
                    }
                }
                Op::Test(n) | Op::Poll(n) => {
                    if let Some(request) = self.named(n) {
                        return Call::Test { request, fair: self.polled == Some(Polled::Request(request)) };
                    }
                }
                Op::Waitany => {
                    let requests = self.unseen();
                    if !requests.is_empty() {
                        return Call::Wait { requests, index: true };
                    }
                }
                Op::Waitall => {
                    if let Some(&first) = self.unseen().first() {
                        return Call::Wait { requests: vec![first], index: false };
                    }
                }
                Op::Probe(pattern) => return Call::Probe { pattern, blocking: true, may_say_no: false },
                Op::Iprobe(pattern) => {
                    let is_found = self.found.iter().any(|found| accepts(&pattern, found));
                    let blocking = is_found || self.polled == Some(Polled::Messages(pattern));
                    return Call::Probe { pattern, blocking, may_say_no: true };
                }
                Op::Barrier(context) => {
                    if self.posted {
                        return Call::InBarrier(context);
                    }
                    if program.is_member(context, self.number as usize) {
                        return Call::Barrier(context);
                    }
                }
                Op::AssertNot(value) if self.observed.last() == Some(&value) => {
                    self.failed = Some("assertion");
                    return Call::Exit;
                }
                Op::EndIf(value) if self.observed.last() == Some(&value) => {
                    (self.pc, self.swapped) = (usize::MAX, None);
                    return Call::Exit;
                }
                Op::SkipIfOdd => self.pc += usize::from(self.is_odd()),
                Op::SwapIfOdd if self.is_odd() => self.swapped = Some(self.pc + 1),
                Op::Random(n) => return Call::Random(n),
                Op::Cancel(n) => {
                    if let Some(request) = self.named(n) {
                        return Call::Cancel(request);
                    }
                }
                Op::Again(kept) if self.is_lap_over() => return Call::Again(kept),
                Op::Again(_) | Op::AssertNot(_) | Op::EndIf(_) | Op::SwapIfOdd => {}
            }
            self.pc += 1;
        }
    }

    fn op(&self, program: &Program) -> Op {
        program.ranks[self.number as usize][self.place(program)]
    }

    fn over(&mut self) {
        self.pc += 1;
        self.posted = false;
    }

    /// A send or receive was posted: its request is the last one now.
    pub fn posted(&mut self, program: &Program, done: bool, history: &History) {
        let op = self.op(program);
        let named = matches!(op, Op::Isend { .. } | Op::Irecv(_));
        let is_send = matches!(op, Op::Isend { .. } | Op::Send { .. });
        if let Op::Isend { to, tag, .. } | Op::Send { to, tag, .. } = op {
            self.sent.push((to, tag));
        }
        let done = done.then_some([0; 3]);
        let history = history.clone();
        self.requests.push(Request { done, seen: false, named, is_send, cancelled: false, history });
        self.polled = None;
        let pattern = match op {
            Op::Recv(pattern) | Op::Irecv(pattern) => Some(pattern),
            Op::RecvProbed => self.probed.take(),
            _ => None,
        };
        if let Some(pattern) = pattern {
            self.found.retain(|found| !accepts(&pattern, found));
        }
        if named { self.over() } else { self.posted = true }
    }

    fn see(&mut self, request: usize) {
        self.requests[request].seen = true;
        if self.requests[request].cancelled {
            self.observed.push(400);
        } else if !self.requests[request].is_send {
            self.observed.extend(self.requests[request].done.expect("it is over"));
        }
    }

    /// Waited, and this request is over.
    pub fn waited(&mut self, program: &Program, request: usize, index: bool) {
        if index {
            self.observed.push(100 + request as u32);
        }
        self.see(request);
        self.polled = None;
        if !matches!(self.op(program), Op::Waitall) {
            self.over();
        }
    }

    /// Tested.
    pub fn tested(&mut self, program: &Program, request: usize, yes: bool) {
        let polls = matches!(self.op(program), Op::Poll(_));
        if yes {
            self.observed.push(201);
            self.see(request);
            self.polled = None;
        } else {
            // The number of failed polls is not an observation of Poll: the loop ignores it.
            if !polls {
                self.observed.push(200);
            }
            self.polled = Some(Polled::Request(request));
        }
        if yes || !polls {
            self.over();
        }
    }

    /// Probed, and saw this source and tag, or nothing.
    pub fn probed(&mut self, seen: Option<(u32, i32)>, pattern: Pattern) {
        match seen {
            Some((source, tag)) => {
                self.observed.extend([301, source, tag as u32]);
                let found = Pattern { context: pattern.context, source: Some(source), tag: Some(tag) };
                self.probed = Some(found);
                self.found.retain(|other| *other != found);
                self.found.push(found);
                self.polled = None;
            }
            None => {
                self.observed.push(300);
                self.polled = Some(Polled::Messages(pattern));
            }
        }
        self.over();
    }

    /// Nothing else can move: a poll that waits is answered no.
    pub fn force(&mut self, program: &Program) {
        self.forced += 1;
        if self.forced > FORCED {
            self.failed = Some("non-termination");
            return;
        }
        match self.call(program) {
            Call::Test { request, fair: true } => self.tested(program, request, false),
            Call::Probe { blocking: true, may_say_no: true, pattern } => self.probed(None, pattern),
            _ => {}
        }
    }

    /// True when the rank waits in a poll that could be answered no.
    pub fn polls(&mut self, program: &Program) -> bool {
        matches!(
            self.call(program),
            Call::Test { fair: true, .. } | Call::Probe { blocking: true, may_say_no: true, .. }
        )
    }

    pub fn in_barrier(&mut self) {
        self.posted = true;
        self.polled = None;
    }

    pub fn left_barrier(&mut self) {
        self.over();
    }

    /// Asked for the cancellation of something.
    pub fn asked_to_cancel(&mut self) {
        self.polled = None;
        self.over();
    }

    /// Whether the operation that comes next, if it starts a request, is cancelled later.
    pub fn may_cancel(&self, program: &Program) -> bool {
        let named = self.requests.iter().filter(|request| request.named).count();
        matches!(self.op(program), Op::Isend { .. } | Op::Irecv(_)) && program.cancels(self.number, named)
    }

    pub fn drew(&mut self, value: u32) {
        self.observed.push(value);
        self.polled = None;
        self.over();
    }

    /// It has started something since it began, and all of that is over.
    fn is_lap_over(&self) -> bool {
        !self.requests.is_empty() && self.requests.iter().all(|request| request.seen)
    }

    /// Begins anew.
    pub fn again(&mut self, kept: usize) {
        self.told.0.extend(self.observed.drain(..self.observed.len().saturating_sub(kept)));
        self.requests.clear();
        self.sent.clear();
        (self.pc, self.swapped, self.polled) = (0, None, None);
    }

    /// Grows with everything that the rank does.
    pub fn progress(&self) -> u32 {
        let counts = self.pc + usize::from(self.posted) + self.requests.len() + self.observed.len();
        counts as u32 + u32::from(self.forced)
    }

    /// What it has sent; and of what it has received, in the order of posting, the senders and tags that it was told:
    /// nothing of a receive that was cancelled or whose end it has not seen.
    pub fn communications(&self) -> Communications {
        let told = |receive: &Request| {
            let done = receive.done.filter(|_| receive.seen && !receive.cancelled);
            done.map(|[source, tag, _]| (source, tag))
        };
        (self.sent.clone(), self.requests.iter().filter(|request| !request.is_send).map(told).collect())
    }

    /// The same without what is no part of its state.
    pub fn without_histories(&self) -> Rank {
        let mut rank = self.clone();
        rank.requests.iter_mut().for_each(|request| request.history = History::EMPTY);
        rank
    }

    /// How it has failed, if it has.
    pub fn failure(&self) -> Option<Failure> {
        self.failed.map(|failed| (self.number, self.pc, self.observed.clone(), failed))
    }

    /// What this rank contributes to a final state.
    pub fn outcome(&self) -> (usize, Vec<u32>, Option<&'static str>) {
        (self.pc, self.observed.clone(), self.failed)
    }
}

/// What a rank sends and receives.
pub type Communications = (Vec<(u32, i32)>, Vec<Option<(u32, u32)>>);

/// Whether a pattern accepts a message that is given as the pattern of its envelope.
fn accepts(pattern: &Pattern, message: &Pattern) -> bool {
    pattern.context == message.context
        && (pattern.source.is_none() || pattern.source == message.source)
        && (pattern.tag.is_none() || pattern.tag == message.tag)
}

/// How a rank has failed: its number, where, what it had observed, and the failure.
pub type Failure = (u32, usize, Vec<u32>, &'static str);

/// The final state of all ranks.
pub type Outcome = Vec<(usize, Vec<u32>, Option<&'static str>)>;

/// Barriers: how often each rank has arrived, by context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Barriers([Vec<u32>; 2]);

/// What matters is who is ahead of whom.
impl Hash for Barriers {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for arrived in &self.0 {
            let least = arrived.iter().copied().filter(|&count| count > 0).min().unwrap_or(1);
            arrived.iter().for_each(|count| (count + 1).saturating_sub(least).hash(state));
        }
    }
}

impl Barriers {
    pub fn new(ranks: usize) -> Barriers {
        Barriers([vec![0; ranks], vec![0; ranks]])
    }

    pub fn arrive(&mut self, context: u32, rank: usize) {
        self.0[context as usize][rank] += 1;
    }

    pub fn is_open(&self, program: &Program, context: u32, rank: usize) -> bool {
        let arrived = &self.0[context as usize];
        (0..arrived.len()).all(|other| !program.is_member(context, other) || arrived[other] >= arrived[rank])
    }

    pub fn count(&self, context: u32, rank: usize) -> u32 {
        self.0[context as usize][rank]
    }
}
