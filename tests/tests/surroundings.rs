//! Bad surroundings: standard streams that are full, closed, or pipes that nobody reads any more.
//!
//! None of that is a bug of ours. What ranks print and nobody can write is missed, and so is an answer to a question.
//! Also limits of the system, and signals that whoever starts smpirun ignores or blocks.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};

/// Exit code of refused input.
const REFUSED: i32 = 2;

const TALKATIVE: &str = "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) { int r, n, x;\n\
    MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &n);\n\
    for (int i = 0; i < 100; i++) { printf(\"out %d %d\\n\", r, i); fprintf(stderr, \"err %d %d\\n\", r, i); }\n\
    if (argc > 1 && r > 0) MPI_Send(&r, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n\
    for (int i = 1; argc > 1 && r == 0 && i < n; i++)\n\
      MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
    if (argc > 2 && r == 0) MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
    MPI_Finalize(); return 0; }\n";

/// Where standard streams lead in these tests.
const NOWHERE: [&str; 6] = [">/dev/full", "2>/dev/full", ">/dev/full 2>&1", ">&-", "2>&-", "<&- >&- 2>&-"];

/// Runs a line of the shell in which `smpirun` and `smpicc` are ours; it must end with this code.
fn shell(place: &Place, line: &str, code: i32) -> String {
    let tools = place.tool("");
    let finished = place.run_words(&["bash", "-c", &format!("PATH={tools}:$PATH; {line}")], code);
    let said = format!("{}{}", text(&finished.stdout), text(&finished.stderr));
    assert!(!said.contains("panicked") && !said.contains("internal bug"), "{line}: {said}");
    said
}

#[test]
fn runs_do_not_depend_on_their_streams() {
    let place = Place::new("streams-of-runs");
    let program = place.compile("talkative", TALKATIVE, &[]);
    for to in NOWHERE {
        let code = |words: &str, code| shell(&place, &format!("smpirun --compute=off {words} {to}"), code);
        // What is lost on a full disk is missed; what goes to a stream that is closed is not.
        let simulated = if to.contains("full") { REFUSED } else { 0 };
        code(&format!("-np 2 --summary {program}"), simulated);
        code(&format!("-np 3 --summary {program} any"), simulated);
        code(&format!("-np 3 {program} any deadlock"), 3);
        code(&format!("-np 3 --verify {program} any"), 0);
        code(&format!("-np 3 --verify --keep-going {program} any deadlock"), 1);
        code(&format!("-np 3 --verify --jobs 2 {program} any deadlock"), 1);
        code("--no-such-option ./talkative", REFUSED);
        code("./missing", REFUSED);
    }
}

/// Prints, and tells by its exit code which calls said that it could not: the argument is how it asks.
const LOSING: &str = "#include <mpi.h>\n#include <stdio.h>\n#include <string.h>\n\
    int main(int argc, char **argv) { int code = 0; MPI_Init(&argc, &argv);\n\
    printf(\"result\\n\");\n\
    if (strchr(argv[1], 'f')) code |= fflush(stdout) == EOF ? 8 : 0;\n\
    if (strchr(argv[1], 'a')) code |= fflush(NULL) == EOF ? 8 : 0;\n\
    MPI_Barrier(MPI_COMM_WORLD);\n\
    if (strchr(argv[1], 'p')) code |= printf(\"more\\n\") < 0 && ferror(stdout) ? 16 : 0;\n\
    if (strchr(argv[1], 'e')) code |= ferror(stdout) ? 32 : 0;\n\
    if (strchr(argv[1], 'c')) code |= fclose(stdout) == EOF ? 64 : 0;\n\
    MPI_Finalize(); return code; }\n";

#[test]
fn a_program_is_told_what_it_has_lost_and_so_is_the_user() {
    let place = Place::new("streams-lost");
    let program = place.compile("losing", LOSING, &[]);
    for (asks, code) in
        [("-", REFUSED), ("f", 8), ("a", 8), ("p", 16), ("fe", 8 | 32), ("c", 64), ("fpec", 8 | 16 | 32 | 64)]
    {
        for ranks in [1, 3] {
            let said = shell(&place, &format!("smpirun --compute=off -np {ranks} {program} {asks} >/dev/full"), code);
            assert!(said.contains("standard output: no space left on device"), "{asks}: {said}");
        }
        let said = shell(&place, &format!("smpirun --compute=off -np 2 {program} {asks} >out && cat out"), 0);
        assert!(said.starts_with("result\nresult\n"), "{said}");
        shell(&place, &format!("smpirun --verify -np 2 {program} {asks} >/dev/full"), 0);
    }
}

/// Rank 0 reads a number, takes a message of anybody, and reads the next ones.
const READING: &str = "#include <assert.h>\n#include <mpi.h>\n#include <unistd.h>\n\
    int main(int argc, char **argv) { int r, first, second; char a = 0, b = 0, c = 0;\n\
    MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r);\n\
    if (r > 0) MPI_Send(&r, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); else {\n\
    assert(read(0, &a, 1) == 1 && a == '1');\n\
    MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
    assert(read(0, &b, 1) == 1 && b == '2');\n\
    MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
    assert(read(0, &c, 1) == 1 && c == '3' && read(0, &c, 1) == 0); }\n\
    MPI_Finalize(); return 0; }\n";

/// Every execution reads what it would alone.
#[test]
fn input_is_read_again_in_every_execution() {
    let place = Place::new("streams-read");
    let program = place.compile("reading", READING, &[]);
    for (options, executions) in [
        ("", 4),
        ("--cfg=smpi/self-check:yes", 4),
        ("--jobs 2", 4),
        ("--jobs 2 --cfg=smpi/self-check:yes", 4),
        ("--reduction none", 40),
    ] {
        let said = shell(&place, &format!("printf 123 | smpirun --verify {options} -np 3 {program}"), 0);
        let expected = format!("no error found in {executions} executions; exploration complete");
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn answers_that_cannot_be_written_are_refused() {
    let place = Place::new("streams-of-answers");
    let program = place.compile("talkative", TALKATIVE, &[]);
    for command in ["smpirun --help", "smpirun --help-all", "smpirun --version", "smpicc -show a.c", "smpicc -version"]
    {
        let said = shell(&place, &format!("{command} >/dev/full"), REFUSED);
        assert!(said.contains("standard output"), "{command}: {said}");
        shell(&place, &format!("{command} >/dev/full 2>&1"), REFUSED);
        shell(&place, &format!("set -o pipefail; {command} | true"), 0);
    }
    shell(&place, &format!("smpirun -np 2 -map {program} >/dev/full"), REFUSED);
}

#[test]
fn a_reader_who_has_seen_enough_ends_a_run_quietly() {
    let place = Place::new("streams-of-readers");
    let program = place.compile("talkative", TALKATIVE, &[]);
    // What a shell makes of a command that a closed pipe ended.
    let broken_pipe = 128 + 13;
    for words in ["", "--verify --keep-going", "--verify --jobs 2 --keep-going", "--summary"] {
        for (to, seen) in [("| head -1", 1), ("2>&1 | head -1", 1), ("2>&1 | true", 0)] {
            let line = format!("smpirun -np 200 {words} {program} {to}; code=${{PIPESTATUS[0]}}");
            let said = shell(&place, &format!("{line}; [ $code = 0 -o $code = {broken_pipe} ] || echo code $code"), 0);
            assert!(!said.contains("code"), "{line}: {said}");
            assert!(!to.contains("2>&1") || said.lines().count() <= seen, "{line}: {said}");
        }
    }
}

/// Does what its argument says.
const LIMITED: &str = "#include <mpi.h>\n#include <signal.h>\n#include <stdio.h>\n#include <time.h>\n#include <unistd.h>\n\
    int main(int argc, char **argv) { timer_t timer; char bytes[4096] = {0};\n\
    struct itimerspec soon = {{0, 0}, {0, 1000000}};\n\
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};\n\
    MPI_Init(&argc, &argv);\n\
    switch (argc > 1 ? argv[1][0] : 0) {\n\
    case 't': timer_create(CLOCK_REALTIME, &event, &timer); timer_settime(timer, 0, &soon, NULL); for (;;);\n\
    case 'f': { FILE *file = fopen(\"file\", \"w\"); for (;;) if (fwrite(bytes, 1, 4096, file) < 4096) return 9; }\n\
    case 'c': *(volatile int *)8 = 1; }\n\
    MPI_Finalize(); return 0; }\n";

#[test]
fn limits_of_the_system_are_named() {
    let place = Place::new("limits-of-the-system");
    let program = place.compile("limited", LIMITED, &[]);
    for (line, code, names) in [
        (format!("smpirun -np 2 {program} timer"), 128 + 14, &["SIGALRM", "timer"][..]),
        (format!("ulimit -f 100; smpirun -np 2 {program} file"), 128 + 25, &["SIGXFSZ", "ulimit -f"]),
        (format!("ulimit -v 4000000; smpirun -np 4 {program}"), REFUSED, &["4 ranks", "GiB", "ulimit -v"]),
        (format!("ulimit -d 100000; smpirun -np 1 {program}"), REFUSED, &["1 rank", "97 MiB", "ulimit -d"]),
        (format!("ulimit -d 70000000; smpirun --verify -np 2 {program}"), REFUSED, &["2 ranks", "GiB", "ulimit -d"]),
        (format!("ulimit -d 30000000; smpirun -np 2 --heap-size 1GiB {program}"), 0, &[]),
        (format!("ulimit -n 5; smpirun -np 2 {program}"), REFUSED, &["ulimit -n", "expected 16"]),
        (format!("ulimit -S -n 5; smpirun -np 2 {program}"), 0, &[]),
    ] {
        let said = shell(&place, &line, code);
        for name in names {
            assert!(said.contains(name), "{line}: {said}");
        }
    }
}

#[test]
fn signals_that_others_ignore_or_block_do_not_silence_a_run() {
    let place = Place::new("signals-of-others");
    let program = place.compile("limited", LIMITED, &[]);
    let blocked = "env --block-signal=SEGV,ALRM,USR1,CHLD";
    let said = shell(&place, &format!("{blocked} smpirun -np 2 {program} crash"), 128 + 11);
    assert!(said.contains("SIGSEGV") && said.contains("rank 0"), "{said}");
    shell(&place, &format!("{blocked} smpirun --verify -np 2 {program}"), 0);
    let ignoring = "env --ignore-signal=CHLD";
    shell(&place, &format!("{ignoring} smpirun -np 2 {program}"), 0);
    shell(&place, &format!("{ignoring} smpirun --verify -np 2 {program}"), 0);
    place.write("study.toml", "[study]\nplatforms = [\"p.toml\"]\nranks = [1]\n[[program]]\npath = \"limited\"\n");
    place.write(
        "p.toml",
        "[[cluster]]\nname = \"n\"\nhosts = 1\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n",
    );
    for task in [format!("what-if -np 1 {program}"), format!("--coll-auto x {program}"), "sweep study.toml".to_string()]
    {
        let said = shell(&place, &format!("{ignoring} smpirun {task}"), REFUSED);
        assert!(said.contains("SIGCHLD") && said.contains("--default-signal"), "{task}: {said}");
    }
}

/// Whatever ends a task, the run below it ends, too.
#[test]
fn a_run_ends_with_its_task() {
    let place = Place::new("run-of-a-task");
    let endless = LIMITED.replace("case 't': ", "case 'e': for (;;); case 't': ");
    let program = place.compile("endless", &endless, &[]);
    for signal in ["TERM", "HUP", "QUIT", "KILL"] {
        let line = format!(
            "env --default-signal=HUP,QUIT smpirun what-if -np 2 {program} endless & task=$!; \
             until child=$(cat /proc/$task/task/$task/children) && [ \"$child\" ]; do sleep 0.05; done; \
             kill -USR1 $task; kill -{signal} $task; wait $task; code=$?; \
             for i in $(seq 200); do [ -e /proc/$child/exe ] || exit $code; sleep 0.05; done; echo left; exit 9"
        );
        let number =
            [("TERM", 15), ("HUP", 1), ("QUIT", 3), ("KILL", 9)].iter().find(|known| known.0 == signal).unwrap().1;
        let said = shell(&place, &line, 128 + number);
        assert!(!said.contains("left"), "{signal}: {said}");
    }
    // One that comes to itself when its task has ended already ends, too: what is asked here has no process any more.
    let gone = format!("SMPI_PARENT=$(sh -c 'echo $$') exec timeout 20 smpirun -np 2 {program} endless");
    shell(&place, &gone, REFUSED);
}
