//! The ABI as data: `functions.csv`, `constants.csv`, `error_classes.csv` and `types.csv`, parsed into typed values.
//!
//! Knows C spelling and the pairing of `MPI_X` with `MPI_X_c`; knows nothing about the text that is generated.
//! Source of the data: MPI 5.0 §20 (standard ABI).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Everything in `libsmpi/abi`.
pub struct Abi {
    /// The functions, in the order of the file.
    pub functions: Vec<Function>,
    /// The constants, in the order of the file.
    pub constants: Vec<Constant>,
    /// What is said about error classes, by their names.
    pub error_classes: BTreeMap<String, AboutClass>,
    /// Names of the function types of `types.csv` (callbacks), and of `MPI_X_errhandler_fn` aliases.
    pub callbacks: Vec<String>,
}

/// One function of the C API.
#[derive(Clone)]
pub struct Function {
    /// For example `MPI_Send_c`.
    pub name: String,
    /// C type of the result.
    pub returns: String,
    /// Parameters. For the `...` of `MPI_Pcontrol` stand the two arguments that the library itself looks at.
    pub parameters: Vec<Parameter>,
}

/// One parameter of a function.
#[derive(Clone, PartialEq, Eq)]
pub struct Parameter {
    /// For example `sendcounts`.
    pub name: String,
    /// Type with arrays written as pointers, for example `const int *`; `int (*)[3]` stays an array.
    pub ctype: String,
    /// Whether the prototype writes `[]`: the parameter is an array, not one value to be filled in.
    pub is_array: bool,
}

/// One constant of the C API.
pub struct Constant {
    /// For example `MPI_COMM_WORLD`.
    pub name: String,
    /// `int`, a handle type, or `other`.
    pub kind: String,
    /// The value, sign-extended.
    pub value: i64,
}

/// What `error_classes.csv` says about a class.
#[derive(Clone)]
pub struct AboutClass {
    /// What `MPI_Error_string` says.
    pub text: String,
    /// The key of the finding that it is.
    pub finding: Option<String>,
}

impl Abi {
    /// Reads the files of `dir`.
    pub fn read(dir: &Path) -> Result<Abi, String> {
        let mut functions = Vec::new();
        for file in ["functions.csv", "fortran_handles.csv"] {
            functions.extend(parse_functions(&dir.join(file))?);
        }
        let mut constants = Vec::new();
        for row in rows(&dir.join("constants.csv"), 4)? {
            let value = row[3].parse().map_err(|e| format!("constants.csv: {}: {e}", row[0]))?;
            constants.push(Constant { name: row[0].clone(), kind: row[1].clone(), value });
        }
        let about = |row: Vec<String>| {
            let finding = Some(row[2].clone()).filter(|key| !key.is_empty());
            (row[0].clone(), AboutClass { text: row[1].clone(), finding })
        };
        let error_classes = rows(&dir.join("error_classes.csv"), 3)?.into_iter().map(about).collect();
        let callbacks = rows(&dir.join("types.csv"), 2)?
            .into_iter()
            .filter(|row| row[1].contains("(") && !row[1].contains("struct") || row[0].ends_with("_errhandler_fn"))
            .map(|row| row[0].clone())
            .collect();
        Ok(Abi { functions, constants, error_classes, callbacks })
    }

    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name == name)
    }

    /// The base form and the `_c` form of the family that `name` belongs to, if it has a `_c` form.
    ///
    /// `MPI_X_x` (MPI 3) belongs to the family of `MPI_X`: it is an earlier spelling of what `MPI_X_c` does.
    pub fn family(&self, name: &str) -> Option<(&Function, &Function)> {
        let base = self.base(name);
        Some((self.function(base)?, self.function(&format!("{base}_c"))?))
    }

    /// The name without the suffix `_c` or `_x` that marks a large-count variant.
    pub fn base<'a>(&self, name: &'a str) -> &'a str {
        match name.strip_suffix("_c").or_else(|| name.strip_suffix("_x")) {
            Some(base) if self.function(base).is_some() => base,
            _ => name,
        }
    }
}

/// Name of the Rust function that implements `MPI_X`: lower case, without `MPI_`.
pub fn api_name(function: &str) -> String {
    function.trim_start_matches("MPI_").to_lowercase()
}

impl Function {
    /// Whether the result is an MPI error code, and not a value such as `MPI_Wtime`'s.
    pub fn returns_error_code(&self) -> bool {
        self.returns == "int" && !self.name.ends_with("_toint")
    }
}

/// What stands for `...`. A variadic function finds its first arguments where one with fixed ones finds them (System V
/// ABI for x86-64 §3.2.3 and §3.5.7: in registers); where a caller passed fewer, these hold something without meaning.
pub const VARIADIC: &str = "int count, const int *vector";

/// The functions of one file: name, result, parameters.
pub fn parse_functions(path: &Path) -> Result<Vec<Function>, String> {
    let mut functions = Vec::new();
    for row in rows(path, 3)? {
        let parameters = parse_parameters(&row[2]).map_err(|e| format!("{}: {}: {e}", path.display(), row[0]))?;
        functions.push(Function { name: row[0].clone(), returns: row[1].clone(), parameters });
    }
    Ok(functions)
}

fn parse_parameters(text: &str) -> Result<Vec<Parameter>, String> {
    if text.trim() == "void" {
        return Ok(Vec::new());
    }
    text.replace("...", VARIADIC).split(',').map(str::trim).map(parse_parameter).collect()
}

fn parse_parameter(text: &str) -> Result<Parameter, String> {
    let (declarator, arrays) = match text.find('[') {
        Some(at) => (&text[..at], &text[at..]),
        None => (text, ""),
    };
    let name_at = declarator
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
        .ok_or_else(|| format!("parameter `{text}` has no type"))?
        + 1;
    let (base, name) = (declarator[..name_at].trim(), &declarator[name_at..]);
    let ctype = match arrays {
        "" => base.to_owned(),
        "[]" if base.ends_with('*') => format!("{base}*"),
        "[]" => format!("{base} *"),
        "[][3]" => format!("{base} (*)[3]"),
        other => return Err(format!("parameter `{text}` has an array shape {other} that codegen does not know")),
    };
    Ok(Parameter { name: name.to_owned(), ctype, is_array: !arrays.is_empty() })
}

/// All Rust files below a directory, in order; none where there is no directory.
pub fn rust_files(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(dir) else { return Ok(files) };
    for entry in entries {
        let path = entry.map_err(|e| format!("{}: {e}", dir.display()))?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Rows of a comma-separated file without its heading. Fields may be quoted; inside of a quoted field, a quote is
/// written twice.
pub fn rows(path: &Path, fields: usize) -> Result<Vec<Vec<String>>, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1) {
        let mut row = vec![String::new()];
        let mut quoted = false;
        let mut characters = line.chars().peekable();
        while let Some(c) = characters.next() {
            match c {
                '"' if quoted && characters.next_if_eq(&'"').is_some() => {
                    row.last_mut().into_iter().for_each(|field| field.push('"'))
                }
                '"' => quoted = !quoted,
                ',' if !quoted => row.push(String::new()),
                c => row.last_mut().into_iter().for_each(|field| field.push(c)),
            }
        }
        if row.len() != fields {
            return Err(format!("{}:{}: {} fields, expected {fields}", path.display(), number + 1, row.len()));
        }
        rows.push(row);
    }
    Ok(rows)
}
