//! A program with a planted fault, verified: where what is found names the line of the fault.

use super::base::Base;
use super::brute;
use super::faults::{self, Fault, HEADER};
use crate::place::Place;
use crate::process::{self, Finished};
use crate::verification;
use serde_json::Value;
use std::collections::BTreeSet;

/// The source of a changed program, by which reports name it.
const FILE: &str = "mutant.c";
/// Seconds that a verification may take, what it explains included; with the second, nearly all that is explained is
/// complete, and so the same on each machine.
const LIMITS: [&str; 2] = ["--time-limit=30", "--explain-within=20"];
/// Seconds after which a command hangs.
const MOST_SECS: u64 = 60;

/// What part of a finding names a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Its places, and what the sentence says.
    Locations,
    /// What leads to another line: where it was started what a call waits for, what is nearly that, what a rank was
    /// told last before it failed.
    Hints,
    /// The decision.
    Decision,
    /// The condition.
    Condition,
    /// What would help.
    Help,
    /// The right execution beside it.
    Beside,
    /// The table of last calls, the choices.
    Elsewhere,
}

use Part::*;

/// How well the line of a fault is named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// The line itself, by the explanation.
    Line(BTreeSet<Part>),
    /// The line of a call that lacks what was taken away.
    Lacking(BTreeSet<Part>),
    /// The line, but only by what stands around the explanation.
    Around(BTreeSet<Part>),
    /// Nothing names it.
    Not,
}

/// What came of a program with a fault.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The keys of what was found.
    pub keys: BTreeSet<String>,
    /// How its line is named.
    pub named: Named,
    /// Explanations that were compared with all executions.
    pub compared: usize,
    /// What they say otherwise.
    pub differences: Vec<String>,
}

/// Compiles a program; `None` where it cannot be.
fn compile(place: &Place, base: &Base, text: &str) -> Option<()> {
    place.write(FILE, text);
    place.write("mutant.h", HEADER);
    let fixed =
        [place.tool("smpicc"), "--verify".into(), "-g".into(), "-w".into(), "-include".into(), "mutant.h".into()];
    let words = fixed.into_iter().chain(base.compiler.iter().cloned());
    let words: Vec<String> = words.chain([FILE, "-o", "mutant"].map(String::from)).collect();
    let finished = process::run(&words, &place.directory, &[], MOST_SECS).ok()?;
    (finished.code == 0).then_some(())
}

/// The command that verifies it.
pub fn command(place: &Place, base: &Base) -> Vec<String> {
    let mut words =
        vec![place.tool("smpirun"), "--verify".into(), "--compute=off".into(), "--report=report.json".into()];
    words.extend(LIMITS.map(String::from));
    words.extend(base.options.iter().cloned());
    words.extend(["-np".to_string(), base.ranks.to_string(), "./mutant".to_string()]);
    words.extend(base.args.iter().cloned());
    words
}

fn verify(place: &Place, base: &Base) -> Option<(Finished, Value)> {
    let path = place.directory.join("report.json");
    let _ = std::fs::remove_file(&path);
    let finished = process::run(&command(place, base), &place.directory, &base.environment, MOST_SECS).ok()?;
    Some((finished, verification::report(&path).ok()?))
}

/// Whether a program is complete without a finding.
pub fn is_right(place: &Place, base: &Base) -> bool {
    let report = compile(place, base, &base.text).and_then(|()| verify(place, base));
    report.is_some_and(|(_, report)| report["verdict"] == "no-error")
}

/// Verifies a program with a fault; `None` where it cannot be compiled, or nothing is found.
pub fn judge(place: &Place, base: &Base, fault: &Fault) -> Option<Judged> {
    compile(place, base, &fault.text)?;
    let (said, report) = verify(place, base)?;
    let findings = report["findings"].as_array().filter(|findings| !findings.is_empty())?;
    place.write("said.txt", &String::from_utf8_lossy(&said.stderr));
    let keys = findings.iter().filter_map(|finding| finding["key"].as_str()).map(String::from).collect();
    let parts: Vec<(Part, BTreeSet<usize>)> = findings.iter().flat_map(parts).collect();
    let naming = |lines: &BTreeSet<usize>, is: fn(Part) -> bool| -> BTreeSet<Part> {
        parts.iter().filter(|(part, named)| is(*part) && !named.is_disjoint(lines)).map(|(part, _)| *part).collect()
    };
    let explains = |part: Part| part <= Condition;
    let tries = [
        Named::Line(naming(&fault.lines, explains)),
        Named::Lacking(naming(&fault.lacking, explains)),
        Named::Around(naming(&fault.lines, |part| part > Condition)),
    ];
    let is_some = |named: &Named| match named {
        Named::Line(parts) | Named::Lacking(parts) | Named::Around(parts) => !parts.is_empty(),
        Named::Not => true,
    };
    let run: Vec<String> = ["-np".to_string(), base.ranks.to_string(), "./mutant".to_string()].into();
    let run = [&run[..], &base.args].concat();
    let compare = |finding: &Value| brute::difference(&place.tool("smpirun"), &place.directory, &run, finding);
    let differences: Vec<Vec<String>> = findings.iter().filter_map(compare).collect();
    let (compared, differences) = (differences.len(), differences.concat());
    Some(Judged { compared, differences, keys, named: tries.into_iter().find(is_some).unwrap_or(Named::Not) })
}

/// The lines of the program that each part of a finding names.
fn parts(finding: &Value) -> Vec<(Part, BTreeSet<usize>)> {
    let explanation = &finding["explanation"];
    let hint = |call: &Value| {
        ["near", "started_by", "behind", "unfinished", "lacks", "clues"]
            .iter()
            .flat_map(|name| lines(&call[name]))
            .collect()
    };
    let calls = finding["last_calls"].as_array().into_iter().flatten();
    let hints: BTreeSet<usize> = calls.flat_map(|call| -> BTreeSet<usize> { hint(call) }).collect();
    let places = [&finding["locations"], &finding["message"]].into_iter().flat_map(lines).collect();
    let elsewhere = [&finding["last_calls"], &finding["choices"]].into_iter().flat_map(lines).collect();
    vec![
        (Locations, places),
        (Hints, hints),
        (Decision, lines(&explanation["decision"])),
        (Condition, lines(&explanation["condition"])),
        (Help, lines(&explanation["help"])),
        (Beside, lines(&explanation["beside"])),
        (Elsewhere, elsewhere),
    ]
}

/// All lines of the program that a part of a report names: as objects with `file` and `line`, or in texts.
fn lines(value: &Value) -> BTreeSet<usize> {
    match value {
        Value::String(text) => named(text),
        Value::Array(values) => values.iter().flat_map(lines).collect(),
        Value::Object(fields) => {
            let is_own = fields.get("file").and_then(Value::as_str).is_some_and(|file| file.ends_with(FILE));
            let own = fields.get("line").and_then(Value::as_u64).filter(|_| is_own).map(|line| line as usize);
            own.into_iter().chain(fields.values().flat_map(lines)).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// The lines in a text, such as `mutant.c:12`.
fn named(text: &str) -> BTreeSet<usize> {
    let mark = format!("{FILE}:");
    let numbers = text.split(&mark).skip(1);
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    numbers.filter_map(|rest| digits(rest).parse().ok()).collect()
}

/// What to do by hand with a fault whose line is not named.
pub fn described(fault: &Fault, base: &Base) -> String {
    let faults::Fault { kind, lines, lacking, said, .. } = fault;
    format!("{kind:?} in {} at {lines:?} (lacking {lacking:?}): {said}", base.name)
}
