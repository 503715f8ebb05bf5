//! A verification from the outside, when things go wrong: its processes are killed, the user interrupts it, the program
//! overwrites memory that is not its own. Whatever happens, the user gets an answer and no process is left behind.
//! Also: what is reported does not depend on `--jobs`, and nothing but a terminal sees how far an exploration is.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};
use smpi_tests::process::{family, is_gone};
use smpi_tests::toolchain::root;
use smpi_tests::verification::PARTS;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Exit codes of docs/verification.md.
const FOUND: i32 = 1;
const REFUSED: i32 = 2;
const INTERNAL_BUG: i32 = 4;
const INTERRUPTED: i32 = 130;

/// More executions than anybody waits for, and no fewer states: rank 0 remembers all orders. The argument says which of
/// them end with an exit code other than 0: those in which rank 0 receives from this rank last.
const MANY: &str = "#include <mpi.h>\n#include <stdlib.h>\nint order[64];\nint main(int argc, char **argv) { int rank, size, from;\n\
    MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);\n\
    for (int i = 1; i < size && rank == 0; i++, order[i] = from)\n\
      MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
    if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n\
    MPI_Finalize(); return rank == 0 && argc > 1 && from == atoi(argv[1]) ? 3 : 0; }\n";

/// Waits until something holds; panics after a time that no working program needs.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{what}: not within 30 s");
}

fn signal(name: &str, pid: u32) {
    assert!(Command::new("kill").args([format!("-{name}"), pid.to_string()]).status().unwrap().success());
}

/// A verification that is under way.
struct Running {
    child: Child,
    family: Vec<u32>,
}

impl Running {
    /// Starts it and waits for its processes: supervisor, explorer, workers.
    fn start(place: &Place, words: &[&str], processes: usize) -> Running {
        let child = Command::new(place.tool("smpirun"))
            .args(["--verify", "-quiet"])
            .args(words)
            .current_dir(&place.directory)
            .env("TMPDIR", &place.directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_until("the processes of the verification", || family(child.id()).len() >= processes);
        // Far enough that some executions are over.
        std::thread::sleep(Duration::from_millis(400));
        let family = family(child.id());
        Running { child, family }
    }

    /// Waits for the end; returns exit code and messages. Nothing may be left.
    fn end(self) -> (i32, String) {
        let output = self.child.wait_with_output().unwrap();
        wait_until("the end of all processes", || self.family.iter().all(|&pid| is_gone(pid)));
        (output.status.code().unwrap_or(-1), text(&output.stderr))
    }
}

#[test]
fn a_killed_explorer_is_reported_with_what_was_found() {
    let place = Place::new("killed-explorer");
    let many = place.compile("many", MANY, &[]);
    let running = Running::start(&place, &["-np", "12", "--keep-going", "--report=r.json", &many, "11"], 2);
    signal("KILL", running.family[1]);
    let (code, said) = running.end();
    assert_eq!(code, FOUND, "{said}");
    for words in ["SIGKILL", "--replay 1/zero/", "exit-code", "not complete"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let report = std::fs::read_to_string(place.directory.join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["complete"], &report["findings"][0]["key"]), (&false.into(), &"exit-code".into()));

    // A fault that is sent from outside is no crash of the rank that happens to run.
    for (name, words) in [("KILL", "SIGKILL"), ("SEGV", "ended by signal 11"), ("ILL", "ended by signal 4")] {
        let running = Running::start(&place, &["-np", "12", "--keep-going", &many], 2);
        signal(name, running.family[1]);
        let (code, said) = running.end();
        assert_eq!(code, INTERNAL_BUG, "{said}");
        assert!(said.contains(words) && !said.contains("panicked"), "{said}");
    }
}

#[test]
fn a_killed_worker_is_reported() {
    let place = Place::new("killed-worker");
    let many = place.compile("many", MANY, &[]);
    let running = Running::start(&place, &["-np", "12", "--keep-going", "--jobs=2", &many], 4);
    signal("KILL", running.family[2]);
    let (code, said) = running.end();
    assert_eq!(code, INTERNAL_BUG, "{said}");
    assert!(said.contains("SIGKILL"), "{said}");
}

#[test]
fn a_killed_supervisor_leaves_nothing_behind() {
    let place = Place::new("killed-supervisor");
    let many = place.compile("many", MANY, &[]);
    for (jobs, processes) in [("--jobs=1", 2), ("--jobs=2", 4)] {
        let running = Running::start(&place, &["-np", "12", "--keep-going", jobs, &many], processes);
        signal("KILL", running.child.id());
        running.end();
    }
}

/// As [`MANY`], and rank 0 writes files, changes one that was there, and removes one.
const WRITING: &str = "#include <mpi.h>\n#include <stdio.h>\n#include <unistd.h>\nint main(int argc, char **argv) {\n\
    int rank, size, from; MPI_Init(&argc, &argv);\n\
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);\n\
    if (rank == 0) { fclose(fopen(\"new.txt\", \"wx\")); if (unlink(\"removed.txt\")) return 3; }\n\
    for (int i = 1; i < size && rank == 0; i++) {\n\
      MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
      FILE *file = fopen(\"changed.txt\", \"a\"); fprintf(file, \"%d\", from); fclose(file); }\n\
    if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n\
    MPI_Finalize(); return 0; }\n";

/// Folders of explored programs that are there.
fn folders(place: &Place) -> usize {
    let entries = std::fs::read_dir(&place.directory).unwrap().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("smpi-scratch-")).count()
}

#[test]
fn what_explored_programs_write_is_removed_whoever_is_killed() {
    let place = Place::new("killed-with-files");
    let many = place.compile("many", WRITING, &[]);
    place.write("changed.txt", "as before");
    place.write("removed.txt", "still there");
    for (jobs, processes) in [("--jobs=1", 2), ("--jobs=2", 4)] {
        // An explorer, a worker, the supervisor; somebody asks for the end.
        for (victim, name) in [(1, "KILL"), (processes - 1, "KILL"), (0, "KILL"), (0, "TERM")] {
            let running = Running::start(&place, &["-np", "12", jobs, &many], processes);
            wait_until("a folder", || folders(&place) > 0);
            signal(name, running.family[victim]);
            let is_left = (victim, name) == (0, "KILL");
            running.end();
            if is_left {
                assert!(folders(&place) > 0);
            } else {
                assert_eq!(folders(&place), 0, "{jobs}, {victim} got SIG{name}");
            }
        }
    }
    place.run_words(&[&place.tool("smpirun"), "--verify", "-np", "3", &many], 0);
    let read = |name| std::fs::read_to_string(place.directory.join(name)).unwrap_or_default();
    assert_eq!((read("changed.txt"), read("removed.txt")), ("as before".into(), "still there".into()));
    assert!(!place.directory.join("new.txt").exists());
}

#[test]
fn an_interrupted_verification_says_what_it_knows() {
    let place = Place::new("interrupted-verification");
    let many = place.compile("many", MANY, &[]);
    for (jobs, processes) in [("--jobs=1", 2), ("--jobs=2", 4)] {
        let words = ["-np", "12", "--keep-going", jobs, &many, "11"];
        let running = Running::start(&place, &words, processes);
        signal("INT", running.child.id());
        let (code, said) = running.end();
        assert_eq!(code, INTERRUPTED, "{said}");
        assert!(said.contains("interrupted") && said.contains("executions"), "{said}");
        // A worker of several may be in the part with the finding when it is stopped.
        assert!(jobs != "--jobs=1" || said.contains("exit-code"), "{said}");
    }
    // A rank that computes for ever does not look at signals: its process is ended.
    let endless = "#include <mpi.h>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv);\n\
        for (volatile int i = 0;; i++); }\n";
    let endless = place.compile("endless", endless, &[]);
    let running = Running::start(&place, &["-np", "2", "--call-timeout=0", &endless], 2);
    signal("INT", running.child.id());
    let (code, said) = running.end();
    assert_eq!(code, INTERRUPTED, "{said}");
    assert!(said.contains("interrupted"), "{said}");
}

#[test]
fn the_time_limit_holds_inside_an_execution() {
    let place = Place::new("time-limit");
    let begin = "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
        int main(int argc, char **argv) { MPI_Init(&argc, &argv); int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n";
    let endless = [
        ("computes", "for (volatile int i = 0;; i++);"),
        ("sleeps", "for (;;) usleep(1);"),
        ("calls", "for (;;) MPI_Comm_rank(MPI_COMM_WORLD, &rank);"),
        // Every state is a copy of this memory: there are 11! / 2 orders of the messages.
        (
            "copies",
            "if (rank > 0) return MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD) || MPI_Finalize();\n\
             int size = 30 << 20; char *block = malloc(size); memset(block, 1, size);\n\
             for (int i = 0; i < 11; i++)\n\
               MPI_Recv(&rank, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
             return MPI_Finalize();",
        ),
    ];
    for (name, loops) in endless {
        let program = place.compile(name, &format!("{begin}{loops} }}\n"), &[]);
        for jobs in ["--jobs=1", "--jobs=2"] {
            let options = ["--verify", "-quiet", "--call-timeout=0", "--time-limit=0.5", "--report=r.json", jobs];
            let finished = place.smpirun(&[&options[..], &["-np", "12", &program]].concat(), 0);
            assert!(text(&finished.stderr).contains("--time-limit"), "{name}: {}", text(&finished.stderr));
            let report = std::fs::read_to_string(place.directory.join("r.json")).unwrap();
            let report: serde_json::Value = serde_json::from_str(&report).unwrap();
            assert_eq!((&report["complete"], &report["verdict"]), (&false.into(), &"incomplete".into()), "{name}");
            assert_eq!(report["bounds"], serde_json::json!([{"bound": "time-limit", "limit": 0.5}]), "{name}");
        }
        if name != "copies" {
            let words = ["--replay", "1/zero", "-quiet", "--call-timeout=0", "--time-limit=0.5", "-np", "2", &program];
            let finished = place.smpirun(&words, REFUSED);
            assert!(text(&finished.stderr).contains("--time-limit"), "{name}: {}", text(&finished.stderr));
        }
    }
}

#[test]
fn what_was_explored_is_known_though_the_last_execution_has_no_end() {
    let place = Place::new("endless-execution");
    // Propositions are looked for in the first order of the messages, which has an end.
    let program = "#include <mpi.h>\n#include <smpi/smpi.h>\n\
        int main(int argc, char **argv) { static int late; int rank; MPI_Init(&argc, &argv);\n\
        MPI_Comm_rank(MPI_COMM_WORLD, &rank); if (rank == 0) MC_proposition(\"late\", &late); MPI_Status status;\n\
        if (rank > 0) return MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD) || MPI_Finalize();\n\
        for (int i = 0; i < 2; i++) MPI_Recv(&rank, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);\n\
        for (volatile int i = 0; status.MPI_SOURCE == 1; i++);\n\
        return MPI_Finalize(); }\n";
    let program = place.compile("endless", program, &[]);
    for kind in [&["--ltl=G!late"][..], &["--ltl=G!late", "--reduction=none"], &["--stateful"]] {
        let options = ["--verify", "-quiet", "--call-timeout=0", "--time-limit=1", "--report=r.json"];
        place.smpirun(&[&options[..], kind, &["-np", "3", &program]].concat(), 0);
        let report = std::fs::read_to_string(place.directory.join("r.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["bounds"], serde_json::json!([{"bound": "time-limit", "limit": 1.0}]), "{kind:?}");
        assert!(report["modes"][0]["states"]["count"].as_u64() > Some(0), "{kind:?}: {}", report["modes"]);
    }
}

#[test]
fn overwritten_libraries_are_survived() {
    let place = Place::new("overwritten");
    // The data of libsmpi, found as a wild pointer would not, and overwritten as it might.
    let program = "#define _GNU_SOURCE\n#include <mpi.h>\n#include <stdio.h>\n#include <string.h>\n\
        int main(int argc, char **argv) { MPI_Init(&argc, &argv); int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        FILE *maps = fopen(\"/proc/self/maps\", \"r\"); char line[512]; void *from, *to; char flags[8];\n\
        while (rank == 1 && fgets(line, sizeof line, maps))\n\
          if (strstr(line, \"libsmpi.so\") && sscanf(line, \"%p-%p %7s\", &from, &to, flags) == 3 && flags[1] == 'w')\n\
            memset(from, 0x5a, (char *)to - (char *)from);\n\
        fclose(maps); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }\n";
    let program = place.compile("overwrites", program, &[]);
    let running = Command::new(place.tool("smpirun"))
        .args(["--verify", "-quiet", "-np", "2", &program])
        .current_dir(&place.directory)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = running.wait_with_output().unwrap();
    let said = text(&output.stderr);
    let code = output.status.code().unwrap_or(-1);
    assert!(code == INTERNAL_BUG || code == FOUND, "{code}: {said}");
    assert!(said.contains("--replay"), "{said}");
}

#[test]
fn a_crash_inside_a_call_is_a_finding_however_it_is_met() {
    let place = Place::new("crash-inside-call");
    // Rank 1: libsmpi's state is in use where it reads the requests, and mostly where the stack ends.
    let program = "#include <mpi.h>\n#include <stdlib.h>\n\
        static int deeper(int level) { MPI_Barrier(MPI_COMM_SELF); return 1 + deeper(level + 1); }\n\
        int main(int argc, char **argv) { MPI_Init(&argc, &argv); int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        if (rank == 1 && argc > 1) return deeper(0);\n\
        if (rank == 1) MPI_Waitall(3, (void *)0xdead0000, MPI_STATUSES_IGNORE);\n\
        MPI_Finalize(); return 0; }\n";
    let program = place.compile("inside", program, &["-g", "-O0"]);
    // Requests at an address that is none are refused before anything reads them.
    let refused = ["mpi/invalid/argument: MPI_Waitall", "array_of_requests", "1 MPI_Waitall", "inside.c:6"];
    let crashed = ["crash: stack overflow", "inside an MPI call", "rank 1: MPI_Barrier at ", ":3 in deeper"];
    for (argument, parts) in [(None, refused), (Some("deep"), crashed)] {
        for how in ["--verify", "--verify --keep-going", "--verify --jobs=2", "--replay 1/zero"] {
            let words = how.split(' ').chain(["-np", "2", &program]).chain(argument);
            let words: Vec<&str> = words.collect();
            let said = text(&place.smpirun(&words, FOUND).stderr);
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            for part in parts {
                assert!(said.contains(part), "{words:?}: {part}: {said}");
            }
            // That nobody reads the report is no other error: the pipe ends the run, if it does not end by itself.
            let (smpirun, words) = (place.tool("smpirun"), words.join(" "));
            let line = format!("{smpirun} {words} 2>&1 | true; code=${{PIPESTATUS[0]}}; [ $code = 1 -o $code = 141 ]");
            place.run_words(&["bash", "-c", &line], 0);
        }
    }
}

#[test]
fn memory_of_other_ranks_is_out_of_reach() {
    let place = Place::new("foreign-memory");
    // Rank 0 is told an address of rank 1: of a variable, on the stack, in a small and in a large block of its heap.
    let program = "#include <mpi.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <signal.h>\nstatic int variable;\n\
        static volatile int handled; static void handler(int s) { volatile char room[5000]; room[99] = 1; handled = s; }\n\
        int main(int argc, char **argv) { MPI_Init(&argc, &argv); int rank, local = 0, kind = argc > 1 ? atoi(argv[1]) : -1;\n\
        MPI_Comm_rank(MPI_COMM_WORLD, &rank); char *small = malloc(64), *large = malloc(8 << 20);\n\
        intptr_t places[4] = {(intptr_t)&variable, (intptr_t)&local, (intptr_t)small, (intptr_t)(large + (4 << 20))};\n\
        MPI_Bcast(places, 4, MPI_AINT, 1, MPI_COMM_WORLD);\n\
        if (rank == 0 && kind >= 0) *(volatile char *)places[kind] = 1;\n\
        signal(SIGUSR1, handler); raise(SIGUSR1); large[5 << 20] = handled;\n\
        MPI_Barrier(MPI_COMM_WORLD); free(small); free(large); MPI_Finalize(); return handled != SIGUSR1; }\n";
    let program = place.compile("foreign", program, &["-g"]);
    place.smpirun(&["--verify", "-quiet", "-np", "3", &program], 0);
    for kind in ["0", "1", "2", "3"] {
        let finished = place.smpirun(&["--verify", "-quiet", "-np", "3", &program, kind], 1);
        let said = text(&finished.stderr);
        assert!(said.contains("crash") && said.contains("the memory of rank 1"), "{said}");
    }
}

#[test]
fn jobs_do_not_change_what_is_reported() {
    let place = Place::new("jobs");
    let many = place.compile("many", MANY, &["-g"]);
    let listed = ["--list-results", "-np", "4", &many, "2"];
    for words in
        [&["--keep-going", "-np", "6", &many, "4"][..], &["-np", "6", &many, "4"], &listed, &["-np", "6", &many]]
    {
        let reports: Vec<serde_json::Value> = ["1", "2", "4"].iter().map(|jobs| report(&place, jobs, words)).collect();
        assert_eq!(reports[0], reports[1], "{words:?}");
        assert_eq!(reports[0], reports[2], "{words:?}");
    }
}

/// Whether what ranks print, and how they end, is in the report.
#[test]
fn results_are_listed() {
    let place = Place::new("results");
    let program = "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) { int rank, from = 0;\n\
        MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        for (int i = 0; i < 2 && rank == 0; i++) {\n\
          MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); printf(\"%d\\n\", from); }\n\
        if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n\
        if (rank == 2) printf(\"sent\"); MPI_Finalize(); return 0; }\n";
    let two = place.compile("two", program, &[]);
    let report = report(&place, "1", &["--list-results", "--keep-going", "-np", "3", &two]);
    let rank = |output: &str| serde_json::json!({"output": output, "exit": 0});
    for mode in 0..2 {
        let mut listed = report["modes"][mode]["listed_results"].as_array().unwrap().clone();
        listed.sort_by_key(|result| result[0]["output"].to_string());
        let expected = ["1\n2\n", "2\n1\n"].map(|first| serde_json::json!([rank(first), rank(""), rank("sent")]));
        assert_eq!(listed, expected, "mode {mode}");
    }
}

/// Data of libraries is put back between executions, be it large and other libraries behind it.
#[test]
fn large_data_of_one_library_is_put_back_beside_that_of_others() {
    let place = Place::new("libraries");
    let compiler = place.tool("smpicc");
    let compile = |words: &[&str]| place.run_words(&[&[compiler.as_str()], words].concat(), 0);
    place.write("large.c", "static char all[3 << 20];\nint large(int at) { return ++all[at]; }\n");
    let small = "static int calls = 40;\nstatic int *place = &calls;\nint small(void) { return ++*place; }\n\
        __attribute__((constructor)) static void begin(void) { ++*place; }\n";
    place.write("small.c", small);
    place.write(
        "main.c",
        "#include <mpi.h>\n#include <smpi/smpi.h>\nint large(int), small(void);\nint main(int argc, char **argv) {\n\
         MPI_Init(&argc, &argv); int drawn = MC_random(0, 2);\n\
         int sum = large(0) + large(2 << 20) + small() + small();\n\
         MC_assert(sum == 2 + 42 + 43); MPI_Finalize(); return drawn < 0; }\n",
    );
    compile(&["-shared", "-fPIC", "large.c", "-o", "liblarge.so"]);
    compile(&["-shared", "-fPIC", "small.c", "-o", "libsmall.so"]);
    compile(&["main.c", "./liblarge.so", "./libsmall.so", "-o", "program"]);
    compile(&["main.c", "./libsmall.so", "./liblarge.so", "-o", "other"]);
    for program in ["./program", "./other"] {
        let report = verify(&place, "1", &["-np", "2", program], 0);
        assert_eq!(report["executions"], 18, "{program}");
    }
}

/// An exploration that has little more memory than it needs for its path keeps states in files. How much that is
/// depends on the machine.
#[test]
fn states_leave_memory_where_it_is_short() {
    let place = Place::new("memory");
    let program = "#include <mpi.h>\n#include <smpi/smpi.h>\nint main(int argc, char **argv) { static int value;\n\
        MPI_Init(&argc, &argv); for (int i = 0; i < 16; i++) value = 2 * value + MC_random(0, 1);\n\
        MPI_Finalize(); return value < 0; }\n";
    let bits = place.compile("bits", program, &[]);
    let states = |mebibytes: u32| {
        let memory = format!("{mebibytes}MiB");
        let words = ["--stateful", "--buffering", "zero", "--memory", &memory, "-np", "1", &bits];
        let report = verify(&place, "1", &words, 0);
        (report["complete"] == true).then(|| report["modes"][0]["states"].clone())
    };
    let enough = (4..64).find_map(states).expect("so little memory is enough");
    assert_eq!(enough["count"], 65_536);
    assert!(enough["in_files"].as_u64().is_some_and(|moved| moved > 4_000), "{enough}");
    assert_eq!(states(4_000), Some(serde_json::json!({"count": 65_536})));
}

/// The report of a verification without what depends on the machine: the time.
fn report(place: &Place, jobs: &str, words: &[&str]) -> serde_json::Value {
    verify(place, jobs, words, if words.len() > 3 { FOUND } else { 0 })
}

fn verify(place: &Place, jobs: &str, words: &[&str], code: i32) -> serde_json::Value {
    let name = format!("report-{jobs}.json");
    let options = ["--verify", "-quiet", "--jobs", jobs, PARTS[1], "--report", &name];
    let finished = place.run_words(&[&[place.tool("smpirun").as_str()], &options[..], words].concat(), code);
    assert!(finished.stdout.is_empty(), "{}", text(&finished.stdout));
    let json = std::fs::read_to_string(place.directory.join(&name)).unwrap();
    let mut report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(report["seconds"].is_number());
    report["seconds"] = 0.into();
    report["command_line"] = "".into();
    report
}

/// The round of a counterexample is walked as often as one likes.
#[test]
fn rounds_are_walked_again() {
    let place = Place::new("rounds");
    let program = "#include <mpi.h>\n#include <smpi/smpi.h>\nint main(int argc, char **argv) { static int on, flag;\n\
        MPI_Init(&argc, &argv); MC_proposition(\"on\", &on);\n\
        for (;;) { on = !on; MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); } }\n";
    let lamp = place.compile("lamp", program, &[]);
    let found = text(&place.smpirun(&["--verify", "--ltl", "F G on", "-np", "1", &lamp], FOUND).stderr);
    let token = found.split("--replay ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a token");
    let walk = |rounds: &str| {
        let words = ["--replay", token, "--replay-step", "--rounds", rounds, "-np", "1", &lamp];
        let said = text(&place.smpirun(&words, FOUND).stderr);
        assert!(said.contains("lead back to the same state"), "{said}");
        said.matches("smpirun: choice").count()
    };
    let (once, again) = (walk("1"), walk("2"));
    assert!(again > once);
    assert_eq!(walk("100"), once + 99 * (again - once));
    for words in [["--replay", token, "--rounds", "0"], ["--replay", "1/zero", "--rounds", "3"]] {
        place.smpirun(&[&words[..], &["-np", "1", &lamp]].concat(), REFUSED);
    }
    place.smpirun(&["--verify", "--rounds", "3", "-np", "1", &lamp], REFUSED);
}

#[test]
fn only_terminals_see_progress() {
    let place = Place::new("progress");
    let many = place.compile("many", MANY, &[]);
    let words = ["--verify", "--keep-going", "--time-limit=1", "--reduction=matches", "-np", "12", &many];
    let piped = place.smpirun(&words, 0);
    assert!(!text(&piped.stderr).contains('\r'), "{}", text(&piped.stderr));

    // `script` (util-linux) gives the command a terminal.
    let command = [&[place.tool("smpirun").as_str()], &words[..]].concat().join(" ");
    let child = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(&place.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { panic!("script (util-linux) is needed: apt-get install bsdutils") };
    let mut seen = String::new();
    child.stdout.take().unwrap().read_to_string(&mut seen).unwrap();
    assert!(child.wait().unwrap().success(), "{seen}");
    let lines: Vec<&str> = seen.split('\r').filter(|line| line.contains(" open")).collect();
    // The first line may come before anything is known.
    let last = lines.last().expect("a line was shown");
    for part in [" of ", "most by many.c:"] {
        assert!(last.contains(part), "{part}: {last}");
    }
    for line in lines {
        for part in ["executions", " s"] {
            assert!(line.contains(part), "{part}: {line}");
        }
        assert!(line.trim_end_matches("\u{1b}[K").chars().count() < 80, "{line}");
    }
    assert!(seen.contains("--time-limit"), "{seen}");
}

#[test]
fn the_token_of_a_rank_that_polls_for_ever_is_short() {
    let place = Place::new("long-schedule");
    let program = "#include <mpi.h>\nint main(int argc, char **argv) { int found = 0; MPI_Init(&argc, &argv);\n\
        while (!found) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);\n\
        MPI_Finalize(); return 0; }\n";
    let program = place.compile("polls", program, &["-g"]);
    let said = text(&place.smpirun(&["--verify", "-quiet", "-np", "3", &program], FOUND).stderr);
    let replay = said.lines().find(|line| line.contains("--replay")).expect("a finding has a token");
    assert!(replay.len() < 200 && !said.contains("not yet"), "{said}");
    let token = replay.split_whitespace().skip_while(|&word| word != "--replay").nth(1).expect("a token follows");
    let again = text(&place.smpirun(&["--replay", token, "-quiet", "-np", "3", &program], FOUND).stderr);
    assert!(again.contains("non-termination"), "{again}");
}

#[test]
fn a_short_token_means_the_same_wherever_it_was_found() {
    let place = Place::new("short-schedule");
    // Rank 0 polls for what rank 1 sends after two messages in any order; in the last round one order is wrong.
    let program = "#include <assert.h>\n#include <mpi.h>\nint main(int argc, char **argv) {\n\
        int rank, value = 0, done, first = 0; MPI_Request request;\n\
        MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        for (int i = 0; i < 60; i++) {\n\
          if (rank == 0) { MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);\n\
            for (done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE); }\n\
          else if (rank == 1) { for (int k = 0; k < 2; k++) {\n\
              MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
              if (!k) first = value; }\n\
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); }\n\
          else { value = rank; MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); }\n\
          MPI_Barrier(MPI_COMM_WORLD); }\n\
        assert(first != 3); MPI_Finalize(); return 0; }\n";
    let program = place.compile("rounds", program, &["-g"]);
    for how in [&[][..], &["--stateful"], &["--reduction=dpor"]] {
        let said = text(&place.smpirun(&[&["--verify", "-np", "4"], how, &[&program]].concat(), FOUND).stderr);
        let token = said.split_whitespace().skip_while(|&word| word != "--replay").nth(1).expect("a token");
        assert!(token.contains("/_") && token.contains(":3"), "{how:?}: {token}");
        let again = text(&place.smpirun(&["--replay", token, "-np", "4", &program], FOUND).stderr);
        assert!(again.contains("first != 3"), "{how:?}: {again}");
    }
    // What an exploration leaves out, because it leads nowhere, may be asked for all the same.
    let source = root().join("tests/programs/verify/test_loop.c").display().to_string();
    place.run_words(&[&place.tool("smpicc"), &source, "-o", "loop"], 0);
    let words = ["--replay", "1/zero/0.0:-/0.1:-", "--replay-step", "-np", "2", "./loop"];
    let said = text(&place.smpirun(&words, 0).stderr);
    assert_eq!(said.matches("returned not yet").count(), 2, "{said}");
    place.smpirun(&["--replay", "1/zero/0.0:5", "-np", "2", "./loop"], REFUSED);
}

#[test]
fn what_went_wrong_in_an_execution_that_is_stopped_is_reported() {
    let place = Place::new("stopped-execution");
    // Rank 0 sends from memory that it receives into; then messages come for ever.
    let program = "#include <mpi.h>\nint main(int argc, char **argv) { int rank, x = 0, y; MPI_Request request;\n\
        MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        if (rank == 0) { MPI_Irecv(&x, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &request);\n\
          MPI_Send(&x, 1, MPI_INT, 1, 8, MPI_COMM_WORLD); MPI_Wait(&request, MPI_STATUS_IGNORE); }\n\
        if (rank == 1) { MPI_Recv(&y, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
          MPI_Send(&y, 1, MPI_INT, 0, 9, MPI_COMM_WORLD); }\n\
        for (;;) if (rank == 0) MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
          else MPI_Ssend(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); }\n";
    let program = place.compile("endless", program, &["-g"]);
    let words = ["--verify", "-quiet", "--keep-going", "--buffering=zero", "--time-limit=1", "--reduction=matches"];
    let said = text(&place.smpirun(&[&words[..], &["-np", "3", &program]].concat(), FOUND).stderr);
    assert!(said.contains("race/buffer") && said.contains("not complete"), "{said}");
}
