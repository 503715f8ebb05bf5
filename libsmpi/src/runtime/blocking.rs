//! How a rank waits. Everything here runs on the rank's stack and may suspend it; nothing of ours that needs dropping
//! lives across a suspension.

use std::hash::{BuildHasher, Hash};

use smpi_base::map::FxBuildHasher;
use smpi_base::{SimTime, WorldRank};
use smpi_mailbox::Pattern;
use smpi_mpi::bsend::BufferOwner;
use smpi_mpi::choosing::Asked;
use smpi_mpi::polls::Polls;
use smpi_mpi::request::{Completion, RequestKey};
pub use smpi_mpi::world::Probed as Found;

use super::fabric::SimulatedFabric;
use super::state::Waits;
use super::{current_rank, event_loop, with};
use crate::process::{self, Naps};

/// Gives control to the other ranks until this one is woken, by what it waits for or by a signal: callers look again.
fn suspend(waits: Waits) {
    let rank = current_rank();
    with(|runtime| {
        let run = runtime.run(rank);
        run.waits = waits;
        run.ready = false;
        runtime.compute.stop(rank);
    });
    if process::is_hosted() {
        process::suspend();
        with(|runtime| {
            let run = runtime.run(rank);
            (run.ready, run.signalled) = (true, false);
        });
        process::take_signals();
    } else {
        event_loop::run_until_ready(rank);
    }
    with(|runtime| {
        runtime.run(rank).waits = Waits::Time;
        runtime.compute.go_on(rank);
    });
}

/// Starts something that takes simulated time for this rank, and waits for its end.
fn take_time(start: impl FnOnce(&mut SimulatedFabric, WorldRank)) {
    let rank = current_rank();
    // A handler of a signal that interrupts this may take time, too: then it is over when both are.
    let under_way = with(|runtime| {
        start(&mut runtime.fabric, rank);
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
        with(|runtime| {
            if runtime.verifying {
                runtime.run(current_rank()).clock.sleep(seconds);
            }
        });
        take_time(|fabric, rank| fabric.start_delay(rank, SimTime(seconds)));
    }
}

/// A sleep that the program asked for. Under the checker it takes no time, so a rank that does nothing else has to be
/// noticed.
pub fn sleep(seconds: f64) {
    if !is_verifying() {
        return delay(seconds);
    }
    let rank = current_rank();
    let awake = Naps::begin(with(|runtime| runtime.run(rank).naps));
    delay(seconds);
    let naps = Naps::wake(awake);
    with(|runtime| runtime.run(rank).naps = Some(naps));
}

/// Looks of a rank at the clock, in a row, that each take no longer than the first.
const SHORT_LOOKS: u32 = 1000;

/// Simulated seconds that a clock of the system shows the rank. What it computed before is charged first, as on entry
/// to an MPI call, so that a program can time its own computation.
pub fn look_at_clock() -> f64 {
    let rank = current_rank();
    let is_computing = with(|runtime| !runtime.run(rank).in_call);
    if is_computing && !is_verifying() {
        charge();
    }
    let seconds = tick();
    if is_computing {
        with(|runtime| runtime.compute.begin(rank));
    }
    seconds
}

/// Simulated seconds, after a look at the clock took `smpi/wtime`, so that a loop on a clock ends. After many looks
/// between which nothing else took time they take longer and longer: a loop that waits for a second makes some 10^5 of
/// them instead of 10^8.
pub fn tick() -> f64 {
    let rank = current_rank();
    if !is_verifying() {
        let seconds = with(|runtime| {
            let now = runtime.fabric.engine.now();
            let (unit, grows) = (runtime.settings.wtime_secs, runtime.settings.grow_polls);
            let run = runtime.run(rank);
            run.looks = if run.looked == now { run.looks.saturating_add(1) } else { 0 };
            unit * f64::from(1 + if grows { run.looks / SHORT_LOOKS } else { 0 })
        });
        delay(seconds);
        with(|runtime| {
            let now = runtime.fabric.engine.now();
            runtime.run(rank).looked = now;
        });
    }
    super::now()
}

/// Lets this rank's host compute.
pub fn execute(flops: f64) {
    if flops > 0.0 {
        take_time(|fabric, rank| fabric.start_computation(rank, flops));
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

/// Asks the checker and waits for its answer.
pub fn ask(asked: Asked) -> i64 {
    let rank = current_rank();
    run_user_reductions(rank);
    with(|runtime| runtime.world.ask(rank, asked));
    while with(|runtime| runtime.world.is_asking(rank)) {
        suspend(Waits::Choice);
        run_user_reductions(rank);
    }
    with(|runtime| runtime.world.take_answer(rank)).unwrap_or(0)
}

/// Whether the checker makes the choices.
pub fn is_verifying() -> bool {
    with(|runtime| runtime.verifying)
}

/// Counts a poll for the same thing, which `what` identifies; returns how many there were before it since the rank made
/// progress: a poll that found something, or a call that was no poll.
pub fn polls(what: impl Hash) -> Polls {
    let what = FxBuildHasher.hash_one(what);
    with(|runtime| {
        let changes = runtime.world.changes();
        let polled = &mut runtime.run(current_rank()).polled;
        let place = polled.iter().position(|entry| entry.0 == what).unwrap_or_else(|| {
            polled.push((what, Polls::none(changes)));
            polled.len() - 1
        });
        let before = polled[place].1;
        polled[place].1 = before.again(changes);
        before
    })
}

/// Lets all other ranks that are ready now run, without simulated time passing.
pub fn yield_now() {
    let rank = current_rank();
    with(|runtime| {
        runtime.run(rank).ready = false;
        runtime.make_ready(rank);
    });
    suspend_ready();
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

/// Waits until all requests of `keys` are over, or (not `all`) until one of them is, or none is active.
///
/// The keys are walked again after every suspension: they come from the program's own array, not from a copy of ours.
pub fn wait(keys: impl Iterator<Item = RequestKey> + Clone, all: bool) {
    let rank = current_rank();
    loop {
        run_user_reductions(rank);
        if with(|runtime| runtime.world.wait_begin(rank, keys.clone(), all)) {
            break;
        }
        suspend(Waits::Requests);
    }
    if !all {
        with(|runtime| runtime.world.wait_end(rank, keys));
    }
}

/// Runs the reductions with the program's own functions that are due in this rank's collectives.
pub fn run_user_reductions(rank: WorldRank) {
    while let Some(work) = with(|runtime| runtime.world.user_work(rank)) {
        let slot = crate::callbacks::reduce(work);
        with(|runtime| runtime.world.user_work_done(rank, slot));
    }
}

/// Waits for one request and takes its completion.
pub fn complete(key: RequestKey) -> Option<Completion> {
    let rank = current_rank();
    if !with(|runtime| runtime.world.is_done(rank, key)) {
        wait(std::iter::once(key), true);
    }
    let (completion, is_noted) = with(|runtime| (runtime.world.take_completion(rank, key), runtime.world.has_notes()));
    crate::access::release(key);
    if is_noted {
        crate::checks::place_notes(rank);
    }
    if let Some(bytes) = completion.as_ref().and_then(|completion| completion.received) {
        delay(with(|runtime| runtime.settings.receive_overhead.seconds(bytes)));
    }
    completion
}

/// Before a test looks at requests: lets the poll take its time, so that a rank that spins makes the clock advance,
/// and lets everybody's posts be committed.
pub fn before_poll(kind: Poll) {
    let rank = current_rank();
    run_user_reductions(rank);
    if is_verifying() {
        return;
    }
    let seconds = with(|runtime| {
        let polls = if runtime.settings.grow_polls { runtime.run(rank).polls } else { 0 };
        let unit = match kind {
            Poll::Test => runtime.settings.test_secs,
            Poll::Probe => runtime.settings.iprobe_secs,
        };
        unit * f64::from(polls + 1)
    });
    if seconds > 0.0 {
        delay(seconds);
    } else {
        yield_now();
    }
}

/// After a test: a poll that found nothing makes the next one take longer.
pub fn after_poll(found: bool) {
    with(|runtime| {
        let run = runtime.run(current_rank());
        run.polls = if found { 0 } else { run.polls.saturating_add(1) };
        if found {
            run.polled.clear();
            run.clock.progress();
        }
    });
}

/// What polls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poll {
    /// `MPI_Test` and its kin.
    Test,
    /// `MPI_Iprobe` and `MPI_Improbe`.
    Probe,
}

/// Looks for a message; with `block`, until there is one.
pub fn probe(pattern: Pattern, take: bool, block: bool) -> Option<Found> {
    let rank = current_rank();
    let polls = if is_verifying() && !block { polls((pattern, take)) } else { Polls::default() };
    run_user_reductions(rank);
    with(|runtime| runtime.world.post_probe(rank, pattern, take, block, polls));
    loop {
        suspend(Waits::Message);
        run_user_reductions(rank);
        if !with(|runtime| runtime.world.is_probing(rank)) {
            break;
        }
    }
    with(|runtime| runtime.world.take_probed(rank))
}

/// Waits until no buffered message is in one of the rank's attached buffers.
pub fn drain_buffer(owner: BufferOwner) {
    let rank = current_rank();
    loop {
        run_user_reductions(rank);
        if with(|runtime| runtime.world.wait_drained(rank, owner)) {
            break;
        }
        suspend(Waits::Buffer);
    }
}
