//! What ranks ask for and cannot have, because they are one process, or under the checker: the run ends with a message.

use super::{crash, places};
use crate::streams::output::{self, end_process};
use crate::{running, state, verification};
use smpi_base::eprintln;

/// Ends a verification because a rank does what a checker cannot take back. Nothing when this is no verification.
pub fn refuse_in_verification(what: &str) {
    if !verification::is_on() {
        return;
    }
    let Some(record) = state::caller() else { return };
    let place = places::in_words(record);
    eprintln!(
        "smpirun: error: rank {}: {what}{place}: --verify puts ranks back to earlier states, which is not possible for this; \
         run the program without --verify, or build it without",
        record.rank
    );
    end_process(smpi_base::exit::REFUSED)
}

/// Ends the run because a rank wants another program in the place of its process, which is that of all ranks. Nothing
/// in a child of `fork`.
pub fn refuse_exec(function: &str) {
    let Some(record) = state::caller() else { return };
    let place = places::in_words(record);
    output::flush();
    eprintln!(
        "smpirun: error: rank {}: {function}(){place} would replace all ranks, which are one process here; \
         give smpirun the program itself, or call {function} in a child of fork()",
        record.rank
    );
    end_process(smpi_base::exit::REFUSED)
}

/// Ends the process because the caller must not call MPI: another thread than the rank's own, or a child of `fork`.
#[cold]
pub fn refuse_caller(function: &str) -> ! {
    if running::is_child() {
        eprintln!(
            "smpirun: error: {function}: called in a child of fork(), which is no rank of the simulation; \
             start another program there (exec) or leave with _exit()"
        );
        // SAFETY: ends the child only.
        unsafe { libc::_exit(smpi_base::exit::REFUSED) }
    }
    refuse_foreign(function)
}

/// Ends a child of `fork` that would wait for the other ranks: it has none.
#[cold]
pub fn refuse_to_wait_in_child() -> ! {
    eprintln!(
        "smpirun: error: a child of fork() would wait in simulated time, of which it is no part; \
         start another program there (exec) or leave with _exit()"
    );
    // SAFETY: ends the child only.
    unsafe { libc::_exit(smpi_base::exit::REFUSED) }
}

/// Ends the process because a thread that is no rank calls what only ranks may.
#[cold]
pub fn refuse_foreign(function: &str) -> ! {
    crash::die_of_thread(&format!("called {function}"), "; only the thread that runs main() may")
}
