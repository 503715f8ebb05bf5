//! The C interface against the data of the standard ABI (`libsmpi/abi/*.csv`, MPI 5.0 §20).
//!
//! A C probe made from the data checks types, prototypes and values of `include/mpi.h` with the C compiler; bindgen
//! reads the header back and is compared with the Rust wrappers; the symbol table of `libsmpi.so` must hold exactly
//! what the data names. Nothing is run under `smpirun` here.

use object::{Object, ObjectSymbol};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One line of a CSV file.
type Row = Vec<String>;

fn root() -> PathBuf {
    smpi_tests::toolchain::root()
}

/// Rows of `libsmpi/abi/<name>` without the heading.
fn csv(name: &str) -> Vec<Row> {
    let text = fs::read_to_string(root().join("libsmpi/abi").join(name)).expect("the ABI data is part of the tree");
    let fields = |line: &str| {
        // Commas inside quotes separate parameters, not fields.
        let parts = line.split('"').enumerate();
        let marked: String =
            parts.map(|(i, part)| if i % 2 == 0 { part.replace(',', "\t") } else { part.to_owned() }).collect();
        marked.split('\t').map(str::to_owned).collect()
    };
    text.lines().skip(1).map(fields).collect()
}

/// The standard's functions, then those that only serve Fortran.
fn functions() -> Vec<Row> {
    let standard = csv("functions.csv");
    assert_eq!(standard.len(), 664);
    standard.into_iter().chain(csv("fortran_handles.csv")).collect()
}

/// A fresh directory for what one test writes.
fn scratch(test: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("smpi-abi-{test}-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("the temporary directory is writable");
    directory
}

/// Runs a command and returns its standard output; fails the test with its messages if it fails.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed:\n{messages}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn compile(compiler: &str, words: &[&str], source: &Path, output: &Path) {
    let include = root().join("include");
    run(Command::new(compiler).args(words).arg("-I").arg(include).arg("-o").arg(output).arg(source));
}

/// C type of a constant of kind `other`, which the data leaves to the prototypes.
fn other_type(name: &str) -> &'static str {
    match name {
        "MPI_BOTTOM" | "MPI_IN_PLACE" | "MPI_BUFFER_AUTOMATIC" => "void *",
        "MPI_ARGV_NULL" => "char **",
        "MPI_ARGVS_NULL" => "char ***",
        "MPI_ERRCODES_IGNORE" | "MPI_UNWEIGHTED" | "MPI_WEIGHTS_EMPTY" => "int *",
        "MPI_STATUS_IGNORE" | "MPI_STATUSES_IGNORE" => "MPI_Status *",
        "MPI_DISPLACEMENT_CURRENT" => "MPI_Offset",
        "MPI_NULL_COPY_FN" | "MPI_DUP_FN" => "MPI_Copy_function *",
        "MPI_NULL_DELETE_FN" => "MPI_Delete_function *",
        "MPI_COMM_NULL_COPY_FN" | "MPI_COMM_DUP_FN" => "MPI_Comm_copy_attr_function *",
        "MPI_COMM_NULL_DELETE_FN" => "MPI_Comm_delete_attr_function *",
        "MPI_TYPE_NULL_COPY_FN" | "MPI_TYPE_DUP_FN" => "MPI_Type_copy_attr_function *",
        "MPI_TYPE_NULL_DELETE_FN" => "MPI_Type_delete_attr_function *",
        "MPI_WIN_NULL_COPY_FN" | "MPI_WIN_DUP_FN" => "MPI_Win_copy_attr_function *",
        "MPI_WIN_NULL_DELETE_FN" => "MPI_Win_delete_attr_function *",
        "MPI_CONVERSION_FN_NULL" => "MPI_Datarep_conversion_function *",
        "MPI_CONVERSION_FN_NULL_C" => "MPI_Datarep_conversion_function_c *",
        "MPI_T_ENUM_NULL" => "MPI_T_enum",
        "MPI_T_CVAR_HANDLE_NULL" => "MPI_T_cvar_handle",
        "MPI_T_PVAR_SESSION_NULL" => "MPI_T_pvar_session",
        "MPI_T_PVAR_HANDLE_NULL" | "MPI_T_PVAR_ALL_HANDLES" => "MPI_T_pvar_handle",
        _ => panic!("constants.csv has a new constant {name} of kind other"),
    }
}

/// The C program that compares the header with the data: types while it is compiled, values when it runs.
fn probe() -> String {
    let mut c = String::from(
        "#include <mpi.h>\n#include <stddef.h>\n#include <stdio.h>\n\
         #define SAME(x, ...) _Static_assert(__builtin_types_compatible_p(__typeof__(x), __VA_ARGS__), #x)\n\
         #define VALUE(x, v) if ((long long)(intptr_t)(x) != (v)) { printf(\"%s\\n\", #x); }\n\
         _Static_assert(sizeof(MPI_Status) == 32, \"size of MPI_Status\");\n\
         _Static_assert(offsetof(MPI_Status, MPI_SOURCE) == 0, \"MPI_SOURCE\");\n\
         _Static_assert(offsetof(MPI_Status, MPI_TAG) == 4, \"MPI_TAG\");\n\
         _Static_assert(offsetof(MPI_Status, MPI_ERROR) == 8, \"MPI_ERROR\");\n\
         _Static_assert(offsetof(MPI_Status, MPI_internal) == 12, \"MPI_internal\");\n",
    );
    for row in csv("types.csv").iter().filter(|row| row[0] != "MPI_Status") {
        let definition = row[1].split(" (pointer").next().unwrap_or_default();
        c.push_str(&format!("SAME({}, {definition});\n", row[0]));
    }
    for row in functions() {
        for prefix in ["", "P"] {
            c.push_str(&format!("SAME({prefix}{}, {} ({}));\n", row[0], row[1], row[2]));
        }
    }
    let constants = csv("constants.csv");
    for row in &constants {
        let ctype = if row[1] == "other" { other_type(&row[0]) } else { row[1].as_str() };
        c.push_str(&format!("SAME({}, {ctype});\n", row[0]));
    }
    c.push_str("int main(void) {\n");
    for row in &constants {
        c.push_str(&format!("VALUE({}, {}LL)\n", row[0], row[3]));
    }
    c.push_str("return 0; }\n");
    c
}

#[test]
fn header_agrees_with_the_data_of_the_standard_abi() {
    let directory = scratch("probe");
    let (source, program) = (directory.join("probe.c"), directory.join("probe"));
    fs::write(&source, probe()).expect("the temporary directory is writable");
    compile("gcc", &["-std=c11", "-Wall", "-Werror"], &source, &program);
    assert_eq!(run(&mut Command::new(&program)), "", "constants with a wrong value");
}

/// Functions of Rust text, name → parameters, each written without blanks, paths and optional commas.
fn rust_prototypes(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for item in text.split("pub fn ").chain(text.split("pub unsafe extern \"C\" fn ")).skip(1) {
        let Some((name, rest)) = item.split_once('(') else { continue };
        let plain = rest.replace(['\n', ' '], "").replace("::std::os::raw::", "").replace("usize]", "]");
        let Some((parameters, _)) = plain.split_once(")->") else { continue };
        let types = parameters.split(',').filter_map(|parameter| parameter.split_once(':')).map(|(_, rust)| {
            rust.strip_prefix("Option<").and_then(|inner| inner.strip_suffix('>')).unwrap_or(rust).to_owned()
        });
        found.insert(name.to_owned(), types.collect::<Vec<_>>().join(","));
    }
    found
}

#[test]
fn bindgen_reads_the_header_as_the_wrappers_declare_it() {
    let header = root().join("include/mpi.h").display().to_string();
    let bindings = bindgen::Builder::default().header(header).allowlist_item("P?MPI_.*").generate();
    let text = bindings.expect("bindgen reads mpi.h").to_string();
    assert!(text.contains("[\"Size of MPI_Status\"][::std::mem::size_of::<MPI_Status>() - 32usize]"), "MPI_Status");

    let read_back = rust_prototypes(&text);
    let mut declared = BTreeMap::new();
    for entry in fs::read_dir(root().join("libsmpi/src/abi/generated")).expect("the wrappers are committed") {
        let path = entry.expect("the directory is readable").path();
        declared.extend(rust_prototypes(&fs::read_to_string(path).expect("the wrappers are text")));
    }
    assert_eq!(declared.len(), 2 * functions().len());
    for (name, parameters) in &declared {
        if name.ends_with("MPI_Pcontrol") {
            // Variadic in C. The wrapper takes what an annotation has behind the level (`include/smpi/smpi.h`) as fixed
            // arguments.
            assert!(text.contains(&format!("pub fn {name}(level: ::std::os::raw::c_int, ...)")), "{name} is variadic");
            assert_eq!(parameters, "c_int,c_int,*constc_int", "{name}");
            continue;
        }
        assert_eq!(read_back.get(name), Some(parameters), "{name}");
    }
    for row in csv("constants.csv").iter().filter(|row| row[1] == "int") {
        let known =
            ["u32", "i32"].iter().any(|kind| text.contains(&format!("pub const {}: {kind} = {};", row[0], row[3])));
        assert!(known, "{} = {}", row[0], row[3]);
    }
}

/// `libsmpi.so` from `SMPI_TEST_BIN`, this test's profile, or `release`.
fn library() -> PathBuf {
    let executable = std::env::current_exe().expect("the test has an executable");
    let profile = executable.ancestors().nth(2).expect("the executable is in target/<profile>/deps");
    let directories = match std::env::var_os("SMPI_TEST_BIN") {
        Some(directory) => vec![PathBuf::from(directory)],
        None => vec![profile.to_owned(), profile.with_file_name("release")],
    };
    let found = directories.iter().map(|directory| directory.join("libsmpi.so")).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("no libsmpi.so in {directories:?}; run `cargo build --release` first"))
}

/// Names that a shared library defines for others.
fn exports(path: &Path) -> BTreeSet<String> {
    let data = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = object::File::parse(data.as_slice()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let defined = file.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
    defined.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

#[test]
fn library_exports_every_function_of_the_abi_and_its_profiling_twin() {
    let ours: BTreeSet<String> =
        exports(&library()).into_iter().filter(|name| name.starts_with("MPI_") || name.starts_with("PMPI_")).collect();
    let wanted: BTreeSet<String> =
        functions().iter().flat_map(|row| [row[0].clone(), format!("P{}", row[0])]).collect();
    let missing: Vec<_> = wanted.difference(&ours).collect();
    let unexpected: Vec<_> = ours.difference(&wanted).collect();
    assert!(missing.is_empty() && unexpected.is_empty(), "missing {missing:?}, unexpected {unexpected:?}");
}

/// Every other export is Fortran's, an extension declared in `smpi.h`, or stands in for a function of the system.
#[test]
fn library_exports_nothing_unexplained() {
    let maps = fs::read_to_string("/proc/self/maps").expect("Linux tells the files mapped by this process");
    let system_libraries: BTreeSet<&str> =
        maps.lines().filter_map(|line| line.split_whitespace().nth(5)).filter(|path| path.contains(".so")).collect();
    let system: BTreeSet<String> = system_libraries.iter().flat_map(|path| exports(Path::new(path))).collect();
    let header =
        fs::read_to_string(root().join("include/smpi/smpi.h")).expect("the header is part of the tree").to_lowercase();
    let modules = fs::read_to_string(root().join("include/mpi_f08.f90")).expect("the module is part of the tree");
    let explained = |name: &String| {
        let fortran = ["mpi_", "pmpi_", "MPIR_F_"].iter().any(|prefix| name.starts_with(prefix));
        // Fortran calls the extensions by the same names, in lower case and with an underscore; C wraps `(MPI_X)(`
        // against its own macro.
        let plain = name.strip_suffix('_').unwrap_or(name).to_lowercase();
        let declared = || ["(", ")("].iter().any(|next| header.contains(&format!("{plain}{next}")));
        // What Fortran modules declare by these names (sentinels, operators on handles), and the hooks that compilers
        // call in programs built with `smpicc --verify`.
        let bound = ["smpi_same_", "smpi_differ_", "smpi_fortran_"].iter().any(|prefix| name.starts_with(prefix));
        let fortran = fortran || (bound && modules.contains(&plain));
        let hook = name.starts_with("__tsan_");
        fortran || hook || name.starts_with("MPI_") || name.starts_with("PMPI_") || system.contains(name) || declared()
    };
    let unexplained: Vec<String> = exports(&library()).into_iter().filter(|name| !explained(name)).collect();
    assert!(unexplained.is_empty(), "{unexplained:?}");
}

#[test]
fn library_bears_the_name_of_the_standard_abi() {
    let library = library();
    let output = run(Command::new("readelf").arg("-d").arg(&library));
    assert!(output.contains("soname: [libmpi_abi.so.1]"), "{output}");
    for name in ["libmpi_abi.so", "libmpi_abi.so.1"] {
        let link = library.with_file_name(name);
        assert_eq!(fs::canonicalize(&link).ok(), fs::canonicalize(&library).ok(), "{}", link.display());
    }
}

/// A preloaded tool sees the calls of the program and of libraries, and its `PMPI_` calls reach the library.
#[test]
fn preloaded_tool_comes_first() {
    let directory = scratch("tool");
    let sources = [
        (
            "tool.c",
            "static int receives;\nint tool_receives(void) { return receives; }\n\
            int MPI_Recv(void *b, int n, MPI_Datatype t, int s, int tag, MPI_Comm c, MPI_Status *st)\n\
            { receives++; return PMPI_Recv(b, n, t, s, tag, c, st); }\n\
            int MPI_Finalize(void) { printf(\"%d receives\\n\", receives); return PMPI_Finalize(); }\n",
        ),
        ("user.c", "void receive(int *x) { MPI_Recv(x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE); }\n"),
        (
            "main.c",
            "void receive(int *x);\n\
            int main(int argc, char **argv) { int x = 1; MPI_Request r[2]; MPI_Init(&argc, &argv);\n\
            MPI_Isend(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[0]); MPI_Isend(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[1]);\n\
            receive(&x); MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);\n\
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE); return MPI_Finalize(); }\n",
        ),
    ];
    for (name, text) in sources {
        let text = format!("#include <mpi.h>\n#include <stdio.h>\n{text}");
        fs::write(directory.join(name), text).expect("the temporary directory is writable");
    }
    let tools = library().parent().map(Path::to_owned).expect("the library is in a directory");
    let smpicc = |words: &[&str]| run(Command::new(tools.join("smpicc")).current_dir(&directory).args(words));
    smpicc(&["-shared", "-fPIC", "-o", "libtool.so", "tool.c"]);
    smpicc(&["-shared", "-fPIC", "-o", "libuser.so", "user.c"]);
    smpicc(&["-o", "main", "main.c", "-L.", "-luser", "-Wl,-rpath,$ORIGIN"]);
    let tool = directory.join("libtool.so");
    let hosted = run(Command::new(tools.join("smpirun"))
        .current_dir(&directory)
        .env("LD_PRELOAD", &tool)
        .args(["-np", "1", "./main"]));
    assert_eq!(hosted, "2 receives\n");
    let direct = run(Command::new("./main").current_dir(&directory).env("LD_PRELOAD", &tool));
    assert_eq!(direct, "2 receives\n");
}

#[test]
fn generated_files_are_fresh() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let words = ["run", "--quiet", "--package", "xtask", "--", "codegen", "--check"];
    run(Command::new(cargo).current_dir(root()).args(words));
}
