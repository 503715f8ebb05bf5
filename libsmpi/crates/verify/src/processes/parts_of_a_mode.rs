//! `--jobs`: several processes explore the parts of a program ([`smpi_checker::jobs`]).
//!
//! The results are put together in the order in which one process would have found them. A worker's results do not
//! depend on when it ran, so the report does not depend on the number of workers. One exception: the occurrences of a
//! finding may count orders of the same choices separately.

use smpi_base::map::{Map, Set};
use smpi_checker::jobs::{PARTS, PartId, Plan};
use smpi_checker::walks::estimate::Estimate;
use smpi_checker::{Limits, Part, Stop, explore_part, wire};
use smpi_choices::Discoveries;
use smpi_report::finding::Finding;
use smpi_report::progress::Counts;
use smpi_report::{Findings, Progress};

use crate::limits::interrupt;
use crate::options::{every, strategy};
use crate::processes::part::{Seen, Together};
use crate::processes::{Pool, Tasks};
use crate::program::{LeftOut, Program, callers, is_surprised};
use crate::search::collect::{Collector, Way};
use crate::search::course::Course;
use crate::search::estimate;
use crate::search::outcome::Explored;
use crate::trail;

/// Parts from which on a program is so large that one asks how large it is.
const MANY: usize = PARTS / 2;

/// Parts that one is cut into that takes too long. What it has explored by then is explored again in these.
const PIECES: usize = 16;

/// States that are looked at for that.
const LOOKED: u64 = 1 << 16;

/// Executions that this process explores by itself before it asks for help. Cutting a program into parts costs two or
/// three executions for each part, and each part begins at the start of the program.
const ALONE: u64 = 64;

/// The work of one mode.
pub struct Job<'a> {
    /// Who does it.
    pub pool: Pool<'a>,
    /// Limits of the exploration.
    pub limits: &'a Limits,
    /// The deadlock with zero buffering that is looked for, if that is all that is left to do.
    pub wanted: Option<Finding>,
    /// What was explored in earlier modes.
    pub earlier: trail::Counts,
    /// How it is explored.
    pub way: Way,
}

/// The parts of a program that are explored now.
struct Parts<'a> {
    plan: &'a mut Plan,
    /// The next one last.
    waiting: Vec<PartId>,
    /// Those that were handed out, by their numbers.
    ids: Vec<PartId>,
    /// Those that take too long.
    long: Vec<PartId>,
    /// Those that cannot be cut, however long they take.
    whole: &'a Set<PartId>,
    /// Whether parts may take too long.
    cuts: bool,
    found: &'a mut Found,
    earlier: trail::Counts,
    progress: &'a mut Progress,
}

/// What workers found so far.
#[derive(Default)]
struct Found {
    seen: Map<PartId, Seen>,
    executions: u64,
    transitions: u64,
    left_out: LeftOut,
    discovered: Discoveries,
    estimate: Option<Estimate>,
    course: Course,
}

impl Tasks for Parts<'_> {
    fn hand_out(&mut self) -> Option<(usize, Vec<u8>)> {
        let id = self.waiting.pop()?;
        let part = self.plan.part(id);
        self.ids.push(id);
        let mut bytes = wire::write_part(part.prefix, part.shared);
        bytes.push(u8::from(self.cuts && !self.whole.contains(&id)));
        Some((self.ids.len() - 1, bytes))
    }

    fn take_in(&mut self, task: usize, result: &[u8], seen: Seen) -> Option<()> {
        let (id, result) = (*self.ids.get(task)?, wire::read_result(result)?);
        if seen.is_too_long {
            self.long.push(id);
            return Some(());
        }
        let found = &mut *self.found;
        found.executions += result.verdict.stats.executions;
        found.transitions += result.verdict.stats.transitions;
        self.plan.finish(id, result);
        found.left_out.join(seen.left_out.clone());
        found.discovered.extend(seen.discovered());
        seen.findings.as_slice().iter().for_each(trail::note_finding);
        found.seen.insert(id, seen);
        let open = self.plan.open_parts();
        self.waiting.retain(|id| open.contains(id));
        trail::note_counts(self.earlier.and(found.executions, found.transitions, 0));
        let (plan, ln_explored, open) = (&*self.plan, self.plan.ln_explored(), open.len() as u64);
        found.course.note(found.executions, ln_explored);
        self.progress.update(|| Counts {
            executions: found.executions,
            transitions: found.transitions,
            estimate: estimate::reported(found.estimate.as_ref(), &found.course, found.executions),
            choices_left: Some(open),
            explored: Some(ln_explored.exp()),
            dearest: plan.tolls().dearest().map(callers::briefly),
            findings: found.seen.values().map(|seen| seen.findings.as_slice().len() as u64).sum(),
        });
        Some(())
    }

    fn transitions(&self, result: &[u8]) -> Option<u64> {
        Some(wire::read_result(result)?.verdict.stats.transitions)
    }

    fn is_whole(&self, result: &[u8], seen: &Seen) -> bool {
        seen.is_too_long
            || !seen.timed_out
                && wire::read_result(result).is_some_and(|result| result.verdict.stopped != Some(Stop::Asked))
    }

    fn is_over(&self) -> bool {
        self.plan.open_parts().is_empty() || !self.found.discovered.is_empty()
    }
}

impl Job<'_> {
    /// Explores the program with several processes, unless it is over before they would have begun.
    pub fn explore(&self, program: &mut Program, findings: &mut Findings, progress: &mut Progress) -> Explored {
        self.alone(program, findings, progress).unwrap_or_else(|| self.together(program, findings, progress))
    }

    /// Explores the program as one process does. `None` where it has more executions than that is worth, and where
    /// parts are to be checked.
    fn alone(&self, program: &mut Program, findings: &mut Findings, progress: &mut Progress) -> Option<Explored> {
        let Pool { mode, options, wall, .. } = self.pool;
        if program.checks_itself() && !self.way.adapts() {
            return None;
        }
        let mut found = findings.clone();
        let collector = Collector::new(mode, options, wall, &mut found, progress);
        let collector = collector.looking_for(self.wanted.clone()).leaving_trail(self.earlier);
        let mut collector = collector.going(self.way).alone(ALONE);
        let verdict = strategy(options).explore(program, self.limits, &mut collector);
        let explored = collector.explored(verdict);
        let is_all = !collector.is_to_be_shared && !program.checks_itself();
        (explored.instead.is_some() || is_all).then(|| {
            *findings = found;
            explored
        })
    }

    fn together(&self, program: &mut Program, findings: &mut Findings, progress: &mut Progress) -> Explored {
        let ends_early = Limits { keep_going: self.limits.keep_going && self.wanted.is_none(), ..*self.limits };
        let mut plan = Plan::new(program, &ends_early, PARTS);
        let (mut found, mut whole) = (Found::default(), Set::default());
        let cuts = self.pool.checkpoint.is_some() || self.pool.nodes.is_some();
        if plan.open_parts().len() >= MANY && !is_surprised() {
            found.estimate = estimate::estimate(program, (self.pool.options, self.pool.wall), MANY as u64, LOOKED);
        }
        while !is_surprised() {
            let mut waiting = plan.open_parts();
            waiting.reverse();
            let (plan, found, earlier) = (&mut plan, &mut found, self.earlier);
            let (ids, long, whole_parts) = (Vec::new(), Vec::new(), &whole);
            let mut parts = Parts { plan, waiting, ids, long, whole: whole_parts, cuts, found, earlier, progress };
            self.pool.run_shared(program, &mut parts, &self.wanted, &mut |program, bytes| self.work(program, bytes));
            let long = parts.long;
            let is_over = interrupt::wanted() || !found.discovered.is_empty();
            if is_over || found.seen.values().any(|seen| seen.timed_out) {
                break;
            }
            let is_cut = !long.is_empty();
            for id in long {
                if !plan.split(program, id, PIECES, &ends_early) {
                    whole.insert(id);
                }
            }
            if !is_cut && !plan.expand(program) {
                break;
            }
        }
        let Found { mut seen, executions, transitions, mut left_out, discovered, estimate, course } = found;
        left_out.join(LeftOut::here());
        let mut together = Together::default();
        for id in plan.parts() {
            let Some(seen) = seen.remove(&id) else { continue };
            together.add(seen, findings, &|local| Some(plan.execution_number(id, local)));
        }
        let mut verdict = plan.verdict();
        if verdict.stopped == Some(Stop::Asked) {
            // Parts were left out; the counts are those of all that was done.
            (verdict.stats.executions, verdict.stats.transitions) = (executions, transitions);
        }
        let course = if verdict.is_cut_short() { course } else { Course::default() };
        Explored { estimate, course, ..together.explored(verdict, self.pool.is_late(), left_out, discovered) }
    }

    /// Explores a part.
    pub fn work(&self, program: &mut Program, bytes: &[u8]) -> Option<(Vec<u8>, Seen)> {
        let (&may_be_cut, bytes) = bytes.split_last()?;
        let (prefix, shared) = wire::read_part(bytes)?;
        let (mut findings, mut silent) = (Findings::new(), Progress::silent());
        let Pool { mode, options, wall, .. } = self.pool;
        let collector = Collector::new(mode, options, wall, &mut findings, &mut silent);
        let seconds = every(options).filter(|_| may_be_cut != 0).unwrap_or(f64::INFINITY);
        let mut collector = collector.looking_for(self.wanted.clone()).within(seconds);
        let mut result = explore_part(program, Part { prefix: &prefix, shared }, self.limits, &mut collector);
        collector.note_settled(&mut result.verdict);
        let seen = Seen::of(mode, &collector);
        Some((wire::write_result(&result), seen))
    }
}
