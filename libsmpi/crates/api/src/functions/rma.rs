//! Accesses to windows (MPI 5.0 §12.3).

use std::ffi::{c_int, c_void};

use smpi_base::table::Key;
use smpi_mpi::collective::Part;
use smpi_mpi::datatype::Basic;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::memory::Addr;
use smpi_mpi::op::{Op, Predefined};
use smpi_mpi::p2p::request::{Body, Request};
use smpi_mpi::rma::{Access, Action};
use smpi_runtime::{blocking, current_rank, is_recording, with};
use smpi_trace::Recorder;
use smpi_watch::checks;

use super::collective::How;
use super::p2p;
use super::rma_sync;
use super::window::Here;
use crate::abi::types::*;
use crate::{convert, own_memory};

/// Where an access goes, as the program says it.
#[derive(Clone, Copy)]
struct Destination {
    here: Here,
    /// `None` is `MPI_PROC_NULL`.
    target: Option<u32>,
    displacement: MPI_Aint,
}

/// An access whose arguments are checked, but for its place at the target.
pub struct PreparedAccess {
    to: Destination,
    access: Access,
}

/// Checks window and target.
fn target(win: MPI_Win, rank: c_int, displacement: MPI_Aint) -> Result<Destination> {
    let here = Here::of(win)?;
    Ok(Destination { here, target: here.target(rank, "target_rank")?, displacement })
}

/// Elements at the target, whose address is found later.
fn there(count: MPI_Count, datatype: MPI_Datatype) -> Result<Part> {
    let count = convert::count(count, "target_count")?;
    Ok(Part { at: Addr::BOTTOM, count, datatype: convert::datatype_of(count, datatype, "target_datatype")? })
}

/// Elements of the origin.
fn here(
    at: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    [at_name, count_name, type_name]: [&str; 3],
) -> Result<Part> {
    let count = convert::count(count, count_name)?;
    let datatype = convert::datatype_of(count, datatype, type_name)?;
    convert::part(at, count, datatype, at_name)
}

/// Elements of the origin that the access writes to.
fn result(at: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, names: [&str; 3]) -> Result<Part> {
    let part = here(at, count, datatype, names)?;
    own_memory::part(&part, true, names[0])?;
    Ok(part)
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
        Some(Basic::Char) => Ok(Action::Combine(op, as_number(Some(op)))),
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

/// The type as which characters are taken. MPI does not compute with text, but its implementations do, and programs
/// rely on that: it is said once for each line. `None`: they are compared.
fn as_number(op: Option<Predefined>) -> Basic {
    if op.is_none_or(|op| !op.accepts(Basic::Char)) {
        let place = checks::here();
        checks::note_once(place, |world, rank| world.note_characters(rank, place, op));
    }
    Basic::SignedChar
}

impl PreparedAccess {
    /// Starts the access; where the program gets a request, it waits for it by that.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_RANGE` and `MPI_ERR_RMA_SYNC`, and those of making a request.
    pub fn run(self, how: How) -> Result<()> {
        match how {
            How::Blocking => self.launch(),
            // There are no persistent accesses.
            How::Immediate(place) | How::Persistent(place) => self.launch_with_request(place),
        }
    }

    fn launch_with_request(mut self, place: *mut MPI_Request) -> Result<()> {
        let to = self.to.target.map(|target| (self.to.here.id, target));
        let (rank, request) = (current_rank(), Request::new(Body::Access(to), false, 0));
        let key = with(|runtime| runtime.world.new_request(rank, request))?;
        p2p::launch(key)?;
        self.access.request = Some(key);
        self.launch().inspect_err(|_| with(|runtime| runtime.world.forget_request(rank, key)))?;
        p2p::give_request(key, place)
    }

    fn launch(self) -> Result<()> {
        let PreparedAccess { to: Destination { here, target, displacement }, mut access } = self;
        let rank = current_rank();
        let Some(target) = target else {
            blocking::recording(|trace, rank| trace.note(rank, Recorder::access(here.id, None, &access)));
            let complete = |key: Key| with(|runtime| runtime.world.complete(&mut runtime.driver, rank, key.slot));
            access.request.into_iter().for_each(complete);
            return Ok(());
        };
        rma_sync::wait_for_post(here, target)?;
        (access.window, access.origin, access.target) = (here.id, here.member, target);
        access.made = smpi_watch::checks::origin_at_window();
        let there = access.there.clone();
        access.there = with(|runtime| runtime.world.live_window(here.id)?.place(target, displacement as i64, there))?;
        let noted = is_recording().then(|| Recorder::access(here.id, Some(target), &access));
        smpi_watch::access::lending(access, |access| {
            with(|runtime| runtime.world.start_access(&mut runtime.driver, rank, access))
        })?;
        noted.into_iter().for_each(blocking::note);
        Ok(())
    }
}

/// `MPI_Put` and `MPI_Rput`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn prepare_put(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> Result<PreparedAccess> {
    let to = target(win, target_rank, target_disp)?;
    let (brings, there) =
        (here(origin_addr, origin_count, origin_datatype, ORIGIN)?, there(target_count, target_datatype)?);
    check_fit("what is put", &brings, &there)?;
    Ok(PreparedAccess { to, access: Access::new(Action::Write, Some(brings), None, there) })
}

/// `MPI_Get` and `MPI_Rget`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn prepare_get(
    origin_addr: *mut c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> Result<PreparedAccess> {
    let to = target(win, target_rank, target_disp)?;
    let (result, there) =
        (self::result(origin_addr, origin_count, origin_datatype, ORIGIN)?, there(target_count, target_datatype)?);
    check_fit("what is got", &there, &result)?;
    Ok(PreparedAccess { to, access: Access::new(Action::Read, None, Some(result), there) })
}

/// What accumulating does.
fn accumulation(brings: Part, there: Part, op: MPI_Op) -> Result<Access> {
    let action = combine(op, &there)?;
    if !action.writes() {
        return Ok(Access::new(action, None, None, there));
    }
    check_fit("what is accumulated", &brings, &there)?;
    Ok(Access::new(action, Some(brings), None, there))
}

/// `MPI_Accumulate` and `MPI_Raccumulate`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn prepare_accumulate(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> Result<PreparedAccess> {
    let to = target(win, target_rank, target_disp)?;
    let brings = here(origin_addr, origin_count, origin_datatype, ORIGIN)?;
    Ok(PreparedAccess { to, access: accumulation(brings, there(target_count, target_datatype)?, op)? })
}

/// What accumulating with a result does; what is brought is not looked at for `MPI_NO_OP`.
fn fetching(brings: impl FnOnce() -> Result<Part>, result: Part, there: Part, op: MPI_Op) -> Result<Access> {
    let action = combine(op, &there)?;
    check_fit("what is got", &there, &result)?;
    if !action.writes() {
        return Ok(Access::new(action, None, Some(result), there));
    }
    let brings = brings()?;
    check_fit("what is accumulated", &brings, &there)?;
    Ok(Access::new(action, Some(brings), Some(result), there))
}

/// `MPI_Get_accumulate` and `MPI_Rget_accumulate`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn prepare_get_accumulate(
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
) -> Result<PreparedAccess> {
    let to = target(win, target_rank, target_disp)?;
    let brings = || here(origin_addr, origin_count, origin_datatype, ORIGIN);
    let result = self::result(result_addr, result_count, result_datatype, RESULT)?;
    Ok(PreparedAccess { to, access: fetching(brings, result, there(target_count, target_datatype)?, op)? })
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
    own_memory::part(&result, true, "result_addr")?;
    let there = Part { at: Addr::BOTTOM, ..result.clone() };
    let access = fetching(|| single(origin_addr, datatype, "origin_addr"), result, there, op)?;
    PreparedAccess { to, access }.run(How::Blocking)
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
    own_memory::part(&result, true, "result_addr")?;
    let (new, expected) =
        (single(origin_addr, datatype, "origin_addr")?, single(compare_addr, datatype, "compare_addr")?);
    let basic = match result.datatype.reduction_basic() {
        Some(Basic::Char) => Some(as_number(None)),
        basic => basic.filter(|basic| is_comparable(*basic)),
    };
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
    access.compares = vec![new, expected];
    PreparedAccess { to, access }.run(How::Blocking)
}
