//! libsmpi: the C ABI.
