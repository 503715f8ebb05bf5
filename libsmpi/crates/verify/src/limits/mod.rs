//! What ends an exploration from outside: interrupts, memory, and calls that do not end.

pub(crate) mod interrupt;
pub(crate) mod memory;

use smpi_base::plan::VerifyPlan;
use smpi_process as process;

/// Starts to watch for calls that do not end, if that is wanted; false where the system refuses.
pub(crate) fn watch_steps(options: &VerifyPlan) -> bool {
    process::grow_table();
    options.call_timeout_secs <= 0.0 || process::watch_steps(options.call_timeout_secs)
}
