//! What programs compiled with `--verify` do to buffers of MPI is seen at every level of optimisation, with its line: in C,
//! in C++, and through the three interfaces of Fortran. The programs are in `tests/accesses`; each of their lines that says
//! "race" must be found, and no other.
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
