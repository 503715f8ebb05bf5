//! The table that is printed: a row for each benchmark, class and number of ranks, and three columns for each platform.

use crate::places::stem;
use crate::results::{Row, Verified};
use std::fmt::Write;
use std::path::PathBuf;

/// Width of the columns of one platform.
const PLATFORM_WIDTH: usize = 37;

/// The heading: with several platforms a line with their names, then the names of the columns.
pub fn header(platforms: &[PathBuf], reproducible: bool) -> String {
    let mut text = String::new();
    if platforms.len() > 1 {
        let _ = write!(text, "{:38}", "");
        for platform in platforms {
            let name = stem(platform);
            let _ = write!(text, "  {:>1$}", shortened(&name), PLATFORM_WIDTH - 2);
        }
        text.push('\n');
    }
    let _ = write!(text, "{:<9}  {:<5}  {:>5}  {:<13}", "benchmark", "class", "ranks", "verified");
    for _ in platforms {
        let _ = write!(text, "  {:>13}  {:>12}  {:>6}", "simulated (s)", "Mop/s", "comm %");
    }
    if !reproducible {
        let _ = write!(text, "  {:>8}  {:>11}", "wall (s)", "memory (MB)");
    }
    text.push('\n');
    text
}

/// The end of a name that is too long, since the ends of file names differ more often.
fn shortened(name: &str) -> String {
    let length = name.chars().count();
    let width = PLATFORM_WIDTH - 2;
    if length <= width {
        name.to_string()
    } else {
        format!("…{}", name.chars().skip(length - width + 1).collect::<String>())
    }
}

/// A row, and below it what a run that did not verify said.
pub fn row(row: &Row, reproducible: bool) -> String {
    let mut text = String::new();
    let verified = row.runs.iter().map(|run| run.verified).find(|verified| *verified != Verified::Yes);
    let verified = verified.map_or("yes".to_string(), |verified| verified.text());
    let _ = write!(text, "{:<9}  {:<5}  {:>5}  {:<13}", row.case.label(), row.class(), row.ranks(), verified);
    for run in &row.runs {
        let simulated = known(run.simulated_secs, 6);
        let (mops, share) = (known(run.mops, 2), known(run.communication_share.map(|share| 100.0 * share), 1));
        let _ = write!(text, "  {simulated:>13}  {mops:>12}  {share:>6}");
    }
    if !reproducible {
        let wall: Option<f64> = row.runs.iter().map(|run| run.wall_secs).sum();
        let memory = row.runs.iter().filter_map(|run| run.memory_bytes).max().map(|bytes| bytes as f64 / 1e6);
        let _ = write!(text, "  {:>8}  {:>11}", known(wall, 2), known(memory, 1));
    }
    text.push('\n');
    for run in row.runs.iter().filter(|run| !run.complaints.is_empty()) {
        let _ = writeln!(text, "  {}", run.complaints);
    }
    if let Some(line) = contradiction(row) {
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// A renamed executable: it says that it is something else than its name says.
fn contradiction(row: &Row) -> Option<String> {
    let (class, ranks) = (row.class(), row.ranks());
    if (class, ranks) == (row.case.class, row.case.ranks) {
        return None;
    }
    let name = row.case.program.file_name()?.to_string_lossy().into_owned();
    Some(format!("note: {name} on {} ranks says that it is class {class} on {ranks} ranks", row.case.ranks))
}

fn known(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".to_string(), |value| format!("{value:.digits$}"))
}
