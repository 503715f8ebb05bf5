//! One walk after the other through a system, and what each of them meets.

use smpi_base::map::Set;

use super::{End, Memory, TaskResult, Walked, events, natural};
use crate::choice::{Choices, Event};
use crate::configuration::Configuration;
use crate::logarithms::ln_add;
use crate::reduction::cursor::Cursor;
use crate::reduction::tally::{Course, State, Tally};
use crate::system::{Settled, System};
use crate::verdict::{Flow, Limits, Observer};

/// An event that a walk takes.
pub struct Picked {
    pub event: Event,
    /// The executions below the state are so many times those below the event.
    pub factor: usize,
    /// There are more, which this does not count.
    pub is_least: bool,
}

impl Picked {
    /// A walk that is no random one.
    fn natural(event: Event) -> Picked {
        Picked { event, factor: 1, is_least: true }
    }
}

/// A system on a walk.
pub struct Walker<'a, S: System> {
    cursor: Cursor<'a, S>,
    tally: Tally<'a, S>,
    /// The state at rest before the first choice, and how it came to rest.
    root: Option<S::Snapshot>,
    root_settled: Option<Settled>,
    /// Nobody comes back to it.
    is_once: bool,
    /// Ends of executions that were shown.
    shown: Set<Configuration>,
    walks: Vec<Walked>,
    path: Vec<Event>,
    base: Configuration,
    /// A state on the way had a choice that was not closed: other walks may meet this one.
    shared: bool,
    settled: Settled,
    events: Vec<Event>,
}

/// A state of a walk to come back to.
pub struct Mark<T> {
    snapshot: Option<T>,
    len: usize,
    base: Configuration,
    shared: bool,
    settled: Settled,
}

impl<'a, S: System> Walker<'a, S> {
    pub fn new(system: &'a mut S, limits: &'a Limits, observer: &'a mut dyn Observer<S>) -> Walker<'a, S> {
        Walker {
            cursor: Cursor::new(system),
            tally: Tally::new(limits, observer),
            root: None,
            root_settled: None,
            is_once: false,
            shown: Set::default(),
            walks: Vec::new(),
            path: Vec::new(),
            base: Configuration::default(),
            shared: false,
            settled: Settled::Choices,
            events: Vec::new(),
        }
    }

    /// The natural execution.
    pub fn natural(mut self, memory: &mut Memory) -> TaskResult {
        self.set_once(true);
        self.begin();
        self.go_on_naturally(None, memory);
        self.finish(Vec::new())
    }

    /// The beginning is left once, or other states are remembered.
    pub fn set_once(&mut self, is_once: bool) {
        self.is_once = is_once;
    }

    /// To the beginning of the program.
    pub fn begin(&mut self) {
        self.path.clear();
        self.base = Configuration::default();
        self.shared = false;
        match (&self.root, self.root_settled) {
            (Some(root), Some(settled)) => {
                self.cursor.restore(root);
                self.settled = settled;
            }
            (None, Some(_)) => self.settled = self.cursor.reset(),
            (_, None) => {
                self.settled = self.cursor.reset();
                self.root_settled = Some(self.settled);
                self.root = if self.is_once { None } else { self.cursor.system.snapshot() };
            }
        }
    }

    /// Walks to the end, along the natural events, or to a state that is known.
    pub fn go_on_naturally(&mut self, deviation: Option<(u32, Event)>, memory: &mut Memory) -> Flow {
        let natural = &mut |choices: &Choices, _| natural(choices).map(Picked::natural);
        self.go_on(deviation, natural, Some(memory))
    }

    /// Walks to an end, or to a state that is known. `pick` gets the choices of a state and how many events led there.
    pub fn go_on(
        &mut self,
        deviation: Option<(u32, Event)>,
        pick: &mut dyn FnMut(&Choices, u32) -> Option<Picked>,
        memory: Option<&mut Memory>,
    ) -> Flow {
        let mut walked = Walked { deviation, from: self.path.len() as u32, ..Walked::default() };
        walked.ln_executions = f64::NEG_INFINITY;
        let flow = self.states(&mut walked, pick, memory);
        walked.until = self.path.len() as u32;
        self.walks.push(walked);
        flow
    }

    fn states(
        &mut self,
        walked: &mut Walked,
        pick: &mut dyn FnMut(&Choices, u32) -> Option<Picked>,
        mut memory: Option<&mut Memory>,
    ) -> Flow {
        let mut ln_factor = 0.0;
        loop {
            let position = self.path.len() as u32;
            let key = self.cursor.key(self.base);
            if let Some(memory) = memory.as_mut().filter(|_| self.shared) {
                walked.met.push((position, key));
                if !memory.0.insert(key) {
                    walked.is_cut = true;
                    return Flow::Continue;
                }
            }
            let state = State { settled: self.settled, failed: self.cursor.system.failed(), depth: self.path.len() };
            let (settled, failed, is_over) = match self.tally.meet(state, &|_, _| None) {
                Course::Stop => return Flow::Stop,
                Course::Void => return Flow::Continue,
                Course::Explore => (self.settled, false, false),
                Course::EndAndExplore => (self.settled, true, false),
                Course::End { settled, failed } => (settled, failed, true),
            };
            if is_over || failed {
                walked.ln_executions = ln_add(walked.ln_executions, ln_factor);
                let end = End { position, key, error: failed };
                if self.shown.insert(key) {
                    walked.ends.push(end);
                    if self.tally.end(self.cursor.system, settled, failed, &self.path) == Flow::Stop {
                        return Flow::Stop;
                    }
                }
            }
            if is_over {
                return Flow::Continue;
            }
            let Some(picked) = self.pick(walked, pick) else { return Flow::Continue };
            ln_factor += (picked.factor as f64).ln();
            walked.is_least |= picked.is_least;
            if picked.factor > 1 {
                let caller = self.cursor.system.caller(picked.event);
                let tolls = &mut self.tally.verdict.tolls;
                let id = tolls.id(caller);
                tolls.pay(id, picked.factor, 1);
            }
            self.tally.verdict.stats.transitions += 1;
            self.take(picked.event);
            walked.is_least |= !self.cursor.shown.late.is_empty();
        }
    }

    /// Picks an event of the present state, and notes how many there are.
    fn pick(&mut self, walked: &mut Walked, pick: &mut dyn FnMut(&Choices, u32) -> Option<Picked>) -> Option<Picked> {
        let position = self.path.len() as u32;
        let choices = self.cursor.choices();
        events(choices, &mut self.events);
        self.shared |= choices.first().is_none_or(|first| !first.closed);
        if self.events.len() > 1 {
            walked.branches.push((position, self.events.len() as u32 - 1));
        }
        pick(choices, position)
    }

    /// The events of the present state, the natural one first.
    pub fn events(&mut self) -> Vec<Event> {
        let choices = self.cursor.choices();
        events(choices, &mut self.events);
        self.shared |= choices.first().is_none_or(|first| !first.closed);
        self.events.clone()
    }

    /// Takes an event.
    pub fn take(&mut self, event: Event) {
        self.path.push(event);
        self.base = self.base.with(event);
        self.settled = self.cursor.take(event);
    }

    /// The present state, to come back to it.
    pub fn mark(&mut self) -> Mark<S::Snapshot> {
        let snapshot = self.cursor.system.snapshot();
        Mark { snapshot, len: self.path.len(), base: self.base, shared: self.shared, settled: self.settled }
    }

    /// Back to a state from which the walk has gone on since.
    pub fn go_back(&mut self, mark: &Mark<S::Snapshot>) {
        if let Some(snapshot) = &mark.snapshot {
            self.cursor.restore(snapshot);
            self.path.truncate(mark.len);
        } else {
            let path = self.path[..mark.len].to_vec();
            self.begin();
            path.into_iter().for_each(|event| self.take(event));
        }
        (self.base, self.shared, self.settled) = (mark.base, mark.shared, mark.settled);
    }

    /// No more walks; those that pay tolls have done so.
    pub fn finish_paid(mut self, agents: Vec<u64>) -> TaskResult {
        self.tally.verdict.tolls.executions = self.walks.len() as u64;
        self.finish(agents)
    }

    /// No more walks.
    pub fn finish(self, agents: Vec<u64>) -> TaskResult {
        let left_out = self.cursor.system.left_out();
        TaskResult { verdict: self.tally.finish(left_out), walks: self.walks, agents }
    }
}
