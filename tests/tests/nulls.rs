//! Every function of MPI with every null pointer for what it hands out: `MPI_ERR_ARG`, whatever else it is given, so
//! that nothing can have been done before. The functions come from the description of the ABI.
//!
//! What may be null is not tried: statuses and arrays, and what tools ask for (`MPI_T_…`).
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};
use smpi_tests::toolchain;
use std::fmt::Write;

/// Functions that end or begin something, or end the program.
const NOT_TRIED: [&str; 4] = ["MPI_Abort", "MPI_Finalize", "MPI_Init", "MPI_Init_thread"];

/// A parameter: its type in C, and its name.
struct Parameter {
    ctype: String,
    name: String,
}

/// The functions that return an error code, with their parameters.
fn functions() -> Vec<(String, Vec<Parameter>)> {
    let path = toolchain::root().join("libsmpi/abi/functions.csv");
    let table = std::fs::read_to_string(&path).expect("the description of the ABI can be read");
    let function = |line: &str| {
        let (name, rest) = line.split_once(',')?;
        let parameters = rest.strip_prefix("int,")?.trim_matches('"');
        let is_tried = !name.starts_with("MPI_T_") && !NOT_TRIED.contains(&name) && !parameters.contains("...");
        let parameter = |text: &str| {
            let text = text.trim();
            let start = text.find('[').unwrap_or(text.len());
            let at = text[..start].rfind([' ', '*'])? + 1;
            let ctype = format!("{}{}", text[..at].trim(), if start < text.len() { "[]" } else { "" });
            Some(Parameter { ctype, name: text[at..start].to_string() })
        };
        Some((name.to_string(), parameters.split(',').filter_map(parameter).collect())).filter(|_| is_tried)
    };
    table.lines().skip(1).filter_map(function).collect()
}

/// Whether a function writes something there that is no array and may not be left out.
fn is_place(Parameter { ctype, name }: &Parameter) -> bool {
    let Some(pointee) = ctype.strip_suffix('*').map(str::trim) else { return false };
    match pointee {
        "int" | "MPI_Count" | "MPI_Aint" | "MPI_Offset" | "MPI_Fint" => true,
        "MPI_Status" => false,
        "char" => name != "value" && name != "pset_name",
        "void" => name == "baseptr",
        handle => handle.starts_with("MPI_") && !handle.contains("function"),
    }
}

fn argument(parameter: &Parameter, null: &str) -> String {
    match parameter.ctype.as_str() {
        _ if parameter.name == null => "0".to_string(),
        "MPI_Comm" => "MPI_COMM_SELF".to_string(),
        "MPI_Errhandler" => "MPI_ERRORS_RETURN".to_string(),
        _ if is_place(parameter) => "(void *)room".to_string(),
        _ => "0".to_string(),
    }
}

#[test]
fn every_null_pointer_for_a_result_is_refused_before_anything_else() {
    let mut source = "#include <mpi.h>\n#include <stdio.h>\nstatic long room[1024];\n\
                      static void is_refused(int code, const char *what) {\n    int class;\n    \
                      MPI_Error_class(code, &class);\n    if (class != MPI_ERR_ARG)\n        \
                      printf(\"%s: class %d\\n\", what, class);\n}\n\
                      int main(int argc, char **argv) {\n    MPI_Init(&argc, &argv);\n    \
                      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n    \
                      MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);\n"
        .to_string();
    let mut count = 0;
    for (name, parameters) in functions() {
        for place in parameters.iter().filter(|parameter| is_place(parameter)) {
            let arguments: Vec<String> = parameters.iter().map(|one| argument(one, &place.name)).collect();
            let _ = writeln!(source, "    is_refused({name}({}), \"{name}, {}\");", arguments.join(", "), place.name);
            count += 1;
        }
    }
    source.push_str("    printf(\"done\\n\");\n    MPI_Finalize();\n    return 0;\n}\n");
    assert!(count > 400, "{count} pairs of a function and a parameter");
    let place = Place::new("nulls");
    let program = place.compile("nulls", &source, &["-O0", "-w"]);
    let finished = place.smpirun(&["--quiet", "-np", "1", &program], 0);
    assert_eq!(text(&finished.stdout), "done\n", "{}", text(&finished.stderr));
}
