//! engine layer of libsmpi.
#![forbid(unsafe_code)]
