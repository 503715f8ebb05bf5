//! gdb knows the ranks: it stops in their functions and shows their lines, arguments and variables, whether it starts
//! `smpirun`, is started by it, or attaches. Needs gdb 13 or later, and glibc 2.35 or later.
#![forbid(unsafe_code)]

use libtest_mimic::{Arguments, Trial};
use smpi_base::rng::Rng;
use smpi_tests::environment::number;
use smpi_tests::place::{Place, text};
use smpi_tests::process::Finished;
use smpi_tests::stepping::{PROGRAMS, compiled, events, session, token_of};
use smpi_tests::toolchain::in_path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// Every rank stops in `combine` once; `go_on` lets it spin there until a debugger changes it.
const PROGRAM: &str = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/prctl.h>\n\
    volatile int go_on = 1, of_rank;\n\
    static int combine(int rank, int factor) {\n\
      int product = rank * factor;\n\
      while (!go_on) product ^= 1;\n\
      return product; }\n\
    int main(int argc, char **argv) { int rank;\n\
      MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
      if (argc > 1) { prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); go_on = 0; fclose(fopen(argv[1], \"w\")); }\n\
      of_rank = rank;\n\
      int mine = combine(rank, 10), sum = 0;\n\
      MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);\n\
      if (rank == 0) printf(\"sum %d\\n\", sum);\n\
      MPI_Finalize(); return 0; }\n";

/// Its functions are called as some of libsmpi's own.
const COMMON_NAMES: &str = "#include <mpi.h>\n\
    static int solve(int rank) { return rank + 1; }\n\
    int main(int argc, char **argv) { int rank, mine, sum = 0;\n\
      MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank); mine = solve(rank);\n\
      MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n\
      MPI_Finalize(); return sum != 3; }\n";

/// Crashes where rank 0 receives from rank 2 first.
const CRASH: &str = "#include <mpi.h>\n\
    int main(int argc, char **argv) { int rank, first = 0, second = 0; int *target = &first;\n\
      MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
      if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n\
      else {\n\
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
        if (first == 2) target = 0;\n\
        *target = 5; }\n\
      MPI_Finalize(); return 0; }\n";

const DEBUG: &[&str] = &["-g", "-O0"];

/// Puts gdb's commands into a file.
fn commands(place: &Place, lines: &str) {
    place.write("commands", &format!("set pagination off\nset breakpoint pending on\n{lines}"));
}

/// `gdb --args smpirun WORDS` with the commands in the file.
fn gdb_smpirun(place: &Place, words: &[&str]) -> String {
    let smpirun = place.tool("smpirun");
    let gdb = ["gdb", "-nx", "-batch", "-x", "commands", "--args", smpirun.as_str(), "-quiet"];
    said(place.run_words(&[&gdb, words].concat(), 0))
}

/// `smpirun` with gdb as its wrapper, which is what `-gdb` is, apart from the commands.
fn smpirun_gdb(place: &Place, words: &[&str]) -> String {
    said(place.smpirun(&[&["-quiet", "--wrapper", "gdb -nx -batch -x commands --args"], words].concat(), 0))
}

/// A test and its name.
type Test = (&'static str, fn());

const TESTS: [Test; 9] = [
    ("gdb_stops_in_functions_of_every_rank", gdb_stops_in_functions_of_every_rank),
    ("gdb_does_not_stop_in_functions_of_ours", gdb_does_not_stop_in_functions_of_ours),
    ("global_variables_are_those_of_the_rank_that_stopped", global_variables_are_those_of_the_rank_that_stopped),
    ("the_first_stop_in_main_under_smpirun_is_in_a_rank", the_first_stop_in_main_under_smpirun_is_in_a_rank),
    ("gdb_shows_where_a_replay_crashes", gdb_shows_where_a_replay_crashes),
    ("gdb_shows_variables_of_each_step", gdb_shows_variables_of_each_step),
    ("gdb_that_attaches_knows_the_ranks", gdb_that_attaches_knows_the_ranks),
    ("gdb_knows_private_libraries", gdb_knows_private_libraries),
    ("gdb_shows_the_variables_of_random_steps", gdb_shows_the_variables_of_random_steps),
];

/// Where there is no gdb, the tests say so by their names.
fn main() -> ExitCode {
    let is_missing = !in_path("gdb");
    let trial = |(name, test): Test| {
        let title = if is_missing { format!("{name} (needs gdb)") } else { name.to_string() };
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(title, run).with_ignored_flag(is_missing)
    };
    libtest_mimic::run(&Arguments::from_args(), TESTS.map(trial).into()).exit_code()
}

fn said(finished: Finished) -> String {
    text(&finished.stdout) + &text(&finished.stderr)
}

fn assert_says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "gdb does not say `{part}`:\n{said}");
    }
}

fn gdb_stops_in_functions_of_every_rank() {
    let place = Place::new("gdb-break");
    let program = place.compile("app", PROGRAM, DEBUG);
    for ranks in ["2", "64"] {
        commands(&place, "break combine\nrun\nbacktrace\nnext\ninfo locals\ninfo breakpoints\ndelete\ncontinue\n");
        let said = gdb_smpirun(&place, &["-np", ranks, &program]);
        assert_says(&said, &["combine (rank=", "factor=10) at app.c:7", " in main (argc=1, argv=0x", " at app.c:14"]);
        assert_says(&said, &["product = ", "sum ", "exited normally"]);
        assert_eq!(said.matches(" in combine at app.c:7").count().to_string(), ranks, "{said}");
    }
}

fn gdb_does_not_stop_in_functions_of_ours() {
    let place = Place::new("gdb-names");
    let program = place.compile("app", COMMON_NAMES, DEBUG);
    commands(&place, "break solve\nrun\nbacktrace 1\ncontinue\nbacktrace 1\ncontinue\n");
    let said = smpirun_gdb(&place, &["-np", "2", &program]);
    let stops: Vec<&str> = said.lines().filter(|line| line.starts_with("#0")).collect();
    assert_eq!(stops.len(), 2, "{said}");
    assert!(stops.iter().all(|stop| stop.contains("solve (rank=")), "{said}");
    assert_says(&said, &["exited normally"]);
}

fn global_variables_are_those_of_the_rank_that_stopped() {
    let place = Place::new("gdb-globals");
    let program = place.compile("app", PROGRAM, DEBUG);
    let show = "printf \"rank %d has %d\\n\", rank, of_rank\n";
    commands(&place, &format!("break combine\nrun\n{show}continue\n{show}continue\n{show}delete\ncontinue\n"));
    let said = gdb_smpirun(&place, &["-np", "3", &program]);
    assert_says(&said, &["rank 0 has 0\n", "rank 1 has 1\n", "rank 2 has 2\n"]);
}

fn the_first_stop_in_main_under_smpirun_is_in_a_rank() {
    let place = Place::new("gdb-main");
    let program = place.compile("app", PROGRAM, DEBUG);
    commands(&place, "break main\nrun\nbacktrace 1\ncontinue\nbacktrace 1\ndelete\ncontinue\n");
    let said = smpirun_gdb(&place, &["-np", "2", &program]);
    let frames: Vec<&str> = said.lines().filter(|line| line.starts_with("#0")).collect();
    assert_eq!(frames.len(), 2, "{said}");
    assert!(frames.iter().all(|frame| frame.contains("main (argc=1, argv=0x")), "{said}");
    assert_says(&said, &["sum 10", "exited normally"]);
}

fn gdb_shows_where_a_replay_crashes() {
    let place = Place::new("gdb-replay");
    let program = place.compile("crash", CRASH, DEBUG);
    commands(&place, "run\nbacktrace\ninfo locals\nkill\n");
    let said = smpirun_gdb(&place, &["--replay", "1/zero/0.0:2/0.1:1", "-np", "3", &program]);
    assert_says(
        &said,
        &["SIGSEGV", "main (argc=1, argv=0x", "at crash.c:9", "first = 2", "second = 1", "target = 0x0"],
    );
}

/// A session that goes through an execution step by step asks gdb on the stacks of ranks: variables are those of the
/// rank at that moment, also after going back.
fn gdb_shows_variables_of_each_step() {
    let place = Place::new("gdb-step");
    let program = place.compile("crash", CRASH, DEBUG);
    let lines = "goto 99999\ngoto 0\nnext 2\nnext 2\nnext 2\ngdb 2 print rank\ngdb 1 print rank\ndecision\n\
        gdb 0 print first * 100 + second\nnext\nnext 0\ngdb 0 print first * 100 + second\n\
        back 0\nback 0\nback 0\ngdb 0 print first * 100 + second\ngdb 0 print nosuch\n";
    place.write("commands", lines);
    let smpirun = place.tool("smpirun");
    let line = format!("'{smpirun}' replay --step 1/zero/0.0:2/0.1:1 -np 3 {program} < commands");
    let said = said(place.run_words(&["sh", "-c", &line], 0));
    let answers: Vec<&str> = said.lines().filter(|line| line.starts_with("$1 = ")).collect();
    assert_eq!(answers, ["$1 = 2", "$1 = 1", "$1 = 0", "$1 = 200", "$1 = 0"], "{said}");
    assert_says(&said, &["No symbol \"nosuch\" in current context."]);
}

fn gdb_that_attaches_knows_the_ranks() {
    let place = Place::new("gdb-attach");
    let program = place.compile("app", PROGRAM, DEBUG);
    let mut running = Command::new(place.tool("smpirun"))
        .args(["-quiet", "-np", "3", &program, "spins"])
        .current_dir(&place.directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let is_there = || place.directory.join("spins").exists();
    assert!(
        (0..600).any(|_| is_there() || {
            std::thread::sleep(Duration::from_millis(50));
            false
        }),
        "no rank spins"
    );
    commands(&place, "backtrace\ninfo locals\nprint go_on\nkill\n");
    let pid = running.id().to_string();
    let said = said(place.run_words(&["gdb", "-nx", "-batch", "-p", &pid, "-x", "commands"], 0));
    running.wait().unwrap();
    assert_says(
        &said,
        &["combine (rank=", "factor=10) at app.c:8", " in main (argc=2, argv=0x", "product = ", "= 0\n"],
    );
}

fn gdb_knows_private_libraries() {
    let place = Place::new("gdb-library");
    place.write("counting.c", "int counter;\nint count_up(int by) {\n  counter += by;\n  return counter; }\n");
    let compiler = place.tool("smpicc");
    place.run_words(&[&compiler, "-g", "-shared", "-fPIC", "counting.c", "-o", "libcounting.so"], 0);
    let source = "#include <mpi.h>\nint count_up(int);\nint main(int argc, char **argv) { MPI_Init(&argc, &argv);\n\
        int end = count_up(3) != 3; MPI_Finalize(); return end; }\n";
    let program = place.compile("app", source, &["-g", "-L.", "-lcounting", "-Wl,-rpath,$ORIGIN"]);
    commands(&place, "break count_up\nrun\nbacktrace\nnext\nprint counter\ninfo breakpoints\ndelete\ncontinue\n");
    let said = gdb_smpirun(&place, &["-np", "3", &program]);
    assert_says(&said, &["count_up (by=3) at counting.c:3", " in main (argc=1", "= 3\n", "exited normally"]);
    assert_eq!(said.matches(" in count_up at counting.c:3").count(), 3, "{said}");
}

/// Moments of an execution, come to in any order: what gdb shows of a rank's variables is what it shows in a session
/// that comes there from the beginning.
fn look_at_random(place: &Place, name: &str, steps: usize, rng: &mut Rng) {
    let run = compiled(place, name);
    let token = token_of(place, name, &run);
    let words: Vec<&str> = std::iter::once(&*token).chain(run.iter().map(String::as_str)).collect();
    let ranks: usize = run[1].parse().unwrap();
    let last = events(place, &words);
    let looks: Vec<(usize, usize)> = (0..steps).map(|_| (1 + rng.below(last), rng.below(ranks))).collect();
    let lines = |(event, rank): &(usize, usize)| format!("goto {event}\ngdb {rank} info locals\noutput {rank}\n");
    let all = session(place, &words, &looks.iter().map(lines).collect::<String>());
    let parts = |said: &str| -> Vec<String> {
        // The first line is about the execution; each look begins with its event.
        let mut parts: Vec<String> = Vec::new();
        for line in said.lines().skip(1) {
            let is_event = line.split_once("  ").is_some_and(|(number, _)| number.parse::<usize>().is_ok());
            match parts.last_mut() {
                Some(part) if !is_event => *part += &format!("{line}\n"),
                _ => parts.push(format!("{line}\n")),
            }
        }
        parts
    };
    let seen = parts(&all);
    assert_eq!(seen.len(), steps, "{name}: {all}");
    for (look, seen) in looks.iter().zip(&seen) {
        let fresh = parts(&session(place, &words, &lines(look)));
        assert_eq!([seen], [&fresh[0]], "{name}: event {} and rank {}", look.0, look.1);
    }
}

/// `SMPI_STEPPING_LOOKS=100` looks at ten moments of each of ten programs.
fn gdb_shows_the_variables_of_random_steps() {
    let looks = number("SMPI_STEPPING_LOOKS", 6) as usize;
    let place = Place::new("gdb-random");
    let mut rng = Rng::new(number("SMPI_STEPPING_SEED", 1));
    let programs = if looks > 10 { 10 } else { 2 };
    // Files have times and descriptors of their own in each process.
    let names = PROGRAMS.iter().filter(|name| !name.contains("file"));
    names.take(programs).for_each(|name| look_at_random(&place, name, looks / programs, &mut rng));
}
