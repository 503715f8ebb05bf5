//! Functions of libc and libstdc++ that mean something else on a rank: name → address, for the image loader.
//!
//! They are not exported: libraries and the hosting process keep the real ones. The `malloc` family,
//! `pthread_create` and others that libraries have to get, too, are exported by the library above and need no entry.

pub mod caches;
mod characters;
pub mod clock;
mod descriptors;
pub mod environment;
pub mod exit;
pub mod fresh;
mod getopt;
mod hosts;
pub mod keepers;
mod libgfortran;
pub mod limits;
mod locks;
pub mod malloc;
pub mod mappings;
pub mod names;
pub mod paths;
mod profile;
mod programs;
mod random;
pub mod settings;
pub mod standard;
mod streams;
mod symbols;
mod syscalls;
pub mod temporary;
pub mod threads;
pub mod unwinding;
mod walks;
pub mod wide;

use crate::contract::Table;
use crate::hooks::hooks;
use crate::{keys, signals};
use std::ffi::CString;

pub use symbols::{own_address, own_function, own_program, place_in_program};

/// What every program gets. No name is in two of them.
const TABLES: [Table; 30] = [
    exit::REPLACED,
    clock::REPLACED,
    clock::SHOWING[0],
    clock::SHOWING[1],
    clock::SHOWING[2],
    streams::REPLACED,
    getopt::REPLACED,
    environment::REPLACED,
    random::REPLACED,
    keys::REPLACED,
    settings::REPLACED,
    signals::calls::REPLACED,
    caches::REPLACED,
    keepers::REPLACED,
    characters::REPLACED,
    standard::REPLACED,
    limits::REPLACED,
    locks::REPLACED,
    wide::REPLACED,
    mappings::REPLACED,
    threads::REPLACED,
    symbols::REPLACED,
    programs::REPLACED,
    programs::LISTS,
    names::REPLACED,
    walks::REPLACED,
    temporary::REPLACED,
    syscalls::REPLACED,
    profile::REPLACED,
    hosts::REPLACED,
];

/// Address of what a rank gets instead of the library's function, if it gets something else; `user` is the private
/// library that asks, empty for the program.
pub fn address(name: &str, user: &str) -> Option<usize> {
    libgfortran::replacement(name, user)
        .or_else(|| TABLES.iter().find_map(|table| entry(table, name)))
        .or_else(|| entry(settings::OF_CXX, name).filter(|_| is_in_libraries(name)))
        .map(|function| function as usize)
        .or_else(|| (hooks().tool)(name))
}

fn entry(table: Table, name: &str) -> Option<*const ()> {
    table.iter().find(|(replaced, _)| *replaced == name).map(|(_, function)| *function)
}

/// Whether the libraries that ranks share have a function of this name.
fn is_in_libraries(name: &str) -> bool {
    CString::new(name).is_ok_and(|name| settings::find(&name) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_in_two_tables() {
        let mut names: Vec<&str> =
            TABLES.iter().chain([&settings::OF_CXX]).flat_map(|table| table.iter().map(|entry| entry.0)).collect();
        names.sort_unstable();
        let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn names_are_those_of_libc() {
        // Some are in no shared library, or not in all versions of libc.
        let others = ["atexit", "at_quick_exit", "bsd_signal", "execveat"];
        for (name, _) in TABLES.iter().flat_map(|table| table.iter()) {
            let is_other = name.starts_with('_') || others.contains(name);
            assert!(is_other || is_in_libraries(name), "libc has no {name}");
        }
    }

    #[test]
    fn functions_are_found_by_name() {
        assert_eq!(entry(exit::REPLACED, "exit"), Some(exit::exit as *const ()));
        assert_eq!(TABLES.iter().find_map(|table| entry(table, "no such function")), None);
    }
}
