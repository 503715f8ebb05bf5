//! Random programs in every kind of exploration and simulated: `smpi_tests::campaign` says what is compared.
//!
//! `cargo test --release -p smpi-tests --test campaign` does the programs of CI. More, from another seed, or with other
//! features:
//!
//! ```sh
//! SMPI_CAMPAIGN_PROGRAMS=20000 SMPI_CAMPAIGN_SEED=5000 SMPI_CAMPAIGN_ORDERS=2000 \
//!     SMPI_CAMPAIGN_FEATURES=-probes cargo test --release -p smpi-tests --test campaign -- --nocapture
//! ```
//!
//! One program, given as the failure printed it: `SMPI_CAMPAIGN_WORDS='irecv*,wait0 send0'`. Options for all runs, such
//! as algorithms of collectives: `SMPI_CAMPAIGN_OPTIONS='--cfg=smpi/bcast:NTSL'`; for verifications only:
//! `SMPI_CAMPAIGN_VERIFICATION='--cfg=smpi/self-check:yes'`.
#![forbid(unsafe_code)]

use smpi_tests::campaign::compare::{Difference, Settings, compare, compare_planted};
use smpi_tests::campaign::crossed::cover;
use smpi_tests::campaign::endless;
use smpi_tests::campaign::features::Features;
use smpi_tests::campaign::generate;
use smpi_tests::campaign::planted;
use smpi_tests::campaign::program::Program;
use smpi_tests::campaign::run::Runner;
use smpi_tests::campaign::shrink::shrink;
use smpi_tests::campaign::symmetric;
use smpi_tests::covered::Covered;
use smpi_tests::environment::{number, threads};
use smpi_tests::place::Place;
use smpi_tests::queue::Queue;
use smpi_tests::toolchain;
use std::fmt::Debug;
use std::ops::AddAssign;
use std::path::PathBuf;
use std::sync::Mutex;

/// Programs of a test run.
const PROGRAMS: u64 = 80;
/// Orders that the slow reductions explore in a test run.
const ORDERS: u64 = 300;
/// For so many programs there is one with a planted deadlock.
const PLANTED_OF: u64 = 50;
/// For so many programs there is one whose partitions tell something.
const PARTITIONED_OF: u64 = 25;
/// For so many programs there is one that runs for ever.
const ENDLESS_OF: u64 = 14;
/// For so many programs there is one whose workers may change places.
const SYMMETRIC_OF: u64 = 14;
/// Programs on which explorations once disagreed, and which no other test is.
const MENDED: [&str; 2] = [
    // Whether a message to oneself had met its own receive from any source was a part of where its rank polled.
    "partsend2,start0 recv* isend2,irecv*,partrecv0,start2,pollpart2.1",
    // Scratch memory of a reduction, which lies in a rank's heap, was a part of where it polled.
    "partrecv2,start0,test0,pscan,start1 pscan,start0 pscan,start0,pollall",
];
/// Fewer programs are no sample: most of them may be too large.
const SAMPLE: u64 = 40;
/// Programs on which two disagreed that are made small; the others are only counted.
const MOST_SHOWN: usize = 10;

/// The interpreter, compiled once, and a runner for each thread. Campaigns from other seeds may run at the same time.
fn runners(count: usize, name: &str) -> Vec<Runner> {
    let place = Place::new(name);
    let source = toolchain::root().join("tests/programs/verify/script.c").display().to_string();
    place.run_words(&[&place.tool("smpicc"), "-O1", "-g", &source, "-o", "script"], 0);
    let words = |variable| std::env::var(variable).unwrap_or_default().split_whitespace().map(String::from).collect();
    let runner = |index: usize| {
        let directory = place.directory.join(index.to_string());
        std::fs::create_dir_all(&directory).unwrap();
        Runner {
            smpirun: PathBuf::from(place.tool("smpirun")),
            script: place.directory.join("script"),
            directory,
            options: words("SMPI_CAMPAIGN_OPTIONS"),
            verification: words("SMPI_CAMPAIGN_VERIFICATION"),
        }
    };
    (0..count).map(runner).collect()
}

/// What a thread adds to.
#[derive(Default)]
struct Sum<T> {
    counts: T,
    covered: Covered,
    failures: Vec<String>,
}

/// How programs are compared.
type Compare<T> = fn(&Runner, &Program, &Settings, u64) -> Result<T, Difference>;

fn failure<T>(
    compare: Compare<T>,
    runner: &Runner,
    program: Program,
    settings: &Settings,
    seed: u64,
    found: Difference,
) -> String {
    let same = |program: &Program| {
        compare(runner, program, settings, seed).is_err_and(|difference| difference.kind == found.kind)
    };
    // Anything smaller than a planted deadlock is none.
    let small = if found.kind == "planted" { program } else { shrink(program, same) };
    let Difference { kind, details } = compare(runner, &small, settings, seed).err().unwrap_or(found);
    format!("seed {seed}: {kind}: {details}SMPI_CAMPAIGN_WORDS='{small}'\n")
}

fn settings() -> Settings {
    let features = match std::env::var("SMPI_CAMPAIGN_FEATURES") {
        Ok(text) => Features::parse(&text).unwrap_or_else(|message| panic!("SMPI_CAMPAIGN_FEATURES: {message}")),
        Err(_) => Features::all(),
    };
    Settings { features, most_orders: number("SMPI_CAMPAIGN_ORDERS", ORDERS) }
}

/// Compares the programs of `count` seeds.
fn campaign<T: Default + AddAssign + Debug + Send>(
    name: &str,
    (first, count): (u64, u64),
    settings: &Settings,
    compare: Compare<T>,
    program: impl Fn(u64) -> Program + Sync,
) -> T {
    let seeds = Queue::new(first, count);
    let sum = Mutex::new(Sum::default());
    std::thread::scope(|scope| {
        for runner in runners(threads(), &format!("{name}-{first}")) {
            let (program, seeds, sum) = (&program, &seeds, &sum);
            scope.spawn(move || {
                for seed in seeds {
                    let program = program(seed);
                    cover(&program, &mut sum.lock().unwrap().covered);
                    let result = compare(&runner, &program, settings, seed);
                    let text = match &result {
                        Err(_) if sum.lock().unwrap().failures.len() >= MOST_SHOWN => Some(format!("seed {seed}\n")),
                        Err(difference) => Some(failure(compare, &runner, program, settings, seed, difference.clone())),
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
    let Sum { counts, covered, failures } = sum.into_inner().unwrap();
    println!("{}{name}, {count} seeds from {first}: {counts:?}", covered.lines());
    assert!(failures.is_empty(), "{} of {count} programs show a difference:\n{}", failures.len(), failures.concat());
    counts
}

#[test]
fn explorations_and_simulations_agree() {
    let settings = settings();
    let first = number("SMPI_CAMPAIGN_SEED", 1);
    if let Ok(text) = std::env::var("SMPI_CAMPAIGN_WORDS") {
        let given = Program::parse(&text).unwrap_or_else(|message| panic!("{message}"));
        if given.is_endless() {
            campaign("endless", (first, 1), &settings, endless::compare, |_| given.clone());
        } else {
            campaign("campaign", (first, 1), &settings, compare, |_| given.clone());
        }
        return;
    }
    let count = number("SMPI_CAMPAIGN_PROGRAMS", PROGRAMS);
    let counts =
        campaign("campaign", (first, count), &settings, compare, |seed| generate::program(seed, &settings.features));
    let left = counts.too_large + counts.endless + counts.wrong;
    // Of forty, eight are too many by chance.
    assert!(count < PROGRAMS || left * 5 < count, "{counts:?}: too many programs are not compared");
}

#[test]
fn what_was_found_stays_mended() {
    let program = |index: u64| Program::parse(MENDED[index as usize]).unwrap();
    campaign("mended", (0, MENDED.len() as u64), &settings(), compare, program);
}

#[test]
fn deadlocks_of_mixtures_are_found() {
    let count = number("SMPI_CAMPAIGN_PROGRAMS", PROGRAMS).div_ceil(PLANTED_OF);
    campaign("planted", (number("SMPI_CAMPAIGN_SEED", 1), count), &settings(), compare_planted, planted::program);
}

#[test]
fn partitions_tell_what_their_messages_tell() {
    let (settings, first) = (settings(), number("SMPI_CAMPAIGN_SEED", 1));
    let count = number("SMPI_CAMPAIGN_PROGRAMS", PROGRAMS).div_ceil(PARTITIONED_OF);
    campaign("partitioned", (first, count), &settings, compare, planted::partitioned);
}

#[test]
fn states_of_programs_that_run_for_ever_are_those_of_brute_force() {
    let (settings, first) = (settings(), number("SMPI_CAMPAIGN_SEED", 1));
    let count = number("SMPI_CAMPAIGN_ENDLESS", number("SMPI_CAMPAIGN_PROGRAMS", PROGRAMS).div_ceil(ENDLESS_OF));
    let program = |seed| generate::endless(seed, &settings.features);
    let counts = campaign("endless", (first, count), &settings, endless::compare, program);
    assert!(
        count < SAMPLE || (counts.too_large + counts.too_large_for_all) * 5 <= count,
        "{counts:?}: too many programs are not compared"
    );
}

#[test]
fn one_of_ranks_that_may_change_places_stands_for_the_others() {
    let count = number("SMPI_CAMPAIGN_PROGRAMS", PROGRAMS).div_ceil(SYMMETRIC_OF);
    let first = number("SMPI_CAMPAIGN_SEED", 1);
    let counts = campaign("symmetric", (first, count), &settings(), symmetric::compare, symmetric::program);
    let is_fewer = counts.executions.0 * 2 < counts.executions.1;
    assert!(count < SAMPLE || counts.too_large * 5 <= count && is_fewer, "{counts:?}");
}
