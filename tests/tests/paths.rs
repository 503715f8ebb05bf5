//! The source lines of calls, and the paths that lead to them, are those of the source: in Fortran, C++, libraries and
//! functions that are called back, with and without optimisation.
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_tests::place::Place;
use smpi_tests::toolchain::{in_path, root};
use std::collections::BTreeMap;

const OPTIMISATIONS: [&[&str]; 4] = [&["-O0"], &["-O2"], &["-O2", "-fno-omit-frame-pointer"], &["-O3", "-flto"]];

/// By call with its place: the paths to it, each as `function:line` of its calls, the inner first; sorted.
type Paths = BTreeMap<String, Vec<String>>;

fn source(name: &str) -> String {
    root().join("tests/profile/paths").join(name).display().to_string()
}

fn where_it_is(place: &Value) -> String {
    let word = |key: &str| place[key].as_str().unwrap_or("?");
    format!("{} in {}:{}", word("call"), word("function"), place["line"])
}

/// What a profile of two ranks says.
fn paths(place: &Place, options: &[&str], program: &str) -> Paths {
    place.smpirun(&[&["-np", "2", "--profile-json=profile.json"], options, &[program]].concat(), 0);
    let text = std::fs::read_to_string(place.directory.join("profile.json")).unwrap();
    let profile: Value = serde_json::from_str(&text).unwrap();
    let rows = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let callers = |path: &Value| rows(&path["callers"]).iter().map(where_it_is).collect::<Vec<_>>().join(", ");
    let path = |row: &Value| {
        let mut paths: Vec<String> = rows(&row["paths"]).iter().map(callers).collect();
        paths.sort();
        (where_it_is(&row["place"]), paths)
    };
    rows(&profile["calls"]).iter().map(path).collect()
}

#[track_caller]
fn are(found: &Paths, expected: &[(&str, &[&str])], how: &str) {
    let mut rest = found.clone();
    for (call, paths) in expected {
        assert_eq!(rest.remove(*call).unwrap_or_default(), *paths, "{how}: {call}\n{found:#?}");
    }
    assert!(rest.is_empty(), "{how}: {rest:#?}");
}

#[test]
fn of_fortran_with_each_of_its_interfaces() {
    if !in_path("gfortran") {
        return;
    }
    let place = Place::new("paths-fortran");
    for optimisation in OPTIMISATIONS {
        for interface in [&[][..], &["-DMODULE=mpi"], &["-DMODULE=mpi_f08"]] {
            let words = [&[&place.tool("smpif90"), "-g", &source("steps.F90"), "-o", "steps"], optimisation, interface];
            place.run_words(&words.concat(), 0);
            let expected: [(&str, &[&str]); 4] = [
                ("MPI_Init in steps:39", &[]),
                (
                    "MPI_Barrier in work::synchronise:18",
                    &["work::synchronise in steps:43", "work::synchronise in work::step:23, work::step in steps:41"],
                ),
                ("MPI_Bcast in outside:54", &["outside in inner:28, inner in work::step:25"]),
                ("MPI_Finalize in steps:45", &[]),
            ];
            let found = paths(&place, &[], "./steps");
            are(&found, &expected, &format!("{optimisation:?} {interface:?}"));
        }
    }
}

#[test]
fn of_templates_lambdas_exceptions_and_virtual_functions() {
    let place = Place::new("paths-objects");
    for optimisation in OPTIMISATIONS {
        let words = [&[&place.tool("smpicxx"), "-g", &source("objects.cpp"), "-o", "objects"], optimisation];
        place.run_words(&words.concat(), 0);
        let expected: [(&str, &[&str]); 7] = [
            ("MPI_Init in main:65", &[]),
            (
                "MPI_Bcast in grid::Field<double, 8>::exchange(double):14",
                &["grid::Field<double, 8>::exchange(double) in main:67"],
            ),
            (
                "MPI_Barrier in grid::check(int):28",
                &["grid::check(int) in grid::attempt(int):37, grid::attempt(int) in main:69"],
            ),
            ("MPI_Reduce in grid::attempt(int):40", &["grid::attempt(int) in main:69"]),
            ("MPI_Exscan in operator():72", &["operator() in main:71"]),
            (
                "MPI_Scan in grid::Derived::act(int):52",
                &[
                    "grid::Derived::act(int) in grid::through(grid::Base*, int):58, grid::through(grid::Base*, int) in main:76",
                ],
            ),
            ("MPI_Finalize in main:78", &[]),
        ];
        let mut found = paths(&place, &[], "./objects");
        // Compilers give the destructor's call that an exception leads to one line or another of the function.
        let destroyed = found.remove("MPI_Allreduce in grid::Guard::~Guard():22").unwrap_or_default();
        let is_right = |path: &String| {
            path.starts_with("grid::Guard::~Guard() in grid::attempt(int):")
                && path.ends_with(", grid::attempt(int) in main:69")
        };
        assert!(!destroyed.is_empty() && destroyed.iter().all(is_right), "{optimisation:?}: {destroyed:?}");
        are(&found, &expected, &format!("{optimisation:?}"));
    }
}

#[test]
fn of_libraries_and_functions_that_are_called_back() {
    let place = Place::new("paths-library");
    let smpicc = place.tool("smpicc");
    let include = format!("-I{}", root().join("include").display());
    for optimisation in OPTIMISATIONS {
        // A library of our wrapper is private to each rank, one of another compiler is shared and none of the user's.
        for compiler in [&[smpicc.as_str()][..], &["cc", &include]] {
            let library = [compiler, &["-g", "-shared", "-fPIC", &source("library.c"), "-o", "liblibrary.so"]];
            place.run_words(&[&library.concat(), optimisation].concat(), 0);
            let words =
                [&smpicc, "-g", &source("program.c"), "-o", "program", "-L.", "-llibrary", "-Wl,-rpath,$ORIGIN"];
            place.run_words(&[&words, optimisation].concat(), 0);
            let mut expected: Vec<(&str, &[&str])> = vec![
                ("MPI_Init in main:49", &[]),
                ("MPI_Allreduce in compare:21", &["compare in sort:26, sort in main:53"]),
                (
                    "MPI_Scan in scan:31",
                    &["scan in aligned:44, aligned in main:55", "scan in variable:38, variable in main:54"],
                ),
                ("MPI_Finalize in main:56", &[]),
            ];
            let of_library: [(&str, &[&str]); 3] = if compiler.len() == 1 {
                [
                    (
                        "MPI_Barrier in exchange:6",
                        &[
                            "exchange in library_exchange:11, library_exchange in main:52",
                            "exchange in library_exchange:11, library_exchange in step:16",
                        ],
                    ),
                    ("MPI_Bcast in own:11", &["own in library_call:15, library_call in step:16"]),
                    ("", &[]),
                ]
            } else {
                [
                    ("MPI_Barrier in step:16", &["step in main:51"]),
                    ("MPI_Bcast in own:11", &["own in step:16, step in main:51"]),
                    ("MPI_Barrier in main:52", &[]),
                ]
            };
            expected.extend(of_library);
            are(&paths(&place, &[], "./program"), &expected, &format!("{optimisation:?} {compiler:?}"));
        }
    }
}
