//! Recording a run as a time-independent trace, and replaying it: both must take the same simulated time.

use serde_json::Value;
use std::path::Path;

use crate::process::{self, Finished};

/// What a run says when its trace cannot be complete.
const INCOMPLETE: &str = "the trace does not hold";

/// What has come of recording and replaying a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Both took the same time, with the same messages.
    Same,
    /// The trace says that it does not hold all: these words of the run.
    Incomplete(String),
    /// There is a difference, or something failed.
    Different(String),
}

/// Records the run of these words of smpirun, whose programs begin at the first `-np`, and replays it.
///
/// # Errors
/// When a process cannot be started.
pub fn compare(
    words: &[String],
    directory: &Path,
    environment: &[(String, String)],
    timeout_secs: u64,
    code: i32,
) -> Result<Outcome, String> {
    let first = words.iter().position(|word| word == "-np").unwrap_or(words.len());
    let kept = |word: &&String| !word.starts_with("--summary-json");
    let options: Vec<String> = words[1..first].iter().filter(kept).cloned().collect();
    let run = |own: &[&str], options: &[String], rest: &[String]| -> Result<Finished, String> {
        let mut all = vec![words[0].clone()];
        all.extend(own.iter().map(ToString::to_string));
        all.extend(options.iter().cloned());
        all.extend(rest.iter().cloned());
        process::run(&all, directory, environment, timeout_secs)
    };
    let recorded = ["-trace-ti", "-trace-file=trace.txt", "--summary-json=recorded.json"];
    let finished = run(&recorded, &options, &words[first..])?;
    if finished.code != code || finished.timed_out {
        return Ok(Outcome::Different(format!("with -trace-ti the exit code is {}", finished.code)));
    }
    let said = String::from_utf8_lossy(&finished.stderr).into_owned();
    if let Some(line) = said.lines().find(|line| line.contains(INCOMPLETE)) {
        return Ok(Outcome::Incomplete(line.to_string()));
    }
    // Misuse is looked for in programs only.
    let options: Vec<String> = options.into_iter().filter(|word| word != "--strict").collect();
    let finished = run(&["-replay=trace.txt", "--summary-json=replayed.json"], &options, &[])?;
    if finished.code != 0 || finished.timed_out {
        let said = String::from_utf8_lossy(&finished.stderr);
        return Ok(Outcome::Different(format!("the replay of its trace ends with {}: {said}", finished.code)));
    }
    let difference = difference(&summary(directory, "recorded.json")?, &summary(directory, "replayed.json")?);
    Ok(difference.map_or(Outcome::Same, Outcome::Different))
}

fn summary(directory: &Path, name: &str) -> Result<Value, String> {
    let text = std::fs::read_to_string(directory.join(name)).map_err(|error| format!("{name}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))
}

/// In what two summaries differ.
fn difference(recorded: &Value, replayed: &Value) -> Option<String> {
    let differs = |place: &str, one: &Value, other: &Value| {
        (one != other).then(|| format!("{place}: {one} in the run, {other} in the replay of its trace"))
    };
    for key in ["simulated_time_secs", "messages", "bytes"] {
        if let Some(text) = differs(key, &recorded[key], &replayed[key]) {
            return Some(text);
        }
    }
    let ranks =
        recorded["ranks"].as_array().into_iter().flatten().zip(replayed["ranks"].as_array().into_iter().flatten());
    ranks
        .enumerate()
        .find_map(|(rank, (one, other))| differs(&format!("end of rank {rank}"), &one["end_secs"], &other["end_secs"]))
}
