//! The manual keeps up with the code: `docs/smpirun.md` names every algorithm (its table of settings is generated), and
//! every finding of `docs/findings.md` has a program that shows it and a program that comes near it and is right.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;

use smpi_mpi::collective::select::Operation;

fn manual() -> String {
    let path = smpi_tests::toolchain::root().join("docs/smpirun.md");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn every_algorithm_is_in_the_manual() {
    let manual = manual();
    let row = |operation: &Operation| {
        let names: Vec<String> = operation.algorithms().iter().map(|name| format!("`{name}`")).collect();
        format!("| `{}` | {} |", operation.name(), names.join(", "))
    };
    let missing: Vec<String> =
        Operation::ALL.iter().map(row).filter(|row| !manual.lines().any(|line| line == row)).collect();
    assert!(missing.is_empty(), "docs/smpirun.md lacks these rows:\n{}", missing.join("\n"));
}

/// Findings that are warnings only: a program shows them by what smpirun says, not by a finding.
const WARNINGS: [&str; 2] = ["request/never-started", "memory/type"];

#[test]
fn every_finding_has_a_program_that_shows_it_and_one_that_does_not() {
    let root = smpi_tests::toolchain::root();
    let list = std::fs::read_to_string(root.join("docs/findings.md")).unwrap();
    let keys: BTreeSet<&str> = list.lines().filter_map(|line| line.strip_prefix("| [`")?.split('`').next()).collect();
    let (mut shown, mut passed) = (BTreeSet::new(), BTreeSet::new());
    for entry in std::fs::read_dir(root.join("tests/programs/verify")).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let directives = smpi_tests::directives::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let warned =
            |key: &str| directives.stderr_contains.iter().any(|text| text.contains(&format!("warning: {key}:")));
        shown.extend(WARNINGS.iter().filter(|key| warned(key)).map(|key| key.to_string()));
        let Some(expected) = directives.verification else { continue };
        for key in expected.findings.iter().chain(&expected.passes) {
            assert!(keys.contains(key.as_str()), "{}: {key} is not in docs/findings.md", path.display());
        }
        shown.extend(expected.findings);
        passed.extend(expected.passes);
    }
    for (what, programs) in [("shows", shown), ("passes", passed)] {
        let missing: Vec<&str> = keys.iter().copied().filter(|key| !programs.contains(*key)).collect();
        assert!(missing.is_empty(), "no program in tests/programs/verify/ {what} {}", missing.join(", "));
    }
}
