//! Random programs and formulas about them: `smpi_tests::properties` says what is compared.
//!
//! `cargo test --release -p smpi-tests --test property_campaign` does the cases of CI. More, from another seed:
//!
//! ```sh
//! SMPI_PROPERTIES_CASES=5000 SMPI_PROPERTIES_SEED=1000 \
//!     cargo test --release -p smpi-tests --test property_campaign -- --nocapture
//! ```
//!
//! One case, given as the failure printed it: `SMPI_PROPERTIES_WORDS='r*pl S0l' SMPI_PROPERTIES_FORMULA='G F p0'`.
#![forbid(unsafe_code)]

use smpi_tests::environment::{number, threads};
use smpi_tests::place::Place;
use smpi_tests::properties::compare::{Counts, Runner, compare};
use smpi_tests::properties::generate::Case;
use smpi_tests::queue::Queue;
use smpi_tests::toolchain;
use std::path::PathBuf;
use std::sync::Mutex;

/// Cases of a test run.
const CASES: u64 = 60;
/// Cases on which two disagreed that are made small; the others are only counted.
const MOST_SHOWN: usize = 5;

fn given() -> Option<Case> {
    let words = std::env::var("SMPI_PROPERTIES_WORDS").ok()?;
    let formula = std::env::var("SMPI_PROPERTIES_FORMULA").expect("SMPI_PROPERTIES_FORMULA goes with the words");
    let words = words.split_whitespace().map(|word| if word == "-" { String::new() } else { word.into() });
    Some(Case { words: words.collect(), formula })
}

/// The interpreter, compiled once, and a runner for each thread.
fn runners(count: usize, first: u64) -> Vec<Runner> {
    let place = Place::new(&format!("properties-{first}"));
    let source = toolchain::root().join("tests/programs/verify/ltl_script.c").display().to_string();
    place.run_words(&[&place.tool("smpicc"), "-O1", "-g", &source, "-o", "script"], 0);
    let runner = |index: usize| {
        let directory = place.directory.join(index.to_string());
        std::fs::create_dir_all(&directory).unwrap();
        Runner { smpirun: PathBuf::from(place.tool("smpirun")), script: place.directory.join("script"), directory }
    };
    (0..count).map(runner).collect()
}

/// The case as small as it can be made such that two still disagree, and how.
fn shrunk(runner: &Runner, case: &Case, why: String) -> String {
    let smaller = case.smaller().into_iter().find_map(|case| compare(runner, &case).err().map(|why| (case, why)));
    match smaller {
        Some((case, why)) => shrunk(runner, &case, why),
        None => {
            let shown = |word: &String| if word.is_empty() { "-".to_string() } else { word.clone() };
            let words: Vec<String> = case.words.iter().map(shown).collect();
            format!("{why}\nSMPI_PROPERTIES_WORDS='{}' SMPI_PROPERTIES_FORMULA='{}'\n", words.join(" "), case.formula)
        }
    }
}

#[test]
fn the_reduction_changes_no_verdict() {
    let (first, count) = (number("SMPI_PROPERTIES_SEED", 1), number("SMPI_PROPERTIES_CASES", CASES));
    let given = given();
    let count = if given.is_some() { 1 } else { count };
    let seeds = Queue::new(first, count);
    let sum = Mutex::new((Counts::default(), Vec::new()));
    std::thread::scope(|scope| {
        for runner in runners(threads(), first) {
            let (seeds, sum, given) = (&seeds, &sum, &given);
            scope.spawn(move || {
                for seed in seeds {
                    let case = given.clone().unwrap_or_else(|| Case::random(seed));
                    match compare(&runner, &case) {
                        Ok(counts) => sum.lock().unwrap().0 += counts,
                        Err(why) => {
                            let is_shown = sum.lock().unwrap().1.len() < MOST_SHOWN;
                            let text = if is_shown { shrunk(&runner, &case, why) } else { String::new() };
                            let text = format!("seed {seed}: {text}");
                            println!("{text}");
                            sum.lock().unwrap().1.push(text);
                        }
                    }
                }
            });
        }
    });
    let (counts, failures) = sum.into_inner().unwrap();
    println!("{count} cases from {first}: {counts:?}");
    assert!(failures.is_empty(), "{} of {count} cases show a difference:\n{}", failures.len(), failures.concat());
    if count >= CASES {
        let Counts { verdicts, violated, modelled, reduced, fairness, messages, states, .. } = counts;
        assert!(violated * 10 > verdicts && violated * 10 < verdicts * 9, "{counts:?}");
        // With fairness between messages, a third of the verdicts, nothing is reduced.
        assert!(reduced * 3 > verdicts && modelled * 2 > verdicts && fairness * 100 > count, "{counts:?}");
        assert!(messages * 200 > count, "{counts:?}");
        assert!(states.1 * 10 < states.0 * 9, "{counts:?}: little is left out");
    }
}
