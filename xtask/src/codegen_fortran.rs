//! What Fortran sees of each function: derived from the C prototype, corrected by `libsmpi/abi/fortran.csv`.
//!
//! `fortran.csv` says only what a C type cannot: which `int` is a LOGICAL, how long an array of handles is, how large
//! the buffer of a string must be, which functions are written by hand. `fortran_only.csv` has the functions of MPI-1
//! that C lost and old Fortran programs still call. This file knows no text of either language; `codegen_fortran_rust`
//! and `codegen_fortran_modules` write it. Source: MPI 5.0 §19.1 and the Fortran bindings of each function.

use std::collections::BTreeMap;
use std::path::Path;

use crate::codegen_model::{Abi, Function, Parameter, parse_functions, rows};

/// A number that Fortran passes by reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// `INTEGER`, `int`.
    Int,
    /// `LOGICAL`: `int` with the values 0 and 1.
    Logical,
    /// `INTEGER(KIND=MPI_ADDRESS_KIND)`, `MPI_Aint`.
    Aint,
    /// `INTEGER(KIND=MPI_COUNT_KIND)`, `MPI_Count`.
    Count,
    /// `INTEGER(KIND=MPI_OFFSET_KIND)`, `MPI_Offset`.
    Offset,
}

/// Whether the function reads, writes or updates an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    In,
    Out,
    InOut,
}

/// How one argument is passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One number.
    Scalar(Number, Intent),
    /// An index from 1, or `MPI_UNDEFINED`.
    Index,
    /// Indices from 1; the parameter named here says how many.
    Indices(String),
    /// Numbers; C and Fortran agree on them.
    Array(Number, Intent),
    /// Pairs of ranks and a stride, `INTEGER (3,*)`.
    Ranges,
    /// An array of weights, `MPI_UNWEIGHTED` or `MPI_WEIGHTS_EMPTY`.
    Weights(Intent),
    /// One handle of this type; `Out` and `InOut` by the address of the program's variable.
    Handle(String, Intent),
    /// Handles of this type, and how many: a parameter's name, or one of the words of `Length`.
    Handles(String, String, Intent),
    /// A status, or `MPI_STATUS_IGNORE`.
    Status(Intent),
    /// Statuses, or `MPI_STATUSES_IGNORE`.
    Statuses,
    /// A string of the program, without trailing (`trimmed`: and leading) blanks.
    TextIn { trimmed: bool },
    /// A string for the program; C writes at most the number of characters that this constant says.
    TextOut(String),
    /// Strings of the program, ended by a blank one.
    Texts { planes: bool },
    /// A choice buffer.
    Choice(Intent),
    /// The address of memory that MPI gives: `TYPE(C_PTR)` or an address-sized integer.
    Address,
    /// The address of a buffer that MPI gives back.
    Detached,
    /// A function of the program, of this C type.
    Callback(String),
    /// A word that MPI hands to callbacks.
    State,
    /// The value of an attribute.
    Attribute(Intent),
}

/// One argument of a Fortran procedure.
#[derive(Clone, Debug)]
pub struct Argument {
    pub name: String,
    pub ctype: String,
    pub kind: Kind,
}

/// One function as Fortran sees it.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The C name, `MPI_Send_c`.
    pub name: String,
    /// The C type of a function's result; `None` for subroutines, whose last argument is `ierror`.
    pub result: Option<String>,
    pub arguments: Vec<Argument>,
    /// The Rust entry points are written by hand in `libsmpi/src/fortran`.
    pub by_hand: bool,
    /// Only `mpi` and `mpif.h` have it: removed or deprecated in favour of another.
    pub old: bool,
}

impl Procedure {
    /// Whether an argument is a choice buffer, which `mpi_f08` passes by descriptor.
    pub fn has_choice(&self) -> bool {
        self.arguments.iter().any(|argument| matches!(argument.kind, Kind::Choice(_)))
    }

    /// Whether this is the large-count form of another function.
    pub fn is_large(&self) -> bool {
        self.name.ends_with("_c")
    }

    /// Whether the operation goes on after the call, so that its buffers must stay where they are.
    pub fn is_nonblocking(&self) -> bool {
        let makes_request = self.arguments.iter().any(|a| a.ctype == "MPI_Request *" && a.name == "request");
        makes_request || ["_attach", "_begin"].iter().any(|part| self.name.contains(part))
    }
}

/// The names of the C functions that Fortran does not have: they convert between the languages, or are the tool
/// interface.
fn is_c_only(name: &str) -> bool {
    const ENDINGS: [&str; 8] = ["_c2f", "_f2c", "_c2f08", "_f082c", "_f2f08", "_f082f", "_toint", "_fromint"];
    name.starts_with("MPI_T_") || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The functions that were replaced and that `mpi_f08` therefore lacks.
fn is_old(name: &str) -> bool {
    name.starts_with("MPI_Attr_") || name.starts_with("MPI_Keyval_")
}

/// All procedures that Fortran has, in the order of the data.
///
/// Errors: an argument that codegen does not understand, or an annotation of something that does not exist.
pub fn procedures(dir: &Path, abi: &Abi) -> Result<Vec<Procedure>, String> {
    let notes = Notes::read(&dir.join("fortran.csv"))?;
    let only = parse_functions(&dir.join("fortran_only.csv"))?;
    let from_c = abi.functions.iter().filter(|function| !is_c_only(&function.name));
    let mut procedures = Vec::new();
    for (function, old) in from_c.map(|f| (f, is_old(&f.name))).chain(only.iter().map(|f| (f, true))) {
        if notes.of(&function.name, "") == Some("none") {
            continue;
        }
        let mut procedure = procedure(&notes, function)?;
        procedure.old = old;
        procedure.by_hand |= only.iter().any(|other| other.name == function.name);
        procedures.push(procedure);
    }
    notes.check(abi, &only)?;
    Ok(procedures)
}

fn procedure(notes: &Notes, function: &Function) -> Result<Procedure, String> {
    let name = &function.name;
    let mut arguments = Vec::new();
    for parameter in &function.parameters {
        let note = notes.of(name, &parameter.name).unwrap_or_default();
        if note == "absent" {
            continue;
        }
        let kind = kind(name, parameter, note).map_err(|error| format!("{name}: {}: {error}", parameter.name))?;
        let name = if parameter.name == "indx" { "index".to_owned() } else { parameter.name.clone() };
        arguments.push(Argument { name, ctype: parameter.ctype.clone(), kind });
    }
    // The only subroutine without an error code (MPI 5.0 §15.2.4).
    let result = if name == "MPI_Pcontrol" { Some("void".to_owned()) } else { None };
    Ok(Procedure {
        name: name.clone(),
        result: result.or((!function.returns_error_code()).then(|| function.returns.clone())),
        arguments,
        by_hand: notes.of(name, "") == Some("hand"),
        old: false,
    })
}

fn number(base: &str) -> Option<Number> {
    Some(match base {
        "int" => Number::Int,
        "MPI_Aint" => Number::Aint,
        "MPI_Count" => Number::Count,
        "MPI_Offset" => Number::Offset,
        _ => return None,
    })
}

/// Whether the function takes the object behind this argument away or changes it, so that its old value matters.
fn is_update(function: &str) -> bool {
    const WORDS: [&str; 12] = [
        "Wait",
        "Test",
        "Start",
        "free",
        "disconnect",
        "close",
        "Mrecv",
        "Imrecv",
        "finalize",
        "Cancel",
        "File_set",
        "Status_set",
    ];
    WORDS.iter().any(|word| function.contains(word))
}

fn kind(function: &str, parameter: &Parameter, note: &str) -> Result<Kind, String> {
    let ctype = parameter.ctype.as_str();
    let constant = ctype.starts_with("const ");
    let plain = ctype.trim_start_matches("const ");
    let pointee = plain.strip_suffix('*').map(str::trim_end);
    let written =
        if note == "inout" || (pointee.is_some() && is_update(function)) { Intent::InOut } else { Intent::Out };
    let intent = if constant { Intent::In } else { written };
    let (word, detail) = note.split_once(' ').unwrap_or((note, ""));
    Ok(match (word, plain, pointee) {
        ("logical", _, None) => Kind::Scalar(Number::Logical, Intent::In),
        ("logical", _, Some(_)) if parameter.is_array => Kind::Array(Number::Logical, intent),
        ("logical", ..) => Kind::Scalar(Number::Logical, intent),
        ("index", ..) => Kind::Index,
        ("indices", ..) => Kind::Indices(detail.to_owned()),
        ("weights", ..) => Kind::Weights(intent),
        ("address", ..) => Kind::Address,
        ("detached", ..) => Kind::Detached,
        ("state", ..) => Kind::State,
        ("attribute", ..) if function.contains("_get_") => Kind::Attribute(Intent::Out),
        ("attribute", ..) => Kind::Attribute(Intent::In),
        ("integer", ..) if function.contains("_get") => Kind::Scalar(Number::Int, Intent::Out),
        ("integer", ..) => Kind::Scalar(Number::Int, Intent::In),
        ("capacity", ..) => Kind::TextOut(detail.to_owned()),
        ("text", ..) if !constant => Kind::TextOut(String::new()),
        ("trimmed", "char *", _) if constant => Kind::TextIn { trimmed: true },
        (_, "int (*)[3]", _) => Kind::Ranges,
        (_, "char *", _) if constant => Kind::TextIn { trimmed: false },
        (_, "char **", _) => Kind::Texts { planes: false },
        (_, "char ***", _) => Kind::Texts { planes: true },
        (_, "void *", _) => Kind::Choice(if constant { Intent::In } else { Intent::InOut }),
        (_, "MPI_Status *", _) if parameter.name == "array_of_statuses" => Kind::Statuses,
        (_, "MPI_Status *", _) => Kind::Status(if constant { Intent::In } else { written }),
        (_, _, Some(callback)) if callback.ends_with("_function") || callback.ends_with("_function_c") => {
            Kind::Callback(callback.to_owned())
        }
        (_, _, Some(base)) if number(base).is_some() => {
            let number = number(base).unwrap_or(Number::Int);
            if parameter.is_array { Kind::Array(number, intent) } else { Kind::Scalar(number, intent) }
        }
        (_, base, None) if number(base).is_some() => Kind::Scalar(number(base).unwrap_or(Number::Int), Intent::In),
        ("length", _, Some(base)) => Kind::Handles(base.to_owned(), detail.to_owned(), intent),
        (_, _, Some(base)) if is_handle(base) && !parameter.is_array => Kind::Handle(base.to_owned(), intent),
        (_, _, Some(base)) if is_handle(base) => Kind::Handles(base.to_owned(), String::new(), intent),
        (_, base, None) if is_handle(base) => Kind::Handle(base.to_owned(), Intent::In),
        _ => return Err(format!("codegen does not know how Fortran passes `{ctype}` (note `{note}`)")),
    })
}

fn is_handle(base: &str) -> bool {
    base.starts_with("MPI_") && base[4..].chars().all(char::is_alphabetic)
}

/// `fortran.csv`: (function or `*`, parameter or nothing) → annotation.
struct Notes(BTreeMap<(String, String), String>);

impl Notes {
    fn read(path: &Path) -> Result<Notes, String> {
        let rows = rows(path, 3)?;
        Ok(Notes(rows.into_iter().map(|row| ((row[0].clone(), row[1].clone()), row[2].clone())).collect()))
    }

    /// The annotation of a parameter (or of the function, for no parameter). What is said of `MPI_X` holds for
    /// `MPI_X_c`.
    fn of(&self, function: &str, parameter: &str) -> Option<&str> {
        let names = [function, function.trim_end_matches("_c"), function.trim_end_matches("_x"), "*"];
        let found = names.iter().find_map(|name| self.0.get(&((*name).to_owned(), parameter.to_owned())));
        found.map(String::as_str)
    }

    /// Refuses annotations of functions and parameters that do not exist.
    fn check(&self, abi: &Abi, only: &[Function]) -> Result<(), String> {
        let known = |function: &str, parameter: &str| {
            abi.functions.iter().chain(only).any(|f| {
                (function == "*" || f.name == function)
                    && (parameter.is_empty() || f.parameters.iter().any(|p| p.name == parameter))
            })
        };
        match self.0.keys().find(|(function, parameter)| !known(function, parameter)) {
            Some((function, parameter)) => Err(format!("fortran.csv: there is no {function} with `{parameter}`")),
            None => Ok(()),
        }
    }
}
