//! From the program into an MPI call and back: state check, charging of computation.

use smpi_abi::{Callee, Function};
use smpi_base::{WorldRank, eprintln};
use smpi_mpi::usage::Origin;
use smpi_mpi::world::{Chooser, Clock, Driver, Notice};
use smpi_process as process;
use smpi_recording::Spot;
use smpi_runtime::failure::Cause;
use smpi_runtime::{MpiPhase, Runtime, blocking, current_rank, early, is_running, with, with_objects};
use smpi_watch::access;

use crate::{ending, recording, tool, user_threads};
use smpi_runtime::state::Doing;

/// Who makes an MPI call.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Caller {
    /// The program of a rank.
    Program,
    /// A function of the program (a reduction, a copy function) that was called from this MPI call.
    Callback(Callee),
    /// A thread that a rank started.
    Bystander,
}

/// What there is to do at the entry to an MPI function.
struct Entry {
    phase: MpiPhase,
    /// The call that has called the function which makes this one.
    outer: Option<Callee>,
    /// What the program has computed takes time.
    computes: bool,
    /// Others are shown which propositions are true.
    shows: bool,
    /// The caller is the function of a proposition.
    evaluates: bool,
    /// A recorder wants to know.
    records: bool,
    /// A rank that looks at memory of windows once more asks whether it goes on.
    looks: bool,
    /// Whoever goes through an execution step by step stops here.
    stops: bool,
}

#[inline(always)]
fn note_entry(runtime: &mut Runtime, rank: WorldRank, function: Function) -> Entry {
    let run = runtime.run(rank);
    let outer = run.doing.is_call().then_some(run.call);
    let is_programs = outer.is_none();
    let computes = is_programs && runtime.charge(rank);
    let (now, explores) = (runtime.driver.now(), runtime.driver.explores());
    let run = runtime.run(rank);
    run.call = Callee::Function(function);
    if is_programs {
        run.doing = Doing::Call;
        (run.entered, run.waited) = (now, 0);
        run.naps = None;
    } else {
        run.inner_calls += 1;
    }
    let (phase, evaluates) = (run.phase, run.doing == Doing::Proposition);
    let mut stops = false;
    if is_programs {
        runtime.driver.told(&runtime.world, Notice::Entered { rank, function });
        if runtime.run(rank).awaited_post.is_some() {
            early::entered(runtime, rank, function);
        }
        if let Some(trace) = &mut runtime.follows.trace {
            trace.entered(rank, runtime.world.posts().len());
        }
        if explores && !function.is_private() {
            runtime.world.show_locks(rank);
            if runtime.world.is_taped() {
                let site = process::site_of_call();
                stops = runtime.world.tape_call(rank, Origin { site, call: Callee::Function(function) });
            }
        }
    }
    Entry {
        phase,
        outer,
        computes,
        shows: is_programs && runtime.follows.shows_propositions,
        evaluates,
        records: is_programs && runtime.driver.recorder().is_some(),
        looks: is_programs && explores && function.looks_again(),
        stops,
    }
}

#[inline(never)]
pub(crate) fn enter(function: Function) -> Caller {
    if !process::is_rank() {
        if user_threads::may_ask(function) {
            return Caller::Bystander;
        }
        process::refuse_caller(function.name());
    }
    if !is_running() {
        return enter_without_runtime(function);
    }
    access::results::entered(function);
    access::entered(function);
    process::note_call(function.name());
    let rank = current_rank();
    let Entry { phase, outer, computes, shows, evaluates, records, looks, stops } =
        with(|runtime| note_entry(runtime, rank, function));
    if stops {
        blocking::stop_here();
    }
    if evaluates {
        refuse_evaluating(function);
    }
    if computes {
        // Others run meanwhile.
        let caller = process::take_caller();
        blocking::wait_for_computation();
        process::set_caller(caller);
        with(|runtime| {
            let now = runtime.driver.now();
            runtime.run(rank).entered = now;
        });
    }
    if records {
        record_entry(rank, function);
    }
    if shows {
        blocking::show_propositions();
    }
    if looks {
        blocking::look_again(0);
    }
    if phase != MpiPhase::Active {
        check_phase(function, phase);
    }
    outer.map_or(Caller::Program, Caller::Callback)
}

/// Tells the recorder of a simulation which call a rank has entered.
fn record_entry(rank: WorldRank, function: Function) {
    let [site, callers @ ..] = process::own_path();
    with(|runtime| {
        let now = runtime.driver.now().secs();
        let known = runtime.driver.recorder().and_then(|recorder| recorder.program_of(rank));
        let program = known.unwrap_or_else(|| runtime.range_of(rank).0);
        if let Some(recorder) = runtime.driver.recorder() {
            recorder.enter(rank, Spot { program, site, callers, function }, now);
        }
    });
}

/// A function that says whether a proposition is true has called MPI: nobody would be told of this call.
#[cold]
fn refuse_evaluating(function: Function) -> ! {
    let what = format!(
        "the function of a proposition calls {}; expected one that only looks at the rank's variables",
        function.name()
    );
    with(|runtime| runtime.trouble.misused_proposition = Some(what.clone()));
    ending::abort(1, &what)
}

/// Back in the program, or in the call that its function was called from: that one goes on as if nothing had been
/// between.
#[inline(never)]
pub(crate) fn leave(caller: Caller) {
    if caller == Caller::Bystander || !is_running() {
        return;
    }
    process::note_step();
    // Where a function waits that notes no call, nothing is known of it.
    process::forget_entry();
    let rank = current_rank();
    let is_observed = with(|runtime| {
        if let Caller::Callback(call) = caller {
            let run = runtime.run(rank);
            run.call = call;
            run.inner_calls -= 1;
            return false;
        }
        if runtime.follows.trace.is_some() {
            recording::left(runtime, rank);
        }
        let now = runtime.driver.now();
        let run = runtime.run(rank);
        run.doing = Doing::Program;
        run.communication = run.communication + (now - run.entered);
        let is_observed = run.is_observed;
        if let Some(recorder) = runtime.driver.recorder() {
            recorder.leave(rank, now.secs());
        }
        runtime.driver.burst_begins(rank);
        user_threads::note_left(rank, now.secs());
        is_observed
    });
    if is_observed {
        tool::tell_events();
    }
}

/// Runs an error handler of the program: outside of the call that failed, because the handler need not come back to it
/// (`longjmp`, a C++ exception).
pub fn outside<R>(handler: impl FnOnce() -> R) -> R {
    let rank = current_rank();
    let (call, doing) = with(|runtime| (runtime.run(rank).call, runtime.run(rank).doing));
    leave(Caller::Program);
    let outcome = handler();
    process::forget_entry();
    with(|runtime| runtime.run(rank).call = call);
    blocking::charge();
    with(|runtime| {
        let now = runtime.driver.now();
        let run = runtime.run(rank);
        run.doing = doing;
        run.entered = now;
    });
    outcome
}

/// A call in a process that `smpirun` did not start: the first one sets up the one-rank world.
#[cold]
fn enter_without_runtime(function: Function) -> Caller {
    if let Err(message) = smpi_runtime::setup::start_direct() {
        eprintln!("libsmpi: {message}");
        process::exit_now(smpi_base::exit::REFUSED);
    }
    enter(function)
}

#[cold]
fn check_phase(function: Function, phase: MpiPhase) {
    let starts = function.is_start();
    if function.is_always_allowed() || (starts && phase == MpiPhase::Before) {
        return;
    }
    // With a session, everything may be called that needs no `MPI_COMM_WORLD` (MPI 5.0 §11.3).
    let needs_world = starts || function == Function::Finalize;
    if !needs_world && with_objects(|objects| !objects.sessions.is_empty()) {
        return;
    }
    let problem = match phase {
        MpiPhase::Before => "called before MPI_Init or MPI_Session_init",
        _ if starts => "called after MPI_Finalize; MPI cannot be started twice",
        _ => "called after MPI_Finalize",
    };
    ending::abort_because(Cause::Misplaced(phase), 1, &format!("{function}: {problem}"));
}
