//! `smpirun --coll-auto FILE`: which algorithms of collectives are the fastest for the calls of a program?
//!
//! The program runs once as the rest of the command line says, and tells which collective operations it calls, on how
//! many ranks, with which sizes. Then it runs once more for each algorithm of each of these, with a table that chooses
//! it for that call only. What counts is the simulated time of the whole run, so it counts, too, what an algorithm
//! does to ranks that come late. The fastest of each become a table for `--coll-table`, with which the program runs a
//! last time: gains need not add up.
//!
//! Computation takes no time, unless the command line says something else: measured times differ between runs.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use smpi_base::print::reason;
use smpi_mpi::collective::select::{CollectiveKind, Selector};
use smpi_scratch::Scratch;

use crate::children;
use crate::failure::Failure;
use crate::options::{CommandLine, Options};
use crate::{outputs, program};

/// One kind of call.
struct Case {
    kind: CollectiveKind,
    ranks: u64,
    bytes: u64,
    calls: u64,
}

impl Case {
    /// The conditions of a rule for such calls.
    fn conditions(&self) -> String {
        format!("ranks {} bytes {}", self.ranks, self.bytes)
    }
}

/// A program that is run again and again.
struct Runner {
    words: Vec<String>,
    table: &'static str,
    scratch: Scratch,
}

/// Answers a command line with `--coll-auto FILE`; its words.
pub fn answer(words: &[String], command_line: &CommandLine) -> Result<String, Failure> {
    let options = &command_line.options;
    let (table, file) = of(options)?;
    // Before the program has run for an hour, and not afterwards.
    outputs::check(options)?;
    let programs = command_line.apps.iter().map(|app| program::find(&app.program)).collect::<Result<Vec<_>, _>>()?;
    let trace = options.replay.as_deref().filter(|_| options.replays_trace);
    outputs::check_apart(options, programs.iter().map(String::as_str), trace)?;
    children::prepare("--coll-auto")?;
    let scratch = Scratch::new(Ok).map_err(|error| {
        let why = format!("{}; TMPDIR names another place", reason(&error));
        refuse(&std::env::temp_dir().display().to_string(), &why)
    })?;
    let mut runner = Runner { words: without(words), table: table.name(), scratch };
    if !says_how_to_compute(options) {
        runner.words.insert(0, "--compute=off".to_string());
    }
    compare(&runner, &file)
}

/// Whether the command line itself says what computation costs; words of the program do not count.
fn says_how_to_compute(options: &Options) -> bool {
    options.compute.is_some() || options.cfg.iter().any(|setting| setting.starts_with("smpi/simulate-computation:"))
}

/// The table in use, and the file for the result.
fn of(options: &Options) -> Result<(Selector, String), Failure> {
    let refuse = |why: &str| Failure::Refused(format!("--coll-auto {why}"));
    let file = options.coll_auto.clone().unwrap_or_default();
    let chosen = options.cfg.iter().rev().find_map(|setting| setting.strip_prefix("smpi/coll-selector:"));
    let Some(name) = chosen.filter(|name| !name.is_empty()) else { return Ok((Selector::default(), file)) };
    let names = Selector::ALL.map(Selector::name).join(", ");
    let table = Selector::from_name(name).ok_or_else(|| refuse(&format!("begins with one of the tables {names}")))?;
    Ok((table, file))
}

/// A command line without `--coll-auto FILE`.
fn without(words: &[String]) -> Vec<String> {
    let is_it = |word: &String| ["--coll-auto", "-coll-auto"].contains(&word.split('=').next().unwrap_or_default());
    let Some(place) = words.iter().position(is_it) else { return words.to_vec() };
    let length = if words[place].contains('=') { 1 } else { 2 };
    let rest = words.iter().skip(place + length);
    words[..place].iter().chain(rest).cloned().collect()
}

fn refuse(what: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::Refused(format!("--coll-auto: {what}: {error}"))
}

fn compare(runner: &Runner, file: &str) -> Result<String, Failure> {
    let (first, cases) = runner.run(None)?;
    let mut text = String::new();
    let mut table = format!(
        "# The fastest algorithms for the calls of one program, by smpirun --coll-auto. Other calls: {}.\n",
        runner.table
    );
    for case in &cases {
        let mut times = Vec::new();
        let name = case.kind.name();
        for algorithm in case.kind.operation.algorithms() {
            let rule = format!("{name} {algorithm} {}\n", case.conditions());
            times.push((runner.run(Some(&rule))?.0, algorithm));
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name}, {} ranks, {} B, {} calls", case.ranks, case.bytes, case.calls);
        for (secs, algorithm) in &times {
            let _ = writeln!(text, "    {algorithm:<32} {secs:.9} s");
        }
        if let Some((_, fastest)) = times.first().filter(|(secs, _)| *secs < first) {
            let _ = writeln!(table, "{name} {fastest} {}", case.conditions());
        }
    }
    let (last, _) = runner.run(Some(&table))?;
    smpi_base::whole::write(file, runner.whole(&table)).map_err(|error| refuse(file, &reason(&error)))?;
    let _ = writeln!(text, "with {}: {first:.9} s; with the fastest, which are in {file}: {last:.9} s", runner.table);
    Ok(text)
}

impl Runner {
    /// A table that leaves to the present one what it has no rules for.
    fn whole(&self, rules: &str) -> String {
        let others: String = CollectiveKind::all().map(|kind| format!("{} @{}\n", kind.name(), self.table)).collect();
        format!("{rules}{others}")
    }

    /// Runs the program with some rules: the simulated time in seconds, and its collective calls. What the program says
    /// is shown only if it fails.
    fn run(&self, rules: Option<&str>) -> Result<(f64, Vec<Case>), Failure> {
        let place = |name: &str| self.scratch.path().join(name).display().to_string();
        let (summary, table) = (place("summary.json"), place("table.txt"));
        let program = std::env::current_exe().map_err(|error| refuse("smpirun", &error))?;
        let mut command = Command::new(program);
        children::bind(&mut command);
        command.args(["-quiet", "--summary-json", &summary]).stdin(Stdio::null());
        if let Some(rules) = rules {
            std::fs::write(&table, self.whole(rules)).map_err(|error| refuse(&table, &error))?;
            command.args(["--coll-table", &table]);
        }
        let output = command.args(&self.words).output().map_err(|error| refuse("smpirun", &error))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let with = rules.map_or(String::new(), |rules| format!(" with the rule\n  {}", rules.trim_end()));
            return Err(Failure::Refused(format!("--coll-auto: the program failed{with}\n{}", said.trim_end())));
        }
        let text = std::fs::read_to_string(&summary).map_err(|error| refuse(&summary, &error))?;
        let json: serde_json::Value = serde_json::from_str(&text).map_err(|error| refuse(&summary, &error))?;
        let number = |value: &serde_json::Value, key: &str| value[key].as_u64().unwrap_or(0);
        let case = |value: &serde_json::Value| {
            Some(Case {
                kind: CollectiveKind::from_name(value["operation"].as_str()?)?,
                ranks: number(value, "ranks"),
                bytes: number(value, "bytes"),
                calls: number(value, "calls"),
            })
        };
        let cases = json["collectives"].as_array().map_or(Vec::new(), |all| all.iter().filter_map(case).collect());
        Ok((json["simulated_time_secs"].as_f64().unwrap_or(0.0), cases))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_words_are_left_out() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let rest = words("-np 4 ./app --coll-auto x");
        assert_eq!(without(&words("-np 4 --coll-auto best ./app --coll-auto x")), rest);
        assert_eq!(without(&words("--coll-auto=best -np 4 ./app --coll-auto x")), rest);
    }

    #[test]
    fn only_words_of_smpirun_say_what_computation_costs() {
        let says = |text: &str| {
            let words: Vec<String> = format!("--coll-auto best -np 4 {text}").split(' ').map(String::from).collect();
            match crate::options::parse(&words) {
                Ok(crate::options::Request::Run(command_line)) => says_how_to_compute(&command_line.options),
                _ => panic!("{text}"),
            }
        };
        assert!(says("--compute=measured /bin/sh") && says("-compute measured /bin/sh"));
        assert!(says("--cfg=smpi/simulate-computation:yes /bin/sh"));
        assert!(!says("/bin/sh") && !says("/bin/sh --compute=measured"));
    }
}
