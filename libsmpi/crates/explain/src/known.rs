//! Executions that were seen.

use smpi_base::map::Set;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::{Configuration, Event, Settled};

/// Which of the failures that are to be explained, as a position below 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault(pub u32);

/// Says of an execution that has ended which failures it shows, as bits, and whether it has no error at all. `None`:
/// of this one nobody knows how it ends.
pub type Judge<'a, S> = dyn FnMut(&mut S, Settled, &[Event]) -> Option<(u64, bool)> + 'a;

/// An execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its events as they were made.
    pub path: Vec<Event>,
    /// The same in ascending order, without those in which a call goes on instead of waiting: such an event says
    /// nothing of executions in which the call did not have to.
    sorted: Vec<Event>,
    /// A bit for each failure that it shows.
    shows: u64,
    /// It ends without any error.
    pub is_clean: bool,
}

impl Row {
    /// An execution by its events, with a bit for each failure that it shows.
    pub fn new(path: &[Event], shows: u64, is_clean: bool) -> Row {
        let mut sorted: Vec<Event> = path.iter().copied().filter(|event| !event.goes_on()).collect();
        sorted.sort_unstable();
        Row { path: path.to_vec(), sorted, shows, is_clean }
    }

    /// Whether it shows this failure.
    pub fn fails(&self, fault: Fault) -> bool {
        self.shows >> fault.0 & 1 == 1
    }

    /// Whether this event is one of its own.
    pub fn has(&self, event: &Event) -> bool {
        event.goes_on() || self.sorted.binary_search(event).is_ok()
    }

    /// Whether all of these events are its own.
    pub fn includes(&self, events: &[Event]) -> bool {
        events.iter().all(|event| self.has(event))
    }
}

/// All executions that were seen, each once.
#[derive(Default, Debug)]
pub struct Known {
    rows: Vec<Row>,
    names: Set<(Configuration, u64)>,
    /// Nothing else was there to be explored.
    pub complete: bool,
    /// Some have polls that found nothing.
    has_polls: bool,
    /// Right executions in which polls find nothing where that brings nothing. Explorations leave them out, so they
    /// are not counted.
    rounds: Vec<Row>,
}

impl Known {
    /// Remembers an execution.
    pub fn add(&mut self, row: Row) {
        self.has_polls |= row.path.iter().any(|event| event.candidate == NOT_YET);
        if self.names.insert((Configuration::of(&row.path), row.shows)) {
            self.rows.push(row);
        }
    }

    /// Remembers a right execution that goes round.
    pub fn add_round(&mut self, row: Row) {
        self.rounds.push(row);
    }

    /// Some executions have polls that found nothing.
    pub fn has_polls(&self) -> bool {
        self.has_polls
    }

    /// The right executions, those that go round last.
    pub fn all_right(&self, fault: Fault) -> impl Iterator<Item = &Row> {
        self.rows.iter().chain(&self.rounds).filter(move |row| !row.fails(fault))
    }

    /// Whether a set of events that no known execution has is one that no execution has. Explorations leave out polls
    /// that find nothing where that brings nothing, and results that nobody looks at, so there such executions can
    /// be.
    pub fn tells_all(&self) -> bool {
        self.complete && !self.has_polls
    }

    /// All, in the order in which they were met.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// A right execution with all of these events, without any error if there is one.
    pub fn right(&self, fault: Fault, events: &[Event]) -> Option<&Row> {
        let has_all = |row: &&Row| row.includes(events);
        let clean = self.all_right(fault).filter(has_all).find(|row| row.is_clean);
        clean.or_else(|| self.all_right(fault).find(has_all))
    }

    /// Of the right executions, the one that has most of these events; of several, one without any error, and then the
    /// one with the fewest others.
    pub fn nearest_right(&self, fault: Fault, events: &[Event]) -> Option<&Row> {
        let missing = |row: &Row| events.iter().filter(|event| !row.has(event)).count();
        self.all_right(fault).min_by_key(|row| (missing(row), !row.is_clean, row.path.len()))
    }

    /// How many with all of these events fail.
    pub fn failing(&self, fault: Fault, events: &[Event]) -> u64 {
        self.rows.iter().filter(|row| row.fails(fault) && row.includes(events)).count() as u64
    }

    /// How many there are that fail, and that are right.
    pub fn counts(&self, fault: Fault) -> (u64, u64) {
        let failing = self.failing(fault, &[]);
        (failing, self.rows.len() as u64 - failing)
    }

    /// How many of the right ones show another error.
    pub fn erring(&self, fault: Fault) -> u64 {
        self.rows.iter().filter(|row| !row.fails(fault) && !row.is_clean).count() as u64
    }
}
