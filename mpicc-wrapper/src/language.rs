//! Languages that have a wrapper.

/// The language a wrapper is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// C: `smpicc`.
    C,
    /// C++: `smpicxx`.
    Cxx,
    /// Fortran: `smpif90`.
    Fortran,
}

impl Language {
    /// Name of the wrapper, for messages.
    pub fn wrapper(self) -> &'static str {
        match self {
            Language::C => "smpicc",
            Language::Cxx => "smpicxx",
            Language::Fortran => "smpif90",
        }
    }

    /// Name of a source file, for messages.
    pub fn example(self) -> &'static str {
        match self {
            Language::C => "program.c",
            Language::Cxx => "program.cc",
            Language::Fortran => "program.f90",
        }
    }
}
