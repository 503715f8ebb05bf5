//! Every test program under everything that looks on: what an observer of a simulation prints is its own matter, but
//! the program must do what it does without, and take as long; and a verification of one that is right finds nothing,
//! in whatever way it explores.

use crate::case::Case;
use crate::directives;
use crate::judge;
use crate::process::{self, shell_line};
use crate::schema;
use crate::toolchain::{self, Launch, Toolchain};
use crate::traces::{self, Outcome};
use crate::verification::{self, PARTS};
use std::path::{Path, PathBuf};

/// Seconds that a verification may take to its end; then it is not complete, which is no finding.
const TIME_LIMIT: &str = "--time-limit=3";
/// Seconds after which a run hangs.
const MOST_SECS: u64 = 120;
/// How often what-if repeats a run, about.
const WORLDS: u64 = 10;
/// Exit code of refused input: options that exclude each other.
const REFUSED: i32 = 2;

/// How a program is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Simulated, with these options.
    Simulated,
    /// Simulated and recorded, then replayed.
    Replayed,
    /// `smpirun what-if`.
    Asked,
    /// Verified.
    Verified,
}

/// Something that looks on.
#[derive(Clone, Copy, Debug)]
pub struct Observer {
    /// Its name in tables.
    pub name: &'static str,
    /// More options of smpirun.
    options: &'static [&'static str],
    kind: Kind,
}

const fn simulated(name: &'static str, options: &'static [&'static str]) -> Observer {
    Observer { name, options, kind: Kind::Simulated }
}

const fn verified(name: &'static str, options: &'static [&'static str]) -> Observer {
    Observer { name, options, kind: Kind::Verified }
}

/// What looks on at simulations.
pub const OBSERVERS: &[Observer] = &[
    simulated("profile", &["--profile"]),
    simulated("profile-json", &["--profile-json=profile.json"]),
    simulated("timeline", &["--timeline=timeline.json"]),
    simulated("report-html", &["--report-html=profile.html"]),
    simulated("trace", &["-trace", "-trace-file", "paje.trace"]),
    simulated("trace-ti", &["-trace-ti", "-trace-file", "ti.txt"]),
    simulated("summary", &["--summary", "--notes"]),
    simulated("noise", &["--noise=100Hz:25us"]),
    simulated("shuffle", &["--shuffle=7"]),
    simulated(
        "all",
        &["--profile", "--profile-json=a.json", "--timeline=a2.json", "--report-html=a.html", "-trace-ti", "--summary"],
    ),
    Observer { name: "replay", options: &[], kind: Kind::Replayed },
    Observer { name: "what-if", options: &[], kind: Kind::Asked },
];

/// Ways to verify.
pub const VERIFICATIONS: &[Observer] = &[
    verified("matches", &[]),
    verified("jobs", &PARTS),
    verified("stateful", &["--stateful"]),
    verified("each", &["--buffering=each"]),
    verified("p2p", &["--collectives=p2p"]),
    verified("dpor", &["--reduction=dpor"]),
    verified("histories", &["--reduction=histories"]),
    verified("none", &["--reduction=none"]),
    verified("sample", &["--sample=20"]),
    verified("deviations", &["--deviations=2"]),
    verified("no-prune", &["--no-prune"]),
];

/// How a program is known to have done what it should.
pub struct Crossed {
    /// The observer's name.
    pub observer: &'static str,
    /// Whether the program could be looked at like this.
    pub is_seen: bool,
    /// What is wrong, with the command.
    pub complaint: Option<String>,
}

/// All programs of `tests/programs` that need nothing that is missing, sorted by name: with `simulated` those that are
/// simulated, however they end, else those that are right.
///
/// # Errors
/// When one cannot be read.
pub fn programs(tools: &Toolchain, simulated: bool) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for source in toolchain::programs()? {
        let text = std::fs::read_to_string(&source).map_err(|e| format!("{}: {e}", source.display()))?;
        let directives = directives::parse(&text).map_err(|e| format!("{}: {e}", source.display()))?;
        let is_run = |word: &String| !["--verify", "--replay", "-replay"].iter().any(|other| word.starts_with(other));
        let is_meant = match simulated {
            true => directives.verification.is_none() && directives.smpirun_args.iter().all(is_run),
            false => directives.expected_exit() == 0,
        };
        let is_missing = tools.skip_reason(&directives, toolchain::is_fortran(&source)).is_some();
        if is_meant && !is_missing && !directives.direct {
            let name = toolchain::program_name(&source);
            cases.push(Case { tools: tools.clone(), directives, source, name });
        }
    }
    Ok(cases)
}

/// Builds a program and looks at it in all ways.
///
/// # Errors
/// When it does not compile, or a command cannot be run.
pub fn cross(case: &Case, observers: &[Observer]) -> Result<Vec<Crossed>, String> {
    let directory = case.tools.work_directory().join("crossed").join(case.name.replace('/', "-"));
    let programs = case.build(&directory)?;
    let mut crossing = Crossing { case, programs, directory, secs: None };
    if observers.iter().any(|observer| observer.kind == Kind::Simulated) {
        crossing.secs = crossing.unseen()?;
    }
    observers.iter().map(|observer| crossing.under(observer)).collect()
}

struct Crossing<'a> {
    case: &'a Case,
    programs: Vec<Launch>,
    directory: PathBuf,
    /// The simulated time when nobody looks on, if it is the same each time.
    secs: Option<f64>,
}

impl Crossing<'_> {
    fn under(&self, observer: &Observer) -> Result<Crossed, String> {
        let (mut words, summary) = self.case.words(&self.programs, &self.directory)?;
        let complaint = match observer.kind {
            Kind::Simulated => self.simulated(&mut words, observer, &summary)?,
            Kind::Replayed => self.replayed(&words)?,
            Kind::Asked => self.asked(&words)?,
            Kind::Verified => self.verified(&mut words, observer)?,
        };
        let is_seen = complaint.is_some();
        let complaint = complaint.filter(|text| !text.is_empty());
        Ok(Crossed { observer: observer.name, is_seen, complaint })
    }

    /// The simulated time when nobody looks on.
    fn unseen(&self) -> Result<Option<f64>, String> {
        let (mut words, summary) = self.case.words(&self.programs, &self.directory)?;
        // Computation that is measured takes another time in each run.
        if words.iter().any(|word| word.starts_with("--compute") && word != "--compute=off") {
            return Ok(None);
        }
        words.insert(1, summary_option(&summary));
        self.launch(&words)?;
        // Who refuses to run the program has no time to tell.
        Ok(judge::simulated_secs(&summary).ok())
    }

    fn launch(&self, words: &[String]) -> Result<(process::Finished, String), String> {
        self.launch_within(words, MOST_SECS)
    }

    fn launch_within(&self, words: &[String], secs: u64) -> Result<(process::Finished, String), String> {
        let environment = &self.case.directives.environment;
        let finished = process::run(words, &self.directory, environment, secs)?;
        let line = shell_line(words, &self.directory, environment);
        let said = format!("\n{line}\nended with {}\n{}", finished.code, String::from_utf8_lossy(&finished.stderr));
        Ok((finished, said))
    }

    /// What is wrong, if anything; nothing if the program cannot be looked at like this.
    fn simulated(
        &self,
        words: &mut Vec<String>,
        observer: &Observer,
        summary: &Path,
    ) -> Result<Option<String>, String> {
        words.splice(1..1, observer.options.iter().map(ToString::to_string).chain([summary_option(summary)]));
        let (finished, said) = self.launch(words)?;
        if finished.code == REFUSED && self.case.directives.expected_exit() != REFUSED {
            return Ok(None);
        }
        // Noise takes time, and the order of lines is that of their times.
        let whole = observer.name != "noise";
        if !whole && self.case.directives.time.is_some() {
            return Ok(None);
        }
        let mut complaints = judge::complaints(&self.case.directives, &finished, summary, whole);
        if let Some(secs) = self.secs.filter(|_| whole && !finished.timed_out) {
            match judge::simulated_secs(summary) {
                Ok(seen) if seen == secs => {}
                Ok(seen) => complaints.push(format!("takes {seen} s, and {secs} s when nobody looks on")),
                Err(message) => complaints.push(message),
            }
        }
        let profiles = observer.options.iter().filter_map(|option| option.strip_prefix("--profile-json="));
        complaints.extend(profiles.flat_map(|file| self.complaints_of_profile(file)));
        Ok(Some(if complaints.is_empty() { String::new() } else { complaints.join("\n") + &said }))
    }

    /// How a profile differs from its schema; nothing of a run that was refused before it could write one.
    fn complaints_of_profile(&self, file: &str) -> Vec<String> {
        let Ok(text) = std::fs::read_to_string(self.directory.join(file)) else { return Vec::new() };
        match serde_json::from_str(&text) {
            Ok(profile) => schema::complaints(&schema::of_profiles(), &profile),
            Err(error) => vec![format!("{file}: {error}")],
        }
    }

    fn replayed(&self, words: &[String]) -> Result<Option<String>, String> {
        if self.case.directives.expected_exit() != 0 {
            return Ok(None);
        }
        let outcome = traces::compare(words, &self.directory, &self.case.directives.environment, MOST_SECS, 0)?;
        match outcome {
            Outcome::Different(text) => return Ok(Some(text)),
            Outcome::Incomplete(_) => return Ok(None),
            Outcome::Same => {}
        }
        // What looks on at a replay changes nothing, either.
        let secs = judge::simulated_secs(&self.directory.join("replayed.json"))?;
        let first = words.iter().position(|word| word == "-np").unwrap_or(words.len());
        let mut words: Vec<String> = words[..first].iter().filter(|word| *word != "--strict").cloned().collect();
        let looking =
            ["-replay=trace.txt", "--profile", "--profile-json=r.json", "--report-html=r.html", "--timeline=t.json"];
        let summary = self.directory.join("watched.json");
        words.extend(looking.map(String::from).into_iter().chain([summary_option(&summary)]));
        let (finished, said) = self.launch(&words)?;
        let seen = judge::simulated_secs(&summary);
        let is_well = finished.code == 0 && !finished.timed_out && seen == Ok(secs);
        Ok(Some(if is_well { String::new() } else { format!("{seen:?} instead of {secs} s{said}") }))
    }

    fn asked(&self, words: &[String]) -> Result<Option<String>, String> {
        let mut words: Vec<String> = words.iter().filter(|word| !word.starts_with("--summary-json")).cloned().collect();
        words.insert(1, "what-if".into());
        let (finished, said) = self.launch_within(&words, WORLDS * MOST_SECS)?;
        Ok(match finished.code {
            REFUSED => None,
            0 if !finished.timed_out => Some(String::new()),
            _ => Some(said),
        })
    }

    fn verified(&self, words: &mut Vec<String>, observer: &Observer) -> Result<Option<String>, String> {
        let all = ["--verify", "--keep-going", TIME_LIMIT, "--report=crossed.json"];
        words
            .retain(|word| word != "--verify" && !word.starts_with("--report=") && !word.starts_with("--summary-json"));
        words.splice(1..1, all.iter().chain(observer.options).map(ToString::to_string));
        let path = self.directory.join("crossed.json");
        let _ = std::fs::remove_file(&path);
        let (finished, said) = self.launch(words)?;
        if finished.code == REFUSED {
            return Ok(None);
        }
        let is_known = |key: &String| self.case.directives.verified.iter().any(|known| key.starts_with(known.as_str()));
        let report = verification::report(&path).ok().filter(|_| !finished.timed_out && finished.code < REFUSED);
        let is_well = report.is_some_and(|report| {
            let any = |list: &str, key: &str, value: serde_json::Value| {
                report[list].as_array().into_iter().flatten().any(|one| one[key] == value)
            };
            // A schedule need not say what is said not to be explored.
            let happens_again =
                !any("findings", "unrepeated", true.into()) || any("bounds", "bound", "uncontrolled".into());
            verification::outcome(&report).0.iter().all(is_known) && happens_again
        });
        Ok(Some(if is_well { String::new() } else { said }))
    }
}

fn summary_option(summary: &Path) -> String {
    format!("--summary-json={}", summary.display())
}
