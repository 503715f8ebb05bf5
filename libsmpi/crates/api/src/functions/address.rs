//! Arithmetic on addresses (MPI 5.0 §5.1.5).

use crate::abi::types::MPI_Aint;

/// `MPI_Aint_add`: the address `disp` bytes after `base`; wraps around as addresses do.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn aint_add(base: MPI_Aint, disp: MPI_Aint) -> MPI_Aint {
    base.wrapping_add(disp)
}

/// `MPI_Aint_diff`: the distance in bytes from `addr2` to `addr1`; wraps around as addresses do.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn aint_diff(addr1: MPI_Aint, addr2: MPI_Aint) -> MPI_Aint {
    addr1.wrapping_sub(addr2)
}
