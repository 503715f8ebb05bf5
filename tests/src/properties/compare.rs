//! Runs a case with and without the reduction, fair, unfair and fair to messages, with both kinds of buffering; all
//! must agree with the model, and counterexamples must be executions of the program.

use std::ops::AddAssign;
use std::path::PathBuf;

use serde_json::Value;
use smpi_liveness::Fairness;

use super::generate::Case;
use super::model;
use crate::{process, verification};

/// Seconds that one run may take, and after which a search without the reduction ends.
const MOST_SECS: u64 = 60;
const MOST_TIME: &str = "--time-limit=1";
/// Seconds after which a search with the reduction must have ended if one without it has.
const MORE_TIME: &str = "--time-limit=20";

/// How much was compared.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// Programs with their formulas.
    pub cases: u64,
    /// Verdicts of both searches, up to six for a case.
    pub verdicts: u64,
    /// Those that say that the formula is violated.
    pub violated: u64,
    /// Those that the model confirmed.
    pub modelled: u64,
    /// Searches that left something out.
    pub reduced: u64,
    /// Cases where fairness decides.
    pub fairness: u64,
    /// Cases where fairness between messages decides.
    pub messages: u64,
    /// States of the searches that held, without and with the reduction.
    pub states: (u64, u64),
    /// Searches that were too large.
    pub too_large: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.cases += other.cases;
        self.verdicts += other.verdicts;
        self.violated += other.violated;
        self.modelled += other.modelled;
        self.reduced += other.reduced;
        self.fairness += other.fairness;
        self.messages += other.messages;
        self.states = (self.states.0 + other.states.0, self.states.1 + other.states.1);
        self.too_large += other.too_large;
    }
}

/// Runs programs; each thread has its own.
pub struct Runner {
    /// `smpirun`.
    pub smpirun: PathBuf,
    /// The interpreter.
    pub script: PathBuf,
    /// Where reports are written.
    pub directory: PathBuf,
}

/// What a search says.
#[derive(Debug)]
struct Said {
    /// The token, where the formula is violated.
    violation: Option<String>,
    reduction: String,
    states: u64,
}

impl Runner {
    fn run(&self, options: &[&str], case: &Case) -> Result<process::Finished, String> {
        let mut words = vec![self.smpirun.display().to_string(), "--quiet".into()];
        words.extend(options.iter().map(|option| option.to_string()));
        words.extend(["-np".into(), case.words.len().to_string(), self.script.display().to_string()]);
        words.extend(case.words.iter().map(|word| if word.is_empty() { "-".into() } else { word.clone() }));
        process::run(&words, &self.directory, &[], MOST_SECS)
    }

    /// What a search says; `None` if it was not complete.
    fn search(&self, options: &[&str], case: &Case) -> Result<Option<Said>, String> {
        let path = self.directory.join("report.json");
        let _ = std::fs::remove_file(&path);
        let (ltl, report) = (format!("--ltl={}", case.formula), format!("--report={}", path.display()));
        let all = [&["--verify", &ltl, &report], options].concat();
        let finished = self.run(&all, case)?;
        if finished.timed_out || !(0..=1).contains(&finished.code) {
            let said = String::from_utf8_lossy(&finished.stderr).into_owned();
            return Err(format!("smpirun {} ended with {}:\n{said}", all.join(" "), finished.code));
        }
        let report = verification::report(&path)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let violation = report["findings"].get(0).map(|finding| text(&finding["replay"]));
        if violation.is_none() && report["verdict"] != "no-error" {
            return Ok(None);
        }
        let states = report["modes"][0]["states"]["count"].as_u64().unwrap_or_default();
        Ok(Some(Said { violation, reduction: text(&report["reduction"]), states }))
    }
}

/// Compares everything.
///
/// # Errors
/// The first difference.
pub fn compare(runner: &Runner, case: &Case) -> Result<Counts, String> {
    let mut counts = Counts { cases: 1, ..Counts::default() };
    for (buffering, buffers) in [("--buffering=zero", false), ("--buffering=infinite", true)] {
        if buffers && case.may_run_away() {
            continue;
        }
        let mut verdicts = Vec::new();
        for fairness in [Fairness::Weak, Fairness::None, Fairness::Offers] {
            let options: &[&str] = match fairness {
                Fairness::Weak => &[buffering],
                Fairness::None => &[buffering, "--unfair"],
                Fairness::Offers => &[buffering, "--fair-messages"],
            };
            let Some(full) = runner.search(&[options, &["--reduction=none", MOST_TIME]].concat(), case)? else {
                counts.too_large += 1;
                continue;
            };
            let Some(reduced) = runner.search(&[options, &[MORE_TIME]].concat(), case)? else {
                return Err(format!("{options:?}: without reduction {full:?}, with it the search does not end"));
            };
            let is_violated = full.violation.is_some();
            let context = || format!("{options:?}: without reduction {full:?}, with it {reduced:?}");
            if is_violated != reduced.violation.is_some() || full.reduction != "none" {
                return Err(context());
            }
            if !is_violated && reduced.states > full.states {
                return Err(format!("{}: more states", context()));
            }
            if let Some(token) = &reduced.violation {
                let replay = format!("--replay={token}");
                let finished = runner.run(&[&replay], case)?;
                let said = String::from_utf8_lossy(&finished.stderr).into_owned();
                if finished.code != 1 || !said.contains("liveness") {
                    return Err(format!("{}: the replay ends with {}: {said}", context(), finished.code));
                }
            }
            if !case.polls()
                && !case.counts()
                && let Some(expected) = model::is_violated(case, buffers, fairness)
            {
                if expected != is_violated {
                    return Err(format!("{}; the model says {expected}", context()));
                }
                counts.modelled += 1;
            }
            counts.verdicts += 1;
            counts.violated += u64::from(is_violated);
            counts.reduced += u64::from(reduced.reduction == "ample");
            if !is_violated {
                counts.states = (counts.states.0 + full.states, counts.states.1 + reduced.states);
            }
            verdicts.push(is_violated);
        }
        if let [weak, none, offers] = verdicts[..] {
            counts.fairness += u64::from(none && !weak);
            counts.messages += u64::from(weak && !offers);
            if offers && !weak {
                return Err(format!("{buffering}: violated with --fair-messages alone"));
            }
        }
    }
    Ok(counts)
}
