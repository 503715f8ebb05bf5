//! The tool of `cargo xtask coverage`: C source of a library with all of MPI's functions, to be preloaded.
//!
//! Told so by its environment, it writes down which functions a program calls, or breaks one of them. A broken function
//! does nothing and reports success. Where it would make an object, it makes another one that can be used all the same
//! (a communicator of this process alone, a request that is complete, a window without memory of others), so that a
//! program has to look at what the object does. Calls that fail by themselves go on failing: that a function refuses
//! wrong arguments is no result of it, unless the function always refuses. Profiling interface: MPI 5.0 §15.2.

use crate::codegen_model::{Abi, Function, Parameter};

/// A file that called functions are appended to: `called NAME`, and `failed NAME RANK NUMBER` for a call with an error.
pub const TRACE: &str = "SMPI_COVERAGE_TRACE";
/// The name of the function to be broken.
pub const BROKEN: &str = "SMPI_COVERAGE_BROKEN";
/// The calls of this function that are left alone: `RANK:NUMBER,` for each.
pub const FAILED: &str = "SMPI_COVERAGE_FAILED";
/// If set, the broken function does its work and then reports an error.
pub const REFUSING: &str = "SMPI_COVERAGE_REFUSING";

/// What the functions share. Ranks are numbered as in MPI_COMM_WORLD, -1 where there is none; a rank's calls of a
/// function are numbered from 0.
const HEAD: &str = r#"#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct function {
    const char *name;
    int calls, noted, mutated;
};
struct call {
    int rank, number;
};

static const char *of_environment(const char *name)
{
    const char *text = getenv(name);
    return text ? text : "";
}

static struct call next_call(struct function *f)
{
    struct call call = {-1, f->calls++};
    int begun = 0, ended = 0;
    PMPI_Initialized(&begun);
    PMPI_Finalized(&ended);
    if (begun && !ended)
        PMPI_Comm_rank(MPI_COMM_WORLD, &call.rank);
    return call;
}

static void note(const char *line)
{
    const char *path = of_environment("SMPI_COVERAGE_TRACE");
    int file = *path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
    if (file < 0)
        return;
    if (write(file, line, strlen(line)) < 0)
        abort();
    close(file);
}

static void note_call(struct function *f)
{
    char line[100];
    if (f->noted++)
        return;
    snprintf(line, sizeof line, "called %s\n", f->name);
    note(line);
}

static void note_result(struct function *f, struct call call, int code)
{
    char line[100];
    if (code == MPI_SUCCESS)
        return;
    snprintf(line, sizeof line, "failed %s %d %d\n", f->name, call.rank, call.number);
    note(line);
}

/* Whether this call is to be broken. A program that asks again and again would never end. */
static int is_broken(struct function *f, struct call call)
{
    char text[40];
    if (strcmp(f->name, of_environment("SMPI_COVERAGE_BROKEN")) != 0)
        return 0;
    snprintf(text, sizeof text, ",%d:%d,", call.rank, call.number);
    if (strstr(of_environment("SMPI_COVERAGE_FAILED"), text))
        return 0;
    if (++f->mutated > 20000)
        exit(97);
    return 1;
}

static int is_refusing(void)
{
    return *of_environment("SMPI_COVERAGE_REFUSING") != 0;
}

static void nothing(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    (void)in, (void)inout, (void)count, (void)datatype;
}
"#;

/// What a broken function puts where a handle is expected: type, and statement with `$` for the parameter.
const SUBSTITUTES: &[(&str, &str)] = &[
    ("MPI_Comm *", "PMPI_Comm_dup(MPI_COMM_SELF, $)"),
    ("MPI_Group *", "PMPI_Comm_group(MPI_COMM_SELF, $)"),
    ("MPI_Datatype *", "PMPI_Type_contiguous(3, MPI_BYTE, $), PMPI_Type_commit($)"),
    ("MPI_Op *", "PMPI_Op_create(nothing, 1, $)"),
    ("MPI_Errhandler *", "*$ = MPI_ERRORS_RETURN"),
    ("MPI_Info *", "PMPI_Info_create($)"),
    ("MPI_Win *", "PMPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, $)"),
    ("MPI_File *", "PMPI_File_open(MPI_COMM_SELF, \"/dev/null\", MPI_MODE_RDWR, MPI_INFO_NULL, $)"),
    ("MPI_Message *", "*$ = MPI_MESSAGE_NO_PROC"),
    ("MPI_Request *", "*$ = MPI_REQUEST_NULL"),
];

/// Names, or parts of them, of functions whose handle parameter is not (only) a result.
const CHANGE_HANDLES: &[&str] =
    &["_free", "_disconnect", "_close", "_commit", "_finalize", "MPI_Mrecv", "MPI_Start", "MPI_Wait", "MPI_Test"];

/// The whole source.
pub fn source(abi: &Abi) -> String {
    let mut text = HEAD.to_owned();
    abi.functions.iter().for_each(|function| text.push_str(&wrapper(function)));
    text
}

fn wrapper(function: &Function) -> String {
    let Function { name, returns, parameters } = function;
    let variadic = name == "MPI_Pcontrol";
    let fixed = if variadic { &parameters[..1] } else { parameters };
    let mut declared: Vec<String> = fixed.iter().map(declaration).collect();
    declared.extend(variadic.then(|| "...".to_owned()));
    if declared.is_empty() {
        declared.push("void".to_owned());
    }
    let names: Vec<&str> = fixed.iter().map(|parameter| parameter.name.as_str()).collect();
    let call = format!("P{name}({})", names.join(", "));
    let (declared, code) = (declared.join(", "), function.returns_error_code());
    let mut text = format!(
        "\n{returns} {name}({declared})\n{{\n    static struct function f = {{\"{name}\", 0, 0, 0}};\n    \
         struct call call = next_call(&f);\n    {returns} outcome;\n    if (is_broken(&f, call)) {{\n"
    );
    if code {
        text.push_str(&format!("        if (is_refusing())\n            return {call}, MPI_ERR_OTHER;\n"));
        let substitutes = fixed.iter().filter_map(|parameter| substitute(function, parameter));
        substitutes.for_each(|statement| text.push_str(&format!("        {statement};\n")));
    }
    let noted = if code { "    note_result(&f, call, outcome);\n" } else { "" };
    text.push_str(&format!(
        "        return ({returns})0;\n    }}\n    note_call(&f);\n    outcome = {call};\n{noted}    return outcome;\n}}\n"
    ));
    text
}

fn declaration(Parameter { name, ctype, .. }: &Parameter) -> String {
    match ctype.split_once("(*)") {
        Some((before, after)) => format!("{before}(*{name}){after}"),
        None => format!("{ctype} {name}"),
    }
}

/// The statement that fills in a result of a broken function, if something must be there.
fn substitute(function: &Function, parameter: &Parameter) -> Option<String> {
    let name = function.name.as_str();
    let makes = !CHANGE_HANDLES.iter().any(|part| name.contains(part)) && !parameter.is_array;
    let inert = name.contains("_init") && parameter.ctype == "MPI_Request *";
    let statement = match parameter.ctype.as_str() {
        _ if !makes => return None,
        "MPI_Message *" if name.contains("Imrecv") => return None,
        "int *" if name.contains("create_keyval") && parameter.name.ends_with("keyval") => {
            "PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, $, NULL)"
        }
        // An empty one would be right.
        "MPI_Info *" if name == "MPI_Info_create" => "PMPI_Info_dup(MPI_INFO_ENV, $)",
        "void *" if parameter.name == "baseptr" && name.starts_with("MPI_Win_allocate") => {
            "*(void **)$ = calloc(1, size + 1)"
        }
        // Partitions can be marked ready, and nothing arrives.
        _ if inert && (name.starts_with("MPI_Ps") || name.starts_with("MPI_Pr")) => {
            "PMPI_Psend_init(buf, partitions, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, info, $)"
        }
        _ if inert => "PMPI_Send_init(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, $)",
        ctype => SUBSTITUTES.iter().find(|(known, _)| *known == ctype)?.1,
    };
    Some(statement.replace('$', &parameter.name))
}
