//! How a rank ends the run, for all that are connected with it.

use std::ffi::c_int;

use smpi_mpi::world::Chooser;
use smpi_runtime::failure::Cause;
use smpi_runtime::state::Standing;
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
            runtime.trouble.aborted.push((rank, code));
        });
    }
    smpi_process::exit_now(code)
}

/// Ends the rank, so that nothing after this is explored.
pub fn stop() -> ! {
    with(|runtime| runtime.run(current_rank()).standing = Standing::Stopping);
    smpi_process::exit_now(0)
}
