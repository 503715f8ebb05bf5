//! The default exploration: depth first over configurations, one choice at a time, lazily expanded.
//!
//! At every state one choice is taken, with all its candidates. The other choices are explored from this state only if
//! a candidate arrived late for the first, somewhere below ([`crate::reduction::expansion`]). The crate's documentation
//! proves that this is enough, and that every execution is seen once.
//!
//! Below a choice that might be expanded, the exploration stores each state's key with the late arrivals of its
//! subtree. A branch that reaches the state again reports these late arrivals and stops. Below closed choices only, two
//! branches never meet, so no key is stored.
//!
//! If the system names its states ([`System::fingerprint`]), all are stored, from the moment they are entered. A branch
//! that reaches a state of its own path ends there, and the state before is expanded. The crate's documentation says
//! why this is enough, under "States without their history".

use crate::alternatives::NOT_YET;
use crate::below::Below;
use crate::choice::{Choice, ChoiceId, ChoiceKind, Choices, Event};
use crate::configuration::Configuration;
use crate::logarithms::ln_add;
use crate::reduction::Strategy;
use crate::reduction::again::{Again, View};
use crate::reduction::cursor::{Cursor, Name};
use crate::reduction::endings::{Endings, Onward, Reach};
use crate::reduction::expansion::{Branching, Evidence, Missing};
use crate::reduction::given::Given;
use crate::reduction::memo::{Memo, Recalled};
use crate::reduction::tally::{Course, Fare, State, Tally};
use crate::system::{Prospect, Settled, System};
use crate::tolls::{TollId, Tolls};
use crate::verdict::{Ambiguous, Flow, Limits, Observer, Outlook, Stop, Verdict};

/// Executions after which an exploration is one of many: see [`Observer::many`].
const MANY: u64 = 1_000;

/// Snapshots on a path above which some are dropped. What lies between two is executed again when it is come back to.
const MOST_SNAPSHOTS: usize = 1 << 11;

/// A visited state as a worker reports it, so that several workers' counts can be united.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Visited {
    /// Which state.
    pub key: Configuration,
    /// Branches taken from it.
    pub branches: u32,
    /// It is the end of an execution.
    pub end: bool,
    /// The end is an error.
    pub error: bool,
    /// Its other choices were explored, too.
    pub expanded: bool,
}

impl Visited {
    /// A state without branches.
    fn leaf(key: Configuration, end: bool, error: bool) -> Visited {
        Visited { key, branches: 0, end, error, expanded: false }
    }
}

/// A state on the current path.
pub(super) struct Frame<T> {
    pub(super) name: Name,
    /// The key without the system's marks.
    pub(super) base: Configuration,
    pub(super) branching: Branching,
    /// What was found below so far.
    pub(super) found: Evidence,
    /// What has come below, whoever it is late for.
    pub(super) below: Below,
    /// It must be remembered: other paths may lead here.
    pub(super) remember: bool,
    /// What becomes of executions from here.
    pub(super) reach: Reach,
    /// What can come of its choices, where it has a name.
    pub(super) prospect: Prospect,
    /// A state of its component that was come to again when something else was given, and the way there.
    pub(super) ambiguous: Option<Box<Ambiguous>>,
    /// Its branches are `start..end` of the list of all frames' branches, and `next` is the one to take next.
    /// Invariant: `start <= next <= end`, and the branches of the last frame end the list.
    pub(super) start: usize,
    pub(super) next: usize,
    pub(super) end: usize,
    /// The call whose choice comes first here, where there is more than one branch.
    pub(super) toll: TollId,
    /// Executions that had been seen when the search came here.
    pub(super) since: u64,
    /// Taken where more than one branch leaves from here; dropped with the last one, unless more may follow.
    pub(super) snapshot: Option<T>,
}

impl<T> Frame<T> {
    /// What executions through this state pay.
    fn fare(&self) -> Fare {
        Fare { toll: self.toll, ways: self.end - self.start, since: self.since }
    }

    /// The state, of which `taken` branches were taken.
    fn visited(&self, taken: usize) -> Visited {
        let (key, branches, expanded) = (self.name.key, taken as u32, self.branching.is_expanded());
        Visited { key, branches, end: false, error: false, expanded }
    }
}

/// Part of a program to explore: everything below a sequence of choices.
#[derive(Clone, Copy, Default, Debug)]
pub struct Part<'a> {
    /// The choices that lead there.
    pub prefix: &'a [Event],
    /// Some state on the way may be expanded, so that other parts may meet this one.
    pub shared: bool,
}

/// What exploring a part gave.
#[derive(Clone, Default, Debug)]
pub struct PartResult {
    /// As for a whole program; revisits and expansions of this part only.
    pub verdict: Verdict,
    /// What was found about choices of its prefix, in this part and on the step to its first state.
    pub found: Evidence,
    /// All states visited, if the part is shared.
    pub visited: Vec<Visited>,
}

/// The reduction as a [`Strategy`].
pub struct Matches;

impl<S: System> Strategy<S> for Matches {
    fn explore(&self, system: &mut S, limits: &Limits, observer: &mut dyn Observer<S>) -> Verdict {
        explore(system, limits, observer)
    }
}

/// No reduction: at every state all candidates of all choices. It is the oracle for [`Matches`] where the system names
/// its states, so that programs that run for ever can be explored by both; [`crate::none`] takes single steps, which
/// have no such names.
pub struct Everything {
    /// Arrivals after the first from which a state is explored again, to see whether it is the same one
    /// ([`Verdict::difference`]).
    pub again: u32,
}

impl<S: System> Strategy<S> for Everything {
    fn explore(&self, system: &mut S, limits: &Limits, observer: &mut dyn Observer<S>) -> Verdict {
        let mut exploration = Exploration::new(system, Part::default(), limits, observer);
        exploration.takes_everything = true;
        exploration.again = (self.again > 0).then(|| Again::new(self.again));
        exploration.run().verdict
    }
}

/// The choices by which an exploration comes to a state first, of which this is the name: an exploration by states,
/// with or without a reduction.
pub(super) fn way_to<S: System>(
    system: &mut S,
    everything: bool,
    state: Configuration,
    limits: &Limits,
    observer: &mut dyn Observer<S>,
) -> Option<Vec<Event>> {
    let mut exploration = Exploration::new(system, Part::default(), limits, observer);
    (exploration.takes_everything, exploration.wanted) = (everything, Some(state));
    exploration.explore();
    let is_there = exploration.cursor.system.fingerprint() == Some(state);
    is_there.then_some(exploration.path)
}

/// Explores a whole program.
pub fn explore<S: System>(system: &mut S, limits: &Limits, observer: &mut dyn Observer<S>) -> Verdict {
    explore_part(system, Part::default(), limits, observer).verdict
}

/// Explores a whole program by states, and shows the observer what can be kept of that, if it `keeps` anything. Goes
/// on with what was kept before, whose changes these are in their order; from the beginning where they are something
/// else, or the system is another one.
pub fn explore_kept<S: System>(
    system: &mut S,
    limits: &Limits,
    observer: &mut dyn Observer<S>,
    (changes, keeps): (&mut dyn Iterator<Item = Vec<u8>>, bool),
) -> Verdict {
    let mut exploration = Exploration::new(system, Part::default(), limits, observer);
    let mut changes = changes.peekable();
    let is_to_go_on = changes.peek().is_some();
    let goes_on = is_to_go_on && exploration.go_on(&mut changes);
    if !goes_on {
        exploration.forget();
    }
    if is_to_go_on {
        exploration.tally.goes_on(goes_on);
    }
    if keeps {
        exploration.is_to_be_kept();
    }
    let flow = if goes_on { Flow::Continue } else { exploration.begin() };
    exploration.explore_on(flow);
    exploration.result().verdict
}

/// Explores a part of a program, in the same order as the exploration of the whole would.
pub fn explore_part<S: System>(
    system: &mut S,
    part: Part<'_>,
    limits: &Limits,
    observer: &mut dyn Observer<S>,
) -> PartResult {
    Exploration::new(system, part, limits, observer).run()
}

/// Whether an exploration is kept, and since when.
#[derive(Default)]
pub(super) struct Keeping {
    /// How often it was kept.
    pub(super) number: u64,
    /// So many frames of the path are as they were when it was kept last, and stay so in the next step.
    pub(super) same: usize,
}

pub(super) struct Exploration<'a, S: System> {
    pub(super) cursor: Cursor<'a, S>,
    pub(super) tally: Tally<'a, S>,
    part: Part<'a>,
    pub(super) frames: Vec<Frame<S::Snapshot>>,
    pub(super) branches: Vec<Event>,
    /// Choices that lead to the last frame (while a branch is entered: to its end).
    pub(super) path: Vec<Event>,
    /// The system is in the state of the last frame.
    is_at_last: bool,
    /// Snapshots that were taken since somebody counted them.
    taken: usize,
    /// Polls of the path that the state which it has come to may still hear of.
    unheard: Vec<ChoiceId>,
    pub(super) memo: Memo,
    /// What was found about choices of the part's prefix.
    pub(super) found: Evidence,
    /// States visited, for those who unite parts.
    visited: Vec<Visited>,
    /// The observer knows that there are many executions, or somebody else does.
    pub(super) is_known_as_many: bool,
    /// Every state branches on everything: see [`Everything`].
    takes_everything: bool,
    /// States are compared with what they were before. Only where every state branches on everything.
    again: Option<Again>,
    pub(super) endings: Endings,
    pub(super) given: Given,
    /// A state that is looked for: nothing is explored any more where the path has come to it.
    wanted: Option<Configuration>,
    pub(super) keeping: Keeping,
}

impl<'a, S: System> Exploration<'a, S> {
    fn new(
        system: &'a mut S,
        part: Part<'a>,
        limits: &'a Limits,
        observer: &'a mut dyn Observer<S>,
    ) -> Exploration<'a, S> {
        Exploration {
            cursor: Cursor::new(system),
            tally: Tally::new(limits, observer),
            part,
            frames: Vec::new(),
            branches: Vec::new(),
            path: part.prefix.to_vec(),
            is_at_last: false,
            taken: 0,
            unheard: Vec::new(),
            memo: Memo::new(),
            found: Evidence::default(),
            visited: Vec::new(),
            is_known_as_many: !part.prefix.is_empty(),
            takes_everything: false,
            again: None,
            endings: Endings::default(),
            given: Given::default(),
            wanted: None,
            keeping: Keeping::default(),
        }
    }

    fn run(mut self) -> PartResult {
        self.explore();
        self.result()
    }

    fn explore(&mut self) {
        let flow = self.begin();
        self.explore_on(flow);
    }

    /// Comes to the first state.
    fn begin(&mut self) -> Flow {
        let settled = self.cursor.replay(self.part.prefix);
        self.tally.verdict.stats.replayed += self.part.prefix.len() as u64;
        self.found.join(&self.cursor.shown);
        let base = Configuration::of(self.part.prefix);
        let name = self.cursor.name(base);
        self.compare(name, settled, None);
        self.visit(base, name, settled)
    }

    /// Explores what is open on the path.
    fn explore_on(&mut self, mut flow: Flow) {
        while flow == Flow::Continue && !self.frames.is_empty() {
            if self.keep() == Flow::Stop {
                break;
            }
            let Some(frame) = self.frames.last() else { break };
            if self.tally.verdict.stats.executions >= MANY && !std::mem::replace(&mut self.is_known_as_many, true) {
                self.tally.many(self.cursor.system);
                self.is_at_last = false;
                continue;
            }
            if frame.next < frame.end {
                flow = self.branch();
            } else if let Some(missing) = frame.branching.missing(&frame.found) {
                self.extend(missing);
            } else {
                self.leave();
            }
        }
    }

    fn result(mut self) -> PartResult {
        let is_cut_short = self.tally.verdict.is_cut_short();
        if is_cut_short {
            self.tally.verdict.ln_explored = ln_explored(&self.frames);
        }
        // After a stop, the states on the path are explored in part.
        while let Some(frame) = self.frames.pop() {
            self.tally.pay(&frame.fare());
            self.report(frame.visited(frame.next - frame.start));
        }
        self.tally.verdict.tolls.executions = self.tally.verdict.stats.executions;
        if self.part.prefix.is_empty() && !is_cut_short {
            self.tally.verdict.tolls = Tolls::default();
        }
        self.tally.verdict.lost = self.endings.lost();
        self.tally.verdict.ambiguous = self.given.ambiguous;
        self.tally.verdict.difference = self.again.and_then(|again| again.difference);
        self.tally.verdict.moved = self.memo.moved();
        let verdict = self.tally.finish(self.cursor.system.left_out());
        PartResult { verdict, found: self.found, visited: self.visited }
    }

    /// Takes the next branch of the last frame.
    fn branch(&mut self) -> Flow {
        self.return_to_last();
        let depth = self.frames.len() - 1;
        let frame = &mut self.frames[depth];
        let (event, branch) = (self.branches[frame.next], frame.next - frame.start);
        frame.next += 1;
        let base = frame.base.with(event);
        self.path.push(event);
        self.is_at_last = false;
        let settled = self.cursor.take(event);
        if frame.prospect == Prospect::Alone && self.cursor.system.has_met() {
            frame.reach.is_met();
        }
        self.tally.verdict.stats.transitions += 1;
        let name = self.cursor.name(base);
        let mut again = self.compare(name, settled, Some(branch));
        let frame = &mut self.frames[depth];
        frame.found.join(&self.cursor.shown);
        frame.below.add_all(&mut self.cursor.arrived);
        let (mut flow, mut is_void) = (Flow::Continue, false);
        self.unheard.clear();
        if name.is_state {
            self.cursor.system.unheard(&mut self.unheard);
        }
        let recalled = self.memo.recall(name, &self.unheard, &mut frame.found);
        if recalled == Recalled::New {
            return self.visit(base, name, settled);
        }
        self.compare_given(name, recalled);
        let frame = &mut self.frames[depth];
        match recalled {
            Recalled::New => {}
            Recalled::Explored { onward, open, by_same, below } => {
                frame.reach.meets(onward, open);
                self.recall_below(below, by_same);
                is_void = name.is_state && open.is_none() && onward == Onward::Void;
            }
            Recalled::OnPath(number) => {
                frame.branching.reopen(&mut frame.found);
                frame.reach.meets(Onward::Void, Some(number));
                if let Some(settled) = self.end_of_circle(number) {
                    self.frames[depth].reach.onward = Onward::Ends;
                    flow = self.tally.end(self.cursor.system, settled, true, &self.path);
                    // Who sees the end may have let the system go on.
                    again = false;
                }
            }
        }
        self.tally.verdict.stats.revisits += 1;
        if again && flow == Flow::Continue {
            // It was counted when it was new.
            self.tally.verdict.stats.configurations -= 1;
            let flow = self.visit(base, name, settled);
            // It has a number of its own now, and is the same state all the same: of the same component.
            let copy = self.frames.get_mut(depth + 1);
            if let (Some(copy), Some(open)) = (copy, recalled.open()) {
                copy.reach.meets(Onward::Void, Some(open));
            }
            return flow;
        }
        self.path.pop();
        if is_void {
            self.note_void(event);
        }
        flow
    }

    /// There are no executions behind this branch of the last frame. If it is a poll that finds something, none stays
    /// before it for ever, either: a poll that could find something does so some time.
    fn note_void(&mut self, event: Event) {
        if event.candidate == NOT_YET {
            return;
        }
        self.return_to_last();
        let is_poll = |choice: &Choice| choice.id == event.choice && choice.kind == ChoiceKind::Test;
        if self.cursor.choices().all().any(is_poll)
            && let Some(frame) = self.frames.last_mut()
        {
            frame.reach.is_left_by_poll();
        }
    }

    /// The path has come from the last frame to a state that was explored: what of that which comes below is late for
    /// choices of the path? Known if the state was come to by the same choices.
    fn recall_below(&mut self, below: u32, by_same: bool) {
        let frame = self.frames.last_mut().expect("a branch of a frame was taken");
        let Some(all) = self.memo.below(below) else {
            frame.found.cut |= !by_same;
            return frame.below.give_up();
        };
        self.cursor.recall(all);
        if !by_same {
            frame.found.join(&self.cursor.shown);
        }
        frame.below.add_all(&mut self.cursor.arrived);
    }

    /// Compares a state with what it was before, if that is wanted; `branch` of the last frame led there. True when it
    /// is to be explored, even if it was before.
    fn compare(&mut self, name: Name, settled: Settled, branch: Option<usize>) -> bool {
        let Some(again) = self.again.as_mut().filter(|_| name.is_state) else { return false };
        if let (Some(branch), Some(from)) = (branch, self.frames.last()) {
            again.step(from.name.key, branch, name.key, &self.path[..self.path.len() - 1]);
        }
        let view = View { settled, failed: self.cursor.system.failed() };
        let none = Choices::new();
        let choices = if settled.is_end() { &none } else { self.cursor.choices() };
        again.arrive(name.key, view, choices, &self.path)
    }

    /// Compares what was given with what was on the first way to the state, which is known. Only where the state has a
    /// name: others have another past.
    fn compare_given(&mut self, name: Name, recalled: Recalled) {
        let is_of_interest = name.is_state && self.given.ambiguous.is_none() && self.again.is_none();
        if !is_of_interest || !self.given.differs(name.key, self.cursor.system.given()) {
            return;
        }
        let found = || Box::new(Ambiguous { state: name.key, way: self.path.clone() });
        match recalled {
            Recalled::Explored { onward, open: None, .. } => {
                if onward == Onward::Ends {
                    self.given.note(found());
                }
            }
            // It is in the component of the last frame.
            _ => {
                let known = self.frames.last_mut().map(|frame| &mut frame.ambiguous).filter(|known| known.is_none());
                if let Some(known) = known {
                    *known = Some(found());
                }
            }
        }
    }

    /// What is shown of a path that has come back to this state of its own: that nothing happens any more, or that
    /// something has failed while the others go on for ever. Each failure is shown here or at an end: it belongs to
    /// all states that come after it, and below the first of them that is explored there is a circle or an end.
    fn end_of_circle(&self, number: u32) -> Option<Settled> {
        // States have ascending numbers as the search comes to them.
        let since = self.frames.binary_search_by_key(&number, |frame| frame.reach.number);
        let round = since.map_or(&[][..], |since| &self.frames[since..]);
        let are_all = |prospect| !round.is_empty() && round.iter().all(|frame| frame.prospect == prospect);
        if are_all(Prospect::Settled) {
            return Some(Settled::Deadlock);
        }
        if are_all(Prospect::Void) {
            return None;
        }
        self.cursor.system.failed().then_some(Settled::Endless)
    }

    /// Comes to a state for the first time; the system is in it, and `path` leads there.
    fn visit(&mut self, base: Configuration, name: Name, settled: Settled) -> Flow {
        self.make_room();
        if self.memo.has_failed() {
            self.tally.verdict.stopped = Some(Stop::Asked);
            return Flow::Stop;
        }
        if self.wanted == Some(name.key) {
            return Flow::Stop;
        }
        if name.is_state && self.again.is_none() {
            let given = self.cursor.system.given();
            self.given.enter(name.key, given);
        }
        let state = State { settled, failed: self.cursor.system.failed(), depth: self.path.len() };
        let frames = &self.frames;
        match self.tally.meet(state, &|tolls, executions| Some(outlook(frames, tolls, executions))) {
            Course::Stop => Flow::Stop,
            Course::Void => {
                self.report(Visited::leaf(name.key, false, false));
                self.go_up_from_leaf(name, &Evidence::default(), Onward::Void);
                Flow::Continue
            }
            Course::End { settled, failed } => {
                let flow = self.end(name.key, settled, failed);
                let found = Evidence { cut: settled == Settled::Failed, ..Evidence::default() };
                let onward = if failed || settled != Settled::Endless { Onward::Ends } else { Onward::Endless };
                if onward == Onward::Endless {
                    self.endings.lose(&self.path);
                }
                self.endings.has_ended |= settled == Settled::Finished && !failed;
                self.go_up_from_leaf(name, &found, onward);
                flow
            }
            Course::EndAndExplore => {
                let flow = self.end(name.key, settled, true);
                self.enter(base, name);
                self.frames.last_mut().expect("a frame was entered").reach.onward = Onward::Ends;
                flow
            }
            Course::Explore => {
                self.enter(base, name);
                Flow::Continue
            }
        }
    }

    /// Moves states that were explored to a file, where memory is short.
    fn make_room(&mut self) {
        let movable = if self.again.is_none() { self.memo.movable() } else { 0 };
        if movable > 0
            && let Some(new_file) = self.tally.wants_room(movable)
        {
            self.memo.move_to_files(new_file);
        }
    }

    /// Nothing that has come below the state that the system is in. Where everything is a branch, nobody asks.
    fn nothing_below(&self) -> Below {
        Below::new(self.cursor.system.tick().filter(|_| !self.takes_everything))
    }

    /// Whether a state below the last frame must be remembered.
    fn remembers_next(&self, name: Name) -> bool {
        let meets = |parent: &Frame<S::Snapshot>| parent.remember || parent.branching.is_open();
        name.is_state || self.frames.last().map_or(self.part.shared, meets)
    }

    /// Makes a frame of the state that the system is in.
    fn enter(&mut self, base: Configuration, name: Name) {
        let remember = self.remembers_next(name);
        let start = self.branches.len();
        let rule = if self.takes_everything { Branching::everything } else { Branching::new };
        let branching = rule(self.cursor.choices(), &mut self.branches);
        let end = self.branches.len();
        let prospect = if name.is_state { self.cursor.prospect() } else { Prospect::Open };
        let reach = self.endings.enter(name.is_state, prospect);
        if name.is_state {
            self.memo.enter(name, reach.number);
        }
        let toll = self.toll(TollId::NONE, start, end);
        let snapshot = if end - start > 1 { self.cursor.system.snapshot() } else { None };
        if snapshot.is_some() {
            self.forget_last_exhausted();
            self.note_snapshot();
        }
        let (found, below) = (Evidence::default(), self.nothing_below());
        self.frames.push(Frame {
            name,
            base,
            branching,
            found,
            below,
            remember,
            reach,
            prospect,
            ambiguous: None,
            start,
            next: start,
            end,
            toll,
            since: self.tally.verdict.stats.executions,
            snapshot,
        });
        self.is_at_last = true;
    }

    /// Who pays for the present state, whose branches are these of the list, unless that is known.
    fn toll(&mut self, known: TollId, start: usize, end: usize) -> TollId {
        if known != TollId::NONE || end - start < 2 {
            return known;
        }
        let caller = self.cursor.system.caller(self.branches[start]);
        self.tally.verdict.tolls.id(caller)
    }

    /// Forgets the last snapshot if nobody comes back to it, or to a state below it that has no snapshot of its own.
    fn forget_last_exhausted(&mut self) {
        let exhausted = |frame: &&mut Frame<S::Snapshot>| frame.next == frame.end && !frame.branching.may_expand();
        let mut above = self.frames.iter_mut().rev().take_while(exhausted);
        if let Some(frame) = above.find(|frame| frame.snapshot.is_some()) {
            frame.snapshot = None;
        }
    }

    /// A snapshot was taken: when there are many, every other one is dropped, but for the last ones.
    fn note_snapshot(&mut self) {
        self.taken += 1;
        if self.taken <= MOST_SNAPSHOTS / 2 {
            return;
        }
        self.taken = 0;
        let count = self.frames.iter().filter(|frame| frame.snapshot.is_some()).count();
        if count > MOST_SNAPSHOTS {
            let old = self.frames.iter_mut().filter(|frame| frame.snapshot.is_some()).take(count - MOST_SNAPSHOTS / 4);
            old.skip(1).step_by(2).for_each(|frame| frame.snapshot = None);
        }
    }

    /// The end of an execution, or of what is to be seen of it.
    fn end(&mut self, key: Configuration, settled: Settled, failed: bool) -> Flow {
        self.report(Visited::leaf(key, true, failed));
        self.tally.end(self.cursor.system, settled, failed, &self.path)
    }

    /// Adds missing branches to the last frame.
    fn extend(&mut self, missing: Missing) {
        self.return_to_last();
        let frame = self.frames.last_mut().expect("a frame is extended");
        match missing {
            Missing::Withheld => frame.branching.release(&frame.found, &mut self.branches),
            Missing::Others => {
                self.tally.verdict.stats.expansions += 1;
                frame.branching.expand(self.cursor.choices(), &mut self.branches);
            }
        }
        frame.end = self.branches.len();
        let (toll, start, end) = (frame.toll, frame.start, frame.end);
        let toll = self.toll(toll, start, end);
        let frame = self.frames.last_mut().expect("a frame is extended");
        frame.toll = toll;
        if frame.snapshot.is_none() && frame.end - frame.next > 1 {
            frame.snapshot = self.cursor.system.snapshot();
        }
    }

    /// The last frame is explored: what it found out goes to its parent.
    fn leave(&mut self) {
        let mut frame = self.frames.pop().expect("a frame is left");
        self.branches.truncate(frame.start);
        self.is_at_last = false;
        self.report(frame.visited(frame.end - frame.start));
        self.tally.pay(&frame.fare());
        frame.branching.pass_on(&mut frame.found);
        if !frame.reach.is_first() {
            // It is in the component of the state above.
            let above = self.frames.last_mut().expect("the first state of all is the first of a component");
            above.ambiguous = above.ambiguous.take().or(frame.ambiguous.take());
        } else {
            let members = self.endings.complete(&mut frame.reach, &self.path);
            members.for_each(|number| self.memo.complete(number, frame.reach.onward));
            if let Some(found) = frame.ambiguous.take().filter(|_| frame.reach.onward == Onward::Ends) {
                self.given.note(found);
            }
        }
        self.go_up(frame.name, frame.remember, &frame.found, frame.below, frame.reach);
    }

    /// Goes from a state that nothing is below to the one above.
    fn go_up_from_leaf(&mut self, name: Name, found: &Evidence, onward: Onward) {
        self.go_up(name, self.remembers_next(name), found, self.nothing_below(), Reach::leaf(onward));
    }

    /// Goes from a state to the one above, with what was found at it and below.
    fn go_up(&mut self, name: Name, remember: bool, found: &Evidence, below: Below, reach: Reach) {
        // Where states are explored again, others of the path may be the same.
        let stays = self.again.is_some() && self.frames.iter().any(|frame| frame.name.key == name.key);
        if remember && !stays {
            self.memo.insert(name, found, &below, &reach);
        }
        match self.frames.last_mut() {
            Some(parent) => {
                let event = self.path.pop();
                parent.found.join(found);
                parent.below.join(below);
                parent.reach.leads_to(&reach);
                let is_void = name.is_state && reach.is_first() && reach.onward == Onward::Void;
                if let Some(event) = event.filter(|_| is_void) {
                    self.note_void(event);
                }
            }
            None => self.found.join(found),
        }
    }

    fn report(&mut self, visited: Visited) {
        if self.part.shared {
            self.visited.push(visited);
        }
    }

    /// Brings the system to the state of the last frame, from the nearest snapshot or from the beginning.
    fn return_to_last(&mut self) {
        if self.is_at_last {
            return;
        }
        let stats = &mut self.tally.verdict.stats;
        let nearest = self.frames.iter().enumerate().rev().find_map(|(at, frame)| Some((at, frame.snapshot.as_ref()?)));
        let made = match nearest {
            Some((at, snapshot)) => {
                stats.restores += 1;
                self.cursor.restore(snapshot);
                self.part.prefix.len() + at
            }
            None => {
                self.cursor.reset();
                0
            }
        };
        let first = self.part.prefix.len();
        for step in made..self.path.len() {
            self.tally.verdict.stats.replayed += 1;
            self.cursor.take(self.path[step]);
            // The next to be come back to are those above.
            let above = (step + 1).checked_sub(first).and_then(|at| self.frames.get_mut(at));
            if let Some(frame) = above.filter(|frame| frame.snapshot.is_none() && frame.next < frame.end) {
                frame.snapshot = self.cursor.system.snapshot();
            }
        }
        self.is_at_last = true;
    }
}

/// Natural logarithm of the explored part of a tree, if all subtrees of a state are equally large, by the states of the
/// present path.
fn ln_explored<T>(frames: &[Frame<T>]) -> f64 {
    let (mut explored, mut share) = (f64::NEG_INFINITY, 0.0);
    for frame in frames {
        share -= ((frame.end - frame.start).max(1) as f64).ln();
        let done = (frame.next - frame.start).saturating_sub(1);
        explored = ln_add(explored, share + (done as f64).ln());
    }
    explored
}

/// How far the exploration is whose path has these states, after so many executions.
fn outlook<T>(frames: &[Frame<T>], tolls: &Tolls, executions: u64) -> Outlook {
    let mut tolls = tolls.clone();
    // Before the first execution has ended, each call has made the choices of one.
    let executions = executions.max(1);
    for frame in frames {
        let Fare { toll, ways, since } = frame.fare();
        tolls.pay(toll, ways, executions - since);
    }
    let left = frames.iter().map(|frame| (frame.end - frame.next) as u64).sum();
    Outlook { ln_explored: ln_explored(frames), left, dearest: tolls.dearest() }
}
