//! Data that was never written is told from data that was, and from data that was not but makes no difference: in C, in
//! C++ and in Fortran. The programs are in `tests/uninitialised`; each has many functions, of which it runs the one
//! that its argument names. Of those that are wrong by their name, a line must be found that says "unwritten" at its
//! end, and nothing else; of those that are right, nothing.
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_tests::place::{Place, text};
use std::collections::BTreeSet;
use std::fs;

/// The functions that a program can run.
fn cases(source: &str) -> BTreeSet<&str> {
    let words = source.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("wrong_") || word.starts_with("right_")).collect()
}

/// The lines of the findings of a report, which must all be of this kind.
fn found(place: &Place) -> BTreeSet<usize> {
    let json = fs::read_to_string(place.directory.join("r.json")).expect("smpirun writes the report");
    let report: Value = serde_json::from_str(&json).expect("the report is JSON");
    let findings = report["findings"].as_array().expect("the report has findings");
    let line = |finding: &Value| {
        assert_eq!(finding["key"], "memory/uninitialised", "{finding}");
        finding["locations"][0]["line"].as_u64().expect("a finding has a place in the program") as usize
    };
    findings.iter().map(line).collect()
}

fn check(name: &str, tool: &str, file: &str, options: &[&str], least: [usize; 2]) {
    let place = Place::new(&format!("uninitialised-{name}"));
    let path = smpi_tests::toolchain::root().join("tests/uninitialised").join(file);
    let source = fs::read_to_string(&path).expect("the program is part of the tree");
    let lines: Vec<&str> = source.lines().collect();
    let (compiler, path) = (place.tool(tool), path.display().to_string());
    place.run_words(&[&[compiler.as_str(), "-w", "-g", path.as_str(), "-o", "program"][..], options].concat(), 0);
    let cases = cases(&source);
    let (wrong, right): (Vec<&str>, Vec<&str>) = cases.into_iter().partition(|case| case.starts_with("wrong_"));
    assert!(wrong.len() >= least[0] && right.len() >= least[1], "{} wrong, {} right", wrong.len(), right.len());
    for case in wrong.into_iter().chain(right) {
        let code = i32::from(case.starts_with("wrong_"));
        let words = ["--verify", "--report", "r.json", "-np", "3", "./program", case];
        let said = text(&place.smpirun(&words, code).stderr);
        let found = found(&place);
        let is_marked = |&line: &usize| lines[line - 1].trim_end_matches(" */").ends_with(" unwritten");
        assert!(found.is_empty() == (code == 0) && found.iter().all(is_marked), "{case}: {found:?}\n{said}");
    }
}

#[test]
fn c() {
    check("c", "smpicc", "c.c", &["-O0"], [35, 28]);
    check("c-verify", "smpicc", "c.c", &["-O2", "--verify"], [35, 28]);
}

#[test]
fn variables() {
    check("variables", "smpicc", "variables.c", &["-O0", "--verify"], [10, 11]);
    check("variables-optimised", "smpicc", "variables.c", &["-O2", "--verify"], [10, 11]);
}

#[test]
fn cxx() {
    check("cxx", "smpicxx", "cxx.cpp", &["-O2"], [7, 9]);
}

#[test]
fn fortran() {
    check("fortran", "smpif90", "fortran.f90", &["-O1", "-fallow-argument-mismatch"], [6, 6]);
}
