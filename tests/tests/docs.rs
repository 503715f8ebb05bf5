//! The manual keeps up with the code: `docs/smpirun.md` names every setting and every algorithm.
#![forbid(unsafe_code)]

use smpi_mpi::collective::select::Operation;
use smpi_platform::known_settings;

fn manual() -> String {
    let path = smpi_tests::toolchain::root().join("docs/smpirun.md");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn every_setting_is_in_the_manual() {
    let manual = manual();
    let operations: Vec<String> = Operation::ALL.iter().map(|operation| format!("smpi/{}", operation.name())).collect();
    // Algorithms of collectives share one row.
    let keys =
        known_settings().iter().map(|setting| setting.key).filter(|key| !operations.iter().any(|name| name == key));
    let missing: Vec<&str> = keys.filter(|key| !manual.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/smpirun.md does not name {}", missing.join(", "));
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
