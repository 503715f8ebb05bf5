//! Fortran's interfaces against the data of the ABI and the library: every C function has its entry points, and
//! everything that a module names exists. That the files are valid Fortran is tested in `headers.rs`.

use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn root() -> PathBuf {
    smpi_tests::toolchain::root()
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// First fields of a CSV file's rows.
fn names(file: &str) -> Vec<String> {
    let rows = text(&format!("libsmpi/abi/{file}"));
    rows.lines().skip(1).filter_map(|line| line.split(',').next().map(str::to_owned)).collect()
}

/// Names that `libsmpi.so` defines for others.
fn exports() -> BTreeSet<String> {
    let executable = std::env::current_exe().expect("the test has an executable");
    let profile = executable.ancestors().nth(2).expect("the executable is in target/<profile>/deps");
    let directories = match std::env::var_os("SMPI_TEST_BIN") {
        Some(directory) => vec![PathBuf::from(directory)],
        None => vec![profile.to_owned(), profile.with_file_name("release")],
    };
    let found = directories.iter().map(|directory| directory.join("libsmpi.so")).find(|path| path.is_file());
    let path = found.unwrap_or_else(|| panic!("no libsmpi.so in {directories:?}; run `cargo build --release` first"));
    let data = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = object::File::parse(data.as_slice()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let defined = file.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
    defined.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

/// Functions that only C needs: the tool interface, and the way to and from Fortran's handles.
fn is_c_only(name: &str) -> bool {
    name.starts_with("MPI_T_") || name.ends_with("_toint") || name.ends_with("_fromint") || name.contains("_fortran_")
}

#[test]
fn every_c_function_has_fortran_entry_points() {
    let exports = exports();
    let functions: Vec<String> = names("functions.csv").into_iter().filter(|name| !is_c_only(name)).collect();
    assert!(functions.len() > 550, "{} functions", functions.len());
    let missing: Vec<String> = functions
        .iter()
        .chain(&names("fortran_only.csv"))
        .flat_map(|name| ["", "p"].map(|prefix| format!("{prefix}{}", name.to_lowercase())))
        // A large-count function with a choice buffer exists for mpi_f08 only.
        .filter(|name| ![format!("{name}_"), format!("{name}_f08ts_")].iter().any(|symbol| exports.contains(symbol)))
        .collect();
    assert!(missing.is_empty(), "no entry points: {missing:?}");
}

/// The linker's names of all procedures that a module declares.
fn declared(module: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut in_abstract = false;
    let mut head = String::new();
    for line in module.lines().map(str::trim) {
        in_abstract = (in_abstract || line == "abstract interface") && line != "end interface";
        let continued = line.strip_suffix('&');
        head.push_str(continued.unwrap_or(line));
        if continued.is_some() {
            continue;
        }
        let declaration = std::mem::take(&mut head);
        let rest =
            ["subroutine ", "function ", "elemental function "].iter().find_map(|word| declaration.strip_prefix(word));
        let (Some(rest), false) = (rest, in_abstract) else { continue };
        let bound = declaration.split_once("name=\"").and_then(|(_, name)| name.split('"').next());
        let plain = rest.split('(').next().unwrap_or_default().to_lowercase();
        found.insert(bound.map_or(format!("{plain}_"), str::to_owned));
    }
    found
}

#[test]
fn what_the_modules_declare_exists() {
    let exports = exports();
    for (file, least) in [("include/mpi.f90", 800), ("include/mpi_f08.f90", 1100)] {
        let declared = declared(&text(file));
        assert!(declared.len() > least, "{file}: {} procedures", declared.len());
        let missing: Vec<&String> = declared.difference(&exports).collect();
        assert!(missing.is_empty(), "{file} declares what libsmpi.so lacks: {missing:?}");
    }
}
