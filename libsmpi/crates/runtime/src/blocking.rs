//! How a rank waits. Everything here runs on the rank's stack and may suspend it; nothing of ours that needs dropping
//! lives across a suspension.

use std::rc::Rc;

use smpi_abi::Callee;
use smpi_base::{SimTime, WorldRank};
use smpi_mailbox::Pattern;
use smpi_mpi::error::Result;
use smpi_mpi::p2p::buffered::BufferOwner;
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::ports::NameCall;
use smpi_mpi::world::{Chooser, Clock, Driver, Notice};
pub use smpi_mpi::world::{Hints, HowMany, Picked, Poll, Probed as Found};

use smpi_process::{self as process, Naps};
use smpi_trace::{Action, Recorder};

use crate::below::Below;
use crate::global::{current_rank, is_recording, with};
use crate::jobs::{Spawn, Spawned};
use crate::state::{Doing, Proposition, Runtime, Standing, Waits};
use crate::{callbacks, event_loop};

/// Tells the recorder of a trace something about the calling rank, if there is one.
#[inline]
pub fn recording(tell: impl FnOnce(&mut Recorder, WorldRank)) {
    if is_recording() {
        tell_recorder(tell);
    }
}

#[cold]
#[inline(never)]
fn tell_recorder(tell: impl FnOnce(&mut Recorder, WorldRank)) {
    with(|runtime| {
        if let Some(trace) = &mut runtime.follows.trace {
            tell(trace, current_rank());
        }
    });
}

/// Writes an action of the calling rank to the trace, if there is one.
#[inline]
pub fn note(action: Action) {
    recording(|trace, rank| trace.note(rank, action));
}

/// Gives control to the other ranks until this one is woken, by what it waits for or by a signal: callers look again.
fn suspend(waits: Waits) {
    let rank = current_rank();
    with(|runtime| {
        let waits_at = match waits {
            _ if !runtime.driver.explores() => 0,
            // Not only functions of MPI wait for that.
            Waits::Time => process::own_site(),
            _ => process::site_of_call(),
        };
        let waits = if runtime.driver.is_asking(rank) { Waits::Answer } else { waits };
        let run = runtime.run(rank);
        run.waits_at = waits_at;
        run.waits_in = if waits == Waits::Time { Callee::Unknown } else { run.call };
        run.waits = waits;
        run.standing = Standing::Waiting;
        runtime.driver.burst_pauses(rank);
        if let Some(trace) = &mut runtime.follows.trace {
            trace.suspended(rank);
        }
    });
    if process::is_hosted() {
        process::suspend();
        with(|runtime| runtime.run(rank).standing = Standing::Ready);
        process::take_signals();
    } else {
        event_loop::run_until_ready(rank);
    }
    with(|runtime| {
        runtime.run(rank).waits = Waits::Time;
        runtime.driver.burst_goes_on(rank);
        if let Some(trace) = &mut runtime.follows.trace {
            trace.resumed(rank, runtime.world.posts().len());
        }
    });
}

/// Suspends the calling rank as often as it takes until there is an answer.
fn until<T>(waits: Waits, mut answer: impl FnMut(&mut Runtime, WorldRank) -> Option<T>) -> T {
    let rank = current_rank();
    let mut has_waited = 0;
    loop {
        let found = with(|runtime| {
            let answer = answer(runtime, rank)?;
            runtime.run(rank).waited += has_waited;
            Some(answer)
        });
        if let Some(answer) = found {
            return answer;
        }
        has_waited = 1;
        suspend(waits);
        run_user_reductions(rank);
    }
}

/// Starts something that takes simulated time for this rank, and waits for its end.
fn take_time(start: impl FnOnce(&mut Below, WorldRank)) {
    let rank = current_rank();
    // A handler of a signal that interrupts this may take time, too: then it is over when both are.
    let under_way = with(|runtime| {
        start(&mut runtime.driver, rank);
        let run = runtime.run(rank);
        run.under_way += 1;
        run.under_way
    });
    while with(|runtime| runtime.run(rank).under_way) >= under_way {
        suspend(Waits::Time);
    }
}

/// Lets simulated time pass for this rank.
pub fn delay(seconds: f64) {
    if seconds > 0.0 {
        take_time(|driver, rank| driver.start_delay(rank, SimTime(seconds)));
    }
}

/// A sleep that the program asked for. One of no time lets others go on, and takes as long as a look at the clock, so
/// that a loop of them ends. Where sleeping takes no time, a rank that does nothing else has to be noticed.
pub fn sleep(seconds: f64) {
    process::forget_entry();
    let rank = current_rank();
    if with(|runtime| runtime.driver.time_passes()) {
        if seconds <= 0.0 {
            tick();
            return;
        }
        note(Action::Sleep(seconds));
        let begin = with(|runtime| runtime.driver.now());
        delay(seconds);
        return with(|runtime| {
            let slept = runtime.driver.now() - begin;
            let run = runtime.run(rank);
            // A function of the program that an MPI call runs sleeps in that call's time.
            if !run.doing.is_call() {
                run.asleep = run.asleep + slept;
            }
        });
    }
    let awake = Naps::begin(with(|runtime| runtime.run(rank).naps));
    take_time(|driver, rank| driver.start_delay(rank, SimTime(seconds)));
    let naps = Naps::wake(awake);
    with(|runtime| runtime.run(rank).naps = Some(naps));
}

/// Simulated seconds that a clock of the system shows the rank. What it computed before is charged first, as on entry
/// to an MPI call, so that a program can time its own computation.
pub fn look_at_clock() -> f64 {
    let is_computing = with(|runtime| {
        let run = runtime.run(current_rank());
        let is_computing = !run.doing.is_call();
        if is_computing {
            run.waited = 0;
        }
        is_computing
    });
    if is_computing {
        charge();
    } else {
        // What was noted of the call around it has been noted of this one instead.
        process::forget_entry();
    }
    let seconds = tick();
    if is_computing {
        with(|runtime| runtime.driver.burst_begins(current_rank()));
    }
    process::forget_entry();
    seconds
}

/// Takes as long as a look at the clock, where anything takes time: what a loop is full of that waits for memory to
/// change.
pub fn look() {
    if with(|runtime| runtime.driver.time_passes()) {
        tick();
    }
}

/// Simulated seconds, after a look at the clock took its time, so that a loop on a clock ends.
pub fn tick() -> f64 {
    note(Action::Clock);
    delay(with(|runtime| runtime.driver.look_takes(current_rank())));
    until(Waits::Time, |runtime, rank| runtime.driver.look(&mut runtime.world, rank))
}

/// Spawns ranks, and waits until they are there.
pub fn spawn(wanted: Spawn) -> Spawned {
    with(|runtime| runtime.asked.to_spawn.push((current_rank(), wanted)));
    until(Waits::Time, |runtime, rank| runtime.run(rank).spawned.take())
}

/// Does something with a name of a port, after all ranks have that do so at this instant and come before this one.
///
/// # Errors
/// Those of [`smpi_mpi::ports::Ports::call`].
pub fn call_name(service: String, call: NameCall) -> Result<String> {
    with(|runtime| runtime.asked.name_calls.push((current_rank(), service, call)));
    until(Waits::Time, |runtime, rank| runtime.run(rank).named.take())
}

/// Lets this rank's host compute.
pub fn execute(flops: f64) {
    if flops > 0.0 {
        note(Action::Compute(vec![flops]));
        take_time(|driver, rank| driver.start_computation(rank, flops));
    }
}

/// Lets this rank's host do what the rank has computed until now.
pub fn charge() {
    if with(|runtime| runtime.charge(current_rank())) {
        suspend(Waits::Time);
    }
}

/// Waits for a computation that was started.
pub fn wait_for_computation() {
    suspend(Waits::Time);
}

/// A number of `MC_random`.
pub fn random(min: i64, max: i64) -> i64 {
    with(|runtime| runtime.run(current_rank()).waited = 0);
    until(Waits::Time, |runtime, rank| runtime.driver.random(&mut runtime.world, rank, min, max))
}

/// Lets others see what has changed of what the rank's program has said is to be observed, at the beginning of a call.
pub fn show_propositions() {
    let rank = current_rank();
    evaluate_propositions(rank);
    let is_news = with(|runtime| runtime.run(rank).propositions.iter().any(|one| one.is_true != one.is_shown));
    if !is_news {
        return;
    }
    until(Waits::Time, |runtime, rank| runtime.driver.show(&mut runtime.world, rank).then_some(()));
    with(|runtime| {
        let run = runtime.run(rank);
        let shown = |one: &Proposition| Proposition { is_shown: one.is_true, ..one.clone() };
        run.propositions = run.propositions.iter().map(shown).collect();
        // What the call waits for comes after this, and it has been told nothing.
        run.waited = 0;
    });
}

/// Lets a rank go on that looks at memory of windows once more: at the beginning of a call, or of an atomic operation
/// at this address.
pub fn look_again(at: u64) {
    let site = process::own_site().wrapping_add(at << 24);
    until(Waits::Time, |runtime, rank| runtime.driver.looks_again(&mut runtime.world, rank, site).then_some(()));
    // As above.
    with(|runtime| runtime.run(current_rank()).waited = 0);
}

/// Notes which propositions of the rank are true now. Nothing that needs dropping lives while a function of its program
/// runs, which may end the rank.
fn evaluate_propositions(rank: WorldRank) {
    let source = |index: usize| with(|runtime| runtime.run(rank).propositions.get(index).map(|one| one.source));
    let mut index = 0;
    while let Some(source) = source(index) {
        let before = with(|runtime| std::mem::replace(&mut runtime.run(rank).doing, Doing::Proposition));
        let is_true = source.now();
        with(|runtime| {
            let run = runtime.run(rank);
            run.doing = before;
            if run.propositions[index].is_true != is_true {
                // Copies of earlier states have the others.
                Rc::make_mut(&mut run.propositions)[index].is_true = is_true;
            }
        });
        index += 1;
    }
}

/// Lets all other ranks that are ready now run, without simulated time passing.
pub fn yield_now() {
    let rank = current_rank();
    with(|runtime| {
        runtime.run(rank).standing = Standing::Waiting;
        runtime.make_ready(rank);
    });
    suspend_ready();
}

/// Stops the calling rank, which stays ready, for somebody who looks at it where it is. It is put back to an earlier
/// state before it goes on.
#[cold]
pub fn stop_here() {
    if process::is_hosted() {
        process::suspend();
    }
}

/// Suspends a rank that is in the next batch already.
fn suspend_ready() {
    let rank = current_rank();
    if process::is_hosted() {
        process::suspend();
    } else {
        event_loop::run_until_ready(rank);
    }
}

/// Waits until all requests of `keys` are over.
///
/// The keys are walked again after every suspension: they come from the program's own array, not from a copy of ours.
pub fn wait_all(keys: impl Iterator<Item = RequestKey> + Clone) {
    run_user_reductions(current_rank());
    recording(|trace, rank| trace.waits_for_all(rank, keys.clone()));
    until(Waits::Requests, |runtime, rank| runtime.world.wait_all(rank, keys.clone()).then_some(()));
}

/// Waits until one request of `keys` is over, or none is active; says which the rank gets. The keys are walked as for
/// [`wait_all`].
pub fn wait_any(keys: impl Iterator<Item = RequestKey> + Clone, how_many: HowMany, mut hints: Hints) -> Picked {
    run_user_reductions(current_rank());
    until(Waits::Requests, |runtime, rank| {
        runtime.driver.wait_any(&mut runtime.world, rank, keys.clone(), how_many, &mut hints)
    })
}

/// Looks whether requests of `keys` are over; says which the rank gets. To be called between [`before_poll`] and
/// [`after_poll`].
pub fn test(keys: impl Iterator<Item = RequestKey> + Clone, how_many: HowMany, mut hints: Hints) -> Picked {
    run_user_reductions(current_rank());
    until(Waits::Requests, |runtime, rank| {
        runtime.driver.test(&mut runtime.world, rank, keys.clone(), how_many, &mut hints)
    })
}

/// Runs the reductions with the program's own functions that are due in this rank's collectives.
#[inline]
pub fn run_user_reductions(rank: WorldRank) {
    // A function that asks something itself is not called again meanwhile.
    let due = |runtime: &mut Runtime| match runtime.run(rank).doing {
        Doing::Reduction => None,
        _ => runtime.world.user_work(rank),
    };
    while let Some(work) = with(due) {
        let before = with(|runtime| std::mem::replace(&mut runtime.run(rank).doing, Doing::Reduction));
        let slot = callbacks::reduce(work);
        with(|runtime| {
            runtime.run(rank).doing = before;
            runtime.world.user_work_done(&mut runtime.driver, rank, slot);
        });
    }
}

/// Before a test looks at requests: lets the poll take its time, so that a rank that spins makes the clock advance,
/// and lets everybody's posts be committed.
pub fn before_poll(kind: Poll) {
    let rank = current_rank();
    run_user_reductions(rank);
    recording(|trace, rank| trace.polls(rank, kind == Poll::Probe));
    match with(|runtime| runtime.driver.poll_takes(rank, kind)) {
        Some(seconds) if seconds > 0.0 => delay(seconds),
        Some(_) => yield_now(),
        None => {}
    }
}

/// After a test: whether it found anything.
pub fn after_poll(found: bool) {
    recording(|trace, rank| trace.polled(rank, found));
    with(|runtime| runtime.driver.told(&runtime.world, Notice::Polled { rank: current_rank(), found }));
}

/// Looks for a message; with `block`, until there is one. `from` is the only rank that can send it.
///
/// # Errors
/// `MPI_ERR_PROC_ABORTED` when a blocking probe names a rank whose host has failed.
pub fn probe(pattern: Pattern, from: Option<WorldRank>, take: bool, block: bool) -> Result<Option<Found>> {
    let rank = current_rank();
    run_user_reductions(rank);
    with(|runtime| {
        runtime.world.note_probed(rank, from);
        runtime.world.post_probe(&mut runtime.driver, rank, pattern, take, block);
    });
    loop {
        suspend(Waits::Message);
        run_user_reductions(rank);
        if let Some(error) = with(|runtime| runtime.world.give_up_probe(rank)) {
            return Err(error);
        }
        if !with(|runtime| runtime.world.is_probing(&runtime.driver, rank)) {
            break;
        }
    }
    let probed = with(|runtime| {
        runtime.run(rank).waited += 1;
        runtime.world.take_probed(rank)
    });
    let message = probed.and_then(|probed| probed.message);
    recording(|trace, rank| trace.probed(rank, pattern, (take, block), probed.is_some(), message));
    Ok(probed)
}

/// Waits until no buffered message is in one of the rank's attached buffers.
pub fn drain_buffer(owner: BufferOwner) {
    run_user_reductions(current_rank());
    // Traces know of one buffer.
    if with(|runtime| runtime.world.rank(current_rank()).buffers.are_others_empty(owner)) {
        note(Action::Drain);
    }
    until(Waits::Buffer, |runtime, rank| runtime.world.wait_drained(rank, owner).then_some(()));
}
