//! Runs a command to its end or to a time limit, and keeps everything it said.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use smpi_base::stat;
use smpi_base::words::for_shell;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// The children of a process.
fn children(pid: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// A process and all below it.
pub fn family(pid: u32) -> Vec<u32> {
    std::iter::once(pid).chain(children(pid).into_iter().flat_map(family)).collect()
}

/// True when there is no such process, or one that has ended and waits for its parent only.
pub fn is_gone(pid: u32) -> bool {
    stat::has_ended(&std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default())
}

/// A finished command.
#[derive(Debug)]
pub struct Finished {
    /// Exit code; 128 + signal when a signal ended it, as shells count.
    pub code: i32,
    /// The time limit was reached, or that of memory.
    pub timed_out: bool,
    /// Everything written to stdout.
    pub stdout: Vec<u8>,
    /// Everything written to stderr.
    pub stderr: Vec<u8>,
}

/// Seconds after which a command that was asked to end is killed.
const KILL_SECS: u64 = 5;
/// Memory of one process beyond which it is ended, in bytes: a run that never ends may need more and more.
const MOST_BYTES: u64 = 8 << 30;

/// Runs words in a directory, in a process group of their own: the time limit ends all of it, so that no rank of an
/// `mpirun` is left behind. A program that cannot be started is an error.
pub fn run(
    words: &[String],
    directory: &Path,
    environment: &[(String, String)],
    secs: u64,
) -> Result<Finished, String> {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    let failed = |error: std::io::Error| format!("cannot run {}: {error}", words.join(" "));
    let (program, arguments) = words.split_first().ok_or("no command")?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A run inside a run (the tests started by some MPI tool) must not see the outer one's variables.
    for name in ["SMPI_RUN_PLAN", "LD_PRELOAD"] {
        command.env_remove(name);
    }
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let child = command.spawn().map_err(failed)?;
    let group = Pid::from_raw(i32::try_from(child.id()).map_err(|error| error.to_string())?);
    let (over, is_over) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        // The group is there as long as the child was not waited for, which is when the other end is dropped.
        for (limit, signal) in [(secs, Signal::SIGTERM), (KILL_SECS, Signal::SIGKILL)] {
            if is_over_within(limit, &is_over, group) {
                return signal == Signal::SIGKILL;
            }
            let _ = killpg(group, signal);
        }
        true
    });
    let output = child.wait_with_output();
    drop(over);
    let timed_out = watch.join().map_err(|_| "the watch of a time limit failed")?;
    let output = output.map_err(failed)?;
    let code = output.status.code().or(output.status.signal().map(|signal| 128 + signal)).unwrap_or(-1);
    Ok(Finished { code, timed_out, stdout: output.stdout, stderr: output.stderr })
}

/// Whether it is over within some seconds, before it takes too much memory. Seconds in which it had to wait for a
/// processor do not count: on a busy machine something takes longer, and does not hang.
fn is_over_within(secs: u64, is_over: &Receiver<()>, process: Pid) -> bool {
    let mut passed = 0;
    while passed < secs || passed < secs + waited_secs(process) {
        passed += 1;
        if is_over.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
            return true;
        }
        if resident_bytes(process).is_some_and(|bytes| bytes > MOST_BYTES) {
            return false;
        }
    }
    false
}

/// The seconds that the one of a group's processes that had to wait longest for a processor has waited
/// (Documentation/scheduler/sched-stats of Linux).
fn waited_secs(group: Pid) -> u64 {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // Behind the name, which may have any characters: state, parent, group.
        let of_group = stat.rsplit_once(") ")?.1.split(' ').nth(2)? == group.to_string();
        let times = of_group.then(|| std::fs::read_to_string(entry.path().join("schedstat")).ok())??;
        Some(times.split(' ').nth(1)?.parse::<u64>().ok()? / 1_000_000_000)
    });
    processes.max().unwrap_or(0)
}

/// The memory that a process has now.
fn resident_bytes(process: Pid) -> Option<u64> {
    const PAGE_BYTES: u64 = 4096;
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    Some(text.split(' ').nth(1)?.parse::<u64>().ok()? * PAGE_BYTES)
}

/// The command as a line for a shell, to be run by hand.
pub fn shell_line(words: &[String], directory: &Path, environment: &[(String, String)]) -> String {
    let quoted = |word: &String| for_shell(std::slice::from_ref(word));
    let variables: String = environment.iter().map(|(name, value)| format!("{name}={} ", quoted(value))).collect();
    format!("(cd {} && {variables}{})", quoted(&directory.display().to_string()), for_shell(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, secs: u64) -> Finished {
        let words = ["sh", "-c", script].map(String::from);
        run(&words, Path::new("/"), &[("GREETING".into(), "hi".into())], secs).unwrap()
    }

    #[test]
    fn codes_output_and_limits() {
        let finished = shell("echo $GREETING; echo oops >&2; exit 3", 10);
        assert_eq!((finished.code, finished.timed_out), (3, false));
        assert_eq!((&finished.stdout[..], &finished.stderr[..]), (&b"hi\n"[..], &b"oops\n"[..]));
        assert!(shell("sleep 30", 1).timed_out);
        // Everything that it has started ends, too; else what still holds the pipes would be waited for.
        assert!(shell("sleep 30 & sleep 30", 1).timed_out);
        assert_eq!(shell("kill -SEGV $$", 10).code, 128 + 11);
    }

    #[test]
    fn lines_for_a_shell() {
        let words = ["./a", "x y"].map(String::from);
        assert_eq!(shell_line(&words, Path::new("/t"), &[("A".into(), "1 2".into())]), "(cd /t && A='1 2' ./a 'x y')");
    }
}
