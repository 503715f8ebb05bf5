//! Choices that make no difference to each other's ranks are not multiplied.
//!
//! [`crate::matches`] sees each distinct matching of the whole program: two receives with two senders each have four,
//! even if no rank is ever told of both. Here the ranks fall into *groups*. The matchings of each group are explored
//! while the choices of all others are *pinned* to what the first execution chose. So m groups with k executions each
//! cost m · (k - 1) + 1, and not k to the power of m.
//!
//! Groups are found while they are explored: one execution first, which the pins are from, then group after group. Two
//! groups that turn out to be one are explored again as a whole. The same happens where nothing is left but choices
//! whose pinned candidate does not come. Where the first execution is an error, or nothing below is followed, all ranks
//! are one group without pins: that is [`crate::matches`].
//!
//! # By what ranks are told
//!
//! A choice of one rank belongs to another one's group if it makes a difference to what that one is told or sent
//! ([`crate::told`]). *Claim.* Let the groups be as they are at the end, all executions of them explored, and nothing
//! found by [`Proof`]. Let M be any execution, as far as it has come. Then each rank r has been told in M what it is
//! told in some explored execution of its group with the choices that the group has made in M, and M can go on unless
//! all ranks are through.
//!
//! *Told.* By induction over what happens in M. What r is told next comes from s, by the message of a name that r waits
//! for, or that r has chosen. s has sent it after what it was told, which is that of an explored execution of its
//! group; so what it sends is what is sent there, and if s is of another group, what is always sent. If r chooses it:
//! where it is not behind the choice in the group's own execution, it was a candidate there, as [`crate::matches`]
//! misses none. Else it is behind it in every combination ([`Proof::joined`]), so it was not sent yet.
//!
//! *Stuck.* If M cannot go on, each rank that is not through is at a place of its trace where for each way on something
//! is missing that another rank has not given at its own place: [`Proof::stuck`] finds such places.
//!
//! # By what choices have an effect on
//!
//! Where what ranks are told is not followed, or an execution of a group is an error (others are told less then, which
//! says nothing), two ranks are in one group if some choice has an effect on both of them ([`Influence`]).
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
//! # What is not seen
//!
//! The combination of what two groups are told: no execution need show a's outcome of one group together with b's of
//! another. A finding that compares ranks (arguments of one collective operation, a message that nobody receives) is
//! seen where one side deviates from the pins, if it is seen anywhere: the pinned ones agree with each other.

use smpi_base::WorldRank;
use smpi_base::map::{Map, Set};

use crate::choice::{ChoiceId, Choices, Event};
use crate::configuration::Configuration;
use crate::influence::Influence;
use crate::reduction::Strategy;
use crate::reduction::matches;
use crate::restricted::{Restricted, Restriction};
use crate::system::{Settled, System};
use crate::told::Told;
use crate::told::proof::{Proof, Run, Stuck, TooMuch};
use crate::verdict::{Counterexample, Flow, Limits, NewFile, Observer, Outlook, Stats, Stop, Verdict};

/// Executions of groups of which it is kept what ranks were told. Where there are more, that is followed no further.
const MOST_RUNS: usize = 20_000;

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
        loop {
            while self.verdict.stopped.is_none()
                && let Some(free) = self.watch.groups.next(&natural)
            {
                let is_whole = free.iter().all(|free| *free);
                let is_one = is_whole || !self.watch.groups.are_apart(natural.iter().map(|event| event.choice.rank()));
                if is_one && self.watch.observer.are_one_group() == Flow::Stop {
                    self.verdict.stopped = Some(Stop::Asked);
                    break;
                }
                self.explore(&if is_whole { Pins::Nothing } else { Pins::Others { free, pins: &pins } });
                if std::mem::take(&mut self.watch.gave_up) {
                    // The effects of what is explored already were not noted.
                    self.explore(&Pins::First);
                }
            }
            if self.verdict.stopped.is_some() || !self.combine(&pins) {
                break;
            }
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

    /// Looks at what combinations of the groups' executions may show. True if groups have become one.
    fn combine(&mut self, pins: &Map<ChoiceId, u64>) -> bool {
        let Some(mut proof) = self.watch.proof() else { return false };
        let joined = proof.joined().unwrap_or_else(|TooMuch| proof.groups().to_vec());
        if !joined.is_empty() {
            return self.watch.join(&joined);
        }
        loop {
            let stuck = match proof.stuck() {
                Ok(Some(stuck)) => stuck,
                Ok(None) => return false,
                Err(TooMuch) => return self.watch.join(proof.groups()),
            };
            let all = self.watch.pins_of(&stuck, pins);
            self.explore(&Pins::All(&all));
            if self.verdict.stopped.is_some() {
                return false;
            }
            if !self.watch.was_stuck {
                let groups: Vec<usize> = stuck.runs.iter().map(|&(group, _)| group).collect();
                return self.watch.join(&groups);
            }
        }
    }

    /// Explores with some choices pinned, until all is seen or groups have become one.
    fn explore(&mut self, pins: &Pins<'_>) {
        // Which executions are new is known here.
        let limits = Limits { executions: u64::MAX, ..*self.limits };
        self.watch.begin(self.verdict.stats, pins);
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

    /// Whether all ranks are one group, because effects are not followed.
    pub fn are_whole(&self) -> bool {
        self.whole.is_some()
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
    /// Everything: these candidates are taken.
    All(&'a Map<ChoiceId, u64>),
    Nothing,
}

impl Pins<'_> {
    fn is_free(&self, rank: WorldRank) -> bool {
        match self {
            Pins::First | Pins::All(_) => false,
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
            Pins::All(pins) => choices.restrict(|choice, key| pins.get(&choice.id) == Some(&key)),
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

/// An execution of a group that is kept.
struct Kept {
    /// A rank of the group.
    rank: usize,
    told: Told,
    path: Vec<Event>,
}

/// Shows each execution once to the observer of the whole, and learns of the groups from it.
struct Watch<'a, S> {
    limits: &'a Limits,
    observer: &'a mut dyn Observer<S>,
    groups: Groups,
    ends: Set<Configuration>,
    /// The choices of the first execution, if it ends without an error.
    path: Option<Vec<Event>>,
    /// What ranks were told in it; nothing where that is not followed, and groups are joined by what choices can have
    /// had an effect on.
    natural: Option<Told>,
    /// Executions of groups beside it.
    kept: Vec<Kept>,
    /// A rank of the group whose choices are free now; none where executions show nothing of groups.
    free: Option<usize>,
    /// What ranks are told is followed no more, from this execution on.
    gave_up: bool,
    marks: Vec<Event>,
    executions: u64,
    errors: u64,
    first: Option<Counterexample>,
    stopped: Option<Stop>,
    /// Groups have become one since the present exploration began.
    has_joined: bool,
    /// The last execution was an error.
    was_stuck: bool,
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
            natural: None,
            kept: Vec::new(),
            free: None,
            gave_up: false,
            marks: Vec::new(),
            executions: 0,
            errors: 0,
            first: None,
            stopped: None,
            has_joined: false,
            was_stuck: false,
            before: Stats::default(),
        }
    }

    fn begin(&mut self, before: Stats, pins: &Pins<'_>) {
        (self.has_joined, self.was_stuck, self.before) = (false, false, before);
        self.free = match pins {
            Pins::Others { free, .. } => free.iter().position(|free| *free),
            _ => None,
        };
    }

    /// Makes groups one. What is known of them is forgotten.
    fn join(&mut self, ranks: &[usize]) -> bool {
        let Some((&one, others)) = ranks.split_first() else { return false };
        let mut has_joined = false;
        for &other in others {
            self.groups.grow(one.max(other) + 1);
            has_joined |= self.groups.join(one, other);
        }
        if has_joined {
            let (groups, lead) = (&self.groups, self.groups.lead(one));
            self.kept.retain(|kept| groups.lead(kept.rank) != lead);
        }
        self.has_joined |= has_joined;
        has_joined
    }

    /// Learns what ranks are told in an execution, beside the first one.
    fn compare(&mut self, told: Option<Told>, path: &[Event]) {
        let (Some(told), Some(free), Some(natural)) = (told, self.free, &self.natural) else {
            self.give_up();
            return;
        };
        let differs = |&rank: &usize| told.trace(rank) != natural.trace(rank);
        let mut ranks: Vec<usize> = vec![free];
        ranks.extend((0..told.ranks()).filter(differs));
        if !self.join(&ranks) {
            self.kept.push(Kept { rank: free, told, path: path.to_vec() });
        }
        if self.kept.len() > MOST_RUNS {
            self.give_up();
        }
    }

    /// Groups are joined by effects from now on.
    fn give_up(&mut self) {
        if self.natural.take().is_some() {
            self.kept.clear();
            self.groups = Groups::default();
            (self.gave_up, self.has_joined) = (true, true);
        }
    }

    /// What the executions of all groups show together, where several groups have been explored by what they are told.
    fn proof(&self) -> Option<Proof> {
        let natural = self.natural.as_ref().filter(|_| !self.groups.are_whole())?;
        let groups: Vec<usize> = (0..natural.ranks()).map(|rank| self.groups.lead(rank)).collect();
        let runs = self.kept.iter().map(|kept| Run { group: groups[kept.rank], told: &kept.told });
        let runs: Vec<Run<'_>> = runs.collect();
        let are_of_one = runs.windows(2).all(|pair| pair[0].group == pair[1].group);
        (!are_of_one).then(|| Proof::new(groups, natural, &runs))
    }

    /// The choices of a combination of executions.
    fn pins_of(&self, stuck: &Stuck, natural: &Map<ChoiceId, u64>) -> Map<ChoiceId, u64> {
        let mut pins = natural.clone();
        for &(group, run) in &stuck.runs {
            let is_of = |choice: &ChoiceId| self.groups.lead(choice.rank().index()) == group;
            pins.retain(|choice, _| !is_of(choice));
            let its = self.kept[run].path.iter().filter(|event| is_of(&event.choice));
            pins.extend(its.map(|event| (event.choice, event.candidate)));
        }
        pins
    }

    /// What others choose decides whether these ranks get what they are pinned to: they are one group with those that
    /// are free.
    fn note_stuck(&mut self, pins: &Pins<'_>, stuck: Vec<WorldRank>) {
        let Pins::Others { free, .. } = pins else { return };
        let Some(one) = free.iter().position(|free| *free) else { return };
        for rank in stuck {
            self.join(&[one, rank.index()]);
        }
    }

    /// Learns from an execution, and shows it if it is new.
    fn see(&mut self, system: &mut S, settled: Settled, path: &[Event]) -> Flow {
        let is_error = settled.is_error() || system.failed();
        if self.ends.is_empty() && !is_error {
            self.path = Some(path.to_vec());
        }
        self.was_stuck = is_error;
        if self.groups.whole.is_none() {
            // Where ranks get stuck, others are told less, which says nothing.
            let told = system.told().filter(|told| !told.is_lost() && !is_error);
            match told {
                Some(told) if self.ends.is_empty() => {
                    self.groups.grow(told.ranks());
                    self.natural = Some(told);
                }
                told if self.natural.is_some() => {
                    if self.free.is_some() {
                        self.compare(told, path);
                    }
                }
                _ => self.has_joined |= self.groups.note(system.influence().as_ref(), path.len()),
            }
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
