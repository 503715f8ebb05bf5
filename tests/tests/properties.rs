//! Properties (`--ltl`, `--automaton`): where formulas come from, and what is refused.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};
use smpi_tests::toolchain::root;

/// Compiles a program of `tests/programs/verify`.
fn compiled(place: &Place, name: &str) -> String {
    let source = root().join(format!("tests/programs/verify/{name}")).display().to_string();
    place.run_words(&[&place.tool("smpicc"), "-g", &source, "-o", "program"], 0);
    "./program".to_string()
}

#[test]
fn a_formula_may_be_in_a_file() {
    let place = Place::new("property-file");
    let program = compiled(&place, "ltl_starved.c");
    let formula = "# What is asked for\nG (request1   // by rank 1\n  -> F cs1) /* is\n granted. */\n";
    std::fs::write(place.directory.join("granted.ltl"), formula).unwrap();
    let words = ["--verify", "--ltl=@granted.ltl", "-np", "4", &program];
    let said = text(&place.smpirun(&words, 1).stderr);
    assert!(said.contains("liveness: G (request1 -> F cs1) does not hold"), "{said}");
    // Places count the lines of the file.
    std::fs::write(place.directory.join("granted.ltl"), "# one\nG request1 -> -> F cs1\n").unwrap();
    let said = text(&place.smpirun(&words, 2).stderr);
    assert!(said.contains("--ltl @granted.ltl: line 2, column 15: found `->`"), "{said}");
    std::fs::remove_file(place.directory.join("granted.ltl")).unwrap();
    let said = text(&place.smpirun(&words, 2).stderr);
    assert!(said.contains("--ltl @granted.ltl: ") && said.contains("expected a file with a formula"), "{said}");
}

#[test]
fn operators_need_no_spaces_where_names_are_known() {
    let place = Place::new("property-spaces");
    let program = compiled(&place, "ltl_turns.c");
    let run = |formula: &str, code: i32| {
        let option = format!("--ltl={formula}");
        text(&place.smpirun(&["--verify", &option, "--buffering=zero", "-np", "3", &program], code).stderr)
    };
    assert!(run("Fdone", 0).contains("Fdone holds"));
    assert!(run("GFdone", 0).contains("GFdone holds"));
    assert!(run("Gdone", 1).contains("Gdone does not hold"));
    assert!(run("Fdon", 2).contains("no rank names the proposition Fdon"));
}

#[test]
fn the_function_of_a_proposition_calls_no_mpi() {
    let place = Place::new("property-function");
    let program = compiled(&place, "parts/proposition_calls.c");
    let said = text(&place.smpirun(&["--verify", "--ltl=F done", "-np", "2", &program], 2).stderr);
    let wanted = "--ltl 'F done': the function of a proposition calls MPI_Comm_size; expected one that only looks at";
    assert!(said.contains(wanted), "{said}");
}
