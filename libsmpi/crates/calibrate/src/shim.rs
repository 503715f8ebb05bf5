//! The library that measures how long ranks are inside MPI, as C: `timing.c`, and a wrapper for each function of
//! `mpi.h`.

use std::fmt::Write;

const HEADER: &str = include_str!("../../../../include/mpi.h");
const BEGIN: &str = include_str!("timing.c");
/// Functions that are written by hand, end the program, or take any number of arguments.
const OTHERS: &[&str] = &["MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort", "MPI_Pcontrol"];

/// The source of the library.
pub fn source() -> String {
    let mut text = BEGIN.to_owned();
    for (name, parameters) in functions(HEADER) {
        let arguments: Vec<&str> = parameters.split(',').map(argument).collect();
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "int {name}({parameters})\n{{\n    double entered = enter();\n    int error = P{name}({});\n\n    \
             leave(entered);\n    return error;\n}}\n",
            arguments.join(", ")
        );
    }
    text
}

/// The functions of the header that answer an error code, with their parameters. Those about tools (`MPI_T_…`) and
/// conversions may be called before `MPI_Init`, and from tools; nobody waits in them.
fn functions(header: &str) -> impl Iterator<Item = (&str, &str)> {
    let declarations = header.split("\nint MPI_").skip(1);
    declarations.filter_map(|text| {
        let (name, rest) = text.split_once('(')?;
        let (parameters, _) = rest.split_once(");")?;
        let begin = text.as_ptr() as usize - header.as_ptr() as usize - "MPI_".len();
        let name = &header[begin..begin + "MPI_".len() + name.len()];
        let is_tool = name.starts_with("MPI_T_") || name.starts_with("MPI_Status_") || name.starts_with("MPI_Abi_");
        (!is_tool && !OTHERS.contains(&name)).then_some((name, parameters))
    })
}

/// The name of a parameter: its last word.
fn argument(parameter: &str) -> &str {
    let is_other = |c: char| !c.is_alphanumeric() && c != '_';
    let parameter = parameter.split('[').next().unwrap_or_default().trim_end_matches(is_other);
    let name = parameter.rsplit(is_other).next().unwrap_or_default();
    if name == "void" { "" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_their_arguments() {
        let header = "\nint PMPI_A(int a);\nint MPI_A(const int *a, struct MPI_Status\n    b[], MPI_Comm comm);\nint MPI_Init(int *argc, char ***argv);\nint MPI_B(void);\n";
        let found: Vec<_> = functions(header).collect();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].0, found[1]), ("MPI_A", ("MPI_B", "void")));
        assert_eq!(found[0].1.split(',').map(argument).collect::<Vec<_>>(), ["a", "b", "comm"]);
        assert_eq!((argument("void"), argument(" int (*ranges)[3]")), ("", "ranges"));
        assert!(source().contains("PMPI_Waitall(count, array_of_requests, array_of_statuses);"));
    }
}
