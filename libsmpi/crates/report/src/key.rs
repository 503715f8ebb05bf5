//! The stable keys of findings, and which of them an MPI error class belongs to.
//!
//! A key never changes its meaning and never disappears; tools and tests compare keys, not sentences. What each key
//! means and what to do about it is in [`crate::catalogue`]; which one an error class is, in `abi/error_classes.csv`.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

use smpi_abi::ErrorClass;

macro_rules! keys {
    ($($name:ident = $key:literal;)*) => {
        /// The kind of a finding.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "&'static str")]
        pub enum FindingKey {
            $(#[doc = concat!("`", $key, "`.")] $name,)*
        }

        impl FindingKey {
            /// Every key, in the order of the documentation.
            pub const ALL: &'static [FindingKey] = &[$(FindingKey::$name),*];

            /// The key as users, files and tests write it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(FindingKey::$name => $key,)*
                }
            }
        }
    };
}

keys! {
    Deadlock = "deadlock";
    DeadlockBuffering = "deadlock/buffering";
    Assertion = "assertion";
    Crash = "crash";
    ExitCode = "exit-code";
    NonTermination = "non-termination";
    Livelock = "livelock";
    Liveness = "liveness";
    RaceMessage = "race/message";
    DeterminismSend = "determinism/send";
    DeterminismCommunication = "determinism/communication";
    RaceBuffer = "race/buffer";
    RaceWindow = "race/window";
    RaceFile = "race/file";
    MemoryOverrun = "memory/overrun";
    MemoryFreed = "memory/freed";
    MemoryType = "memory/type";
    MemoryUninitialised = "memory/uninitialised";
    InvalidCommunicator = "mpi/invalid/communicator";
    InvalidRank = "mpi/invalid/rank";
    InvalidTag = "mpi/invalid/tag";
    InvalidCount = "mpi/invalid/count";
    InvalidBuffer = "mpi/invalid/buffer";
    InvalidDatatype = "mpi/invalid/datatype";
    InvalidOp = "mpi/invalid/op";
    InvalidRoot = "mpi/invalid/root";
    InvalidRequest = "mpi/invalid/request";
    InvalidWindow = "mpi/invalid/window";
    InvalidEpoch = "mpi/invalid/epoch";
    InvalidGroup = "mpi/invalid/group";
    InvalidInfo = "mpi/invalid/info";
    InvalidErrhandler = "mpi/invalid/errhandler";
    InvalidFile = "mpi/invalid/file";
    InvalidSession = "mpi/invalid/session";
    InvalidTopology = "mpi/invalid/topology";
    InvalidDimensions = "mpi/invalid/dimensions";
    InvalidKeyval = "mpi/invalid/keyval";
    InvalidDisplacement = "mpi/invalid/displacement";
    InvalidSize = "mpi/invalid/size";
    InvalidArgument = "mpi/invalid/argument";
    Truncate = "mpi/truncate";
    TypeMismatch = "mpi/type-mismatch";
    CollectiveMismatch = "mpi/collective-mismatch";
    ReadySend = "mpi/ready-send";
    FinalizeMissing = "mpi/finalize-missing";
    AfterFinalize = "mpi/after-finalize";
    BeforeInit = "mpi/before-init";
    PendingAtFinalize = "mpi/pending-at-finalize";
    ErrorReturned = "mpi/error-returned";
    Annotation = "annotation";
    RequestNeverStarted = "request/never-started";
    RequestNeverCompleted = "request/never-completed";
    LeakRequest = "leak/request";
    LeakCommunicator = "leak/communicator";
    LeakGroup = "leak/group";
    LeakDatatype = "leak/datatype";
    LeakOp = "leak/op";
    LeakWindow = "leak/window";
    LeakErrhandler = "leak/errhandler";
    LeakFile = "leak/file";
    LeakInfo = "leak/info";
    LeakSession = "leak/session";
}

use FindingKey::*;

impl FindingKey {
    /// The finding behind an MPI error class (the number that the program gets from `MPI_Error_class`). `None` for
    /// classes that a correct program may meet, and for the program's own.
    pub fn of_error_class(class: i32) -> Option<FindingKey> {
        ErrorClass(class).finding()?.parse().ok()
    }

    /// True for what is legal, or does no harm on machines like this one, and only worth a warning: it fails
    /// neither a verification nor a run with `--strict`.
    pub fn is_warning(self) -> bool {
        matches!(self, RequestNeverStarted | MemoryType)
    }

    /// The key as part of an address: the anchor in `docs/findings.md`, which is that of its heading on the usual
    /// sites.
    pub fn anchor(self) -> String {
        self.as_str().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
    }
}

impl fmt::Display for FindingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text that is none of the keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownKey(pub String);

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a finding; docs/findings.md lists all", self.0)
    }
}

impl std::error::Error for UnknownKey {}

impl FromStr for FindingKey {
    type Err = UnknownKey;

    fn from_str(text: &str) -> Result<FindingKey, UnknownKey> {
        let known = FindingKey::ALL.iter().copied().find(|key| key.as_str() == text);
        known.ok_or_else(|| UnknownKey(text.to_string()))
    }
}

impl TryFrom<String> for FindingKey {
    type Error = UnknownKey;

    fn try_from(text: String) -> Result<FindingKey, UnknownKey> {
        text.parse()
    }
}

impl From<FindingKey> for &'static str {
    fn from(key: FindingKey) -> &'static str {
        key.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_distinct_and_read_back() {
        for key in FindingKey::ALL {
            assert_eq!(key.as_str().parse(), Ok(*key));
            assert_eq!(FindingKey::ALL.iter().filter(|other| other.anchor() == key.anchor()).count(), 1, "{key}");
        }
        assert_eq!("mpi/wrong".parse::<FindingKey>(), Err(UnknownKey("mpi/wrong".into())));
    }

    /// `error_classes.csv` has keys, which the compiler does not look at.
    #[test]
    fn findings_of_error_classes_are_keys() {
        for class in ErrorClass::all() {
            let known = class.finding().is_none_or(|key| key.parse::<FindingKey>().is_ok());
            assert!(known, "{}: {:?}", class.name(), class.finding());
        }
    }

    #[test]
    fn classes_become_findings() {
        assert_eq!(FindingKey::of_error_class(6), Some(FindingKey::InvalidRank));
        assert_eq!(FindingKey::of_error_class(15), Some(FindingKey::Truncate));
        assert_eq!(FindingKey::of_error_class(42), None);
        assert_eq!(FindingKey::of_error_class(20_000), None);
    }
}
