//! Random programs in every kind of exploration and simulated: `smpi_tests::campaign` says what is compared.
//!
//! `cargo test --release -p smpi-tests --test campaign` does the programs of CI. More, from another seed, or with other
//! features:
//!
//! ```sh
//! SMPI_CAMPAIGN_PROGRAMS=20000 SMPI_CAMPAIGN_SEED=5000 SMPI_CAMPAIGN_ORDERS=2000 \
//!     SMPI_CAMPAIGN_FEATURES=-mixtures cargo test --release -p smpi-tests --test campaign -- --nocapture
//! ```
//!
//! One program, given as the failure printed it: `SMPI_CAMPAIGN_WORDS='irecv*,wait0 send0'`.
#![forbid(unsafe_code)]

use smpi_tests::campaign::compare::{Counts, Difference, Settings, compare};
use smpi_tests::campaign::features::{Feature, Features};
use smpi_tests::campaign::generate;
use smpi_tests::campaign::program::Program;
use smpi_tests::campaign::run::Runner;
use smpi_tests::campaign::shrink::shrink;
use smpi_tests::place::Place;
use smpi_tests::toolchain;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs of a test run.
const PROGRAMS: u64 = 1000;
/// Orders that the slow reductions explore in a test run.
const ORDERS: u64 = 300;
/// Programs on which two disagreed that are made small; the others are only counted.
const MOST_SHOWN: usize = 10;

/// What does not hold yet.
const NOT_YET: [Feature; 1] = [Feature::Mixtures];

fn number(name: &str, default: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{name}={text}: expected a number"))
}

/// The interpreter, compiled once, and a runner for each thread. Campaigns from other seeds may run at the same time.
fn runners(count: usize, first: u64) -> Vec<Runner> {
    let place = Place::new(&format!("campaign-{first}"));
    let source = toolchain::root().join("tests/programs/verify/script.c").display().to_string();
    place.run_words(&[&place.tool("smpicc"), "-O1", "-g", &source, "-o", "script"], 0);
    let runner = |index: usize| {
        let directory = place.directory.join(index.to_string());
        std::fs::create_dir_all(&directory).unwrap();
        Runner { smpirun: PathBuf::from(place.tool("smpirun")), script: place.directory.join("script"), directory }
    };
    (0..count).map(runner).collect()
}

/// What a thread adds to.
#[derive(Default)]
struct Sum {
    counts: Counts,
    failures: Vec<String>,
}

fn failure(runner: &Runner, program: Program, settings: &Settings, seed: u64, found: Difference) -> String {
    let same = |program: &Program| {
        compare(runner, program, settings, seed).is_err_and(|difference| difference.kind == found.kind)
    };
    let small = shrink(program, same);
    let Difference { kind, details } = compare(runner, &small, settings, seed).err().unwrap_or(found);
    format!("seed {seed}: {kind}: {details}SMPI_CAMPAIGN_WORDS='{small}'\n")
}

#[test]
fn explorations_and_simulations_agree() {
    let features = match std::env::var("SMPI_CAMPAIGN_FEATURES") {
        Ok(text) => Features::parse(&text).unwrap_or_else(|message| panic!("SMPI_CAMPAIGN_FEATURES: {message}")),
        Err(_) => Features::all_but(&NOT_YET),
    };
    let settings = Settings { features, most_orders: number("SMPI_CAMPAIGN_ORDERS", ORDERS) };
    let words = std::env::var("SMPI_CAMPAIGN_WORDS").ok();
    let given = words.map(|text| Program::parse(&text).unwrap_or_else(|message| panic!("{message}")));
    let first = number("SMPI_CAMPAIGN_SEED", 1);
    let count = if given.is_some() { 1 } else { number("SMPI_CAMPAIGN_PROGRAMS", PROGRAMS) };
    let next = AtomicU64::new(first);
    let sum = Mutex::new(Sum::default());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for runner in runners(threads, first) {
            let (settings, given, next, sum) = (&settings, &given, &next, &sum);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        return;
                    }
                    let program = given.clone().unwrap_or_else(|| generate::program(seed, &settings.features));
                    let result = compare(&runner, &program, settings, seed);
                    let text = match &result {
                        Err(_) if sum.lock().unwrap().failures.len() >= MOST_SHOWN => Some(format!("seed {seed}\n")),
                        Err(difference) => Some(failure(&runner, program, settings, seed, difference.clone())),
                        Ok(_) => None,
                    };
                    let mut sum = sum.lock().unwrap();
                    sum.counts += result.unwrap_or_default();
                    if let Some(text) = text {
                        println!("{text}");
                        sum.failures.push(text);
                    }
                }
            });
        }
    });
    let Sum { counts, failures } = sum.into_inner().unwrap();
    println!("seeds from {first}: {counts:?}");
    assert!(failures.is_empty(), "{} of {count} programs show a difference:\n{}", failures.len(), failures.concat());
    let left = counts.too_large + counts.endless + counts.wrong;
    assert!(given.is_some() || left * 5 < count, "{counts:?}: too many programs are not compared");
}
