//! The variables of a program, by address: of its executable and of the libraries that every rank has for itself.

use std::path::Path;

use crate::symbols::{Symbol, SymbolTable};

/// A variable with static storage.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// First image address.
    pub start: u64,
    /// One past the last image address.
    pub end: u64,
    /// Its name, as the linker knows it.
    pub name: String,
}

/// The variables of a program.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    /// By address; no two have a byte in common.
    list: Vec<Variable>,
    /// Addresses from which on, up to the next variable, there may be one without a name.
    vague: Vec<u64>,
}

impl Variables {
    /// Those that the files' symbol tables tell; of a stripped file only those that others may use. Thread-local ones
    /// are left out. With each file comes what leads from its addresses to those of the image.
    pub fn of<'a>(files: impl Iterator<Item = (&'a Path, u64)>) -> Variables {
        let mut vague = Vec::new();
        let of_file = |(path, shift): (&Path, u64)| {
            let at = |symbol: &Symbol| symbol.address.wrapping_add(shift);
            let table = SymbolTable::read(path);
            vague.extend(table.vague().iter().map(|own| own.wrapping_add(shift)));
            if !table.is_whole() {
                // Any may be missing: behind each, and before the first.
                vague.push(shift);
                vague.extend(table.variables().map(|symbol| at(symbol).wrapping_add(symbol.size)));
            }
            let variables = table.variables().map(|symbol| Variable {
                start: at(symbol),
                end: at(symbol).wrapping_add(symbol.size),
                name: symbol.name.clone(),
            });
            variables.collect::<Vec<_>>()
        };
        let all = files.flat_map(of_file).collect();
        vague.sort_unstable();
        Variables { vague, ..Variables::from(all) }
    }

    /// Variables that overlap (other names of the same one, its parts) become one.
    fn from(mut all: Vec<Variable>) -> Variables {
        all.sort_by(|a, b| (a.start, b.end, &a.name).cmp(&(b.start, a.end, &b.name)));
        let mut list: Vec<Variable> = Vec::with_capacity(all.len());
        for variable in all {
            match list.last_mut() {
                Some(last) if variable.start < last.end => last.end = last.end.max(variable.end),
                _ => list.push(variable),
            }
        }
        Variables { list, vague: Vec::new() }
    }

    /// Whether an image address that is in no variable that is known may be in another one.
    pub fn may_lack(&self, address: u64) -> bool {
        let next = self.list.partition_point(|variable| variable.start <= address);
        let end_before = next.checked_sub(1).map_or(0, |before| self.list[before].end);
        let unnamed = self.vague.partition_point(|from| *from <= address).checked_sub(1);
        unnamed.is_some_and(|index| self.vague[index] >= end_before)
    }

    /// The variable at an image address.
    pub fn at(&self, address: u64) -> Option<&Variable> {
        let index = self.list.partition_point(|variable| variable.start <= address).checked_sub(1)?;
        self.list.get(index).filter(|variable| address < variable.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_with_two_names_is_one() {
        let variable = |start, end, name: &str| Variable { start, end, name: name.into() };
        let all = vec![
            variable(32, 40, "b"),
            variable(0, 16, "a"),
            variable(0, 16, "alias"),
            variable(4, 8, "part"),
            variable(16, 20, "next"),
        ];
        let variables = Variables::from(all);
        assert_eq!(variables.at(15), Some(&variable(0, 16, "a")));
        assert_eq!(variables.at(16), Some(&variable(16, 20, "next")));
        assert_eq!((variables.at(20), variables.at(40)), (None, None));
        assert_eq!(variables.at(39).map(|variable| variable.name.as_str()), Some("b"));
        assert!(!variables.may_lack(25));
        let variables = Variables { vague: vec![24, 50], ..variables };
        assert_eq!([20, 25, 40, 49, 50, 90].map(|at| variables.may_lack(at)), [false, true, false, false, true, true]);
    }
}
