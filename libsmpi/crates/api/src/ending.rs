//! How a rank ends the run, for all that are connected with it.

use std::ffi::c_int;

use smpi_abi::Function;
use smpi_mpi::world::Driver;
use smpi_runtime::failure::Cause;
use smpi_runtime::{MpiPhase, current_rank, is_running, with};

/// Ends all ranks that are connected with the caller with this code, after saying why.
pub fn abort(code: c_int, message: &str) -> ! {
    abort_because(Cause::Abort, code, message)
}

/// As [`abort`], for any cause.
pub fn abort_because(cause: Cause, code: c_int, message: &str) -> ! {
    let rank = current_rank();
    if is_running() && with(|runtime| runtime.driver.explores()) {
        smpi_watch::failure::note(rank, cause, message);
        smpi_process::exit_now(code)
    }
    let place = smpi_process::own_place_in_words();
    smpi_process::print_error(&format!("smpirun: rank {rank}: {message}{place}\n"));
    if is_running() {
        with(|runtime| {
            runtime.run(rank).phase = MpiPhase::After;
            runtime.aborted.push((rank, code));
        });
    }
    smpi_process::exit_now(code)
}

/// Called for a function that has no implementation: ends the rank where paths are explored, and otherwise tells the
/// user, once for each function.
pub fn stop_or_note(function: Function) {
    let (is_new, explores) = with(|runtime| {
        let is_new = !runtime.unimplemented.contains(&function);
        if is_new {
            runtime.unimplemented.push(function);
        }
        (is_new, runtime.driver.explores())
    });
    let rank = current_rank();
    if explores {
        stop()
    }
    if is_new {
        let text = format!("smpirun: warning: rank {rank} called {function}, which libsmpi does not implement yet\n");
        smpi_process::print_error(&text);
    }
}

/// Ends the rank, so that nothing after this is explored.
pub fn stop() -> ! {
    with(|runtime| runtime.run(current_rank()).stopped = true);
    smpi_process::exit_now(0)
}
