//! ranks layer of libsmpi.
