//! What a test program says about its verification, and whether the JSON report of `smpirun --verify` agrees.
//!
//! The directives are listed in `tests/tests/programs.rs`, the report is described in `docs/report-format.md`.

use serde_json::Value;
use smpi_report::explanation::Explanation;
use smpi_report::finding::Buffering;
use std::collections::BTreeSet;
use std::path::Path;

/// Exit code of a verification that found something.
const FOUND: i32 = 1;

/// Several processes explore the parts of a program, however small it is: one that checks what is put back is not first
/// explored by one process.
pub const PARTS: [&str; 2] = ["--jobs=2", "--cfg=smpi/self-check:yes"];

/// The directives `verify`, `expect-finding`, … of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verification {
    /// More options of smpirun.
    pub options: Vec<String>,
    /// Keys of the findings: no others, and all of these.
    pub findings: BTreeSet<String>,
    /// There is no finding.
    pub clean: bool,
    /// Nobody can know where what is found has happened.
    pub nowhere: bool,
    /// Keys of findings that the program would show if it were not right.
    pub passes: BTreeSet<String>,
    /// Everything is explored.
    pub complete: bool,
    /// A bound was reached, or a mode not explored.
    pub incomplete: bool,
    /// Findings need not be there when their schedules are executed again.
    pub unrepeated: bool,
    /// How often findings occurred, all together.
    pub occurrences: Option<u64>,
    /// How much of what ([`Counted`]) there is in each mode (`None`: in whichever modes are explored).
    pub counts: Vec<(Counted, Option<String>, u64)>,
    /// How many findings there are of each of these keys.
    pub faults: Vec<(String, u64)>,
    /// In how many other ways findings of each of these keys show, all together.
    pub guises: Vec<(String, u64)>,
    /// What stands in a row of two executions beside each other, those of some finding.
    pub besides: Vec<String>,
    /// What explanations of findings say, each in some finding's.
    pub explanations: Vec<String>,
    /// What is said of changes that would help, each of some finding's.
    pub helps: Vec<String>,
    /// Other reductions that must show the same, with their executions in the first mode.
    pub reductions: Vec<(String, u64)>,
}

impl Verification {
    /// The exit code of such a verification.
    pub fn exit(&self) -> i32 {
        if self.findings.is_empty() { 0 } else { FOUND }
    }

    /// Adds the value of `expect-executions` and the like, the key: one number, or `MODE=NUMBER` for each mode.
    pub fn expect(&mut self, counted: Counted, key: &str, value: &str) -> Result<(), String> {
        for word in value.split_whitespace() {
            let (mode, count) = match word.split_once('=') {
                Some((mode @ ("zero" | "infinite"), count)) => (Some(mode.to_string()), count),
                Some(_) => return Err(format!("`{key} {value}`: modes are zero and infinite")),
                None => (None, word),
            };
            let count = count.parse().map_err(|_| format!("`{key} {value}`: expected a number"))?;
            self.counts.push((counted, mode, count));
        }
        if value.trim().is_empty() { Err(format!("`{key}` needs a value")) } else { Ok(()) }
    }

    /// Adds the value of `reductions`: `NAME=NUMBER` for each.
    pub fn expect_reductions(&mut self, value: &str) -> Result<(), String> {
        for word in value.split_whitespace() {
            let wrong = || format!("`reductions {value}`: expected NAME=EXECUTIONS, for example dpor=3");
            let (name, count) = word.split_once('=').ok_or_else(wrong)?;
            self.reductions.push((name.to_string(), count.parse().map_err(|_| wrong())?));
        }
        if self.reductions.is_empty() { Err("`reductions` needs a value".into()) } else { Ok(()) }
    }

    /// Everything in which a report of another reduction differs from this one's: results, findings, completeness.
    pub fn differences(name: &str, executions: u64, report: &Value, other: &Value) -> Vec<String> {
        let keys = |report: &Value| findings(report).map(|(key, _)| key).collect::<BTreeSet<_>>();
        let results = |report: &Value| -> Vec<Value> {
            let modes = report["modes"].as_array().into_iter().flatten();
            modes.map(|mode| mode["results_digest"].clone()).collect()
        };
        let mut complaints = Vec::new();
        if keys(report) != keys(other) {
            complaints.push(format!("--reduction {name} finds {:?}, not {:?}", keys(other), keys(report)));
        }
        if results(report) != results(other) || report["complete"] != other["complete"] {
            complaints.push(format!("--reduction {name} sees {}, not {}", other["modes"], report["modes"]));
        }
        let found = &other["modes"][0]["executions"];
        if found.as_u64() != Some(executions) {
            complaints.push(format!("--reduction {name} has {found} executions, expected {executions}"));
        }
        complaints
    }

    /// Everything in a report that differs from what is expected.
    pub fn complaints(&self, report: &Value) -> Vec<String> {
        let mut complaints = Vec::new();
        let found: BTreeSet<String> = findings(report).map(|(key, _)| key).collect();
        if (self.clean || !self.findings.is_empty()) && found != self.findings {
            complaints.push(format!("findings {found:?}, expected {:?}", self.findings));
        }
        if !self.nowhere {
            complaints.extend(unplaced(report));
        }
        if self.complete && report["complete"] != Value::Bool(true) {
            complaints.push(format!("the exploration is not complete: {}", report["bounds"]));
        }
        if self.incomplete && report["complete"] != Value::Bool(false) {
            complaints.push("the exploration is said to be complete".to_string());
        }
        // That is a bug of ours until shown otherwise.
        let unrepeated = report["findings"].as_array().into_iter().flatten().filter(|one| one["unrepeated"] == true);
        if !self.unrepeated {
            complaints.extend(unrepeated.map(|one| format!("{} did not happen again", one["key"])));
        }
        let occurrences =
            report["findings"].as_array().into_iter().flatten().filter_map(|one| one["occurrences"].as_u64());
        if let Some(expected) = self.occurrences
            && let found = occurrences.sum::<u64>()
            && found != expected
        {
            complaints.push(format!("findings occurred {found} times, expected {expected}"));
        }
        let of_key = |key: &str| findings(report).filter(|(found, _)| found == key).count() as u64;
        let all_of_key = |key: &str| schedules(report).filter(|(found, _)| found == key).count() as u64;
        for (key, expected) in &self.faults {
            let found = of_key(key);
            complaints.extend((found != *expected).then(|| format!("{found} findings {key}, expected {expected}")));
        }
        for (key, expected) in &self.guises {
            let found = all_of_key(key) - of_key(key);
            complaints.extend((found != *expected).then(|| format!("{found} guises of {key}, expected {expected}")));
        }
        let besides = besides(report);
        let unseen = self.besides.iter().filter(|text| !besides.contains(*text));
        complaints.extend(unseen.map(|text| format!("nothing beside a failing execution is `{text}`:\n{besides}")));
        let explained = explained(report);
        let unsaid = self.explanations.iter().filter(|text| !explained.contains(*text));
        complaints.extend(unsaid.map(|text| format!("no explanation says `{text}`:\n{explained}")));
        let helps = helps(report);
        let untried = self.helps.iter().filter(|text| !helps.contains(*text));
        complaints.extend(untried.map(|text| format!("of no change is said `{text}`:\n{helps}")));
        for (counted, mode, expected) in &self.counts {
            complaints.extend(wrong_count(report, *counted, mode.as_deref(), *expected));
        }
        complaints
    }
}

/// What is said of why executions fail, a sentence a line, files without their directories.
fn explained(report: &Value) -> String {
    told(report, |finding, explanation| {
        let buffering = serde_json::from_value(finding["buffering"].clone()).ok().map(Buffering::words);
        explanation.sentences(buffering)
    })
}

/// What is said of changes that were tried, and of how likely findings are, in the same form.
fn helps(report: &Value) -> String {
    told(report, |finding, explanation| {
        let buffering = serde_json::from_value(finding["buffering"].clone()).ok().map(Buffering::words);
        let command = explanation.shown_by().map(str::to_string);
        explanation.advice(buffering).into_iter().chain(command).collect()
    })
}

/// Sentences about explanations of findings.
fn told(report: &Value, sentences: impl Fn(&Value, Explanation) -> Vec<String>) -> String {
    let found = report["findings"].as_array().into_iter().flatten();
    let all = found.flat_map(|finding| {
        let explanation = serde_json::from_value::<Explanation>(finding["explanation"].clone());
        explanation.map_or(Vec::new(), |explanation| sentences(finding, explanation))
    });
    all.map(|words| words.split(' ').map(bare).collect::<Vec<_>>().join(" ") + "\n").collect()
}

/// A path without its directories.
fn bare(word: &str) -> String {
    word.rsplit('/').next().unwrap_or(word).to_string()
}

/// The executions that stand beside each other: what they have in common, and their rows, `RANK: LEFT | RIGHT`, files
/// without their directories.
fn besides(report: &Value) -> String {
    let mut lines = String::new();
    for finding in report["findings"].as_array().into_iter().flatten() {
        let explanation = serde_json::from_value::<Explanation>(finding["explanation"].clone());
        let Some(beside) = explanation.ok().and_then(|explanation| explanation.beside) else { continue };
        lines.push_str(&format!("{} | {}: {}\n", beside.titles[0], beside.titles[1], beside.common()));
        for rank in &beside.ranks {
            for [left, right] in rank.rows(usize::MAX, &bare) {
                lines.push_str(&format!("{}: {left} | {right}\n", rank.rank));
            }
        }
    }
    lines
}

/// What of an exploration is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Executions seen to their end.
    Executions,
    /// States, where those are recognised whatever led to them.
    States,
    /// Choices made, also those that led nowhere.
    Transitions,
}

fn wrong_count(report: &Value, counted: Counted, mode: Option<&str>, expected: u64) -> Vec<String> {
    let modes = report["modes"].as_array().into_iter().flatten();
    let name = |entry: &Value| entry["buffering"].as_str().unwrap_or_default().to_string();
    let chosen: Vec<&Value> = modes.filter(|&entry| mode.is_none_or(|mode| name(entry) == mode)).collect();
    if chosen.is_empty() {
        return vec![format!("nothing was explored with {} buffering", mode.unwrap_or("any"))];
    }
    let (what, place) = match counted {
        Counted::Executions => ("executions", "/executions"),
        Counted::States => ("states", "/states/count"),
        Counted::Transitions => ("transitions", "/transitions"),
    };
    let count = |entry: &&Value| entry.pointer(place).and_then(Value::as_u64);
    let wrong = chosen.into_iter().filter(|entry| count(entry) != Some(expected));
    let words = |found: Option<u64>| found.map_or("unknown".to_string(), |found| found.to_string());
    wrong.map(|entry| format!("{} {what} in mode {}, expected {expected}", words(count(&entry)), name(entry))).collect()
}

/// Findings that do not say where: each names its ranks, and a call; and each of its places has a line.
pub fn unplaced(report: &Value) -> Vec<String> {
    let complaint = |finding: &Value| {
        let places: Vec<&Value> = finding["locations"].as_array().into_iter().flatten().collect();
        let calls = finding["last_calls"].as_array().into_iter().flatten();
        let has_call = |place: &&Value| place["call"].as_str().is_some_and(|call| !call.is_empty());
        let missing = [
            ("a rank", finding["ranks"].as_array().is_none_or(Vec::is_empty)),
            ("a place", places.is_empty()),
            ("a call", !places.iter().copied().chain(calls).any(|place| has_call(&place))),
            ("a line", !places.iter().all(|place| place["line"].is_u64())),
        ];
        let missing: Vec<&str> = missing.iter().filter(|(_, is_missing)| *is_missing).map(|(what, _)| *what).collect();
        let what = (&finding["key"], &finding["message"], &finding["locations"]);
        (!missing.is_empty()).then(|| format!("{}: {} lacks {} ({})", what.0, what.1, missing.join(", "), what.2))
    };
    report["findings"].as_array().into_iter().flatten().filter_map(complaint).collect()
}

/// The keys of a report's findings with their replay tokens.
pub fn findings(report: &Value) -> impl Iterator<Item = (String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    report["findings"].as_array().into_iter().flatten().map(move |one| (text(&one["key"]), text(&one["replay"])))
}

/// The same with the other ways in which each of them shows.
pub fn schedules(report: &Value) -> impl Iterator<Item = (String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    report["findings"].as_array().into_iter().flatten().flat_map(move |one| {
        let guises = one["guises"].as_array().into_iter().flatten();
        [one]
            .into_iter()
            .chain(guises)
            .map(move |shown| (text(&one["key"]), text(&shown["replay"])))
            .collect::<Vec<_>>()
    })
}

/// What two verifications must have in common that differ in how they explore: the findings by key, and whether that is
/// all.
pub fn outcome(report: &Value) -> (BTreeSet<String>, bool) {
    (findings(report).map(|(key, _)| key).collect(), report["complete"] == Value::Bool(true))
}

/// Reads the report of a run.
pub fn report(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("no report in {}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use crate::directives;

    fn judged(text: &str, report: &str) -> Vec<String> {
        let directives = directives::parse(text).unwrap();
        directives.verification.unwrap().complaints(&serde_json::from_str(report).unwrap())
    }

    const DEADLOCK: &str = r#"{"complete": false, "bounds": [], "findings": [{"key": "deadlock", "replay": "1/zero/", "ranks": [0],
        "locations": [{"call": "MPI_Recv", "line": 3}]}],
        "modes": [{"buffering": "zero", "executions": 2}, {"buffering": "infinite", "executions": 3}]}"#;

    #[test]
    fn findings_are_compared_as_sets() {
        assert_eq!(judged("// smpi: verify\n// smpi: expect-finding deadlock\n", DEADLOCK), [""; 0]);
        let crash = "// smpi: verify\n// smpi: expect-finding crash\n";
        assert_eq!(judged(crash, DEADLOCK), [r#"findings {"deadlock"}, expected {"crash"}"#]);
        assert_eq!(judged("// smpi: verify\n// smpi: expect-no-finding\n", DEADLOCK).len(), 1);
        assert_eq!(judged("// smpi: verify\n// smpi: expect-complete\n", DEADLOCK).len(), 1);
    }

    #[test]
    fn faults_and_their_guises_are_counted() {
        let report = r#"{"complete": true, "findings": [{"key": "deadlock", "replay": "1/zero/", "ranks": [0],
            "locations": [{"call": "MPI_Recv", "line": 3}], "guises": [{"replay": "1/zero/0.0:1"}]}]}"#;
        assert_eq!(
            judged("// smpi: expect-faults deadlock=1 crash=0\n// smpi: expect-guises deadlock=1\n", report),
            [""; 0]
        );
        let wrong = judged("// smpi: expect-faults deadlock=2\n// smpi: expect-guises crash=1\n", report);
        assert_eq!(wrong, ["1 findings deadlock, expected 2", "0 guises of crash, expected 1"]);
        assert_eq!(judged("// smpi: expect-beside 0: a | b\n", report).len(), 1);
    }

    #[test]
    fn findings_say_where() {
        let unplaced = |finding: &str| {
            let report = format!(r#"{{"findings": [{{"key": "crash", {finding}}}]}}"#);
            super::unplaced(&serde_json::from_str(&report).unwrap()).len()
        };
        assert_eq!(unplaced(r#""ranks": [0], "locations": [{"call": "MPI_Recv", "line": 3}]"#), 0);
        let last = r#""last_calls": [{"call": "MPI_Init"}]"#;
        assert_eq!(unplaced(&format!(r#""ranks": [0], "locations": [{{"call": "", "line": 3}}], {last}"#)), 0);
        assert_eq!(unplaced(r#""ranks": [0], "locations": [{"call": "", "line": 3}]"#), 1);
        assert_eq!(unplaced(r#""ranks": [0], "locations": [{"call": "MPI_Recv", "line": null}]"#), 1);
        assert_eq!(unplaced(r#""ranks": [], "locations": [{"call": "MPI_Recv", "line": 3}]"#), 1);
        assert_eq!(unplaced(r#""ranks": [0], "locations": []"#), 1);
    }

    #[test]
    fn reductions_see_the_same() {
        let report = |keys: &str, digest: &str| -> serde_json::Value {
            let modes = format!(r#"[{{"executions": 3, "results_digest": "{digest}"}}]"#);
            serde_json::from_str(&format!(r#"{{"complete": true, "modes": {modes}, "findings": {keys}}}"#)).unwrap()
        };
        let (none, crash) = ("[]", r#"[{"key": "crash", "replay": ""}]"#);
        let differences =
            |executions, other| super::Verification::differences("dpor", executions, &report(none, "1f"), &other).len();
        assert_eq!(differences(3, report(none, "1f")), 0);
        assert_eq!(differences(4, report(none, "1f")), 1);
        assert_eq!(differences(3, report(none, "2f")), 1);
        assert_eq!(differences(3, report(crash, "1f")), 1);
        assert!(directives::parse("// smpi: reductions dpor\n").is_err());
    }

    #[test]
    fn executions_of_all_modes_or_of_each() {
        assert_eq!(judged("// smpi: verify\n// smpi: expect-executions zero=2 infinite=3\n", DEADLOCK), [""; 0]);
        let both = judged("// smpi: verify\n// smpi: expect-executions 3\n", DEADLOCK);
        assert_eq!(both, ["2 executions in mode zero, expected 3"]);
        assert!(directives::parse("// smpi: verify\n// smpi: expect-executions some=3\n").is_err());
    }
}
