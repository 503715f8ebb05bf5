//! A kind of buffering that one process explores as a whole: by states, or by groups of ranks. Parts of such an
//! exploration would lead to states of each other.
//!
//! A checkpoint keeps what came of it once it is over. What an exploration by states knows on its way is no such
//! result: which states were left, what is open above them and which components they belong to hold for the path on
//! which the search is.

use smpi_checker::{Limits, Stop, Verdict, wire};
use smpi_report::finding::Finding;
use smpi_report::{Findings, Progress};

use crate::options::strategy;
use crate::processes::Pool;
use crate::processes::checkpoint::{Context, key};
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
        let (verdict, seen, instead) = self.seen(program, progress);
        if instead.is_none() {
            self.keep(&verdict, &seen);
        }
        Explored { instead, ..put_together(verdict, seen, findings) }
    }

    /// Explores the mode: what comes of it, as it can be kept or sent, and the better way if there is one.
    pub fn seen(&self, program: &mut Program, progress: &mut Progress) -> (Verdict, Seen, Option<Instead>) {
        let mut findings = Findings::new();
        let (mut verdict, collector) = self.watched(program, &mut findings, progress);
        collector.note_settled(&mut verdict);
        let instead = collector.instead;
        let mut seen = Seen::of(self.pool.mode, collector);
        seen.findings = findings.gathered();
        if instead.is_none() {
            seen.unnamed = program.take_unnamed();
        }
        (verdict, seen, instead)
    }

    fn watched<'b>(
        &'b self,
        program: &mut Program,
        findings: &'b mut Findings,
        progress: &'b mut Progress,
    ) -> (Verdict, Collector<'b>) {
        let Pool { mode, options, wall, .. } = self.pool;
        let collector = Collector::new(mode, options, wall, findings, progress);
        let collector = collector.looking_for(self.wanted.clone()).leaving_trail(self.earlier);
        let mut collector = collector.going(self.way);
        let verdict = strategy(options).explore(program, &self.limits, &mut collector);
        (verdict, collector)
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
        let is_whole = verdict.stopped != Some(Stop::Asked) && !seen.timed_out;
        if let Some(checkpoint) = self.pool.checkpoint.filter(|_| is_whole) {
            checkpoint.borrow_mut().keep(self.key(), &wire::write_verdict(verdict), seen);
        }
    }

    fn key(&self) -> u128 {
        let options = self.pool.options;
        let context = serde_json::to_vec(&Context::here(self.pool.mode, &self.wanted)).unwrap_or_default();
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
