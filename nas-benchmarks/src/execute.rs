//! Makes one run under smpirun, and reads what it has to say.
//!
//! Simulated time, communication, wall time and memory are smpirun's; the rate and the verification are the program's.

use crate::plan::Case;
use crate::refused::Refused;
use crate::results::{Run, Verified};
use crate::scratch::Scratch;
use crate::suite::Benchmark;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Exit code of smpirun, and of our benchmarks, for refused input.
const REFUSED: i32 = 2;
/// Lines of a failed run's messages that are kept.
const LINES_KEPT: usize = 5;

/// How to run.
#[derive(Debug)]
pub struct How<'a> {
    /// The launcher.
    pub smpirun: PathBuf,
    /// Its option `--compute`.
    pub compute: &'a str,
    /// Where to run: NPB programs look for input files in the working directory.
    pub scratch: &'a Scratch,
}

/// What we need of smpirun's `--summary-json`.
#[derive(Deserialize)]
struct Summary {
    simulated_time_secs: f64,
    wall_time_secs: f64,
    memory_peak_bytes: u64,
    messages: u64,
    bytes: u64,
    ranks: Vec<RankSummary>,
}

#[derive(Deserialize)]
struct RankSummary {
    computation_secs: f64,
    communication_secs: f64,
}

impl How<'_> {
    /// Runs a case on a platform.
    ///
    /// # Errors
    /// What smpirun or the benchmark refuses.
    pub fn run(&self, case: &Case, platform: &Path) -> Result<Run, Refused> {
        let output = self.output(case, platform)?;
        let said = String::from_utf8_lossy(&output.stdout);
        let complaints = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code().unwrap_or(-1);
        if code == REFUSED && !complaints.trim().is_empty() {
            return Err(Refused::new(
                format!(
                    "{} class {} on {} ranks is refused:\n  {}",
                    case.label(),
                    case.class,
                    case.ranks,
                    first_lines(&complaints)
                ),
                "mend that, or leave it out with --benchmarks, --classes or --ranks",
            ));
        }
        let summary = std::fs::read_to_string(self.summary_file()).ok();
        let summary: Option<Summary> = summary.and_then(|text| serde_json::from_str(&text).ok());
        let mut run =
            Run { verified: verification(&said, failure(case, &said, code)), exit_code: code, ..Run::default() };
        if run.verified != Verified::Yes {
            run.complaints = first_lines(if complaints.trim().is_empty() { &said } else { &complaints });
        }
        read_report(&said, &mut run);
        if let Some(summary) = summary {
            run.simulated_secs = Some(summary.simulated_time_secs);
            run.communication_share = Some(communication_share(&summary.ranks));
            run.messages = Some(summary.messages);
            run.bytes = Some(summary.bytes);
            run.wall_secs = Some(summary.wall_time_secs);
            run.memory_bytes = Some(summary.memory_peak_bytes);
        }
        Ok(run)
    }

    fn summary_file(&self) -> PathBuf {
        self.scratch.path().join("summary.json")
    }

    fn output(&self, case: &Case, platform: &Path) -> Result<Output, Refused> {
        // A run that fails early must not find the summary of the one before.
        let _ = std::fs::remove_file(self.summary_file());
        let mut command = Command::new(&self.smpirun);
        command.arg("-platform").arg(platform).arg(format!("--compute={}", self.compute)).arg("-quiet");
        command.arg("--summary-json").arg(self.summary_file()).arg("-np").arg(case.ranks.to_string());
        command.arg(&case.program).args(&case.arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = self.scratch.spawn(&mut command).and_then(|child| child.wait_with_output());
        self.scratch.ended();
        output.map_err(|error| {
            Refused::new(
                format!("'{}' cannot be started: {error}", self.smpirun.display()),
                "build it with: cargo build --release, or give --tools DIR",
            )
        })
    }
}

/// The mean share of communication in a rank's time.
fn communication_share(ranks: &[RankSummary]) -> f64 {
    let share = |rank: &RankSummary| {
        let busy = rank.computation_secs + rank.communication_secs;
        if busy > 0.0 { rank.communication_secs / busy } else { 0.0 }
    };
    ranks.iter().map(share).sum::<f64>() / ranks.len().max(1) as f64
}

fn first_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(LINES_KEPT).collect();
    lines.join("\n  ")
}

/// What follows a label of the closing report: `label = value`, with any number of blanks.
fn value_of<'a>(said: &'a str, label: &str) -> Option<&'a str> {
    let fits = |line: &'a str| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == label).then(|| value.trim())
    };
    // The last one: programs may say the same words before.
    said.lines().rev().find_map(fits)
}

fn verification(said: &str, code: i32) -> Verified {
    match (value_of(said, "Verification"), code) {
        (Some("UNSUCCESSFUL"), _) => Verified::No,
        (Some("SUCCESSFUL"), 0) => Verified::Yes,
        (_, 0) => Verified::NotTold,
        (_, code) => Verified::Failed(code),
    }
}

/// The exit code as a sign of failure. DT of NPB 3.3 ends with 1 when all is well; 3.4 has mended that.
fn failure(case: &Case, said: &str, code: i32) -> i32 {
    let always_1 =
        case.benchmark == Benchmark::Dt && value_of(said, "Version").is_some_and(|version| version.starts_with("3.3"));
    if always_1 && code == 1 { 0 } else { code }
}

/// What the program says about itself: time, rate, and who it is.
fn read_report(said: &str, run: &mut Run) {
    let number = |label: &str| value_of(said, label)?.parse::<f64>().ok().filter(|value| value.is_finite());
    run.benchmark_secs = number("Time in seconds");
    run.mops = number("Mop/s total");
    run.said_class = value_of(said, "Class").and_then(|class| class.chars().next());
    run.said_ranks = value_of(said, "Total processes").and_then(|ranks| ranks.parse().ok());
    run.version = value_of(said, "Version").map(str::to_string);
}

#[cfg(test)]
mod tests {
    use super::*;

    const NPB: &str = "\n\n CG Benchmark Completed.\n Class           =                        S\n Size            = \
        1400\n Iterations      =                       15\n Time in seconds =                     0.05\n \
        Total processes =                        4\n Active processes=                        4\n \
        Mop/s total     =                  1345.67\n Mop/s/process   =                   336.42\n \
        Verification    =               SUCCESSFUL\n Version         =                    3.4.2\n";

    #[test]
    fn the_report_of_npb_is_read() {
        let mut run = Run::default();
        read_report(NPB, &mut run);
        assert_eq!((run.benchmark_secs, run.mops), (Some(0.05), Some(1345.67)));
        assert_eq!((run.said_class, run.said_ranks), (Some('S'), Some(4)));
        assert_eq!(run.version.as_deref(), Some("3.4.2"));
        assert_eq!(verification(NPB, 0), Verified::Yes);
    }

    #[test]
    fn only_the_whole_word_verifies() {
        assert_eq!(verification(&NPB.replace("SUCCESSFUL", "UNSUCCESSFUL"), 0), Verified::No);
        assert_eq!(verification(&NPB.replace("SUCCESSFUL", "NOT PERFORMED"), 0), Verified::NotTold);
        assert_eq!(verification(NPB, 139), Verified::Failed(139));
        assert_eq!(verification("", -1), Verified::Failed(-1));
    }

    #[test]
    fn shares_are_means_over_ranks() {
        let rank = |computation_secs, communication_secs| RankSummary { computation_secs, communication_secs };
        assert_eq!(communication_share(&[rank(1.0, 1.0), rank(0.0, 2.0), rank(0.0, 0.0)]), 0.5);
    }
}
