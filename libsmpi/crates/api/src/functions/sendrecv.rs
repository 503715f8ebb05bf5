//! Combined send and receive (MPI 5.0 §3.10). The blocking forms are the nonblocking ones followed by a wait.

use std::ffi::{c_int, c_void};

use smpi_base::table::Key;
use smpi_mpi::collective::{Part, Scratch};
use smpi_mpi::comm::TrafficKind;
use smpi_mpi::datatype::{Basic, Datatype};
use smpi_mpi::error::Result;
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::p2p::request::{Body, Recv, Request, Send, SendRecv};

use super::p2p;
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::{amended, convert};
use smpi_runtime::{current_rank, with};

/// The peers and tags of a combined call.
struct Ends {
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
}

/// Makes and starts the request of both halves.
fn begin(send_part: Part, recv_part: Part, ends: &Ends, copy: Option<Scratch>) -> Result<Key> {
    let caller = smpi_process::take_caller();
    let core = convert::comm(ends.comm, "comm")?;
    let dest = convert::destination(core.peers().size(), ends.dest, "dest")?;
    let sendtag = convert::send_tag(ends.sendtag, "sendtag")?;
    let source = convert::source(core.peers().size(), amended::source(ends.source), "source")?;
    let recvtag = convert::recv_tag(ends.recvtag, "recvtag")?;
    let context = core.context_of(TrafficKind::PointToPoint);
    let to = if dest == MPI_PROC_NULL { None } else { core.peer(dest as u32) };
    let send =
        Send { part: send_part, to, context, source: core.rank, dest, tag: sendtag, mode: Mode::Standard, caller };
    let recv = Recv {
        part: recv_part,
        source,
        from: u32::try_from(source).ok().and_then(|rank| core.peer(rank)),
        tag: recvtag,
        context,
        caller,
    };
    let body = Body::SendRecv(Box::new(SendRecv { send, recv, open: 2, copy, replaces: copy.is_some() }));
    let rank = current_rank();
    let handle = ends.comm as u64;
    let key = with(|runtime| runtime.world.new_request(rank, Request::new(body, false, handle)))?;
    amended::asked_any(source, key);
    // Both halves are nonblocking operations, also of a call that waits for them.
    p2p::charge_send(key, true);
    p2p::launch(key)?;
    Ok(key)
}

/// Starts the variant with two buffers.
#[inline]
pub fn begin_sendrecv(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
) -> Result<Key> {
    let sendcount = convert::count(sendcount, "sendcount")?;
    let sendtype = convert::datatype_of(sendcount, sendtype, "sendtype")?;
    let recvcount = convert::count(recvcount, "recvcount")?;
    let recvtype = convert::datatype_of(recvcount, recvtype, "recvtype")?;
    let sendcount = if dest == MPI_PROC_NULL { 0 } else { sendcount };
    let recvcount = if source == MPI_PROC_NULL { 0 } else { recvcount };
    let send = convert::part(sendbuf, sendcount, sendtype, "sendbuf")?;
    let recv = convert::room(recvbuf, recvcount, recvtype, "recvbuf")?;
    begin(send, recv, &Ends { dest, sendtag, source, recvtag, comm }, None)
}

/// Starts the variant with one buffer: the outgoing data is packed away first.
#[inline]
pub fn begin_sendrecv_replace(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
) -> Result<Key> {
    let count = convert::count(count, "count")?;
    let datatype = convert::datatype_of(count, datatype, "datatype")?;
    let recv = convert::room(buf, count, datatype, "buf")?;
    let rank = current_rank();
    let (send, copy) = with(|runtime| {
        let memory = runtime.world.memory();
        let mut packed = Vec::new();
        if recv.size() > 0 {
            recv.datatype.pack(memory, rank, recv.at, recv.count as u64, &mut packed);
        }
        let at = memory.reserve(rank, packed.len());
        if !packed.is_empty() {
            memory.write(rank, at, &packed);
        }
        let part = Part { at, count: packed.len() as i64, datatype: Datatype::basic(Basic::Packed) };
        (part, Scratch { at, len: packed.len() })
    });
    let ends = Ends { dest, sendtag, source, recvtag, comm };
    begin(send, recv, &ends, Some(copy)).inspect_err(|_| {
        with(|runtime| runtime.world.memory().release(rank, copy.at, copy.len));
    })
}
