//! `cargo xtask compare [--record] [FILTER...]`: the programs of `smpi_tests::times::runs` under Debian's SimGrid
//! (SMPI) and here, on the same platforms with the same settings; a line for each run with the largest difference.
//!
//! `--record` also writes SMPI's figures into `tests/times/smpi.csv`, with which the test `times` compares; those of
//! runs that are filtered out stay as they are. The peer is never needed for that test: without it the command says
//! so and succeeds.

use crate::compare_mpich::in_parallel;
use crate::shell::{GREEN, RED, build_release, heading, output, paint, root, scratch, write};
use smpi_tests::times::execute::{PEER, Tools};
use smpi_tests::times::recorded::{self, Row, figures};
use smpi_tests::times::run::{Program, Run};
use smpi_tests::times::runs::runs;
use smpi_tests::times::{Measurement, difference, is_same};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// By how much the peer's measurements are moved in time; a measurement that depends on it is not one of the model.
const OFFSETS_SECS: [f64; 5] = [0.0, 0.125, 0.3, 0.41, 0.77];

/// Larger runs take the peer too long for that.
const MOST_RANKS_MOVED: u32 = 16;

/// A run on both sides.
struct Pair {
    ours: Vec<Measurement>,
    /// What the peer says most often.
    theirs: Vec<Measurement>,
    /// Names of measurements about which the peer disagrees with itself, and what else it says.
    unsure: BTreeMap<String, Vec<f64>>,
}

/// The subcommand.
pub fn run(words: &[String]) -> Result<(), String> {
    if !PEER.iter().all(|tool| Path::new(tool).is_file()) {
        println!(
            "skipped: Debian's SimGrid is not installed ({}); to compare: sudo apt-get install libsimgrid-dev",
            PEER[0]
        );
        return Ok(());
    }
    let record = words.iter().any(|word| word == "--record");
    let filters: Vec<&String> = words.iter().filter(|word| *word != "--record").collect();
    crate::setup::ensure(&["gcc", "gfortran"])?;
    let ours = Tools::Ours(build_release()?);
    let version = output(Command::new(PEER[2]).arg("-version"))?;
    let version = version.lines().find(|line| line.contains("version")).unwrap_or("SimGrid").trim();
    println!("peer: {version}");
    let mut runs = runs();
    runs.retain(|run| filters.is_empty() || filters.iter().any(|filter| run.name.contains(*filter)));
    let directory = scratch("compare")?;
    let mut sides = Vec::new();
    for (tools, name) in [(ours, "ours"), (Tools::Peer, "theirs")] {
        let place = directory.join(name);
        sides.push((tools.clone(), compile(&tools, &runs, &place)?, place));
    }
    let pairs = in_parallel(&runs, |run| pair(run, &sides));
    let mut failed = Vec::new();
    for (run, pair) in runs.iter().zip(&pairs) {
        let good = match pair {
            Ok(pair) => report(run, pair),
            Err(message) => {
                println!("{:<40} {}\n{}", run.name, paint("failed", RED), message.trim_end());
                false
            }
        };
        if !good {
            failed.push(run.name.as_str());
        }
    }
    if !failed.is_empty() {
        return Err(format!("failed, or other times without a reason: {}", failed.join(", ")));
    }
    if record {
        let pairs: Vec<Pair> = pairs.into_iter().collect::<Result<_, String>>()?;
        let file = root().join(recorded::FILE);
        let known = std::fs::read_to_string(&file).unwrap_or_default();
        write(&file, &text(version, &runs, &pairs, &known))?;
        heading(&format!("recorded in {}", recorded::FILE));
    }
    Ok(())
}

/// The executables of all programs, each in a directory of its own: compilers leave files there.
fn compile(tools: &Tools, runs: &[Run], directory: &Path) -> Result<BTreeMap<&'static str, PathBuf>, String> {
    let programs: BTreeSet<Program> = runs.iter().map(|run| run.program).collect();
    let programs: Vec<Program> = programs.into_iter().collect();
    let compiled = in_parallel(&programs, |program| {
        tools.compile(*program, &folder(&directory.join("programs"), program.file_name())?)
    });
    programs.iter().zip(compiled).map(|(program, path)| Ok((program.file_name(), path?))).collect()
}

fn folder(directory: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = directory.join(name.replace('/', "-"));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

/// Tools, executables by name of the program, and a directory.
type Side = (Tools, BTreeMap<&'static str, PathBuf>, PathBuf);

fn pair(run: &Run, sides: &[Side]) -> Result<Pair, String> {
    let measure = |(tools, executables, place): &Side, offset_secs: f64| {
        tools.measure(run, &executables[run.program.file_name()], &folder(place, &run.name)?, offset_secs)
    };
    let ours = measure(&sides[0], 0.0)?;
    let varies = run.program.has_slots() && run.ranks <= MOST_RANKS_MOVED;
    let offsets = if varies { &OFFSETS_SECS[..] } else { &OFFSETS_SECS[..1] };
    let said: Vec<Vec<Measurement>> =
        offsets.iter().map(|offset| measure(&sides[1], *offset)).collect::<Result<_, String>>()?;
    let mut pair = Pair { ours, theirs: Vec::new(), unsure: BTreeMap::new() };
    for (index, first) in said[0].iter().enumerate() {
        let figures: Vec<&Vec<f64>> = said.iter().filter_map(|said| Some(&said.get(index)?.secs)).collect();
        let votes = |secs: &Vec<f64>| figures.iter().filter(|other| is_same(secs, other)).count();
        let most = figures.iter().rev().max_by_key(|secs| votes(secs)).map_or(&first.secs, |secs| *secs);
        if let Some(other) = figures.iter().find(|secs| !is_same(secs, most)) {
            pair.unsure.insert(first.name.clone(), other.to_vec());
        }
        pair.theirs.push(Measurement { name: first.name.clone(), secs: most.clone() });
    }
    Ok(pair)
}

impl Pair {
    /// Our figures of a measurement of the peer.
    fn ours_of(&self, theirs: &Measurement) -> &[f64] {
        let found = self.ours.iter().find(|ours| ours.name == theirs.name);
        found.map_or(&[], |ours| ours.secs.as_slice())
    }
}

/// Prints how near both sides are; true when they are the same, or differ for a reason.
fn report(run: &Run, pair: &Pair) -> bool {
    let off: Vec<&Measurement> =
        pair.theirs.iter().filter(|theirs| !is_same(pair.ours_of(theirs), &theirs.secs)).collect();
    let differences = pair.theirs.iter().map(|theirs| difference(pair.ours_of(theirs), &theirs.secs));
    let near = differences.filter(|difference| difference.is_finite()).fold(0.0, f64::max);
    let good = off.is_empty() || run.deviates.is_some();
    let color = if good { GREEN } else { RED };
    let count = paint(&format!("{:>3} of {:>3} the same", pair.theirs.len() - off.len(), pair.theirs.len()), color);
    println!("{:<40} {count}, largest difference {near:.1e}{}", run.name, reason(run));
    for theirs in off.iter().filter(|_| !good) {
        println!("    {}: {}; SMPI: {}", theirs.name, figures(pair.ours_of(theirs)), figures(&theirs.secs));
    }
    for (name, other) in &pair.unsure {
        println!("    {name}: SMPI is not sure; it also says {}", figures(other));
    }
    good
}

fn reason(run: &Run) -> String {
    run.deviates.map(|reason| format!(": {reason}")).unwrap_or_default()
}

/// The file of records, in the order of all runs. What is not among these `runs` is as it is `known`.
fn text(version: &str, measured: &[Run], pairs: &[Pair], known: &str) -> String {
    let mut text = format!(
        "# Simulated times, recorded from SMPI ({version}) by: cargo xtask compare --record\n\
         # Do not edit. The runs (programs, platforms, settings) are in tests/src/times/runs.rs; SMPI has\n\
         # smpi/simulate-computation:no and network/optim:Full besides.\n\
         #\n\
         # Columns: run, measurement, SMPI's figures, and where ours deviate, our figures; all in seconds. The two figures\n\
         # are the slowest rank and the mean of all ranks; NAS benchmarks have one.\n"
    );
    let new: BTreeMap<&str, String> =
        measured.iter().zip(pairs).map(|(run, pair)| (run.name.as_str(), block(run, pair))).collect();
    let old: BTreeMap<&str, &str> =
        known.split("\n\n").filter_map(|block| Some((run_of(block)?, block.trim_end()))).collect();
    for run in runs() {
        let name = run.name.as_str();
        if let Some(block) = new.get(name).map(|block| block.trim_end()).or_else(|| old.get(name).copied()) {
            text += &format!("\n{block}\n");
        }
    }
    text
}

/// The run that a block of the file is about.
fn run_of(block: &str) -> Option<&str> {
    block.lines().find(|line| !line.starts_with('#'))?.split(',').next()
}

/// What the file says about a run.
fn block(run: &Run, pair: &Pair) -> String {
    let mut text = String::new();
    if let Some(reason) = run.deviates {
        text += &format!("# {}: {reason}.\n", run.name);
    }
    for (name, other) in &pair.unsure {
        text += &format!("# {}, {name}: at some dates SMPI says {}.\n", run.name, figures(other));
    }
    let rows = pair.theirs.iter().map(|theirs| {
        let ours = pair.ours_of(theirs);
        let ours = (!is_same(ours, &theirs.secs)).then(|| ours.to_vec());
        Row { run: run.name.clone(), smpi: theirs.clone(), ours }
    });
    text.extend(rows.map(|row| recorded::line(&row)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_are_not_measured_stay_as_they_are_recorded() {
        let known =
            "# about\n\n# nas/cg: why.\nnas/cg,whole run,1,2,,\n\nnas/gone,whole run,1,2,,\n\nnas/ep,whole run,5,6,,\n";
        let run = runs().into_iter().find(|run| run.name == "nas/ep").unwrap();
        let measured = vec![Measurement { name: "whole run".into(), secs: vec![2.0] }];
        let pair = Pair { ours: measured.clone(), theirs: measured, unsure: BTreeMap::new() };
        let text = text("3.32", &[run], &[pair], known);
        let (_, blocks) = text.split_once("\n\n").unwrap();
        let expected = "# nas/cg: why.\nnas/cg,whole run,1,2,,\n\nnas/ep,whole run,2.00000000000e0,,,\n";
        assert_eq!(blocks, expected);
    }
}
