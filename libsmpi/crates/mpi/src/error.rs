//! Errors that MPI reports to the program: class and message.
//!
//! These values travel through the safe layers. Other crates decide what the program sees (error handlers, user-defined
//! codes). Source: MPI 5.0 §9.

use std::fmt;

pub use smpi_abi::ErrorClass;
use smpi_abi::{Callee, Function};

/// Result of an MPI operation.
pub type Result<T> = std::result::Result<T, MpiError>;

/// A refused or failed MPI operation.
///
/// The message about an argument has its value and the allowed range. The function, and which of its parameters that
/// is, are added where the error leaves the library ([`MpiError::text`]): `MPI_Send: parameter 2 (count): -1; allowed:
/// 0 or more`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MpiError {
    /// The class that `MPI_Error_class` reports.
    pub class: ErrorClass,
    /// The name of the argument that is wrong, as the standard has it.
    pub argument: Option<Box<str>>,
    /// What is wrong, in words.
    pub message: String,
    /// The C handle of the communicator that it belongs to, where the failing call names none: a wait fails on behalf
    /// of the operation that it completes. 0 for the object that the call names.
    pub comm_handle: u64,
    /// Where the operation was started that failed, if that is known: a number of the C layer's, and the function.
    /// In a box, as every result has room for an error.
    pub started: Option<Box<(u64, Callee)>>,
}

impl MpiError {
    /// An error with a free message.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> MpiError {
        MpiError { class, argument: None, message: message.into(), comm_handle: 0, started: None }
    }

    /// The same error, on behalf of an operation on a communicator.
    pub fn on(self, comm_handle: u64) -> MpiError {
        MpiError { comm_handle, ..self }
    }

    /// The same error, of an operation that was started here.
    pub fn of(self, started: (u64, Callee)) -> MpiError {
        MpiError { started: Some(Box::new(started)), ..self }
    }

    /// The usual message about one argument: its name, its value and what is allowed.
    pub fn parameter(class: ErrorClass, name: &str, value: impl fmt::Display, allowed: &str) -> MpiError {
        MpiError { argument: Some(name.into()), ..MpiError::new(class, format!("{value}; allowed: {allowed}")) }
    }

    /// The message, with the place of the argument in the prototype of the function that was called, from 1.
    pub fn text(&self, function: Function) -> String {
        let Some(name) = &self.argument else { return self.message.clone() };
        // An element of an array is `name[3]`.
        let array = name.split('[').next().unwrap_or_default();
        match function.arguments().iter().position(|argument| *argument == array) {
            Some(place) => format!("parameter {} ({name}): {}", place + 1, self.message),
            None => format!("parameter ({name}): {}", self.message),
        }
    }
}

impl fmt::Display for MpiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class.name(), self.message)
    }
}

impl std::error::Error for MpiError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_parameter_value_and_range() {
        let error = MpiError::parameter(ErrorClass::COUNT, "count", -1, "0 or more");
        assert_eq!(error.text(Function::Send), "parameter 2 (count): -1; allowed: 0 or more");
        assert_eq!(error.text(Function::Type_contiguous), "parameter 1 (count): -1; allowed: 0 or more");
    }
}
