//! The common part of all explorations, at each state: keep to the limits, count, and tell the observer.
//!
//! [`Tally::meet`] also decides what happens to a state, by the first of these rules that holds:
//!
//! 1. no execution leads there ([`Settled::Void`]): it is left;
//! 2. the execution ends there, or something has failed and the exploration stops at failures: it is an end;
//! 3. the limit on choices is reached: it is an end for this exploration;
//! 4. only reluctant choices are enabled: it is an end, a deadlock, and is explored nevertheless;
//! 5. otherwise it is explored.

use crate::choice::Event;
use crate::system::Settled;
use crate::tolls::{TollId, Tolls};
use crate::verdict::{Counterexample, Flow, Keep, Limits, NewFile, Observer, Outlook, Stop, Verdict};

/// A state at rest that an exploration has come to.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// How it came to rest.
    pub settled: Settled,
    /// Something went wrong on the way.
    pub failed: bool,
    /// Steps that led there.
    pub depth: usize,
}

/// What executions through a state pay.
#[derive(Clone, Copy, Debug)]
pub struct Fare {
    /// Who takes it.
    pub toll: TollId,
    /// Branches of the state.
    pub ways: usize,
    /// Executions that had been seen before.
    pub since: u64,
}

/// Looks how far an exploration is, after so many executions that have paid these tolls.
pub type Look<'a> = dyn Fn(&Tolls, u64) -> Option<Outlook> + 'a;

/// What becomes of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Course {
    /// Its branches are explored.
    Explore,
    /// It is the end of an execution, to be counted by [`Tally::end`], and its branches are explored all the same.
    EndAndExplore,
    /// It is the end of an execution, or of what is explored of it, to be counted by [`Tally::end`].
    End {
        /// How it ended.
        settled: Settled,
        /// The end is an error.
        failed: bool,
    },
    /// No execution leads there.
    Void,
    /// Nothing more is explored at all.
    Stop,
}

/// Limits, counts and observer of an exploration.
pub struct Tally<'a, S> {
    /// The limits.
    pub limits: &'a Limits,
    observer: &'a mut dyn Observer<S>,
    /// The verdict so far.
    pub verdict: Verdict,
}

impl<'a, S> Tally<'a, S> {
    /// Nothing counted yet.
    pub fn new(limits: &'a Limits, observer: &'a mut dyn Observer<S>) -> Tally<'a, S> {
        Tally { limits, observer, verdict: Verdict::default() }
    }

    /// Counts a state, and says what becomes of it.
    pub fn meet(&mut self, state: State, outlook: &Look<'_>) -> Course {
        if self.verdict.stats.executions >= self.limits.executions {
            self.verdict.stopped = Some(Stop::Executions);
            return Course::Stop;
        }
        let stats = &mut self.verdict.stats;
        stats.configurations += 1;
        stats.depth = stats.depth.max(state.depth as u64);
        let (executions, tolls) = (stats.executions, &self.verdict.tolls);
        if self.observer.visit(stats, &|| outlook(tolls, executions)) == Flow::Stop {
            self.verdict.stopped = Some(Stop::Asked);
            // What has failed on the way here would otherwise be shown when this execution ends.
            return if state.failed { Course::End { settled: Settled::Choices, failed: true } } else { Course::Stop };
        }
        let settled = state.settled;
        let failed = state.failed || settled.is_error();
        match settled {
            Settled::Void => Course::Void,
            _ if settled.is_end() || failed && !self.limits.keep_going => Course::End { settled, failed },
            _ if state.depth >= self.limits.depth => {
                self.verdict.bounded = true;
                let settled = if settled == Settled::Reluctant { settled } else { Settled::Bounded };
                Course::End { settled, failed }
            }
            Settled::Reluctant => Course::EndAndExplore,
            _ => Course::Explore,
        }
    }

    /// Counts the end of an execution, and shows it. The system is in that state, and the choices of `path` led there.
    pub fn end(&mut self, system: &mut S, settled: Settled, failed: bool, path: &[Event]) -> Flow {
        let verdict = &mut self.verdict;
        verdict.stats.executions += 1;
        verdict.bounded |= settled == Settled::Bounded;
        if failed {
            verdict.errors += 1;
            verdict.first.get_or_insert_with(|| Counterexample { settled, path: path.to_vec() });
        }
        let flow = self.observer.execution(system, settled, path);
        if failed && !self.limits.keep_going {
            verdict.stopped = Some(Stop::Error);
        } else if flow == Flow::Stop {
            verdict.stopped = Some(Stop::Asked);
        }
        if verdict.stopped.is_some() { Flow::Stop } else { Flow::Continue }
    }

    /// All executions that were seen since a state was come to have passed it.
    #[inline]
    pub fn pay(&mut self, fare: &Fare) {
        let Verdict { stats, tolls, .. } = &mut self.verdict;
        tolls.pay(fare.toll, fare.ways, stats.executions - fare.since);
    }

    /// Whether memory is short, and how files are made for what may leave it.
    pub fn wants_room(&mut self, movable: usize) -> Option<NewFile> {
        self.observer.wants_room(movable)
    }

    /// The exploration goes on from where another one was, or cannot.
    pub fn goes_on(&mut self, goes_on: bool) {
        self.observer.goes_on(goes_on.then_some(&self.verdict.stats));
    }

    /// Whether the exploration is to be kept.
    pub fn keeps(&mut self) -> Keep {
        self.observer.keeps()
    }

    /// Keeps a change of the exploration; true if it is kept.
    pub fn keep(&mut self, system: &mut S, change: Vec<u8>) -> bool {
        self.observer.keep(system, change)
    }

    /// There have been many executions.
    pub fn many(&mut self, system: &mut S) {
        self.observer.many(system);
    }

    /// The verdict; `left_out` is what the system says of itself.
    pub fn finish(mut self, left_out: bool) -> Verdict {
        self.verdict.conclude(left_out);
        self.verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Unobserved;

    fn course(settled: Settled, failed: bool, depth: usize, keep_going: bool) -> (Course, Verdict) {
        let limits = Limits { depth: 5, keep_going, ..Limits::default() };
        let mut observer = Unobserved;
        let mut tally: Tally<'_, ()> = Tally::new(&limits, &mut observer);
        let course = tally.meet(State { settled, failed, depth }, &|_, _| None);
        (course, tally.verdict)
    }

    fn end(settled: Settled, failed: bool) -> Course {
        Course::End { settled, failed }
    }

    #[test]
    fn a_state_has_one_course() {
        use Settled::{Bounded, Choices, Deadlock, Finished, Reluctant, Void};
        let course_of = |settled, failed, depth, keep_going| course(settled, failed, depth, keep_going).0;
        assert_eq!(course_of(Void, true, 9, false), Course::Void);
        assert_eq!(course_of(Finished, false, 9, false), end(Finished, false));
        assert_eq!(course_of(Deadlock, false, 0, true), end(Deadlock, true));
        assert_eq!(course_of(Choices, true, 0, false), end(Choices, true));
        assert_eq!(course_of(Choices, true, 0, true), Course::Explore);
        assert_eq!(course_of(Choices, false, 5, true), end(Bounded, false));
        assert_eq!(course_of(Reluctant, false, 0, true), Course::EndAndExplore);
        assert_eq!(course_of(Reluctant, false, 0, false), end(Reluctant, true));
    }

    #[test]
    fn a_deadlock_at_the_limit_is_one_and_what_is_behind_it_is_left_out() {
        let (course, verdict) = course(Settled::Reluctant, false, 5, true);
        assert_eq!(course, end(Settled::Reluctant, true));
        assert!(verdict.bounded);
    }
}
