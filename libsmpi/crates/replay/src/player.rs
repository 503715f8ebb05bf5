//! One rank of a replay: how far it is in its trace, and what it does next.
//!
//! Every action is a list of steps, which are those that the call itself takes in `smpi-api`; a step that has to wait
//! is done again when the rank is woken. So the world and the driver see the same as in the recorded run.

use std::collections::VecDeque;

use smpi_abi::Function;
use smpi_base::{SimTime, WorldRank};
use smpi_mailbox::{CommId, Context, Pattern};
use smpi_mpi::collective::select::Operation;
use smpi_mpi::comm::{CommCore, SELF_CONTEXT, WORLD_CONTEXT};
use smpi_mpi::datatype::Basic;
use smpi_mpi::group::Group;
use smpi_mpi::memory::Addr;
use smpi_mpi::op::Predefined;
use smpi_mpi::p2p::buffered::Buffer;
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::p2p::request::{Body, Request, RequestKey, Send, SendRecv, Status};
use smpi_mpi::rma::{self, Awaited, Flavor, Held, Lock, Member, Until, Wait};
use smpi_mpi::usage::{Agreed, Call, Form};
use smpi_mpi::world::{Chooser, Clock, Driver, Hints, HowMany, Notice, Picked, Poll};
use smpi_recording::Spot;
use smpi_recording::places::CALLERS;
use smpi_runtime::Runtime;
use smpi_runtime::state::{Standing, Waits};
use smpi_trace::action::{PROC_NULL, Run, members};
use smpi_trace::parse::{Problem, Reader};
use smpi_trace::{Access, AccessKind, Action, Collective, Items, Message, Named, Probe, Settled, Start};

use crate::convert::{self, Comm, Types, comm_of, problem};

/// Bytes that an access to be swapped brings, at most.
const MOST_SWAPPED: u64 = 64;

/// One step of an action.
#[derive(Debug)]
enum Step {
    /// A call begins, or ends.
    Enter(Function),
    Leave,
    /// Time passes.
    Delay(f64),
    /// The rank computes, and its threads.
    Compute(Vec<f64>),
    /// Until what was begun is over: so many of the rank's delays are under way with it.
    Timed(u32),
    /// It looks at a clock.
    Look,
    /// A blocking send, which may need no request.
    Send(Box<Send>),
    /// A request is started.
    Start(RequestKey),
    /// All of these are waited for.
    Wait(Vec<RequestKey>),
    /// The completion is taken.
    Take(RequestKey),
    /// The rank is told of it, and does not take it.
    Show(RequestKey),
    /// A poll takes its time.
    Poll(Poll),
    /// The rank goes on with those that are ready.
    Yield,
    /// It has polled.
    Polled(bool),
    /// Tests a request, which is open still afterwards if it is not over.
    Test(RequestKey),
    /// A message is looked for; it is asked for, or waited for.
    Probe(Pattern, Option<WorldRank>, bool, bool),
    Probing(bool, bool),
    /// Until no buffered message is left.
    Drain,
    /// Until own accesses to a window, as this member, are over; and the rank knows it.
    Settle((Context, u32), Option<u32>, Settled),
    Heard((Context, Option<u32>), Settled),
}

/// A request that is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    number: u32,
    key: RequestKey,
    /// Sender, receiver and tag, where an action may name it by them.
    ends: Option<(i32, i32, i32)>,
}

/// What has become of a turn.
#[derive(Debug)]
pub enum Turn {
    /// The rank waits.
    Blocked,
    /// It has done all its steps.
    NeedsAction,
}

/// One rank.
#[derive(Debug)]
pub struct Player {
    rank: WorldRank,
    ranks: u32,
    steps: VecDeque<Step>,
    open: VecDeque<Open>,
    requests: u32,
    messages: u32,
    taken: Vec<(u32, Option<CommId>)>,
    comms: Vec<Comm>,
    default_size: u64,
}

impl Player {
    /// A rank before its first action.
    pub fn new(rank: WorldRank, ranks: u32) -> Player {
        let world = CommCore { context: WORLD_CONTEXT, group: Group::range(0, ranks), remote: None, rank: rank.0 };
        let own = CommCore { context: SELF_CONTEXT, group: Group::range(rank.0, 1), remote: None, rank: 0 };
        Player {
            rank,
            ranks,
            steps: VecDeque::new(),
            open: VecDeque::new(),
            requests: 0,
            messages: 0,
            taken: Vec::new(),
            comms: vec![Comm::new(own), Comm::new(world)],
            default_size: 1,
        }
    }

    /// What lines are read for.
    pub fn reader(&self) -> Reader {
        Reader { ranks: self.ranks, rank: self.rank.0, default_size: self.default_size }
    }

    /// It waits no longer.
    pub fn resume(&mut self, runtime: &mut Runtime) {
        runtime.run(self.rank).standing = Standing::Ready;
        runtime.driver.burst_goes_on(self.rank);
    }

    /// Goes on until it waits or needs its next action.
    pub fn turn(&mut self, runtime: &mut Runtime) -> Turn {
        while let Some(step) = self.steps.pop_front() {
            if let Some(waits) = self.step(runtime, step) {
                let run = runtime.run(self.rank);
                (run.waits, run.standing) = (waits, Standing::Waiting);
                runtime.driver.burst_pauses(self.rank);
                return Turn::Blocked;
            }
        }
        Turn::NeedsAction
    }

    /// Does a step; gives what the rank waits for where it cannot be done yet. Then it is there again.
    fn step(&mut self, runtime: &mut Runtime, step: Step) -> Option<Waits> {
        let rank = self.rank;
        let Runtime { world, driver, .. } = runtime;
        match step {
            Step::Enter(function) => self.enter(runtime, function),
            Step::Leave => self.leave(runtime),
            Step::Delay(secs) if secs > 0.0 => {
                driver.start_delay(rank, SimTime(secs));
                self.begin_timed(runtime);
            }
            Step::Delay(_) => {}
            Step::Compute(flops) => self.compute(runtime, &flops),
            Step::Timed(level) => {
                if runtime.run(rank).under_way >= level {
                    return self.again(Step::Timed(level), Waits::Time);
                }
            }
            Step::Look => {
                driver.look(world, rank);
            }
            Step::Send(send) => self.send(runtime, *send),
            Step::Start(key) => {
                // What fails is over; the recorded program was told so.
                if world.start(driver, rank, key).is_err() {
                    world.free_request(rank, key);
                }
            }
            Step::Wait(keys) => {
                self.reduce(runtime);
                if !runtime.world.wait_all(rank, keys.iter().copied()) {
                    return self.again(Step::Wait(keys), Waits::Requests);
                }
            }
            Step::Take(key) => self.take(runtime, key),
            Step::Show(key) => world.show(driver, rank, key),
            Step::Poll(kind) => {
                self.reduce(runtime);
                match runtime.driver.poll_takes(rank, kind) {
                    Some(secs) if secs > 0.0 => self.steps.push_front(Step::Delay(secs)),
                    Some(_) => self.steps.push_front(Step::Yield),
                    None => {}
                }
            }
            Step::Yield => {
                runtime.run(rank).standing = Standing::Waiting;
                runtime.make_ready(rank);
                return Some(Waits::Time);
            }
            Step::Polled(found) => driver.told(world, Notice::Polled { rank, found }),
            Step::Test(key) => self.test(runtime, key),
            Step::Probe(pattern, from, take, block) => {
                self.reduce(runtime);
                runtime.world.note_probed(rank, from);
                runtime.world.post_probe(&mut runtime.driver, rank, pattern, take, block);
                return self.again(Step::Probing(take, block), Waits::Message);
            }
            Step::Probing(take, block) => return self.probing(runtime, take, block),
            Step::Settle(place, target, until) => self.settle(runtime, place, target, until),
            Step::Heard(about, until) => world.heard(driver, rank, about, until_of(until)),
            Step::Drain => {
                self.reduce(runtime);
                if !runtime.world.wait_drained(rank, None) {
                    return self.again(Step::Drain, Waits::Buffer);
                }
            }
        }
        None
    }

    fn enter(&self, runtime: &mut Runtime, function: Function) {
        let now = runtime.driver.now();
        runtime.run(self.rank).entered = now;
        if let Some(recorder) = runtime.driver.recorder() {
            let spot = Spot { program: 0, site: 0, callers: [0; CALLERS], function };
            recorder.enter(self.rank, spot, now.secs());
        }
    }

    fn leave(&self, runtime: &mut Runtime) {
        let now = runtime.driver.now();
        let run = runtime.run(self.rank);
        run.communication = run.communication + (now - run.entered);
        if let Some(recorder) = runtime.driver.recorder() {
            recorder.leave(self.rank, now.secs());
        }
    }

    fn again(&mut self, step: Step, waits: Waits) -> Option<Waits> {
        self.steps.push_front(step);
        Some(waits)
    }

    /// Reductions with the program's functions cost nothing here, but they take place when the rank has its turn.
    fn reduce(&mut self, runtime: &mut Runtime) {
        let Runtime { world, driver, .. } = runtime;
        while let Some(work) = world.user_work(self.rank) {
            world.user_work_done(driver, self.rank, work.slot);
        }
    }

    /// Waits for what was begun.
    fn begin_timed(&mut self, runtime: &mut Runtime) {
        let run = runtime.run(self.rank);
        run.under_way += 1;
        let level = run.under_way;
        self.steps.push_front(Step::Timed(level));
    }

    fn compute(&mut self, runtime: &mut Runtime, flops: &[f64]) {
        let (own, beside) = (flops.first().copied().unwrap_or(0.0), flops.get(1..).unwrap_or_default());
        let begun = match &mut runtime.driver {
            smpi_runtime::below::Below::Simulation(driver) if !beside.is_empty() => {
                driver.start_computations(self.rank, own, beside)
            }
            driver => {
                if own > 0.0 {
                    driver.start_computation(self.rank, own);
                }
                own > 0.0
            }
        };
        if begun {
            self.begin_timed(runtime);
        }
    }

    /// A blocking send: without a request where it needs none.
    fn send(&mut self, runtime: &mut Runtime, send: Send) {
        let is_over = runtime.settings.mpi.send_overhead.is_free()
            && runtime.world.send_at_once(&mut runtime.driver, self.rank, &send);
        if !is_over && let Ok(key) = runtime.world.new_request(self.rank, Request::new(Body::Send(send), false, 0)) {
            let secs = runtime.send_secs(self.rank, key, false);
            let steps = [Step::Delay(secs), Step::Start(key), Step::Wait(vec![key]), Step::Take(key)];
            steps.into_iter().rev().for_each(|step| self.steps.push_front(step));
        }
    }

    fn take(&mut self, runtime: &mut Runtime, key: RequestKey) {
        let Some(completion) = runtime.world.take_completion(&mut runtime.driver, self.rank, key) else { return };
        if !completion.gone {
            runtime.world.free_request(self.rank, key);
        }
        if let Some(bytes) = completion.received {
            self.steps.push_front(Step::Delay(runtime.settings.mpi.receive_overhead.seconds(bytes)));
        }
    }

    /// SMPI's test: what is found is taken, so that a later wait for it has nothing to wait for.
    fn test(&mut self, runtime: &mut Runtime, key: RequestKey) {
        let Runtime { world, driver, .. } = runtime;
        let picked = driver.test(world, self.rank, std::iter::once(key), HowMany::All, &mut Hints::default());
        let found = picked.is_some_and(|picked| picked != Picked::Nothing);
        driver.told(world, Notice::Polled { rank: self.rank, found });
        if found {
            self.open.retain(|open| open.key != key);
            self.steps.push_front(Step::Take(key));
        }
    }

    fn probing(&mut self, runtime: &mut Runtime, take: bool, block: bool) -> Option<Waits> {
        self.reduce(runtime);
        if runtime.world.give_up_probe(self.rank).is_none() && runtime.world.is_probing(&runtime.driver, self.rank) {
            return self.again(Step::Probing(take, block), Waits::Message);
        }
        let probed = runtime.world.take_probed(self.rank);
        if take && let Some(probed) = probed {
            self.taken.push((self.messages, probed.message));
            self.messages += 1;
        }
        None
    }

    /// Puts the steps of an action into the queue.
    ///
    /// # Errors
    /// What is wrong with the action.
    pub fn begin(&mut self, runtime: &mut Runtime, types: &mut Types, action: Action) -> Result<(), Problem> {
        let Some(function) = convert::done_at_once(&action) else { return self.act(runtime, types, action) };
        self.enter(runtime, function);
        let outcome = self.act(runtime, types, action);
        self.leave(runtime);
        outcome
    }

    fn act(&mut self, runtime: &mut Runtime, types: &mut Types, action: Action) -> Result<(), Problem> {
        match action {
            Action::Init(size) => {
                self.default_size = size;
                self.call(Function::Init, [Step::Delay(runtime.settings.mpi.init_secs)]);
            }
            Action::Finalize if runtime.settings.mpi.barrier_in_finalize => {
                let barrier = Collective::new(Operation::Barrier.into(), WORLD_CONTEXT);
                self.collective(runtime, types, Some(Function::Finalize), &barrier)?;
            }
            Action::Finalize | Action::Nothing => {}
            Action::Compute(flops) => self.steps.push_back(Step::Compute(flops)),
            Action::Sleep(secs) => self.steps.push_back(Step::Delay(secs)),
            Action::Clock => {
                let secs = runtime.driver.look_takes(self.rank);
                self.steps.extend([Step::Delay(secs), Step::Look]);
            }
            Action::Message(start, context, message) => self.message(runtime, types, start, context, message)?,
            Action::Collective(call) => self.collective(runtime, types, None, &call)?,
            Action::WaitFor(from, to, tag) => {
                if let Some(Open { key, .. }) = self.named((from, to, tag)).and_then(|place| self.open.remove(place)) {
                    self.call(Function::Wait, [Step::Wait(vec![key]), Step::Take(key)]);
                }
            }
            Action::TestFor(from, to, tag) => {
                if let Some(place) = self.named((from, to, tag)) {
                    self.call(Function::Test, [Step::Poll(Poll::Test), Step::Test(self.open[place].key)]);
                }
            }
            Action::WaitOpen => {
                let keys = self.open.drain(..).map(|open| open.key).collect();
                self.wait_all(keys);
            }
            Action::Wait(number) => {
                let key = self.close(number)?;
                self.call(Function::Wait, [Step::Wait(vec![key]), Step::Take(key)]);
            }
            Action::WaitAll(numbers) => {
                let keys: Result<_, Problem> = numbers.into_iter().map(|number| self.close(number)).collect();
                self.wait_all(keys?);
            }
            Action::TestNothing(found) => self.steps.push_back(Step::Polled(found)),
            Action::Test(found) => self.call(Function::Test, [Step::Poll(Poll::Test), Step::Polled(found)]),
            Action::Free(number) => runtime.world.free_request(self.rank, self.close(number)?),
            Action::Cancel(number) => {
                runtime.world.post_cancel(&mut runtime.driver, self.rank, self.key(number)?);
            }
            Action::Show(number) => {
                let key = self.key(number)?;
                self.call(Function::Request_get_status, [Step::Wait(vec![key]), Step::Show(key)]);
            }
            Action::Probe(context, probe) => self.probe(context, probe)?,
            Action::Drain => self.call(Function::Buffer_flush, [Step::Drain]),
            Action::Comm(context, own, own_side, other) => self.comm(runtime, context, own, (&own_side, &other))?,
            Action::Window(window) => self.window(runtime, window)?,
            Action::Access(access) => self.access(runtime, types, access)?,
            Action::Settle(window, target, until) => self.settled(runtime, window, target, until)?,
            Action::Lock(start, window, target, exclusive) => {
                let lock = if exclusive { Lock::Exclusive } else { Lock::Shared };
                self.lock(runtime, start, (window, target), lock)?;
            }
            Action::Release(window, target) => {
                self.check_target(runtime, window, target)?;
                runtime.world.post_release(&mut runtime.driver, self.rank, window, target);
            }
            Action::Word(window, to, tag) => self.word(runtime, window, to, tag)?,
            Action::Missing(what) => return missing(&what),
        }
        Ok(())
    }

    /// A communicator from now on: its context, the own rank in it, who is on the own side, and on the other one.
    fn comm(
        &mut self,
        runtime: &mut Runtime,
        context: Context,
        own: u32,
        (own_side, other): (&[Run], &[Run]),
    ) -> Result<(), Problem> {
        let group = |runs: &[_]| {
            let ranks: Vec<u32> = members(runs).collect();
            let is_range = ranks.windows(2).all(|pair| pair[1] == pair[0] + 1);
            match ranks.first() {
                Some(first) if is_range => Group::range(*first, ranks.len() as u32),
                _ => Group::list(ranks),
            }
        };
        let core = CommCore {
            context,
            group: runtime.groups.share(group(own_side)),
            remote: (!other.is_empty()).then(|| group(other)),
            rank: own,
        };
        if core.group.world(own) != Some(self.rank) || !context.is_multiple_of(WORLD_CONTEXT) {
            return problem(
                format!("a communicator {context} with another rank as number {own}"),
                format!("one in which rank {} has this number, and a context that is a multiple of 5", self.rank.0),
            );
        }
        self.comms.push(Comm::new(core));
        Ok(())
    }

    /// What SMPI's `wait` and `test` name: the oldest open request between these ranks with this tag.
    fn named(&self, ends: (i32, i32, i32)) -> Option<usize> {
        self.open.iter().position(|open| open.ends == Some(ends))
    }

    fn settled(
        &mut self,
        runtime: &Runtime,
        window: Context,
        target: Option<u32>,
        until: Settled,
    ) -> Result<(), Problem> {
        let member = self.member(runtime, window)?;
        let function = if until == Settled::Local { Function::Win_flush_local } else { Function::Win_flush };
        self.call(function, [Step::Settle((window, member), target, until), Step::Heard((window, target), until)]);
        Ok(())
    }

    fn lock(&mut self, runtime: &mut Runtime, start: Start, place: (Context, u32), lock: Lock) -> Result<(), Problem> {
        let (window, target) = place;
        let (number, member) = (self.next_request(), self.member(runtime, window)?);
        self.check_target(runtime, window, target)?;
        let wait = Wait { window, member, target: Some(target), awaited: Awaited::Lock(lock) };
        let key = self.request(runtime, Body::Window(Box::new(wait)), false)?;
        self.launch(Function::Win_lock, (start, number), key, 0.0, None);
        Ok(())
    }

    fn word(&mut self, runtime: &mut Runtime, window: Context, to: u32, tag: i32) -> Result<(), Problem> {
        let member = self.member(runtime, window)?;
        let to = self.check_target(runtime, window, to)?;
        runtime.world.post_word(&mut runtime.driver, self.rank, to, (window, member, tag));
        Ok(())
    }

    /// The steps of a call.
    fn call(&mut self, function: Function, steps: impl IntoIterator<Item = Step>) {
        self.steps.push_back(Step::Enter(function));
        self.steps.extend(steps);
        self.steps.push_back(Step::Leave);
    }

    fn wait_all(&mut self, keys: Vec<RequestKey>) {
        let takes: Vec<Step> = keys.iter().map(|key| Step::Take(*key)).collect();
        self.call(Function::Waitall, std::iter::once(Step::Wait(keys)).chain(takes));
    }

    /// An open request, by its number.
    fn key(&self, number: u32) -> Result<RequestKey, Problem> {
        let place = self.open.binary_search_by_key(&number, |open| open.number);
        place.map_or_else(|_| unknown(number), |place| Ok(self.open[place].key))
    }

    /// A request that is open no longer, by its number.
    fn close(&mut self, number: u32) -> Result<RequestKey, Problem> {
        let place = self.open.binary_search_by_key(&number, |open| open.number);
        match place.ok().and_then(|place| self.open.remove(place)) {
            Some(open) => Ok(open.key),
            None => unknown(number),
        }
    }

    /// The number of the next request.
    fn next_request(&mut self) -> u32 {
        let number = self.requests;
        self.requests = self.requests.wrapping_add(1);
        number
    }

    /// The steps of a request that exists: waited for at once, or open from now on.
    fn launch(
        &mut self,
        function: Function,
        (start, number): (Start, u32),
        key: RequestKey,
        secs: f64,
        ends: Option<(i32, i32, i32)>,
    ) {
        let begin = [Step::Delay(secs), Step::Start(key)];
        if start == Start::Blocking {
            return self.call(function, begin.into_iter().chain([Step::Wait(vec![key]), Step::Take(key)]));
        }
        self.open.push_back(Open { number, key, ends });
        self.call(function, begin);
    }

    fn request(&self, runtime: &mut Runtime, body: Body, persistent: bool) -> Result<RequestKey, Problem> {
        let request = Request::new(body, persistent, 0);
        runtime.world.new_request(self.rank, request).or_else(|error| problem(error.message, "fewer open requests"))
    }

    fn message(
        &mut self,
        runtime: &mut Runtime,
        types: &mut Types,
        start: Start,
        context: Context,
        message: Message,
    ) -> Result<(), Problem> {
        let (number, own) = (self.next_request(), self.rank.0 as i32);
        let is_world = context == WORLD_CONTEXT;
        let function = convert::started(convert::function_of(&message), start);
        let body = match message {
            Message::Send { mode, to, tag, items } => {
                let send = convert::send(types, comm_of(&mut self.comms, context)?, context, (mode, to, tag, items))?;
                if mode == Named::Buffered {
                    // It is there already but for the first time.
                    let _ = runtime.world.rank(self.rank).buffers.attach(None, Buffer::Automatic);
                }
                if start == Start::Blocking {
                    self.call(function, [Step::Send(Box::new(send))]);
                    return Ok(());
                }
                let key = self.request(runtime, Body::Send(send), false)?;
                let secs = match start {
                    Start::Internal => 0.0,
                    _ => runtime.send_secs(self.rank, key, start == Start::Immediate),
                };
                self.launch(function, (start, number), key, secs, is_world.then_some((own, to, tag)));
                return Ok(());
            }
            Message::Recv { from, tag, items } => {
                let recv = convert::recv(types, comm_of(&mut self.comms, context)?, context, (from, tag, items))?;
                let key = self.request(runtime, Body::Recv(recv), false)?;
                self.launch(function, (start, number), key, 0.0, is_world.then_some((from, own, tag)));
                return Ok(());
            }
            Message::Both { send: (to, send_tag, sent), recv: (from, recv_tag, got) } => {
                let comm = comm_of(&mut self.comms, context)?;
                let send = convert::send(types, comm, context, (Named::Standard, to, send_tag, sent))?;
                let recv = convert::recv(types, comm, context, (from, recv_tag, got))?;
                debug_assert_eq!(send.mode, Mode::Standard);
                Body::SendRecv(Box::new(SendRecv { send, recv, open: 2, copy: None, replaces: false }))
            }
            Message::Matched { message, items } => {
                let place = self.taken.iter().position(|taken| taken.0 == message);
                match place.map(|place| self.taken.swap_remove(place).1) {
                    Some(Some(comm)) => Body::MatchedRecv(types.part(items)?, comm),
                    _ => return problem(format!("the message {message}"), "one that a probe of this rank took before"),
                }
            }
        };
        let key = self.request(runtime, body, false)?;
        let secs = runtime.send_secs(self.rank, key, true);
        self.launch(function, (start, number), key, secs, None);
        Ok(())
    }

    fn collective(
        &mut self,
        runtime: &mut Runtime,
        types: &mut Types,
        called: Option<Function>,
        call: &Collective,
    ) -> Result<(), Problem> {
        let function = called.unwrap_or_else(|| convert::started(convert::function(call.shape), call.start));
        let number = self.next_request();
        let comm = comm_of(&mut self.comms, call.comm)?;
        if comm.core.context != call.comm {
            return problem(format!("the context {}", call.comm), "that of a communicator");
        }
        let operands = convert::operands(types, comm, call)?;
        let which = call.number.unwrap_or(comm.calls);
        comm.calls = comm.calls.max(which.wrapping_add(1));
        let form = match call.start {
            Start::Blocking | Start::Internal => Form::Blocking,
            Start::Immediate => Form::Immediate,
            Start::Persistent => Form::Persistent,
        };
        let op = convert::op(call).map(|op| (op, 0));
        let name = convert::function(call.shape);
        let described = Call { name, form, op: op.map(|op| op.0), agreed: Agreed::default() };
        let tag = (which & i32::MAX as u32) as i32;
        let made = runtime.new_collective(
            self.rank,
            (comm.core.clone(), 0),
            (tag, comm.knows, &[]),
            (described, op),
            &operands,
        );
        let (key, finds_out) = made.or_else(|error| problem(error.message, "fewer open requests"))?;
        comm.knows |= finds_out;
        self.launch(function, (call.start, number), key, 0.0, None);
        if call.flops > 0.0 {
            self.steps.push_back(Step::Compute(vec![call.flops]));
        }
        Ok(())
    }

    /// The rank enters a window. It may access all of it from now on: the recorded program was told when it may not.
    fn window(&mut self, runtime: &mut Runtime, window: Context) -> Result<(), Problem> {
        let core = &comm_of(&mut self.comms, window)?.core;
        let (group, rank, member) = (core.group.clone(), self.rank, core.rank);
        if core.context != window || runtime.world.member(window, member).is_some() {
            return problem(format!("the window {window}"), "the context of a communicator that is no window yet");
        }
        runtime.world.enter_window(window, (&group, Flavor::Create), (rank, member), |number| {
            let mut member = Member::new(rank, Addr(1), u64::MAX >> 1, 1, number);
            let all = Held::new(Lock::Shared, true);
            let is_open = member.epochs.lock_all(all);
            debug_assert!(is_open.is_ok(), "the window is new");
            member
        });
        Ok(())
    }

    /// The own rank in a window.
    fn member(&mut self, runtime: &Runtime, window: Context) -> Result<u32, Problem> {
        let member = comm_of(&mut self.comms, window)?.core.rank;
        if runtime.world.member(window, member).is_some_and(|member| member.world == self.rank) {
            return Ok(member);
        }
        problem(format!("the window {window}"), "a window that a line \"window\" of this rank names before")
    }

    /// A rank of a window.
    fn check_target(&mut self, runtime: &Runtime, window: Context, target: u32) -> Result<WorldRank, Problem> {
        self.member(runtime, window)?;
        let found = runtime.world.window(window).and_then(|window| window.group.world(target));
        found.map_or_else(|| problem(format!("the rank {target}"), "a rank of the window"), Ok)
    }

    fn access(&mut self, runtime: &mut Runtime, types: &mut Types, access: Access) -> Result<(), Problem> {
        let Access { window, target, kind, there, brings, result, by_request } = access;
        let member = self.member(runtime, window)?;
        let part = |types: &mut Types, bytes: u64| types.part(Items { count: bytes as i64, size: 1 });
        let action = match kind {
            AccessKind::Put => rma::Action::Write,
            AccessKind::Get => rma::Action::Read,
            AccessKind::Combine => rma::Action::Combine(Predefined::BitOr, Basic::Byte),
            AccessKind::Fetch => rma::Action::Combine(Predefined::NoOp, Basic::Byte),
            AccessKind::Swap => rma::Action::Swap(Basic::Byte),
        };
        let bring = if kind == AccessKind::Swap { None } else { brings };
        let bring = bring.map(|bytes| part(types, bytes)).transpose()?;
        let result = result.map(|bytes| part(types, bytes)).transpose()?;
        let mut access = rma::Access::new(action, bring, result, part(types, there)?);
        if let Some(bytes) = brings.filter(|bytes| kind == AccessKind::Swap && *bytes <= MOST_SWAPPED) {
            access.data = Some(vec![0; bytes as usize]);
        }
        if by_request {
            let number = self.next_request();
            let to = u32::try_from(target).ok().map(|target| (window, target));
            let key = self.request(runtime, Body::Access(to), false)?;
            self.open.push_back(Open { number, key, ends: None });
            // It waits for the access.
            let _ = runtime.world.start(&mut runtime.driver, self.rank, key);
            access.request = Some(key);
        }
        if target == PROC_NULL {
            let done = access.request.map(|key| key.slot);
            done.into_iter().for_each(|slot| runtime.world.complete(&mut runtime.driver, self.rank, slot));
            return Ok(());
        }
        let target = u32::try_from(target).unwrap_or(u32::MAX);
        let to = self.check_target(runtime, window, target)?;
        if runtime.world.window(window).and_then(|window| window.member(target)).is_none() {
            return problem(
                format!("an access to rank {to}, which is not in the window yet"),
                "one after all have made it",
            );
        }
        (access.window, access.origin, access.target) = (window, member, target);
        let begun = runtime.world.start_access(&mut runtime.driver, self.rank, access);
        begun.or_else(|error| problem(error.message, "an access that the window allows"))
    }

    fn settle(&mut self, runtime: &mut Runtime, (window, member): (Context, u32), target: Option<u32>, until: Settled) {
        let until = until_of(until);
        if runtime.world.is_quiet(window, member, target, until) {
            return;
        }
        let wait = Wait { window, member, target, awaited: Awaited::Accesses { until, answers: 0 } };
        if let Ok(key) = self.request(runtime, Body::Window(Box::new(wait)), false) {
            let steps = [Step::Start(key), Step::Wait(vec![key]), Step::Take(key)];
            steps.into_iter().rev().for_each(|step| self.steps.push_front(step));
        }
    }

    fn probe(&mut self, context: Context, probe: Probe) -> Result<(), Problem> {
        let Probe { from, tag, take, found } = probe;
        let (source, sender, tag) = convert::pattern(comm_of(&mut self.comms, context)?, from, tag)?;
        if source == Status::PROC_NULL.source {
            return Ok(());
        }
        let pattern = Pattern { context, source: u32::try_from(source).ok(), tag: (tag >= 0).then_some(tag) };
        // What was found there is found here, maybe later.
        let block = found != Some(false);
        let steps = [Step::Probe(pattern, sender, take, block)];
        match found {
            None => self.call(if take { Function::Mprobe } else { Function::Probe }, steps),
            Some(found) => {
                let poll = std::iter::once(Step::Poll(Poll::Probe));
                let function = if take { Function::Improbe } else { Function::Iprobe };
                self.call(function, poll.chain(steps).chain([Step::Polled(found)]));
            }
        }
        Ok(())
    }
}

fn until_of(until: Settled) -> Until {
    match until {
        Settled::Local => Until::Local,
        Settled::Arrived => Until::Arrived,
        Settled::Known => Until::Acknowledged,
    }
}

fn missing<T>(what: &str) -> Result<T, Problem> {
    problem(
        format!("the call of {what}, which the trace does not hold"),
        "calls that docs/replay.md lists; run the program itself instead",
    )
}

fn unknown<T>(number: u32) -> Result<T, Problem> {
    problem(format!("the request {number}, which is not open"), "the number of an open request of this rank")
}
