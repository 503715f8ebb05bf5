//! What programs compiled with `--verify` do to buffers of MPI is seen at every level of optimisation, with its line:
//! in C, in C++, and through the three interfaces of Fortran. The programs are in `tests/accesses`; each of their lines
//! that says "race" must be found, and no other.
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_tests::place::Place;
use std::collections::BTreeSet;
use std::fs;

const LEVELS: [&str; 8] = ["-O0", "-O1", "-O2", "-O3", "-Os", "-Og", "-Ofast", "-O2 -D_FORTIFY_SOURCE=2"];

/// Lines of a program, counted from 1.
type Lines = BTreeSet<u64>;

fn expected(text: &str) -> Lines {
    let lines = text.lines().zip(1..);
    lines.filter(|(line, _)| line.contains("race") && !line.contains("\"race\"")).map(|(_, number)| number).collect()
}

/// The lines of the accesses that `smpirun --verify` reports.
fn found(place: &Place) -> Lines {
    // Which findings there are is compared below; the exit code only says whether there are any.
    let words = ["--verify", "--keep-going", "--buffering", "zero", "--report", "r.json", "-np", "2", "./program"];
    place.smpirun(&words, 1);
    let text = fs::read_to_string(place.directory.join("r.json")).expect("smpirun writes the report");
    let report: Value = serde_json::from_str(&text).expect("the report is JSON");
    let findings = report["findings"].as_array().expect("the report has findings");
    let accesses = findings.iter().filter(|finding| finding["key"] == "race/buffer").flat_map(|finding| {
        let locations = finding["locations"].as_array().expect("a finding has locations");
        locations.iter().filter(|location| location["call"] == "a read" || location["call"] == "a write")
    });
    accesses.filter_map(|location| location["line"].as_u64()).collect()
}

fn check(name: &str, tool: &str, file: &str, options: &[&str]) {
    let place = Place::new(&format!("accesses-{name}"));
    let source = smpi_tests::toolchain::root().join("tests/accesses").join(file);
    let expected = expected(&fs::read_to_string(&source).expect("the program is part of the tree"));
    assert!(expected.len() > 8, "{file} marks {} lines", expected.len());
    let (compiler, source) = (place.tool(tool), source.display().to_string());
    for level in LEVELS {
        let words = [compiler.as_str(), "--verify", "-w", source.as_str(), "-o", "program"];
        let levels: Vec<&str> = level.split(' ').collect();
        place.run_words(&[&words[..], options, &levels].concat(), 0);
        assert_eq!(found(&place), expected, "{tool} {level} {options:?} {file}");
    }
}

#[test]
fn c() {
    check("c", "smpicc", "c.c", &[]);
}

#[test]
fn cxx() {
    check("cxx", "smpicxx", "c.c", &["-x", "c++"]);
}

fn fortran(name: &str, interface: &str) {
    if std::process::Command::new("gfortran").arg("--version").output().is_ok() {
        check(name, "smpif90", "fortran.F90", &[interface]);
    }
}

#[test]
fn fortran_mpif() {
    fortran("mpif", "-DINTERFACE=0");
}

#[test]
fn fortran_mpi() {
    fortran("mpi", "-DINTERFACE=1");
}

#[test]
fn fortran_mpi_f08() {
    fortran("f08", "-DINTERFACE=2");
}

const MAIN: &str = "#include <mpi.h>\nint part(int *);\nint main(int argc, char **argv) { int rank, x = 0; MPI_Request r;\n\
    MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
    if (rank == 0) { MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r); part(&x); MPI_Wait(&r, MPI_STATUS_IGNORE); }\n\
    else MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n\
    MPI_Finalize(); return 0; }\n";
const PART: &str = "int part(int *x) { return *x; }\n";

/// The names in the report's `unseen`, and what smpirun says.
fn unseen(place: &Place, code: i32) -> (Vec<String>, String) {
    let words = ["--verify", "--buffering", "zero", "--report", "r.json", "-np", "2", "./program"];
    let finished = place.smpirun(&words, code);
    let text = fs::read_to_string(place.directory.join("r.json")).expect("smpirun writes the report");
    let report: Value = serde_json::from_str(&text).expect("the report is JSON");
    let names = report["unseen"].as_array().cloned().unwrap_or_default();
    let names = names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    (names, smpi_tests::place::text(&finished.stderr).to_string())
}

#[test]
fn files_compiled_without_the_option_are_named() {
    let place = Place::new("accesses-unseen");
    place.write("main.c", MAIN);
    place.write("part.c", PART);
    let smpicc = place.tool("smpicc");
    let run = |words: &[&str]| place.run_words(&[&[smpicc.as_str()], words].concat(), 0);
    run(&["--verify", "-c", "main.c"]);
    // The read before the wait is in the other file: it is found where that reports it, and else the file is named.
    for (options, expected, code) in [
        (&["--verify"][..], &[][..], 1),
        (&[], &["part.c"], 0),
        (&["-O2"], &["part.c"], 0),
        (&["-g0"], &["part()"], 0),
        (&["--verify", "-O3", "-ffunction-sections"], &[], 1),
    ] {
        run(&[&["-c", "part.c"], options].concat());
        run(&["main.o", "part.o", "-o", "program"]);
        let (names, said) = unseen(&place, code);
        assert_eq!(names, expected, "{options:?}");
        assert_eq!(said.contains("not watched: accesses to memory by part"), !expected.is_empty(), "{said}");
        assert_eq!(said.contains("; see smpicc"), !expected.is_empty(), "{said}");
    }
    run(&["-shared", "-fPIC", "part.c", "-o", "libpart.so"]);
    run(&["main.o", "./libpart.so", "-o", "program"]);
    assert_eq!(unseen(&place, 0).0, ["libpart.so"]);
    // Where nothing reports, nothing is seen, and that is said, too.
    run(&["main.c", "part.c", "-o", "program"]);
    let (names, said) = unseen(&place, 0);
    assert_eq!(names, ["program"]);
    assert!(said.contains("not watched: accesses to memory by program, libc; see smpicc --verify"), "{said}");
}

#[test]
fn fortran_and_cxx_programs_are_seen_as_a_whole() {
    let place = Place::new("accesses-seen");
    place.write(
        "main.cpp",
        "#include <mpi.h>\n#include <iostream>\n#include <map>\n#include <string>\nint main() { MPI_Init(0, 0);\n\
         std::map<std::string, int> m; m[\"a\"] = 1; std::cout << m.size() << std::endl; MPI_Finalize(); return 0; }\n",
    );
    place.write(
        "main.f90",
        "module part\ncontains\nsubroutine work(x)\ncomplex, intent(inout) :: x(:)\nx = x / (2.0, 1.0)\nend subroutine\n\
         end module\nprogram main\nuse mpi_f08\nuse part\ncomplex :: x(4)\ncall MPI_Init()\nx = 1\ncall work(x(1:4:2))\n\
         print *, x\ncall MPI_Finalize()\nend program\n",
    );
    for (tool, source) in [("smpicxx", "main.cpp"), ("smpif90", "main.f90")] {
        if tool == "smpif90" && std::process::Command::new("gfortran").arg("--version").output().is_err() {
            continue;
        }
        for level in ["-O0", "-O2", "-O3"] {
            place.run_words(&[&place.tool(tool), "--verify", level, source, "-o", "program"], 0);
            assert_eq!(unseen(&place, 0).0, Vec::<String>::new(), "{source} {level}");
        }
    }
}
