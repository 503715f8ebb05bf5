//! What must be the same, or contained, in two explorations of a program, or in an exploration and a simulation.

use super::features::{Feature, Features};
use super::program::Program;
use super::run::{Mode, Outcome, Runner, Simulated, Verified};
use crate::verification::PARTS;
use std::collections::BTreeSet;

/// Executions after which the default exploration is given up.
const MOST_EXECUTIONS: &str = "--max-executions=4000";

/// Ends the slow reductions of the few programs whose executions come to nothing for very long (polls, and
/// cancellations that were anticipated and do not come). What was seen until then is compared.
const MOST_TIME: &str = "--time-limit=2";

/// Brute force by states, which looks whether states that are met again are the same.
pub const COMPARING: &[&str] = &["--reduction=none", "--compare-states=2"];

/// Whether a program polls until there is something.
fn polls(program: &Program) -> bool {
    program.has(|op| op.name.starts_with("poll") || ["turns", "retry", "inturn"].contains(&op.name.as_str()))
}

/// Of so many programs, one is explored by states without any reduction.
const EVERYTHING_OF: u64 = 4;

/// Two that do not agree.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Which two; a smaller program must show the same.
    pub kind: String,
    /// What is different.
    pub details: String,
}

impl Difference {
    pub(super) fn new(kind: impl Into<String>, details: impl Into<String>) -> Difference {
        Difference { kind: kind.into(), details: details.into() }
    }
}

/// How much was compared.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// Programs.
    pub programs: u64,
    /// Programs that the default exploration did not get through.
    pub too_large: u64,
    /// Programs that poll for ever in some execution: nothing else is compared.
    pub endless: u64,
    /// Programs that misuse MPI, which was found: nothing else is compared.
    pub wrong: u64,
    /// Programs with more than one execution in some mode.
    pub branching: u64,
    /// Programs with a deadlock in some execution.
    pub deadlocks: u64,
    /// Programs that send differently in some execution, and those that only receive differently.
    pub differing: (u64, u64),
    /// Executions of the default exploration.
    pub executions: u64,
    /// Explorations by states that met a state again, or ended with fewer executions.
    pub stateful: u64,
    /// Explorations that went on by states, or by groups of ranks, without being asked to.
    pub begun: u64,
    /// Explorations with polls that find nothing more often, which came to an end.
    pub polled: u64,
    /// Searches by deviations that exhausted a program.
    pub exhausted: u64,
    /// Programs of which `histories` has fewer executions.
    pub fewer: u64,
    /// Explorations of one mode by `none` that came to an end, and all of them.
    pub none: (u64, u64),
    /// The same of `dpor`.
    pub dpor: (u64, u64),
    /// Explorations with `--buffering each` that came to an end, and those of them whose outcomes no mode of `both`
    /// has.
    pub each: (u64, u64),
    /// Programs whose deadlocks neither mode of `both` shows.
    pub only_each: u64,
    /// Explorations by `none` with `--buffering each` that came to an end.
    pub each_none: u64,
    /// Simulations.
    pub simulations: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.programs += other.programs;
        self.too_large += other.too_large;
        self.wrong += other.wrong;
        self.endless += other.endless;
        self.branching += other.branching;
        self.deadlocks += other.deadlocks;
        self.differing = (self.differing.0 + other.differing.0, self.differing.1 + other.differing.1);
        self.executions += other.executions;
        self.stateful += other.stateful;
        self.begun += other.begun;
        self.polled += other.polled;
        self.exhausted += other.exhausted;
        self.fewer += other.fewer;
        self.none = (self.none.0 + other.none.0, self.none.1 + other.none.1);
        self.dpor = (self.dpor.0 + other.dpor.0, self.dpor.1 + other.dpor.1);
        self.each = (self.each.0 + other.each.0, self.each.1 + other.each.1);
        self.only_each += other.only_each;
        self.each_none += other.each_none;
        self.simulations += other.simulations;
    }
}

/// How to compare.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What is compared.
    pub features: Features,
    /// Executions after which the slow reductions are given up, in each mode.
    pub most_orders: u64,
}

/// Compares everything; `seed` varies the simulations.
///
/// # Errors
/// The first difference.
pub fn compare(runner: &Runner, program: &Program, settings: &Settings, seed: u64) -> Result<Counts, Difference> {
    let mut counts = Counts { programs: 1, ..Counts::default() };
    let base = verify(runner, program, &[MOST_EXECUTIONS])?;
    if !base.complete {
        counts.too_large = 1;
        return Ok(counts);
    }
    if base.keys.contains("non-termination") {
        // Every order of the slow reductions, and some simulation, would poll for very long.
        counts.endless = 1;
        return Ok(counts);
    }
    if base.keys.iter().any(|key| key.starts_with("mpi/")) {
        // What a wrong call does is not defined, and where it is noticed depends on the order.
        counts.wrong = 1;
        early_by_states(runner, program, &base)?;
        return Ok(counts);
    }
    counts.branching = base.modes.iter().any(|mode| mode.executions > 1).into();
    counts.deadlocks = base.keys.iter().any(|key| key.starts_with("deadlock")).into();
    let has = |key: &str| base.keys.contains(key);
    counts.differing = match (has("determinism/send"), has("determinism/communication")) {
        (true, _) => (1, 0),
        (false, receives) => (0, receives.into()),
    };
    counts.executions = base.executions();
    let jobs = verify(runner, program, &[&PARTS[..], &[MOST_EXECUTIONS]].concat())?;
    if jobs != base {
        return Err(Difference::new("--jobs 2", format!("{jobs:?}\ninstead of {base:?}")));
    }
    if polls(program) {
        counts.polled = polled(runner, program, &base)?;
    }
    counts.stateful = stateful(runner, program, &base, seed)?;
    counts.begun = by_itself(runner, program, &base)?;
    counts.exhausted = walks(runner, program, &base, seed)?;
    counts.fewer = histories(runner, program, &base)?;
    let orders = format!("--max-executions={}", settings.most_orders);
    counts.dpor = reduction(runner, program, "dpor", &base, &[&orders])?;
    counts.none = reduction(runner, program, "none", &base, &[&orders])?;
    let each = mixtures(runner, program, &base, &mut counts, settings.most_orders / 3)?;
    let known = Known { base: &base, each: &each };
    let collective = program.has(|op| op.is_collective());
    let by_messages = settings.features.has(Feature::Messages);
    if collective {
        let p2p = verify(runner, program, &["--collectives=p2p", MOST_EXECUTIONS])?;
        if by_messages {
            within(&p2p, &known)?;
        }
        if p2p.complete {
            reduction(runner, program, "dpor", &p2p, &["--collectives=p2p", &orders])?;
        }
    }
    if !collective || by_messages {
        counts.simulations = simulations(runner, program, &known, seed)?;
    }
    Ok(counts)
}

/// The same for a program with a deadlock that only `--buffering each` shows.
///
/// # Errors
/// The first difference, or that this deadlock was not found.
pub fn compare_planted(
    runner: &Runner,
    program: &Program,
    settings: &Settings,
    seed: u64,
) -> Result<Counts, Difference> {
    let counts = compare(runner, program, settings, seed)?;
    let details = || format!("a deadlock with --buffering each only was expected: {counts:?}\n");
    if counts.only_each == 1 { Ok(counts) } else { Err(Difference::new("planted", details())) }
}

fn verify(runner: &Runner, program: &Program, options: &[&str]) -> Result<Verified, Difference> {
    runner.verify(program, options).map_err(|message| Difference::new(format!("verify {}", options.join(" ")), message))
}

/// Two explorations of another kind: each that is complete has all outcomes of the other, and the same findings.
fn shows_the_same(kind: &str, other: &Verified, base: &Verified) -> Result<(), Difference> {
    for (mode, other) in base.modes.iter().zip(&other.modes) {
        for (one, two, who) in [(mode, other, kind), (other, mode, "matches")] {
            let missing = lacking(&one.outcomes, two);
            if !missing.is_empty() && two.complete {
                return Err(Difference::new(kind, format!("{who} ({}) lacks {missing}", mode.name)));
            }
        }
    }
    if other.complete && other.keys != base.keys {
        let details = format!("{:?} instead of {:?}", other.keys, base.keys);
        return Err(Difference::new(format!("findings by {kind}"), details));
    }
    Ok(())
}

/// Exploring states whatever led to them shows the same: everything that ranks print and send where that belongs to a
/// state; where it does not, the same errors, and whether what ranks print depends on messages. Returns whether the
/// latter took fewer executions.
fn stateful(runner: &Runner, program: &Program, base: &Verified, seed: u64) -> Result<u64, Difference> {
    let other = verify(runner, program, &["--stateful", MOST_EXECUTIONS])?;
    shows_the_same("states", &other, base)?;
    let found = runner.find(program, &["--stateful", MOST_EXECUTIONS], &[]);
    let found = found.map_err(|message| Difference::new("verify --stateful alone", message))?;
    if found.complete && errors(&found.keys) != errors(&base.keys) {
        return Err(Difference::new("errors by states", format!("{:?} instead of {:?}", found.keys, base.keys)));
    }
    // Beside other errors not all executions are compared that meet.
    let is_race = |keys: &BTreeSet<String>| keys.iter().any(|key| key.starts_with("race/message"));
    if found.complete && errors(&base.keys).is_empty() && is_race(&found.keys) != is_race(&base.keys) {
        let details = format!("{:?} instead of {:?}", found.keys, base.keys);
        return Err(Difference::new("message races by states", details));
    }
    if seed.is_multiple_of(EVERYTHING_OF) {
        let all = runner.find(program, &[&["--stateful", MOST_EXECUTIONS, MOST_TIME], COMPARING].concat(), &[]);
        let all = all.map_err(|message| Difference::new("verify --stateful by brute force", message))?;
        if all.complete && errors(&all.keys) != errors(&base.keys) {
            return Err(Difference::new("errors by brute force", format!("{:?} instead of {:?}", all.keys, base.keys)));
        }
    }
    Ok((found.executions() < base.executions()).into())
}

/// Keys of errors: not what compares executions, of which some are seen once, and states show some only.
pub(super) fn errors(keys: &BTreeSet<String>) -> BTreeSet<&String> {
    keys.iter().filter(|key| !key.starts_with("race/message") && !key.starts_with("determinism/")).collect()
}

/// Executions of a mode below which it is always explored as asked.
const FEW: u64 = 500;

/// Where there are many executions, the exploration may go on by states, or by groups of ranks, though nobody has asked
/// for it, and shows the same errors. Returns whether it did.
fn by_itself(runner: &Runner, program: &Program, base: &Verified) -> Result<u64, Difference> {
    if base.modes.iter().all(|mode| mode.executions < FEW) {
        return Ok(0);
    }
    let found = runner.find(program, &[], &[]);
    let found = found.map_err(|message| Difference::new("verify alone", message))?;
    if !found.complete || errors(&found.keys) != errors(&base.keys) {
        let details = format!("{}, {:?} instead of {:?}", found.complete, found.keys, base.keys);
        return Err(Difference::new("errors in the way that it goes on by itself", details));
    }
    Ok((found.states() > 0 || found.executions() < base.executions()).into())
}

/// A send in ready mode that may come too early is found by states, too. Other wrong calls may hide it.
fn early_by_states(runner: &Runner, program: &Program, base: &Verified) -> Result<(), Difference> {
    let is_early = |key: &String| key.starts_with("mpi/ready-send");
    if !base.keys.iter().filter(|key| key.starts_with("mpi/")).all(is_early) {
        return Ok(());
    }
    let found = runner.find(program, &["--stateful", MOST_EXECUTIONS], &[]);
    let found = found.map_err(|message| Difference::new("verify --stateful alone", message))?;
    if found.complete && !found.keys.iter().any(is_early) {
        return Err(Difference::new("ready sends by states", format!("{:?} instead of {:?}", found.keys, base.keys)));
    }
    Ok(())
}

/// Polls that find nothing some more times than is thought to matter show nothing else. Returns how many explorations
/// came to an end.
fn polled(runner: &Runner, program: &Program, base: &Verified) -> Result<u64, Difference> {
    let free = verify(runner, program, &["--cfg=smpi/free-polls:yes", MOST_EXECUTIONS, MOST_TIME])?;
    shows_the_same("free polls", &free, base)?;
    Ok(free.complete.into())
}

/// Executions near the natural one are among those of the default exploration, and with any number of deviations they
/// are the same; so are random ones, whatever the number of processes. Returns how many of them exhausted the program.
fn walks(runner: &Runner, program: &Program, base: &Verified, seed: u64) -> Result<u64, Difference> {
    let sample: &[&str] = &["--sample=40", "--seed=5"];
    let priorities: &[&str] = &["--sample=40", "--bug-depth=2"];
    let most: &[&str] = &["--deviations=1000000", MOST_EXECUTIONS];
    let mut exhausted = 0;
    for (options, number) in [sample, priorities, most, &["--deviations=2"]].into_iter().zip(0..) {
        let walked = verify(runner, program, options)?;
        let kind = options.join(" ");
        // Several processes for one of the four, in turns.
        if seed % 4 == number {
            let together = verify(runner, program, &[options, &["--jobs=2"]].concat())?;
            if together != walked {
                return Err(Difference::new(kind + " --jobs 2", format!("{together:?}\ninstead of {walked:?}")));
            }
        }
        for (mode, walked) in base.modes.iter().zip(&walked.modes) {
            let wrong = lacking(&walked.outcomes, mode);
            if !wrong.is_empty() {
                return Err(Difference::new(kind, format!("matches ({}) lacks {wrong}", mode.name)));
            }
        }
        let is_exhausted = walked.complete && (options == most || base.executions() > walked.modes.len() as u64);
        if (walked.complete || options == most) && !walked.without_needless(base).is_same_in_any_order(base) {
            return Err(Difference::new(kind, format!("{walked:?}\ninstead of {base:?}")));
        }
        exhausted += u64::from(is_exhausted);
    }
    Ok(exhausted)
}

/// A slow reduction sees the same; returns how many modes it came to the end of, of how many.
/// What each rank can print, and what is found, is seen where not everything is combined.
fn histories(runner: &Runner, program: &Program, base: &Verified) -> Result<u64, Difference> {
    let found = verify(runner, program, &["--reduction=histories"])?;
    let differ = |what: &str| Err(Difference::new("histories", format!("{what}: {found:?}\ninstead of {base:?}\n")));
    if (found.complete, &found.keys, &found.failures) != (true, &base.keys, &base.failures) {
        return differ("verdicts");
    }
    for (all, some) in base.modes.iter().zip(&found.modes) {
        // Where some rank gets stuck, others may come less far beside it than they are seen to come.
        let ends = all.ended.iter().flatten().all(|ends| *ends);
        let lacks = ends && by_rank(all) != by_rank(some);
        if lacks || !some.outcomes.is_subset(&all.outcomes) || some.executions > all.executions {
            return differ(&all.name);
        }
    }
    Ok((found.executions() < base.executions()).into())
}

/// What each rank can print.
fn by_rank(mode: &Mode) -> BTreeSet<(usize, &String)> {
    mode.outcomes.iter().flat_map(|outcome| outcome.iter().enumerate()).collect()
}

fn reduction(
    runner: &Runner,
    program: &Program,
    name: &str,
    base: &Verified,
    options: &[&str],
) -> Result<(u64, u64), Difference> {
    let option = format!("--reduction={name}");
    let other = verify(runner, program, &[&[option.as_str(), MOST_TIME], options].concat())?;
    let kind = |what: &str| format!("{what} of {name} and matches {}", options.join(" "));
    for (mode, other) in base.modes.iter().zip(&other.modes) {
        let missing = lacking(&other.outcomes, mode);
        if !missing.is_empty() {
            return Err(Difference::new(kind("outcomes"), format!("matches ({}) lacks {missing}", mode.name)));
        }
        let wrong = lacking(&mode.outcomes, other);
        if other.complete && !wrong.is_empty() {
            return Err(Difference::new(kind("outcomes"), format!("{name} ({}) lacks {wrong}", mode.name)));
        }
    }
    if other.complete && other.keys != base.keys {
        return Err(Difference::new(kind("findings"), format!("{:?} instead of {:?}", other.keys, base.keys)));
    }
    let complete = other.modes.iter().filter(|mode| mode.complete).count();
    Ok((complete as u64, base.modes.len() as u64))
}

/// The outcomes that a mode does not have, as text.
fn lacking(outcomes: &BTreeSet<Outcome>, mode: &Mode) -> String {
    outcomes.difference(&mode.outcomes).map(shown).collect()
}

fn shown(outcome: &Outcome) -> String {
    format!("[\n{}]\n", outcome.concat())
}

/// The key of a deadlock that buffers prevent.
const BUFFERING: &str = "deadlock/buffering";

/// With each send and each collective operation for itself, at least what the extremes show; `none` shows the same.
fn mixtures(
    runner: &Runner,
    program: &Program,
    base: &Verified,
    counts: &mut Counts,
    most_orders: u64,
) -> Result<Verified, Difference> {
    let each = verify(runner, program, &["--buffering=each", MOST_EXECUTIONS])?;
    if !each.complete {
        return Ok(each);
    }
    let [mixed] = &each.modes[..] else { return Err(Difference::new("modes of each", format!("{each:?}"))) };
    for mode in &base.modes {
        let missing = lacking(&mode.outcomes, mixed);
        if !missing.is_empty() {
            return Err(Difference::new("outcomes of each", format!("each lacks {missing} of {}", mode.name)));
        }
    }
    // A deadlock whose ranks are stuck whatever is buffered has its plainest name there.
    let is_found = |key: &String| each.keys.contains(key) || key == BUFFERING && each.keys.contains("deadlock");
    if !base.keys.iter().all(is_found) {
        let details = format!("each found {:?}, both {:?}\n", each.keys, base.keys);
        return Err(Difference::new("findings of each", details));
    }
    let orders = format!("--max-executions={most_orders}");
    let is_more = mixed.outcomes.iter().any(|outcome| !base.has(outcome));
    counts.each = (1, is_more.into());
    let has_deadlock = |found: &Verified| found.keys.iter().any(|key| key.starts_with("deadlock"));
    counts.only_each = (has_deadlock(&each) && !has_deadlock(base)).into();
    counts.each_none = reduction(runner, program, "none", &each, &["--buffering=each", &orders])?.0;
    Ok(each)
}

/// What explorations have shown.
struct Known<'a> {
    base: &'a Verified,
    /// With `--buffering each`. Where that did not come to its end, what lies between the extremes is not judged.
    each: &'a Verified,
}

impl Known<'_> {
    fn has(&self, outcome: &Outcome) -> bool {
        self.base.has(outcome) || self.each.has(outcome) || !self.each.complete
    }

    fn has_key(&self, is: impl Fn(&String) -> bool) -> bool {
        self.base.keys.iter().chain(&self.each.keys).any(is)
    }
}

/// The messages of collective operations show nothing that the operations as one step do not.
fn within(p2p: &Verified, known: &Known) -> Result<(), Difference> {
    let outcomes = p2p.modes.iter().flat_map(|mode| &mode.outcomes);
    let missing: String = outcomes.filter(|outcome| !known.has(outcome)).map(shown).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Difference::new("collectives", format!("atomic lacks {missing} of p2p")))
}

const BUFFERED: &str = "--cfg=smpi/send-is-detached-thresh:65536";
const EAGER: &str = "--cfg=smpi/async-small-thresh:65536";
const RENDEZVOUS: &str = "--cfg=smpi/send-is-detached-thresh:0";

/// What happens in a simulation can happen in a verification. Returns the number of simulations.
fn simulations(runner: &Runner, program: &Program, known: &Known, seed: u64) -> Result<u64, Difference> {
    let seed = seed as u32 % 1_000_000 * 8 + 1;
    let mixture = program.has(|op| op.large).then_some("--cfg=smpi/send-is-detached-thresh:32");
    let runs = [(BUFFERED, 0), (RENDEZVOUS, 0), (BUFFERED, seed), (EAGER, seed + 1), (RENDEZVOUS, seed + 2)];
    let mixed = mixture.into_iter().flat_map(|option| [(option, seed + 3), (option, 0)]);
    let mut count = 0;
    for (option, seed) in runs.into_iter().chain(mixed) {
        let shuffle = format!("--shuffle={seed}");
        let kind = if Some(option) == mixture { "simulation of a mixture" } else { "simulation" };
        let ended = runner.simulate(program, &[option, &shuffle], seed);
        let simulated = ended
            .map_err(|message| Difference::new(kind, message))?
            .ok_or_else(|| Difference::new(kind, format!("{option} delay={seed}: it did not end")))?;
        judge(&simulated, known).map_err(|text| Difference::new(kind, format!("{option} delay={seed}: {text}")))?;
        count += 1;
    }
    Ok(count)
}

/// Exit code of a deadlock.
const DEADLOCK: i32 = 3;

/// Whether a simulation may stop with this finding.
fn is_failure(key: &str) -> bool {
    !["deadlock", "race/message", "determinism/"].iter().any(|other| key.starts_with(other))
}

fn judge(simulated: &Simulated, known: &Known) -> Result<(), String> {
    let outcome = &simulated.outcome;
    let found = || format!("{:?} and {:?}", known.base.keys, known.each.keys);
    match simulated.code {
        DEADLOCK if known.each.complete && !known.has_key(|key| key.starts_with("deadlock")) => {
            Err(format!("a deadlock, but found were {}\n{}", found(), shown(outcome)))
        }
        0 | DEADLOCK if known.has(outcome) => Ok(()),
        0 | DEADLOCK => Err(format!("the verification lacks {}", shown(outcome))),
        _ if known.has_key(|key| is_failure(key)) => Ok(()),
        code => Err(format!("exit code {code}, found {}:\n{}", found(), simulated.message)),
    }
}
