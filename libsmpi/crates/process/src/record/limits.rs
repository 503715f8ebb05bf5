//! What the kernel keeps for a process about what it may use, and how it is called, as one rank has set it.

use std::ffi::c_int;

/// So many resources have limits (getrlimit(2)).
pub const RESOURCES: usize = 16;

/// What a rank has set; nothing where it never did.
#[derive(Clone, Debug, Default, Hash)]
pub struct Limits {
    /// The soft and the hard limit, by resource.
    pub limits: [Option<(u64, u64)>; RESOURCES],
    /// Its nice value.
    pub priority: Option<c_int>,
    /// Its name (`PR_SET_NAME`).
    pub name: Option<[u8; 16]>,
    /// The processors that it may run on, as a mask.
    pub processors: Option<Vec<u8>>,
}
