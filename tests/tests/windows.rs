//! Every pair of accesses to the same bytes of a window, with every way to order them or not: a verification finds the
//! race in each that has one, and nothing in the others. One program has all of them; its argument says which is run.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};
use smpi_tests::verification::{findings, report};
use std::fmt::Write;

/// What an access does, as far as others must not meet it.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Read,
    Write,
    /// It reads atomically.
    Look,
    /// It compares and swaps.
    Swap,
    /// An atomic reduction with this operation.
    Reduce(&'static str),
}

/// Accesses to the first element of rank 0.
const ACCESSES: [(&str, Kind); 7] = [
    ("MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, win);", Kind::Write),
    ("MPI_Get(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, win);", Kind::Read),
    ("MPI_Accumulate(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);", Kind::Reduce("sum")),
    ("MPI_Fetch_and_op(&v, &r, MPI_INT, 0, 0, MPI_SUM, win);", Kind::Reduce("sum")),
    ("MPI_Fetch_and_op(NULL, &r, MPI_INT, 0, 0, MPI_NO_OP, win);", Kind::Look),
    ("MPI_Compare_and_swap(&v, &c, &r, MPI_INT, 0, 0, win);", Kind::Swap),
    ("MPI_Accumulate(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAX, win);", Kind::Reduce("max")),
];

/// Ways in which rank 1 makes the first access and rank 2 (or rank 1 itself) the second one, and whether they are
/// ordered.
const WAYS: [(&str, bool); 16] = [
    ("fence(); if (rank == 1) {1} if (rank == 2) {2} fence();", false),
    ("fence(); if (rank == 1) {1} fence(); if (rank == 2) {2} fence();", true),
    ("if (rank == 1) { lock(EXCLUSIVE); {1} unlock(); } if (rank == 2) { lock(EXCLUSIVE); {2} unlock(); }", true),
    ("if (rank == 1) { lock(SHARED); {1} unlock(); } if (rank == 2) { lock(SHARED); {2} unlock(); }", false),
    ("if (rank == 1) { lock(SHARED); {1} unlock(); } if (rank == 2) { lock(EXCLUSIVE); {2} unlock(); }", true),
    (
        "if (rank == 1) { lock(SHARED); {1} unlock(); tell(); } if (rank == 2) { hear(); lock(SHARED); {2} unlock(); }",
        true,
    ),
    ("all(); if (rank == 1) { {1} MPI_Win_flush(0, win); tell(); } if (rank == 2) { hear(); {2} } none();", true),
    (
        "all(); if (rank == 1) { {1} MPI_Win_flush_local(0, win); tell(); } if (rank == 2) { hear(); {2} } none();",
        false,
    ),
    ("all(); if (rank == 1) { {1} tell(); MPI_Win_flush(0, win); } if (rank == 2) { hear(); {2} } none();", false),
    ("all(); if (rank == 1) {1} MPI_Win_flush_all(win); meet(); if (rank == 2) {2} none();", true),
    ("all(); if (rank == 1) {1} meet(); if (rank == 2) {2} none();", false),
    ("if (rank == 0) { expose(both); } else { start(); if (rank == 1) {1} else {2} MPI_Win_complete(win); }", false),
    (
        "if (rank == 0) { expose(one); expose(two); }
         if (rank == 1) { start(); {1} MPI_Win_complete(win); } if (rank == 2) { start(); {2} MPI_Win_complete(win); }",
        true,
    ),
    ("if (rank == 1) { lock(EXCLUSIVE); {1} {2} unlock(); }", false),
    ("if (rank == 1) { lock(EXCLUSIVE); {1} MPI_Win_flush(0, win); {2} unlock(); }", true),
    ("if (rank == 1) { trust(); {1} unlock(); } if (rank == 2) { trust(); {2} unlock(); }", false),
];

const HEAD: &str = "#include <mpi.h>
#include <stdlib.h>
#define fence() MPI_Win_fence(0, win)
#define lock(kind) MPI_Win_lock(MPI_LOCK_##kind, 0, 0, win)
#define trust() MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win)
#define unlock() MPI_Win_unlock(0, win)
#define all() MPI_Win_lock_all(0, win)
#define none() MPI_Win_unlock_all(win)
#define tell() MPI_Send(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD)
#define hear() MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
#define meet() MPI_Barrier(MPI_COMM_WORLD)
#define expose(group) MPI_Win_post(group, 0, win); MPI_Win_wait(win)
#define start() MPI_Win_start(zero, 0, win)
int main(int argc, char **argv)
{
    int rank, mine = 0, v, r = 0, c = 0, x = 0, ranks[] = {0, 1, 2};
    MPI_Group world, zero, one, two, both;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    v = rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, ranks, &zero);
    MPI_Group_incl(world, 1, ranks + 1, &one);
    MPI_Group_incl(world, 1, ranks + 2, &two);
    MPI_Group_incl(world, 2, ranks + 1, &both);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    switch (atoi(argv[1])) {
";

const TAIL: &str = "    }
    MPI_Group_free(&world);
    MPI_Group_free(&zero);
    MPI_Group_free(&one);
    MPI_Group_free(&two);
    MPI_Group_free(&both);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
";

/// Whether both may be at the same bytes at the same time (MPI 5.0 §12.7).
fn agree(first: Kind, second: Kind) -> bool {
    match (first, second) {
        (Kind::Read | Kind::Look, Kind::Read | Kind::Look) => true,
        (Kind::Read | Kind::Write, _) | (_, Kind::Read | Kind::Write) => false,
        (Kind::Reduce(one), Kind::Reduce(other)) => one == other,
        _ => true,
    }
}

#[test]
fn each_race_is_found_and_nothing_else() {
    let mut source = HEAD.to_string();
    let mut expected = Vec::new();
    for (way, is_ordered) in WAYS {
        for (first, kind) in ACCESSES {
            for (second, other) in ACCESSES {
                let block = |access: &str| format!("{{ {access} }}");
                let code = way.replace("{1}", &block(first)).replace("{2}", &block(second));
                let _ = writeln!(source, "    case {}: {{ {code} }} break;", expected.len());
                expected.push((is_ordered || agree(kind, other), code));
            }
        }
    }
    source.push_str(TAIL);
    let place = Place::new("windows");
    place.compile("pairs", &source, &["-O0", "-g"]);
    let mut complaints = Vec::new();
    for (number, (is_right, code)) in expected.iter().enumerate() {
        let which = number.to_string();
        let tool = place.tool("smpirun");
        let words = [tool.as_str(), "--verify", "--report=report.json", "-np", "3", "./pairs", &which];
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let finished = smpi_tests::process::run(&words, &place.directory, &[], 60).expect("smpirun can be started");
        let report = report(&place.directory.join("report.json")).expect("smpirun writes its report");
        let found: Vec<String> = findings(&report).map(|(key, _)| key).collect();
        let wanted: &[&str] = if *is_right { &[] } else { &["race/window"] };
        if found != wanted {
            complaints.push(format!("{code}\n  found {found:?}, expected {wanted:?}\n{}", text(&finished.stderr)));
        }
    }
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), expected.len(), complaints.join("\n"));
}
