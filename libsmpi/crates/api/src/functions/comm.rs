//! Communicators: access, comparison, names (MPI 5.0 §7.4.1, §7.6, §7.8). Making new ones is in `comm_create`.

use std::ffi::{c_char, c_int};

use smpi_mpi::error::Result;

use crate::abi::constants::*;
use crate::abi::types::*;
use crate::convert;
use crate::user_threads;

/// `MPI_Comm_size`: of the own side of an intercommunicator.
pub fn comm_size(comm: MPI_Comm) -> Result<c_int> {
    let value = match user_threads::comm(comm as u64) {
        Some(of_thread) => of_thread?.1,
        None => convert::with_comm(comm, "comm", |comm| Ok(comm.core.group.size() as c_int))?,
    };
    Ok(value)
}

/// `MPI_Comm_rank`.
pub fn comm_rank(comm: MPI_Comm) -> Result<c_int> {
    let value = match user_threads::comm(comm as u64) {
        Some(of_thread) => of_thread?.0,
        None => convert::with_comm(comm, "comm", |comm| Ok(comm.core.rank as c_int))?,
    };
    Ok(value)
}

/// `MPI_Comm_test_inter`.
pub fn comm_test_inter(comm: MPI_Comm) -> Result<c_int> {
    let value = convert::with_comm(comm, "comm", |comm| Ok(comm.core.remote.is_some()))?;
    Ok(c_int::from(value))
}

/// `MPI_Comm_compare`.
pub fn comm_compare(comm1: MPI_Comm, comm2: MPI_Comm) -> Result<c_int> {
    let (first, second) = (convert::comm(comm1, "comm1")?, convert::comm(comm2, "comm2")?);
    let value = if first.context == second.context && comm1 == comm2 {
        MPI_IDENT
    } else {
        let local = super::group::compare(&first.group, &second.group);
        let remote = match (&first.remote, &second.remote) {
            (None, None) => MPI_IDENT,
            (Some(first), Some(second)) => super::group::compare(first, second),
            _ => MPI_UNEQUAL,
        };
        match (local, remote) {
            (MPI_IDENT, MPI_IDENT) => MPI_CONGRUENT,
            (MPI_UNEQUAL, _) | (_, MPI_UNEQUAL) => MPI_UNEQUAL,
            _ => MPI_SIMILAR,
        }
    };
    Ok(value)
}

/// `MPI_Comm_set_name`.
///
/// # Safety
/// `comm_name` must be a string.
pub unsafe fn comm_set_name(comm: MPI_Comm, comm_name: *const c_char) -> Result<()> {
    // SAFETY: by MPI's contract `comm_name` is a text.
    let name = unsafe { convert::string(comm_name, "comm_name") }?;
    convert::with_comm(comm, "comm", |comm| {
        comm.name = name;
        Ok(())
    })
}

/// `MPI_Comm_get_name`.
///
/// # Safety
/// `comm_name` must have `MPI_MAX_OBJECT_NAME` bytes.
pub unsafe fn comm_get_name(comm: MPI_Comm, comm_name: *mut c_char) -> Result<c_int> {
    let name = if comm == MPI_COMM_NULL {
        "MPI_COMM_NULL".to_string()
    } else {
        convert::with_comm(comm, "comm", |comm| Ok(comm.name.clone()))?
    };
    if comm_name.is_null() {
        return Err(convert::null("comm_name"));
    }
    // SAFETY: by MPI's contract `comm_name` has room for `MPI_MAX_OBJECT_NAME` bytes.
    unsafe {
        let len = convert::put_string(&name, comm_name, MPI_MAX_OBJECT_NAME as usize);
        Ok(len)
    }
}
