//! Accesses to windows (MPI 5.0 §12.3).

use std::ffi::{c_int, c_void};

use smpi_base::table::Key;
use smpi_mpi::collective::Part;
use smpi_mpi::datatype::Basic;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::memory::Addr;
use smpi_mpi::op::{Op, Predefined};
use smpi_mpi::p2p::request::{Body, Request};
use smpi_mpi::rma::{Access, Action, WindowId};
use smpi_runtime::{current_rank, with};

use super::comm_create::check_place;
use super::p2p;
use crate::abi::constants::MPI_PROC_NULL;
use crate::abi::types::*;
use crate::convert;

/// The target of an access.
#[derive(Clone, Copy)]
struct Target {
    window: WindowId,
    /// The own rank in the window.
    origin: u32,
    /// The target's; `None` is `MPI_PROC_NULL`.
    target: Option<u32>,
    displacement: MPI_Aint,
}

/// Checks window and target.
fn target(win: MPI_Win, rank: c_int, displacement: MPI_Aint) -> Result<Target> {
    let (window, origin) = convert::with_win(win, "win", |win| Ok((win.id, win.rank)))?;
    let members = with(|runtime| runtime.world.window(window).map_or(0, |window| window.group.size()));
    let rank = convert::destination(members, rank, "target_rank")?;
    let target = (rank != MPI_PROC_NULL).then_some(rank as u32);
    Ok(Target { window, origin, target, displacement })
}

/// Elements at the target, whose address is found later.
fn there(count: MPI_Count, datatype: MPI_Datatype) -> Result<Part> {
    let count = convert::count(count, "target_count")?;
    Ok(Part { at: Addr::BOTTOM, count, datatype: convert::datatype(datatype, "target_datatype")? })
}

/// Elements of the origin.
fn here(
    at: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    [at_name, count_name, type_name]: [&str; 3],
) -> Result<Part> {
    let count = convert::count(count, count_name)?;
    let datatype = convert::datatype(datatype, type_name)?;
    convert::part(at, count, datatype, at_name)
}

const ORIGIN: [&str; 3] = ["origin_addr", "origin_count", "origin_datatype"];
const RESULT: [&str; 3] = ["result_addr", "result_count", "result_datatype"];

/// What is sent must fit where it goes.
fn check_fit(what: &str, sent: &Part, into: &Part) -> Result<()> {
    let (sent, room) = (sent.size(), into.size());
    let text =
        || MpiError::new(ErrorClass::TRUNCATE, format!("{what} has {sent} bytes, where they go there are {room}"));
    if sent <= room { Ok(()) } else { Err(text()) }
}

/// What an accumulating operation does.
fn combine(op: MPI_Op, there: &Part) -> Result<Action> {
    let op = match convert::op(op, "op")? {
        Op::Predefined(op) => op,
        Op::User(_) => {
            let allowed = "a predefined operation, MPI_REPLACE or MPI_NO_OP";
            return Err(MpiError::parameter(ErrorClass::OP, "op", "an operation of the program", allowed));
        }
    };
    match there.datatype.element_basic() {
        Some(basic) if op.accepts(basic) => Ok(Action::Combine(op, basic)),
        // A write or a read of several types at once is one of their bytes.
        None if matches!(op, Predefined::Replace | Predefined::NoOp) => Ok(Action::Combine(op, Basic::Byte)),
        Some(basic) => Err(MpiError::new(ErrorClass::OP, format!("{} is not defined for {}", op.name(), basic.name()))),
        None if there.size() == 0 => Ok(Action::Combine(Predefined::NoOp, Basic::Byte)),
        None => {
            let allowed = "a datatype whose elements are of one predefined type";
            Err(MpiError::parameter(ErrorClass::TYPE, "target_datatype", "a mixture of types", allowed))
        }
    }
}

/// Starts an access; with a place for a request, the program waits for it by that.
fn start(to: Target, mut access: Access, request: Option<*mut MPI_Request>) -> Result<()> {
    let rank = current_rank();
    let key = match request {
        Some(place) => {
            check_place(place, "request")?;
            let request = Request::new(Body::Access, false, 0);
            Some(with(|runtime| runtime.world.new_request(rank, request))?)
        }
        None => None,
    };
    if let Some(key) = key {
        p2p::launch(key)?;
    }
    access.request = key;
    let outcome = launch(to, access);
    if let Some(key) = key {
        if outcome.is_err() {
            with(|runtime| runtime.world.forget_request(rank, key));
        } else if let Some(place) = request {
            p2p::give(key, place)?;
        }
    }
    outcome
}

fn launch(to: Target, mut access: Access) -> Result<()> {
    let rank = current_rank();
    let Some(target) = to.target else {
        let complete = |key: Key| with(|runtime| runtime.world.complete(&mut runtime.driver, rank, key.slot));
        access.request.into_iter().for_each(complete);
        return Ok(());
    };
    (access.window, access.origin, access.target) = (to.window, to.origin, target);
    access.made = smpi_watch::checks::origin();
    with(|runtime| {
        let freed = || MpiError::new(ErrorClass::WIN, "the window was freed");
        let window = runtime.world.window(to.window).ok_or_else(freed)?;
        access.there = window.place(target, to.displacement as i64, access.there)?;
        runtime.world.start_access(&mut runtime.driver, rank, access)
    })
}

/// `MPI_Put`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn put(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> Result<()> {
    let to = target(win, target_rank, target_disp)?;
    let (brings, there) =
        (here(origin_addr, origin_count, origin_datatype, ORIGIN)?, there(target_count, target_datatype)?);
    check_fit("what is put", &brings, &there)?;
    start(to, Access::new(Action::Write, Some(brings), None, there), None)
}

/// `MPI_Rput`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn rput(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> Result<()> {
    let to = target(win, target_rank, target_disp)?;
    let (brings, there) =
        (here(origin_addr, origin_count, origin_datatype, ORIGIN)?, there(target_count, target_datatype)?);
    check_fit("what is put", &brings, &there)?;
    start(to, Access::new(Action::Write, Some(brings), None, there), Some(request))
}

/// `MPI_Get`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn get(
    origin_addr: *mut c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> Result<()> {
    let to = target(win, target_rank, target_disp)?;
    let (result, there) =
        (here(origin_addr, origin_count, origin_datatype, ORIGIN)?, there(target_count, target_datatype)?);
    check_fit("what is got", &there, &result)?;
    start(to, Access::new(Action::Read, None, Some(result), there), None)
}

/// `MPI_Rget`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn rget(
    origin_addr: *mut c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> Result<()> {
    let to = target(win, target_rank, target_disp)?;
    let (result, there) =
        (here(origin_addr, origin_count, origin_datatype, ORIGIN)?, there(target_count, target_datatype)?);
    check_fit("what is got", &there, &result)?;
    start(to, Access::new(Action::Read, None, Some(result), there), Some(request))
}

/// What `MPI_Accumulate` and `MPI_Raccumulate` do.
fn accumulation(brings: Part, there: Part, op: MPI_Op) -> Result<Access> {
    let action = combine(op, &there)?;
    if action == Action::Combine(Predefined::NoOp, Basic::Byte)
        || matches!(action, Action::Combine(Predefined::NoOp, _))
    {
        return Ok(Access::new(action, None, None, there));
    }
    check_fit("what is accumulated", &brings, &there)?;
    Ok(Access::new(action, Some(brings), None, there))
}

/// `MPI_Accumulate`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn accumulate(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> Result<()> {
    let to = target(win, target_rank, target_disp)?;
    let brings = here(origin_addr, origin_count, origin_datatype, ORIGIN)?;
    start(to, accumulation(brings, there(target_count, target_datatype)?, op)?, None)
}

/// `MPI_Raccumulate`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn raccumulate(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> Result<()> {
    let to = target(win, target_rank, target_disp)?;
    let brings = here(origin_addr, origin_count, origin_datatype, ORIGIN)?;
    start(to, accumulation(brings, there(target_count, target_datatype)?, op)?, Some(request))
}

/// What `MPI_Get_accumulate` and `MPI_Rget_accumulate` do; what is brought is not looked at for `MPI_NO_OP`.
fn fetching(brings: impl FnOnce() -> Result<Part>, result: Part, there: Part, op: MPI_Op) -> Result<Access> {
    let action = combine(op, &there)?;
    check_fit("what is got", &there, &result)?;
    if matches!(action, Action::Combine(Predefined::NoOp, _)) {
        return Ok(Access::new(action, None, Some(result), there));
    }
    let brings = brings()?;
    check_fit("what is accumulated", &brings, &there)?;
    Ok(Access::new(action, Some(brings), Some(result), there))
}

/// `MPI_Get_accumulate`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn get_accumulate(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    result_addr: *mut c_void,
    result_count: MPI_Count,
    result_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> Result<()> {
    let to = target(win, target_rank, target_disp)?;
    let brings = || here(origin_addr, origin_count, origin_datatype, ORIGIN);
    let result = here(result_addr, result_count, result_datatype, RESULT)?;
    start(to, fetching(brings, result, there(target_count, target_datatype)?, op)?, None)
}

/// `MPI_Rget_accumulate`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn rget_accumulate(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    result_addr: *mut c_void,
    result_count: MPI_Count,
    result_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> Result<()> {
    let to = target(win, target_rank, target_disp)?;
    let brings = || here(origin_addr, origin_count, origin_datatype, ORIGIN);
    let result = here(result_addr, result_count, result_datatype, RESULT)?;
    start(to, fetching(brings, result, there(target_count, target_datatype)?, op)?, Some(request))
}

/// One element of a predefined type at an address.
fn single(at: *const c_void, datatype: MPI_Datatype, name: &str) -> Result<Part> {
    let datatype = convert::datatype(datatype, "datatype")?;
    if datatype.reduction_basic().is_none() {
        let allowed = "a predefined datatype";
        return Err(MpiError::parameter(ErrorClass::TYPE, "datatype", "a derived datatype", allowed));
    }
    convert::part(at, 1, datatype, name)
}

/// `MPI_Fetch_and_op`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn fetch_and_op(
    origin_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    op: MPI_Op,
    win: MPI_Win,
) -> Result<()> {
    let to = target(win, target_rank, target_disp)?;
    let result = single(result_addr, datatype, "result_addr")?;
    let there = Part { at: Addr::BOTTOM, ..result.clone() };
    start(to, fetching(|| single(origin_addr, datatype, "origin_addr"), result, there, op)?, None)
}

/// Types that `MPI_Compare_and_swap` compares: those that are equal when their bits are.
fn is_comparable(basic: Basic) -> bool {
    Predefined::BitAnd.accepts(basic) || Predefined::LogicalAnd.accepts(basic)
}

/// `MPI_Compare_and_swap`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn compare_and_swap(
    origin_addr: *const c_void,
    compare_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    win: MPI_Win,
) -> Result<()> {
    let to = target(win, target_rank, target_disp)?;
    let result = single(result_addr, datatype, "result_addr")?;
    let (new, expected) =
        (single(origin_addr, datatype, "origin_addr")?, single(compare_addr, datatype, "compare_addr")?);
    let basic = result.datatype.reduction_basic().filter(|basic| is_comparable(*basic));
    let wrong = || {
        let allowed = "an integer, a logical or MPI_BYTE";
        MpiError::parameter(ErrorClass::TYPE, "datatype", "another type", allowed)
    };
    let basic = basic.ok_or_else(wrong)?;
    let mut data = Vec::new();
    let rank = current_rank();
    with(|runtime| {
        let memory = runtime.world.memory();
        for part in [&expected, &new] {
            part.datatype.pack(&*memory, rank, part.at, 1, &mut data);
        }
    });
    let there = Part { at: Addr::BOTTOM, ..result.clone() };
    let mut access = Access::new(Action::Swap(basic), None, Some(result), there);
    access.data = Some(data);
    start(to, access, None)
}
