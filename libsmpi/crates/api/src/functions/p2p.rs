//! Point-to-point messages, blocking, nonblocking and persistent (MPI 5.0 §3.2–3.11).

use std::ffi::{c_int, c_void};

use smpi_base::table::Key;
use smpi_mpi::error::Result;
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::p2p::request::{Body, Recv, Request, Send};

use crate::abi::constants::*;
use crate::abi::types::*;
use crate::recording;
use crate::{amended, convert};
use smpi_process as process;
use smpi_runtime::objects::handles::{Kind, encode};
use smpi_runtime::{blocking, current_rank, with};

/// Checks the arguments common to all modes of sending.
#[inline]
fn describe_send(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    mode: Mode,
) -> Result<Send> {
    let caller = process::take_caller();
    let channel = convert::channel(comm, dest, "comm")?;
    let count = convert::count(count, "count")?;
    let datatype = convert::datatype_of(count, datatype, "datatype")?;
    let dest = convert::destination(channel.peers, dest, "dest")?;
    let tag = convert::send_tag(tag, "tag")?;
    let part = if dest == MPI_PROC_NULL {
        convert::part(std::ptr::null(), 0, datatype, "buf")?
    } else {
        convert::part(buf, count, datatype, "buf")?
    };
    Ok(Send { part, to: channel.peer, context: channel.context, source: channel.rank, dest, tag, mode, caller })
}

#[inline]
fn new_send(send: Send, comm: MPI_Comm, persistent: bool) -> Result<Key> {
    with(|runtime| runtime.world.new_request(current_rank(), Request::new(Body::Send(send), persistent, comm as u64)))
}

/// Makes the persistent request of a send.
#[inline]
pub fn persistent_send(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    mode: Mode,
) -> Result<Key> {
    new_send(describe_send(buf, count, datatype, dest, tag, comm, mode)?, comm, true)
}

/// Makes the request of a receive.
#[inline]
pub fn recv_request(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    persistent: bool,
) -> Result<Key> {
    let caller = process::take_caller();
    // What a persistent request asks for is asked for at each of its starts.
    let source = if persistent { source } else { amended::source(source) };
    let channel = convert::channel(comm, source, "comm")?;
    let count = convert::count(count, "count")?;
    let datatype = convert::datatype_of(count, datatype, "datatype")?;
    let source = convert::source(channel.peers, source, "source")?;
    let tag = convert::recv_tag(tag, "tag")?;
    let part = if source == MPI_PROC_NULL {
        convert::part(std::ptr::null(), 0, datatype, "buf")?
    } else {
        convert::room(buf, count, datatype, "buf")?
    };
    let recv = Recv { part, source, from: channel.peer, tag, context: channel.context, caller };
    let request = Request::new(Body::Recv(recv), persistent, comm as u64);
    let key = with(|runtime| runtime.world.new_request(current_rank(), request))?;
    if !persistent {
        amended::asked_any(source, key);
    }
    Ok(key)
}

/// Lets the processor time of a send pass that is about to start.
#[inline]
pub(super) fn charge_send(key: Key, immediate: bool) {
    let seconds = with(|runtime| runtime.send_secs(current_rank(), key, immediate));
    blocking::recording(|trace, rank| trace.charged(rank, key, immediate));
    blocking::delay(seconds);
}

/// Where a message was sent in ready mode is known before it is on its way: it may be wrong to send it.
#[inline]
fn place_ready(key: Key, mode: Mode) {
    if mode == Mode::Ready {
        smpi_watch::checks::watch(key);
    }
}

/// Starts a request that was just made; it is forgotten when that fails.
#[inline]
pub fn launch(key: Key) -> Result<()> {
    smpi_watch::access::starting(key, |runtime, rank| {
        recording::starting(runtime, rank, key);
        let outcome = runtime.world.start(&mut runtime.driver, rank, key);
        if outcome.is_err() {
            recording::failed(runtime, rank, key);
            runtime.world.free_request(rank, key);
        }
        outcome
    })
}

/// Waits for a request of ours and returns its error, if any; fills the status.
#[expect(clippy::not_unsafe_ptr_arg_deref, reason = "the place is the program's, by MPI's contract with it")]
#[inline]
pub fn conclude(key: Key, status: *mut MPI_Status) -> Result<()> {
    let Some(completion) = crate::completion::complete(key) else { return Ok(()) };
    // SAFETY: by MPI's contract `status` is a place.
    unsafe { convert::put_status(status, &completion.status) };
    completion.error.map_or(Ok(()), Err)
}

/// A send that is waited for.
#[inline]
pub fn blocking_send(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    mode: Mode,
) -> Result<()> {
    let mut send = describe_send(buf, count, datatype, dest, tag, comm, mode)?;
    let room = amended::send(&mut send);
    let is_over = !smpi_watch::access::is_checked()
        && with(|runtime| {
            runtime.settings.mpi.send_overhead.is_free()
                && runtime.world.send_at_once(&mut runtime.driver, current_rank(), &send)
        });
    if is_over {
        blocking::recording(|trace, rank| trace.sent_at_once(rank, &send));
        return Ok(());
    }
    let key = new_send(send, comm, false)?;
    place_ready(key, mode);
    charge_send(key, false);
    amended::with_room(room, || launch(key))?;
    conclude(key, std::ptr::null_mut())
}

/// Gives the program the handle of a request.
#[expect(clippy::not_unsafe_ptr_arg_deref, reason = "the place is the program's, by MPI's contract with it")]
#[inline]
pub fn give_request(key: Key, request: *mut MPI_Request) -> Result<()> {
    smpi_watch::checks::watch(key);
    smpi_watch::access::own(key);
    smpi_watch::access::results::handles(request.addr() as u64, (request.addr() + size_of::<MPI_Request>()) as u64);
    let handle = std::ptr::without_provenance_mut(encode(Kind::Request, key) as usize);
    // SAFETY: by MPI's contract `request` is a place.
    unsafe { convert::put(request, handle, "request") }
}

/// A send with a request for the program.
#[inline]
pub fn immediate_send(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    mode: Mode,
    request: *mut MPI_Request,
) -> Result<()> {
    let mut send = describe_send(buf, count, datatype, dest, tag, comm, mode)?;
    let room = amended::send(&mut send);
    let key = new_send(send, comm, false)?;
    place_ready(key, mode);
    charge_send(key, true);
    amended::with_room(room, || launch(key))?;
    give_request(key, request)
}
