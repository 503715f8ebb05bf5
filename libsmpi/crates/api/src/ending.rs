//! How a rank ends the whole run.

use std::ffi::c_int;

use smpi_mpi::world::Driver;
use smpi_runtime::failure::Cause;
use smpi_runtime::{MpiPhase, current_rank, is_running, with};

/// Ends the whole run with this code, after saying why.
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
    smpi_process::print_error(&format!("smpirun: rank {rank}: {message}\n"));
    if is_running() {
        with(|runtime| {
            runtime.run(rank).phase = MpiPhase::After;
            if runtime.aborted.is_none_or(|(first, _)| rank < first) {
                runtime.aborted = Some((rank, code));
            }
        });
    }
    smpi_process::exit_now(code)
}
