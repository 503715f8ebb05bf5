//! Choices that nobody hears of together are not multiplied.
//!
//! [`crate::matches`] sees each distinct matching of the whole program: two receives with two senders each have four,
//! even if no rank is ever told of both. Here the ranks fall into *groups*: two ranks are in one group if some choice
//! has an effect on both of them ([`Influence`]). The matchings of each group are explored while the choices of all
//! others are *pinned* to what the first execution chose. So m groups with k executions each cost m · (k - 1) + 1,
//! and not k to the power of m.
//!
//! Groups are found while they are explored: one execution first, which the pins are from, then group after group. An
//! execution that shows an effect on two groups makes them one, which is explored again as a whole. The same happens
//! where nothing is left but choices whose pinned candidate does not come. Where effects are not followed
//! ([`Influence::is_lost`]), or the first execution is an error, all ranks are one group without pins: that is
//! [`crate::matches`].
//!
//! # What is seen
//!
//! *Claim.* Let the groups be as they are at the end, and M any execution of the program. For each group G there is
//! an explored execution E with the choices of M in G and the pins elsewhere. If all these E end, M ends, and each
//! rank of G is told the same in M and in E; a rank of no group is told the same in every execution. If M gets stuck,
//! so does one of the E, and each rank of G is told in M what it is told in E, as far as it comes.
//!
//! *Told.* Take the first moment in M at which a rank r is told something else than in E, or a candidate is chosen
//! that was none in E. It comes from a rank s, which acts as it does in an explored execution up to then. If s is not
//! affected by choices of another group, it does the same in E. If it is, by G′, then in the execution of G′ that
//! agrees with M, s sends to r, too. So a choice of G′ has an effect on r, and r is in both groups: they are one.
//!
//! *Deadlock.* Where E gets stuck, by what G chose since the first execution ends, M gets stuck, too, with the same
//! ranks of G. Else let r wait in M for something that came in the explored execution that agrees with M on r's
//! group. Who was to do it, s, waits in M as well, before it gets there; and so on: there is a circle of ranks, each
//! of which waits for the next. Where r waits for s by a message, s had an effect on r, or r on s, in the executions
//! where it came; so along the circle all that are affected by anything are affected by one group G. They all act in
//! M as they do in its E, up to where they wait. Of these, one goes on first in E, because the next one has acted: a
//! contradiction. A barrier among all ranks can be no link of the circle. Who waits in it for s waits for a rank that
//! waits for a message before the barrier, from a rank that has not come to its own end of the barrier; so there is a
//! circle without it.
//!
//! *What is not seen* is the combination of what two groups are told: no execution need show a's outcome of one group
//! together with b's of another. A finding that compares ranks (arguments of one collective operation) is seen where
//! one side deviates from the pins, if it is seen anywhere: the pinned ones agree with each other.

use smpi_base::WorldRank;
use smpi_base::map::{Map, Set};

use crate::choice::{ChoiceId, Choices, Event};
use crate::configuration::Configuration;
use crate::influence::Influence;
use crate::reduction::Strategy;
use crate::reduction::matches;
use crate::restricted::{Restricted, Restriction};
use crate::system::{Settled, System};
use crate::verdict::{Counterexample, Flow, Limits, NewFile, Observer, Outlook, Stats, Stop, Verdict};

/// The reduction as a [`Strategy`].
pub struct Histories;

impl<S: System> Strategy<S> for Histories {
    fn explore(&self, system: &mut S, limits: &Limits, observer: &mut dyn Observer<S>) -> Verdict {
        let watch = Watch::new(limits, observer);
        Exploration { system, limits, watch, verdict: Verdict::default() }.run()
    }
}

struct Exploration<'a, S> {
    system: &'a mut S,
    limits: &'a Limits,
    watch: Watch<'a, S>,
    verdict: Verdict,
}

impl<S: System> Exploration<'_, S> {
    fn run(mut self) -> Verdict {
        self.explore(&Pins::First);
        // Where the first execution gets stuck, or is void, others would be stuck beside what is pinned to it.
        let natural = self.watch.path.take().unwrap_or_else(|| {
            self.watch.groups.whole = Some(false);
            Vec::new()
        });
        let pins: Map<ChoiceId, u64> = natural.iter().map(|event| (event.choice, event.candidate)).collect();
        while self.verdict.stopped.is_none()
            && let Some(free) = self.watch.groups.next(&natural)
        {
            let is_whole = free.iter().all(|free| *free);
            self.explore(&if is_whole { Pins::Nothing } else { Pins::Others { free, pins: &pins } });
        }
        let Watch { executions, errors, first, .. } = self.watch;
        self.verdict.stats.executions = executions;
        (self.verdict.errors, self.verdict.first) = (errors, first);
        // How large the groups are that were not come to is not known.
        self.verdict.ln_explored = if self.verdict.is_cut_short() { f64::NEG_INFINITY } else { 0.0 };
        let left_out = self.system.left_out();
        self.verdict.conclude(left_out);
        self.verdict
    }

    /// Explores with some choices pinned, until all is seen or groups have become one.
    fn explore(&mut self, pins: &Pins<'_>) {
        // Which executions are new is known here.
        let limits = Limits { executions: u64::MAX, ..*self.limits };
        self.watch.begin(self.verdict.stats);
        let mut pinned = Restricted::new(&mut *self.system, Pinning { pins, stuck: Vec::new() });
        let part = matches::explore(&mut pinned, &limits, &mut self.watch);
        self.watch.note_stuck(pins, pinned.restriction.stuck);
        let (into, of) = (&mut self.verdict, part);
        into.stats = sum(into.stats, of.stats);
        into.bounded |= of.bounded;
        into.left_out |= of.left_out;
        into.tolls.join(&of.tolls);
        let is_cut = !self.watch.has_joined && of.stopped.is_some();
        into.stopped = self.watch.stopped.or(of.stopped.filter(|_| is_cut));
    }
}

fn sum(one: Stats, other: Stats) -> Stats {
    Stats {
        executions: one.executions + other.executions,
        configurations: one.configurations + other.configurations,
        transitions: one.transitions + other.transitions,
        expansions: one.expansions + other.expansions,
        revisits: one.revisits + other.revisits,
        depth: one.depth.max(other.depth),
        restores: one.restores + other.restores,
        replayed: one.replayed + other.replayed,
    }
}

/// The ranks by what has an effect on them together.
#[derive(Debug, Default)]
pub struct Groups {
    /// Of each rank another one of its group, or itself: those of one group lead to one rank.
    leads: Vec<usize>,
    /// Of those ranks, whether their group was explored as it is.
    explored: Vec<bool>,
    /// All ranks are one group, whatever else is known; whether that was explored.
    whole: Option<bool>,
}

impl Groups {
    fn grow(&mut self, ranks: usize) {
        self.leads.extend(self.leads.len()..ranks);
        self.explored.resize(self.leads.len(), false);
    }

    fn lead(&self, rank: usize) -> usize {
        let mut lead = rank;
        while self.leads[lead] != lead {
            lead = self.leads[lead];
        }
        lead
    }

    /// Makes the groups of two ranks one. True if they were two.
    fn join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.lead(one), self.lead(other));
        let (low, high) = (one.min(other), one.max(other));
        if low == high {
            return false;
        }
        self.leads[high] = low;
        self.explored[low] = false;
        true
    }

    /// Notes the effects of an execution with so many choices, where they were followed, unless all ranks are one group
    /// anyway. True if groups have become one.
    pub fn note(&mut self, influence: Option<&Influence>, choices: usize) -> bool {
        let Some(influence) = influence.filter(|influence| !influence.is_lost()) else {
            self.whole = Some(false);
            return true;
        };
        self.grow(influence.ranks());
        let mut has_joined = false;
        for position in 0..choices as u32 {
            let mut ranks = influence.of(position);
            if let Some(first) = ranks.next() {
                for rank in ranks {
                    has_joined |= self.join(first, rank);
                }
            }
        }
        has_joined
    }

    /// Whether these ranks are not all of one group.
    pub fn are_apart(&self, mut ranks: impl Iterator<Item = WorldRank>) -> bool {
        let lead =
            |rank: WorldRank| if rank.index() < self.leads.len() { self.lead(rank.index()) } else { rank.index() };
        let first = ranks.next().map(lead);
        self.whole.is_none() && ranks.any(|rank| Some(lead(rank)) != first)
    }

    /// The next group that has choices in the first execution and is not explored: of each rank, whether it is of it.
    /// Empty where all are.
    fn next(&mut self, natural: &[Event]) -> Option<Vec<bool>> {
        if let Some(explored) = &mut self.whole {
            return (!std::mem::replace(explored, true)).then(Vec::new);
        }
        let ranks = natural.iter().map(|event| event.choice.rank().index());
        self.grow(ranks.clone().max().map_or(0, |last| last + 1));
        let lead = ranks.map(|rank| self.lead(rank)).filter(|&lead| !self.explored[lead]).min()?;
        self.explored[lead] = true;
        Some((0..self.leads.len()).map(|rank| self.lead(rank) == lead).collect())
    }
}

/// What is not chosen freely.
enum Pins<'a> {
    /// Everything: the first candidate of each choice is taken.
    First,
    /// The choices of ranks that are not `free` have the candidates of the first execution.
    Others {
        free: Vec<bool>,
        pins: &'a Map<ChoiceId, u64>,
    },
    Nothing,
}

impl Pins<'_> {
    fn is_free(&self, rank: WorldRank) -> bool {
        match self {
            Pins::First => false,
            Pins::Others { free, .. } => free.get(rank.index()).copied().unwrap_or(true),
            Pins::Nothing => true,
        }
    }

    /// Leaves of the choices what may be chosen.
    fn restrict(&self, choices: &mut Choices) {
        match self {
            Pins::First => {
                let mut last = None;
                choices.restrict(|choice, _| last.replace(choice.id) != Some(choice.id));
            }
            Pins::Others { pins, .. } => {
                choices.restrict(|choice, key| self.is_free(choice.id.rank()) || pins.get(&choice.id) == Some(&key));
            }
            Pins::Nothing => {}
        }
    }
}

/// Pins as a restriction.
struct Pinning<'a> {
    pins: &'a Pins<'a>,
    /// Ranks of pinned choices beside which nothing could be chosen, and whose candidates were others.
    stuck: Vec<WorldRank>,
}

impl Restriction for Pinning<'_> {
    fn restrict(&mut self, choices: &mut Choices) {
        self.pins.restrict(choices);
    }

    fn may_be_stuck(&self, settled: Settled) -> bool {
        settled == Settled::Choices && !matches!(self.pins, Pins::Nothing)
    }

    fn is_stuck(&self, _: Settled, left: &Choices) -> bool {
        left.is_empty()
    }

    fn stuck(&mut self, all: &Choices) {
        self.stuck.extend(all.all().map(|choice| choice.id.rank()));
    }

    /// What comes late for a choice that is pinned would not be chosen.
    fn is_free(&self, choice: ChoiceId) -> bool {
        self.pins.is_free(choice.rank())
    }

    fn allows(&self, _: Event) -> bool {
        true
    }
}

/// Shows each execution once to the observer of the whole, and learns of the groups from it.
struct Watch<'a, S> {
    limits: &'a Limits,
    observer: &'a mut dyn Observer<S>,
    groups: Groups,
    ends: Set<Configuration>,
    /// The choices of the first execution, if it ends without an error.
    path: Option<Vec<Event>>,
    marks: Vec<Event>,
    executions: u64,
    errors: u64,
    first: Option<Counterexample>,
    stopped: Option<Stop>,
    /// Groups have become one since the present exploration began.
    has_joined: bool,
    /// What earlier explorations have counted.
    before: Stats,
}

impl<'a, S: System> Watch<'a, S> {
    fn new(limits: &'a Limits, observer: &'a mut dyn Observer<S>) -> Watch<'a, S> {
        Watch {
            limits,
            observer,
            groups: Groups::default(),
            ends: Set::default(),
            path: None,
            marks: Vec::new(),
            executions: 0,
            errors: 0,
            first: None,
            stopped: None,
            has_joined: false,
            before: Stats::default(),
        }
    }

    fn begin(&mut self, before: Stats) {
        (self.has_joined, self.before) = (false, before);
    }

    /// What others choose decides whether these ranks get what they are pinned to: they are one group with those that
    /// are free.
    fn note_stuck(&mut self, pins: &Pins<'_>, stuck: Vec<WorldRank>) {
        let Pins::Others { free, .. } = pins else { return };
        let Some(one) = free.iter().position(|free| *free) else { return };
        for rank in stuck {
            self.groups.grow(rank.index() + 1);
            self.has_joined |= self.groups.join(one, rank.index());
        }
    }

    /// Learns from an execution, and shows it if it is new.
    fn see(&mut self, system: &mut S, settled: Settled, path: &[Event]) -> Flow {
        let is_error = settled.is_error() || system.failed();
        if self.ends.is_empty() && !is_error {
            self.path = Some(path.to_vec());
        }
        if self.groups.whole.is_none() {
            self.has_joined |= self.groups.note(system.influence().as_ref(), path.len());
        }
        self.marks.clear();
        system.marks(&mut self.marks);
        if self.ends.insert(Configuration::of(path).with_marks(&self.marks)) {
            self.executions += 1;
            if is_error {
                self.errors += 1;
                self.first.get_or_insert_with(|| Counterexample { settled, path: path.to_vec() });
            }
            if self.observer.execution(system, settled, path) == Flow::Stop {
                self.stopped = Some(Stop::Asked);
                return Flow::Stop;
            }
        }
        if self.has_joined { Flow::Stop } else { Flow::Continue }
    }
}

impl<S: System> Observer<Restricted<'_, S, Pinning<'_>>> for Watch<'_, S> {
    fn execution(&mut self, pinned: &mut Restricted<'_, S, Pinning<'_>>, settled: Settled, path: &[Event]) -> Flow {
        self.see(pinned.system, settled, path)
    }

    fn wants_room(&mut self, movable: usize) -> Option<NewFile> {
        self.observer.wants_room(movable)
    }

    /// How far it is, nobody knows: how many groups there are, and how large, shows at the end.
    fn visit(&mut self, stats: &Stats, _outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        if self.executions >= self.limits.executions {
            self.stopped = Some(Stop::Executions);
            return Flow::Stop;
        }
        let stats = Stats { executions: self.executions, ..sum(self.before, *stats) };
        let flow = self.observer.visit(&stats, &|| None);
        if flow == Flow::Stop {
            self.stopped = Some(Stop::Asked);
        }
        flow
    }
}
