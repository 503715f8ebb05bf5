//! A kind of buffering that one process explores as a whole: by states, or by groups of ranks. Parts of such an
//! exploration would lead to states of each other.
//!
//! A checkpoint keeps what came of it once it is over. An exploration by states is kept on its way, too, with all that
//! it knows ([`explore_kept`]): which states were left, what is open above them, and which components they belong to.

use std::cell::RefCell;

use smpi_checker::{Limits, Reduction, Stop, Verdict, explore_kept, wire};
use smpi_report::finding::Finding;
use smpi_report::{Findings, Progress};

use crate::options::{every, reduction, strategy};
use crate::processes::Pool;
use crate::processes::checkpoint::{Checkpoint, Context, key};
use crate::processes::part::{Seen, Together};
use crate::program::Program;
use crate::search::collect::{Collector, Way};
use crate::search::course::Course;
use crate::search::outcome::{Explored, Instead};
use crate::trail;

/// The work of one mode.
#[derive(Clone)]
pub struct Whole<'a> {
    /// Who does it, and where it is kept.
    pub pool: Pool<'a>,
    /// Limits of the exploration.
    pub limits: Limits,
    /// The deadlock with zero buffering that is looked for, if that is all that is left to do.
    pub wanted: Option<Finding>,
    /// What was explored in earlier modes.
    pub earlier: trail::Counts,
    /// How it is explored.
    pub way: Way,
}

impl Whole<'_> {
    /// Explores the mode, unless a checkpoint has what came of it.
    pub fn explore(&self, program: &mut Program, findings: &mut Findings, progress: &mut Progress) -> Explored {
        if self.pool.checkpoint.is_none() {
            let (verdict, mut collector) = self.watched(program, findings, progress);
            return collector.explored(verdict);
        }
        if let Some(known) = self.known(findings) {
            return known;
        }
        let (verdict, seen, instead) = self.seen(program, progress, true);
        if instead.is_none() {
            self.keep(&verdict, &seen);
        }
        Explored { instead, ..put_together(verdict, seen, findings) }
    }

    /// Explores the mode: what comes of it, as it can be kept or sent, and the better way if there is one. Goes on
    /// where a checkpoint has the beginning of it, and keeps it there if this process may write it.
    pub fn seen(
        &self,
        program: &mut Program,
        progress: &mut Progress,
        writes: bool,
    ) -> (Verdict, Seen, Option<Instead>) {
        if let Some(checkpoint) = self.pool.checkpoint
            && let Some(seconds) = self.every()
        {
            return self.seen_and_kept(program, progress, checkpoint, writes.then_some(seconds));
        }
        let mut findings = Findings::new();
        let (verdict, collector) = self.watched(program, &mut findings, progress);
        self.end(program, verdict, &collector)
    }

    /// The same as another process answers it.
    pub fn answer(&self, program: &mut Program) -> (Vec<u8>, Seen) {
        let (verdict, seen, _) = self.seen(program, &mut Progress::silent(), false);
        (wire::write_verdict(&verdict), seen)
    }

    /// What came of it.
    fn end(
        &self,
        program: &mut Program,
        mut verdict: Verdict,
        collector: &Collector<'_>,
    ) -> (Verdict, Seen, Option<Instead>) {
        collector.note_settled(&mut verdict);
        let instead = collector.instead;
        let mut seen = self.seen_so_far(program, collector);
        if instead.is_none() {
            seen.unnamed = program.take_unnamed();
        }
        (verdict, seen, instead)
    }

    fn seen_so_far(&self, program: &Program, collector: &Collector<'_>) -> Seen {
        let mut seen = Seen::of(self.pool.mode, collector);
        seen.unnamed = program.unnamed();
        seen
    }

    /// Seconds after which it can be kept before it is over, again and again.
    fn every(&self) -> Option<f64> {
        let options = self.pool.options;
        every(options).filter(|_| options.stateful && reduction(options) == Reduction::Matches)
    }

    /// Explores the mode by states, which is kept after so many seconds again and again, or goes on with it.
    fn seen_and_kept(
        &self,
        program: &mut Program,
        progress: &mut Progress,
        checkpoint: &RefCell<Checkpoint>,
        kept: Option<f64>,
    ) -> (Verdict, Seen, Option<Instead>) {
        let (mode, key) = (self.pool.mode, self.key());
        let (count, before) = checkpoint.borrow().changes(key).unzip();
        let mut changes = (0..count.unwrap_or(0)).map(|place| checkpoint.borrow().change(key, place));
        let all_seen = |collector: &Collector<'_>, seen: Seen| match &before {
            Some(before) if collector.has_gone_on() => seen.after(before.clone(), mode),
            _ => seen,
        };
        let mut findings = Findings::new();
        let mut keeper = |collector: &Collector<'_>, program: &Program, change: &[u8]| {
            let seen = all_seen(collector, self.seen_so_far(program, collector));
            checkpoint.borrow_mut().keep_change(key, change, &seen)
        };
        let mut collector = self.collector(&mut findings, progress);
        if let Some(seconds) = kept {
            collector = collector.keeping(seconds, &mut keeper);
        }
        let verdict = explore_kept(program, &self.limits, &mut collector, (&mut changes, kept.is_some()));
        let (verdict, seen, instead) = self.end(program, verdict, &collector);
        (verdict, all_seen(&collector, seen), instead)
    }

    fn watched<'b>(
        &'b self,
        program: &mut Program,
        findings: &'b mut Findings,
        progress: &'b mut Progress,
    ) -> (Verdict, Collector<'b>) {
        let mut collector = self.collector(findings, progress);
        let verdict = strategy(self.pool.options).explore(program, &self.limits, &mut collector);
        (verdict, collector)
    }

    fn collector<'b>(&'b self, findings: &'b mut Findings, progress: &'b mut Progress) -> Collector<'b> {
        let Pool { mode, options, wall, .. } = self.pool;
        let collector = Collector::new(mode, options, wall, findings, progress);
        collector.looking_for(self.wanted.clone()).leaving_trail(self.earlier).going(self.way)
    }

    /// What a checkpoint has of it.
    pub fn known(&self, findings: &mut Findings) -> Option<Explored> {
        let checkpoint = self.pool.checkpoint?.borrow();
        let (verdict, seen) = checkpoint.result(self.key())?;
        let verdict = wire::read_verdict(verdict)?;
        seen.findings.as_slice().iter().for_each(trail::note_finding);
        let stats = &verdict.stats;
        trail::note_counts(self.earlier.and(stats.executions, stats.transitions, stats.configurations));
        Some(put_together(verdict, seen, findings))
    }

    /// Keeps what came of it, unless the user or a limit has cut it short.
    pub fn keep(&self, verdict: &Verdict, seen: &Seen) {
        let is_whole = verdict.stopped != Some(Stop::Asked) && !seen.timed_out && !seen.is_full;
        if let Some(checkpoint) = self.pool.checkpoint.filter(|_| is_whole) {
            checkpoint.borrow_mut().keep(self.key(), &wire::write_verdict(verdict), seen);
        }
    }

    /// What it depends on, as a task of others has it.
    pub fn context(&self) -> Vec<u8> {
        serde_json::to_vec(&Context::here(self.pool.mode, &self.wanted)).unwrap_or_default()
    }

    fn key(&self) -> u128 {
        let options = self.pool.options;
        let context = self.context();
        let way = format!("{:?} {:?} {}", self.way, options.reduction, options.stateful);
        key(&context, way.as_bytes())
    }
}

/// The result of an exploration of which this was seen.
pub fn put_together(verdict: Verdict, seen: Seen, findings: &mut Findings) -> Explored {
    let (timed_out, left_out, discovered) = (seen.timed_out, seen.left_out.clone(), seen.discovered());
    let unnamed = seen.unnamed.clone();
    let mut together = Together::default();
    together.add(seen, findings, &Some);
    let mut course = Course::default();
    course.end(&verdict);
    Explored { unnamed, course, ..together.explored(verdict, timed_out, left_out, discovered) }
}
