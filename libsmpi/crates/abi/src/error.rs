//! MPI's error classes (MPI 5.0 §9.4): their numbers, names and texts, and the finding that each of them is.
//!
//! The classes are generated: numbers from `libsmpi/abi/constants.csv`, texts and findings, which are ours, from
//! `error_classes.csv`.

#[rustfmt::skip]
mod classes;

/// An MPI error class: the number a program compares with `MPI_ERR_*`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ErrorClass(pub i32);

/// What is known of one class.
struct Class {
    class: ErrorClass,
    name: &'static str,
    text: &'static str,
    finding: Option<&'static str>,
}

impl ErrorClass {
    /// Every class of the standard.
    pub fn all() -> impl Iterator<Item = ErrorClass> {
        classes::CLASSES.iter().map(|known| known.class)
    }

    /// The name in the standard, such as `MPI_ERR_TYPE`; `MPI_ERR_UNKNOWN` for numbers the standard does not define.
    pub fn name(self) -> &'static str {
        self.lookup().map_or("MPI_ERR_UNKNOWN", |known| known.name)
    }

    /// One sentence about the class, as `MPI_Error_string` gives it; `None` for numbers the standard does not define.
    pub fn text(self) -> Option<&'static str> {
        self.lookup().map(|known| known.text)
    }

    /// The key of the finding that an error of this class is. `None`: a correct program may meet it (a full disk, a
    /// file that is not there, a port that nobody published), or it is no error of one call.
    pub fn finding(self) -> Option<&'static str> {
        self.lookup()?.finding
    }

    fn lookup(self) -> Option<&'static Class> {
        classes::CLASSES.iter().find(|known| known.class == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_programs_have_no_text() {
        assert_eq!((ErrorClass(4711).name(), ErrorClass(4711).text()), ("MPI_ERR_UNKNOWN", None));
        assert_eq!((ErrorClass::RANK.name(), ErrorClass::RANK.0), ("MPI_ERR_RANK", 6));
        assert_eq!(ErrorClass::T_MEMORY.name(), "MPI_T_ERR_MEMORY");
    }
}
