//! The failing execution that leaves the natural order least.

use smpi_checker::walks::{Goal, Memory, Search, Task, run};
use smpi_checker::{Event, Flow, Limits, Observer, Outlook, Settled, Stats, System};

use crate::known::{Fault, Judge, Row};

/// A failing execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nearest {
    /// Its events.
    pub path: Vec<Event>,
    /// How many of them are not the natural ones.
    pub deviations: u32,
    /// Executions that were tried.
    pub tried: u64,
    /// All with fewer deviations were tried, and all with as many: of those that fail, none has fewer events.
    pub is_least: bool,
}

/// Keeps the shortest failing execution of a task.
struct Watch<'a, 'b, S> {
    judge: &'a mut Judge<'b, S>,
    is_late: &'a dyn Fn() -> bool,
    fault: Fault,
    events: &'a [Event],
    shortest: &'a mut Option<Vec<Event>>,
    tried: u64,
}

impl<S> Observer<S> for Watch<'_, '_, S> {
    fn execution(&mut self, system: &mut S, settled: Settled, path: &[Event]) -> Flow {
        self.tried += 1;
        let Some((shows, is_clean)) = (self.judge)(system, settled, path) else { return Flow::Continue };
        let row = Row::new(path, shows, is_clean);
        let is_it = row.fails(self.fault) && row.includes(self.events);
        if is_it && self.shortest.as_ref().is_none_or(|known| path.len() < known.len()) {
            *self.shortest = Some(row.path);
        }
        Flow::Continue
    }

    fn visit(&mut self, _stats: &Stats, _outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        if (self.is_late)() { Flow::Stop } else { Flow::Continue }
    }
}

/// Looks for one with these events among at most so many executions; those with fewer deviations come first. `None`
/// where none fails.
pub fn nearest<S: System>(
    system: &mut S,
    judge: &mut Judge<'_, S>,
    is_late: &dyn Fn() -> bool,
    (fault, events): (Fault, &[Event]),
    limits: Limits,
) -> Option<Nearest> {
    let most = limits.executions;
    let (mut search, mut memory) = (Search::new(Goal::Deviations(u32::MAX), &limits), Memory::default());
    let (mut shortest, mut tried) = (None, 0);
    let mut found: Option<u32> = None;
    while tried < most
        && !is_late()
        && let Some((number, task)) = search.hand_out()
    {
        let level = level(&task);
        // Everything on the level of the first one has been seen.
        if let Some(deviations) = found.filter(|&found| found < level) {
            let path = shortest?;
            return Some(Nearest { path, deviations, tried, is_least: true });
        }
        let mut watch = Watch { judge: &mut *judge, is_late, fault, events, shortest: &mut shortest, tried: 0 };
        let result = run(system, &task, &mut memory, &limits, &mut watch);
        tried += watch.tried;
        search.finish(number, result);
        while search.merge().is_some() {}
        if shortest.is_some() {
            found = found.or(Some(level));
        }
    }
    let path = shortest?;
    Some(Nearest { path, deviations: found?, tried, is_least: search.is_over() && search.conclude().0.complete })
}

/// How many deviations the executions of a task have.
fn level(task: &Task) -> u32 {
    match task {
        Task::Branches { deviations, .. } => deviations.len() as u32 + 1,
        Task::Natural | Task::Random { .. } => 0,
    }
}
