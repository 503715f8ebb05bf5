//! Why an executable cannot be loaded: each refusal names the file, what was found, what was expected and one next
//! step.
//!
//! These are *refused inputs* (exit code 2), never findings and never internal bugs.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The step that cures most refusals.
const HOW_TO_BUILD: &str = "compile it with smpicc, or with gcc -fPIE -pie";

/// What an ELF file is when it is not a position-independent executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotPie {
    /// `ET_EXEC`: linked for one fixed address.
    FixedAddress,
    /// Without a dynamic linker: MPI is not taken from a library.
    Static,
    /// A shared library: it has no entry point to start from.
    SharedLibrary,
    /// `ET_REL`: an object file that was never linked.
    ObjectFile,
    /// Any other ELF type, for example a core dump.
    Other(u16),
}

/// A refusal to load a program.
#[derive(Debug)]
pub enum LoadError {
    /// There is no such file.
    NotFound {
        /// The executable.
        path: PathBuf,
    },
    /// The operating system refused something.
    Io {
        /// The executable.
        path: PathBuf,
        /// What was attempted, to be read after "cannot".
        action: &'static str,
        /// The system's answer.
        error: io::Error,
    },
    /// The file does not start with the ELF magic number.
    NotElf {
        /// The executable.
        path: PathBuf,
        /// What the file looks like instead.
        found: String,
    },
    /// A script, or the executable of an interpreter.
    Interpreter {
        /// The program.
        path: PathBuf,
        /// What follows `#!` in a script; `None` for the interpreter itself.
        of_script: Option<String>,
    },
    /// A 32-bit or big-endian executable.
    Not64Bit {
        /// The executable.
        path: PathBuf,
    },
    /// An executable for another processor.
    WrongMachine {
        /// The executable.
        path: PathBuf,
        /// Its `e_machine`.
        machine: u16,
    },
    /// Not a dynamically linked position-independent executable.
    NotPie {
        /// The executable.
        path: PathBuf,
        /// What it is.
        kind: NotPie,
    },
    /// The file is damaged, or of a form that no known linker writes.
    Malformed {
        /// The executable.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A library that the program needs cannot be opened.
    MissingLibrary {
        /// The executable.
        path: PathBuf,
        /// The library's name as the program gives it.
        name: String,
        /// The file that needs it.
        needed_by: String,
        /// The dynamic linker's reason.
        reason: String,
    },
    /// A library that the program needs is of another version than the one that it was linked with.
    MissingVersion {
        /// The file that asks for the version.
        path: PathBuf,
        /// The library's name as that file gives it.
        library: String,
        /// The version.
        version: String,
        /// A symbol that is asked for with that version; empty when there is none.
        symbol: String,
    },
    /// `--privatize` names a library that the program does not load.
    UnknownLibrary {
        /// The executable.
        path: PathBuf,
        /// The name given.
        name: String,
        /// The libraries that it loads and that can be private.
        loaded: Vec<String>,
    },
    /// `--privatize` names a library that must exist once.
    NeverPrivate {
        /// The executable.
        path: PathBuf,
        /// The library's name.
        name: String,
    },
    /// The program, or a library of it, was linked against another MPI implementation.
    ForeignMpi {
        /// The executable.
        path: PathBuf,
        /// The other implementation's library.
        name: String,
        /// The file that needs it.
        needed_by: PathBuf,
    },
    /// The program was compiled with a sanitizer that has to own the process.
    Sanitizer {
        /// The executable.
        path: PathBuf,
        /// The sanitizer's library.
        name: String,
    },
    /// Symbols that neither the program, libsmpi nor a library defines.
    UndefinedSymbols {
        /// The executable.
        path: PathBuf,
        /// Their names, with `@version` where the program asks for one, in the order of the symbol table.
        names: Vec<String>,
    },
    /// A relocation of a type that the loader does not know.
    UnsupportedRelocation {
        /// The executable.
        path: PathBuf,
        /// The psABI's number of the type.
        kind: u32,
        /// The symbol concerned, or an empty string.
        symbol: String,
    },
    /// The program has more thread-local data than fits below the thread pointer.
    TlsTooLarge {
        /// The executable.
        path: PathBuf,
        /// Bytes it needs, alignment included.
        size: usize,
        /// Bytes there are.
        limit: usize,
    },
    /// The program's thread-local data is aligned more strictly than the thread pointer.
    TlsAlignment {
        /// The executable.
        path: PathBuf,
        /// Alignment it asks for, in bytes.
        align: usize,
    },
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LoadError::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl LoadError {
    /// The executable that is refused.
    pub fn path(&self) -> &Path {
        match self {
            LoadError::NotFound { path }
            | LoadError::Io { path, .. }
            | LoadError::NotElf { path, .. }
            | LoadError::Interpreter { path, .. }
            | LoadError::Not64Bit { path }
            | LoadError::WrongMachine { path, .. }
            | LoadError::NotPie { path, .. }
            | LoadError::Malformed { path, .. }
            | LoadError::MissingLibrary { path, .. }
            | LoadError::MissingVersion { path, .. }
            | LoadError::UnknownLibrary { path, .. }
            | LoadError::NeverPrivate { path, .. }
            | LoadError::ForeignMpi { path, .. }
            | LoadError::Sanitizer { path, .. }
            | LoadError::UndefinedSymbols { path, .. }
            | LoadError::UnsupportedRelocation { path, .. }
            | LoadError::TlsTooLarge { path, .. }
            | LoadError::TlsAlignment { path, .. } => path,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arch = std::env::consts::ARCH;
        write!(f, "{}: ", self.path().display())?;
        match self {
            LoadError::NotFound { .. } => f.write_str("no such file; expected an executable, check the path"),
            LoadError::Io { action, error, .. } => write!(f, "cannot {action}: {error}"),
            LoadError::NotElf { found, .. } => {
                write!(f, "not an ELF executable but {found}; give the program itself, {HOW_TO_BUILD}")
            }
            LoadError::Interpreter { of_script, .. } => write_interpreter(f, of_script.as_deref()),
            LoadError::Not64Bit { .. } => {
                write!(f, "a 32-bit (or big-endian) executable; expected a 64-bit one for {arch}: {HOW_TO_BUILD} -m64")
            }
            LoadError::WrongMachine { machine, .. } => {
                let machine = machine_name(*machine);
                write!(f, "executable for {machine}; expected one for {arch}: compile it on this machine with smpicc")
            }
            LoadError::NotPie { kind, .. } => f.write_str(&kind.explain()),
            LoadError::Malformed { what, .. } => write!(f, "damaged ELF file: {what}; link it again"),
            LoadError::MissingLibrary { .. }
            | LoadError::MissingVersion { .. }
            | LoadError::UnknownLibrary { .. }
            | LoadError::NeverPrivate { .. }
            | LoadError::ForeignMpi { .. }
            | LoadError::Sanitizer { .. } => self.write_of_libraries(f),
            LoadError::UndefinedSymbols { names, .. } => write_undefined(f, names),
            LoadError::UnsupportedRelocation { kind, symbol, .. } => write_unsupported(f, *kind, symbol),
            LoadError::TlsTooLarge { size, limit, .. } => write!(
                f,
                "{size} bytes of thread-local data, libsmpi has room for {limit} (our limit, the program may be \
                 right); make large __thread or threadprivate arrays pointers to allocated memory"
            ),
            LoadError::TlsAlignment { align, .. } => write!(
                f,
                "thread-local data aligned to {align} bytes, more than this process's thread pointer (our limit, \
                 the program may be right); lower the alignment of its __thread variables"
            ),
        }
    }
}

impl LoadError {
    /// The message of a refusal because of a library; nothing for others.
    fn write_of_libraries(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::MissingLibrary { name, needed_by, reason, .. } => write!(
                f,
                "shared library {name}, needed by {needed_by}, cannot be opened: {reason}; \
                 install it, or name its directory in LD_LIBRARY_PATH"
            ),
            LoadError::MissingVersion { library, version, symbol, .. } => {
                let of = if symbol.is_empty() { String::new() } else { format!(" (for symbol {symbol})") };
                write!(
                    f,
                    "needs version {version} of {library}{of}, which that library does not define: it is another one \
                     than the program was linked with; link the program again on this machine, or name the directory \
                     of the right library in LD_LIBRARY_PATH"
                )
            }
            LoadError::UnknownLibrary { name, loaded, .. } => {
                let loaded = if loaded.is_empty() { "none".to_string() } else { loaded.join(", ") };
                write!(
                    f,
                    "--privatize {name}: the program loads no library of that name; libraries that can be private: {loaded}"
                )
            }
            LoadError::NeverPrivate { name, .. } => write!(
                f,
                "--privatize {name}: the C library, the dynamic linker, the unwinder and libsmpi itself exist once in a \
                 process; name another library, or leave the option out"
            ),
            LoadError::ForeignMpi { path, name, needed_by } => {
                let other = implementation(name);
                if needed_by == path {
                    write!(f, "linked against another MPI implementation ({name} of {other})")?;
                } else {
                    let library = needed_by.display();
                    write!(
                        f,
                        "its library {library} is linked against another MPI implementation ({name} of {other})"
                    )?;
                }
                let again = if needed_by == path { "it" } else { "that library" };
                write!(
                    f,
                    ", whose binary interface differs; expected libmpi_abi.so: compile {again} again with smpicc, and \
                     see that the build finds no other MPI first"
                )
            }
            LoadError::Sanitizer { name, .. } => write!(
                f,
                "compiled with a sanitizer ({name}) that has to see a whole process, and ranks share one (our limit); \
                 compile it without the sanitizer, and look for errors of memory with smpirun -wrapper valgrind"
            ),
            _ => Ok(()),
        }
    }
}

/// A script or an interpreter.
fn write_interpreter(f: &mut fmt::Formatter<'_>, of_script: Option<&str>) -> fmt::Result {
    match of_script {
        Some(interpreter) => write!(
            f,
            "a script for {interpreter}, not an ELF executable; an interpreter cannot be a rank (our limit): name the \
             MPI program itself, and let scripts call smpirun"
        ),
        None => f.write_str(
            "an interpreter, which cannot be a rank (our limit): ranks are compiled programs, not scripts in Python, \
             shell or the like",
        ),
    }
}

/// The MPI implementation that has a library of this name.
fn implementation(library: &str) -> &'static str {
    if library.starts_with("libsimgrid") {
        "SMPI"
    } else if library.starts_with("libmpich") || library.starts_with("libmpifort") || library.ends_with(".so.12") {
        "MPICH or one of its descendants"
    } else {
        "Open MPI"
    }
}

/// A relocation of an unknown type.
fn write_unsupported(f: &mut fmt::Formatter<'_>, kind: u32, symbol: &str) -> fmt::Result {
    let of = if symbol.is_empty() { String::new() } else { format!(" for symbol {symbol}") };
    write!(
        f,
        "relocation type {kind}{of} is not supported by libsmpi; {HOW_TO_BUILD}, without -mcmodel and \
         without -Wl,-z,notext"
    )
}

/// Undefined symbols: at most five by name, and the likeliest reason.
fn write_undefined(f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
    let shown = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(5);
    write!(f, "undefined symbol{} {shown}", if names.len() == 1 { "" } else { "s" })?;
    if more > 0 {
        write!(f, " and {more} more")?;
    }
    let foreign = names.iter().any(|name| name.starts_with("ompi_") || name.starts_with("MPIR_"));
    if foreign {
        write!(f, "; the program was compiled for another MPI implementation: compile it again with smpicc")
    } else {
        write!(
            f,
            "; neither the program, its libraries nor libsmpi define {}: ",
            if names.len() == 1 { "it" } else { "them" }
        )?;
        write!(f, "add the library that does to the link command")
    }
}

impl NotPie {
    fn explain(self) -> String {
        match self {
            NotPie::FixedAddress => format!(
                "linked for a fixed address (not PIE), so that only one rank could have it; {HOW_TO_BUILD} \
                 (drop -no-pie)"
            ),
            NotPie::Static => {
                format!(
                    "statically linked, so that it does not take MPI from libsmpi; {HOW_TO_BUILD} (drop -static and -static-pie)"
                )
            }
            NotPie::SharedLibrary => {
                format!("a shared library, not an executable; give the program itself, {HOW_TO_BUILD} (drop -shared)")
            }
            NotPie::ObjectFile => {
                "an object file that was not linked; link it with smpicc -o program file.o".to_string()
            }
            NotPie::Other(kind) => format!("an ELF file of type {kind}, not an executable; {HOW_TO_BUILD}"),
        }
    }
}

/// Name of an `e_machine`; the common ones by name, the rest by number.
fn machine_name(machine: u16) -> String {
    match machine {
        object::elf::EM_386 => "i386 (32-bit x86)".to_string(),
        object::elf::EM_X86_64 => "x86_64".to_string(),
        object::elf::EM_ARM => "arm".to_string(),
        object::elf::EM_AARCH64 => "aarch64".to_string(),
        object::elf::EM_PPC64 => "powerpc64".to_string(),
        object::elf::EM_RISCV => "riscv".to_string(),
        object::elf::EM_S390 => "s390".to_string(),
        other => format!("machine number {other}"),
    }
}
