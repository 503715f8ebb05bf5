//! image layer of libsmpi.
