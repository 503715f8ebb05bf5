//! Programs that run for ever: what their states show, whatever led there, against brute force and against their first
//! rounds.
//!
//! Brute force makes every choice at every state, so it comes to states by other ways, and in another order. It knows
//! them by the same names. What is wrong with a name shows where only one of both takes two states for one, and where a
//! state that brute force meets again is not what it was. The first
//! rounds of the program are explored without names: how ranks fail and get stuck there must have been found.

use super::compare::{COMPARING, Difference, Settings, errors};
use super::program::Program;
use super::run::{Runner, Verified};

/// Ends explorations of programs with too many states.
const MOST_TIME: &str = "--time-limit=10";

/// Executions of the first rounds after which these are given up. What was seen until then is compared.
const MOST_EXECUTIONS: &str = "--max-executions=300";

/// How much was compared.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// Programs.
    pub programs: u64,
    /// Programs with too many states.
    pub too_large: u64,
    /// Programs with too many states for brute force.
    pub too_large_for_all: u64,
    /// Programs with more than one state in some mode.
    pub branching: u64,
    /// Programs of which some rank fails, and those that get stuck.
    pub failing: (u64, u64),
    /// Programs that poll for ever in some execution.
    pub polling: u64,
    /// States of the explorations that were compared: by the default reduction, and of brute force.
    pub states: (u64, u64),
    /// Executions of the first rounds.
    pub executions: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.programs += other.programs;
        self.too_large += other.too_large;
        self.too_large_for_all += other.too_large_for_all;
        self.branching += other.branching;
        self.failing = (self.failing.0 + other.failing.0, self.failing.1 + other.failing.1);
        self.polling += other.polling;
        self.states = (self.states.0 + other.states.0, self.states.1 + other.states.1);
        self.executions += other.executions;
    }
}

fn find(runner: &Runner, program: &Program, options: &[&str], arguments: &[String]) -> Result<Verified, Difference> {
    let message = |message| Difference::new(format!("find {}", options.join(" ")), message);
    runner.find(program, options, arguments).map_err(message)
}

fn is_stuck(found: &Verified) -> bool {
    found.keys.iter().any(|key| key.starts_with("deadlock"))
}

/// Compares everything; `seed` decides about the modes of buffering.
///
/// # Errors
/// The first difference.
pub fn compare(runner: &Runner, program: &Program, _: &Settings, seed: u64) -> Result<Counts, Difference> {
    let mut counts = Counts { programs: 1, ..Counts::default() };
    let buffering = match program.is_paced() {
        false => "--buffering=zero",
        true if seed.is_multiple_of(3) => "--buffering=each",
        true => "--buffering=both",
    };
    let options = ["--stateful", buffering, MOST_TIME];
    let found = find(runner, program, &options, &[])?;
    if !found.complete {
        counts.too_large = 1;
        return Ok(counts);
    }
    counts.branching = found.modes.iter().any(|mode| mode.states > 1).into();
    counts.failing = ((!found.failures.is_empty()).into(), is_stuck(&found).into());
    counts.polling = found.keys.contains("non-termination").into();
    let all = find(runner, program, &[&options[..], COMPARING].concat(), &[])?;
    if all.complete {
        if (errors(&all.keys), &all.failures) != (errors(&found.keys), &found.failures) {
            return Err(Difference::new("endless", format!("matches: {found:?}\nnone: {all:?}\n")));
        }
        counts.states = (found.states(), all.states());
    } else {
        counts.too_large_for_all = 1;
    }
    if program.is_paced() && !seed.is_multiple_of(3) {
        let other = find(runner, program, &[&options[..], &["--jobs=2"]].concat(), &[])?;
        if other != found && other.complete {
            return Err(Difference::new("two processes", format!("one: {found:?}\ntwo: {other:?}\n")));
        }
    }
    counts.executions = first_rounds(runner, program, &found, buffering)?;
    Ok(counts)
}

/// What goes wrong in the first rounds goes wrong in the program; returns the number of their executions.
fn first_rounds(runner: &Runner, program: &Program, found: &Verified, buffering: &str) -> Result<u64, Difference> {
    let rounds = find(runner, program, &[buffering, MOST_EXECUTIONS, MOST_TIME], &["rounds=3".to_string()])?;
    if !rounds.failures.is_subset(&found.failures) {
        return Err(Difference::new("failures of the first rounds", format!("{found:?}\n{rounds:?}\n")));
    }
    // Where a rank is through with its rounds, others may wait for more.
    if is_stuck(&rounds) && !rounds.is_over && !is_stuck(found) {
        return Err(Difference::new("deadlocks of the first rounds", format!("{found:?}\n{rounds:?}\n")));
    }
    Ok(rounds.executions())
}
