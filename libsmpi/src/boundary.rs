//! The single entry of every MPI call: state check, charging of computation, error handler.
//!
//! A panic of ours never crosses into C: the library aborts on panic, and the hook in [`install_panic_hook`] first says
//! that it is our bug, and where the rank was.

use std::ffi::c_int;

use smpi_abi::{Callee, Function};
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::world::Driver;

use crate::abi::types::{MPI_Comm, MPI_File, MPI_Session, MPI_Win};
use crate::runtime::{MpiPhase, blocking, current_rank, is_running, try_with, with};
use crate::{access, bystanders, errors, process};

/// The object whose error handler is due when a call fails.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// The call's communicator.
    Comm(MPI_Comm),
    /// The call's window.
    Win(MPI_Win),
    /// The call's file.
    File(MPI_File),
    /// The call's session.
    Session(MPI_Session),
    /// None: `MPI_COMM_SELF`'s handler.
    None,
    /// The tool interface: the code is returned and no handler is called (MPI 5.0 §15.3.10).
    Tool,
}

impl Target {
    /// The handle value that a user's error handler is given.
    pub fn handle(self) -> u64 {
        match self {
            Target::Comm(comm) => comm as u64,
            Target::Win(win) => win as u64,
            Target::File(file) => file as u64,
            Target::Session(session) => session as u64,
            Target::None | Target::Tool => 0,
        }
    }
}

/// Runs an MPI function that returns an error code.
#[inline]
pub fn call(function: Function, target: Target, action: impl FnOnce() -> Result<()>) -> c_int {
    let caller = enter(function);
    let code = match action() {
        Ok(()) => 0,
        // Handlers are for ranks.
        Err(error) if caller == Caller::Bystander => error.class.0,
        Err(error) => errors::raise(function, target, error),
    };
    leave(caller);
    code
}

/// Runs an MPI function that returns a value.
#[inline]
pub fn call_value<T>(function: Function, action: impl FnOnce() -> T) -> T {
    if !is_running() {
        return action();
    }
    let caller = enter(function);
    let value = action();
    leave(caller);
    value
}

/// The answer of a function that does not exist yet: an error through the error handler, never an abort of ours.
pub fn unsupported(function: Function, target: Target) -> c_int {
    call(function, target, || {
        let text = "libsmpi does not implement this function yet; the program may well be right to call it";
        Err(MpiError::new(ErrorClass::UNSUPPORTED_OPERATION, text))
    })
}

/// Who makes an MPI call.
#[derive(Clone, Copy, PartialEq)]
enum Caller {
    /// The program of a rank.
    Program,
    /// A function of the program (a reduction, a copy function) that was called from this MPI call.
    Callback(Callee),
    /// A thread that a rank started.
    Bystander,
}

#[inline(never)]
fn enter(function: Function) -> Caller {
    if !process::is_rank() {
        if bystanders::may_ask(function) {
            return Caller::Bystander;
        }
        process::refuse_caller(function.name());
    }
    if !is_running() {
        return enter_without_runtime(function);
    }
    access::results::entered(function);
    access::entered(function);
    process::note_step();
    let rank = current_rank();
    let (phase, computes, outer) = with(|runtime| {
        let run = runtime.run(rank);
        let outer = run.in_call.then_some(run.call);
        let computes = outer.is_none() && runtime.charge(rank);
        let now = runtime.driver.now();
        let run = runtime.run(rank);
        run.call = Callee::Function(function);
        if outer.is_none() {
            run.in_call = true;
            run.entered = now;
            run.naps = None;
        }
        let phase = run.phase;
        if outer.is_none() {
            runtime.driver.entered(rank, function);
        }
        (phase, computes, outer)
    });
    if computes {
        blocking::wait_for_computation();
        with(|runtime| {
            let now = runtime.driver.now();
            runtime.run(rank).entered = now;
        });
    }
    if phase != MpiPhase::Active {
        check_phase(function, phase);
    }
    outer.map_or(Caller::Program, Caller::Callback)
}

/// Back in the program, or in the call that its function was called from: that one goes on as if nothing had been
/// between.
#[inline(never)]
fn leave(caller: Caller) {
    if caller == Caller::Bystander || !is_running() {
        return;
    }
    process::note_step();
    let rank = current_rank();
    with(|runtime| {
        if let Caller::Callback(call) = caller {
            runtime.run(rank).call = call;
            return;
        }
        let now = runtime.driver.now();
        let run = runtime.run(rank);
        run.in_call = false;
        run.communication = run.communication + (now - run.entered);
        runtime.driver.burst_begins(rank);
    });
}

/// Runs an error handler of the program: outside of the call that failed, because the handler need not come back to it
/// (`longjmp`, a C++ exception).
pub fn outside(handler: impl FnOnce()) {
    let rank = current_rank();
    let call = with(|runtime| runtime.run(rank).call);
    leave(Caller::Program);
    handler();
    with(|runtime| runtime.run(rank).call = call);
    blocking::charge();
    with(|runtime| {
        let now = runtime.driver.now();
        let run = runtime.run(rank);
        run.in_call = true;
        run.entered = now;
    });
}

/// A call in a process that `smpirun` did not start: the first one sets up the one-rank world.
#[cold]
fn enter_without_runtime(function: Function) -> Caller {
    if let Err(message) = crate::runtime::start_direct() {
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
    let problem = match phase {
        MpiPhase::Before => "called before MPI_Init",
        _ if starts => "called after MPI_Finalize; MPI cannot be started twice",
        _ => "called after MPI_Finalize",
    };
    errors::abort_because(errors::Cause::Misplaced(phase), 1, &format!("{function}: {problem}"));
}

/// Makes panics of ours tell where the simulation stood.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        let place = process::current_rank().map_or(String::new(), |rank| {
            let call = try_with(|runtime| runtime.run(rank).call).unwrap_or_default();
            if call.is_unknown() { format!("on rank {rank}; ") } else { format!("on rank {rank}, {call}; ") }
        });
        eprintln!("smpirun: internal bug: {info}\n  {place}please report it with the command line and the program");
        process::end_after_bug(&info.to_string());
    }));
}
