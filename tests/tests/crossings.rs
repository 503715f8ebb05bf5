//! Test programs of all chapters under everything that looks on: `smpi_tests::crossing` says what is expected.
//!
//! `cargo test --release -p smpi-tests --test crossings` looks at a few of them; each seed is another program, and as
//! many seeds as there are programs are all of them:
//!
//! ```sh
//! SMPI_CROSSING_PROGRAMS=2000 SMPI_CROSSING_SEED=5 cargo test --release -p smpi-tests --test crossings -- --nocapture
//! ```
//!
//! Programs with these words in their names, in some ways: `SMPI_CROSSING_ONLY=p2p/ring SMPI_CROSSING_WAYS=dpor,jobs`.
#![forbid(unsafe_code)]

use smpi_base::rng::Rng;
use smpi_tests::case::Case;
use smpi_tests::covered::Covered;
use smpi_tests::crossing::{self, OBSERVERS, Observer, VERIFICATIONS, cross};
use smpi_tests::environment::{number, threads};
use smpi_tests::queue::Queue;
use smpi_tests::toolchain::Toolchain;
use std::sync::Mutex;

/// Programs of a test run, unless the environment says another number.
const PROGRAMS: u64 = 3;

/// The programs in an order in which neighbours are of different chapters.
fn programs(simulated: bool) -> Vec<Case> {
    let tools = Toolchain::from_environment().unwrap();
    let mut cases = crossing::programs(&tools, simulated).unwrap();
    Rng::new(1).shuffle(&mut cases);
    if let Ok(words) = std::env::var("SMPI_CROSSING_ONLY") {
        cases.retain(|case| case.name.contains(&words));
    }
    cases
}

/// Looks at the programs of some seeds; `prepare` changes how they are built.
fn look(what: &str, simulated: bool, observers: &[Observer], prepare: impl Fn(&mut Case)) {
    let mut observers = observers.to_vec();
    if let Ok(names) = std::env::var("SMPI_CROSSING_WAYS") {
        observers.retain(|observer| names.split(',').any(|name| name == observer.name));
    }
    let mut cases = programs(simulated);
    cases.iter_mut().for_each(prepare);
    let all = cases.len() as u64;
    let (first, count) = (number("SMPI_CROSSING_SEED", 0), number("SMPI_CROSSING_PROGRAMS", PROGRAMS).min(all));
    let seeds = Queue::new(first, count);
    let sum = Mutex::new((Covered::default(), Vec::new()));
    let work = || {
        for seed in &seeds {
            let case = &cases[(seed % all) as usize];
            let chapter = case.name.split('/').next().unwrap_or_default();
            let crossed = cross(case, &observers);
            let mut sum = sum.lock().unwrap();
            match crossed {
                Err(text) => sum.1.push(format!("seed {seed}: {}: {text}\n", case.name)),
                Ok(crossed) => {
                    for one in crossed {
                        sum.0.add(what, chapter, one.observer, one.is_seen.into());
                        if let Some(text) = one.complaint {
                            println!("seed {seed}: {} under {}", case.name, one.observer);
                            sum.1.push(format!("seed {seed}: {} under {}: {text}\n", case.name, one.observer));
                        }
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| (0..threads()).for_each(|_| drop(scope.spawn(work))));
    let (covered, failures) = sum.into_inner().unwrap();
    println!("{}{count} programs from {first}", covered.lines());
    assert!(failures.is_empty(), "{} times something is wrong:\n{}", failures.len(), failures.concat());
}

#[test]
fn observers_change_nothing() {
    look("programs under observers", true, OBSERVERS, |_| {});
}

#[test]
fn right_programs_have_no_findings() {
    look("programs verified", false, VERIFICATIONS, |case| {
        // Another compiler knows no such option.
        let is_ours = !case.directives.plain_library;
        if is_ours && !case.directives.compile_args.iter().any(|word| word == "--verify") {
            case.directives.compile_args.push("--verify".into());
        }
    });
}
