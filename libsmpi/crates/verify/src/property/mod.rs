//! `--ltl` and `--automaton`: what must happen eventually, on the states of the hosted ranks ([`smpi_liveness`]).
//!
//! States are named ([`crate::program::naming`]), and what ranks do without a choice is one step. That step is
//! invisible, because a rank stops before a call where one of its propositions has changed
//! ([`smpi_runtime::blocking::show_propositions`]): that others see the change is a choice of its own. So if every
//! choice is made in every state, the executions that are looked at are all executions but for repeated states, which
//! most properties cannot tell. For one that can (it contains `X`, mostly), each choice is one step, and the report
//! says so. For the others fewer choices are made where that is enough ([`super::ample`]), and the report says where
//! it is not.
//!
//! A rank can move where it has an open choice. Without one it waits for others, or has gone on already.

pub(crate) mod ample;
pub(crate) mod lasso;
pub(crate) mod messages;

use std::rc::Rc;

use smpi_base::digest::Digest;
use smpi_base::plan::{PropertyKind, PropertyPlan, VerifyPlan};
use smpi_checker::{Choices, Event, Settled, System};
use smpi_choices::{Discoveries, Discovery, bound};
use smpi_liveness::{
    Automaton, Counterexample, Coverage, Fairness, Formula, Graph, Hoa, Limits, MOST_RANKS, Outcome, Ranks, Successor,
    Unary, check, in_one_line,
};
use smpi_report::finding::{Buffering, Location};
use smpi_report::tree::Tree;
use smpi_report::{Finding, FindingKey};
use smpi_runtime::summary::Wall;
use smpi_runtime::with;

use crate::findings::last_calls;
use crate::limits::interrupt;
use crate::program::{Program, Snapshot, driven, foreseen};
use crate::property::lasso::{Drawing, lasso_of};
use crate::property::messages::Messages;
use crate::schedule::in_words::{self, MAX_CHOICES, follow_telling};
use crate::schedule::token::{self, Round};
use crate::trail::{self, Counts};

/// What a check of a property says.
pub struct Checked {
    /// The execution that violates it.
    pub finding: Option<Finding>,
    /// How much was looked at.
    pub coverage: Coverage,
    /// Why not everything was.
    pub stop: Option<Stop>,
    /// The states, where a page is wanted and they are few.
    pub tree: Option<Tree>,
    /// [`Violations::counts_steps`].
    pub counts_steps: bool,
    /// Why all choices were made in all states, if they were, in words that follow "because".
    pub unreduced: Option<String>,
    /// The program cancels operations.
    pub cancels: bool,
    /// What went wrong in some execution, though it is no violation.
    pub error: Option<&'static str>,
}

/// What bounds a search, and what was explored before it.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// The time limit is one of these.
    pub options: &'a VerifyPlan,
    /// The time.
    pub wall: &'a Wall,
    /// What was explored in earlier modes.
    pub earlier: Counts,
}

/// What users should know of a property that can tell how often a state is repeated.
pub const STEPS: &str = "each choice is one step";

/// Why a check ends early.
pub enum Stop {
    /// There are more states than can be numbered.
    TooMany,
    /// The time is up.
    Late,
    /// Ctrl-C.
    Interrupted,
    /// A function of the program that says whether a proposition is true did what it must not do: what, in words.
    Misused(String),
    /// All choices have to be made in all states: why, in words that follow "because".
    OutOfReach(String),
}

/// An automaton of what must not happen.
pub struct Violations {
    /// Reads the states of an execution.
    pub automaton: Automaton,
    /// It can tell how often a state is repeated, so that it matters what one step is.
    pub counts_steps: bool,
}

/// What must not happen. `is_known` tells names of propositions from operators without spaces.
///
/// # Errors
/// Text for the user: what is wrong, where, and what was expected.
pub fn violations(property: &PropertyPlan, is_known: &impl Fn(&str) -> bool) -> Result<Violations, String> {
    let syntax = |error: smpi_liveness::SyntaxError| format!("{}: {error}", property.source);
    let (automaton, is_blind) = match property.kind {
        PropertyKind::Formula => {
            let formula = Formula::parse(&property.text).map_err(syntax)?.with_operators_split(is_known);
            let is_blind = smpi_liveness::is_stutter_invariant(&formula);
            let negated = formula.under(Unary::Not);
            (Automaton::of(&negated).map_err(|error| format!("{}: {error}", property.source))?, is_blind)
        }
        PropertyKind::Hoa => {
            let Hoa { automaton, stutter_invariant, .. } = Hoa::parse(&property.text).map_err(syntax)?;
            let is_blind = stutter_invariant || automaton.cannot_tell_repetitions();
            (automaton, is_blind)
        }
        PropertyKind::Claim => {
            let automaton = Automaton::parse_claim(&property.text).map_err(syntax)?;
            let is_blind = automaton.cannot_tell_repetitions();
            (automaton, is_blind)
        }
    };
    Ok(Violations { automaton, counts_steps: !is_blind })
}

/// Checks a property under one kind of buffering. The search begins anew where it finds out that it must not leave
/// choices out, or something that it should have known from its start.
///
/// # Errors
/// Text for the user: the program does not name a proposition, or names it wrongly.
pub fn check_property(
    program: &mut Program,
    mode: Buffering,
    property: &PropertyPlan,
    bounds: Bounds<'_>,
) -> Result<Checked, String> {
    program.foresee(&Discoveries::new());
    let names = known_names(program);
    let violations = violations(property, &|name| names.iter().any(|known| known == name))?;
    if !property.unfair && program.count() as usize > MOST_RANKS {
        return Err(format!("{}: expected at most {MOST_RANKS} ranks, or --unfair", property.source));
    }
    let mut unreduced = match (property.reduced, violations.counts_steps) {
        (false, _) => Some("that was asked for".to_string()),
        (true, true) => Some("the property may tell how often a state is repeated".to_string()),
        (true, false) => property.fair_messages.then(|| "messages have to be fair".to_string()),
    };
    let (mut known, mut cancels, mut error, mut most) = (Discoveries::new(), false, None, Coverage::default());
    loop {
        program.foresee(&known);
        let names = violations.automaton.propositions.clone();
        let named = vec![false; names.len()];
        let drawing = bounds.options.report_html.is_some().then(Drawing::default);
        let reduces = unreduced.is_none();
        let offers = property.fair_messages.then(Messages::default);
        let mut states = States { program, names, named, bounds, nameless: 0, reduces, error, drawing, offers };
        let fairness = match property {
            PropertyPlan { unfair: true, .. } => Fairness::None,
            PropertyPlan { fair_messages: true, .. } => Fairness::Offers,
            _ => Fairness::Weak,
        };
        with(|runtime| runtime.world.observers.matched = property.fair_messages.then(Vec::new));
        let (outcome, mut coverage) = check(&mut states, &violations.automaton, fairness, Limits::default());
        // A search that was stopped soon after it began anew has seen less than the one before.
        most = if coverage.states > most.states { coverage } else { most };
        if let Outcome::Stopped(_) = outcome {
            coverage = most;
        }
        let States { named, drawing, .. } = states;
        error = states.error;
        let mut discovered = driven(|driver, _| driver.take_discovered());
        let found = discovered.len();
        discovered.retain(|one| !matches!(one, Discovery::Cancels(_)));
        cancels |= discovered.len() < found;
        match outcome {
            Outcome::Stopped(Stop::OutOfReach(why)) => unreduced = Some(why),
            Outcome::Holds | Outcome::Violated(_) if !discovered.is_empty() => {}
            Outcome::Holds if cancels && unreduced.is_none() => unreduced = Some("operations are cancelled".into()),
            outcome => {
                let search = Search { mode, property, outcome, coverage, named, drawing, unreduced, cancels, error };
                return search.checked(program, &violations);
            }
        }
        known.append(&mut discovered);
        bound(&mut known);
    }
}

/// A search that has ended.
struct Search<'a> {
    mode: Buffering,
    property: &'a PropertyPlan,
    outcome: Outcome<Stop>,
    coverage: Coverage,
    named: Vec<bool>,
    drawing: Option<Drawing>,
    unreduced: Option<String>,
    cancels: bool,
    error: Option<&'static str>,
}

impl Search<'_> {
    /// What it says.
    fn checked(self, program: &mut Program, violations: &Violations) -> Result<Checked, String> {
        let Search { mode, property, outcome, coverage, named, drawing, unreduced, cancels, error } = self;
        let Violations { automaton, counts_steps } = violations;
        let names = &automaton.propositions;
        let is_whole = !matches!(outcome, Outcome::Stopped(_));
        if let Some((name, _)) = names.iter().zip(named).find(|(_, named)| is_whole && !named) {
            let known = known_names(program);
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            return Err(format!(
                "{}: no rank names the proposition {name} (MC_proposition of smpi/smpi.h); named are: {known}",
                property.source
            ));
        }
        let counterexample = if let Outcome::Violated(found) = &outcome { Some(found) } else { None };
        let tree = drawing.and_then(|drawing| drawing.finished(program, names, counterexample));
        let (finding, stop) = match outcome {
            Outcome::Holds => (None, None),
            Outcome::Violated(found) => {
                let mut finding = finding_of(program, mode, property, names, &found);
                if *counts_steps {
                    finding.message = format!("{}; {STEPS}", finding.message);
                }
                (Some(finding), None)
            }
            Outcome::Stopped(Stop::Misused(what)) => return Err(format!("{}: {what}", property.source)),
            Outcome::Stopped(stop) => (None, Some(stop)),
            Outcome::Limit => (None, Some(Stop::TooMany)),
        };
        Ok(Checked { finding, coverage, stop, tree, counts_steps: *counts_steps, unreduced, cancels, error })
    }
}

/// From now on ranks stop where a proposition of theirs has changed.
pub fn watch(program: &mut Program) {
    prepare(program);
    with(|runtime| runtime.follows.shows_propositions = true);
}

/// From now on ranks that go on for ever come to rest.
fn prepare(program: &mut Program) {
    program.names_states();
    driven(|driver, _| driver.poll_freely());
}

/// Choices of an execution in which propositions are looked for: ranks name them at the beginning.
const MOST_LOOKS: usize = 256;

/// The propositions that ranks name at the beginning of some execution. They stop where one has changed, because they
/// may go on for ever.
fn known_names(program: &mut Program) -> Vec<String> {
    watch(program);
    System::reset(program);
    for _ in 0..MOST_LOOKS {
        let settled = program.settle();
        let Some(&event) = program.events().first().filter(|_| !settled.is_end()) else { break };
        program.take(event);
    }
    with(|runtime| {
        let all = runtime.ranks.iter().flat_map(|run| run.propositions.iter());
        all.map(|proposition| proposition.name.to_string()).collect()
    })
}

/// The states of a program.
struct States<'a> {
    program: &'a mut Program,
    /// The propositions of the automaton.
    names: Vec<String>,
    /// Which of them some rank has named.
    named: Vec<bool>,
    bounds: Bounds<'a>,
    /// States without a name so far.
    nameless: u64,
    /// Some choices are left out where that is enough.
    reduces: bool,
    /// What went wrong in one of them.
    error: Option<&'static str>,
    /// What is drawn of them.
    drawing: Option<Drawing>,
    /// Which messages receives could take, where these have to be fair.
    offers: Option<Messages>,
}

/// A state that is not explored yet.
struct State {
    snapshot: Rc<Snapshot>,
    key: u128,
    valuation: u64,
    enabled: Ranks,
    /// Messages that receives and probes can take or see.
    offers: Vec<u32>,
    is_end: bool,
}

fn ranks_of(events: &[Event], count: u32) -> Ranks {
    let ranks = events.iter().map(|event| event.choice.rank());
    ranks.filter(|rank| rank.0 < count).map(|rank| rank.index()).collect()
}

impl States<'_> {
    /// The present state.
    fn here(&mut self, settled: Settled) -> Result<State, Stop> {
        let Bounds { options, wall, .. } = self.bounds;
        if options.time_limit_secs > 0.0 && wall.seconds() > options.time_limit_secs {
            return Err(Stop::Late);
        }
        if interrupt::wanted() {
            return Err(Stop::Interrupted);
        }
        if let Some(what) = with(|runtime| runtime.trouble.misused_proposition.take()) {
            return Err(Stop::Misused(what));
        }
        if self.program.failed() || settled == Settled::Failed {
            self.error = Some("a rank fails");
        } else if matches!(settled, Settled::Deadlock | Settled::Reluctant) {
            self.error = self.error.or(Some("ranks wait for ever"));
        }
        let mut choices = Choices::new();
        let is_end = settled.is_end();
        if !is_end {
            self.program.choices(&mut choices);
        }
        let name = self.program.fingerprint();
        if self.reduces {
            let why = ample::out_of_reach(self.program, &choices);
            let unnamed = || self.program.take_unnamed().filter(|_| name.is_none());
            if let Some(why) = why.or_else(unnamed) {
                return Err(Stop::OutOfReach(why));
            }
        }
        // Without a name it is taken for a state that was never met: nothing is missed, but it may be met again.
        let key = name.map_or_else(
            || {
                self.nameless += 1;
                Digest::of(&("nameless", self.nameless))
            },
            |name| name.0,
        );
        let (names, named) = (&self.names, &mut self.named);
        let valuation = with(|runtime| {
            let mut valuation = 0;
            for proposition in runtime.ranks.iter().flat_map(|run| run.propositions.iter()) {
                if let Some(place) = names.iter().position(|name| **name == *proposition.name) {
                    named[place] = true;
                    valuation |= u64::from(proposition.is_shown) << place;
                }
            }
            valuation
        });
        let events: Vec<Event> = choices.events().collect();
        let enabled = ranks_of(&events, self.program.count());
        let offers = self.offers.as_mut().map_or_else(Vec::new, |messages| messages.offered(&events));
        let snapshot = Rc::new(self.program.copy());
        if let Some(drawing) = &mut self.drawing {
            drawing.met(&snapshot, key, valuation, is_end);
        }
        Ok(State { snapshot, key, valuation, enabled, offers, is_end })
    }
}

impl Graph for States<'_> {
    type State = State;
    type Stop = Stop;

    fn ranks(&self) -> usize {
        self.program.count() as usize
    }

    fn initial(&mut self) -> Result<State, Stop> {
        System::reset(self.program);
        let settled = self.program.settle();
        self.here(settled)
    }

    fn key(&self, state: &State) -> u128 {
        state.key
    }

    fn valuation(&self, state: &State) -> u64 {
        state.valuation
    }

    fn enabled(&self, state: &State) -> Ranks {
        state.enabled
    }

    fn offers(&self, state: &State) -> Vec<u32> {
        state.offers.clone()
    }

    fn successors(&mut self, state: &State, found: &mut Vec<Successor<State>>) -> Result<(), Stop> {
        if state.is_end {
            return Ok(());
        }
        self.program.put_back(&state.snapshot);
        for (place, event) in self.program.events().into_iter().enumerate() {
            let successor = self.after(state, (place, event))?;
            found.push(successor);
        }
        Ok(())
    }

    fn ample(&mut self, state: &State, first: u32, found: &mut Vec<Successor<State>>) -> Result<Option<u32>, Stop> {
        if !self.reduces || state.is_end {
            return Ok(None);
        }
        self.program.put_back(&state.snapshot);
        let mut choices = Choices::new();
        self.program.choices(&mut choices);
        if choices.all().count() < 2 {
            return Ok(None);
        }
        let names = &self.names;
        let is_named = |name: &str| names.iter().any(|other| other == name);
        let Some((before, count)) = ample::alone(&choices, first as usize, &is_named) else { return Ok(None) };
        for (place, event) in choices.events().enumerate().skip(before).take(count) {
            let successor = self.after(state, (place, event))?;
            if successor.state.valuation != state.valuation {
                return Err(Stop::OutOfReach("a choice changes a proposition that was to change by itself".into()));
            }
            found.push(successor);
        }
        Ok(Some(before as u32))
    }

    fn known(&mut self, states: usize, steps: usize) {
        trail::note_counts(self.bounds.earlier.and(0, steps as u64, states as u64));
    }
}

impl States<'_> {
    /// Makes a choice of a state, of which so many come before it.
    fn after(&mut self, state: &State, (place, event): (usize, Event)) -> Result<Successor<State>, Stop> {
        self.program.put_back(&state.snapshot);
        let mut accepted = self.offers.as_mut().map_or_else(Vec::new, |messages| messages.offered(&[event]));
        with(|runtime| runtime.world.observers.matched.iter_mut().for_each(Vec::clear));
        self.program.take(event);
        let settled = self.program.settle();
        let moved = ranks_of(&[event], self.program.count());
        accepted.extend(self.offers.iter_mut().flat_map(Messages::matched));
        let successor = self.here(settled)?;
        if let Some(drawing) = &mut self.drawing {
            drawing.step(state.key, (place, event), successor.key);
        }
        Ok(Successor { state: successor, moved, accepted })
    }
}

/// The choices of a counterexample, and how many of them come before the cycle.
fn schedule_of(program: &mut Program, found: &Counterexample) -> (Vec<Event>, usize) {
    System::reset(program);
    program.settle();
    let (mut path, mut before) = (Vec::new(), 0);
    for (place, step) in found.prefix.iter().chain(&found.cycle).enumerate() {
        if place == found.prefix.len() {
            before = path.len();
        }
        let Some(successor) = step.successor else { break };
        let event = program.events()[successor];
        path.push(event);
        program.take(event);
        program.settle();
    }
    (path, before)
}

fn finding_of(
    program: &mut Program,
    mode: Buffering,
    property: &PropertyPlan,
    names: &[String],
    found: &Counterexample,
) -> Finding {
    let (path, before) = schedule_of(program, found);
    let calls = last_calls(program);
    let round = path.len() - before;
    let what = match property.kind {
        PropertyKind::Formula => format!("{} does not hold", in_one_line(&property.text)),
        _ => format!("{} accepts an execution", property.source),
    };
    let end = match round {
        0 => "nothing happens any more".to_string(),
        1 => "the last choice comes again and again, for ever".to_string(),
        _ => format!("the last {round} choices come again and again, for ever"),
    };
    let always = |value: bool| {
        let is_so = |place: &usize| found.cycle.iter().all(|step| (step.valuation >> *place & 1 == 1) == value);
        (0..names.len()).filter(is_so).map(|place| names[place].as_str()).collect::<Vec<_>>().join(", ")
    };
    let lasting = [(always(true), "true"), (always(false), "false")];
    let lasting = lasting.iter().filter(|(names, _)| !names.is_empty());
    let lasting: Vec<String> = lasting.map(|(names, value)| format!("{value} all the time: {names}")).collect();
    let lasting = if lasting.is_empty() { String::new() } else { format!(" ({})", lasting.join("; ")) };
    let mut finding = Finding::new(FindingKey::Liveness, format!("{what}: in the end {end}{lasting}"));
    finding.buffering = Some(mode);
    finding.last_calls = calls;
    finding.replay = token::write_round(mode, &foreseen(), &path, Round { before, is_lost: false });
    if let Ok((mut lines, _)) = follow_telling(program, &path, false) {
        finding.lasso = Some(lasso_of(names, found, &lines, before));
        // What comes again and again; or the last that happened.
        let telling = if round > 0 { before } else { lines.len().saturating_sub(1) };
        for told in lines.iter().skip(telling) {
            let place = told.served.as_ref().unwrap_or(&told.line.place);
            if !finding.locations.contains(place) {
                finding = finding.located(place.clone());
            }
        }
        lines.drain(..lines.len().saturating_sub(MAX_CHOICES.max(round)));
        finding.choices = lines.into_iter().map(|told| told.line).collect();
    }
    if finding.locations.is_empty() {
        let places: Vec<Location> = finding.last_calls.iter().map(|call| call.place.clone()).collect();
        finding = places.into_iter().fold(finding, Finding::located);
    }
    finding
}

/// Whether the last choices of a schedule, all but the first `before`, lead back to the state before them; or, where
/// there are none, the program has come to an end there.
///
/// # Errors
/// Text for the user when the schedule does not fit the program.
pub fn comes_back(program: &mut Program, path: &[Event], rounds: (usize, u32), shown: bool) -> Result<bool, String> {
    watch(program);
    in_words::comes_back(program, path, rounds, shown, Settled::is_end)
}
