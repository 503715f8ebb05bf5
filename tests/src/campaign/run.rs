//! Runs one random program: verified in some way, or simulated, and says what its ranks printed.

use super::program::Program;
use crate::process::{self, Finished};
use crate::verification;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Seconds that one run may take.
const MOST_SECS: u64 = 60;

/// What every rank printed in one execution.
pub type Outcome = Vec<String>;

/// What an exploration said about one buffering mode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mode {
    /// Its name.
    pub name: String,
    /// Everything was seen.
    pub complete: bool,
    /// Executions.
    pub executions: u64,
    /// States, where they are recognised whatever led to them.
    pub states: u64,
    /// What could be printed.
    pub outcomes: BTreeSet<Outcome>,
    /// For each way in which it could go, whether the ranks came to their end.
    pub ended: BTreeSet<Vec<bool>>,
}

/// What a verification said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    /// Everything was seen in all modes.
    pub complete: bool,
    /// Keys of the findings.
    pub keys: BTreeSet<String>,
    /// How ranks have failed: signals, and lines at which they exit.
    pub failures: BTreeSet<String>,
    /// In the deadlocks that are shown, some rank has come to its end. Of deadlocks with the same cause the one that is
    /// met first is shown, which depends on the order of the search.
    pub is_over: bool,
    /// The modes.
    pub modes: Vec<Mode>,
}

impl Verified {
    /// Whether some mode has this outcome.
    pub fn has(&self, outcome: &Outcome) -> bool {
        self.modes.iter().any(|mode| mode.outcomes.contains(outcome))
    }

    /// Whether a search that takes executions in another order has seen the same: everything but which of the deadlocks
    /// with the same cause is shown. Which ranks end in any of them, the modes tell.
    pub fn is_same_in_any_order(&self, other: &Verified) -> bool {
        *self == Verified { is_over: self.is_over, ..other.clone() }
    }

    /// The same with no more executions than the other has: walks also take the polls in vain that an exploration
    /// leaves out as long as they bring nothing.
    pub fn without_needless(&self, other: &Verified) -> Verified {
        let mut all = self.clone();
        for (mode, other) in all.modes.iter_mut().zip(&other.modes) {
            mode.executions = mode.executions.min(other.executions);
        }
        all
    }

    /// States of all modes.
    pub fn states(&self) -> u64 {
        self.modes.iter().map(|mode| mode.states).sum()
    }

    /// Executions of all modes.
    pub fn executions(&self) -> u64 {
        self.modes.iter().map(|mode| mode.executions).sum()
    }
}

/// What a simulation said.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// Exit code.
    pub code: i32,
    /// What was printed.
    pub outcome: Outcome,
    /// What else it said.
    pub message: String,
}

/// Runs programs; each thread has its own.
pub struct Runner {
    /// `smpirun`.
    pub smpirun: PathBuf,
    /// The interpreter.
    pub script: PathBuf,
    /// Where reports are written.
    pub directory: PathBuf,
    /// Options of all runs.
    pub options: Vec<String>,
    /// Options of verifications: what is about them is refused where a program is simulated.
    pub verification: Vec<String>,
}

impl Runner {
    /// The words of a run.
    pub fn words(&self, options: &[&str], arguments: &[String], program: &Program) -> Vec<String> {
        let mut words = vec![self.smpirun.display().to_string(), "--quiet".into(), "--compute=off".into()];
        words.extend(self.options.iter().cloned());
        words.extend(options.iter().map(|option| option.to_string()));
        words.extend(["-np".into(), program.ranks.len().to_string(), self.script.display().to_string()]);
        words.extend(arguments.iter().cloned());
        words.extend(program.words());
        words
    }

    /// Verifies a program.
    ///
    /// # Errors
    /// When the run did not end as a verification does.
    pub fn verify(&self, program: &Program, options: &[&str]) -> Result<Verified, String> {
        self.find(program, &[&["--list-results", "--determinism=communication"], options].concat(), &[])
    }

    /// Verifies a program, without asking for anything but errors; the arguments come before its words.
    ///
    /// # Errors
    /// As for [`Runner::verify`].
    pub fn find(&self, program: &Program, options: &[&str], arguments: &[String]) -> Result<Verified, String> {
        let path = self.directory.join("report.json");
        let report_option = format!("--report={}", path.display());
        let mut all = vec!["--verify", "--keep-going", &report_option];
        all.extend(self.verification.iter().map(String::as_str));
        all.extend(options);
        let _ = std::fs::remove_file(&path);
        let finished = self.run(&self.words(&all, arguments, program))?;
        if finished.timed_out || !(0..=1).contains(&finished.code) {
            let said = String::from_utf8_lossy(&finished.stderr).into_owned();
            return Err(format!("smpirun {} ended with {}:\n{said}", all.join(" "), finished.code));
        }
        let report = verification::report(&path)?;
        let bounds = || report["bounds"].as_array().into_iter().flatten();
        if let Some(differ) = bounds().find(|bound| bound["bound"] == "states-differ") {
            return Err(format!("smpirun {} takes two states for one: {}", all.join(" "), differ["limit"]));
        }
        let modes = report["modes"].as_array().into_iter().flatten().map(mode).collect();
        let (keys, complete) = verification::outcome(&report);
        let findings = || report["findings"].as_array().into_iter().flatten();
        let is_failure = |one: &&Value| one["key"] == "crash" || one["key"] == "exit-code";
        // Findings with the same cause are one, with the rank that came first.
        let what = |one: &Value| match one["key"] == "crash" {
            true => one["message"].to_string(),
            false => format!("exit at line {}", one["locations"][0]["line"]),
        };
        let failures = findings().filter(is_failure).map(what);
        let is_over = findings().flat_map(|one| one["last_calls"].as_array().into_iter().flatten()).any(is_over);
        Ok(Verified { complete, keys, modes, failures: failures.collect(), is_over })
    }

    /// Simulates a program, with delays unless the seed is 0; none when it did not end.
    ///
    /// # Errors
    /// When the command could not be run.
    pub fn simulate(&self, program: &Program, options: &[&str], seed: u32) -> Result<Option<Simulated>, String> {
        let arguments: Vec<String> = (seed > 0).then(|| format!("delay={seed}")).into_iter().collect();
        let finished = self.run(&self.words(options, &arguments, program))?;
        let outcome = by_rank(&finished.stdout, program.ranks.len());
        let message = String::from_utf8_lossy(&finished.stderr).into_owned();
        Ok((!finished.timed_out).then_some(Simulated { code: finished.code, outcome, message }))
    }

    fn run(&self, words: &[String]) -> Result<Finished, String> {
        process::run(words, &self.directory, &[], MOST_SECS)
    }
}

/// Whether a rank is behind everything that its word says.
fn is_over(last_call: &Value) -> bool {
    last_call["state"] == "finished" || last_call["function"] == "main"
}

fn mode(report: &Value) -> Mode {
    let outcome = |result: &Value| -> Outcome {
        let ranks = result.as_array().into_iter().flatten();
        ranks.map(|rank| rank["output"].as_str().unwrap_or_default().to_string()).collect()
    };
    let ended = |result: &Value| -> Vec<bool> {
        let ranks = result.as_array().into_iter().flatten();
        ranks.map(|rank| !rank["exit"].is_null()).collect()
    };
    let results = || report["listed_results"].as_array().into_iter().flatten();
    Mode {
        name: report["buffering"].as_str().unwrap_or_default().to_string(),
        complete: report["complete"] == Value::Bool(true),
        executions: report["executions"].as_u64().unwrap_or_default(),
        states: report["states"]["count"].as_u64().unwrap_or_default(),
        outcomes: results().map(outcome).collect(),
        ended: results().map(ended).collect(),
    }
}

/// Sorts lines, which begin with the rank that printed them, by rank.
fn by_rank(stdout: &[u8], ranks: usize) -> Outcome {
    let mut outcome = vec![String::new(); ranks];
    for line in String::from_utf8_lossy(stdout).lines() {
        let rank = line.split(' ').next().and_then(|rank| rank.parse::<usize>().ok());
        if let Some(text) = rank.and_then(|rank| outcome.get_mut(rank)) {
            *text += line;
            text.push('\n');
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_ranks() {
        assert_eq!(by_rank(b"1 a\n0 b\n1 c\nnonsense\n", 2), ["0 b\n", "1 a\n1 c\n"]);
    }
}
