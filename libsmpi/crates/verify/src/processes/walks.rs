//! `--sample` and `--deviations`: single executions instead of all ([`smpi_checker::walks`]), by one process or by
//! several. The report is the same for any number of them.

use smpi_base::plan::SearchPlan;
use smpi_checker::walks::{Goal, Memory, Search, Task, run};
use smpi_checker::{Limits, Stop, wire};
use smpi_choices::Discoveries;
use smpi_report::coverage::{Coverage, Priorities};
use smpi_report::finding::Finding;
use smpi_report::progress::Counts;
use smpi_report::{Findings, Progress};

use crate::limits::interrupt;
use crate::processes::part::{Seen, Together};
use crate::processes::{self, Pool, Tasks};
use crate::program::{LeftOut, Program, callers};
use crate::search::collect::Collector;
use crate::search::outcome::Explored;
use crate::trail;

/// The work of one mode.
pub struct Walks<'a> {
    /// Who does it.
    pub pool: Pool<'a>,
    /// Limits of the exploration.
    pub limits: &'a Limits,
    /// The deadlock with zero buffering that is looked for, if that is all that is left to do.
    pub wanted: Option<Finding>,
    /// What was explored in earlier modes.
    pub earlier: trail::Counts,
}

/// What is wanted; `None`: everything.
pub fn goal(search: SearchPlan) -> Option<Goal> {
    match search {
        SearchPlan::All => None,
        SearchPlan::Sample { walks, seed, bug_depth } => Some(Goal::Sample { walks, seed, depth: bug_depth }),
        SearchPlan::Deviations(most) => Some(Goal::Deviations(most)),
    }
}

/// A search, and what its tasks have seen.
struct Searching<'a> {
    search: Search,
    earlier: trail::Counts,
    /// What was seen in tasks whose results are not merged yet, by their numbers.
    waiting: Vec<Option<Seen>>,
    together: Together,
    findings: &'a mut Findings,
    progress: &'a mut Progress,
    left_out: LeftOut,
    timed_out: bool,
    discovered: Discoveries,
}

impl Searching<'_> {
    /// Takes in what a task gave, and puts together what can be.
    fn note(&mut self, task: usize, result: smpi_checker::walks::TaskResult, seen: Seen) {
        self.waiting.resize_with(self.waiting.len().max(task + 1), || None);
        self.waiting[task] = Some(seen);
        self.search.finish(task as u64, result);
        while let Some(merged) = self.search.merge() {
            let Some(seen) = self.waiting[merged.task as usize].take() else { continue };
            self.timed_out |= seen.timed_out;
            self.left_out.join(seen.left_out.clone());
            self.discovered = seen.discovered();
            let known = self.findings.as_slice().len();
            let number = |local: u64| merged.numbers.get(local.checked_sub(1)? as usize).copied().flatten();
            self.together.add(seen, self.findings, &number);
            self.findings.as_slice()[known..].iter().for_each(trail::note_finding);
            if !self.discovered.is_empty() {
                self.search.stop();
            }
        }
        let (executions, transitions) = self.search.counts();
        trail::note_counts(self.earlier.and(executions, transitions, 0));
        let findings = self.findings.as_slice().len() as u64;
        let explored = self.search.share();
        let dearest = self.search.dearest();
        self.progress.update(|| {
            let dearest = dearest.map(callers::briefly);
            Counts { executions, transitions, explored, findings, dearest, ..Counts::default() }
        });
    }
}

impl Tasks for Searching<'_> {
    fn hand_out(&mut self) -> Option<(usize, Vec<u8>)> {
        self.search.hand_out().map(|(number, task)| (number as usize, wire::write_task(&task)))
    }

    fn take_in(&mut self, task: usize, result: &[u8], seen: Seen) -> Option<()> {
        self.note(task, wire::read_walks(result)?, seen);
        Some(())
    }

    fn transitions(&self, result: &[u8]) -> Option<u64> {
        Some(wire::read_walks(result)?.verdict.stats.transitions)
    }

    fn is_whole(&self, result: &[u8], seen: &Seen) -> bool {
        !seen.timed_out && wire::read_walks(result).is_some_and(|result| result.verdict.stopped != Some(Stop::Asked))
    }

    fn is_over(&self) -> bool {
        self.search.is_over()
    }
}

impl Walks<'_> {
    /// Executes what is wanted.
    pub fn explore(
        &self,
        program: &mut Program,
        goal: Goal,
        findings: &mut Findings,
        progress: &mut Progress,
    ) -> Explored {
        let mut searching = Searching {
            search: Search::new(goal, self.limits),
            earlier: self.earlier,
            waiting: Vec::new(),
            together: Together::default(),
            findings,
            progress,
            left_out: LeftOut::default(),
            timed_out: false,
            discovered: Discoveries::new(),
        };
        let mut memory = Memory::default();
        if processes::cuts(self.pool.options) {
            let work = &mut |program: &mut Program, bytes: &[u8]| self.work_on(program, bytes, &mut memory);
            self.pool.run_shared(program, &mut searching, &self.wanted, work);
        } else {
            while !interrupt::wanted()
                && !self.pool.is_late()
                && let Some((number, task)) = searching.search.hand_out()
            {
                let (result, seen) = self.work(program, &task, &mut memory);
                searching.note(number as usize, result, seen);
            }
        }
        if !searching.search.is_over() {
            searching.search.stop();
        }
        let Searching { search, together, mut left_out, timed_out, discovered, .. } = searching;
        left_out.join(LeftOut::here());
        let (verdict, covered) = search.conclude();
        let coverage = coverage(goal, &covered);
        let timed_out = timed_out || self.pool.is_late();
        let (covered, estimate) = (Some((coverage, covered.exhausted)), covered.estimate);
        Explored { covered, estimate, ..together.explored(verdict, timed_out, left_out, discovered) }
    }

    /// Does a task that is given as bytes.
    pub fn work_on(&self, program: &mut Program, bytes: &[u8], memory: &mut Memory) -> Option<(Vec<u8>, Seen)> {
        let (result, seen) = self.work(program, &wire::read_task(bytes)?, memory);
        Some((wire::write_walks(&result), seen))
    }

    /// Does a task.
    fn work(&self, program: &mut Program, task: &Task, memory: &mut Memory) -> (smpi_checker::walks::TaskResult, Seen) {
        let (mut findings, mut silent) = (Findings::new(), Progress::silent());
        let Pool { mode, options, wall, .. } = self.pool;
        let collector = Collector::new(mode, options, wall, &mut findings, &mut silent);
        let mut collector = collector.looking_for(self.wanted.clone());
        let mut result = run(program, task, memory, self.limits, &mut collector);
        collector.note_settled(&mut result.verdict);
        let seen = Seen::of(mode, &collector);
        (result, seen)
    }
}

/// What was covered, for the report.
fn coverage(goal: Goal, covered: &smpi_checker::walks::Covered) -> Coverage {
    match goal {
        Goal::Sample { seed, depth, .. } => {
            let priorities = depth.map(|depth| Priorities::new(depth, covered.agents, u64::from(covered.steps)));
            Coverage::Sample { walks: covered.walks, seed, priorities }
        }
        Goal::Deviations(most) => Coverage::Deviations { most, executions: covered.levels.clone() },
    }
}
