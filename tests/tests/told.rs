//! Every call that tells a rank that an operation is over, or a message there, with every call that asks for it again:
//! the answer is yes in all executions. One program has all cases; its argument says which is run.
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_tests::place::{Place, text};
use smpi_tests::verification::{findings, report};
use std::fmt::Write;

/// Operations that rank 0 starts as `r[0]`, and what rank 1 does meanwhile.
const OPERATIONS: [(&str, &str); 12] = [
    ("MPI_Irecv(&a, 1, MPI_INT, 1, 0, W, r);", "MPI_Send(&a, 1, MPI_INT, 0, 0, W);"),
    ("MPI_Irecv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, r);", "MPI_Send(&a, 1, MPI_INT, 0, 0, W);"),
    ("MPI_Recv_init(&a, 1, MPI_INT, 1, 0, W, r); MPI_Start(r);", "MPI_Ssend(&a, 1, MPI_INT, 0, 0, W);"),
    ("MPI_Isend(&a, 1, MPI_INT, 1, 0, W, r);", "MPI_Recv(&a, 1, MPI_INT, 0, 0, W, I);"),
    ("MPI_Issend(&a, 1, MPI_INT, 1, 0, W, r);", "MPI_Recv(&a, 1, MPI_INT, 0, 0, W, I);"),
    ("MPI_Ssend_init(&a, 1, MPI_INT, 1, 0, W, r); MPI_Start(r);", "MPI_Recv(&a, 1, MPI_INT, 0, 0, W, I);"),
    (
        "MPI_Isendrecv(&a, 1, MPI_INT, 1, 0, &b, 1, MPI_INT, 1, 0, W, r);",
        "MPI_Sendrecv(&a, 1, MPI_INT, 0, 0, &b, 1, MPI_INT, 0, 0, W, I);",
    ),
    ("MPI_Mprobe(1, 0, W, &m, I); MPI_Imrecv(&a, 1, MPI_INT, &m, r);", "MPI_Send(&a, 1, MPI_INT, 0, 0, W);"),
    ("MPI_Ibarrier(W, r);", "MPI_Ibarrier(W, r); MPI_Wait(r, I);"),
    (
        "MPI_Iallreduce(&a, &b, 1, MPI_INT, MPI_SUM, W, r);",
        "MPI_Iallreduce(&a, &b, 1, MPI_INT, MPI_SUM, W, r); MPI_Wait(r, I);",
    ),
    (
        "MPI_Psend_init(p, 2, 1, MPI_INT, 1, 0, W, N, r); MPI_Start(r); MPI_Pready_range(0, 1, *r);",
        "MPI_Precv_init(p, 2, 1, MPI_INT, 0, 0, W, N, r); MPI_Start(r); MPI_Wait(r, I); MPI_Request_free(r);",
    ),
    (
        PARTITIONED,
        "MPI_Psend_init(p, 2, 1, MPI_INT, 0, 0, W, N, r); MPI_Start(r); MPI_Pready_range(0, 1, *r);
         MPI_Wait(r, I); MPI_Request_free(r);",
    ),
];

/// The one whose partitions can be asked about.
const PARTITIONED: &str = "MPI_Precv_init(p, 2, 1, MPI_INT, 1, 0, W, N, r); MPI_Start(r);";

/// What sets `told` if the operation is over.
const TELLS: [&str; 4] = [
    "MPI_Request_get_status(*r, &told, I);",
    "MPI_Request_get_status_any(1, r, &i, &told, I);",
    "MPI_Request_get_status_all(1, r, &told, MPI_STATUSES_IGNORE);",
    "MPI_Request_get_status_some(1, r, &n, w, MPI_STATUSES_IGNORE); told = n == 1;",
];

/// Operations that are over for their rank without a question: it has waited for them in another way, has completed
/// them itself, or there is nobody to wait for.
const OVER: [&str; 19] = [
    "MPI_Grequest_start(query, release, cancel, 0, r); MPI_Grequest_complete(*r);",
    "MPI_Isend(&a, 1, MPI_INT, P, 0, W, r);",
    "MPI_Issend(&a, 1, MPI_INT, P, 0, W, r);",
    "MPI_Irsend(&a, 1, MPI_INT, P, 0, W, r);",
    "MPI_Irecv(&a, 1, MPI_INT, P, 0, W, r);",
    "MPI_Send_init(&a, 1, MPI_INT, P, 0, W, r); MPI_Start(r);",
    "MPI_Recv_init(&a, 1, MPI_INT, P, 0, W, r); MPI_Startall(1, r);",
    "MPI_Mprobe(P, 0, W, &m, I); MPI_Imrecv(&a, 1, MPI_INT, &m, r);",
    "MPI_Isendrecv(&a, 1, MPI_INT, P, 0, &b, 1, MPI_INT, P, 0, W, r);",
    "MPI_Isendrecv_replace(&a, 1, MPI_INT, P, 0, P, 0, W, r);",
    "MPI_Psend_init(p, 2, 1, MPI_INT, P, 0, W, N, r); MPI_Start(r); MPI_Pready_range(0, 1, *r);",
    "MPI_Precv_init(p, 2, 1, MPI_INT, P, 0, W, N, r); MPI_Start(r);",
    "MPI_Rput(&a, 1, MPI_INT, P, 0, 1, MPI_INT, win, r);",
    "MPI_Rget_accumulate(&a, 1, MPI_INT, &b, 1, MPI_INT, P, 0, 1, MPI_INT, MPI_SUM, win, r);",
    "MPI_Rput(&a, 1, MPI_INT, 1, 0, 1, MPI_INT, win, r); MPI_Win_flush(1, win);",
    "MPI_Rput(&a, 1, MPI_INT, 1, 0, 1, MPI_INT, win, r); MPI_Win_flush_local_all(win);",
    "MPI_Rget(&a, 1, MPI_INT, 1, 0, 1, MPI_INT, win, r); MPI_Win_flush_all(win);",
    "MPI_Rget(&a, 1, MPI_INT, 1, 0, 1, MPI_INT, win, r); MPI_Win_flush_local(1, win);",
    "MPI_Raccumulate(&a, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win, r); MPI_Win_flush(1, win);",
];

/// What sets `yes` if the rank is told that `r[0]` is over. `r[1]` is a receive that may be over or not.
const ASKS: [&str; 12] = [
    "MPI_Test(r, &yes, I);",
    "MPI_Testany(1, r, &i, &yes, I);",
    "MPI_Testany(2, r, &i, &yes, I);",
    "MPI_Testall(1, r, &yes, MPI_STATUSES_IGNORE);",
    "MPI_Testsome(1, r, &n, w, MPI_STATUSES_IGNORE); yes = n == 1;",
    "MPI_Testsome(2, r, &n, w, MPI_STATUSES_IGNORE); yes = n > 0 && (w[0] == 0 || n > 1 && w[1] == 0);",
    "MPI_Waitsome(2, r, &n, w, MPI_STATUSES_IGNORE); yes = n > 0 && (w[0] == 0 || n > 1 && w[1] == 0);",
    "MPI_Request_get_status(*r, &yes, I);",
    "MPI_Request_get_status_any(2, r, &i, &yes, I);",
    "MPI_Request_get_status_all(1, r, &yes, MPI_STATUSES_IGNORE);",
    "MPI_Request_get_status_some(1, r, &n, w, MPI_STATUSES_IGNORE); yes = n == 1;",
    "MPI_Request_get_status_some(2, r, &n, w, MPI_STATUSES_IGNORE); yes = n > 0 && (w[0] == 0 || n > 1 && w[1] == 0);",
];

/// What tells of a message of rank 1, by setting `told`. Ranks 1 and 2 send one each; `n` counts those that are
/// received.
const SHOWS: [&str; 6] = [
    "MPI_Iprobe(1, 0, W, &told, I);",
    "MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &told, &s); told = told && s.MPI_SOURCE == 1;",
    "MPI_Probe(1, 0, W, I); told = 1;",
    "MPI_Probe(MPI_ANY_SOURCE, 0, W, &s); told = s.MPI_SOURCE == 1;",
    "MPI_Iprobe(1, 0, W, &told, I); MPI_Iprobe(P, 0, W, &i, I);",
    "MPI_Iprobe(1, 0, W, &told, I); MPI_Recv(&a, 1, MPI_INT, P, 0, W, I);",
];

/// What the rank does then, and learns that the message was not taken.
const BETWEEN: [&str; 7] = [
    "",
    "if (told) { MPI_Recv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &s); n++; told = s.MPI_SOURCE == 2; }",
    "if (told) { MPI_Irecv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, r); MPI_Wait(r, &s); n++; told = s.MPI_SOURCE == 2; }",
    "if (told) { MPI_Recv_init(&a, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, r); MPI_Start(r); MPI_Wait(r, &s);
       MPI_Request_free(r); n++; told = s.MPI_SOURCE == 2; }",
    "if (told) { MPI_Mprobe(MPI_ANY_SOURCE, 0, W, &m, &s); MPI_Mrecv(&a, 1, MPI_INT, &m, I); n++;
       told = s.MPI_SOURCE == 2; }",
    "if (told) { MPI_Sendrecv(&a, 1, MPI_INT, P, 0, &b, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &s); n++;
       told = s.MPI_SOURCE == 2; }",
    "if (told) { MPI_Irecv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 7, W, r); MPI_Cancel(r); MPI_Wait(r, I); }",
];

/// What asks for the message.
const LOOKS: [&str; 5] = [
    "MPI_Iprobe(1, 0, W, &yes, I);",
    "MPI_Iprobe(1, MPI_ANY_TAG, W, &yes, I);",
    "MPI_Iprobe(MPI_ANY_SOURCE, 0, W, &yes, I);",
    "MPI_Improbe(1, 0, W, &yes, &m, I); if (yes) { MPI_Mrecv(&a, 1, MPI_INT, &m, I); n++; }",
    "MPI_Improbe(MPI_ANY_SOURCE, 0, W, &yes, &m, I); if (yes) { MPI_Mrecv(&a, 1, MPI_INT, &m, I); n++; }",
];

const HEAD: &str = r#"#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define W MPI_COMM_WORLD
#define I MPI_STATUS_IGNORE
#define N MPI_INFO_NULL
#define P MPI_PROC_NULL
static int query(void *x, MPI_Status *s) {
    MPI_Status_set_elements(s, MPI_INT, 0);
    MPI_Status_set_cancelled(s, 0);
    return 0;
}
static int release(void *x) { return 0; }
static int cancel(void *x, int done) { return 0; }
static int rank, a = 5, b, c, p[2] = {1, 2}, i, n, w[2], told, yes;
static MPI_Request r[2];
static MPI_Message m;
static MPI_Status s;
static MPI_Win win;
static void ask(int there) {
    if (told) {
        printf(there ? "told\n" : "told, and asked in vain\n");
        assert(there);
    }
}
static void other(void) {
    if (rank == 0)
        MPI_Irecv(&c, 1, MPI_INT, 1, 9, W, r + 1);
    else
        MPI_Send(&c, 1, MPI_INT, 0, 9, W);
}
static void end(void) {
    for (int k = 0; k < 2; k++) {
        MPI_Wait(r + k, I);
        if (r[k] != MPI_REQUEST_NULL)
            MPI_Request_free(r + k);
    }
}
WINDOWSint main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    r[0] = r[1] = MPI_REQUEST_NULL;
    switch (atoi(argv[1])) {
"#;

/// What the programs with windows have more. Where there are windows, states have no names.
const WINDOWS: &str = r"
static void begin_epoch(void) {
    static int memory;
    MPI_Win_create(&memory, sizeof memory, sizeof memory, N, W, &win);
    MPI_Win_lock_all(0, win);
}
static void end_epoch(void) {
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
";

const TAIL: &str = "    }\n    MPI_Finalize();\n    return 0;\n}\n";

/// A case of the program.
struct Case {
    code: String,
    ranks: u32,
}

/// All cases of the program.
struct Cases {
    source: String,
    all: Vec<Case>,
}

impl Cases {
    fn new(with_windows: bool) -> Cases {
        let source = HEAD.replace("WINDOWS", if with_windows { WINDOWS } else { "" });
        Cases { source, all: Vec::new() }
    }

    fn add(&mut self, ranks: u32, code: String) {
        let _ = writeln!(self.source, "    case {}: {{ {code} }} break;", self.all.len());
        self.all.push(Case { code, ranks });
    }

    /// Verifies each; complains about those in which something is found, or nobody is ever told anything.
    fn check(mut self, name: &str, options: &[&str]) {
        self.source.push_str(TAIL);
        let place = Place::new(&format!("told-{name}"));
        place.compile(name, &self.source, &["-O0", "-g"]);
        let (program, tool) = (format!("./{name}"), place.tool("smpirun"));
        let mut complaints = Vec::new();
        for (number, Case { code, ranks }) in self.all.iter().enumerate() {
            let (which, ranks) = (number.to_string(), ranks.to_string());
            let words =
                [&[tool.as_str(), "--verify", "--keep-going", "--list-results", "--report=report.json"], options]
                    .concat();
            let words = [&words[..], &["-np", &ranks, &program, &which]].concat();
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            let finished = smpi_tests::process::run(&words, &place.directory, &[], 60).expect("smpirun can be started");
            let report = report(&place.directory.join("report.json")).expect("smpirun writes its report");
            let found: Vec<String> = findings(&report).map(|(key, _)| key).collect();
            let wrong = found.iter().any(|key| key != "race/message" && key != "mpi/pending-at-finalize");
            if wrong || !is_told(&report) || !is_explored(&report) {
                let said = text(&finished.stderr);
                complaints.push(format!("{number}: {code}\n  found {found:?}\n{said}"));
            }
        }
        let complained = complaints.len();
        assert!(complained == 0, "{complained} of {}:\n{}", self.all.len(), complaints.join("\n"));
        println!("{name}: {} pairs", self.all.len());
    }
}

/// Whether all was explored: what the rank does that is told "no" twice, too.
fn is_explored(report: &Value) -> bool {
    report["complete"] == Value::Bool(true) && report["bounds"].as_array().is_none_or(Vec::is_empty)
}

/// Whether some execution of each mode prints that a rank was told.
fn is_told(report: &Value) -> bool {
    let prints = |result: &Value| {
        let mut ranks = result.as_array().into_iter().flatten();
        ranks.any(|rank| rank["output"].as_str().is_some_and(|output| output.starts_with("told\n")))
    };
    let mut modes = report["modes"].as_array().into_iter().flatten();
    modes.all(|mode| mode["listed_results"].as_array().into_iter().flatten().any(prints))
}

/// All pairs about requests; those about windows have no names of states.
fn of_requests(with_windows: bool) -> Cases {
    let mut cases = Cases::new(with_windows);
    let two = |own: &str, peer: &str| format!("if (rank == 0) {{ {own} }} else {{ {peer} other(); }}");
    for (start, peer) in OPERATIONS {
        let parrived = "MPI_Parrived(*r, 0, &told); MPI_Parrived(*r, 1, &i); told = told && i;";
        let has_parts = start == PARTITIONED;
        for tell in TELLS.iter().chain([&parrived].into_iter().filter(|_| has_parts)) {
            let parts = ["MPI_Parrived(*r, 0, &yes);", "MPI_Parrived(*r, 1, &yes);"];
            for ask in ASKS.iter().chain(parts.iter().filter(|_| has_parts)) {
                let own = format!("{start} other(); {tell} {ask} ask(yes); end();");
                cases.add(2, two(&own, peer));
            }
        }
    }
    for start in OVER.iter().filter(|start| with_windows || !start.contains("win")) {
        for ask in ASKS {
            let own = format!("other(); {start} told = 1; {ask} ask(yes); end();");
            let code = two(&own, "");
            cases.add(2, if start.contains("win") { format!("begin_epoch(); {code} end_epoch();") } else { code });
        }
    }
    cases
}

fn of_messages() -> Cases {
    let mut cases = Cases::new(false);
    for show in SHOWS {
        for between in BETWEEN {
            for look in LOOKS {
                let rest = "for (; n < 2; n++) MPI_Recv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, I);";
                let own = format!("{show} {between} {look} ask(yes); {rest}");
                // What is between is done by who was told.
                cases.add(3, format!("if (rank == 0) {{ {own} }} else MPI_Send(&a, 1, MPI_INT, 0, 0, W);"));
            }
        }
    }
    cases
}

/// Calls that others cannot see, and that change nothing.
const UNSEEN: [&str; 12] = [
    "",
    "MPI_Test(&null, &f, I);",
    "MPI_Testall(1, &null, &f, MPI_STATUSES_IGNORE);",
    "MPI_Comm_rank(W, &f);",
    "MPI_Initialized(&f);",
    "MPI_Comm_size(W, &f);",
    "MPI_Iprobe(P, 0, W, &f, I);",
    "MPI_Wait(&null, I);",
    "MPI_Barrier(MPI_COMM_SELF);",
    "MPI_Send(&rank, 1, MPI_INT, P, 0, W);",
    "MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &other, 1, MPI_INT, 0, 1, MPI_COMM_SELF, I);",
    "MPI_Irecv(&other, 1, MPI_INT, P, 0, W, &null); MPI_Wait(&null, I);",
];

/// A program whose first rank polls for a message of each other one, with two of these calls between two polls; which
/// ones its arguments say. Where there is a third argument it polls for a barrier of all in turn.
fn polls_beside_calls() -> String {
    let mut calls = String::new();
    for (number, call) in UNSEEN.iter().enumerate() {
        writeln!(calls, "case {number}: {call} break;").unwrap();
    }
    format!(
        "#include <mpi.h>\n#include <stdlib.h>\n#define W MPI_COMM_WORLD\n#define I MPI_STATUS_IGNORE\n\
         #define P MPI_PROC_NULL\nstatic MPI_Request null = MPI_REQUEST_NULL; static int f, rank, size, other;\n\
         static void call(int which) {{ switch (which) {{ {calls} }} }}\n\
         int main(int argc, char **argv) {{ MPI_Request r[4], b; MPI_Init(&argc, &argv); MPI_Comm_rank(W, &rank);\n\
         MPI_Comm_size(W, &size); int in[4], all = 0, is_through = argc < 4;\n\
         if (argc > 3) MPI_Ibarrier(W, &b);\n\
         if (rank) {{ MPI_Send(&rank, 1, MPI_INT, 0, 0, W); if (argc > 3) MPI_Wait(&b, I); MPI_Finalize(); return 0; }}\n\
         for (int i = 1; i < size; i++) MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &r[i - 1]);\n\
         call(atoi(argv[1])); call(atoi(argv[2]));\n\
         while (!all || !is_through) {{ call(atoi(argv[1])); MPI_Testall(size - 1, r, &all, MPI_STATUSES_IGNORE);\n\
         call(atoi(argv[2])); if (!is_through) MPI_Test(&b, &is_through, I); }}\n\
         MPI_Finalize(); return 0; }}\n"
    )
}

#[test]
fn calls_that_nobody_sees_multiply_no_polls() {
    let place = Place::new("polls-beside-calls");
    let program = place.compile("program", &polls_beside_calls(), &[]);
    for (ranks, more) in [("2", &[][..]), ("3", &[]), ("2", &["b"]), ("3", &["b"])] {
        let with = |one: usize, other: usize| {
            let (one, other) = (one.to_string(), other.to_string());
            let words = ["--verify", "--keep-going", "-np", ranks, program.as_str(), one.as_str(), other.as_str()];
            let finished = place.smpirun(&[&words[..], more].concat(), 0);
            text(&finished.stderr).lines().next().unwrap_or_default().to_owned()
        };
        let alone = with(0, 0);
        assert!(alone.ends_with("exploration complete"), "{alone}");
        for (one, other) in (0..UNSEEN.len()).flat_map(|one| (0..UNSEEN.len()).map(move |other| (one, other))) {
            assert_eq!(with(one, other), alone, "{ranks} ranks, {} {} {more:?}", UNSEEN[one], UNSEEN[other]);
        }
    }
}

#[test]
fn who_was_told_of_a_request_is_told_so_again() {
    of_requests(true).check("requests", &[]);
}

#[test]
fn who_was_told_of_a_request_is_told_so_again_where_states_are_recognised() {
    of_requests(false).check("states", &["--stateful"]);
}

#[test]
fn who_has_seen_a_message_sees_it_again() {
    of_messages().check("messages", &["--buffering=infinite"]);
}

#[test]
fn who_has_seen_a_message_sees_it_again_step_by_step() {
    of_messages().check("steps", &["--reduction=dpor"]);
}
