//! Point-to-point communication (MPI 5.0 §3): what a request is, how its message travels, and the buffers of buffered
//! sends.

pub mod buffered;
pub mod protocol;
pub mod request;
