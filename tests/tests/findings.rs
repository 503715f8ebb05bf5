//! The examples of `docs/findings.md`: each is put into the smallest program around it, verified, and must give the key
//! of its section and no other; one that calls what libsmpi does not implement must end there, and its section say so.
#![forbid(unsafe_code)]

use smpi_tests::pages::{Block, blocks};
use smpi_tests::place::{Place, text};
use smpi_tests::schema;
use smpi_tests::toolchain::root;
use smpi_tests::verification::{findings, report, unplaced};
use std::fmt::Write;

/// What the reader of an example has to imagine around it.
struct Frame {
    key: &'static str,
    ranks: u32,
    /// Declarations and calls before the example, after `MPI_Init`, `rank` and `size`.
    before: &'static str,
    /// What stands between the example and `MPI_Finalize`.
    after: &'static str,
}

const fn frame(key: &'static str, ranks: u32, before: &'static str, after: &'static str) -> Frame {
    Frame { key, ranks, before, after }
}

const FRAMES: &[Frame] = &[
    frame("deadlock", 2, "int in, out = rank;", ""),
    frame("deadlock/buffering", 2, "enum { n = 4 }; int in[n], out[n] = {0};", ""),
    frame(
        "assertion",
        3,
        "int x = rank; MPI_Status status; if (rank > 0) MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); else {",
        "MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status); }",
    ),
    frame(
        "crash",
        3,
        "int n = rank == 2 ? 2000000000 : 1; static long table[2];
        if (rank > 0) MPI_Send(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); else {",
        "MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }",
    ),
    frame("exit-code", 2, "int errors = rank;", ""),
    frame("non-termination", 1, "int flag = 0;", ""),
    frame("livelock", 3, "int x = rank, y; if (rank > 0) MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); else {", "}"),
    frame("liveness", 2, "if (rank > 0) MPI_Barrier(MPI_COMM_WORLD); else {", "}"),
    frame(
        "race/message",
        3,
        "double x = rank, sum = 0; if (rank > 0) MPI_Send(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); else {",
        r#"printf("%g\n", sum); }"#,
    ),
    frame(
        "determinism/send",
        3,
        "int x = rank; MPI_Status status; if (rank > 0) { MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); } else for (int i = 1; i < size; i++) {",
        "}",
    ),
    frame(
        "determinism/communication",
        3,
        "int x = rank, y; if (rank > 0) MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); else {",
        "}",
    ),
    frame(
        "race/buffer",
        2,
        "int x = 1; MPI_Request request;
        if (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); else {",
        "}",
    ),
    frame(
        "race/window",
        2,
        "int mine = 0; MPI_Win window;
        MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_fence(0, window);",
        "MPI_Win_fence(0, window); MPI_Win_free(&window);",
    ),
    frame(
        "race/file",
        2,
        "MPI_File file;
        MPI_File_open(MPI_COMM_WORLD, \"/tmp/smpi-finding-race\", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);",
        "MPI_File_close(&file);",
    ),
    frame("memory/overrun", 2, "int x = rank;", ""),
    frame("memory/freed", 2, "int *data = calloc(4, sizeof(int));", ""),
    frame("memory/type", 2, "", ""),
    frame("memory/uninitialised", 2, "", r#"for (int i = 0; i < 10; i++) printf("%d\n", numbers[i]);"#),
    frame("mpi/invalid/communicator", 2, "MPI_Comm workers;", "MPI_Comm_free(&workers);"),
    frame(
        "mpi/invalid/rank",
        2,
        "int x = 0; if (rank > 0) MPI_Recv(&x, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        "",
    ),
    frame("mpi/invalid/tag", 2, "int x = 0;", ""),
    frame("mpi/invalid/count", 2, "int n = 16384; double *matrix = 0;", ""),
    frame("mpi/invalid/buffer", 2, "int sum = rank;", ""),
    frame("mpi/invalid/datatype", 2, "enum { n = 3 }; double a[n * n]; MPI_Datatype column;", ""),
    frame("mpi/invalid/op", 2, "double x = 1, y;", ""),
    frame("mpi/invalid/root", 2, "int x = 0;", ""),
    frame(
        "mpi/invalid/request",
        2,
        "int x = 0; MPI_Request request;
        if (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); else {",
        "}",
    ),
    frame(
        "mpi/invalid/window",
        2,
        "int x = 0, memory[10]; MPI_Win window;
        MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &window);",
        "",
    ),
    frame(
        "mpi/invalid/epoch",
        2,
        "int x = 0; MPI_Win window; MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &window);",
        "",
    ),
    frame("mpi/invalid/group", 1, "MPI_Group group; MPI_Comm_group(MPI_COMM_WORLD, &group);", ""),
    frame("mpi/invalid/info", 1, "MPI_Info info;", ""),
    frame("mpi/invalid/errhandler", 1, "MPI_Errhandler handler;", ""),
    frame("mpi/invalid/file", 1, "int x; MPI_File file;", ""),
    frame(
        "mpi/invalid/session",
        1,
        "int n; MPI_Session session; MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);",
        "",
    ),
    frame("mpi/invalid/topology", 2, "int dims[] = {2, 1}, periods[] = {0, 0}, left, right; MPI_Comm grid;", ""),
    frame("mpi/invalid/dimensions", 1, "", ""),
    frame("mpi/invalid/keyval", 1, "int value;", ""),
    frame(
        "mpi/invalid/displacement",
        2,
        "int x = 0, memory[10]; MPI_Win window;
        MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);",
        "",
    ),
    frame("mpi/invalid/size", 1, "void *memory; MPI_Win window;", ""),
    frame(
        "mpi/invalid/argument",
        1,
        "int sizes[] = {4, 4}, subsizes[] = {2, 2}, starts[2] = {0}; MPI_Datatype part;",
        "",
    ),
    frame("mpi/truncate", 2, "int a[10] = {0};", ""),
    frame("mpi/type-mismatch", 2, "int a[4] = {0};", ""),
    frame("mpi/collective-mismatch", 2, "int x = 0, y;", ""),
    frame("mpi/ready-send", 2, "int x = 0;", ""),
    frame("mpi/finalize-missing", 1, "", ""),
    frame("mpi/after-finalize", 1, "", ""),
    frame("mpi/before-init", 1, "", ""),
    frame(
        "mpi/pending-at-finalize",
        2,
        "int x = 0; MPI_Request request; if (rank > 0) { MPI_Finalize(); return 0; }",
        "",
    ),
    frame("mpi/error-returned", 2, "", ""),
    frame(
        "annotation",
        2,
        "int x[3] = {0}; if (rank == 1) for (int i = 0; i < 3; i++) MPI_Send(x, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        else { int index; MPI_Request requests[3]; MPI_Status status;
        for (int i = 0; i < 3; i++) MPI_Irecv(&x[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);",
        "MPI_Waitall(3, requests, MPI_STATUSES_IGNORE); }",
    ),
    frame("request/never-started", 2, "int x = 0; MPI_Request request;", ""),
    frame(
        "request/never-completed",
        2,
        "int x = 0; MPI_Request request; if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); else",
        "",
    ),
    frame(
        "leak/request",
        2,
        "int x = 0; MPI_Request request;
        if (rank == 0) { MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); MPI_Finalize(); return 0; }",
        "",
    ),
    frame("leak/communicator", 2, "MPI_Comm copy;", ""),
    frame("leak/group", 2, "MPI_Group world;", ""),
    frame("leak/datatype", 2, "MPI_Datatype point;", ""),
    frame("leak/op", 2, "MPI_Op op;", ""),
    frame("leak/window", 2, "char table[8]; MPI_Win window;", ""),
    frame("leak/errhandler", 2, "MPI_Errhandler handler;", ""),
    frame("leak/file", 2, "MPI_File file;", ""),
    frame("leak/info", 2, "MPI_Info info;", ""),
    frame("leak/session", 1, "MPI_Session session;", ""),
];

/// What examples call and do not define.
const HEAD: &str =
    "#include <assert.h>\n#include <mpi.h>\n#include <smpi/smpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>
static void ignore(void) {}
/* An error handler of any kind. */
#define report ((void *)ignore)
static void multiply(void *in, void *inout, int *length, MPI_Datatype *type) {
    (void)type; for (int i = 0; i < *length; i++) ((int *)inout)[i] *= ((int *)in)[i]; }\n";

/// Findings that are never more than warnings: the report does not have them.
const WARNINGS: [&str; 3] = ["request/never-started", "memory/type", "mpi/error-returned"];

/// All examples as one program, which takes the number of an example as its first argument.
fn program(examples: &[Block]) -> String {
    let (mut source, mut calls) = (HEAD.to_string(), String::new());
    for (index, example) in examples.iter().enumerate() {
        let frame = frame_of(example);
        // What an example shows itself is not added.
        let begin = if example.text.contains("MPI_Init(") { "" } else { "MPI_Init(&argc, &argv);\n" };
        let names = "MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);\n";
        let names = if begin.is_empty() { "" } else { names };
        let end = if example.text.contains("MPI_Finalize(") { "" } else { "MPI_Finalize();\n" };
        let (before, after, text) = (frame.before, frame.after, &example.text);
        // Writing to a String cannot fail, here and below.
        let _ = write!(
            source,
            "static int example_{index}(int argc, char **argv) {{\nint rank, size;\n{begin}{names}{before}\n\
             {text}{after}\n{end}return 0; }}\n"
        );
        let _ = writeln!(calls, "case {index}: return example_{index}(argc - 1, argv + 1);");
    }
    let _ = writeln!(source, "int main(int argc, char **argv) {{ int which = -1; sscanf(argv[1], \"%d\", &which);");
    let _ = writeln!(source, "switch (which) {{\n{calls}}}\nreturn 99; }}");
    source
}

fn frame_of(example: &Block) -> &'static Frame {
    let frame = FRAMES.iter().find(|frame| frame.key == example.heading);
    frame.unwrap_or_else(|| {
        panic!("{}:{}: the table of this test has no {}", example.page, example.line, example.heading)
    })
}

/// What a verification of an example says that it should not say.
fn complaint(place: &Place, example: &Block, index: usize) -> Option<String> {
    let frame = frame_of(example);
    let (ranks, number) = (frame.ranks.to_string(), index.to_string());
    // The keys of these findings are the options that look for them.
    let asked = match frame.key {
        "liveness" => Some("--ltl=G (asked -> F answered)".to_string()),
        "livelock" => Some("--stateful".to_string()),
        key => key.strip_prefix("determinism/").map(|what| format!("--determinism={what}")),
    };
    // States can be recognised only where no example makes a window.
    let program = if ["livelock", "liveness"].contains(&frame.key) { "./liveness" } else { "./examples" };
    let words = ["--report=report.json", "--call-timeout=1", "-np", &ranks, program, &number];
    let tool = [place.tool("smpirun"), "--verify".to_string()];
    let words = [&[tool[0].as_str(), &tool[1]], asked.as_deref().as_slice(), &words[..]]
        .concat()
        .iter()
        .map(|word| word.to_string())
        .collect::<Vec<_>>();
    let finished = smpi_tests::process::run(&words, &place.directory, &[], 60).unwrap();
    let said = text(&finished.stderr);
    let report = match report(&place.directory.join("report.json")) {
        Ok(report) => report,
        Err(message) => return Some(format!("{message}\n{said}")),
    };
    let unknown = schema::complaints(&schema::of_reports(), &report);
    let unknown = [unknown, unplaced(&report)].concat();
    if !unknown.is_empty() {
        return Some(unknown.join("\n"));
    }
    let found: Vec<String> = findings(&report).map(|(key, _)| key).collect();
    let bounds = report["bounds"].to_string();
    let as_expected = if WARNINGS.contains(&frame.key) {
        found.is_empty() && bounds == "[]" && said.contains(&format!("warning: {}:", frame.key))
    } else {
        found == [frame.key]
    };
    (!as_expected).then(|| format!("findings {found:?}, bounds {bounds}\n{said}"))
}

#[test]
fn every_example_gives_its_key() {
    let place = Place::new("findings");
    let examples: Vec<Block> = blocks(&root(), "docs/findings.md").unwrap();
    assert_eq!(examples.len(), FRAMES.len(), "every section has one example, every example one frame");
    place.compile("examples", &program(&examples), &["-O0", "-g", "-w"]);
    let up_to = examples.iter().position(|example| example.heading == "liveness").unwrap() + 1;
    place.compile("liveness", &program(&examples[..up_to]), &["-O0", "-g", "-w"]);
    let complaints = examples.iter().enumerate().filter_map(|(index, example)| {
        let said = complaint(&place, example, index)?;
        Some(format!("docs/findings.md:{}: {}: {said}", example.line, example.heading))
    });
    let complaints: Vec<String> = complaints.collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
