//! Buffers that reach beyond the variable or the block in which they lie are found, at the line of the call: in C, in
//! C++ and in Fortran, under the checker and in a simulation. The programs are in `tests/bounds`; each of their lines
//! that says "beyond" or "freed" at its end must be found, and no other. So must datatypes that are not what was
//! declared ("other type").
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_tests::place::{Place, text};
use std::collections::BTreeMap;
use std::fs;

/// What is found at a line, counted from 1.
type Lines = BTreeMap<u64, String>;

fn expected(text: &str) -> Lines {
    let meant = |line: &str| {
        let (_, comment) = line.rsplit_once("; ").or_else(|| line.rsplit_once(" ! "))?;
        let key =
            |word: &str, key: &str| comment.trim_start_matches(['/', '*', ' ']).starts_with(word).then(|| key.into());
        let found = key("beyond", "memory/overrun").or_else(|| key("freed", "memory/freed"));
        found.or_else(|| key("other type", TYPE))
    };
    text.lines().zip(1..).filter_map(|(line, number)| Some((number, meant(line)?))).collect()
}

/// The warning about types.
const TYPE: &str = "memory/type";

/// The findings of a report by their lines, and the warnings about types, which it does not have.
fn found(place: &Place, file: &str, said: &str) -> Lines {
    let json = fs::read_to_string(place.directory.join("r.json")).expect("smpirun writes the report");
    let report: Value = serde_json::from_str(&json).expect("the report is JSON");
    let findings = report["findings"].as_array().expect("the report has findings");
    let lines = findings.iter().flat_map(|finding| {
        let key = finding["key"].as_str().expect("a finding has a key");
        let locations = finding["locations"].as_array().expect("a finding has locations");
        locations.iter().filter_map(move |location| Some((location["line"].as_u64()?, key.to_string())))
    });
    lines.chain(warned(file, said)).collect()
}

/// The lines of the warnings about types.
fn warned(file: &str, said: &str) -> Vec<(u64, String)> {
    let name = format!("{file}:");
    let warnings = said.split("warning: ").filter(|warning| warning.starts_with(&format!("{TYPE}: ")));
    let line = |warning: &str| {
        let place = warning.split(&name).nth(1).expect("a warning has a place in the program");
        let digits: String = place.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().expect("a place has a line")
    };
    warnings.map(|warning| (line(warning), TYPE.to_string())).collect()
}

/// Everything that is marked is found, and nothing else.
fn check(name: &str, tool: &str, file: &str, options: &[&str]) {
    let code = i32::from(!file.starts_with("types"));
    compare(name, tool, file, options, code, |found, expected| found == expected);
}

/// Of what is marked at least so many lines are found, and nothing else: what an optimising compiler did to variables
/// may keep them from being known.
fn check_some(least: usize, name: &str, tool: &str, file: &str, options: &[&str]) {
    let code = i32::from(least > 0 && !file.starts_with("types"));
    compare(name, tool, file, options, code, |found, expected| {
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
        let said = text(&place.smpirun(&words, code).stderr);
        let found = found(&place, file, &said);
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

#[test]
fn windows() {
    check("windows", "smpicc", "windows.c", &["-g"]);
}

#[test]
fn types() {
    check("types", "smpicc", "types.c", &["-g"]);
    check("types-as-cxx", "smpicxx", "types.c", &["-g", "-x", "c++"]);
    check("types-cxx", "smpicxx", "types.cpp", &["-g", "-std=c++17"]);
    check("types-fortran", "smpif90", "types.f90", &["-g", "-fallow-argument-mismatch"]);
}

#[test]
fn types_of_optimised_programs() {
    check("types-verify", "smpicc", "types.c", &["-g", "-O2", "--verify"]);
    check("types-cxx-verify", "smpicxx", "types.cpp", &["-g", "-O2", "--verify", "-std=c++17"]);
    check_some(17, "types-f-verify", "smpif90", "types.f90", &["-g", "-O2", "--verify", "-fallow-argument-mismatch"]);
    check_some(20, "types-o2", "smpicc", "types.c", &["-g", "-O2"]);
    check_some(5, "types-o3-cxx", "smpicxx", "types.cpp", &["-g", "-O3", "-std=c++17"]);
    check_some(7, "types-o3-f", "smpif90", "types.f90", &["-g", "-O3", "-fallow-argument-mismatch"]);
}

/// A simulation says the same when it is asked, and goes on.
#[test]
fn simulated() {
    let place = Place::new("bounds-simulated");
    let root = smpi_tests::toolchain::root();
    for (file, option) in [("types.c", "--cfg=smpi/buffer-types:yes"), ("stack.c", "--cfg=smpi/buffer-types:yes")] {
        let source = root.join("tests/bounds").join(file);
        let expected = expected(&fs::read_to_string(&source).expect("the program is part of the tree"));
        place.run_words(&[&place.tool("smpicc"), "-w", "-g", &source.display().to_string(), "-o", "program"], 0);
        let said = text(&place.smpirun(&[option, "-np", "2", "./program"], 0).stderr);
        let warnings = said.matches("warning: memory/").count() + more(&said);
        assert_eq!(warnings, expected.len(), "{file}: {said}");
        let said = text(&place.smpirun(&["-np", "2", "./program"], 0).stderr);
        assert!(!said.contains("memory/"), "{file}: {said}");
    }
}

/// The warnings that a simulation only counts.
fn more(said: &str) -> usize {
    let line =
        said.lines().find_map(|line| line.strip_prefix("smpirun: warning: ")?.strip_suffix(" more kinds of misuse"));
    line.map_or(0, |count| count.parse().expect("a number of kinds"))
}
