//! A system of the checker as the [`Program`] of an explanation.

use std::rc::Rc;

use smpi_base::map::Map;
use smpi_base::rng::Rng;
use smpi_checker::reduction::matches::{Part, explore_part};
use smpi_checker::restricted::Restricted;
use smpi_checker::{Choice, Choices, Configuration, Event, Flow, Limits, Observer, Outlook, Settled, Stats, System};

use crate::by_states;
use crate::known::{Fault, Judge, Row};
use crate::nearest::{Nearest, nearest};
use crate::program::{Program, Seen};
use crate::restricted::{Rule, Ruled};

/// Beginnings that are remembered while executions are drawn.
const MOST_DRAWN: usize = 20_000;

/// Choices that are made at random behind a beginning, at most: a rank may poll for ever.
const MOST_WANDERED: usize = 200;

/// States among which the nearest failing execution is looked for at least.
const MOST_STATES: u64 = 10_000;

/// A system, who judges its executions, and when it has to stop.
pub struct Explorer<'a, S> {
    /// The system.
    pub system: &'a mut S,
    /// Who judges.
    pub judge: &'a mut Judge<'a, S>,
    /// Whether the time is up.
    pub is_late: &'a dyn Fn() -> bool,
    /// Choices of one execution.
    pub depth: usize,
    /// The system names its states.
    pub by_states: bool,
}

/// Watches one exploration.
struct Watch<'a, 'b, S> {
    judge: &'a mut Judge<'b, S>,
    is_late: &'a dyn Fn() -> bool,
    show: &'a mut dyn FnMut(Row),
    until_right: Option<Fault>,
    rule: Rule<'a>,
    is_unclear: bool,
}

impl<S> Watch<'_, '_, S> {
    /// Judges an execution; whether it is one after which nothing more is asked.
    fn judge(&mut self, system: &mut S, settled: Settled, path: &[Event]) -> Flow {
        let Some((shows, is_clean)) = (self.judge)(system, settled, path) else {
            self.is_unclear = true;
            return Flow::Continue;
        };
        let row = Row::new(path, shows, is_clean);
        let is_last = self.until_right.is_some_and(|fault| !row.fails(fault) && self.rule.is_kept(path));
        (self.show)(row);
        if is_last { Flow::Stop } else { Flow::Continue }
    }
}

impl<S> Observer<S> for Watch<'_, '_, S> {
    fn execution(&mut self, system: &mut S, settled: Settled, path: &[Event]) -> Flow {
        self.judge(system, settled, path)
    }

    fn visit(&mut self, _stats: &Stats, _outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        if (self.is_late)() { Flow::Stop } else { Flow::Continue }
    }
}

/// Executions whose choices were drawn.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sample {
    /// Those that were seen to their end.
    pub executions: u64,
    /// How many of them show each failure, by its position.
    pub showing: Vec<u64>,
}

/// Beginnings of executions that were drawn, by their events.
#[derive(Default)]
struct Drawn(Map<Configuration, Rc<Place>>);

/// What there is behind a beginning.
enum Place {
    /// Choices, each with what can be chosen.
    Open(Vec<Vec<Event>>),
    /// Nothing more: what the execution shows, if it is one whose end is known.
    End(Option<u64>),
}

impl<S: System> Explorer<'_, S> {
    /// Draws so many executions, the same ones each time, and counts those that show one of so many failures. An
    /// execution that is drawn twice counts twice. What was drawn before is not executed again.
    pub fn sample(&mut self, count: u64, faults: u32) -> Sample {
        let mut sample = Sample { executions: 0, showing: vec![0; faults as usize] };
        let mut drawn = Drawn::default();
        for number in 0..count {
            if (self.is_late)() {
                break;
            }
            let mut rng = Rng::new(number + 1);
            let Some(shows) = self.draw(&mut drawn, &mut rng) else { continue };
            sample.executions += 1;
            let faults = sample.showing.iter_mut().enumerate();
            faults.for_each(|(fault, showing)| *showing += shows >> fault & 1);
        }
        sample
    }

    /// What an execution shows whose choices are drawn; `None` where there is none, or no end of it.
    fn draw(&mut self, drawn: &mut Drawn, rng: &mut Rng) -> Option<u64> {
        let (mut path, mut at) = (Vec::new(), None);
        loop {
            let name = Configuration::of(&path);
            let known = match drawn.0.get(&name) {
                Some(known) => known.clone(),
                None => {
                    let known = self.look(&path, &mut at);
                    if drawn.0.len() < MOST_DRAWN {
                        drawn.0.insert(name, known.clone());
                    }
                    known
                }
            };
            match &*known {
                Place::End(shows) => return *shows,
                Place::Open(choices) if path.len() < self.depth && !choices.is_empty() => {
                    let events = &choices[rng.below(choices.len())];
                    path.push(events[rng.below(events.len())]);
                }
                Place::Open(_) => return None,
            }
        }
    }

    /// What there is behind a beginning. `at`: how much of it the system has done.
    fn look(&mut self, path: &[Event], at: &mut Option<(usize, Settled)>) -> Rc<Place> {
        let settled = match at.take() {
            None => self.system.go_to(path),
            Some((done, settled)) => path[done..].iter().fold(settled, |_, &event| {
                self.system.take(event);
                self.system.settle()
            }),
        };
        if settled.is_end() {
            let judged = if settled == Settled::Void { None } else { (self.judge)(self.system, settled, path) };
            return Rc::new(Place::End(judged.map(|(shows, _)| shows)));
        }
        *at = Some((path.len(), settled));
        let mut choices = Choices::new();
        self.system.choices(&mut choices);
        let of = |choice: &Choice| {
            let candidates = choices.candidates(choice).iter();
            candidates.map(|&candidate| Event { choice: choice.id, candidate }).collect::<Vec<_>>()
        };
        Rc::new(Place::Open(choices.all().map(of).collect()))
    }
}

impl<S: System> Program for Explorer<'_, S> {
    fn below(&mut self, prefix: &[Event], most: u64, fault: Option<Fault>, show: &mut dyn FnMut(Row)) -> Seen {
        if most == 0 || (self.is_late)() {
            return Seen { executions: 0, complete: false };
        }
        let limits = Limits { executions: most, depth: self.depth, keep_going: true };
        let mut watch = Watch {
            judge: self.judge,
            is_late: self.is_late,
            show,
            until_right: fault,
            rule: Rule::default(),
            is_unclear: false,
        };
        let part = Part { prefix, shared: false };
        let verdict = explore_part(self.system, part, &limits, &mut watch).verdict;
        Seen { executions: verdict.stats.executions, complete: verdict.complete && !watch.is_unclear }
    }

    fn under(&mut self, rule: Rule<'_>, most: u64, fault: Option<Fault>, show: &mut dyn FnMut(Row)) -> Seen {
        if most == 0 || (self.is_late)() {
            return Seen { executions: 0, complete: false };
        }
        let limits = Limits { executions: most, depth: self.depth, keep_going: true };
        let mut restricted = Restricted::new(&mut *self.system, Ruled::new(rule));
        let judge = &mut *self.judge;
        let mut judge = |restricted: &mut Restricted<'_, S, Ruled<'_>>, settled: Settled, path: &[Event]| {
            judge(restricted.system, settled, path)
        };
        let mut executions = 0;
        let mut show_kept = |row: Row| {
            if rule.is_kept(&row.path) {
                executions += 1;
                show(row);
            }
        };
        let mut watch = Watch {
            judge: &mut judge,
            is_late: self.is_late,
            show: &mut show_kept,
            until_right: fault,
            rule,
            is_unclear: false,
        };
        let verdict = explore_part(&mut restricted, Part::default(), &limits, &mut watch).verdict;
        let complete = verdict.complete && !watch.is_unclear && !restricted.restriction.is_doubtful();
        Seen { executions, complete }
    }

    fn merges(&self) -> bool {
        self.by_states
    }

    fn nearest(&mut self, fault: Fault, events: &[Event], most: u64) -> Option<Nearest> {
        let limits = Limits { executions: most.max(1), depth: self.depth, keep_going: true };
        if self.by_states {
            // Numbers of choices are no part of a state, so no events are asked for.
            let limits = Limits { executions: limits.executions.max(MOST_STATES), ..limits };
            return by_states::nearest(self.system, self.judge, self.is_late, fault, &limits);
        }
        nearest(self.system, self.judge, self.is_late, (fault, events), limits)
    }

    fn at_random(&mut self, prefix: &[Event], most: u64, fault: Fault, show: &mut dyn FnMut(Row)) -> u64 {
        // An execution may have no end where states have names.
        let most = if self.by_states { 0 } else { most };
        let mut tried = 0;
        while tried < most && !(self.is_late)() {
            tried += 1;
            let mut rng = Rng::new(tried);
            let Some((settled, path)) = walk(self.system, prefix, self.depth, &mut rng) else { continue };
            let mut watch = Watch {
                judge: self.judge,
                is_late: self.is_late,
                show,
                until_right: Some(fault),
                rule: Rule::default(),
                is_unclear: false,
            };
            if watch.judge(self.system, settled, &path) == Flow::Stop {
                break;
            }
        }
        tried
    }

    fn wander(&mut self, prefix: &[Event], count: u64, show: &mut dyn FnMut(Row)) {
        let depth = self.depth.min(prefix.len() + MOST_WANDERED);
        for number in 0..if self.by_states { 0 } else { count } {
            if (self.is_late)() {
                return;
            }
            let walked = walk(self.system, prefix, depth, &mut Rng::new(number + 1));
            let Some((settled, path)) = walked else { continue };
            if let Some((shows, is_clean)) = (self.judge)(self.system, settled, &path) {
                show(Row::new(&path, shows, is_clean));
            }
        }
    }

    fn possible(&mut self, events: &[Event]) -> Vec<Event> {
        let mut choices = Choices::new();
        let mut made = Vec::with_capacity(events.len());
        self.system.reset();
        self.system.settle();
        for &event in events {
            if is_possible(self.system, &mut choices, event) {
                self.system.take(event);
                self.system.settle();
                made.push(event);
            }
        }
        made
    }
}

/// Whether an event can be made now.
fn is_possible<S: System>(system: &mut S, choices: &mut Choices, event: Event) -> bool {
    choices.clear();
    system.choices(choices);
    let listed = choices.find(event.choice).map(|choice| choices.candidates(choice));
    listed.is_some_and(|listed| listed.contains(&event.candidate)) || system.may_take(event)
}

/// Goes on at random from the end of a beginning: every choice with the same probability, and every candidate. `None`
/// where there is no such execution, or no end of it.
fn walk<S: System>(system: &mut S, prefix: &[Event], depth: usize, rng: &mut Rng) -> Option<(Settled, Vec<Event>)> {
    let mut choices = Choices::new();
    let mut path = prefix.to_vec();
    let mut settled = system.go_to(prefix);
    while !settled.is_end() && path.len() < depth {
        choices.clear();
        system.choices(&mut choices);
        let count = choices.all().count();
        if count == 0 {
            return None;
        }
        let choice = choices.all().nth(rng.below(count))?;
        let candidates = choices.candidates(choice);
        let event = Event { choice: choice.id, candidate: candidates[rng.below(candidates.len())] };
        path.push(event);
        system.take(event);
        settled = system.settle();
    }
    (settled.is_end() && settled != Settled::Void).then_some((settled, path))
}
