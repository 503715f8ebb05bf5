//! `memory/uninitialised`: whether it matters that a program sends what it never wrote.
//!
//! Some schedules are executed again, with other contents of fresh memory. What their calls are given is compared
//! ([`unwritten`]), and so is what the ranks print, their exit codes, and what they do. A program that depends on such
//! memory may do anything then, so that happens in a process of its own whose end means nothing, and which tells its
//! findings through a pipe.

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use smpi_base::plan::VerifyPlan;
use smpi_base::rng::Rng;
use smpi_checker::{Choices, Event, Settled, System};
use smpi_process::{self as process, Fresh};
use smpi_report::Finding;
use smpi_report::finding::Buffering;
use smpi_runtime::summary::Wall;
use smpi_watch::access::unwritten::{self, Matters};

use crate::findings::race::differing;
use crate::limits::interrupt;
use crate::limits::{end_with, watch_steps};
use crate::program::{Program, foreseen};
use crate::schedule::token;
use crate::trail;

/// Choices of one execution after which it is not followed any further: it may have no end. The smaller number is for
/// programs that are expected to have none.
const MOST_CHOICES: [usize; 2] = [100_000, 200];

/// Executions with random choices beside the natural one, where there are choices.
const WALKS: u64 = 8;

/// How often the executions that differ are repeated, each with the same result, before a difference is believed.
const CONTROLS: u32 = 2;

/// Seconds for one process, at least: more than it takes to execute a schedule three times, unless fresh memory tells
/// the program how long to go on.
const PATIENCE_SECS: f64 = 10.0;

/// Milliseconds between two looks at the clock and at Ctrl-C.
const LOOK_INTERVAL: i32 = 100;

/// Looks at the natural execution of a program under a kind of buffering, and at some random ones: no more than were
/// explored.
pub fn look(program: &mut Program, mode: Buffering, options: &VerifyPlan, wall: &Wall, explored: u64) -> Vec<Finding> {
    program.set_buffering(mode);
    in_process(program, options, wall, &mut |program| {
        let Some(natural) = walk(program, &[], None) else { return Vec::new() };
        let mut found = compare(program, mode, &natural);
        let walks = if natural.is_empty() { 0 } else { WALKS.min(explored) };
        for seed in 1..walks {
            if found.is_empty()
                && let Some(path) = walk(program, &[], Some(Rng::new(seed)))
            {
                found = compare(program, mode, &path);
            }
        }
        found
    })
}

/// Looks at one schedule, which goes on as an exploration makes choices first.
pub fn look_at(program: &mut Program, mode: Buffering, options: &VerifyPlan, path: &[Event]) -> Vec<Finding> {
    in_process(program, options, &Wall::start(), &mut |program| {
        walk(program, path, None).map_or(Vec::new(), |path| compare(program, mode, &path))
    })
}

/// Executes the program with zeros in fresh memory and keeps what it gives: by these choices, then by random ones, or
/// else as an exploration makes them first. All its choices, unless they are no execution.
fn walk(program: &mut Program, first: &[Event], mut rng: Option<Rng>) -> Option<Vec<Event>> {
    process::fill_fresh(Fresh::Zeros);
    unwritten::keep_given();
    let (mut path, mut choices, mut late) = (Vec::new(), Choices::new(), Vec::new());
    program.reset();
    loop {
        let settled = program.settle();
        program.late(&mut late);
        if settled == Settled::Void {
            return None;
        }
        let goes_no_further = settled.is_end() || settled == Settled::Reluctant || program.is_endless();
        if goes_no_further || path.len() >= MOST_CHOICES[usize::from(program.naming.is_some())] {
            return Some(path);
        }
        choices.clear();
        program.choices(&mut choices);
        let event = match first.get(path.len()) {
            Some(&event) => event,
            None => next(&choices, rng.as_mut())?,
        };
        choices.find(event.choice).filter(|choice| choices.candidates(choice).contains(&event.candidate))?;
        path.push(event);
        program.take(event);
    }
}

/// The next choice.
fn next(choices: &Choices, rng: Option<&mut Rng>) -> Option<Event> {
    let default = choices.default_event()?;
    let candidates = choices.candidates(choices.find(default.choice)?);
    let candidate = rng.map_or(default.candidate, |rng| candidates[rng.below(candidates.len())]);
    Some(Event { candidate, ..default })
}

/// Executes a schedule again, after what it gives was kept, with other fresh memory.
fn compare(program: &mut Program, mode: Buffering, path: &[Event]) -> Vec<Finding> {
    let ends = program.ends();
    let mut again = |fresh: Fresh| {
        process::fill_fresh(fresh);
        unwritten::compare_given();
        let has_fit = program.follow(path, &mut |_, _, _| {}).is_ok();
        match differing(&ends, &program.ends()) {
            Some(rank) => Matters::Ends(rank),
            None if !has_fit || unwritten::is_apart() => Matters::Goes,
            None => Matters::Unseen,
        }
    };
    let matters = again(Fresh::Marks);
    let mut found = unwritten::unwritten(matters);
    if found.is_empty() {
        return found;
    }
    for _ in 0..CONTROLS {
        let is_same = again(Fresh::Zeros) == Matters::Unseen && !unwritten::differs();
        if !is_same || again(Fresh::Marks) != matters || unwritten::unwritten(matters) != found {
            // Something else makes a difference.
            return Vec::new();
        }
    }
    let replay = token::write(mode, &foreseen(), path);
    for finding in &mut found {
        finding.buffering = Some(mode);
        finding.replay = replay.clone();
    }
    found
}

/// Lets a child of this process find something; nothing, if it comes to nothing.
fn in_process(
    program: &mut Program,
    options: &VerifyPlan,
    wall: &Wall,
    find: &mut dyn FnMut(&mut Program) -> Vec<Finding>,
) -> Vec<Finding> {
    let Some((ours, mut theirs)) = pair() else { return Vec::new() };
    let parent = std::process::id();
    // SAFETY: the process has one thread, so its child may go on in any way.
    match unsafe { libc::fork() } {
        -1 => Vec::new(),
        0 => {
            drop(ours);
            end_with(parent);
            begin(options);
            program.follow_briefly();
            let found = serde_json::to_vec(&find(program)).unwrap_or_default();
            let _ = theirs.write_all(&found);
            // SAFETY: ends this process only; its buffers are its parent's.
            unsafe { libc::_exit(0) }
        }
        child => {
            drop(theirs);
            let answer = answer(ours, options, wall);
            // SAFETY: a child of this process that is not reaped yet.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, std::ptr::null_mut(), 0);
            }
            serde_json::from_slice(&answer).unwrap_or_default()
        }
    }
}

fn pair() -> Option<(UnixStream, UnixStream)> {
    let (ours, theirs) = UnixStream::pair().ok()?;
    let hidden = |stream: UnixStream| process::hide(stream.into()).map(UnixStream::from);
    Some((hidden(ours)?, hidden(theirs)?))
}

/// First steps of the child: nothing of what happens to it is shown.
fn begin(options: &VerifyPlan) {
    trail::leave();
    // SAFETY: system calls with valid arguments.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        if nowhere >= 0 {
            libc::dup2(nowhere, libc::STDERR_FILENO);
            libc::close(nowhere);
        }
    }
    watch_steps(options);
}

/// All that the child has to say, if it says it in time.
fn answer(mut stream: UnixStream, options: &VerifyPlan, wall: &Wall) -> Vec<u8> {
    let started = wall.seconds();
    let limit = started.mul_add(3.0, PATIENCE_SECS);
    let end = if options.time_limit_secs > 0.0 { limit.min(options.time_limit_secs) } else { limit };
    let (mut answer, mut block) = (Vec::new(), vec![0; 1 << 16]);
    while wall.seconds() < end && !interrupt::wanted() {
        let mut wanted = libc::pollfd { fd: stream.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid entry; an interrupted call leaves the result at 0.
        if unsafe { libc::poll(&mut wanted, 1, LOOK_INTERVAL) } <= 0 || wanted.revents == 0 {
            continue;
        }
        match stream.read(&mut block) {
            Ok(0) | Err(_) => return answer,
            Ok(len) => answer.extend_from_slice(&block[..len]),
        }
    }
    Vec::new()
}
