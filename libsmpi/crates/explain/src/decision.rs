//! The choices after which a failure had to come.

use smpi_checker::Event;
use smpi_checker::alternatives::NOT_YET;

use crate::known::{Fault, Known, Row};
use crate::nearest::Nearest;
use crate::program::{Program, Seen};

/// Events of a sealed beginning up to which smaller sealed parts are looked for: each is left out once, and the rest
/// is made again.
const MOST_EVENTS: usize = 64;

/// Sealed parts of one execution that are told.
const MOST_PARTS: usize = 3;

/// Beginnings of an execution behind which right ones are looked for at random.
const MOST_ROUNDS: usize = 8;

/// Executions that are tried of each of them.
const MOST_AT_RANDOM: u64 = 16;

/// How many executions may be tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// From the beginning, and for the nearest failing execution.
    pub survey: u64,
    /// For any other question.
    pub each: u64,
    /// In all.
    pub left: u64,
}

impl Budget {
    /// What there is for the next question.
    fn next(&self) -> u64 {
        self.each.min(self.left)
    }

    fn pay(&mut self, executions: u64) {
        self.left = self.left.saturating_sub(executions);
    }
}

/// What can still become of an execution after some events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Some continuation is right.
    Open,
    /// All fail, so many.
    Sealed(u64),
    /// None of so many was right, and there may be others.
    Doubtful(u64),
}

/// What a failing execution failed by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Blame {
    /// By a choice.
    Decision {
        /// Its place in the execution: what comes before is open, and what ends with it is not.
        at: usize,
        /// What is known of the executions that begin with it.
        fate: Fate,
        /// The events that are last in some order: each part seals the execution, by all of its events together. The
        /// event at `at` is the last one of the first part.
        parts: Vec<Vec<Event>>,
        /// A smallest part that seals the execution, and ends with the first of these: with it, all that is needed.
        sealed: Sealed,
        /// A right execution that begins with what comes before the choice.
        instead: Row,
    },
    /// No choice: nothing that begins as the program begins is known to be right.
    Nothing(Fate),
    /// No choice: the execution can go on from its end and be right, where calls that waited need not wait.
    Waiting(Row),
}

/// A part of an execution of which no right execution is known.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sealed {
    /// Its events, in their order; none where nobody has looked for them.
    pub events: Vec<Event>,
    /// That there is no right execution is certain.
    pub is_proved: bool,
}

impl Known {
    /// The choice of a failing execution after which nothing is known to be right, if something is before: nothing is
    /// executed for that.
    pub fn blame(&self, fault: Fault, path: &[Event]) -> Option<Blame> {
        let (at, instead) = (0..path.len()).rev().find_map(|at| Some((at, self.right(fault, &path[..at])?)))?;
        let fate = Fate::Doubtful(self.failing(fault, &path[..=at]));
        let (parts, instead) = (vec![vec![path[at]]], instead.clone());
        Some(Blame::Decision { at, fate, parts, sealed: Sealed::default(), instead })
    }
}

/// A question to a program: how many executions it may take at most, and who is shown them.
type Ask<'a, P> = dyn FnMut(&mut P, u64, &mut dyn FnMut(Row)) -> Seen + 'a;

/// Finds out why executions fail.
pub struct Explainer<'a, P> {
    program: &'a mut P,
    /// All that was seen so far.
    pub known: Known,
    /// What may still be tried.
    pub budget: Budget,
}

impl<'a, P: Program> Explainer<'a, P> {
    /// Nothing is known yet.
    pub fn new(program: &'a mut P, budget: Budget) -> Explainer<'a, P> {
        Explainer { program, known: Known::default(), budget }
    }

    /// The program, for further questions.
    pub fn program(&mut self) -> &mut P {
        self.program
    }

    /// Explores from the beginning.
    pub fn survey(&mut self) {
        let most = self.budget.survey;
        let seen = self.explore(&mut |program, _, show| program.below(&[], most, None, show));
        self.known.complete = seen.complete && !self.program.merges();
    }

    /// Looks for right executions behind the beginnings of a failing one by choices at random, the longest beginnings
    /// first. Where a poll has found nothing and its rank comes round to it again, explorations leave out that it
    /// finds nothing once more: everything that follows was tried before. But it may, and then it can find something
    /// that it could have found the first time, so nothing was decided by then.
    pub fn look_round(&mut self, fault: Fault, path: &[Event]) {
        if !self.known.has_polls() && !path.iter().any(|event| event.candidate == NOT_YET) {
            return;
        }
        for length in (0..path.len()).rev().take(MOST_ROUNDS) {
            let beginning = &path[..length];
            if self.known.right(fault, beginning).is_some() {
                return;
            }
            let mut right: Option<Row> = None;
            self.program.wander(beginning, MOST_AT_RANDOM, &mut |row| {
                let key = |row: &Row| (!row.is_clean, row.path.len());
                if !row.fails(fault) && right.as_ref().is_none_or(|known| key(&row) < key(known)) {
                    right = Some(row);
                }
            });
            self.budget.pay(MOST_AT_RANDOM);
            if let Some(row) = right {
                self.known.add_round(row);
                return;
            }
        }
    }

    /// The failing execution with these events that is nearest to the natural one.
    pub fn nearest(&mut self, fault: Fault, events: &[Event]) -> Option<Nearest> {
        let most = self.budget.survey.min(self.budget.left);
        let found = self.program.nearest(fault, events, most);
        self.budget.pay(found.as_ref().map_or(most, |found| found.tried));
        found
    }

    /// Explores as far as one question may go, and keeps what is seen.
    pub(crate) fn explore(&mut self, ask: &mut Ask<'_, P>) -> Seen {
        let known = &mut self.known;
        let seen = ask(self.program, self.budget.next(), &mut |row| known.add(row));
        self.budget.pay(seen.executions);
        seen
    }

    /// What can become of an execution that begins with these events.
    fn fate(&mut self, fault: Fault, events: &[Event]) -> Fate {
        if self.known.right(fault, events).is_some() {
            return Fate::Open;
        }
        if self.known.tells_all() {
            return Fate::Sealed(self.known.failing(fault, events));
        }
        let seen = self.explore(&mut |program, most, show| program.below(events, most.div_ceil(2), Some(fault), show));
        let mut tried = seen.executions;
        if !seen.complete && self.known.right(fault, events).is_none() {
            // An exploration that is cut short has seen executions which are much alike.
            let walks = self.explore(&mut |program, most, show| Seen {
                executions: program.at_random(events, most / 2, fault, show),
                complete: false,
            });
            tried += walks.executions;
        }
        match self.known.right(fault, events) {
            Some(_) => Fate::Open,
            None if seen.complete => Fate::Sealed(seen.executions),
            None => Fate::Doubtful(self.known.failing(fault, events).max(tried)),
        }
    }

    /// The choice of a failing execution after which nothing was right any more. `may_go_on`: its end need not be
    /// one.
    pub fn blame(&mut self, fault: Fault, path: &[Event], may_go_on: bool) -> Blame {
        if may_go_on
            && self.fate(fault, path) == Fate::Open
            && let Some(row) = self.known.right(fault, path)
        {
            return Blame::Waiting(row.clone());
        }
        let at = match self.last_open(fault, path) {
            Ok(at) => at,
            Err(fate) => return Blame::Nothing(fate),
        };
        let fate = self.fate(fault, &path[..path.len().min(at + 1)]);
        let instead = self.known.right(fault, &path[..at]).cloned().expect("a right execution made it open");
        let (parts, sealed) = self.parts(fault, path, at, fate);
        Blame::Decision { at, fate, parts, sealed, instead }
    }

    /// The length of the longest beginning that is known to be open; what is known of all executions, if none is.
    /// Beyond what is known, looks near the end first, where little remains to be explored.
    fn last_open(&mut self, fault: Fault, path: &[Event]) -> Result<usize, Fate> {
        let is_known = |at: &usize| self.known.right(fault, &path[..*at]).is_some();
        let mut open = (0..path.len()).rev().find(is_known);
        let (mut sealed, mut step) = (path.len(), 1);
        while open.is_none_or(|open| open + 1 < sealed) {
            let next = sealed.saturating_sub(step).max(open.map_or(0, |open| open + 1));
            match self.fate(fault, &path[..next]) {
                Fate::Open => {
                    open = Some(next);
                    break;
                }
                fate if next == 0 => return Err(fate),
                _ => (sealed, step) = (next, step * 2),
            }
        }
        let mut open = open.unwrap_or(0);
        while open + 1 < sealed {
            let middle = usize::midpoint(open, sealed);
            match self.fate(fault, &path[..middle]) {
                Fate::Open => open = middle,
                _ => sealed = middle,
            }
        }
        Ok(open)
    }

    /// The events that come last in some order of the execution, by the sealed parts that they complete, and the first
    /// of these parts. `fate`: that of what ends with the decision.
    fn parts(&mut self, fault: Fault, path: &[Event], at: usize, fate: Fate) -> (Vec<Vec<Event>>, Sealed) {
        let Some(sealed) = path.get(..=at) else { return Default::default() };
        if sealed.len() > MOST_EVENTS {
            return (vec![vec![path[at]]], Sealed::default());
        }
        let first = self.smallest(fault, sealed.to_vec(), fate);
        let mut parts = vec![self.last_of(&first.events)];
        // A part without one of the events that the first one needs is another one.
        for event in parts[0].clone() {
            let without: Vec<Event> = path.iter().copied().filter(|&other| other != event).collect();
            if parts.len() == MOST_PARTS || without.len() > MOST_EVENTS {
                break;
            }
            let without = self.program.possible(&without);
            if without.is_empty() {
                continue;
            }
            let fate = self.fate(fault, &without);
            if fate != Fate::Open {
                let other = self.smallest(fault, without, fate);
                let last = self.last_of(&other.events);
                if !parts.contains(&last) {
                    parts.push(last);
                }
            }
        }
        (parts, first)
    }

    /// A part of a sealed execution that is sealed, and of which no part is known to be.
    fn smallest(&mut self, fault: Fault, mut sealed: Vec<Event>, mut fate: Fate) -> Sealed {
        for index in (0..sealed.len()).rev() {
            if index >= sealed.len() {
                continue;
            }
            let mut without = sealed.clone();
            without.remove(index);
            let without = self.program.possible(&without);
            let other = self.fate(fault, &without);
            if other != Fate::Open {
                (sealed, fate) = (without, other);
            }
        }
        Sealed { events: sealed, is_proved: matches!(fate, Fate::Sealed(_)) }
    }

    /// The events without which all others can still be made.
    fn last_of(&mut self, events: &[Event]) -> Vec<Event> {
        let is_last = |program: &mut P, index: usize| {
            let mut without = events.to_vec();
            without.remove(index);
            program.possible(&without).len() == without.len()
        };
        (0..events.len()).filter(|&index| is_last(self.program, index)).map(|index| events[index]).collect()
    }
}
