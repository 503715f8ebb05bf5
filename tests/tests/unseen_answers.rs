//! Random programs whose polls leave their answers where somebody looks at them, or nobody: what they can print, and
//! what is found in them, is the same whether or not answers that nobody looks at are left out, by executions and by
//! states.
//!
//! `cargo test --release -p smpi-tests --test unseen_answers` does the programs of CI. More, from another seed:
//! `SMPI_UNSEEN_PROGRAMS=10000 SMPI_UNSEEN_SEED=5000`.
#![forbid(unsafe_code)]

use serde_json::{Value, json};
use smpi_base::rng::Rng;
use smpi_tests::orders::{self, Outcome, Programs};
use smpi_tests::place::Place;
use std::collections::BTreeSet;

/// Programs of a test run.
const PROGRAMS: u64 = 40;

/// Executions of one kind of buffering up to which programs are compared.
const MOST: &str = "--max-executions=400";

/// What makes requests.
const STARTS: &[u8] = b"SSSSYJB";
/// Polls whose answers stay, or are forgotten.
const POLLS: &[u8] = b"TTTIIVDDEPKG";
/// What looks at answers, overwrites them, waits for requests, or does something else.
const OTHERS: &[u8] = b"LUOMNCFWWAZRRRH";

/// The words of the ranks of a program.
fn words(rng: &mut Rng) -> Vec<String> {
    let ranks = 2 + rng.below(2);
    let word = |rng: &mut Rng| {
        let (mut word, mut requests, mut polls) = (String::new(), 0, 0);
        for _ in 0..2 + rng.below(if ranks == 2 { 6 } else { 4 }) {
            let kinds = [STARTS, POLLS, OTHERS][rng.below(3)];
            let what = char::from(kinds[rng.below(kinds.len())]);
            let digit = match what {
                'S' | 'Y' => rng.below(ranks),
                'J' | 'I' | 'V' | 'E' | 'R' | 'P' | 'G' if rng.below(2) == 0 => 9,
                'J' | 'I' | 'V' | 'E' | 'R' | 'P' | 'G' => rng.below(ranks),
                'L' | 'U' | 'O' | 'M' | 'F' => rng.below(1 + polls),
                _ => rng.below(1 + requests),
            };
            requests += usize::from("SYJB".contains(what));
            polls += usize::from("TIVDE".contains(what));
            word += &format!("{what}{digit}");
        }
        word
    };
    (0..ranks).map(|_| word(rng)).collect()
}

/// What is printed in each kind of buffering, and the kinds of findings.
fn told(report: &Value) -> (Vec<(String, BTreeSet<Outcome>)>, BTreeSet<String>) {
    let modes = report["modes"].as_array().expect("a report has modes");
    let printed = modes.iter().map(|mode| (mode["buffering"].to_string(), orders::listed_in(mode))).collect();
    let findings = report["findings"].as_array().expect("a report has findings");
    (printed, findings.iter().map(|finding| finding["key"].to_string()).collect())
}

fn executions(report: &Value) -> u64 {
    report["modes"]
        .as_array()
        .expect("a report has modes")
        .iter()
        .map(|mode| mode["executions"].as_u64().unwrap())
        .sum()
}

fn difference(place: &Place, seed: u64) -> Option<String> {
    let words = words(&mut Rng::new(seed));
    let verify = |options: &[&str]| orders::verify(place, options, words.len(), &words);
    let (_, all) = verify(&["--no-prune", "--reduction=matches", MOST]);
    if all["bounds"] != json!([]) {
        return None;
    }
    let expected = told(&all);
    let compare = |options: &[&str]| {
        let (said, report) = verify(options);
        let found = told(&report);
        let is_more = !options.contains(&"--stateful") && executions(&report) > executions(&all);
        let is_same = found == expected && report["bounds"] == json!([]) && !is_more;
        (!is_same).then(|| format!("seed {seed}: {options:?}\n  all {expected:?}\n  found {found:?}\n{said}"))
    };
    let ways: [&[&str]; 5] = [
        &["--reduction=matches"],
        &["--stateful"],
        &["--stateful", "--no-prune"],
        &["--stateful", "--reduction=none", "--compare-states=2"],
        &["--jobs=2", "--reduction=matches"],
    ];
    ways.into_iter().find_map(compare)
}

#[test]
fn answers_that_nobody_looks_at_make_no_difference() {
    let programs = Programs {
        name: "unseen-answers",
        interpreter: include_str!("unseen_answers.c"),
        compiled: &["--verify", "-O1"],
        count: ("SMPI_UNSEEN_PROGRAMS", PROGRAMS),
        first: "SMPI_UNSEEN_SEED",
    };
    orders::compare_all(programs, difference);
}
