//! gdb on the stack of a rank, where the session stands.
//!
//! The rank is let run for a moment, to wait in its call: so gdb finds it there, with all frames of the program, and
//! variables are those of this rank. The rank is put back afterwards.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::FromRawFd;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};

use smpi_base::WorldRank;
use smpi_base::print::reason;
use smpi_image::debugger::is_traced;
use smpi_process as process;

use crate::program::Program;

/// The process of gdb, which the rank waits for.
static DEBUGGER: AtomicI32 = AtomicI32::new(0);

/// Where a session finds what it runs.
const GDB: &str = "gdb";

/// What stands between what gdb says by itself and its answer.
const ANSWER: &str = "--- answer ---";

/// Lets gdb look at a rank, in this function of its program. With a command, returns what gdb answers to it; without,
/// gdb has the terminal until it ends. Under a debugger already, that one stops there.
///
/// # Errors
/// Text for the user where there is no gdb.
pub(super) fn look(
    program: &mut Program,
    rank: WorldRank,
    (command, function): (&str, Option<&str>),
    input: &File,
) -> Result<String, String> {
    if is_traced() {
        program.ranks.visit(rank, stop);
        return Ok(String::new());
    }
    let own = std::process::id().to_string();
    let failed = |error: std::io::Error| {
        let why = reason(&error);
        format!("gdb: cannot be run: {why}; install it (apt install gdb), or look at the process with another debugger")
    };
    let mut gdb = Command::new(GDB);
    gdb.args(["-q", "-nx", "-iex", "set pagination off", "-iex", "set debuginfod enabled off", "-p", &own]);
    // The watchdog interrupts ranks by it.
    gdb.args(["-ex", "handle SIGSYS nostop noprint pass"]);
    if let Some(function) = function {
        gdb.args(["-ex", &format!("frame function {function}")]);
    }
    let mut answer = None;
    if command.is_empty() {
        gdb.stdin(input.try_clone().map_err(failed)?);
    } else {
        let file = in_memory().map_err(failed)?;
        gdb.args(["-batch", "-ex", &format!("echo \\n{ANSWER}\\n"), "-ex", command]);
        gdb.stdin(Stdio::null()).stdout(file.try_clone().map_err(failed)?).stderr(file.try_clone().map_err(failed)?);
        answer = Some(file);
    }
    // SAFETY: a system call: children of this process may look at it.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY, 0, 0, 0) };
    let mut child = gdb.spawn().map_err(failed)?;
    DEBUGGER.store(child.id() as i32, Ordering::Relaxed);
    program.ranks.visit(rank, wait_for_debugger);
    child.wait().map_err(failed)?;
    let Some(mut file) = answer else { return Ok(String::new()) };
    let mut said = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut said)).map_err(failed)?;
    let said = String::from_utf8_lossy(&said);
    let all = || format!("gdb gives no answer:\n{said}");
    let answer = said.split_once(&format!("{ANSWER}\n")).map_or_else(all, |(_, answer)| answer.to_string());
    // What it says when it goes.
    let lines = answer.lines().filter(|line| !line.starts_with("[Inferior 1 (process "));
    Ok(lines.map(|line| format!("{line}\n")).collect())
}

/// A file without a name.
fn in_memory() -> std::io::Result<File> {
    // SAFETY: a system call with a valid name; the descriptor is nobody else's.
    unsafe {
        match libc::memfd_create(c"gdb".as_ptr(), libc::MFD_CLOEXEC) {
            -1 => Err(std::io::Error::last_os_error()),
            descriptor => Ok(File::from_raw_fd(descriptor)),
        }
    }
}

/// Waits on the stack of a rank until gdb has ended.
fn wait_for_debugger() {
    let pause = libc::timespec { tv_sec: 0, tv_nsec: 10_000_000 };
    loop {
        // It is no rank that computes for too long.
        process::note_step();
        // SAFETY: system calls with valid arguments; the child is left to be waited for by who has started it.
        let ended = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let pid = DEBUGGER.load(Ordering::Relaxed) as libc::id_t;
            let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            let failed = libc::syscall(libc::SYS_waitid, libc::P_PID, pid, &raw mut info, options, 0) != 0;
            failed || info.si_pid() != 0
        };
        if ended {
            return;
        }
        // SAFETY: as above.
        unsafe { libc::syscall(libc::SYS_nanosleep, &raw const pause, 0) };
    }
}

/// Stops for the debugger that traces this process.
fn stop() {
    // SAFETY: system calls with valid arguments; the tracer takes the signal.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::gettid(), libc::SIGTRAP) };
}
