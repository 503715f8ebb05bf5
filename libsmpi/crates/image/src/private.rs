//! Variables of libc that every rank must have for itself.
//!
//! The dynamic linker would bind `optind` of the program and of libc to one object. Here each image has its own: either
//! the copy that the static linker reserved in the program's .bss (COPY relocation), or a *cell* behind the image, to
//! which the loader binds the program's references. libc keeps its single object, so that whoever intercepts the libc
//! functions that use it (`getopt`, `setenv`, …) carries values from the rank's object to libc's and back.

/// A variable that is private to each image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum PrivateVariable {
    /// `environ`, also known as `__environ` and `_environ`.
    Environ,
    /// `optarg` of getopt.
    Optarg,
    /// `optind` of getopt.
    Optind,
    /// `opterr` of getopt.
    Opterr,
    /// `optopt` of getopt.
    Optopt,
    /// `program_invocation_name`, also known as `__progname_full`.
    ProgramName,
    /// `program_invocation_short_name`, also known as `__progname`.
    ProgramShortName,
    /// `signgam` of lgamma.
    Signgam,
}

impl PrivateVariable {
    /// All of them, in the order of their cells.
    pub const ALL: [PrivateVariable; 8] = [
        PrivateVariable::Environ,
        PrivateVariable::Optarg,
        PrivateVariable::Optind,
        PrivateVariable::Opterr,
        PrivateVariable::Optopt,
        PrivateVariable::ProgramName,
        PrivateVariable::ProgramShortName,
        PrivateVariable::Signgam,
    ];

    /// The variable that a symbol names, if it is one of these.
    pub fn from_symbol(name: &str) -> Option<PrivateVariable> {
        Some(match name {
            "environ" | "__environ" | "_environ" => PrivateVariable::Environ,
            "optarg" => PrivateVariable::Optarg,
            "optind" => PrivateVariable::Optind,
            "opterr" => PrivateVariable::Opterr,
            "optopt" => PrivateVariable::Optopt,
            "program_invocation_name" | "__progname_full" => PrivateVariable::ProgramName,
            "program_invocation_short_name" | "__progname" => PrivateVariable::ProgramShortName,
            "signgam" | "__signgam" => PrivateVariable::Signgam,
            _ => return None,
        })
    }

    /// A symbol under which libc defines it.
    pub fn symbol(self) -> &'static str {
        match self {
            PrivateVariable::Environ => "environ",
            PrivateVariable::Optarg => "optarg",
            PrivateVariable::Optind => "optind",
            PrivateVariable::Opterr => "opterr",
            PrivateVariable::Optopt => "optopt",
            PrivateVariable::ProgramName => "program_invocation_name",
            PrivateVariable::ProgramShortName => "program_invocation_short_name",
            PrivateVariable::Signgam => "signgam",
        }
    }

    /// Its size in bytes.
    pub fn size(self) -> usize {
        match self {
            PrivateVariable::Optind | PrivateVariable::Opterr | PrivateVariable::Optopt | PrivateVariable::Signgam => 4,
            _ => 8,
        }
    }

    /// Offset of its cell; every cell has eight bytes.
    pub(crate) fn cell(self) -> usize {
        self as usize * 8
    }
}

/// Bytes that all cells take.
pub(crate) const CELLS_LEN: usize = PrivateVariable::ALL.len() * 8;
