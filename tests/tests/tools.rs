//! Tools and libraries of others that want a process for themselves, with ranks that share one: valgrind, gcov, gprof,
//! sanitizers, OpenMP's run-time libraries. Needs valgrind and gdb.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};
use std::fs::File;
use std::process::{Command, Stdio};

const HELLO: &str = "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) { int r;\n\
    MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r); printf(\"hello %d\\n\", r); MPI_Finalize(); return 0; }\n";

/// Rank 2 reads what is behind a block of its heap, all ranks compute.
const READS_BEYOND: &str = "#include <mpi.h>\n#include <stdlib.h>\n\
    static int look(int *block, int at) {\n\
      return block[at]; }\n\
    static int work(int n) { volatile int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }\n\
    int main(int argc, char **argv) { int rank, sum;\n\
      MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
      int *block = calloc(10, sizeof *block);\n\
      if (look(block, rank == 2 ? 10 : 9)) work(1);\n\
      sum = work(100000);\n\
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);\n\
      free(block); MPI_Finalize(); return 0; }\n";

#[test]
fn memcheck_finds_the_line_of_an_invalid_read() {
    let place = Place::new("memcheck");
    let program = place.compile("app", READS_BEYOND, &["-g", "-O0"]);
    let said = text(&place.smpirun(&["-np", "4", "-wrapper", "valgrind", &program], 0).stderr);
    for part in
        ["Invalid read of size 4", "look (app.c:4)", "main (app.c:9)", "0 bytes after a block of size 40 alloc'd"]
    {
        assert!(said.contains(part), "memcheck does not say `{part}`:\n{said}");
    }
    assert_eq!(said.matches("Invalid read").count(), 1, "{said}");
    assert!(said.contains("definitely lost: 0 bytes") || said.contains("All heap blocks were freed"), "{said}");
    let pid = said.split("==").nth(1).unwrap_or_default();
    assert!(!std::env::temp_dir().join(format!("smpi-valgrind-{pid}")).exists(), "copies are left behind");
}

#[test]
fn memcheck_names_the_rank() {
    let place = Place::new("memcheck-rank");
    let program = place.compile("app", READS_BEYOND, &["-g0", "-O0", "-s"]);
    let said = text(&place.smpirun(&["-np", "4", "-wrapper", "valgrind", &program], 0).stderr);
    assert!(said.contains("rank-2/app"), "{said}");
}

#[test]
fn gdb_stops_in_ranks_under_valgrind() {
    let place = Place::new("vgdb");
    let program = place.compile("app", READS_BEYOND, &["-g", "-O0"]);
    let running = Command::new(place.tool("smpirun"))
        .args(["-vgdb", "-np", "3", &program])
        .current_dir(&place.directory)
        .stdin(Stdio::null())
        .stderr(File::create(place.directory.join("said")).unwrap())
        .spawn()
        .unwrap();
    let target = format!("target remote | vgdb --wait=30 --pid={}", running.id());
    // Each rank stops at the breakpoint, and rank 2 where it reads what is not its own.
    let stops = "continue\nbacktrace\n".repeat(4);
    place.write(
        "commands",
        &format!("set pagination off\nset breakpoint pending on\n{target}\nbreak look\n{stops}continue\n"),
    );
    let finished = place.run_words(&["gdb", "-nx", "-batch", "-x", "commands"], 0);
    let ended = running.wait_with_output().unwrap();
    let said = text(&finished.stdout) + &text(&finished.stderr);
    for part in
        ["Breakpoint 1.1, look", "Breakpoint 1.2, look", "Breakpoint 1.3, look", "look (block=", "app.c:4", "SIGTRAP"]
    {
        assert!(said.contains(part), "gdb does not say `{part}`:\n{said}");
    }
    assert_eq!(said.matches(" in main (argc=1, argv=").count(), 4, "{said}");
    assert!(said.contains("exited normally") && ended.status.success(), "{said}");
    let said = std::fs::read_to_string(place.directory.join("said")).unwrap();
    assert!(said.contains("Invalid read of size 4"), "{said}");
}

#[test]
fn callgrind_makes_a_profile_by_function() {
    let place = Place::new("callgrind");
    let program = place.compile("app", READS_BEYOND, &["-g", "-O0"]);
    let tool = "valgrind --tool=callgrind --callgrind-out-file=profile";
    place.smpirun(&["-np", "4", "-wrapper", tool, &program], 0);
    let said = text(&place.run_words(&["callgrind_annotate", "profile"], 0).stdout);
    let line = said.lines().find(|line| line.contains("app.c:work")).unwrap_or_else(|| panic!("no work in:\n{said}"));
    let count: String = line.trim_start().chars().take_while(|c| *c != ' ').filter(char::is_ascii_digit).collect();
    // Each of four ranks goes through the loop 100,000 times, of at least five instructions.
    assert!(count.parse::<u64>().unwrap() > 4 * 500_000, "{line}");
}

#[test]
fn gcov_counts_what_all_ranks_did() {
    let place = Place::new("gcov");
    let program = place.compile("app", READS_BEYOND, &["--coverage", "-O0"]);
    for sum in [3, 8] {
        place.smpirun(&["-np", if sum == 3 { "3" } else { "5" }, &program], 0);
        let data = if place.directory.join("app-app.gcda").exists() { "app-app.gcda" } else { "app.gcda" };
        place.run_words(&["gcov", data], 0);
        let report = std::fs::read_to_string(place.directory.join("app.c.gcov")).unwrap();
        let line = report.lines().find(|line| line.contains("return block[at]")).unwrap();
        assert_eq!(line.split(':').next().unwrap().trim(), sum.to_string());
    }
}

#[test]
fn gprof_has_no_profile_rather_than_a_wrong_one() {
    let place = Place::new("gprof");
    let program = place.compile("app", READS_BEYOND, &["-pg"]);
    let said = text(&place.smpirun(&["-np", "3", &program], 0).stderr);
    assert_eq!(said.matches("-pg").count(), 1, "{said}");
    assert!(said.contains("gmon.out") && !place.directory.join("gmon.out").exists(), "{said}");
}

#[test]
fn a_program_with_the_address_sanitizer_is_refused() {
    let place = Place::new("address-sanitizer");
    let hello = place.compile("hello", HELLO, &["-fsanitize=address"]);
    place.refused(&["-np", "2", &hello], &["./hello", "sanitizer", "libasan.so", "valgrind"]);
}

/// LLVM's OpenMP library looks for a function of a tool behind itself, where its own must not be found again.
#[test]
fn a_run_time_library_finds_what_is_behind_it() {
    let place = Place::new("behind-a-runtime");
    let library = "#define _GNU_SOURCE\n#include <dlfcn.h>\n\
        int tool(void) { int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, \"tool\"); return next ? next() : 7; }\n";
    place.write("omp.c", library);
    place.run_words(&["gcc", "-shared", "-fPIC", "-Wl,-soname,libomp.so.5", "omp.c", "-o", "libomp.so.5"], 0);
    let program = "#include <mpi.h>\n#include <stdio.h>\nint tool(void);\nint main(int argc, char **argv) {\n\
        MPI_Init(&argc, &argv); printf(\"%d\\n\", tool()); MPI_Finalize(); return 0; }\n";
    let program = place.compile("program", program, &["libomp.so.5", "-Wl,-rpath,$ORIGIN"]);
    assert_eq!(text(&place.smpirun(&["-np", "2", &program], 0).stdout), "7\n7\n");
}
