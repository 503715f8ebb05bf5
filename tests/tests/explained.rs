//! Explanations of random wrong programs beside all their executions, one by one: the decision, the witness and the
//! condition are those of docs/explain.md, "What exactly".
//!
//! `cargo test --release -p smpi-tests --test explained` does the programs of CI. More, from another seed:
//!
//! ```sh
//! SMPI_EXPLAINED_PROGRAMS=300 SMPI_EXPLAINED_SEED=1000 cargo test --release -p smpi-tests --test explained
//! ```
//!
//! The files of each seed stay in `target/release/tool-tests/explained-FIRST/SEED`.
#![forbid(unsafe_code)]

use smpi_tests::blamed::brute;
use smpi_tests::blamed::wrong;
use smpi_tests::environment::{number, threads};
use smpi_tests::place::Place;
use smpi_tests::process;
use smpi_tests::queue::Queue;
use smpi_tests::toolchain;
use smpi_tests::verification;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Programs of a test run.
const PROGRAMS: u64 = 16;
/// Seconds after which a command hangs.
const MOST_SECS: u64 = 60;

/// What came of the program of a seed.
#[derive(Default)]
struct Came {
    /// Its findings.
    keys: Vec<String>,
    compared: usize,
    differences: Vec<String>,
}

fn of_seed(seed: u64, first: u64) -> Came {
    let place = Place::new(&format!("explained-{first}/{seed}"));
    let (text, ranks) = wrong::program(seed);
    let folder = toolchain::root().join("tests/programs/verify").display().to_string();
    place.compile("wrong", &text, &["-g", "-w", "-I", &folder]);
    let ranks = ranks.to_string();
    let limits = ["--time-limit=30", "--explain-within=20", "--keep-going", "--compute=off", "--report=report.json"];
    let smpirun = place.tool("smpirun");
    let words = [&[smpirun.as_str(), "--verify"], &limits[..], &["-np", &ranks, "./wrong"]].concat();
    let words: Vec<String> = words.into_iter().map(String::from).collect();
    let finished = process::run(&words, &place.directory, &[], MOST_SECS).unwrap();
    place.write("said.txt", &String::from_utf8_lossy(&finished.stderr));
    let report = verification::report(&place.directory.join("report.json")).unwrap();
    let run: Vec<String> = ["-np".to_string(), ranks, "./wrong".to_string()].into();
    let mut came = Came::default();
    for finding in report["findings"].as_array().into_iter().flatten() {
        came.keys.extend(finding["key"].as_str().map(String::from));
        let differences = brute::difference(&smpirun, &place.directory, &run, finding);
        came.compared += usize::from(differences.is_some());
        let named = |difference| format!("seed {seed}: {}: {difference}\n", finding["replay"].as_str().unwrap_or(""));
        came.differences.extend(differences.into_iter().flatten().map(named));
    }
    came
}

#[test]
fn explanations_are_those_of_all_executions() {
    let (first, count) = (number("SMPI_EXPLAINED_SEED", 1), number("SMPI_EXPLAINED_PROGRAMS", PROGRAMS));
    let seeds = Queue::new(first, count);
    let sum: Mutex<(BTreeMap<String, u64>, usize, Vec<String>)> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                for seed in &seeds {
                    let came = of_seed(seed, first);
                    let mut sum = sum.lock().unwrap();
                    came.differences.iter().for_each(|difference| print!("{difference}"));
                    came.keys.into_iter().for_each(|key| *sum.0.entry(key).or_default() += 1);
                    sum.1 += came.compared;
                    sum.2.extend(came.differences);
                }
            });
        }
    });
    let (keys, compared, differences) = sum.into_inner().unwrap();
    println!("{count} programs: {keys:?}; {compared} explanations compared with all executions");
    assert!(differences.is_empty(), "explanations differ from all executions:\n{}", differences.concat());
    assert!(compared as u64 * 4 >= count, "only {compared} explanations of {count} programs were compared");
}
