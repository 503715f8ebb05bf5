//! Random walks of allocation in every kind of exploration: `smpi_tests::memory` says what is compared.
//!
//! `cargo test --release -p smpi-tests --test memory_campaign` does the programs of CI. More, from another seed:
//!
//! ```sh
//! SMPI_MEMORY_PROGRAMS=2000 SMPI_MEMORY_SEED=1000 \
//!     cargo test --release -p smpi-tests --test memory_campaign -- --nocapture
//! ```
//!
//! One program, given as the failure printed it: `SMPI_MEMORY_WORDS='m0.3000000,R,R,f0 s0 s0'`.
#![forbid(unsafe_code)]

use smpi_tests::covered::Covered;
use smpi_tests::environment::{number, threads};
use smpi_tests::memory::compare::{compare, cover, runners, shrink};
use smpi_tests::memory::generate::{Walks, program};
use smpi_tests::place::Place;
use smpi_tests::queue::Queue;
use std::sync::Mutex;

/// Programs of a test run.
const PROGRAMS: u64 = 4;
/// Programs in which something is wrong that are made small; the others are only counted.
const MOST_SHOWN: usize = 5;

#[test]
fn memory_is_put_back() {
    let given = std::env::var("SMPI_MEMORY_WORDS").ok();
    let given = given.map(|text| Walks::parse(&text).unwrap_or_else(|message| panic!("SMPI_MEMORY_WORDS: {message}")));
    let first = number("SMPI_MEMORY_SEED", 1);
    let count = if given.is_some() { 1 } else { number("SMPI_MEMORY_PROGRAMS", PROGRAMS) };
    let seeds = Queue::new(first, count);
    let sum = Mutex::new((Covered::default(), Vec::new()));
    let place = Place::new(&format!("memory-{first}"));
    std::thread::scope(|scope| {
        for runner in runners(&place, threads()) {
            let (seeds, sum, given) = (&seeds, &sum, &given);
            scope.spawn(move || {
                for seed in seeds {
                    let walks = given.clone().unwrap_or_else(|| program(seed));
                    let result = compare(&runner, &walks);
                    cover(&walks, &mut sum.lock().unwrap().0);
                    let Err(wrong) = result else { continue };
                    let is_shown = sum.lock().unwrap().1.len() < MOST_SHOWN;
                    let (small, wrong) = if is_shown { shrink(&runner, walks, wrong) } else { (walks, wrong) };
                    let words = small.words().join(" ");
                    let text = format!("seed {seed}: {}\n{}SMPI_MEMORY_WORDS='{words}'\n", wrong.kind, wrong.details);
                    println!("{text}");
                    sum.lock().unwrap().1.push(text);
                }
            });
        }
    });
    let (covered, failures) = sum.into_inner().unwrap();
    println!("{}{count} programs from {first}", covered.lines());
    assert!(failures.is_empty(), "{} of {count} programs are judged wrongly:\n{}", failures.len(), failures.concat());
}
