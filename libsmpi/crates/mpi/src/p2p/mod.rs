//! Point-to-point communication (MPI 5.0 §3 and §4): what a request is, how its message travels, partitioned
//! operations, and the buffers of buffered sends.

pub mod buffered;
pub mod partitioned;
pub mod protocol;
pub mod request;
