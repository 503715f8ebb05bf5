//! Errors that MPI reports to the program: class and message.
//!
//! These values travel through the safe layers. Other crates decide what the program sees (error handlers, user-defined
//! codes). Source: MPI 5.0 §9.4 (classes) and the standard ABI (numbers, checked against `abi/constants.csv` by a
//! test).

use std::fmt;

use smpi_abi::Function;

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
}

impl MpiError {
    /// An error with a free message.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> MpiError {
        MpiError { class, argument: None, message: message.into(), comm_handle: 0 }
    }

    /// The same error, on behalf of an operation on a communicator.
    pub fn on(self, comm_handle: u64) -> MpiError {
        MpiError { comm_handle, ..self }
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

/// An MPI error class: the number a program compares with `MPI_ERR_*`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ErrorClass(pub i32);

macro_rules! error_classes {
    ($($konst:ident = $value:literal, $name:literal, $text:literal;)*) => {
        impl ErrorClass {
            $(#[doc = concat!("`", $name, "`: ", $text, ".")] pub const $konst: ErrorClass = ErrorClass($value);)*
        }
        /// Every predefined class with its name and text.
        const CLASSES: &[(ErrorClass, &str, &str)] = &[$((ErrorClass::$konst, $name, $text)),*];
    };
}

error_classes! {
    SUCCESS = 0, "MPI_SUCCESS", "no error";
    BUFFER = 1, "MPI_ERR_BUFFER", "the buffer address is not usable";
    COUNT = 2, "MPI_ERR_COUNT", "the count is negative or too large";
    TYPE = 3, "MPI_ERR_TYPE", "the datatype is null, freed, not committed or not fit for this call";
    TAG = 4, "MPI_ERR_TAG", "the tag is out of range";
    COMM = 5, "MPI_ERR_COMM", "the communicator is null, freed or of the wrong kind";
    RANK = 6, "MPI_ERR_RANK", "the rank is out of range";
    REQUEST = 7, "MPI_ERR_REQUEST", "the request is not valid here";
    ROOT = 8, "MPI_ERR_ROOT", "the root rank is out of range";
    GROUP = 9, "MPI_ERR_GROUP", "the group is null or freed";
    OP = 10, "MPI_ERR_OP", "the reduction operation is not valid or not defined for this datatype";
    TOPOLOGY = 11, "MPI_ERR_TOPOLOGY", "the communicator has no topology of the kind asked for";
    DIMS = 12, "MPI_ERR_DIMS", "the dimensions are not valid";
    ARG = 13, "MPI_ERR_ARG", "an argument has a value that this function does not accept";
    UNKNOWN = 14, "MPI_ERR_UNKNOWN", "an error that belongs to no other class";
    TRUNCATE = 15, "MPI_ERR_TRUNCATE", "the message is longer than the receive buffer";
    OTHER = 16, "MPI_ERR_OTHER", "an error that only its message explains";
    INTERN = 17, "MPI_ERR_INTERN", "an internal fault of the MPI library";
    PENDING = 18, "MPI_ERR_PENDING", "the operation neither failed nor completed yet";
    IN_STATUS = 19, "MPI_ERR_IN_STATUS", "the error codes are in the statuses";
    ACCESS = 20, "MPI_ERR_ACCESS", "no permission";
    AMODE = 21, "MPI_ERR_AMODE", "the access mode is not valid";
    ASSERT = 22, "MPI_ERR_ASSERT", "the assertion argument is not valid";
    BAD_FILE = 23, "MPI_ERR_BAD_FILE", "the file name is not valid";
    BASE = 24, "MPI_ERR_BASE", "the base address is not usable";
    CONVERSION = 25, "MPI_ERR_CONVERSION", "a data conversion function failed";
    DISP = 26, "MPI_ERR_DISP", "the displacement is not valid";
    DUP_DATAREP = 27, "MPI_ERR_DUP_DATAREP", "a data representation of this name exists already";
    FILE_EXISTS = 28, "MPI_ERR_FILE_EXISTS", "the file exists already";
    FILE_IN_USE = 29, "MPI_ERR_FILE_IN_USE", "the file is open elsewhere";
    FILE = 30, "MPI_ERR_FILE", "the file handle is not valid";
    INFO_KEY = 31, "MPI_ERR_INFO_KEY", "the info key is empty or too long";
    INFO_NOKEY = 32, "MPI_ERR_INFO_NOKEY", "the info object has no such key";
    INFO_VALUE = 33, "MPI_ERR_INFO_VALUE", "the info value is empty or too long";
    INFO = 34, "MPI_ERR_INFO", "the info object is null or freed";
    IO = 35, "MPI_ERR_IO", "input or output failed";
    KEYVAL = 36, "MPI_ERR_KEYVAL", "the attribute key is not valid";
    LOCKTYPE = 37, "MPI_ERR_LOCKTYPE", "the lock type is not valid";
    NAME = 38, "MPI_ERR_NAME", "the service name is not published";
    NO_MEM = 39, "MPI_ERR_NO_MEM", "memory is exhausted";
    NOT_SAME = 40, "MPI_ERR_NOT_SAME", "an argument that must agree on all ranks differs";
    NO_SPACE = 41, "MPI_ERR_NO_SPACE", "the device is full";
    NO_SUCH_FILE = 42, "MPI_ERR_NO_SUCH_FILE", "the file does not exist";
    PORT = 43, "MPI_ERR_PORT", "the port name is not valid";
    QUOTA = 44, "MPI_ERR_QUOTA", "the quota is exhausted";
    READ_ONLY = 45, "MPI_ERR_READ_ONLY", "the file or file system is read-only";
    RMA_ATTACH = 46, "MPI_ERR_RMA_ATTACH", "the memory cannot be attached to the window";
    RMA_CONFLICT = 47, "MPI_ERR_RMA_CONFLICT", "conflicting accesses to the window";
    RMA_RANGE = 48, "MPI_ERR_RMA_RANGE", "the target memory is not part of the window";
    RMA_SHARED = 49, "MPI_ERR_RMA_SHARED", "the memory cannot be shared";
    RMA_SYNC = 50, "MPI_ERR_RMA_SYNC", "the window synchronisation calls do not fit together";
    SERVICE = 51, "MPI_ERR_SERVICE", "the service name cannot be taken back";
    SIZE = 52, "MPI_ERR_SIZE", "the size is not valid";
    SPAWN = 53, "MPI_ERR_SPAWN", "the processes cannot be started";
    UNSUPPORTED_DATAREP = 54, "MPI_ERR_UNSUPPORTED_DATAREP", "this data representation is not supported";
    UNSUPPORTED_OPERATION = 55, "MPI_ERR_UNSUPPORTED_OPERATION", "this operation is not supported";
    WIN = 56, "MPI_ERR_WIN", "the window is null or freed";
    RMA_FLAVOR = 57, "MPI_ERR_RMA_FLAVOR", "the window has the wrong flavor for this call";
    PROC_ABORTED = 58, "MPI_ERR_PROC_ABORTED", "a peer process has aborted";
    VALUE_TOO_LARGE = 59, "MPI_ERR_VALUE_TOO_LARGE", "the value does not fit the output argument";
    SESSION = 60, "MPI_ERR_SESSION", "the session is null or finalized";
    ERRHANDLER = 61, "MPI_ERR_ERRHANDLER", "the error handler is null, freed or of the wrong kind";
    ABI = 62, "MPI_ERR_ABI", "the ABI in use does not fit this call";
    T_CANNOT_INIT = 1001, "MPI_T_ERR_CANNOT_INIT", "the tool interface cannot be initialised";
    T_NOT_ACCESSIBLE = 1002, "MPI_T_ERR_NOT_ACCESSIBLE", "the tool interface is not accessible now";
    T_NOT_INITIALIZED = 1003, "MPI_T_ERR_NOT_INITIALIZED", "the tool interface is not initialised";
    T_NOT_SUPPORTED = 1004, "MPI_T_ERR_NOT_SUPPORTED", "the tool interface does not support this";
    T_MEMORY = 1005, "MPI_T_ERR_MEMORY", "the tool interface is out of memory";
    T_INVALID = 1006, "MPI_T_ERR_INVALID", "an argument of a tool interface call is not valid";
    T_INVALID_INDEX = 1007, "MPI_T_ERR_INVALID_INDEX", "the index of the tool interface is out of range";
    T_INVALID_ITEM = 1008, "MPI_T_ERR_INVALID_ITEM", "the item index is out of range";
    T_INVALID_SESSION = 1009, "MPI_T_ERR_INVALID_SESSION", "the tool session is not valid";
    T_INVALID_HANDLE = 1010, "MPI_T_ERR_INVALID_HANDLE", "the tool handle is not valid";
    T_INVALID_NAME = 1011, "MPI_T_ERR_INVALID_NAME", "the tool interface knows no such name";
    T_OUT_OF_HANDLES = 1012, "MPI_T_ERR_OUT_OF_HANDLES", "no more tool handles are available";
    T_OUT_OF_SESSIONS = 1013, "MPI_T_ERR_OUT_OF_SESSIONS", "no more tool sessions are available";
    T_CVAR_SET_NOT_NOW = 1014, "MPI_T_ERR_CVAR_SET_NOT_NOW", "the control variable cannot be set at this moment";
    T_CVAR_SET_NEVER = 1015, "MPI_T_ERR_CVAR_SET_NEVER", "the control variable cannot be set until the end of the run";
    T_PVAR_NO_WRITE = 1016, "MPI_T_ERR_PVAR_NO_WRITE", "the performance variable cannot be written";
    T_PVAR_NO_STARTSTOP = 1017, "MPI_T_ERR_PVAR_NO_STARTSTOP", "the performance variable cannot be started or stopped";
    T_PVAR_NO_ATOMIC = 1018, "MPI_T_ERR_PVAR_NO_ATOMIC", "the performance variable cannot be read and reset atomically";
    LASTCODE = 16383, "MPI_ERR_LASTCODE", "not an error: the largest predefined error code";
}

impl ErrorClass {
    /// The name in the standard, such as `MPI_ERR_TYPE`; `MPI_ERR_UNKNOWN` for numbers the standard does not define.
    pub fn name(self) -> &'static str {
        self.lookup().map_or("MPI_ERR_UNKNOWN", |entry| entry.1)
    }

    /// One sentence about the class, as `MPI_Error_string` gives it; `None` for numbers the standard does not define.
    pub fn text(self) -> Option<&'static str> {
        self.lookup().map(|entry| entry.2)
    }

    fn lookup(self) -> Option<&'static (ErrorClass, &'static str, &'static str)> {
        CLASSES.iter().find(|entry| entry.0 == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi_constants::tests::csv;

    #[test]
    fn classes_have_the_numbers_of_the_abi() {
        let wanted: Vec<(String, i64)> = csv()
            .into_iter()
            .filter(|(name, _)| name == "MPI_SUCCESS" || name.starts_with("MPI_ERR_") || name.starts_with("MPI_T_ERR_"))
            .collect();
        let ours: Vec<(String, i64)> =
            CLASSES.iter().map(|(class, name, _)| (name.to_string(), class.0 as i64)).collect();
        assert_eq!(ours, wanted);
    }

    #[test]
    fn messages_name_parameter_value_and_range() {
        let error = MpiError::parameter(ErrorClass::COUNT, "count", -1, "0 or more");
        assert_eq!(error.text(Function::Send), "parameter 2 (count): -1; allowed: 0 or more");
        assert_eq!(error.text(Function::Type_contiguous), "parameter 1 (count): -1; allowed: 0 or more");
        assert_eq!(ErrorClass(4711).name(), "MPI_ERR_UNKNOWN");
        assert_eq!(ErrorClass(4711).text(), None);
    }
}
