//! Right programs in each of which one fault is planted: what a verification says names its line, and of small ones
//! the decision, the condition and the witness are those of all executions.
//! `smpi_tests::blamed` says how.
//!
//! `cargo test --release -p smpi-tests --test blamed` does the programs of CI. More, from another seed:
//!
//! ```sh
//! SMPI_BLAMED_PROGRAMS=80 SMPI_BLAMED_SEED=1000 cargo test --release -p smpi-tests --test blamed -- --nocapture
//! ```
//!
//! Each seed is a program with a fault in which something is found; its files stay in
//! `target/release/tool-tests/blamed-FIRST/SEED`. One kind of fault only: `SMPI_BLAMED_KIND=Tag`.
#![forbid(unsafe_code)]

use smpi_base::rng::Rng;
use smpi_tests::blamed::base::{self, Base};
use smpi_tests::blamed::calls::Source;
use smpi_tests::blamed::faults::{self, Fault, KINDS, Kind};
use smpi_tests::blamed::judged::{self, Judged, Named};
use smpi_tests::covered::Covered;
use smpi_tests::environment::{number, threads};
use smpi_tests::place::Place;
use smpi_tests::queue::Queue;
use smpi_tests::toolchain::Toolchain;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Programs of a test run; of these, each fault is named. Of others, one in ten need not be: there are faults of which
/// no call hears (docs/explain.md).
const PROGRAMS: u64 = 6;
/// Programs that are looked at for one in which the fault is found.
const MOST_TRIES: usize = 100;

/// What is known of programs: whether they are right.
type Known = Mutex<BTreeMap<String, bool>>;

/// The program of a seed: one with a fault of a kind that follows from the seed, in which something is found.
fn of_seed(seed: u64, first: u64, bases: &[Base], known: &Known) -> Option<(Base, Fault, Judged)> {
    let kind = match std::env::var("SMPI_BLAMED_KIND") {
        Ok(name) => *KINDS.iter().find(|kind| format!("{kind:?}") == name).expect("a kind of fault"),
        Err(_) => KINDS[(seed % KINDS.len() as u64) as usize],
    };
    let mut rng = Rng::new(seed);
    let place = Place::new(&format!("blamed-{first}/{seed}"));
    for _ in 0..MOST_TRIES {
        let (base, faults) = candidate(&mut rng, kind, bases);
        let fault = faults[rng.below(faults.len())].clone();
        let is_known = known.lock().unwrap().get(&base.name).copied();
        let is_right = is_known.unwrap_or_else(|| judged::is_right(&place, &base));
        known.lock().unwrap().insert(base.name.clone(), is_right);
        if !is_right {
            continue;
        }
        if let Some(judged) = judged::judge(&place, &base, &fault) {
            return Some((base, fault, judged));
        }
    }
    None
}

/// A program in which such a fault can be planted.
fn candidate(rng: &mut Rng, kind: Kind, bases: &[Base]) -> (Base, Vec<Fault>) {
    loop {
        let base = if rng.below(3) == 0 { base::random(rng) } else { bases[rng.below(bases.len())].clone() };
        let faults = faults::all(kind, &Source::read(&base.text));
        if !faults.is_empty() {
            return (base, faults);
        }
    }
}

#[test]
fn planted_faults_are_named() {
    let bases = base::programs(&Toolchain::from_environment().unwrap()).unwrap();
    let (first, count) = (number("SMPI_BLAMED_SEED", 1), number("SMPI_BLAMED_PROGRAMS", PROGRAMS));
    let seeds = Queue::new(first, count);
    let known = Known::default();
    let sum = Mutex::new((Covered::default(), BTreeMap::new(), 0_usize));
    let compared = Mutex::new((0, Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                for seed in &seeds {
                    let Some((base, fault, judged)) = of_seed(seed, first, &bases, &known) else { continue };
                    let how = match judged.named {
                        Named::Line(_) => "line",
                        Named::Lacking(_) => "lacking call",
                        Named::Around(_) => "around",
                        Named::Not => "not",
                    };
                    let text = judged::described(&fault, &base);
                    let text = format!("seed {seed}: {how}: {text}\n  {:?}: {:?}\n", judged.keys, judged.named);
                    let mut all = compared.lock().unwrap();
                    all.0 += judged.compared;
                    all.1.extend(judged.differences.iter().map(|difference| format!("{text}  {difference}\n")));
                    drop(all);
                    let mut sum = sum.lock().unwrap();
                    print!("{text}");
                    sum.0.add("planted faults", &format!("{:?}", fault.kind), how, 1);
                    sum.2 += 1;
                    if matches!(judged.named, Named::Not | Named::Around(_)) {
                        sum.1.insert(seed, text);
                    }
                }
            });
        }
    });
    let (covered, unnamed, found) = sum.into_inner().unwrap();
    println!("{}{found} faults found, {} named", covered.lines(), found - unnamed.len());
    let (compared, differences) = compared.into_inner().unwrap();
    println!("{compared} explanations compared with all executions");
    assert!(differences.is_empty(), "explanations differ from all executions:\n{}", differences.concat());
    let texts: Vec<&str> = unnamed.values().map(String::as_str).collect();
    let most = if std::env::var_os("SMPI_BLAMED_SEED").is_some() { found / 10 + 2 } else { 0 };
    assert!(texts.len() <= most, "{} of {found} faults are not named:\n{}", texts.len(), texts.concat());
}
