//! The stable keys of findings, and which of them an MPI error class belongs to.
//!
//! A key never changes its meaning and never disappears; tools and tests compare keys, not sentences. What each key
//! means and what to do about it is in [`crate::catalogue`]. The numbers of the error classes are those of MPI 5.0 §9.4
//! and of the standard ABI (§20); a test compares them with `include/mpi.h`.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

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

/// Number, name and finding of every error class of the standard. `None`: a correct program may meet it (a full disk, a
/// file that is not there, a port that nobody published), or it is no error of one call.
const ERROR_CLASSES: &[(i32, &str, Option<FindingKey>)] = &[
    (0, "MPI_SUCCESS", None),
    (1, "MPI_ERR_BUFFER", Some(InvalidBuffer)),
    (2, "MPI_ERR_COUNT", Some(InvalidCount)),
    (3, "MPI_ERR_TYPE", Some(InvalidDatatype)),
    (4, "MPI_ERR_TAG", Some(InvalidTag)),
    (5, "MPI_ERR_COMM", Some(InvalidCommunicator)),
    (6, "MPI_ERR_RANK", Some(InvalidRank)),
    (7, "MPI_ERR_REQUEST", Some(InvalidRequest)),
    (8, "MPI_ERR_ROOT", Some(InvalidRoot)),
    (9, "MPI_ERR_GROUP", Some(InvalidGroup)),
    (10, "MPI_ERR_OP", Some(InvalidOp)),
    (11, "MPI_ERR_TOPOLOGY", Some(InvalidTopology)),
    (12, "MPI_ERR_DIMS", Some(InvalidDimensions)),
    (13, "MPI_ERR_ARG", Some(InvalidArgument)),
    (14, "MPI_ERR_UNKNOWN", None),
    (15, "MPI_ERR_TRUNCATE", Some(Truncate)),
    (16, "MPI_ERR_OTHER", None),
    (17, "MPI_ERR_INTERN", None),
    (18, "MPI_ERR_PENDING", None),
    (19, "MPI_ERR_IN_STATUS", None),
    (20, "MPI_ERR_ACCESS", None),
    (21, "MPI_ERR_AMODE", Some(InvalidArgument)),
    (22, "MPI_ERR_ASSERT", Some(InvalidArgument)),
    (23, "MPI_ERR_BAD_FILE", Some(InvalidFile)),
    (24, "MPI_ERR_BASE", Some(InvalidBuffer)),
    (25, "MPI_ERR_CONVERSION", None),
    (26, "MPI_ERR_DISP", Some(InvalidDisplacement)),
    (27, "MPI_ERR_DUP_DATAREP", Some(InvalidArgument)),
    (28, "MPI_ERR_FILE_EXISTS", None),
    (29, "MPI_ERR_FILE_IN_USE", None),
    (30, "MPI_ERR_FILE", Some(InvalidFile)),
    (31, "MPI_ERR_INFO_KEY", Some(InvalidInfo)),
    (32, "MPI_ERR_INFO_NOKEY", Some(InvalidInfo)),
    (33, "MPI_ERR_INFO_VALUE", Some(InvalidInfo)),
    (34, "MPI_ERR_INFO", Some(InvalidInfo)),
    (35, "MPI_ERR_IO", None),
    (36, "MPI_ERR_KEYVAL", Some(InvalidKeyval)),
    (37, "MPI_ERR_LOCKTYPE", Some(InvalidArgument)),
    (38, "MPI_ERR_NAME", None),
    (39, "MPI_ERR_NO_MEM", None),
    (40, "MPI_ERR_NOT_SAME", Some(CollectiveMismatch)),
    (41, "MPI_ERR_NO_SPACE", None),
    (42, "MPI_ERR_NO_SUCH_FILE", None),
    (43, "MPI_ERR_PORT", None),
    (44, "MPI_ERR_QUOTA", None),
    (45, "MPI_ERR_READ_ONLY", None),
    (46, "MPI_ERR_RMA_ATTACH", Some(InvalidWindow)),
    (47, "MPI_ERR_RMA_CONFLICT", Some(RaceWindow)),
    (48, "MPI_ERR_RMA_RANGE", Some(InvalidDisplacement)),
    (49, "MPI_ERR_RMA_SHARED", Some(InvalidWindow)),
    (50, "MPI_ERR_RMA_SYNC", Some(InvalidEpoch)),
    (51, "MPI_ERR_SERVICE", None),
    (52, "MPI_ERR_SIZE", Some(InvalidSize)),
    (53, "MPI_ERR_SPAWN", None),
    (54, "MPI_ERR_UNSUPPORTED_DATAREP", Some(InvalidArgument)),
    (55, "MPI_ERR_UNSUPPORTED_OPERATION", None),
    (56, "MPI_ERR_WIN", Some(InvalidWindow)),
    (57, "MPI_ERR_RMA_FLAVOR", Some(InvalidWindow)),
    (58, "MPI_ERR_PROC_ABORTED", None),
    (59, "MPI_ERR_VALUE_TOO_LARGE", Some(InvalidArgument)),
    (60, "MPI_ERR_SESSION", Some(InvalidSession)),
    (61, "MPI_ERR_ERRHANDLER", Some(InvalidErrhandler)),
    (62, "MPI_ERR_ABI", None),
];

impl FindingKey {
    /// The finding behind an MPI error class (the number that the program gets from `MPI_Error_class`). `None` for
    /// classes that a correct program may meet, and for the program's own.
    pub fn of_error_class(class: i32) -> Option<FindingKey> {
        ERROR_CLASSES.iter().find(|entry| entry.0 == class)?.2
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

    #[test]
    fn every_error_class_of_the_header_is_judged() {
        let header = include_str!("../../../../include/mpi.h");
        let mut classes = 0;
        for line in header.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["#define", name, number, ..] = words[..]
                && name.starts_with("MPI_ERR_")
                && name != "MPI_ERR_LASTCODE"
                && let Ok(number) = number.parse::<i32>()
            {
                let entry = ERROR_CLASSES.iter().find(|entry| entry.1 == name);
                assert_eq!(entry.map(|entry| entry.0), Some(number), "{name}");
                classes += 1;
            }
        }
        assert_eq!(classes + 1, ERROR_CLASSES.len());
    }

    #[test]
    fn classes_become_findings() {
        assert_eq!(FindingKey::of_error_class(6), Some(FindingKey::InvalidRank));
        assert_eq!(FindingKey::of_error_class(15), Some(FindingKey::Truncate));
        assert_eq!(FindingKey::of_error_class(42), None);
        assert_eq!(FindingKey::of_error_class(20_000), None);
    }
}
