//! The parent of the exploring process: waits for it, passes on Ctrl-C, ends it at the time limit, and reports what is
//! known if it is lost.
//!
//! The exploration runs in a child process, so the user gets an answer even if the program overwrites libsmpi's own
//! data or the process is killed by SIGKILL. No process is left behind: the child dies with its parent, and the
//! supervisor adopts and ends processes that programs started.

use std::mem::zeroed;
use std::ptr;
use std::time::Duration;

use smpi_base::plan::{RunPlan, VerifyPlan};
use smpi_base::words::counted;
use smpi_base::{eprint, eprintln};
use smpi_image::debugger::is_traced;
use smpi_process::{self as process, LastWords, Reason, flush_output, set_last_words};
use smpi_report::Findings;
use smpi_report::verdict::{Bound, Mode, Report, States};

use crate::limits::{end_with, interrupt};
use crate::schedule::token;
use crate::trail::{Counts, Trail, Words};
use smpi_runtime::summary::Wall;

/// Seconds that the explorer has to end after Ctrl-C and after the time limit, before it is killed: it only looks
/// between executions, and one of them may have no end.
const PATIENCE_SECS: f64 = 2.0;

/// How a process ended.
enum Ending {
    Code(i32),
    Signal(i32),
}

/// Why it was told to end.
#[derive(Clone, Copy)]
enum Request {
    /// By the user, with this signal.
    Signal(i32),
    /// By `--time-limit`.
    TimeLimit,
}

/// Runs the exploration in a child process, which gets the time since now. `report` makes an empty report. Returns the
/// exit code of the run.
pub fn supervise(plan: &RunPlan, options: &VerifyPlan, report: Report, explore: impl FnOnce(&Wall) -> i32) -> i32 {
    let wall = Wall::start();
    // A debugger follows the process that it has.
    let trail = if options.replay.is_some() || is_traced() { None } else { Trail::new() };
    let Some(trail) = trail else {
        interrupt::catch();
        set_last_words(say);
        if options.replay.is_some() && !is_traced() {
            limit_replay(options.time_limit_secs);
        }
        let code = explore(&wall);
        process::remove_files();
        return code;
    };
    let signals = [libc::SIGCHLD, libc::SIGINT, libc::SIGTERM, libc::SIGUSR1];
    // SAFETY: system calls with valid arguments. The process has one thread, so the child of `fork` may go on in any
    // way.
    let (parent, mask, child) = unsafe {
        let mut mask: libc::sigset_t = zeroed();
        libc::sigemptyset(&mut mask);
        signals.iter().for_each(|&signal| {
            libc::sigaddset(&mut mask, signal);
        });
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        libc::sigprocmask(libc::SIG_BLOCK, &mask, ptr::null_mut());
        (std::process::id(), mask, libc::fork())
    };
    match child {
        0 => {
            begin_child(&mask);
            end_with(parent);
            trail.follow();
            let code = explore(&wall);
            trail.set_over();
            code
        }
        // No process to be had: explore here.
        -1 => {
            begin_child(&mask);
            set_last_words(say);
            let code = explore(&wall);
            process::remove_files();
            code
        }
        child => {
            let limit = (options.time_limit_secs > 0.0).then_some(options.time_limit_secs);
            let (ending, request) = wait(child, (&mask, trail), &wall, limit);
            end_adopted();
            process::remove_files();
            match (ending, request) {
                (Ending::Code(code), None | Some(Request::TimeLimit))
                    if trail.is_over() || code == smpi_base::exit::REFUSED =>
                {
                    code
                }
                (Ending::Code(_), Some(Request::Signal(signal))) if trail.is_over() => {
                    smpi_base::exit::of_signal(signal)
                }
                (ending, request) => lost(plan, options, report, trail, &ending, request, wall.seconds()),
            }
        }
    }
}

/// Says the last words of a process that has no supervisor; returns its exit code.
fn say(words: &LastWords<'_>) -> Option<i32> {
    flush_output();
    match Words::of(words).finding() {
        Some(finding) => {
            // There is no table of ranks.
            eprint!("smpirun: {}", smpi_report::text::shown(&finding, 0));
            Some(smpi_base::exit::FOUND)
        }
        None if words.reason == Reason::Bug => None,
        None => {
            eprintln!(
                "smpirun: error: {}\n  the program has overwritten libsmpi's data, or this is an internal bug: please report it",
                words.text
            );
            Some(smpi_base::exit::INTERNAL_BUG)
        }
    }
}

/// Ends this process, which executes one schedule, when the time is up. The report of a replay is its exit code.
fn limit_replay(limit_secs: f64) {
    if limit_secs <= 0.0 {
        return;
    }
    let end = move || {
        std::thread::sleep(Duration::from_secs_f64(limit_secs.min(MAX_SECS)));
        eprintln!("smpirun: the schedule was not executed to its end: {}", Bound::TimeLimit(limit_secs));
        // SAFETY: ends the process, whatever its rank is doing.
        unsafe { libc::_exit(smpi_base::exit::REFUSED) }
    };
    if std::thread::Builder::new().name("time limit".into()).spawn(end).is_err() {
        eprintln!("smpirun: note: the system has no thread left: --time-limit has no effect");
    }
}

/// First steps of a process that explores.
pub fn begin_child(mask: &libc::sigset_t) {
    interrupt::catch();
    // SAFETY: a system call with valid arguments.
    unsafe { libc::sigprocmask(libc::SIG_UNBLOCK, mask, ptr::null_mut()) };
}

/// Waits for the child; returns how it ended, and why it was told to: by the user, or because the time is up.
fn wait(
    child: libc::pid_t,
    (mask, trail): (&libc::sigset_t, &Trail),
    wall: &Wall,
    limit: Option<f64>,
) -> (Ending, Option<Request>) {
    let mut asked: Option<Request> = None;
    let mut deadline = limit;
    loop {
        // SAFETY: system calls with valid arguments; `child` is not reaped before this loop ends.
        let signal = unsafe {
            let mut status = 0;
            if libc::waitpid(child, &mut status, libc::WNOHANG) == child {
                let ending = if libc::WIFSIGNALED(status) {
                    Ending::Signal(libc::WTERMSIG(status))
                } else {
                    Ending::Code(libc::WEXITSTATUS(status))
                };
                return (ending, asked);
            }
            let left = deadline.map(|deadline| timespec((deadline - wall.seconds()).clamp(0.0, MAX_SECS)));
            libc::sigtimedwait(mask, ptr::null_mut(), left.as_ref().map_or(ptr::null(), ptr::from_ref))
        };
        if signal == libc::SIGUSR1 {
            let Counts { executions, transitions, .. } = trail.counts();
            let (executions, transitions) = (counted(executions, "execution"), counted(transitions, "transition"));
            eprintln!("smpirun: so far {executions}, {transitions}, {:.1} s", wall.seconds());
        }
        let is_request = signal == libc::SIGINT || signal == libc::SIGTERM;
        let is_late = deadline.is_some_and(|deadline| wall.seconds() >= deadline);
        match asked {
            None if is_request => asked = Some(Request::Signal(signal)),
            // The explorer looks at the clock itself.
            None if is_late => asked = Some(Request::TimeLimit),
            Some(_) if is_request || is_late => {
                // SAFETY: the child is not reaped, so the number is its own.
                unsafe { libc::kill(child, libc::SIGKILL) };
                deadline = None;
                continue;
            }
            _ => continue,
        }
        deadline = Some(wall.seconds() + PATIENCE_SECS);
        if is_request {
            // SAFETY: as above.
            unsafe { libc::kill(child, signal) };
        }
    }
}

/// Longer than any wait, and short enough for the kernel.
const MAX_SECS: f64 = 1e9;

fn timespec(seconds: f64) -> libc::timespec {
    libc::timespec { tv_sec: seconds as i64, tv_nsec: (seconds.fract() * 1e9) as i64 }
}

/// Ends the processes that the exploration left behind.
fn end_adopted() {
    // SAFETY: system calls with valid arguments, on children of this process only.
    unsafe {
        let list = format!("/proc/self/task/{}/children", libc::gettid());
        loop {
            let children = std::fs::read_to_string(&list).unwrap_or_default();
            let children: Vec<libc::pid_t> = children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
            if children.is_empty() {
                return;
            }
            for child in children {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, ptr::null_mut(), 0);
            }
        }
    }
}

/// What became of the exploring process, with its verb.
fn how_ended(ending: &Ending) -> String {
    // A worker's signal is passed on as an exit code.
    let signal = match *ending {
        Ending::Signal(signal) => Some(signal),
        Ending::Code(code) => Some(code - 128).filter(|&signal| signal > 0),
    };
    match (signal, ending) {
        (Some(libc::SIGKILL), _) => "was killed (SIGKILL: by somebody, or because memory ran out)".to_string(),
        (Some(signal), _) => format!("was ended by signal {signal}"),
        (None, Ending::Signal(code) | Ending::Code(code)) => format!("ended with exit code {code}"),
    }
}

/// Reports what is known of an exploration that did not end by itself.
fn lost(
    plan: &RunPlan,
    options: &VerifyPlan,
    mut report: Report,
    trail: &Trail,
    ending: &Ending,
    asked: Option<Request>,
    seconds: f64,
) -> i32 {
    let mode = trail.mode();
    let schedule = token::write(mode, &trail.foreseen(), &trail.path());
    let Counts { executions, transitions, states } = trail.counts();
    let has_states = options.stateful || options.property.is_some();
    (report.executions, report.transitions, report.seconds) = (executions, transitions, seconds);
    report.modes = vec![Mode {
        states: has_states.then(|| States { count: states, ..States::default() }),
        buffering: mode,
        executions,
        transitions,
        complete: false,
        ..Mode::default()
    }];
    let mut findings = Findings::new();
    trail.findings().into_iter().for_each(|finding| {
        findings.add(finding);
    });
    report.findings = findings.into_vec();
    match asked {
        Some(Request::Signal(signal)) => {
            report.bounds = vec![Bound::Interrupted];
            return crate::report::finish(&report, options).max(smpi_base::exit::of_signal(signal));
        }
        Some(Request::TimeLimit) => {
            report.bounds = vec![Bound::TimeLimit(options.time_limit_secs)];
            return crate::report::finish(&report, options);
        }
        None => {}
    }
    report.bounds = vec![Bound::ExplorerLost];
    let words = trail.words();
    if let Some(mut finding) = words.as_ref().and_then(Words::finding) {
        finding.buffering = Some(mode);
        finding.replay = schedule;
        report.findings.push(finding);
        if !options.keep_going {
            report.bounds = vec![Bound::FirstFinding];
        }
        return crate::report::finish(&report, options);
    }
    let words = words.map_or(String::new(), |words| format!("\n  its last words: {}", words.text));
    eprintln!(
        "smpirun: error: the exploring process {}, after {}{words}\n  \
         it was at the schedule {schedule}; to execute only that:\n  \
         smpirun --replay {schedule} {}\n  \
         where nobody killed it, the program has overwritten libsmpi's data, or this is an internal bug: please report it",
        how_ended(ending),
        counted(executions, "execution"),
        plan.repeated
    );
    // What was found before is still found.
    match crate::report::finish(&report, options) {
        0 | smpi_base::exit::INCOMPLETE => smpi_base::exit::INTERNAL_BUG,
        code => code,
    }
}
