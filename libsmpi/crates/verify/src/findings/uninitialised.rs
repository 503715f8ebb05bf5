//! `memory/uninitialised`: whether it matters that a program sends what it never wrote.
//!
//! Some schedules are executed again, with other contents of fresh memory. What their calls are given is compared
//! ([`unwritten`]), and so is what the ranks print, their exit codes, and what they do. A program that depends on such
//! memory may do anything then, so that happens in a process of its own whose end means nothing, and which tells its
//! findings through a pipe.

use smpi_base::plan::VerifyPlan;
use smpi_base::rng::Rng;
use smpi_checker::{Choices, Event, Settled, System};
use smpi_process::{self as process, Fresh};
use smpi_report::Finding;
use smpi_report::finding::Buffering;
use smpi_runtime::summary::Wall;
use smpi_watch::access::unwritten::{self, Matters};

use crate::findings::race::differing;
use crate::program::aside::aside;
use crate::program::{Program, foreseen};
use crate::schedule::token;

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
    let limit = wall.seconds().mul_add(3.0, PATIENCE_SECS);
    let end = if options.time_limit_secs > 0.0 { limit.min(options.time_limit_secs) } else { limit };
    let said = aside(program, options, (wall, end), &mut |program, told| {
        program.follow_briefly();
        let found = serde_json::to_vec(&find(program)).unwrap_or_default();
        let _ = told.write_all(&found);
    });
    if said.is_whole { serde_json::from_slice(&said.bytes).unwrap_or_default() } else { Vec::new() }
}
