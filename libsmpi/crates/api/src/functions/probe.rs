//! Looking at messages before receiving them (MPI 5.0 §3.8).

use std::ffi::{c_int, c_void};

use smpi_base::WorldRank;
use smpi_mailbox::Pattern;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::p2p::request::{Body, Request, Status};

use super::p2p;
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::{amended, convert};
use smpi_abi::c::handles;
use smpi_runtime::blocking::{self, Poll};
use smpi_runtime::objects::Message;
use smpi_runtime::objects::handles::{Kind, encode};
use smpi_runtime::with_objects;
use smpi_runtime::{current_rank, with};
use smpi_watch::access::results;

/// What is probed for, and the rank that it names; `None` for `MPI_PROC_NULL`.
fn pattern(source: c_int, tag: c_int, comm: MPI_Comm) -> Result<Option<(Pattern, Option<WorldRank>)>> {
    let channel = convert::channel(comm, source, "comm")?;
    let source = convert::source(channel.peers, source, "source")?;
    let tag = convert::recv_tag(tag, "tag")?;
    if source == MPI_PROC_NULL {
        return Ok(None);
    }
    let source = u32::try_from(source).ok();
    Ok(Some((Pattern { context: channel.context, source, tag: (tag >= 0).then_some(tag) }, channel.peer)))
}

/// `MPI_Probe`.
///
/// # Safety
/// `status` must be ignored or valid for writing.
#[inline]
pub unsafe fn probe(source: c_int, tag: c_int, comm: MPI_Comm, status: *mut MPI_Status) -> Result<()> {
    let source = amended::source(source);
    let found = match pattern(source, tag, comm)? {
        None => Status::PROC_NULL,
        Some((pattern, from)) => {
            blocking::probe(pattern, from, false, true)?.map_or(Status::EMPTY, |probed| probed.status)
        }
    };
    amended::probed_any(source, found.source);
    // SAFETY: by MPI's contract `status` is a place.
    unsafe { convert::put_status(status, &found) };
    Ok(())
}

/// `MPI_Iprobe`.
///
/// # Safety
/// `flag` must be valid for writing; `status` must be ignored or valid.
#[inline]
pub unsafe fn iprobe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> Result<()> {
    let found = match pattern(source, tag, comm)? {
        None => Some(Status::PROC_NULL),
        Some((pattern, from)) => {
            blocking::before_poll(Poll::Probe);
            results::ask_probe();
            blocking::probe(pattern, from, false, false)?.map(|probed| probed.status)
        }
    };
    blocking::after_poll(found.is_some());
    // SAFETY: by MPI's contract `flag` and `status` are places.
    unsafe {
        convert::put(flag, c_int::from(found.is_some()), "flag")?;
        results::told([convert::place_of(flag, 1), convert::place_of(status, 1)], None);
        if let Some(found) = found {
            convert::put_status(status, &found);
        }
    }
    Ok(())
}

/// Gives the program a matched message.
///
/// # Safety
/// `message` must be null or valid for writing.
unsafe fn give(found: blocking::Found, comm: MPI_Comm, message: *mut MPI_Message) -> Result<()> {
    let handle = match found.message {
        None => handles::MPI_MESSAGE_NO_PROC as usize,
        Some(taken) => {
            let entry = Message { comm: taken, comm_handle: comm as u64 };
            let full = || MpiError::new(ErrorClass::OTHER, "too many matched messages");
            encode(Kind::Message, with_objects(|objects| objects.messages.insert(entry)).ok_or_else(full)?) as usize
        }
    };
    // SAFETY: by MPI's contract `message`, the caller's argument, is a place.
    unsafe { convert::put(message, std::ptr::without_provenance_mut(handle), "message") }
}

/// `MPI_Mprobe`.
///
/// # Safety
/// `message` must be valid for writing; `status` must be ignored or valid.
#[inline]
pub unsafe fn mprobe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    message: *mut MPI_Message,
    status: *mut MPI_Status,
) -> Result<()> {
    let source = amended::source(source);
    let found = match pattern(source, tag, comm)? {
        None => Some(blocking::Found { status: Status::PROC_NULL, message: None }),
        Some((pattern, from)) => blocking::probe(pattern, from, true, true)?,
    };
    let Some(found) = found else { return Ok(()) };
    amended::probed_any(source, found.status.source);
    // SAFETY: by MPI's contract `status` and `message` are places.
    unsafe {
        convert::put_status(status, &found.status);
        give(found, comm, message)
    }
}

/// `MPI_Improbe`.
///
/// # Safety
/// `flag` and `message` must be valid for writing; `status` must be ignored or valid.
#[inline]
pub unsafe fn improbe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: *mut c_int,
    message: *mut MPI_Message,
    status: *mut MPI_Status,
) -> Result<()> {
    let found = match pattern(source, tag, comm)? {
        None => Some(blocking::Found { status: Status::PROC_NULL, message: None }),
        Some((pattern, from)) => {
            blocking::before_poll(Poll::Probe);
            blocking::probe(pattern, from, true, false)?
        }
    };
    blocking::after_poll(found.is_some());
    // SAFETY: by MPI's contract `flag`, `status` and `message` are places.
    unsafe {
        convert::put(flag, c_int::from(found.is_some()), "flag")?;
        match found {
            None => Ok(()),
            Some(found) => {
                convert::put_status(status, &found.status);
                give(found, comm, message)
            }
        }
    }
}

/// Makes the request that receives a matched message, and clears the program's handle.
///
/// # Safety
/// `message` must be null or point to a handle.
#[inline]
pub unsafe fn matched_receive(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
) -> Result<smpi_base::table::Key> {
    let count = convert::count(count, "count")?;
    let datatype = convert::datatype(datatype, "datatype")?;
    // SAFETY: by MPI's contract `message` is a place.
    let handle = unsafe { convert::read(message, "message") }? as u64;
    let rank = current_rank();
    let request = if handle == u64::from(handles::MPI_MESSAGE_NO_PROC) {
        let part = convert::part(std::ptr::null(), 0, datatype, "buf")?;
        let recv = smpi_mpi::p2p::request::Recv {
            part,
            source: MPI_PROC_NULL,
            from: None,
            tag: MPI_ANY_TAG,
            context: 0,
            caller: 0,
        };
        Request::new(Body::Recv(recv), false, 0)
    } else {
        let part = convert::room(buf, count, datatype, "buf")?;
        let key = convert::key(Kind::Message, ErrorClass::REQUEST, handle, "message")?;
        let stale = || convert::stale(Kind::Message, ErrorClass::REQUEST, handle, "message");
        let taken = with_objects(|objects| objects.messages.remove(key)).ok_or_else(stale)?;
        Request::new(Body::MatchedRecv(part, taken.comm), false, taken.comm_handle)
    };
    // SAFETY: the handle was read from this place.
    unsafe { *message = MPI_MESSAGE_NULL };
    let key = with(|runtime| runtime.world.new_request(rank, request))?;
    p2p::launch(key)?;
    Ok(key)
}
