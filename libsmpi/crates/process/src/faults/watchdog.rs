//! Ends ranks that compute for ever, or are blocked in a system call: the checker's `--call-timeout`.
//!
//! What counts is the CPU time of the hosting thread since the last *step*: an entry into MPI, the return from it, or
//! the begin of a rank's turn; so a machine with other work to do makes no rank late, nor does a debugger. A blocked
//! rank uses no CPU time: the time in which the kernel says that the thread sleeps counts as well. A thread of its own
//! looks at both a few times per limit; a step costs one store. A rank may also call functions that wait for nothing
//! for ever: its whole turn has a limit, too, [`STEPS`] times as long.
//!
//! When the limit is over, a signal interrupts the rank, and the rank is left like one that crashed; never inside this
//! library, where something may be half done, but where it is next seen outside. Ranks cannot block that signal
//! ([`INTERRUPTS`]). Nothing is interrupted before the limit: a signal would end `poll` and the like early, whatever
//! its flags (signal(7)). Time between simulated sleeps is counted exactly by the sleeper ([`Naps`]), because its turns
//! are too short to be seen.
//!
//! The thread opens no files and closes none: descriptors are the ranks', who would get other numbers meanwhile, and
//! the explorer puts their table back.

use super::crash::{INTERRUPTS, leave_computing, thread_is_gone};
use super::frames::interrupted_outside;
use super::interrupted::{interrupted_at, is_system_call};
#[cfg(target_arch = "x86_64")]
use super::looping;
use crate::descriptors::hide;
use crate::record::Record;
use crate::{libraries, running, state, waiting};
use smpi_base::stat;
use smpi_image::unwind;
use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::mem::zeroed;
use std::os::unix::fs::FileExt;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Looks per limit.
const LOOKS: u32 = 10;
/// A late rank is tried again after this time, because it may have been inside this library.
const RETRY: Duration = Duration::from_millis(1);
/// A late rank that is in the code of another library is left there only after this many limits: something of that
/// library may be half done.
const LAST: f64 = 2.0;
/// In what the kernel says of a thread the state is before this place: behind a number of at most 10 digits, and a name
/// of at most 64 bytes.
const STATE_END: usize = 128;
/// No step and no turn has this number.
const NONE: u64 = 0;
/// A turn, in which a rank makes any number of steps, is late after this many limits.
const STEPS: u32 = 10;

/// The step that is late.
static LATE: AtomicU64 = AtomicU64::new(NONE);
/// The turn that is late.
static LATE_TURN: AtomicU64 = AtomicU64::new(NONE);
/// It is so late that its rank is left in other libraries, too.
static VERY_LATE: AtomicBool = AtomicBool::new(false);
/// Most of the time of the late step was spent asleep.
static ASLEEP: AtomicBool = AtomicBool::new(false);
/// The step whose rank is being left. It makes no further step of this number.
static LEFT: AtomicU64 = AtomicU64::new(NONE);
static LIMIT_NANOS: AtomicU64 = AtomicU64::new(0);

/// Starts to watch the calling thread, in a thread of its own that ends with the process. `false` when the system gives
/// none, or tells nothing of threads.
pub fn start(limit_secs: f64) -> bool {
    let limit = Duration::from_secs_f64(limit_secs.min(1e9));
    LIMIT_NANOS.store(limit.as_nanos() as u64, Ordering::Relaxed);
    // Looked for now, because a handler asks.
    libraries::own();
    // SAFETY: system calls with fully set arguments. The new thread inherits that all signals are blocked: they are the
    // hosting thread's.
    unsafe {
        let (process, thread, mut clock) = (libc::getpid(), libc::gettid(), 0);
        if libc::pthread_getcpuclockid(libc::pthread_self(), &mut clock) != 0 {
            return false;
        }
        let stat = File::open(format!("/proc/self/task/{thread}/stat"));
        let Some(stat) = stat.ok().and_then(|stat| hide(stat.into())).map(File::from) else { return false };
        let watched = Watched { process, thread, clock, stat };
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = (zeroed(), zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let thread = std::thread::Builder::new().name("watchdog".into()).spawn(move || watch(limit, watched));
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut());
        thread.is_ok()
    }
}

/// The hosting thread, as its watcher sees it.
struct Watched {
    process: libc::pid_t,
    thread: libc::pid_t,
    clock: libc::clockid_t,
    /// What the kernel says of it, beyond the descriptors of ranks.
    stat: File,
}

impl Watched {
    /// CPU time that it has used.
    fn used(&self) -> Duration {
        cpu_time(self.clock)
    }

    /// What it does, by a letter of the kernel's; `X` when it is not there any more, `None` when the kernel does not
    /// say.
    fn state(&self) -> Option<char> {
        let mut text = [0; STATE_END];
        match self.stat.read_at(&mut text, 0) {
            Ok(len) => stat::state(&String::from_utf8_lossy(&text[..len])),
            Err(error) => is_of_no_thread(&error).then_some('X'),
        }
    }

    /// Whether it waits for something else than a processor, a disk or a debugger.
    fn is_asleep(&self) -> bool {
        self.state() == Some('S')
    }

    /// Whether it has ended although ranks run on it: by a system call that the program made past libc.
    fn is_gone(&self) -> bool {
        matches!(self.state(), Some('Z' | 'X'))
    }

    fn interrupt(&self) {
        // SAFETY: signals a thread of this process; should it be gone, nothing happens.
        unsafe { libc::syscall(libc::SYS_tgkill, self.process, self.thread, INTERRUPTS) };
    }
}

/// Whether the kernel says nothing of a thread because there is none (proc_pid_stat(5)).
fn is_of_no_thread(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ESRCH)
}

fn cpu_time(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place for the result, which a refusal leaves at 0.
    unsafe { libc::clock_gettime(clock, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn watch(limit: Duration, watched: Watched) -> ! {
    let pause = (limit / LOOKS).max(Duration::from_millis(1));
    let (mut seen, mut last) = (NONE, Duration::ZERO);
    let (mut counted, mut slept) = (Duration::ZERO, Duration::ZERO);
    let (mut turn, mut in_turn) = (NONE, Duration::ZERO);
    loop {
        let is_late = counted >= limit || in_turn >= limit * STEPS;
        let pause = if is_late { RETRY.min(pause) } else { pause };
        std::thread::sleep(pause);
        let step = running::step();
        let now = watched.used();
        let used = now.saturating_sub(std::mem::replace(&mut last, now));
        let last_turn = std::mem::replace(&mut turn, running::turn());
        in_turn = if last_turn == turn { in_turn + used } else { Duration::ZERO };
        if in_turn >= limit * STEPS {
            LATE_TURN.store(turn, Ordering::Relaxed);
            watched.interrupt();
        }
        if step != seen || running::record().is_null() {
            seen = step;
            (counted, slept) = (Duration::ZERO, Duration::ZERO);
            continue;
        }
        if used == Duration::ZERO && watched.is_gone() {
            // SAFETY: a record that `set_current` put there; records are never freed.
            if let Some(record) = unsafe { running::record().cast::<Record>().as_ref() } {
                thread_is_gone(record.rank);
            }
        }
        if used < pause / 2 && watched.is_asleep() {
            slept += pause;
            counted += pause;
        } else {
            counted += used;
        }
        if counted >= limit {
            VERY_LATE.store(counted >= limit.mul_f64(LAST), Ordering::Relaxed);
            ASLEEP.store(slept > counted / 2, Ordering::Relaxed);
            LATE.store(step, Ordering::Relaxed);
            watched.interrupt();
        }
    }
}

/// Whether ranks are watched.
pub fn is_on() -> bool {
    LIMIT_NANOS.load(Ordering::Relaxed) != 0
}

/// What the handler of the signal does: leaves the rank that runs if it is late, and if it can be left where it was
/// interrupted. A rank is tried again every millisecond, and on a machine with much to do looking at it takes longer:
/// the signal is blocked meanwhile, or handlers would pile up on their stack until that is full.
pub fn interrupted(context: *mut c_void) {
    let step = running::step();
    // The step and the turn may have ended while the signal was on its way.
    let is_late = LATE.load(Ordering::Relaxed) == step;
    let is_late_turn = LATE_TURN.load(Ordering::Relaxed) == running::turn();
    let is_over = is_examined() || LEFT.load(Ordering::Relaxed) == step;
    let Some(record) = state::current().filter(|_| (is_late || is_late_turn) && !is_over) else { return };
    if may_be_left(interrupted_at(context), step) {
        waiting::end();
        let computing = match () {
            () if !is_late => Computing::Calls,
            () if ASLEEP.load(Ordering::Relaxed) => Computing::Asleep,
            () => Computing::NoCalls,
        };
        let words = computing.words(limit());
        #[cfg(target_arch = "x86_64")]
        if matches!(computing, Computing::NoCalls) && is_of_program(interrupted_at(context)) {
            // SAFETY: the kernel's arguments, on the thread that ranks run on.
            return unsafe { looping::begin(context, words) };
        }
        LEFT.store(step, Ordering::Relaxed);
        leave_computing(record, &words, false);
    }
}

/// Whether it is being found out if the rank that runs goes on for ever.
fn is_examined() -> bool {
    #[cfg(target_arch = "x86_64")]
    return looping::is_searching();
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

fn is_of_program(at: usize) -> bool {
    unwind::find(at).is_some_and(|found| found.in_image)
}

/// Whether this process has memory in common with others, or with files.
pub fn shares_memory() -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().any(is_shared)
}

/// Whether a line of that list (proc_pid_maps(5)) is of such memory: of a file that has a name. Ours are of
/// `memfd_create`, or of no file, for which the kernel says `/dev/zero`.
fn is_shared(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_shared = words.nth(1).is_some_and(|flags| flags.ends_with('s'));
    let is_ours = |path: &str| path.starts_with("/memfd:") || path == "/dev/zero";
    is_shared && words.nth(3).is_some_and(|path| path.starts_with('/') && !is_ours(path))
}

/// The limit of a step, in seconds.
fn limit() -> f64 {
    Duration::from_nanos(LIMIT_NANOS.load(Ordering::Relaxed)).as_secs_f64()
}

/// How a rank goes on for too long, after the limit of a step in seconds.
enum Computing {
    /// It computes.
    NoCalls,
    /// It waits in a system call.
    Asleep,
    /// It makes calls of MPI that wait for nothing.
    Calls,
}

impl Computing {
    /// In words.
    fn words(&self, limit: f64) -> String {
        let without = format!("for more than {limit} s without an MPI call");
        match self {
            Computing::NoCalls => format!("computes {without}"),
            Computing::Asleep => format!("waits in a system call (for input, another process, a timer) {without}"),
            Computing::Calls => {
                let limit = limit * f64::from(STEPS);
                format!("runs for more than {limit} s with MPI calls that wait for nothing")
            }
        }
    }
}

/// Whether nothing of ours or of another library is half done where a rank was interrupted.
fn may_be_left(at: usize, step: u64) -> bool {
    if is_of_program(at) || waiting::is_outside(step) {
        return true;
    }
    let is_elsewhere = interrupted_outside(&libraries::own());
    is_elsewhere && (is_system_call(at) || VERY_LATE.load(Ordering::Relaxed))
}

/// CPU time of a rank that sleeps again and again, in simulated time, and does not enter MPI between.
#[derive(Clone, Copy, Debug)]
pub struct Naps {
    /// Between its naps so far.
    awake: Duration,
    /// CPU time of the thread when the last nap was over.
    since: Duration,
}

impl Naps {
    /// The rank goes to sleep; `before` is what [`Naps::wake`] gave after its last nap, if it has not entered MPI
    /// since. A rank that has been awake for too long is left.
    pub fn begin(before: Option<Naps>) -> Duration {
        let awake = before.map_or(Duration::ZERO, |naps| {
            naps.awake + cpu_time(libc::CLOCK_THREAD_CPUTIME_ID).saturating_sub(naps.since)
        });
        let limit = limit();
        if awake.as_secs_f64() > limit
            && limit > 0.0
            && let Some(record) = state::current()
        {
            leave_computing(record, &Computing::NoCalls.words(limit), false);
        }
        awake
    }

    /// The nap is over; `awake` is what [`Naps::begin`] gave.
    pub fn wake(awake: Duration) -> Naps {
        Naps { awake, since: cpu_time(libc::CLOCK_THREAD_CPUTIME_ID) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_what_threads_do_and_which_are_gone() {
        let (say, said) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            // SAFETY: asks the kernel for a number.
            say.send(unsafe { libc::gettid() }).unwrap();
            _ = ended.recv();
        });
        let thread_id = said.recv().unwrap();
        let stat = File::open(format!("/proc/self/task/{thread_id}/stat")).unwrap();
        let watched = Watched { process: 0, thread: thread_id, clock: 0, stat };
        assert!(watched.state().is_some() && !watched.is_gone());
        drop(end);
        thread.join().unwrap();
        // The kernel may still be about to forget it.
        while !watched.is_gone() {
            std::thread::yield_now();
        }
        assert!(!watched.is_asleep());
    }

    #[test]
    fn memory_of_named_files_is_shared() {
        assert!(is_shared("7f0-7f1 rw-s 00000000 00:01 12 /dev/shm/flag"));
        assert!(!is_shared("7f0-7f1 rw-p 00000000 00:01 12 /usr/lib/libc.so.6"));
        assert!(
            !is_shared("7f0-7f1 rw-s 00000000 00:01 12 /memfd:rank (deleted)") && !is_shared("7f0-7f1 rw-s 0 00:01 12")
        );
    }

    #[test]
    fn naps_add_up_until_the_rank_enters_mpi() {
        let awake = Duration::from_secs(5);
        let naps = Naps::wake(awake);
        assert!(Naps::begin(Some(naps)) >= awake);
        assert_eq!(Naps::begin(None), Duration::ZERO);
    }
}
