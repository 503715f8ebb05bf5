//! Signals at random moments, to smpirun and to the processes below it: the run ends, with a code that says so, no
//! process is left behind, and no file that the next run would not remove.
//!
//! `cargo test --release -p smpi-tests --test signals` sends a few. More, from another seed:
//! `SMPI_SIGNALS=500 SMPI_SIGNALS_SEED=1000`.
#![forbid(unsafe_code)]

use smpi_base::rng::Rng;
use smpi_tests::covered::Covered;
use smpi_tests::environment::{number, threads};
use smpi_tests::place::{Place, text};
use smpi_tests::process::{family, is_gone};
use smpi_tests::queue::Queue;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// Signals of a test run.
const SIGNALS: u64 = 6;
/// No run has more to do, so long after a signal, on a machine that does nothing else.
const MOST_MILLIS: u64 = 60_000;

/// What smpirun ends with where a process below it has ended unexpectedly. If it has the signal itself, none has.
const INTERNAL_BUG: i32 = 4;

/// Receives from anybody for longer than anybody waits, with large blocks, mappings and files that change all the time.
const PROGRAM: &str = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
    #include <sys/mman.h>\n\
    int main(int argc, char **argv) { int rank, size, from, rounds = atoi(argv[1]);\n\
    MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);\n\
    for (int round = 0; round < rounds; round++) {\n\
      char *block = malloc(2 << 20); memset(block, round, 2 << 20);\n\
      char name[40]; sprintf(name, \"written-%d\", rank); FILE *file = fopen(name, \"w\"); fputs(name, file);\n\
      for (int i = 1; i < size && rank == 0; i++)\n\
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
      if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n\
      fclose(file); remove(name); free(block); MPI_Barrier(MPI_COMM_WORLD); }\n\
    MPI_Finalize(); return 0; }\n";

/// Command lines behind smpirun.
const RUNS: [(&str, &str); 8] = [
    ("verify", "--verify --keep-going -np 8 ../script 2"),
    ("verify jobs", "--verify --keep-going --jobs=2 -np 8 ../script 2"),
    ("verify stateful", "--verify --keep-going --stateful -np 6 ../script 3"),
    ("verify sample", "--verify --keep-going --sample=100000 -np 6 ../script 9"),
    ("verify report", "--verify --keep-going --report=r.json --report-html=r.html -np 8 ../script 2"),
    ("simulate", "--compute=off -np 16 ../script 100000"),
    ("simulate profile", "--compute=off --profile --timeline=t.json -trace-ti -np 16 ../script 100000"),
    ("what-if", "what-if --compute=off -np 8 ../script 3000"),
];

const SENT: [&str; 7] = ["INT", "TERM", "HUP", "QUIT", "KILL", "USR1", "SEGV"];

/// Waits for the end of all these processes; the ones that are left.
fn left_of(family: &[u32]) -> Vec<u32> {
    for _ in 0..MOST_MILLIS / 20 {
        if family.iter().all(|&pid| is_gone(pid)) {
            return Vec::new();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    family.iter().copied().filter(|&pid| !is_gone(pid)).collect()
}

/// What is in the directory for temporary files.
fn left_in(directory: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(directory.join("temporary"));
    entries.into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

fn start(place: &Place, directory: &Path, line: &str) -> Child {
    let files = directory.join("temporary");
    std::fs::create_dir_all(&files).unwrap();
    let mut command = place.as_of_a_terminal("smpirun");
    command.args(line.split(' ')).current_dir(directory).env("TMPDIR", files);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What is wrong after the signal of a seed, if anything, and what was sent where.
fn send(place: &Place, seed: u64) -> (Option<String>, [&'static str; 3]) {
    let mut rng = Rng::new(seed ^ 0x51_67a1);
    let (name, line) = RUNS[rng.below(RUNS.len())];
    let sent = SENT[rng.below(SENT.len())];
    let moment = Duration::from_millis(rng.below(900) as u64);
    let directory = place.directory.join(seed.to_string());
    std::fs::create_dir_all(&directory).unwrap();
    let child = start(place, &directory, line);
    std::thread::sleep(moment);
    let family = family(child.id());
    let member = rng.below(family.len());
    let whom = ["smpirun", "explorer", "worker"][member.min(2)];
    let _ = Command::new("kill").args([format!("-{sent}"), family[member].to_string()]).status();
    // Of a run that goes on, because it may ignore the signal or has not begun to listen, nothing is known until it is
    // ended by a signal that ends it.
    let again = || Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
    std::thread::sleep(Duration::from_millis(300));
    let _ = again();
    let left = left_of(&family);
    let what = [name, sent, whom];
    if !left.is_empty() {
        left.iter().for_each(|pid| drop(Command::new("kill").args(["-KILL", &pid.to_string()]).status()));
        let _ = child.wait_with_output();
        return (Some(format!("{what:?} after {moment:?}: {left:?} are left of {family:?}")), what);
    }
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    // What a supervisor leaves behind that was killed, the next one removes: the same command line that has less to do.
    if !left_in(&directory).is_empty() {
        let brief = line.rsplit_once(' ').map_or(String::new(), |(before, _)| format!("{before} 1"));
        let brief = brief.replace("-np 8", "-np 2").replace("-np 6", "-np 2");
        let _ = start(place, &directory, &brief).wait_with_output();
    }
    let files = left_in(&directory);
    let is_bug = output.status.code() == Some(INTERNAL_BUG) && whom == "smpirun";
    let complaint = if said.contains("panicked") || is_bug {
        Some("an internal bug")
    } else if !files.is_empty() {
        Some("files are left in TMPDIR")
    } else {
        None
    };
    if complaint.is_none() {
        std::fs::remove_dir_all(&directory).unwrap();
    }
    (complaint.map(|text| format!("{what:?} after {moment:?}: {text} {files:?}\n{:?}\n{said}", output.status)), what)
}

#[test]
fn runs_end_and_leave_nothing() {
    let (first, count) = (number("SMPI_SIGNALS_SEED", 1), number("SMPI_SIGNALS", SIGNALS));
    let place = Place::new(&format!("signals-{first}"));
    place.compile("script", PROGRAM, &["-g"]);
    let seeds = Queue::new(first, count);
    let sum = Mutex::new((Covered::default(), Vec::new()));
    let work = || {
        for seed in &seeds {
            let (complaint, [name, sent, whom]) = send(&place, seed);
            let mut sum = sum.lock().unwrap();
            sum.0.add("signals", &format!("{name}, {whom}"), sent, 1);
            sum.1.extend(complaint.map(|text| format!("seed {seed}: {text}\n")));
        }
    };
    std::thread::scope(|scope| (0..threads()).for_each(|_| drop(scope.spawn(work))));
    let (covered, failures) = sum.into_inner().unwrap();
    println!("{}{count} signals from {first}", covered.lines());
    assert!(failures.is_empty(), "{} signals:\n{}", failures.len(), failures.concat());
}
