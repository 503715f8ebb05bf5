//! Versions of symbols: which one a file asks for, and which one it defines.
//!
//! Source: Drepper, *ELF Symbol Versioning*.

use crate::elf_file::ElfFile;
use crate::error::LoadError;
use smpi_base::map::Map;

/// A symbol's name with the version asked for, as messages show it.
pub(crate) fn display_name(name: &str, version: Option<&str>) -> String {
    version.map_or_else(|| name.to_string(), |version| format!("{name}@{version}"))
}

/// The versions of a file's dynamic symbols: those it asks for, and those it defines.
pub(crate) struct Versions {
    asked: Map<u16, String>,
    defined: Map<u16, String>,
}

impl Versions {
    /// Reads the file's version tables.
    pub fn new(file: &ElfFile) -> Result<Versions, LoadError> {
        Ok(Versions { asked: file.versions()?, defined: file.defined_versions()? })
    }

    /// Version of symbol `index`, if any: the one it asks for, or the one it is defined with.
    pub fn of(&self, file: &ElfFile, index: u32) -> Result<Option<&str>, LoadError> {
        let (number, _) = file.version_index(index)?;
        let defined = || if number > 1 { self.defined.get(&number) } else { None };
        Ok(self.asked.get(&number).or_else(defined).map(String::as_str))
    }

    /// Version number `number` of those that the file defines.
    pub fn defined(&self, number: u16) -> Option<&str> {
        self.defined.get(&number).map(String::as_str)
    }
}
