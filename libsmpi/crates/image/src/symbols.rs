//! Names of functions for crash messages: link-time address → function and offset.
//!
//! Reads the executable again, because the table is only needed when something went wrong. Source lines are the
//! business of `report`, which asks debug information with the same link-time address.

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::path::Path;

/// A function or a variable of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name, as the linker knows it (C++ names are mangled).
    pub name: String,
    /// Its link-time address.
    pub address: u64,
    /// Its size in bytes; where the compiler did not say, 0 for variables, and the most that it can be for functions.
    pub size: u64,
    /// True for functions.
    pub is_function: bool,
    /// True for thread-local variables: the address is an offset in their block.
    pub is_thread_local: bool,
}

/// The symbols of an executable, sorted by address.
#[derive(Clone, Debug, Default)]
pub struct SymbolTable {
    symbols: Vec<Symbol>,
    /// Addresses from which on there is data of unknown size: assemblers need not say it.
    vague: Vec<u64>,
    /// Variables that only their own source file sees are among the symbols, so that none is missing.
    has_locals: bool,
}

/// Names that linkers give to borders of data, where nothing lies.
const BORDERS: [&str; 9] =
    ["__data_start", "data_start", "__bss_start", "_edata", "edata", "_end", "end", "__dso_handle", "__TMC_END__"];

impl SymbolTable {
    /// Reads `.symtab`, or `.dynsym` of a stripped executable; an unreadable file has no symbols.
    pub fn read(path: &Path) -> SymbolTable {
        let data = std::fs::read(path).unwrap_or_default();
        let Ok(file) = object::File::parse(&*data) else { return SymbolTable::default() };
        let mut symbols: Vec<Symbol> = file.symbols().filter_map(|symbol| convert(&file, &symbol)).collect();
        let has_locals = file.symbols().any(|symbol| symbol.is_local() && symbol.kind() == SymbolKind::Data);
        let is_vague = |symbol: &object::Symbol| {
            let is_data = matches!(symbol.kind(), SymbolKind::Data | SymbolKind::Unknown | SymbolKind::Label);
            let is_border = symbol.name().is_ok_and(|name| BORDERS.contains(&name));
            is_data && symbol.size() == 0 && !symbol.is_undefined() && !is_border
        };
        let mut vague: Vec<u64> = file.symbols().filter(is_vague).map(|symbol| symbol.address()).collect();
        vague.sort_unstable();
        if symbols.is_empty() {
            symbols = file.dynamic_symbols().filter_map(|symbol| convert(&file, &symbol)).collect();
        }
        symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        SymbolTable { symbols, vague, has_locals }
    }

    /// The function that contains a link-time address, and the offset in it.
    pub fn function_at(&self, address: u64) -> Option<(&Symbol, u64)> {
        let end = self.symbols.partition_point(|symbol| symbol.address <= address);
        // Nested or zero-sized symbols are rare; a few steps back find the one that covers the address.
        let function = self.symbols[..end].iter().rev().filter(|symbol| symbol.is_function).take(4).find(|symbol| {
            let offset = address - symbol.address;
            offset < symbol.size
        })?;
        Some((function, address - function.address))
    }

    /// The variable that contains a link-time address.
    pub fn variable_at(&self, address: u64) -> Option<&Symbol> {
        let end = self.symbols.partition_point(|symbol| symbol.address <= address);
        let before = self.symbols[..end].iter().rev().filter(|symbol| !symbol.is_function && symbol.size > 0);
        before.take(4).find(|symbol| address - symbol.address < symbol.size)
    }

    /// All variables with static storage whose size is known.
    pub fn variables(&self) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().filter(|symbol| !symbol.is_function && !symbol.is_thread_local && symbol.size > 0)
    }

    /// Whether no variable is missing.
    pub fn is_whole(&self) -> bool {
        self.has_locals
    }

    /// Addresses from which on, up to the next variable, there may be data.
    pub fn vague(&self) -> &[u64] {
        &self.vague
    }

    /// The symbol of this name.
    pub fn named(&self, name: &str) -> Option<&Symbol> {
        self.symbols.iter().find(|symbol| symbol.name == name)
    }
}

/// Names of what an executable takes from libraries; an unreadable file takes nothing.
pub fn imported(path: &Path) -> Vec<String> {
    let data = std::fs::read(path).unwrap_or_default();
    let Ok(file) = object::File::parse(&*data) else { return Vec::new() };
    let imported = file.dynamic_symbols().filter(|symbol| symbol.is_undefined());
    imported.filter_map(|symbol| symbol.name().ok().map(String::from)).collect()
}

/// The longest function of which nobody says how long it is.
const LONGEST_UNSIZED: u64 = 4096;

fn convert<'data>(file: &object::File<'data>, symbol: &impl ObjectSymbol<'data>) -> Option<Symbol> {
    let is_function = symbol.kind() == SymbolKind::Text;
    if symbol.is_undefined() || !(is_function || symbol.kind() == SymbolKind::Data || symbol.kind() == SymbolKind::Tls)
    {
        return None;
    }
    let name = symbol.name().ok().filter(|name| !name.is_empty())?.to_string();
    let is_thread_local = symbol.kind() == SymbolKind::Tls;
    let (address, mut size) = (symbol.address(), symbol.size());
    if is_function && size == 0 {
        // It ends with its section at the latest: what follows `_init` are calls of libraries.
        let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
        let end = section.map_or(u64::MAX, |section| section.address() + section.size());
        size = end.saturating_sub(address).min(LONGEST_UNSIZED);
    }
    Some(Symbol { name, address, size, is_function, is_thread_local })
}
