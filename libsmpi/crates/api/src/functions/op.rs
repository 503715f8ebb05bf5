//! Reduction operations and their local use (MPI 5.0 §6.9).

use std::ffi::{c_int, c_void};

use smpi_mpi::collective::reduce_parts;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::op::Op;

use crate::abi::*;
use crate::{convert, own_memory};
use smpi_runtime::callbacks;
use smpi_runtime::current_rank;
use smpi_runtime::memory::ProcessMemory;
use smpi_runtime::objects::UserOp;
use smpi_runtime::objects::handles::Kind;
use smpi_runtime::with_objects;
use smpi_watch::access;

/// `MPI_Op_create`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn op_create(user_fn: UserFunction, commute: c_int) -> Result<MPI_Op> {
    let (function, large_count) = match user_fn {
        UserFunction::Int(function) => (function.map(|f| f as usize), false),
        UserFunction::Count(function) => (function.map(|f| f as usize), true),
    };
    let function = function.ok_or_else(|| convert::null("user_fn"))?;
    let entry = UserOp { function, large_count, commutative: commute != 0 };
    let full = || MpiError::new(ErrorClass::NO_MEM, "1048576 operations exist at once: the limit of this library");
    let key = with_objects(|objects| objects.ops.insert(entry)).ok_or_else(full)?;
    Ok(std::ptr::without_provenance_mut(smpi_watch::checks::made(Kind::Op, key) as usize))
}

/// `MPI_Op_free`: reductions under way keep the function.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn op_free(op: *mut MPI_Op) -> Result<()> {
    // SAFETY: by MPI's contract `op` is a place.
    let handle = unsafe { convert::read(op, "op") }?;
    let key = convert::key(Kind::Op, ErrorClass::OP, handle as u64, "op")?;
    let stale = || convert::stale(Kind::Op, ErrorClass::OP, handle as u64, "op");
    with_objects(|objects| objects.ops.remove(key)).ok_or_else(stale)?;
    // SAFETY: by MPI's contract `op` is a place.
    unsafe { convert::put(op, MPI_OP_NULL, "op") }
}

/// `MPI_Op_commutative`.
pub fn op_commutative(op: MPI_Op) -> Result<c_int> {
    let commutative = convert::op(op, "op")?.is_commutative();
    Ok(c_int::from(commutative))
}

/// `MPI_Reduce_local`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn reduce_local(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<()> {
    let count = convert::count(count, "count")?;
    let description = convert::datatype(datatype, "datatype")?;
    let operation = convert::op(op, "op")?;
    if matches!(operation, Op::Predefined(predefined) if !predefined.is_reduction()) {
        let (value, allowed) = ("an operation of one-sided communication", "an operation for reductions");
        return Err(MpiError::parameter(ErrorClass::OP, "op", value, allowed));
    }
    operation.check(&description)?;
    if inbuf.addr() == convert::IN_PLACE || inoutbuf.addr() == convert::IN_PLACE {
        let name = if inbuf.addr() == convert::IN_PLACE { "inbuf" } else { "inoutbuf" };
        return Err(MpiError::parameter(ErrorClass::BUFFER, name, "MPI_IN_PLACE", "a buffer"));
    }
    let input = convert::part(inbuf, count, description.clone(), "inbuf")?;
    let inout = convert::part(inoutbuf, count, description, "inoutbuf")?;
    if input.size() > 0 && input.at == inout.at {
        // What is written may be no other argument (MPI 5.0 §2.3).
        let (found, allowed) = ("the memory of inbuf", "another buffer than inbuf");
        return Err(MpiError::parameter(ErrorClass::BUFFER, "inoutbuf", found, allowed));
    }
    own_memory::part(&inout, true, "inoutbuf")?;
    access::uses(&input, false);
    access::uses(&inout, true);
    [&input, &inout].into_iter().for_each(|part| access::unwritten::gives(part, true));
    if inout.datatype.span(count as u64).is_none() {
        return Ok(());
    }
    match operation {
        Op::Predefined(predefined) => {
            // SAFETY: it is used for the arguments of this call.
            let mut memory = unsafe { ProcessMemory::new(0, None) };
            reduce_parts(&mut memory, current_rank(), predefined, &input, &inout)?;
        }
        Op::User(user) => callbacks::apply(user.id, input.at.0, inout.at.0, count, datatype as u64),
    }
    Ok(())
}
