//! What came out of the runs, and its JSON form.

use crate::plan::Case;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What became of the verification.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Verified {
    /// The program found its results right.
    Yes,
    /// It found them wrong.
    No,
    /// It ended well, and said nothing about them.
    #[default]
    NotTold,
    /// It ended with this exit code; -1 if a signal ended smpirun.
    Failed(i32),
}

impl Verified {
    /// For the table.
    pub fn text(self) -> String {
        match self {
            Verified::Yes => "yes".into(),
            Verified::No => "NO".into(),
            Verified::NotTold => "not told".into(),
            Verified::Failed(code) => format!("failed: {code}"),
        }
    }
}

/// One run on one platform. What is not known is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Whether the results were right.
    pub verified: Verified,
    /// Exit code; -1 if a signal ended smpirun itself.
    pub exit_code: i32,
    /// Simulated seconds of the whole run.
    pub simulated_secs: Option<f64>,
    /// Simulated seconds of the part that the benchmark times; NPB prints two digits.
    pub benchmark_secs: Option<f64>,
    /// Million operations per simulated second of that part.
    pub mops: Option<f64>,
    /// Mean share of communication in a rank's time, 0 to 1.
    pub communication_share: Option<f64>,
    /// Messages of the whole run.
    pub messages: Option<u64>,
    /// Bytes of their payloads.
    pub bytes: Option<u64>,
    /// Seconds that the simulation took on this machine.
    pub wall_secs: Option<f64>,
    /// The most memory it used.
    pub memory_bytes: Option<u64>,
    /// The class that the program says it is.
    pub said_class: Option<char>,
    /// The number of ranks that the program says it used.
    pub said_ranks: Option<u32>,
    /// The version that the program says it is.
    pub version: Option<String>,
    /// First messages of a run that did not verify.
    pub complaints: String,
}

/// A case and its runs, one for each platform.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was run.
    pub case: Case,
    /// In the order of the platforms.
    pub runs: Vec<Run>,
}

impl Row {
    /// Whether all its runs verified.
    pub fn verified(&self) -> bool {
        self.runs.iter().all(|run| run.verified == Verified::Yes)
    }

    /// The class: what the program says, else what its name says.
    pub fn class(&self) -> char {
        self.runs.iter().find_map(|run| run.said_class).unwrap_or(self.case.class)
    }

    /// The number of ranks: what the program says, else what it was started with.
    pub fn ranks(&self) -> u32 {
        self.runs.iter().find_map(|run| run.said_ranks).unwrap_or(self.case.ranks)
    }
}

/// The form of one run in the JSON file. The keys are stable and come in this order; what is not known is `null`.
#[derive(Serialize)]
struct Record<'a> {
    benchmark: &'a str,
    graph: Option<&'a str>,
    class: char,
    ranks: u32,
    platform: String,
    version: Option<&'a str>,
    verified: Option<bool>,
    exit_code: i32,
    simulated_secs: Option<f64>,
    benchmark_secs: Option<f64>,
    mops: Option<f64>,
    communication_share: Option<f64>,
    messages: Option<u64>,
    bytes: Option<u64>,
    #[serde(flatten)]
    cost: Option<Cost>,
}

/// What differs between equal runs.
#[derive(Serialize)]
struct Cost {
    wall_secs: Option<f64>,
    memory_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Document<'a> {
    results: Vec<Record<'a>>,
}

/// All results as JSON, ending in a newline. With `reproducible`, what differs between equal runs is left out.
pub fn json(rows: &[Row], platforms: &[PathBuf], reproducible: bool) -> String {
    let pairs =
        rows.iter().flat_map(|row| row.runs.iter().zip(platforms).map(move |(run, platform)| (row, run, platform)));
    let results = pairs.map(|(row, run, platform)| record(row, run, platform, reproducible)).collect();
    // Only maps with non-string keys can fail.
    let mut text = serde_json::to_string_pretty(&Document { results }).expect("results are plain data");
    text.push('\n');
    text
}

fn record<'a>(row: &'a Row, run: &'a Run, platform: &Path, reproducible: bool) -> Record<'a> {
    Record {
        benchmark: row.case.benchmark.name(),
        graph: (!row.case.graph.is_empty()).then_some(row.case.graph),
        class: row.class(),
        ranks: row.ranks(),
        platform: platform.display().to_string(),
        version: run.version.as_deref(),
        verified: match run.verified {
            Verified::Yes => Some(true),
            Verified::No | Verified::Failed(_) => Some(false),
            Verified::NotTold => None,
        },
        exit_code: run.exit_code,
        simulated_secs: run.simulated_secs,
        benchmark_secs: run.benchmark_secs,
        mops: run.mops,
        communication_share: run.communication_share,
        messages: run.messages,
        bytes: run.bytes,
        cost: (!reproducible).then_some(Cost { wall_secs: run.wall_secs, memory_bytes: run.memory_bytes }),
    }
}
