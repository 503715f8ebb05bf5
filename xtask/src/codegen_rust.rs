//! From the ABI data to Rust text: exported wrappers, constants, and the signatures that API authors must provide.
//!
//! A wrapper holds no MPI logic: it widens the `int` forms to the shared large-count form and calls
//! `boundary::call` with the function's name, the object whose error handler is to be used, and `api::<name>`.

use std::collections::{BTreeMap, BTreeSet};

use crate::codegen_model::{Abi, Constant, Function, Parameter, api_name};

/// Where the wrappers go, below the repository root.
pub const GENERATED_DIR: &str = "libsmpi/src/abi/generated";

/// Longest line of generated text.
pub const WIDTH: usize = 120;

/// Chapter file, what it holds, and the name parts that put a function there; the first match decides.
///
/// A pattern is a prefix of the name without `MPI_`, or, with a leading `*`, a suffix.
const CHAPTERS: &[(&str, &str, &[&str])] = &[
    ("tool", "the tool information interface, MPI 5.0 §15", &["T_"]),
    (
        "handles",
        "handle and status conversion, MPI 5.0 §19.3 and §20",
        &["*_toint", "*_fromint", "*_c2f", "*_f2c", "*2f08", "*_f082c", "*_f082f"],
    ),
    (
        "error",
        "error handlers, codes and classes, MPI 5.0 §9.3-9.5",
        &["*_errhandler", "Errhandler_", "Error_", "Add_error", "Remove_error"],
    ),
    (
        "io_view",
        "files, views, positions and consistency, MPI 5.0 §14.2-14.3, §14.5-14.6",
        &[
            "File_open",
            "File_close",
            "File_delete",
            "File_set",
            "File_get",
            "File_preallocate",
            "File_seek",
            "File_sync",
            "Register_",
        ],
    ),
    (
        "io_nonblocking",
        "nonblocking and split data access of files, MPI 5.0 §14.4",
        &["File_i", "*_begin", "*_begin_c", "*_end"],
    ),
    ("io", "blocking data access of files, MPI 5.0 §14.4", &["File_"]),
    ("neighbor", "collective communication on topologies, MPI 5.0 §8.6-8.8", &["Neighbor_", "Ineighbor_"]),
    ("topology", "process topologies, MPI 5.0 §8.5", &["Cart", "Graph", "Dist_", "Dims_", "Topo_"]),
    ("attribute", "attribute caching, MPI 5.0 §7.7 and §16", &["*_attr", "*_keyval", "Attr_", "Keyval_"]),
    ("partitioned", "partitioned communication, MPI 5.0 §4", &["P"]),
    (
        "collective_persistent",
        "persistent collective communication, MPI 5.0 §6.13",
        &[
            "Allgather_init",
            "Allgatherv_init",
            "Allreduce_init",
            "Alltoall_init",
            "Alltoallv_init",
            "Alltoallw_init",
            "Barrier_init",
            "Bcast_init",
            "Exscan_init",
            "Gather_init",
            "Gatherv_init",
            "Reduce_init",
            "Reduce_scatter_init",
            "Reduce_scatter_block_init",
            "Scan_init",
            "Scatter_init",
            "Scatterv_init",
        ],
    ),
    (
        "collective_nonblocking",
        "nonblocking collective communication, MPI 5.0 §6.12",
        &["Iall", "Ibarrier", "Ibcast", "Iexscan", "Igather", "Ireduce", "Iscan", "Iscatter"],
    ),
    (
        "collective",
        "blocking collective communication and reductions, MPI 5.0 §6",
        &[
            "Allgather",
            "Allreduce",
            "Alltoall",
            "Barrier",
            "Bcast",
            "Exscan",
            "Gather",
            "Reduce",
            "Scan",
            "Scatter",
            "Op_",
        ],
    ),
    (
        "datatype_create",
        "datatype constructors, MPI 5.0 §5.1",
        &["Type_create_", "Type_contiguous", "Type_indexed", "Type_vector", "Type_dup"],
    ),
    (
        "datatype",
        "datatypes, addresses and packing, MPI 5.0 §5",
        &["Type_", "Pack", "Unpack", "Get_address", "Aint_", "Get_elements"],
    ),
    ("rma_window", "windows and their synchronisation, MPI 5.0 §12.2, §12.5", &["Win_"]),
    (
        "rma",
        "one-sided communication, MPI 5.0 §12",
        &["Put", "Rput", "Get_accumulate", "Rget", "Accumulate", "Raccumulate", "Fetch_", "Compare_"],
    ),
    (
        "process",
        "process creation and ports, MPI 5.0 §11.7-11.10",
        &[
            "Comm_spawn",
            "Comm_accept",
            "Comm_connect",
            "Comm_disconnect",
            "Comm_get_parent",
            "Comm_join",
            "Close_port",
            "Open_port",
            "Lookup_",
            "Unpublish",
        ],
    ),
    ("buffer", "buffers of the buffered mode, MPI 5.0 §3.6", &["Buffer_", "*_buffer", "*_buffer_c"]),
    ("comm", "communicators, MPI 5.0 §7.4-7.6, §7.8", &["Comm_", "Intercomm_"]),
    ("group", "groups, MPI 5.0 §7.3", &["Group_"]),
    ("info", "info objects, MPI 5.0 §10", &["Info_"]),
    ("session", "sessions, MPI 5.0 §11.3", &["Session_"]),
    (
        "environment",
        "start, end and enquiry, MPI 5.0 §9, §11.2, §20",
        &[
            "Init",
            "Final",
            "Abort",
            "Abi_",
            "Get_version",
            "Get_library",
            "Get_processor",
            "Get_hw",
            "Alloc_mem",
            "Free_mem",
            "Is_thread",
            "Query_thread",
            "Wti",
        ],
    ),
    (
        "request",
        "completion, status, generalized requests, MPI 5.0 §3.7-3.9, §13",
        &["Wait", "Test", "Start", "Request_", "Grequest_", "Status_", "Cancel", "Get_count"],
    ),
    ("p2p", "point-to-point communication, MPI 5.0 §3", &[""]),
];

/// Functions that only look like one of `CHAPTERS`' prefixes.
const CHAPTER_EXCEPTIONS: &[(&str, &str)] = &[
    ("MPI_Get", "rma"),
    ("MPI_Get_c", "rma"),
    ("MPI_Pack", "datatype"),
    ("MPI_Pack_c", "datatype"),
    ("MPI_Pack_size", "datatype"),
    ("MPI_Pack_size_c", "datatype"),
    ("MPI_Pack_external", "datatype"),
    ("MPI_Pack_external_c", "datatype"),
    ("MPI_Pack_external_size", "datatype"),
    ("MPI_Pack_external_size_c", "datatype"),
    ("MPI_Pcontrol", "environment"),
    ("MPI_Probe", "p2p"),
    ("MPI_Publish_name", "process"),
    ("MPI_Put", "rma"),
    ("MPI_Put_c", "rma"),
];

/// The chapters' files without extension, in the order of the header.
pub fn chapter_files() -> impl Iterator<Item = &'static str> {
    CHAPTERS.iter().rev().map(|(file, ..)| *file)
}

/// All generated Rust files: path below the root → text.
///
/// Errors: a constant whose C type is not known.
pub fn files(abi: &Abi, implemented: &BTreeSet<String>) -> Result<BTreeMap<String, String>, String> {
    let mut chapters: BTreeMap<&str, (String, String)> = BTreeMap::new();
    for function in &abi.functions {
        let (file, title) = chapter(&function.name);
        let (declarations, _) = chapters.entry(file).or_insert_with(|| (String::new(), chapter_header(title)));
        declarations.push_str(&wrappers(abi, function, implemented));
    }
    let mut files = BTreeMap::from([("libsmpi/src/abi/constants.rs".to_owned(), constants(abi)?)]);
    let mut module_list = String::from(
        "//! Generated by `cargo xtask codegen`; do not edit. The exported functions, one file for each chapter.\n\n",
    );
    for (file, (declarations, header)) in chapters {
        module_list.push_str(&format!("mod {file};\n"));
        files.insert(format!("{GENERATED_DIR}/{file}.rs"), header + &declarations);
    }
    files.insert(format!("{GENERATED_DIR}/mod.rs"), module_list);
    Ok(files)
}

/// What API authors have to write for the functions whose name contains `pattern`.
pub fn signatures(abi: &Abi, pattern: &str) -> String {
    let mut text = String::new();
    for function in abi.functions.iter().filter(|f| abi.base(&f.name) == f.name && f.name.contains(pattern)) {
        let parameters: Vec<String> =
            api_parameters(abi, function).iter().map(|p| format!("{}: {}", p.name, p.kind.rust(&p.ctype))).collect();
        let result = if function.returns_error_code() { "Result<()>".to_owned() } else { rust_type(&function.returns) };
        let name = api_name(&function.name);
        text.push_str(&format!("pub unsafe fn {name}({}) -> {result}\n", parameters.join(", ")));
    }
    text
}

fn chapter(name: &str) -> (&'static str, &'static str) {
    let exception = CHAPTER_EXCEPTIONS.iter().find(|(n, _)| *n == name).map(|(_, file)| *file);
    let short = name.trim_start_matches("MPI_");
    let fits = |pattern: &&str| match pattern.strip_prefix('*') {
        Some(suffix) => short.ends_with(suffix),
        None => short.starts_with(*pattern),
    };
    let found = CHAPTERS.iter().find(|(file, _, patterns)| match exception {
        Some(wanted) => *file == wanted,
        None => patterns.iter().any(fits),
    });
    found.map_or(("p2p", ""), |(file, title, _)| (file, title))
}

fn chapter_header(title: &str) -> String {
    format!(
        "//! Generated by `cargo xtask codegen` from `libsmpi/abi/*.csv`; do not edit.\n\
         //!\n\
         //! Exported wrappers: {title}.\n\
         #![allow(clippy::undocumented_unsafe_blocks, clippy::unnecessary_cast, reason = \"one contract for all wrappers: abi/mod.rs\")]\n\
         #![allow(unused_variables, reason = \"wrappers of functions without implementation ignore their arguments\")]\n\
         #![allow(unused_imports, reason = \"every chapter file has the same imports\")]\n\
         \n\
         use crate::abi::*;\n\
         use crate::api;\n\
         use crate::boundary::{{self, Target}};\n\
         use std::ffi::{{c_char, c_double, c_int, c_void}};\n"
    )
}

/// How a parameter of `MPI_X` and `MPI_X_c` is presented to the one function that implements both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Same type in both forms.
    Plain,
    /// A number: `MPI_Count`.
    Count,
    /// An input array of numbers: `Counts`.
    Counts,
    /// A number that the function writes (or updates): `CountOut`.
    CountOut,
    /// A reduction function: `UserFunction`.
    UserFunction,
    /// A data conversion function: `ConversionFunction`.
    Conversion,
}

impl Kind {
    fn rust(self, ctype: &str) -> String {
        match self {
            Kind::Plain => rust_type(ctype),
            Kind::Count => "MPI_Count".to_owned(),
            Kind::Counts => "Counts".to_owned(),
            Kind::CountOut => "CountOut".to_owned(),
            Kind::UserFunction => "UserFunction".to_owned(),
            Kind::Conversion => "ConversionFunction".to_owned(),
        }
    }
}

struct ApiParameter {
    name: String,
    ctype: String,
    kind: Kind,
    is_array: bool,
}

/// The parameters of the function that implements the family of `function`.
fn api_parameters(abi: &Abi, function: &Function) -> Vec<ApiParameter> {
    let plain = |p: &Parameter| (p.clone(), Kind::Plain);
    let kinds: Vec<(Parameter, Kind)> = match abi.family(&function.name) {
        None => abi
            .function(abi.base(&function.name))
            .map(|base| match base.name == function.name {
                true => base.parameters.iter().map(plain).collect(),
                false => paired(base, function),
            })
            .unwrap_or_default(),
        Some((base, large)) => paired(base, large),
    };
    kinds
        .into_iter()
        .map(|(p, kind)| ApiParameter { name: p.name, ctype: p.ctype, kind, is_array: p.is_array })
        .collect()
}

/// The large form's parameters, each with its kind. Those that the base form lacks are numbers, or arrays given as is.
fn paired(base: &Function, large: &Function) -> Vec<(Parameter, Kind)> {
    let kind = |wide: &Parameter| match base.parameters.iter().find(|narrow| narrow.name == wide.name) {
        Some(narrow) if narrow.ctype == wide.ctype => Kind::Plain,
        None if wide.is_array => Kind::Plain,
        _ => match wide.ctype.as_str() {
            "MPI_Count" | "MPI_Aint" => Kind::Count,
            "MPI_Count *" | "MPI_Aint *" => Kind::CountOut,
            "MPI_User_function_c *" => Kind::UserFunction,
            "MPI_Datarep_conversion_function_c *" => Kind::Conversion,
            _ => Kind::Counts,
        },
    };
    large.parameters.iter().map(|p| (p.clone(), kind(p))).collect()
}

/// The expression by which a wrapper with parameters `own` passes on `wanted`.
fn argument(own: &[Parameter], wanted: &ApiParameter) -> String {
    let name = &wanted.name;
    let Some(mine) = own.iter().find(|p| p.name == *name) else {
        return match (wanted.kind, wanted.is_array) {
            (Kind::Count, _) => "0".to_owned(),
            (Kind::CountOut, _) => "CountOut::Absent".to_owned(),
            _ => "std::ptr::null_mut()".to_owned(),
        };
    };
    let width = if mine.ctype.contains("MPI_Count") {
        "Count"
    } else if mine.ctype.contains("MPI_Aint") {
        "Aint"
    } else {
        "Int"
    };
    let large = if mine.ctype.contains("_c *") { "Count" } else { "Int" };
    match wanted.kind {
        Kind::Plain => name.clone(),
        Kind::Count if width == "Count" => name.clone(),
        Kind::Count => format!("{name} as MPI_Count"),
        Kind::Counts => format!("Counts::{width}({name})"),
        Kind::CountOut => format!("CountOut::{width}({name})"),
        Kind::UserFunction => format!("UserFunction::{large}({name})"),
        Kind::Conversion => format!("ConversionFunction::{large}({name})"),
    }
}

/// `MPI_X` and `PMPI_X`, with the same body.
fn wrappers(abi: &Abi, function: &Function, implemented: &BTreeSet<String>) -> String {
    let body = body(abi, function, implemented);
    let parameters: Vec<String> =
        function.parameters.iter().map(|p| format!("{}: {}", p.name, rust_type(&p.ctype))).collect();
    let returns = rust_type(&function.returns);
    let mut text = String::new();
    for prefix in ["", "P"] {
        let head = format!("pub unsafe extern \"C\" fn {prefix}{}", function.name);
        text.push_str("\n#[unsafe(no_mangle)]\n");
        text.push_str(&wrapped(&head, &parameters, &format!(" -> {returns} {{"), ""));
        text.push_str(&format!("{body}}}\n"));
    }
    text
}

fn body(abi: &Abi, function: &Function, implemented: &BTreeSet<String>) -> String {
    let name = &function.name;
    if let Some(conversion) = handle_conversion(function) {
        return format!("    {conversion}\n");
    }
    let api = api_name(abi.base(name));
    let target = target(function);
    let arguments: Vec<String> =
        api_parameters(abi, function).iter().map(|wanted| argument(&function.parameters, wanted)).collect();
    match (implemented.contains(&api), function.returns_error_code()) {
        (true, true) => {
            let open = format!("boundary::call(\"{name}\", {target}, || unsafe {{\n");
            let call = wrapped(&format!("api::{api}"), &arguments, "", "        ");
            format!("    {open}{call}    }})\n")
        }
        (true, false) => {
            format!("    boundary::call_value(\"{name}\", || unsafe {{ api::{api}({}) }})\n", arguments.join(", "))
        }
        (false, true) => format!("    boundary::unsupported(\"{name}\", {target})\n"),
        // A value function has no error code to return; the error handler is told all the same, and 0 is a valid value.
        (false, false) => {
            format!("    boundary::unsupported(\"{name}\", {target});\n    0 as {}\n", rust_type(&function.returns))
        }
    }
}

/// The call that makes up `MPI_X_toint` and its kin: these work on the bits alone, for every kind of handle.
fn handle_conversion(function: &Function) -> Option<String> {
    let [parameter] = function.parameters.as_slice() else { return None };
    let ends = |suffixes: [&str; 2]| suffixes.iter().any(|suffix| function.name.ends_with(suffix));
    if ends(["_toint", "_c2f"]) {
        return Some(format!("api::handle_to_int({})", parameter.name));
    }
    ends(["_fromint", "_f2c"]).then(|| format!("api::handle_from_int({})", parameter.name))
}

/// The object whose error handler an error of `function` goes to (MPI 5.0 §9.3).
fn target(function: &Function) -> String {
    if function.name.starts_with("MPI_T_") {
        return "Target::Tool".to_owned();
    }
    if ["MPI_File_open", "MPI_File_delete"].contains(&function.name.as_str()) {
        return "Target::File(MPI_FILE_NULL)".to_owned();
    }
    let releases = ["_free", "_disconnect", "_close", "_finalize"].iter().any(|suffix| function.name.ends_with(suffix));
    for parameter in &function.parameters {
        for object in ["Comm", "Win", "File", "Session"] {
            if parameter.ctype == format!("MPI_{object}") {
                return format!("Target::{object}({})", parameter.name);
            }
            if releases && parameter.ctype == format!("MPI_{object} *") {
                return format!("Target::{object}(unsafe {{ read_handle({}) }})", parameter.name);
            }
        }
    }
    "Target::None".to_owned()
}

/// `head(items)tail`, on one line if it fits, else with the items wrapped and indented.
fn wrapped(head: &str, items: &[String], tail: &str, indent: &str) -> String {
    let line = format!("{indent}{head}({}){tail}\n", items.join(", "));
    if line.len() <= WIDTH + 1 {
        return line;
    }
    let inner = format!("{indent}    ");
    let mut text = format!("{indent}{head}(\n");
    let mut current = inner.clone();
    for item in items {
        if current.len() + item.len() + 2 > WIDTH {
            text.push_str(current.trim_end());
            text.push('\n');
            current = inner.clone();
        }
        current.push_str(&format!("{item}, "));
    }
    text.push_str(current.trim_end());
    text.push_str(&format!("\n{indent}){tail}\n"));
    text
}

/// The Rust spelling of a C type of the ABI.
fn rust_type(ctype: &str) -> String {
    if let Some(element) = ctype.strip_suffix(" (*)[3]") {
        return format!("*mut [{}; 3]", rust_type(element));
    }
    if let Some(pointee) = ctype.strip_suffix('*') {
        let pointee = pointee.trim_end();
        if pointee.ends_with("_function") || pointee.ends_with("_function_c") {
            return format!("Option<{pointee}>");
        }
        return match pointee.strip_prefix("const ") {
            Some(base) if !base.contains('*') => format!("*const {}", rust_type(base)),
            _ => format!("*mut {}", rust_type(pointee)),
        };
    }
    match ctype.trim_start_matches("const ") {
        "int" => "c_int".to_owned(),
        "char" => "c_char".to_owned(),
        "void" => "c_void".to_owned(),
        "double" => "c_double".to_owned(),
        name if name.ends_with("_cb_function") => format!("Option<{name}>"),
        name => name.to_owned(),
    }
}

fn constants(abi: &Abi) -> Result<String, String> {
    let mut text = String::from(
        "//! Generated by `cargo xtask codegen` from `libsmpi/abi/constants.csv`; do not edit.\n\
         //!\n\
         //! Every constant of the standard ABI (MPI 5.0 §20), with the type that the header gives it. Handles and addresses\n\
         //! are small integers in pointer clothing; those of callback type are only compared, never called.\n\
         #![allow(dead_code, reason = \"the header needs all of them, the library only some\")]\n\
         #![allow(clippy::zero_ptr, clippy::manual_dangling_ptr, clippy::unnecessary_cast, reason = \"the ABI defines these pointers by number\")]\n\
         \n\
         use super::types::*;\n\
         use std::ffi::{c_char, c_int, c_void};\n\n",
    );
    for constant in abi.constants.iter() {
        let ctype = constant_type(constant)?;
        let value = if ctype == "int" {
            constant.value.to_string()
        } else if ctype == "MPI_Offset" {
            format!("{} as MPI_Offset", constant.value)
        } else {
            format!("{:#x} as {}", constant.value, address_type(&ctype))
        };
        let rust = if ctype == "int" || ctype == "MPI_Offset" { rust_type(&ctype) } else { address_type(&ctype) };
        text.push_str(&format!("pub const {}: {rust} = {value};\n", constant.name));
    }
    Ok(text)
}

/// The Rust type of a constant that is an address: callbacks become pointers to the callback's name, so that a value
/// such as 1 needs no transmutation.
fn address_type(ctype: &str) -> String {
    match ctype.strip_suffix(" *") {
        Some(callback) if callback.ends_with("_function") || callback.ends_with("_function_c") => {
            format!("*mut {callback}")
        }
        _ => rust_type(ctype),
    }
}

/// The C type of a constant; `constants.csv` leaves those of kind `other` to the prototypes that use them.
pub fn constant_type(constant: &Constant) -> Result<String, String> {
    let name = constant.name.as_str();
    if constant.kind != "other" {
        return Ok(constant.kind.clone());
    }
    let copy_or_delete = |object: &str| {
        let what = if name.contains("DELETE") { "delete" } else { "copy" };
        format!("MPI_{object}_{what}_attr_function *")
    };
    Ok(match name {
        "MPI_BOTTOM" | "MPI_IN_PLACE" | "MPI_BUFFER_AUTOMATIC" => "void *".to_owned(),
        "MPI_ARGV_NULL" => "char **".to_owned(),
        "MPI_ARGVS_NULL" => "char ***".to_owned(),
        "MPI_ERRCODES_IGNORE" | "MPI_UNWEIGHTED" | "MPI_WEIGHTS_EMPTY" => "int *".to_owned(),
        "MPI_STATUS_IGNORE" | "MPI_STATUSES_IGNORE" => "MPI_Status *".to_owned(),
        "MPI_DISPLACEMENT_CURRENT" => "MPI_Offset".to_owned(),
        "MPI_NULL_COPY_FN" | "MPI_DUP_FN" => "MPI_Copy_function *".to_owned(),
        "MPI_NULL_DELETE_FN" => "MPI_Delete_function *".to_owned(),
        "MPI_CONVERSION_FN_NULL" => "MPI_Datarep_conversion_function *".to_owned(),
        "MPI_CONVERSION_FN_NULL_C" => "MPI_Datarep_conversion_function_c *".to_owned(),
        "MPI_T_ENUM_NULL" => "MPI_T_enum".to_owned(),
        "MPI_T_CVAR_HANDLE_NULL" => "MPI_T_cvar_handle".to_owned(),
        "MPI_T_PVAR_SESSION_NULL" => "MPI_T_pvar_session".to_owned(),
        "MPI_T_PVAR_HANDLE_NULL" | "MPI_T_PVAR_ALL_HANDLES" => "MPI_T_pvar_handle".to_owned(),
        _ if name.starts_with("MPI_COMM_") => copy_or_delete("Comm"),
        _ if name.starts_with("MPI_TYPE_") => copy_or_delete("Type"),
        _ if name.starts_with("MPI_WIN_") => copy_or_delete("Win"),
        _ => return Err(format!("constants.csv: codegen does not know the C type of {name}")),
    })
}
