//! Comparisons of many random programs. One on which two explorations disagree is made as small as possible.

use std::fmt::Debug;
use std::ops::{AddAssign, Range};
use std::rc::Rc;

use super::model::program::Program;
use smpi_base::rng::Rng;

/// What the comparison of a program gives: `None` when it takes too long, a description when two disagree.
pub type Compare<C> = fn(&Rc<Program>) -> Option<Result<C, String>>;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

/// How many random programs are compared.
pub fn programs(default: u64) -> u64 {
    number("SMPI_CHECKER_PROGRAMS").unwrap_or(default)
}

/// The seeds of the random programs that are compared.
pub fn seeds(default: u64) -> Range<u64> {
    let first = number("SMPI_CHECKER_SEED").unwrap_or(0);
    first..first + programs(default)
}

/// Whether so many programs are a sample: of a few there may be none of some kind.
pub fn is_sample(default: u64) -> bool {
    programs(default) >= default
}

/// Whether there must be programs of rare kinds, too: among those of a test run, which are always the same, and among
/// ten times as many others.
pub fn is_large_sample(default: u64) -> bool {
    let are_the_same = seeds(default).start == 0;
    programs(default) >= if are_the_same { default } else { 10 * default }
}

/// Takes operations out of a program on which two disagree as long as they still do.
fn shrink<C>(program: Program, compare: Compare<C>) -> String {
    let smaller = program.smaller().find(|smaller| matches!(compare(&Rc::new(smaller.clone())), Some(Err(_))));
    match smaller {
        Some(smaller) => shrink(smaller, compare),
        None => compare(&Rc::new(program)).and_then(Result::err).expect("it still fails"),
    }
}

/// Compares many programs, each made of random numbers that `salt` varies; `compared` says how many are in the sums.
pub fn campaign<C: Default + AddAssign + Debug>(
    default: u64,
    salt: u64,
    make: impl Fn(&mut Rng) -> Program,
    compare: Compare<C>,
    compared: impl Fn(&C) -> u64,
) -> C {
    let mut sums = C::default();
    for seed in seeds(default) {
        let program = make(&mut Rng::new(seed ^ salt));
        if let Some(counts) = compare(&Rc::new(program.clone())) {
            sums += counts.unwrap_or_else(|_| panic!("seed {seed}: {}", shrink(program, compare)));
        }
    }
    println!("{} programs: {sums:?}", programs(default));
    assert!(!is_sample(default) || compared(&sums) * 10 > programs(default) * 8);
    sums
}
