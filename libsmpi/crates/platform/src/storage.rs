//! Disks of hosts, and file systems whose servers they are.

use smpi_base::HostId;
use std::path::PathBuf;

/// Index of a disk of the platform, in the order of its description.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DiskId(pub u32);

impl DiskId {
    /// The disk as an index into per-disk tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A disk. Accesses share its time, whether they read or write.
#[derive(Clone, PartialEq, Debug)]
pub struct Disk {
    /// The host that it belongs to; a host has one disk at most.
    pub host: HostId,
    /// What it reads when it does nothing else.
    pub read_bytes_per_sec: f64,
    /// What it writes when it does nothing else.
    pub write_bytes_per_sec: f64,
    /// Time that every access takes before data moves, whatever else the disk does.
    pub latency_secs: f64,
}

/// A file system that all hosts reach, over the network.
#[derive(Clone, PartialEq, Debug)]
pub struct FileSystem {
    /// Files whose absolute names begin with this one are on it.
    pub mount: PathBuf,
    /// The disks of its servers, at least one. Stripes of a file go to them in turn, the first one to the first.
    pub servers: Vec<DiskId>,
    /// Bytes of a stripe, at least 1.
    pub stripe_bytes: u64,
}
