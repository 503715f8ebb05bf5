//! Test driver library.
#![forbid(unsafe_code)]
