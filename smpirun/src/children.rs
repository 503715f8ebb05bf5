//! What a task that starts runs needs of whoever started it, and what it keeps from them.

use nix::sys::signal::{SigSet, Signal};

use crate::failure::Failure;

/// Prepares this process for runs below it: it has to learn how they end, and a question of the user (`SIGUSR1`, which
/// asks a run what its ranks do) is not to end it.
pub fn prepare(task: &str) -> Result<(), Failure> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if ignores(&status, Signal::SIGCHLD) {
        return Err(Failure::Refused(format!(
            "{task}: whoever started smpirun ignores SIGCHLD, so that nobody is told how runs end; start it with env \
             --default-signal=CHLD smpirun …"
        )));
    }
    let mut question = SigSet::empty();
    question.add(Signal::SIGUSR1);
    // What cannot be blocked stays as it is.
    let _ = question.thread_block();
    Ok(())
}

/// Whether a process ignores a signal, by its entry in proc(5).
fn ignores(status: &str, signal: Signal) -> bool {
    let list = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let list = list.and_then(|list| u64::from_str_radix(list.trim(), 16).ok()).unwrap_or(0);
    list >> (signal as u32 - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_their_places_in_the_list() {
        let status = "Name:\tx\nSigIgn:\t0000000000011000\nSigCgt:\tffff\n";
        assert!(ignores(status, Signal::SIGCHLD) && ignores(status, Signal::SIGPIPE));
        assert!(!ignores(status, Signal::SIGUSR1) && !ignores("", Signal::SIGCHLD));
    }
}
