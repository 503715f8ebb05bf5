//! Which options have an effect in which kind of run, and which exclude each other: one table. What has no effect is
//! refused, because who gives an option expects something of it; a test holds the table and clap's list together.
//!
//! An option has a class ([`CLASSES`]), and [`effect`] says what a class does in a mode. Some command lines are used
//! again with another option in front, so what does nothing in them is a note: that of a finding or of a trace, with
//! `--replay`, and that of a simulation whose computation is charged in some way.

use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::failure::Failure;

/// A kind of run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Programs are simulated.
    Simulation,
    /// `replay FILE`: a trace is replayed without programs.
    Trace,
    /// `verify`: programs are verified.
    Verification,
    /// `replay TOKEN`: one schedule of a verification is executed.
    Schedule,
    /// `replay --step TOKEN`: it is gone through, and what can follow from a state may be explored.
    Steps,
    /// `what-if`: a simulation, or the replay of a trace, is repeated in other worlds.
    WhatIf,
    /// `--coll-auto`: the same with other algorithms.
    Algorithms,
}

/// What an option does in a mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// What it is for.
    Some,
    /// Nothing, which is worth a note.
    Noted(&'static str),
    /// Nothing: it is refused, with what is wrong and the next step.
    Refused(&'static str),
}

/// Options that have an effect in the same modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    /// Questions, which are answered before anything runs.
    Question,
    /// Every run has ranks somewhere, settings and notes.
    Run,
    /// What every run can be looked at with.
    Tool,
    /// What is printed of a run before it begins.
    Placement,
    /// What programs need.
    Program,
    /// How computation is charged.
    Computation,
    /// What makes computation longer.
    Noise,
    /// Times, in a few lines or as data.
    Times,
    /// Where time is spent, and all events.
    Profile,
    /// The page, which both simulations and verifications have.
    Page,
    /// Writes a trace of actions.
    Actions,
    /// What a schedule depends on.
    Scheduled,
    /// What is explored, of which a schedule knows all that it needs.
    Explored,
    /// How it is explored.
    Search,
    /// How far, and how far findings are explained, also where an exploration begins in the middle.
    Extent,
    /// How a schedule is shown.
    Shown,
    /// The algorithms of collective operations.
    Table,
    /// They are searched for.
    Algorithms,
    /// Nothing is simulated: programs are verified.
    Verify,
    /// Nothing is simulated anew: something is replayed.
    Replay,
}

/// The class of every option, by its long name.
const CLASSES: &[(Class, &[&str])] = &[
    (Class::Question, &["help", "help-all", "help-coll", "help-cfg", "version"]),
    (
        Class::Run,
        &[
            "platform",
            "hostfile",
            "host",
            "ppn",
            "byslot",
            "np",
            "bandwidth",
            "latency",
            "cfg",
            "log",
            "quiet",
            "notes",
        ],
    ),
    (Class::Tool, &["wrapper", "gdb", "lldb", "vgdb", "shuffle"]),
    (Class::Placement, &["map"]),
    (Class::Program, &["stack-size", "heap-size", "privatize", "strict"]),
    (Class::Computation, &["compute"]),
    (Class::Noise, &["noise"]),
    (Class::Times, &["summary", "summary-json"]),
    (Class::Profile, &["profile", "profile-json", "timeline", "trace", "trace-file"]),
    (Class::Page, &["report-html"]),
    (Class::Actions, &["trace-ti"]),
    (Class::Scheduled, &["collectives", "reduction", "depth", "max-waitsome", "no-prune", "call-timeout"]),
    (Class::Explored, &["buffering", "time-limit"]),
    (Class::Search, &["sample", "seed", "bug-depth", "deviations", "stateful", "compare-states", "symmetric", "ltl"]),
    (Class::Search, &["automaton", "unfair", "determinism", "memory", "jobs", "fair-messages"]),
    (Class::Search, &["require-complete", "list-results", "report", "checkpoint", "resume", "launch", "every"]),
    (Class::Extent, &["max-executions", "keep-going", "explain-within"]),
    (Class::Shown, &["replay-step", "rounds", "step"]),
    (Class::Table, &["coll-table"]),
    (Class::Algorithms, &["coll-auto"]),
    (Class::Verify, &["verify"]),
    (Class::Replay, &["replay"]),
];

/// Options of which the first says nothing without one of the others, and what to add.
const NEEDS: &[(&str, &[&str], &str)] = &[
    ("seed", &["sample"], "without random executions: add --sample N"),
    ("bug-depth", &["sample"], "without random executions: add --sample N"),
    ("unfair", &["ltl", "automaton"], "without a property: add --ltl or --automaton"),
    ("fair-messages", &["ltl", "automaton"], "without a property: add --ltl or --automaton"),
    ("every", &["checkpoint", "resume", "launch"], "where nothing is kept or shared: add --checkpoint FILE"),
    ("list-results", &["report"], "without the report that lists them: add --report FILE"),
];

const EACH: &str = "that tells of each rank, or of all executions";
const SINGLE: &str = "that follows single executions, of which none is left out";
const WHOLE: &str = "that follows single executions, and states have none";
const KEPT: &str = "it is kept by one process that explores everything";
const PARTS: &str = "what is kept and shared are results of searches for errors";
const STATES: &str = "states are explored, not executions";

/// Options of a verification of which the first makes the others meaningless, and why.
const EXCLUDED: &[(&[&str], &[&str], &str)] = &[
    (&["symmetric"], &["determinism", "list-results", "compare-states", "ltl", "automaton"], EACH),
    (&["symmetric"], &["sample", "deviations"], SINGLE),
    (&["stateful", "ltl", "automaton"], &["sample", "deviations"], WHOLE),
    (&["checkpoint", "resume", "launch"], &["compare-states", "ltl", "automaton"], PARTS),
    (&["launch"], &["jobs"], "each process that the launcher starts explores"),
    (&["launch"], &["wrapper", "gdb", "lldb", "vgdb"], "a debugger follows one process"),
    (&["memory"], &["sample", "deviations", "ltl", "automaton"], KEPT),
    (&["ltl", "automaton"], &["keep-going"], "one violation ends the search"),
    (&["ltl", "automaton"], &["explain-within"], "what violates a property is told as a round, and not explained"),
    (&["ltl", "automaton"], &["determinism"], "it is a property of its own"),
    (&["ltl", "automaton"], &["compare-states"], "it looks for errors instead"),
    (&["ltl", "automaton"], &["list-results", "max-executions", "depth"], STATES),
    (&["sample"], &["max-executions"], "it says already how many executions there are"),
];

/// What a class of options does in a mode.
fn effect(class: Class, mode: Mode) -> Effect {
    use Effect::{Noted, Refused, Some};
    use Mode::{Algorithms, Schedule, Simulation, Steps, Trace, Verification, WhatIf};
    let untimed = Refused("has no times to tell when nothing is simulated: use --report FILE, or leave it out");
    let own = Refused("has no effect where a program runs many times, of which one table tells: leave it out");
    let times = Refused("has no effect where simulated times are compared, and nothing is simulated: leave it out");
    let explores = Refused("has no effect in a simulation: add --verify, or leave it out");
    match (class, mode) {
        (Class::Question | Class::Run | Class::Tool, _) => Some,
        (Class::Placement, WhatIf | Algorithms) => own,
        (Class::Placement, _) => Some,
        (Class::Program, Trace) => Noted("has no effect where a trace is replayed without programs"),
        (Class::Program, _) => Some,
        (Class::Computation, Trace) => Noted("has no effect where a trace is replayed, which says what is computed"),
        (Class::Computation, Verification | Schedule | Steps) => {
            Noted("has no effect where nothing is simulated: a verification has no times, and is strict")
        }
        (Class::Computation, Simulation | WhatIf | Algorithms) => Some,
        (Class::Noise | Class::Times | Class::Profile, Verification | Schedule | Steps) => untimed,
        (Class::Noise, _) => Some,
        (Class::Times | Class::Profile, Simulation | Trace) => Some,
        (Class::Times | Class::Profile | Class::Page | Class::Actions, WhatIf | Algorithms) => own,
        (Class::Page, Simulation | Trace | Verification) => Some,
        (Class::Page | Class::Search | Class::Extent, Schedule) => {
            Noted("has no effect with --replay, which executes one schedule")
        }
        (Class::Page | Class::Search, Steps) => Noted("has no effect with --step, which goes through one schedule"),
        (Class::Extent, Verification | Steps) => Some,
        (Class::Actions, Simulation) => Some,
        (Class::Actions, Trace) => {
            Refused("has no effect where a trace is replayed, which is written already: leave it out")
        }
        (Class::Actions, Verification | Schedule | Steps) => {
            Refused("expected a simulation of programs; leave out --verify and --replay, or this option")
        }
        (Class::Scheduled | Class::Explored, Verification | Schedule | Steps) | (Class::Search, Verification) => Some,
        (
            Class::Scheduled | Class::Explored | Class::Search | Class::Extent,
            Simulation | Trace | WhatIf | Algorithms,
        ) => explores,
        (Class::Shown, Schedule | Steps) => Some,
        (Class::Shown, _) => Refused("has no effect without a schedule: add --replay TOKEN, or leave it out"),
        (Class::Table, Algorithms) => Refused("has no effect with --coll-auto, which uses it itself: leave it out"),
        (Class::Table, _) => Some,
        (Class::Algorithms, Algorithms | Simulation | Trace) => Some,
        (Class::Algorithms, Verification | Schedule | Steps) => times,
        (Class::Algorithms, WhatIf) => own,
        (Class::Verify, WhatIf | Algorithms) => times,
        (Class::Verify, Trace) => Refused("has no effect where a trace is replayed without programs: leave it out"),
        (Class::Verify, Simulation | Verification | Schedule | Steps) => Some,
        (Class::Replay, _) => Some,
    }
}

/// The class of an option; `None` where there is no such option.
fn class(name: &str) -> Option<Class> {
    CLASSES.iter().find(|(_, names)| names.contains(&name)).map(|(class, _)| *class)
}

/// Whether what a schedule of a verification does may depend on this option, so that whoever replays it gives it, too.
pub fn is_of_schedule(name: &str) -> bool {
    matches!(class(name), Some(Class::Run | Class::Program | Class::Scheduled | Class::Table))
}

/// Refuses options that do nothing in this mode, or beside each other. Notes are for the user.
pub fn check(given: &ArgMatches, mode: Mode) -> Result<Vec<String>, Failure> {
    let is_given = |name: &&str| given.value_source(&name.replace('-', "_")) == Some(ValueSource::CommandLine);
    let refused = |text: String| Err(Failure::Refused(text));
    let mut notes = Vec::new();
    for (class, names) in CLASSES {
        for name in names.iter().filter(|name| is_given(name)) {
            match effect(*class, mode) {
                Effect::Some => {}
                Effect::Noted(why) => notes.push(format!("--{name} {why}")),
                Effect::Refused(why) => return refused(format!("--{name} {why}")),
            }
        }
    }
    // Who repeats a finding gives the options of its verification, which were checked there.
    if mode != Mode::Verification {
        return Ok(notes);
    }
    for (name, others, why) in NEEDS {
        if is_given(name) && !others.iter().any(is_given) {
            return refused(format!("--{name} has no effect {why}, or leave it out"));
        }
    }
    for (names, others, why) in EXCLUDED {
        if let (Some(name), Some(other)) =
            (names.iter().find(|name| is_given(name)), others.iter().find(|other| is_given(other)))
        {
            return refused(format!("--{name} with --{other}: {why}; leave out --{other}"));
        }
    }
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use clap::CommandFactory;

    const MODES: [Mode; 7] = [
        Mode::Simulation,
        Mode::Trace,
        Mode::Verification,
        Mode::Schedule,
        Mode::Steps,
        Mode::WhatIf,
        Mode::Algorithms,
    ];

    /// An option with a value that it takes, as a word.
    fn word(arg: &clap::Arg) -> String {
        let name = arg.get_long().unwrap();
        let takes_value = matches!(arg.get_action(), clap::ArgAction::Set | clap::ArgAction::Append);
        let possible = arg.get_possible_values();
        match possible.first() {
            Some(first) if takes_value => format!("--{name}={}", first.get_name()),
            _ if takes_value => format!("--{name}=1"),
            _ => format!("--{name}"),
        }
    }

    /// Every option of clap has a class, and the table has no others.
    #[test]
    fn the_table_has_every_option_once() {
        let command = Options::command();
        let mut options: Vec<&str> = command.get_arguments().filter_map(|arg| arg.get_long()).collect();
        let mut classified: Vec<&str> = CLASSES.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        options.sort_unstable();
        classified.sort_unstable();
        assert_eq!(options, classified);
        let named = NEEDS.iter().flat_map(|(name, others, _)| [*name].into_iter().chain(others.iter().copied()));
        let excluded = EXCLUDED.iter().flat_map(|(names, others, _)| names.iter().chain(others.iter()).copied());
        for name in named.chain(excluded) {
            assert!(options.contains(&name), "{name}");
        }
    }

    /// Every option in every mode has an effect, or is told of by its name and the next step.
    #[test]
    fn every_option_has_an_effect_or_is_refused_in_every_mode() {
        for arg in Options::command().get_arguments() {
            let (name, word) = (arg.get_long().unwrap(), word(arg));
            let given = Options::command().try_get_matches_from(["smpirun", &word]).unwrap();
            let mut effective = 0;
            for mode in MODES {
                let needs = NEEDS.iter().any(|(needing, ..)| *needing == name) && mode == Mode::Verification;
                match (effect(class(name).unwrap(), mode), check(&given, mode)) {
                    (Effect::Some, Ok(notes)) => {
                        effective += 1;
                        assert!(notes.is_empty(), "{word} in {mode:?}");
                    }
                    (Effect::Some, Err(Failure::Refused(text))) => {
                        effective += 1;
                        assert!(needs && text.contains("add --"), "{word} in {mode:?}: {text}");
                    }
                    (Effect::Noted(_), Ok(notes)) => assert!(notes[0].starts_with(&format!("--{name} "))),
                    (Effect::Refused(_), Err(Failure::Refused(text))) => {
                        assert!(text.starts_with(&format!("--{name} ")) && text.contains("leave"), "{text}");
                    }
                    (effect, outcome) => panic!("{word} in {mode:?}: {effect:?}, {outcome:?}"),
                }
            }
            assert!(effective > 0, "{word} has no effect anywhere");
        }
    }
}
