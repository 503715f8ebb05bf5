//! gdb knows the ranks: it stops in their functions and shows their lines, arguments and variables, whether it starts
//! `smpirun`, is started by it, or attaches. Needs gdb 13 or later, and glibc 2.35 or later.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};
use smpi_tests::process::Finished;
use std::process::{Command, Stdio};
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

fn said(finished: Finished) -> String {
    text(&finished.stdout) + &text(&finished.stderr)
}

fn assert_says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "gdb does not say `{part}`:\n{said}");
    }
}

#[test]
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

#[test]
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

#[test]
fn global_variables_are_those_of_the_rank_that_stopped() {
    let place = Place::new("gdb-globals");
    let program = place.compile("app", PROGRAM, DEBUG);
    let show = "printf \"rank %d has %d\\n\", rank, of_rank\n";
    commands(&place, &format!("break combine\nrun\n{show}continue\n{show}continue\n{show}delete\ncontinue\n"));
    let said = gdb_smpirun(&place, &["-np", "3", &program]);
    assert_says(&said, &["rank 0 has 0\n", "rank 1 has 1\n", "rank 2 has 2\n"]);
}

#[test]
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

#[test]
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
#[test]
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

#[test]
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

#[test]
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
