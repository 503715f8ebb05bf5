//! Buffers that reach beyond the variable or the block in which they lie are found, at the line of the call: in C, in
//! C++ and in Fortran, under the checker and in a simulation. The programs are in `tests/bounds`; each of their lines
//! that says "beyond" or "freed" at its end must be found, and no other.
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_tests::place::Place;
use std::collections::BTreeMap;
use std::fs;

/// What is found at a line, counted from 1.
type Lines = BTreeMap<u64, String>;

fn expected(text: &str) -> Lines {
    let meant = |line: &str| {
        let (_, comment) = line.rsplit_once("; ").or_else(|| line.rsplit_once(" ! "))?;
        let key =
            |word: &str, key: &str| comment.trim_start_matches(['/', '*', ' ']).starts_with(word).then(|| key.into());
        key("beyond", "memory/overrun").or_else(|| key("freed", "memory/freed"))
    };
    text.lines().zip(1..).filter_map(|(line, number)| Some((number, meant(line)?))).collect()
}

/// The findings of a report by their lines.
fn found(place: &Place) -> Lines {
    let text = fs::read_to_string(place.directory.join("r.json")).expect("smpirun writes the report");
    let report: Value = serde_json::from_str(&text).expect("the report is JSON");
    let findings = report["findings"].as_array().expect("the report has findings");
    let lines = findings.iter().flat_map(|finding| {
        let key = finding["key"].as_str().expect("a finding has a key");
        let locations = finding["locations"].as_array().expect("a finding has locations");
        locations.iter().filter_map(move |location| Some((location["line"].as_u64()?, key.to_string())))
    });
    lines.collect()
}

/// Everything that is marked is found, and nothing else.
fn check(name: &str, tool: &str, file: &str, options: &[&str]) {
    compare(name, tool, file, options, 1, |found, expected| found == expected);
}

/// Of what is marked at least so many lines are found, and nothing else: what an optimising compiler did to variables
/// may keep them from being known.
fn check_some(least: usize, name: &str, tool: &str, file: &str, options: &[&str]) {
    compare(name, tool, file, options, i32::from(least > 0), |found, expected| {
        found.len() >= least && found.iter().all(|(line, key)| expected.get(line) == Some(key))
    });
}

fn compare(name: &str, tool: &str, file: &str, options: &[&str], code: i32, is_right: impl Fn(&Lines, &Lines) -> bool) {
    let place = Place::new(&format!("bounds-{name}"));
    let source = smpi_tests::toolchain::root().join("tests/bounds").join(file);
    let expected = expected(&fs::read_to_string(&source).expect("the program is part of the tree"));
    assert!(expected.len() > 8, "{file} marks {} lines", expected.len());
    let (compiler, source) = (place.tool(tool), source.display().to_string());
    let words = [compiler.as_str(), "-w", source.as_str(), "-o", "program"];
    place.run_words(&[&words[..], options].concat(), 0);
    for buffering in ["zero", "infinite"] {
        let words =
            ["--verify", "--keep-going", "--buffering", buffering, "--report", "r.json", "-np", "2", "./program"];
        place.smpirun(&words, code);
        let found = found(&place);
        assert!(is_right(&found, &expected), "{tool} {options:?} {file} {buffering}: {found:?} and not {expected:?}");
    }
}

#[test]
fn c() {
    check("c", "smpicc", "c.c", &["-g", "-O2"]);
}

#[test]
fn c_as_cxx() {
    check("c-as-cxx", "smpicxx", "c.c", &["-g", "-x", "c++"]);
}

#[test]
fn cxx() {
    check("cxx", "smpicxx", "cxx.cpp", &["-g", "-O1"]);
}

#[test]
fn fortran() {
    check("fortran", "smpif90", "fortran.f90", &["-g", "-fallow-argument-mismatch"]);
}

#[test]
fn variables_of_functions() {
    check("stack", "smpicc", "stack.c", &["-g"]);
    check("stack-as-cxx", "smpicxx", "stack.c", &["-g", "-x", "c++"]);
    check("stack-cxx", "smpicxx", "stack.cpp", &["-g"]);
    check("stack-fortran", "smpif90", "stack.f90", &["-g", "-fallow-argument-mismatch"]);
}

/// With `--verify` the compiler keeps variables apart.
#[test]
fn variables_of_functions_that_were_optimised() {
    check_some(19, "stack-verify", "smpicc", "stack.c", &["-g", "-O2", "--verify"]);
    check_some(10, "stack-cxx-verify", "smpicxx", "stack.cpp", &["-g", "-O2", "--verify"]);
    check_some(13, "stack-f-verify", "smpif90", "stack.f90", &["-g", "-O2", "--verify", "-fallow-argument-mismatch"]);
    check_some(0, "stack-o2", "smpicc", "stack.c", &["-g", "-O2"]);
    check_some(1, "stack-o3-cxx", "smpicxx", "stack.cpp", &["-g", "-O3"]);
    check_some(1, "stack-o2-f", "smpif90", "stack.f90", &["-g", "-O2", "-fallow-argument-mismatch"]);
}
