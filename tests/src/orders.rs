//! What programs print according to a verification, to be compared with what they print in all orders of their
//! operations.

use crate::environment::{number, threads};
use crate::place::{Place, text};
use crate::queue::Queue;
use crate::verification::PARTS;
use crate::{process, verification};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// What the ranks print in one execution; nothing where they wait for ever.
pub type Outcome = Vec<String>;

/// Every so many programs are explored by two processes as well, and a schedule of them is replayed.
const LOOK_CLOSER: u64 = 8;

/// Goes through all moments of executions that begin so, each once; tells `end` of those after which there is none.
pub fn each_end<M: Ord + Clone>(
    starts: impl IntoIterator<Item = M>,
    after: impl Fn(&M) -> Vec<M>,
    mut end: impl FnMut(&M),
) {
    let (mut seen, mut open) = (BTreeSet::new(), Vec::from_iter(starts));
    while let Some(moment) = open.pop() {
        if !seen.insert(moment.clone()) {
            continue;
        }
        let next = after(&moment);
        if next.is_empty() {
            end(&moment);
        }
        open.extend(next);
    }
}

/// What a report lists as printed; nothing where ranks are blocked.
fn listed(report: &Value) -> BTreeSet<Outcome> {
    report["modes"].as_array().expect("a report has modes").iter().flat_map(listed_in).collect()
}

/// The same of one kind of buffering.
///
/// # Panics
/// Where results were not asked for.
pub fn listed_in(mode: &Value) -> BTreeSet<Outcome> {
    let results = mode["listed_results"].as_array().expect("results are listed").iter();
    let of = |result: &Value| {
        let ranks = result.as_array().expect("a result has ranks");
        if ranks.iter().any(|rank| rank["exit"].is_null()) {
            return Vec::new();
        }
        ranks.iter().map(|rank| rank["output"].as_str().expect("a rank has output").to_string()).collect()
    };
    results.map(of).collect()
}

/// What a verification of `./script` said on stderr, and its report.
///
/// # Panics
/// Where there is no report.
pub fn verify(place: &Place, options: &[&str], ranks: usize, program: &[String]) -> (String, Value) {
    let (tool, ranks) = (place.tool("smpirun"), ranks.to_string());
    let line = [&tool, "--verify", "--keep-going", "--list-results", "--report=report.json", "-np", &ranks];
    let words = line.iter().chain(options).chain(&["./script"]).map(ToString::to_string);
    let line: Vec<String> = words.chain(program.iter().cloned()).collect();
    let finished = process::run(&line, &place.directory, &[], 120).expect("smpirun can be started");
    let report = verification::report(&place.directory.join("report.json")).expect("smpirun writes its report");
    (format!("{line:?}\n{}", text(&finished.stderr)), report)
}

/// How what is explored of `./script`, where each rank gets its word, differs from what there is.
pub fn difference(place: &Place, seed: u64, words: &[String], expected: &BTreeSet<Outcome>) -> Option<String> {
    let (said, report) = verify(place, &[], words.len(), words);
    let found = listed(&report);
    if *expected != found || report["bounds"] != json!([]) {
        let missing: Vec<_> = expected.difference(&found).take(3).collect();
        let extra: Vec<_> = found.difference(expected).take(3).collect();
        return Some(format!("seed {seed}: missing {missing:?}\n  extra {extra:?}\n{said}"));
    }
    if !seed.is_multiple_of(LOOK_CLOSER) {
        return None;
    }
    let (said, by_two) = verify(place, &PARTS, words.len(), words);
    if by_two["modes"] != report["modes"] || by_two["findings"][0]["replay"] != report["findings"][0]["replay"] {
        return Some(format!("seed {seed}: two processes\n{said}"));
    }
    let token = report["findings"][0]["replay"].as_str()?;
    let (tool, ranks) = (place.tool("smpirun"), words.len().to_string());
    let line = [&tool, "--replay", token, "-np", &ranks, "./script"].map(ToString::to_string);
    let line: Vec<String> = line.into_iter().chain(words.iter().cloned()).collect();
    let replayed = process::run(&line, &place.directory, &[], 120).expect("smpirun can be started");
    // One kind of buffering alone does not tell what another one does.
    let (key, said) = (report["findings"][0]["key"].as_str()?.trim_end_matches("/buffering"), text(&replayed.stderr));
    (!said.contains(key)).then(|| format!("seed {seed}: {line:?} does not show {key}\n{said}"))
}

/// Random programs that one interpreter runs.
#[derive(Clone, Copy, Debug)]
pub struct Programs {
    /// Name of the test, and of its directories.
    pub name: &'static str,
    /// The interpreter in C, compiled as `./script`.
    pub interpreter: &'static str,
    /// What it is compiled with.
    pub compiled: &'static [&'static str],
    /// How many, unless the environment variable of this name says another number.
    pub count: (&'static str, u64),
    /// The environment variable with the first seed, which is 0 without it.
    pub first: &'static str,
}

/// Compares programs, as many at the same time as there are processors. `compare` says how the one of a seed differs,
/// in a place of its own.
///
/// # Panics
/// Where some differ.
pub fn compare_all(programs: Programs, compare: impl Fn(&Place, u64) -> Option<String> + Sync) {
    let first = number(programs.first, 0);
    let seeds = Queue::new(first, number(programs.count.0, programs.count.1));
    let different = Mutex::new(BTreeMap::new());
    let work = |place: Place| {
        for seed in &seeds {
            if let Some(text) = compare(&place, seed) {
                different.lock().expect("nobody fails while adding").insert(seed, text);
            }
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..threads() {
            // Campaigns from other seeds may run at the same time.
            let place = Place::new(&format!("{}-{first}-{thread}", programs.name));
            place.compile("script", programs.interpreter, programs.compiled);
            scope.spawn(|| work(place));
        }
    });
    let different = different.into_inner().expect("nobody failed while adding");
    let texts: Vec<&str> = different.values().map(String::as_str).collect();
    assert!(texts.is_empty(), "{} programs differ:\n{}", texts.len(), texts.join("\n"));
}
