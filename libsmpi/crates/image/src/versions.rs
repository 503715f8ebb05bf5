//! Versions of symbols: which one a file asks for, and which one it defines.
//!
//! Source: Drepper, *ELF Symbol Versioning*.

use crate::dynamic::NO_VERSION;
use crate::elf_file::ElfFile;
use crate::error::LoadError;
use smpi_base::map::Map;

/// A symbol's name with the version asked for, as messages show it.
pub(crate) fn display_name(name: &str, version: Option<&str>) -> String {
    version.map_or_else(|| name.to_string(), |version| format!("{name}@{version}"))
}

/// The versions of a file's dynamic symbols: those it asks for, and those it defines.
pub(crate) struct Versions {
    /// Names by number.
    asked: Map<u16, String>,
    /// Names by number.
    defined: Map<u16, String>,
}

impl Versions {
    /// Reads the file's version tables.
    pub fn new(file: &ElfFile) -> Result<Versions, LoadError> {
        let asked = file.asked_versions()?.into_iter().flat_map(|of_library| of_library.versions);
        let asked = asked.map(|version| (version.number, version.name)).collect();
        Ok(Versions { asked, defined: file.defined_versions()? })
    }

    /// Version of symbol `index`, if any: the one it asks for, or the one it is defined with.
    pub fn of(&self, file: &ElfFile, index: u32) -> Result<Option<&str>, LoadError> {
        let (number, _) = file.version_index(index)?;
        if number <= NO_VERSION {
            return Ok(None);
        }
        match self.asked.get(&number).or_else(|| self.defined.get(&number)) {
            Some(version) => Ok(Some(version)),
            None => {
                let name = file.symbol_name(&file.symbol(index)?)?;
                Err(file.malformed(format!("symbol {name} has version number {number}, which is no version's")))
            }
        }
    }

    /// Version number `number` of those that the file defines.
    pub fn defined(&self, number: u16) -> Option<&str> {
        self.defined.get(&number).map(String::as_str)
    }

    /// Whether whoever asks the file for this version is served. One that defines no versions at all serves everybody.
    pub fn serves(&self, version: &str) -> bool {
        self.defined.is_empty() || self.defined.values().any(|defined| defined == version)
    }
}
