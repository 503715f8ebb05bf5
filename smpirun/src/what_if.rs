//! `smpirun what-if`: what would make a program faster? The run is repeated in other worlds: without latency, with
//! infinite bandwidth, without contention, with faster cores, with the same work on all ranks, with other tables of
//! collective algorithms. And `smpirun compare`: two profiles side by side.
//!
//! Computation is recorded in the first run and is the same in the others, unless the command line says how it is
//! charged. The replay of a trace is repeated as a program is; what it computes is in the trace.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::CommandFactory;
use smpi_base::print::reason;
use smpi_mpi::collective::select::Selector;
use smpi_report::profile::Profile;
use smpi_scratch::Scratch;

use crate::children;
use crate::effects::Mode;
use crate::failure::Failure;
use crate::options::{self, Options, Request};
use crate::{program, tasks};

const HELP: &str = "\
Usage: smpirun what-if [options of smpirun] -np N program [arguments]
       smpirun what-if [options of smpirun] replay TRACE
       smpirun compare A.json B.json

what-if runs the program, or replays the trace, as the command line says, then in other worlds, and prints what each
would bring. compare prints two profiles of --profile-json side by side.
";

/// A world, and the settings that make it.
struct World {
    name: &'static str,
    settings: &'static [&'static str],
}

/// No latency, no limits of bandwidth, and nothing to do for a processor.
const IDEAL: &[&str] =
    &["what-if/latency:0", "what-if/bandwidth:inf", "smpi/os:0:0:0", "smpi/ois:0:0:0", "smpi/or:0:0:0", "smpi/init:0"];

/// The worlds that are tried, beside tables of algorithms and balanced work.
const WORLDS: [World; 5] = [
    World { name: "ideal network", settings: IDEAL },
    World { name: "no latency", settings: &["what-if/latency:0"] },
    World { name: "infinite bandwidth", settings: &["what-if/bandwidth:inf"] },
    World { name: "no contention", settings: &["what-if/contention:no"] },
    World { name: "cores twice as fast", settings: &["what-if/speed:2"] },
];

/// The answer, if the words after `smpirun` ask for one.
pub fn answer(words: &[String]) -> Option<Result<String, Failure>> {
    let parts: Vec<&str> = words.iter().map(String::as_str).collect();
    match &parts[..] {
        ["what-if" | "compare", "--help" | "-h"] | ["what-if" | "compare"] => Some(Ok(HELP.to_string())),
        ["compare", one, other] if one.ends_with(".json") || other.ends_with(".json") => Some(compare(one, other)),
        ["what-if", ..] => Some(what_if(&words[1..])),
        _ => None,
    }
}

fn compare(one: &str, other: &str) -> Result<String, Failure> {
    Ok(read(Path::new(one))?.compare(&read(Path::new(other))?))
}

fn read(path: &Path) -> Result<Profile, Failure> {
    let place = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| {
        let why = reason(&error);
        Failure::Refused(format!("{place}: cannot read the profile: {why}; smpirun --profile-json FILE writes one"))
    })?;
    Profile::from_json(&text).map_err(|why| Failure::Refused(format!("{place}: {why}")))
}

/// A program that is run again and again.
struct Runner {
    /// Options of the command line.
    options: Vec<String>,
    /// The program and what is behind it; nothing where a trace is replayed.
    programs: Vec<String>,
    scratch: Scratch,
    /// The file with the computation of the first run, where computation is measured.
    recording: Option<PathBuf>,
}

fn what_if(words: &[String]) -> Result<String, Failure> {
    let Request::Run(command_line) = options::parse_for(words, Some(Mode::WhatIf))? else {
        return Err(Failure::Refused("what-if: expected -np N and a program behind the options".into()));
    };
    check(&command_line.options)?;
    for app in &command_line.apps {
        program::find(&app.program)?;
    }
    children::prepare("what-if")?;
    let scratch = Scratch::new(Ok).map_err(|error| cannot(&std::env::temp_dir(), &error))?;
    // A trace says what is computed.
    let is_program = !command_line.options.replays_trace;
    let is_measured = is_program && measures(&command_line.options);
    let recording = is_measured.then(|| scratch.path().join("computation"));
    let at = if is_program { program_at(words)? } else { words.len() };
    let (options, programs) = parts(words, at);
    let runner = Runner { options, programs, scratch, recording };
    runner.answer(&command_line.options)
}

/// Whether computation is measured in the run as it is.
fn measures(options: &Options) -> bool {
    let setting = options.cfg.iter().flat_map(|text| text.split_whitespace()).rev();
    let setting = setting.filter_map(|setting| setting.strip_prefix("smpi/simulate-computation:")).next();
    match options.compute.as_deref() {
        Some(how) => how == "measured",
        None => setting.and_then(smpi_settings::flag) != Some(false),
    }
}

/// The options of a command line, and its programs from `at` on. Settings stand behind the programs, too, and would win
/// there over those of a world.
fn parts(words: &[String], at: usize) -> (Vec<String>, Vec<String>) {
    let (late, programs): (Vec<String>, Vec<String>) =
        words[at..].iter().cloned().partition(|word| word.starts_with("--cfg="));
    ([&words[..at], &late].concat(), programs)
}

/// Where the options end: the place of the program, or of the dashes before it.
fn program_at(words: &[String]) -> Result<usize, Failure> {
    let dashes = || words.iter().position(|word| word == "--").unwrap_or(words.len());
    Ok(tasks::first_word(words, &Options::command())?.unwrap_or_else(dashes))
}

fn check(options: &Options) -> Result<(), Failure> {
    let own = |setting: &&str| setting.starts_with("what-if/");
    if let Some(setting) = options.cfg.iter().flat_map(|text| text.split_whitespace()).find(own) {
        let why = "what-if sets this itself, in each world anew: leave it out, or change the platform";
        return Err(Failure::Refused(format!("--cfg={setting}: {why}")));
    }
    if options.compute.as_deref().is_some_and(|how| how.starts_with("scaled")) {
        let why = "repeats a run with the same computation: use --compute=recorded:FILE instead of scaled";
        return Err(Failure::Refused(format!("what-if {why}")));
    }
    Ok(())
}

impl Runner {
    fn answer(&self, options: &Options) -> Result<String, Failure> {
        let base = self.run(&[], self.recording.as_deref())?;
        let mut rows: Vec<(String, Profile)> = Vec::new();
        for World { name, settings } in &WORLDS {
            rows.push((name.to_string(), self.run(settings, self.recording.as_deref())?));
        }
        if let Some(recording) = &self.recording {
            let balanced = self.scratch.path().join("balanced");
            std::fs::write(&balanced, balance(&read_text(recording)?)).map_err(|error| cannot(&balanced, &error))?;
            rows.push(("the same work on all ranks".to_string(), self.run(&[], Some(&balanced))?));
        }
        let chosen = options.cfg.iter().any(|setting| setting.starts_with("smpi/coll-selector:"));
        for table in Selector::ALL.iter().filter(|table| **table != Selector::default() && !chosen) {
            let setting = format!("smpi/coll-selector:{}", table.name());
            rows.push((format!("collectives as {}", table.name()), self.run(&[&setting], self.recording.as_deref())?));
        }
        Ok(table(&base, &rows))
    }

    /// Runs the program with some settings; what it says is shown only if it fails.
    fn run(&self, settings: &[&str], recording: Option<&Path>) -> Result<Profile, Failure> {
        let profile = self.scratch.path().join("profile.json");
        let program = std::env::current_exe().map_err(|error| Failure::Refused(format!("what-if: {error}")))?;
        let mut command = Command::new(program);
        children::bind(&mut command);
        command.arg("-quiet").arg("--profile-json").arg(&profile).stdin(Stdio::null());
        // Of options that are given twice, the last counts: ours are to win.
        command.args(&self.options).args(settings.iter().map(|setting| format!("--cfg={setting}")));
        if let Some(recording) = recording {
            command.arg(format!("--compute=recorded:{}", recording.display()));
        }
        let output =
            command.args(&self.programs).output().map_err(|error| Failure::Refused(format!("what-if: {error}")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let with = if settings.is_empty() { "as it is".into() } else { format!("with {}", settings.join(" ")) };
            let said = said.trim_end();
            return Err(Failure::Refused(format!("what-if: the run {with} failed ({}):\n{said}", output.status)));
        }
        read(&profile)
    }
}

fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| cannot(path, &error))
}

fn cannot(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Refused(format!("what-if: {}: {}; TMPDIR names another place", path.display(), reason(error)))
}

/// A recording of computation in which all ranks that compute do so for as long as they do on average: every burst of a
/// rank is scaled by the same factor.
fn balance(text: &str) -> String {
    let is_rank = |line: &str| line.starts_with(|first: char| first.is_ascii_digit());
    let numbers = |line: &str| -> Vec<f64> {
        line.split(' ').skip(1).filter_map(|burst| burst.split(',').next()?.parse().ok()).collect()
    };
    let sums: Vec<f64> = text.lines().filter(|line| is_rank(line)).map(|line| numbers(line).iter().sum()).collect();
    let mean = sums.iter().sum::<f64>() / sums.len().max(1) as f64;
    let mut sums = sums.into_iter();
    let mut balanced = String::new();
    for line in text.lines() {
        let factor =
            if is_rank(line) { sums.next().filter(|sum| *sum > 0.0).map_or(1.0, |sum| mean / sum) } else { 1.0 };
        let scale =
            |number: &str| number.parse::<f64>().map_or(number.to_string(), |flops| (flops * factor).to_string());
        let burst = |burst: &str| burst.split(',').map(scale).collect::<Vec<_>>().join(",");
        let mut words = line.split(' ');
        balanced += words.next().unwrap_or_default();
        if is_rank(line) {
            words.for_each(|word| balanced += &format!(" {}", burst(word)));
        } else {
            words.for_each(|word| balanced += &format!(" {word}"));
        }
        balanced.push('\n');
    }
    balanced
}

/// What each world would bring, the best first, and what that means.
fn table(base: &Profile, rows: &[(String, Profile)]) -> String {
    let mut rows: Vec<_> = rows.iter().map(|(name, profile)| (name, profile.simulated_time_secs)).collect();
    rows.sort_by(|one, other| one.1.total_cmp(&other.1));
    let secs = base.simulated_time_secs;
    let mut text = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(text, "{:30}  {:>16}  {:>8}", "what if", "simulated time", "change");
    let _ = writeln!(text, "{:30}  {secs:>14.9} s", "as it is");
    for (name, other) in &rows {
        let change = if secs > 0.0 { format!("{:+.1} %", 100.0 * (other - secs) / secs) } else { "-".to_string() };
        let _ = writeln!(text, "{name:30}  {other:>14.9} s  {change:>8}");
    }
    if let Some(cause) = base.causes.first() {
        let _ = writeln!(
            text,
            "\nas it is, {:.1} % of the time of all ranks: {}",
            100.0 * base.share(cause.secs),
            cause.words
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_work_is_as_much_as_before() {
        let text = "libsmpi computation 1\nranks 2\nprograms a:1\n0 1 2,8\n1 9 0\n";
        assert_eq!(balance(text), "libsmpi computation 1\nranks 2\nprograms a:1\n0 2 4,16\n1 6 0\n");
    }

    #[test]
    fn settings_behind_programs_are_options() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let (options, programs) = parts(&words("-np 2 ./a x --cfg=a/b:1 y : -np 1 ./b --cfg=c/d:2"), 2);
        assert_eq!(options, words("-np 2 --cfg=a/b:1 --cfg=c/d:2"));
        assert_eq!(programs, words("./a x y : -np 1 ./b"));
    }

    #[test]
    fn both_are_answered_or_refused() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        assert!(answer(&words("./what-if x")).is_none() && answer(&words("compare a b")).is_none());
        assert!(matches!(answer(&words("what-if --summary -np 2 /bin/true")), Some(Err(Failure::Refused(_)))));
        assert!(matches!(answer(&words("what-if --verify -np 2 /bin/true")), Some(Err(Failure::Refused(_)))));
        assert!(matches!(answer(&words("what-if --replay=1/zero -np 2 /bin/true")), Some(Err(Failure::Refused(_)))));
        assert!(matches!(answer(&words("compare a.json b.json")), Some(Err(Failure::Refused(_)))));
    }
}
