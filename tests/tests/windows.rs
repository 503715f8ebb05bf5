//! Every pair of accesses to the same bytes of a window, with every way to order them or not, and every early touch of
//! their buffers: a verification finds the race in each that has one, and nothing in the others. One program has all
//! cases of a kind; its argument says which is run.
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
#include <string.h>
#define fence() MPI_Win_fence(0, win)
#define lock(kind) MPI_Win_lock(MPI_LOCK_##kind, 0, 0, win)
#define trust() MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win)
#define unlock() MPI_Win_unlock(0, win)
#define all() MPI_Win_lock_all(0, win)
#define none() MPI_Win_unlock_all(win)
#define tell() MPI_Send(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD)
#define tell0() MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD)
#define hear() MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
#define meet() MPI_Barrier(MPI_COMM_WORLD)
#define expose(group) MPI_Win_post(group, 0, win); MPI_Win_wait(win)
#define start() MPI_Win_start(zero, 0, win)
int main(int argc, char **argv)
{
    int rank, mine = 0, v, w, r = 0, s = 0, c = 0, x = 0, ranks[] = {0, 1, 2};
    MPI_Group world, zero, one, two, both;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    v = w = rank;
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

/// Whether a way that does not order accesses in general orders one behind such a first one: what was only read is over
/// when it is flushed locally (MPI 5.0 §12.5.4).
fn is_over_locally(way: &str, first: Kind) -> bool {
    way.contains("MPI_Win_flush_local") && matches!(first, Kind::Read | Kind::Look)
}

/// Whether both may be at the same bytes at the same time (MPI 5.0 §12.7).
fn agree(first: Kind, second: Kind) -> bool {
    match (first, second) {
        (Kind::Read | Kind::Look, Kind::Read | Kind::Look) => true,
        (Kind::Read | Kind::Write, _) | (_, Kind::Read | Kind::Write) => false,
        (Kind::Reduce(one), Kind::Reduce(other)) => one == other,
        _ => true,
    }
}

/// What rank 0 does with the same element by itself.
const OWN: [(&str, Kind); 3] =
    [("x = mine;", Kind::Read), ("mine = 5;", Kind::Write), ("int y = 6; memcpy(&mine, &y, sizeof y);", Kind::Write)];

/// Ways in which rank 1 makes an access ({a}) and rank 0 loads or stores ({o}), and whether they are ordered.
const OWN_WAYS: [(&str, bool); 16] = [
    ("fence(); if (rank == 1) {a} if (rank == 0) {o} fence();", false),
    ("fence(); if (rank == 0) {o} fence(); if (rank == 1) {a} fence();", true),
    ("fence(); if (rank == 1) {a} fence(); if (rank == 0) {o}", true),
    ("if (rank == 1) { lock(EXCLUSIVE); {a} unlock(); } if (rank == 0) {o}", false),
    ("if (rank == 1) { lock(EXCLUSIVE); {a} unlock(); tell0(); } if (rank == 0) { hear(); {o} }", true),
    ("all(); if (rank == 1) { {a} MPI_Win_flush(0, win); tell0(); } if (rank == 0) { hear(); {o} } none();", true),
    (
        "all(); if (rank == 1) { {a} MPI_Win_flush_local(0, win); tell0(); } if (rank == 0) { hear(); {o} } none();",
        false,
    ),
    ("if (rank == 1) { lock(SHARED); {a} unlock(); } meet(); if (rank == 0) {o}", true),
    ("if (rank == 1) { lock(SHARED); {a} unlock(); } if (rank == 0) {o} meet();", false),
    ("if (rank == 0) { lock(EXCLUSIVE); {o} unlock(); } if (rank == 1) { lock(SHARED); {a} unlock(); }", true),
    ("if (rank == 0) { lock(SHARED); {o} unlock(); } if (rank == 1) { lock(SHARED); {a} unlock(); }", false),
    ("if (rank == 0) {o} meet(); if (rank == 1) { lock(SHARED); {a} unlock(); }", true),
    ("if (rank == 0) { {o} expose(one); } if (rank == 1) { start(); {a} MPI_Win_complete(win); }", true),
    ("if (rank == 0) { expose(one); {o} } if (rank == 1) { start(); {a} MPI_Win_complete(win); }", true),
    (
        "if (rank == 0) { MPI_Win_post(one, 0, win); {o} MPI_Win_wait(win); }
         if (rank == 1) { start(); {a} MPI_Win_complete(win); }",
        false,
    ),
    ("if (rank == 0) { lock(SHARED); {a} {o} unlock(); }", false),
];

/// What rank 1 does with a buffer of its access: whether it writes, and to which.
const TOUCHES: [(&str, bool, char); 6] = [
    ("x = v;", false, 'v'),
    ("v = 7;", true, 'v'),
    ("x = r;", false, 'r'),
    ("r = 7;", true, 'r'),
    ("x = c;", false, 'c'),
    ("c = 7;", true, 'c'),
];

/// Ways in which rank 1 makes an access ({a}) and touches a buffer ({o}), and whether the buffer is its own again then.
const TOUCH_WAYS: [(&str, bool); 8] = [
    ("if (rank == 1) { lock(SHARED); {a} {o} unlock(); }", false),
    ("all(); if (rank == 1) { {a} MPI_Win_flush(1, win); {o} } none();", false),
    ("if (rank == 1) { lock(SHARED); {a} MPI_Win_flush_local(0, win); {o} unlock(); }", true),
    ("if (rank == 1) { lock(SHARED); {a} unlock(); {o} }", true),
    ("all(); if (rank == 1) { {a} MPI_Win_flush_all(win); {o} } none();", true),
    ("fence(); if (rank == 1) { {a} {o} } fence();", false),
    ("fence(); if (rank == 1) {a} fence(); if (rank == 1) {o}", true),
    (
        "if (rank == 0) { expose(one); }
         if (rank == 1) { start(); {a} MPI_Win_complete(win); {o} }",
        true,
    ),
];

/// Whether an access reads and whether it writes a variable of its origin.
fn uses(access: &str, variable: char) -> (bool, bool) {
    let is_get = access.starts_with("MPI_Get");
    let is_named = access.contains(&format!("&{variable},"));
    match variable {
        'r' => (false, is_named),
        'v' => (is_named && !is_get, is_named && is_get),
        _ => (is_named, false),
    }
}

/// A program of many cases, of which its argument chooses one: the code of each, and what is found in it.
struct Cases {
    source: String,
    expected: Vec<(String, &'static [&'static str])>,
}

impl Cases {
    fn new() -> Cases {
        Cases { source: HEAD.to_string(), expected: Vec::new() }
    }

    fn add(&mut self, code: String, expected: &'static [&'static str]) {
        let _ = writeln!(self.source, "    case {}: {{ {code} }} break;", self.expected.len());
        self.expected.push((code, expected));
    }

    /// Verifies each; complains about those in which something else is found.
    fn check(mut self, name: &str, options: &[&str]) {
        self.source.push_str(TAIL);
        let place = Place::new(&format!("windows-{name}"));
        place.compile(name, &self.source, options);
        let mut complaints = Vec::new();
        for (number, (code, wanted)) in self.expected.iter().enumerate() {
            let (which, program) = (number.to_string(), format!("./{name}"));
            let tool = place.tool("smpirun");
            let words = [tool.as_str(), "--verify", "--report=report.json", "-np", "3", &program, &which];
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            let finished = smpi_tests::process::run(&words, &place.directory, &[], 60).expect("smpirun can be started");
            let report = report(&place.directory.join("report.json")).expect("smpirun writes its report");
            let found: Vec<String> = findings(&report).map(|(key, _)| key).collect();
            if found != *wanted {
                complaints.push(format!("{code}\n  found {found:?}, expected {wanted:?}\n{}", text(&finished.stderr)));
            }
        }
        let complained = complaints.len();
        assert!(complained == 0, "{complained} of {}:\n{}", self.expected.len(), complaints.join("\n"));
    }
}

fn block(code: &str) -> String {
    format!("{{ {code} }}")
}

fn is_atomic(kind: Kind) -> bool {
    !matches!(kind, Kind::Read | Kind::Write)
}

#[test]
fn each_race_is_found_and_nothing_else() {
    let mut cases = Cases::new();
    for (way, is_ordered) in WAYS {
        for (first, kind) in ACCESSES {
            for (second, other) in ACCESSES {
                // Both may be of one rank, and have buffers of their own.
                let second = second.replace("&v", "&w").replace("&r", "&s");
                let code = way.replace("{1}", &block(first)).replace("{2}", &block(&second));
                // What one rank does atomically with one type is in the order of its program.
                let by_two = way.contains("rank == 2") || way.contains("else {2}");
                let is_of_one = !by_two && is_atomic(kind) && is_atomic(other);
                let is_right = is_ordered || is_of_one || is_over_locally(way, kind) || agree(kind, other);
                // Two exclusive locks that may be held at the same time were said not to be (MPI_MODE_NOCHECK).
                let expected: &[&str] = match (is_right, way.contains("trust()")) {
                    (true, false) => &[],
                    (false, false) => &["race/window"],
                    (true, true) => &["mpi/invalid/epoch"],
                    (false, true) => &["race/window", "mpi/invalid/epoch"],
                };
                cases.add(code, expected);
            }
        }
    }
    cases.check("pairs", &["-O0", "-g"]);
}

#[test]
fn each_race_with_loads_and_stores_is_found_and_nothing_else() {
    let mut cases = Cases::new();
    for (way, is_ordered) in OWN_WAYS {
        for (access, kind) in ACCESSES {
            for (own, other) in OWN {
                let code = way.replace("{a}", &block(access)).replace("{o}", &block(own));
                let is_right = is_ordered || is_over_locally(way, kind) || agree(kind, other);
                cases.add(code, if is_right { &[] } else { &["race/window"] });
            }
        }
    }
    cases.check("own", &["--verify", "-O0", "-g"]);
}

#[test]
fn each_touch_of_a_buffer_too_early_is_found_and_nothing_else() {
    let mut cases = Cases::new();
    for (way, is_over) in TOUCH_WAYS {
        for (access, _) in ACCESSES {
            for (touch, writes, variable) in TOUCHES {
                let (is_read, is_written) = uses(access, variable);
                let code = way.replace("{a}", &block(access)).replace("{o}", &block(touch));
                let is_right = is_over || !(is_written || writes && is_read);
                cases.add(code, if is_right { &[] } else { &["race/buffer"] });
            }
        }
    }
    cases.check("buffers", &["--verify", "-O0", "-g"]);
}
