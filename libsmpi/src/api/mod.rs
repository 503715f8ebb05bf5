//! The MPI functions, one file for each chapter of the standard, in one flat namespace `api::*`.
//!
//! `MPI_X` and `MPI_X_c` are implemented by one `pub unsafe fn x(...) -> Result<()>` here; `docs/abi.md` tells how to
//! add one. A function checks and converts its arguments, calls the `World` and returns; it holds no borrow while
//! its rank waits.

mod address;
mod handle_conversion;

pub use address::*;
pub use handle_conversion::*;
