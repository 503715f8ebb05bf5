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
}

impl Variables {
    /// Those that the files' symbol tables tell; of a stripped file only those that others may use. Thread-local ones
    /// are left out. With each file comes what leads from its addresses to those of the image.
    pub fn of<'a>(files: impl Iterator<Item = (&'a Path, u64)>) -> Variables {
        let of_file = |(path, shift): (&Path, u64)| {
            let at = |symbol: &Symbol| symbol.address.wrapping_add(shift);
            let table = SymbolTable::read(path);
            let variables = table.variables().map(|symbol| Variable {
                start: at(symbol),
                end: at(symbol).wrapping_add(symbol.size),
                name: symbol.name.clone(),
            });
            variables.collect::<Vec<_>>()
        };
        Variables::from(files.flat_map(of_file).collect())
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
        Variables { list }
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
    }
}
