//! What a task that starts runs needs of whoever started it, and what it keeps from them.

use std::process::Command;

use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use smpi_base::{exit, stat};

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

/// The variable by which a run learns whose it is.
const PARENT: &str = "SMPI_PARENT";

/// Has a run end when this process does, however that ends: with Ctrl-C, a signal, or by force.
pub fn bind(command: &mut Command) {
    command.env(PARENT, std::process::id().to_string());
}

/// Takes that out of the environment of programs.
pub fn forget(command: &mut Command) {
    command.env_remove(PARENT);
}

/// What such a run does before anything else. A launcher may come between: then it is the launcher's. The task may have
/// ended before: then nobody waits for the run, and nobody would end it.
pub fn obey() {
    let parent = || std::os::unix::process::parent_id();
    let Some(wanted) = std::env::var(PARENT).ok().and_then(|id| id.parse::<u32>().ok()) else { return };
    if parent() != wanted {
        let stat = std::fs::read_to_string(format!("/proc/{wanted}/stat")).unwrap_or_default();
        if stat::has_ended(&stat) {
            std::process::exit(exit::REFUSED);
        }
        return;
    }
    // What the system does not offer is done without. The parent may have ended just before.
    if prctl::set_pdeathsig(Signal::SIGKILL).is_ok() && parent() != wanted {
        std::process::exit(exit::REFUSED);
    }
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
