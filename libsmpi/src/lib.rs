//! libsmpi: the C ABI.

mod process;
