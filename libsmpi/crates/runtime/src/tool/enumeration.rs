//! Names of the values that variables and events have (MPI 5.0 §15.3.5).

use std::ffi::c_int;

use smpi_mpi::collective::select::{Operation, Selector};

/// A list of values with names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enumeration {
    /// Whether something is so.
    NoYes,
    /// Where a rank is between the start and the end of MPI.
    Phase,
    /// Tables of algorithms.
    Tables,
    /// Elements of an event about a message.
    MessageElements,
    /// Elements of an event about a collective operation.
    CollectiveElements,
    /// Algorithms of an operation.
    Algorithms(Operation),
}

/// Enumerations that are not about one operation.
const COMMON: [Enumeration; 5] = [
    Enumeration::NoYes,
    Enumeration::Phase,
    Enumeration::Tables,
    Enumeration::MessageElements,
    Enumeration::CollectiveElements,
];

/// How a table that is no part of the library is called.
const FROM_FILE: &str = "file";

/// What leaves the algorithm to the table.
pub const AUTOMATIC: &str = "automatic";

impl Enumeration {
    /// The enumeration of a number, from 0.
    pub fn of_number(number: usize) -> Option<Enumeration> {
        let operation = || Operation::ALL.get(number - COMMON.len()).copied().map(Enumeration::Algorithms);
        COMMON.get(number).copied().or_else(operation)
    }

    /// Its number.
    pub fn number(self) -> usize {
        match self {
            Enumeration::Algorithms(operation) => COMMON.len() + operation as usize,
            _ => COMMON.iter().position(|other| *other == self).unwrap_or(0),
        }
    }

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Enumeration::NoYes => "no_yes".to_string(),
            Enumeration::Phase => "mpi_phase".to_string(),
            Enumeration::Tables => "coll_selector".to_string(),
            Enumeration::MessageElements => "message_elements".to_string(),
            Enumeration::CollectiveElements => "collective_elements".to_string(),
            Enumeration::Algorithms(operation) => format!("{}_algorithms", operation.name()),
        }
    }

    /// The names of its values, which are 0 and following.
    pub fn items(self) -> Vec<&'static str> {
        match self {
            Enumeration::NoYes => vec!["no", "yes"],
            Enumeration::Phase => vec!["before_init", "active", "after_finalize"],
            Enumeration::Tables => Selector::ALL.map(Selector::name).into_iter().chain([FROM_FILE]).collect(),
            Enumeration::MessageElements => vec!["peer", "tag", "bytes", "unexpected"],
            Enumeration::CollectiveElements => vec!["operation", "form"],
            Enumeration::Algorithms(operation) => [AUTOMATIC].into_iter().chain(operation.algorithms()).collect(),
        }
    }

    /// The value of a table of algorithms; that of a file for `None`.
    pub fn of_table(selector: Option<Selector>) -> c_int {
        let place = selector.and_then(|selector| Selector::ALL.into_iter().position(|other| other == selector));
        place.unwrap_or(Selector::ALL.len()) as c_int
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_enumerations_are_the_same() {
        let known: Vec<Enumeration> = (0..).map_while(Enumeration::of_number).collect();
        assert_eq!(known.len(), COMMON.len() + Operation::ALL.len());
        let mut names = Vec::new();
        for (number, enumeration) in known.into_iter().enumerate() {
            assert_eq!(enumeration.number(), number);
            assert!(!enumeration.items().is_empty());
            names.push(enumeration.name());
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
