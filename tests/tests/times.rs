//! Simulated times of messages, of every algorithm of every collective operation and of the NAS benchmarks are those
//! that SimGrid's SMPI predicts, run by run of `smpi_tests::times::runs`; or, where ours are others on purpose, those
//! that stand beside SMPI's with the reason.
//!
//! SMPI is not needed: its figures are in `tests/times/smpi.csv`, which `cargo xtask compare --record` writes.
#![forbid(unsafe_code)]

use libtest_mimic::{Arguments, Failed, Trial};
use smpi_mpi::collective::select::Operation;
use smpi_tests::environment::threads;
use smpi_tests::times::execute::Tools;
use smpi_tests::times::recorded::{self, Row};
use smpi_tests::times::run::{Program, Run};
use smpi_tests::times::runs::runs;
use smpi_tests::toolchain::{Toolchain, in_path, root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

/// Algorithms that SMPI has no name for; most are what it always does. The runs `table-default/…` and
/// `nonblocking/…` are about those.
const WITHOUT_PEER: &[(Operation, &[&str])] = &[
    // SMPI 3.32 crashes.
    (Operation::Gather, &["mvapich2_two_level"]),
    // Open MPI's ring, for which SMPI's table has `lr`.
    (Operation::Allreduce, &["ompi_ring"]),
    // SMPI forgets elements that cannot be divided among the hosts, which ends the program that measures.
    (Operation::Allreduce, &["smp_rsag", "smp_rsag_rab", "all_to_all"]),
    (Operation::Gatherv, &["ompi_basic_linear", "linear_sync", "linear"]),
    (Operation::Scatterv, &["ompi_basic_linear", "linear"]),
    (Operation::Alltoallw, ALLTOALLW),
    (Operation::ReduceScatter, &["all_to_all", "reduce_scatterv"]),
    (
        Operation::ReduceScatterBlock,
        &[
            "ompi_basic_recursivehalving",
            "ompi_ring",
            "mpich_pair",
            "mpich_noncomm",
            "ompi_butterfly",
            "mpich_rdb",
            "all_to_all",
            "default",
            "reduce_scatterv",
        ],
    ),
    // MPICH's order of subtrees.
    (Operation::Scatter, &["binomial"]),
    (Operation::Scan, &["linear", "ompi_linear", "mpich_smp", "recursive_doubling"]),
    (Operation::Exscan, &["linear", "ompi_linear", "mpich_smp", "recursive_doubling"]),
];

/// Those of alltoallv; SMPI has one for alltoallw.
const ALLTOALLW: &[&str] = &[
    "pair",
    "ring",
    "bruck",
    "pair_light_barrier",
    "pair_mpi_barrier",
    "pair_one_barrier",
    "ring_light_barrier",
    "ring_mpi_barrier",
    "ring_one_barrier",
    "ompi_basic_linear",
];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert_with(threads);
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(message) => {
            eprintln!("times: {message}");
            ExitCode::from(2)
        }
    }
}

/// One trial for each run, and those about the list of runs.
fn trials() -> Result<Vec<Trial>, String> {
    let Toolchain::Smpi { directory } = Toolchain::from_environment()? else { return Ok(Vec::new()) };
    let text = std::fs::read_to_string(root().join(recorded::FILE)).map_err(|e| format!("{}: {e}", recorded::FILE))?;
    let rows: Arc<Vec<Row>> = Arc::new(recorded::parse(&text)?);
    let runs = runs();
    let programs = Arc::new(Programs::new(&runs, Tools::Ours(directory.clone()), directory.join("time-tests")));
    let has_fortran = in_path("gfortran");
    let mut trials = vec![
        Trial::test("every_algorithm_has_a_run", || every_algorithm_has_a_run().map_err(Failed::from)),
        Trial::test("deviations_have_reasons", {
            let rows = rows.clone();
            move || deviations_have_reasons(&rows).map_err(Failed::from)
        }),
    ];
    for run in runs {
        let (rows, programs) = (rows.clone(), programs.clone());
        let skipped = run.program.is_fortran() && !has_fortran;
        let title = if skipped { format!("{} (needs gfortran)", run.name) } else { run.name.clone() };
        let trial = Trial::test(title, move || programs.check(&run, &rows).map_err(Failed::from));
        trials.push(trial.with_ignored_flag(skipped));
    }
    Ok(trials)
}

/// Compiles each program when it is first needed.
struct Programs {
    tools: Tools,
    directory: PathBuf,
    compiled: BTreeMap<Program, OnceLock<Result<PathBuf, String>>>,
}

impl Programs {
    fn new(runs: &[Run], tools: Tools, directory: PathBuf) -> Programs {
        let compiled = runs.iter().map(|run| (run.program, OnceLock::new())).collect();
        Programs { tools, directory, compiled }
    }

    fn executable(&self, program: Program) -> Result<PathBuf, String> {
        let compile = || self.tools.compile(program, &folder(&self.directory, program.file_name())?);
        self.compiled[&program].get_or_init(compile).clone()
    }

    /// Measures and compares with what is recorded.
    fn check(&self, run: &Run, rows: &[Row]) -> Result<(), String> {
        let executable = self.executable(run.program)?;
        let place = folder(&self.directory, &run.name.replace('/', "-"))?;
        let found = self.tools.measure(run, &executable, &place, 0.0)?;
        let recorded: Vec<&Row> = rows.iter().filter(|row| row.run == run.name).collect();
        let complaints = recorded::complaints(&found, &recorded);
        if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
    }
}

fn folder(directory: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = directory.join(name);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

/// A new algorithm gets a run, or stands among those that have no peer.
fn every_algorithm_has_a_run() -> Result<(), String> {
    let runs = runs();
    let mut without = Vec::new();
    for operation in Operation::ALL {
        let has_no_peer = |name: &&str| WITHOUT_PEER.iter().any(|(of, names)| *of == operation && names.contains(name));
        for name in operation.algorithms().iter().filter(|name| !has_no_peer(name)) {
            let setting = format!("smpi/{}:{name}", operation.name());
            if !runs.iter().any(|run| run.ours.contains(&setting)) {
                without.push(setting);
            }
        }
    }
    if without.is_empty() { Ok(()) } else { Err(format!("no run of {}", without.join(", "))) }
}

/// Figures of our own are for runs that say why, and no run is recorded that does not exist.
fn deviations_have_reasons(rows: &[Row]) -> Result<(), String> {
    let runs = runs();
    let run_of = |row: &Row| runs.iter().find(|run| run.name == row.run);
    for row in rows {
        let run = run_of(row).ok_or_else(|| format!("{}: no such run", row.run))?;
        if row.ours.is_some() && run.deviates.is_none() {
            return Err(format!("{}: {} deviates without a reason", row.run, row.smpi.name));
        }
    }
    let differs = |run: &&Run| rows.iter().any(|row| row.run == run.name && row.ours.is_some());
    match runs.iter().filter(|run| run.deviates.is_some()).find(|run| !differs(run)) {
        Some(run) => Err(format!("{}: has a reason and does not deviate", run.name)),
        None => Ok(()),
    }
}
