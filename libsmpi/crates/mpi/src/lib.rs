//! mpi layer of libsmpi.
#![forbid(unsafe_code)]
