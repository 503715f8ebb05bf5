//! Partitioned point-to-point communication (MPI 5.0 §4.2).

use std::ffi::{c_int, c_void};

use smpi_base::table::Key;
use smpi_mpi::comm::TrafficKind;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::p2p::partitioned::Partitioned;
use smpi_mpi::p2p::request::Phase;

use super::p2p;
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::{convert, own_memory};
use smpi_runtime::blocking::{self, Hints, HowMany, Picked, Poll};
use smpi_runtime::{current_rank, with};

/// Checks the arguments of either side and makes its request.
pub fn partitioned_request(
    sends: bool,
    buf: *const c_void,
    partitions: c_int,
    count: MPI_Count,
    datatype: MPI_Datatype,
    peer: c_int,
    tag: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
) -> Result<Key> {
    let channel = convert::channel_for(TrafficKind::Partitioned, comm, peer, "comm")?;
    if partitions < 1 {
        return Err(MpiError::parameter(ErrorClass::ARG, "partitions", partitions, "1 or more"));
    }
    let count = convert::count(count, "count")?;
    let datatype = convert::datatype(datatype, "datatype")?;
    let peer = convert::destination(channel.peers, peer, if sends { "dest" } else { "source" })?;
    let tag = convert::send_tag(tag, "tag")?;
    convert::info(info, "info")?;
    let total = count.checked_mul(i64::from(partitions)).ok_or_else(|| {
        let allowed = format!("so few that {partitions} partitions have fewer than 2^63 elements");
        MpiError::parameter(ErrorClass::COUNT, "count", count, &allowed)
    })?;
    let part = if peer == MPI_PROC_NULL {
        convert::part(std::ptr::null(), 0, datatype, "buf")?
    } else {
        let part = convert::part(buf, total, datatype, "buf")?;
        own_memory::part(&part, !sends, "buf")?;
        part
    };
    let made = Partitioned {
        part,
        partitions: partitions as u32,
        sends,
        peer: channel.peer,
        peer_rank: peer,
        source: if sends { channel.rank } else { peer.max(0) as u32 },
        tag,
        context: channel.context,
        members: Vec::new(),
        open: 0,
        pieces: None,
        missing: Vec::new(),
        marked: Vec::new(),
        told: 0,
    };
    let rank = current_rank();
    with(|runtime| runtime.world.new_partitioned(&mut runtime.driver, rank, made, comm as u64))
}

/// The partitioned request behind a handle: its key, partitions and phase. `None` for `MPI_REQUEST_NULL`.
fn find(request: MPI_Request, sends: bool) -> Result<Option<(Key, u32, Phase)>> {
    let Some(key) = convert::request(request, "request")? else { return Ok(None) };
    let rank = current_rank();
    let found = with(|runtime| {
        let phase = runtime.world.request(rank, key)?.phase;
        let partitioned = runtime.world.partitioned(rank, key.slot).filter(|found| found.sends == sends)?;
        Some((key, partitioned.partitions, phase))
    });
    let maker = if sends { "MPI_Psend_init" } else { "MPI_Precv_init" };
    found.map(Some).ok_or_else(|| {
        let allowed = format!("a request that {maker} has made");
        MpiError::parameter(ErrorClass::REQUEST, "request", "a request of another operation", &allowed)
    })
}

/// Checks that a partition is one of so many.
fn check_partition(partition: c_int, partitions: u32, name: &str) -> Result<u32> {
    let allowed = || format!("0 to {}", partitions - 1);
    let known = u32::try_from(partition).ok().filter(|&partition| partition < partitions);
    known.ok_or_else(|| MpiError::parameter(ErrorClass::ARG, name, partition, &allowed()))
}

/// Marks partitions as ready: all of them, or none if one of them must not be.
fn make_ready(request: MPI_Request, name: &str, wanted: impl Iterator<Item = c_int> + Clone) -> Result<()> {
    let allowed = "an active request of a partitioned send";
    let Some((key, partitions, phase)) = find(request, true)? else {
        return Err(MpiError::parameter(ErrorClass::REQUEST, "request", "MPI_REQUEST_NULL", allowed));
    };
    if phase == Phase::Inactive {
        let value = "a request that is not started (MPI_Start), or complete";
        return Err(MpiError::parameter(ErrorClass::REQUEST, "request", value, allowed));
    }
    let rank = current_rank();
    let marked = with(|runtime| runtime.world.partitioned(rank, key.slot).map(|found| found.marked.clone()));
    let (mut marked, mut asked) = (marked.unwrap_or_default(), Vec::new());
    for partition in wanted {
        let number = check_partition(partition, partitions, name)?;
        if std::mem::replace(&mut marked[number as usize], true) {
            let value = format!("{partition}, which was marked as ready before");
            return Err(MpiError::parameter(ErrorClass::ARG, name, value, "a partition that is not ready yet"));
        }
        asked.push(number);
    }
    asked.into_iter().try_for_each(|partition| make_one_ready(key, partition))
}

fn make_one_ready(key: Key, partition: u32) -> Result<()> {
    let rank = current_rank();
    let Some(member) = with(|runtime| runtime.world.mark_ready(rank, key, partition)) else { return Ok(()) };
    smpi_watch::checks::watch(member);
    p2p::charge_send(member, true);
    smpi_watch::access::starting(member, |runtime, rank| runtime.world.start(&mut runtime.driver, rank, member))?;
    smpi_watch::access::own(member);
    Ok(())
}

/// `MPI_Pready`.
pub fn pready(partition: c_int, request: MPI_Request) -> Result<()> {
    make_ready(request, "partition", std::iter::once(partition))
}

/// `MPI_Pready_range`: both ends are included.
pub fn pready_range(partition_low: c_int, partition_high: c_int, request: MPI_Request) -> Result<()> {
    if let Some((_, partitions, _)) = find(request, true)? {
        check_partition(partition_low, partitions, "partition_low")?;
        check_partition(partition_high, partitions, "partition_high")?;
    }
    make_ready(request, "partition_low to partition_high", partition_low..=partition_high)
}

/// `MPI_Pready_list`.
///
/// # Safety
/// `array_of_partitions` must have `length` elements.
pub unsafe fn pready_list(length: c_int, array_of_partitions: *const c_int, request: MPI_Request) -> Result<()> {
    let length = convert::count(length.into(), "length")? as usize;
    own_memory::needed(array_of_partitions, length, "array_of_partitions")?;
    // SAFETY: by MPI's contract `array_of_partitions` is an array of `length`.
    let partition = |index| unsafe { *array_of_partitions.add(index) };
    make_ready(request, "array_of_partitions", (0..length).map(partition))
}

/// `MPI_Parrived`.
pub fn parrived(request: MPI_Request, partition: c_int) -> Result<c_int> {
    let has_arrived = match find(request, false)? {
        None => true,
        Some((key, partitions, phase)) => {
            let partition = check_partition(partition, partitions, "partition")?;
            phase == Phase::Inactive || look(key, partition)
        }
    };
    Ok(c_int::from(has_arrived))
}

/// Whether a partition has arrived. What the program was told once stays true until the next round.
fn look(key: Key, partition: u32) -> bool {
    let rank = current_rank();
    let member = with(|runtime| {
        let member = runtime.world.members(rank, key.slot).get(partition as usize).copied();
        member.filter(|member| !runtime.world.knows_done(rank, member.slot))
    });
    let Some(member) = member else { return true };
    blocking::before_poll(Poll::Test);
    let has_arrived = blocking::test(std::iter::once(member), HowMany::All, Hints::default()) != Picked::Nothing;
    if has_arrived {
        with(|runtime| runtime.world.tell_partition(&mut runtime.driver, rank, key, partition));
        // The program may use the partition now.
        smpi_watch::access::release(key);
        smpi_watch::access::own(key);
    }
    blocking::after_poll(has_arrived);
    has_arrived
}
