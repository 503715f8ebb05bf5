//! Programs of a master and workers that run the same code: with `--symmetric`, the same findings in fewer executions.

use super::compare::{Difference, Settings};
use super::program::Program;
use super::run::{Runner, Verified};
use smpi_base::rng::Rng;

/// Workers.
const WORKERS: usize = 3;

/// Ends explorations of programs with too many executions.
const MOST_EXECUTIONS: &str = "--max-executions=5000";

/// How much was compared.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// Programs.
    pub programs: u64,
    /// Programs with too many executions.
    pub too_large: u64,
    /// Programs with errors.
    pub failing: u64,
    /// Executions: of ranks that may change places, and of all.
    pub executions: (u64, u64),
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.programs += other.programs;
        self.too_large += other.too_large;
        self.failing += other.failing;
        self.executions = (self.executions.0 + other.executions.0, self.executions.1 + other.executions.1);
    }
}

/// A program: what workers send, the master receives from any of them. Tags decide what fits together, so some orders
/// get stuck and others do not.
pub fn program(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let (mut master, mut worker): (Vec<String>, Vec<String>) = Default::default();
    let mut requests = (0, 0);
    for _ in 0..1 + rng.below(3) {
        match rng.below(7) {
            // The master gives something to everybody, at once.
            0 => {
                for to in 1..=WORKERS {
                    master.push(format!("isend{to}.2"));
                }
                worker.push("recv0.2".to_string());
                requests.0 += WORKERS;
            }
            // Each worker sends a message in partitions, and looks for nothing else meanwhile.
            1 => {
                for from in 1..=WORKERS {
                    master.push(format!("partrecv{from}.3,start{}", requests.0));
                    requests.0 += 1;
                }
                let request = requests.1;
                worker.push(format!("partsend0.3,start{request},ready{request}.1,ready{request}.0"));
                requests.1 += 1;
            }
            2 => [&mut master, &mut worker].into_iter().for_each(|code| code.push("barrier".into())),
            _ => {
                let tag = rng.below(2);
                let send = ["send", "ssend", "issend"][rng.below(3)];
                worker.push(format!("{send}0.{tag}"));
                if send == "issend" {
                    worker.push(format!("wait{}", requests.1));
                    requests.1 += 1;
                }
                for _ in 0..WORKERS {
                    let tag = ["0", "1", "*", "*"][rng.below(4)];
                    let receive = ["recv", "recv", "irecv", "probe"][rng.below(4)];
                    let receive = if receive == "probe" {
                        format!("probe*.{tag},recv*.{tag}")
                    } else {
                        format!("{receive}*.{tag}")
                    };
                    if receive.starts_with('i') {
                        requests.0 += 1;
                    }
                    master.push(receive);
                }
                if requests.0 > 0 && rng.below(2) == 0 {
                    master.push("waitany".into());
                }
            }
        }
    }
    let text = [master.join(","), worker.join(","), worker.join(","), worker.join(",")].join(" ");
    Program::parse(&text).unwrap_or_else(|message| panic!("{text}: {message}"))
}

fn is_symmetric(program: &Program) -> bool {
    let words = program.words();
    words.len() == WORKERS + 1 && words[2..].iter().all(|word| *word == words[1])
}

/// What went wrong, whoever it was, apart from what is seen by comparing executions.
fn errors(found: &Verified) -> Vec<&String> {
    found.keys.iter().filter(|key| !key.starts_with("race/message")).collect()
}

/// Compares both; `seed` decides about the modes of buffering, and whether states are recognised.
///
/// # Errors
/// The first difference.
pub fn compare(runner: &Runner, program: &Program, _: &Settings, seed: u64) -> Result<Counts, Difference> {
    let mut counts = Counts { programs: 1, ..Counts::default() };
    // Made smaller, it may be another kind of program.
    if !is_symmetric(program) {
        return Ok(counts);
    }
    let kind = [&["--buffering=both"][..], &["--stateful"], &["--buffering=each"]][seed as usize % 3];
    let find = |more: &[&str]| {
        let options = [kind, &[MOST_EXECUTIONS], more].concat();
        let message = |message| Difference::new(format!("find {}", options.join(" ")), message);
        runner.find(program, &options, &[]).map_err(message)
    };
    let all = find(&[])?;
    if !all.complete {
        counts.too_large = 1;
        return Ok(counts);
    }
    let some = find(&["--symmetric=1-3"])?;
    if !some.complete || errors(&some) != errors(&all) || some.executions() > all.executions() {
        return Err(Difference::new("symmetric", format!("all: {all:?}\none of each: {some:?}\n")));
    }
    counts.failing = u64::from(!errors(&all).is_empty());
    counts.executions = (some.executions(), all.executions());
    Ok(counts)
}
