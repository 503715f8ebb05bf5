//! Intercommunicators: making, merging and asking about the other side (MPI 5.0 §7.6).

use std::ffi::{c_char, c_int};

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_mpi::agreements::{Greeting, GroupBirth, Offer};
use smpi_mpi::collective::Part;
use smpi_mpi::comm::{CommCore, SELF_CONTEXT, TrafficKind};
use smpi_mpi::datatype::{Basic, Datatype};
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::group::Group;
use smpi_mpi::memory::Addr;
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::p2p::request::{Body, Recv, Request, RequestKey, Send};

use super::collective::Needs;
use super::comm_create::{Creation, disagreement, member_comm, store_and_meet};
use super::errhandler::errhandler_of;
use super::p2p;
use crate::abi::types::*;
use crate::convert;
use smpi_runtime::objects::Comm;
use smpi_runtime::{current_rank, with};

/// The remote group of an intercommunicator.
fn remote(comm: MPI_Comm, name: &str) -> Result<Group> {
    convert::comm(comm, name)?.remote.ok_or_else(|| {
        let allowed = "an intercommunicator";
        MpiError::parameter(ErrorClass::COMM, name, "an intracommunicator", allowed)
    })
}

/// `MPI_Comm_remote_size`.
pub fn comm_remote_size(comm: MPI_Comm) -> Result<c_int> {
    let value = remote(comm, "comm")?.size();
    Ok(value as c_int)
}

/// `MPI_Comm_remote_group`.
pub fn comm_remote_group(comm: MPI_Comm) -> Result<MPI_Group> {
    let found = remote(comm, "comm")?;
    let session = convert::with_comm(comm, "comm", |comm| Ok(comm.session))?;
    super::group::give(found, session)
}

/// The world rank of a leader given by its rank in a group.
fn leader(group: &Group, rank: c_int, name: &str) -> Result<WorldRank> {
    u32::try_from(rank).ok().and_then(|rank| group.world(rank)).ok_or_else(|| {
        let allowed = format!("0 to {}", i64::from(group.size()) - 1);
        MpiError::parameter(ErrorClass::RANK, name, rank, &allowed)
    })
}

/// The error for two sides that share ranks.
fn check_disjoint(own: &Group, other: &Group) -> Result<()> {
    match own.intersection(other).world(0) {
        Some(world) => {
            let text = format!("rank {} of MPI_COMM_WORLD is in both groups; they must be disjoint", world.0);
            Err(MpiError::new(ErrorClass::COMM, text))
        }
        None => Ok(()),
    }
}

/// What the two leaders exchange messages about.
#[derive(Clone, Copy)]
struct Exchange {
    /// From the calling leader to the other one.
    greeting: Greeting,
    /// The context that they agreed on.
    context: u32,
    send: RequestKey,
    recv: RequestKey,
}

/// `MPI_Intercomm_create`: the leaders talk over the peer communicator, then each tells its group.
pub fn intercomm_create(
    local_comm: MPI_Comm,
    local_leader: c_int,
    peer_comm: MPI_Comm,
    remote_leader: c_int,
    tag: c_int,
) -> Result<MPI_Comm> {
    let tag = convert::send_tag(tag, "tag")?;
    let own_leader = leader(&convert::intracomm(local_comm, "local_comm")?.group, local_leader, "local_leader")?;
    let exchange = if own_leader == current_rank() {
        Some(begin_exchange(local_comm, peer_comm, remote_leader, tag)?)
    } else {
        None
    };
    let call = Creation::begin(local_comm)?;
    if let Some(exchange) = exchange {
        p2p::conclude(exchange.send, std::ptr::null_mut())?;
        p2p::conclude(exchange.recv, std::ptr::null_mut())?;
        announce(call, exchange)?;
    }
    call.synchronise(Function::Intercomm_create, Needs::Others)?;
    call.store(joined(call)?)
}

/// A leader starts to talk to the other one: leaves its group, asks for the context, and starts both messages.
fn begin_exchange(local_comm: MPI_Comm, peer_comm: MPI_Comm, remote_leader: c_int, tag: i32) -> Result<Exchange> {
    let local = convert::comm(local_comm, "local_comm")?;
    let peer = convert::comm(peer_comm, "peer_comm")?;
    let (from, to) = (current_rank(), leader(peer.peers(), remote_leader, "remote_leader")?);
    if local.group.rank_of(to).is_some() {
        let allowed = "a rank outside of local_comm";
        return Err(MpiError::parameter(ErrorClass::RANK, "remote_leader", remote_leader, allowed));
    }
    let call = Function::Intercomm_create;
    let members = Group::list(vec![from.0.min(to.0), from.0.max(to.0)]);
    let birth = GroupBirth { call, parent: peer.context, tag, text: String::new(), members, others: None };
    let greeting = Greeting { peer: peer.context, tag, from, to };
    let context = with(|runtime| {
        let agreements = &mut runtime.world.state.agreements;
        let (context, _) = agreements.context_for_group(birth, 2, &local.group);
        agreements.greet(greeting, local.group);
        context
    });
    let (send, recv) = messages(&peer, to, remote_leader, tag, peer_comm);
    Ok(Exchange { greeting, context, send: started(send)?, recv: started(recv)? })
}

/// The messages of one leader: empty, on the context for creations.
fn messages(peer: &CommCore, to: WorldRank, dest: c_int, tag: i32, handle: MPI_Comm) -> (Request, Request) {
    let part = Part { at: Addr::BOTTOM, count: 0, datatype: Datatype::basic(Basic::Byte) };
    let context = peer.context_of(TrafficKind::Creation);
    let send = Send {
        part: part.clone(),
        to: Some(to),
        context,
        source: peer.rank,
        dest,
        tag,
        mode: Mode::Standard,
        caller: 0,
    };
    let recv = Recv { part, source: dest, from: None, tag, context, caller: 0 };
    let request = |body| Request::new(body, false, handle as u64);
    (request(Body::Send(send)), request(Body::Recv(recv)))
}

fn started(request: Request) -> Result<RequestKey> {
    let key = with(|runtime| runtime.world.new_request(current_rank(), request))?;
    p2p::launch(key)?;
    Ok(key)
}

/// A leader tells its group what it has learnt.
fn announce(call: Creation, exchange: Exchange) -> Result<()> {
    let local = call.parent_core()?;
    let Greeting { from, to, .. } = exchange.greeting;
    let heard = Greeting { from: to, to: from, ..exchange.greeting };
    with(|runtime| {
        let agreements = &mut runtime.world.state.agreements;
        let group = agreements.greeted(heard).ok_or_else(disagreement)?;
        agreements.offer(call.place(), local.group.size(), Offer::new(group, exchange.context));
        Ok(())
    })
}

/// The new intercommunicator, from what the leader said.
fn joined(call: Creation) -> Result<CommCore> {
    let Offer { group: remote, value: context, .. } = call.offered()?;
    let local = call.parent_core()?;
    check_disjoint(&local.group, &remote)?;
    Ok(CommCore { context, remote: Some(remote), ..local })
}

/// `MPI_Intercomm_create_from_groups`: no communicator is needed.
///
/// # Safety
/// `stringtag` must be a string; `newintercomm` must be null or valid for writing.
pub unsafe fn intercomm_create_from_groups(
    local_group: MPI_Group,
    local_leader: c_int,
    remote_group: MPI_Group,
    remote_leader: c_int,
    stringtag: *const c_char,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
) -> Result<MPI_Comm> {
    convert::info(info, "info")?;
    // SAFETY: by MPI's contract `stringtag` is a text.
    let text = unsafe { convert::string(stringtag, "stringtag") }?;
    let leaders = [local_leader, remote_leader];
    let handle = store_and_meet(
        Function::Intercomm_create_from_groups,
        between_groups([local_group, remote_group], leaders, text, errhandler)?,
    )?;
    Ok(handle)
}

fn between_groups(
    groups: [MPI_Group; 2],
    leaders: [c_int; 2],
    text: String,
    errhandler: MPI_Errhandler,
) -> Result<Comm> {
    let (own, other) = (convert::group(groups[0], "local_group")?, convert::group(groups[1], "remote_group")?);
    leader(&own, leaders[0], "local_leader")?;
    leader(&other, leaders[1], "remote_leader")?;
    check_disjoint(&own, &other)?;
    let errhandler = errhandler_of(errhandler, "errhandler")?;
    // Both sides name both groups in the same order.
    let mut sides = [own.clone(), other.clone()];
    sides.sort_by_key(|group| group.world(0).map(|world| world.0));
    let [members, others] = sides;
    let call = Function::Intercomm_create_from_groups;
    let birth = GroupBirth { call, parent: SELF_CONTEXT, tag: 0, text, members, others: Some(others) };
    let session = convert::session_of(groups[0]);
    let comm = member_comm(birth, own, Some(other), errhandler).map(|comm| Comm { session, ..comm });
    comm.ok_or_else(|| {
        let (found, allowed) = ("a group without the calling rank", "a group that the calling rank is in");
        MpiError::parameter(ErrorClass::GROUP, "local_group", found, allowed)
    })
}

/// `MPI_Intercomm_merge`.
pub fn intercomm_merge(intercomm: MPI_Comm, high: c_int) -> Result<MPI_Comm> {
    remote(intercomm, "intercomm")?;
    let call = Creation::begin(intercomm)?;
    call.offer(Offer::new(call.parent_core()?.group, u32::from(high != 0)));
    call.synchronise(Function::Intercomm_merge, Needs::Others)?;
    call.store(merged(call, high != 0)?)
}

/// The union of both sides: the low one first; of equals, the one whose first member has the lower world rank.
fn merged(call: Creation, high: bool) -> Result<CommCore> {
    let own = call.parent_core()?.group;
    let Offer { group: other, value: other_high, .. } = call.offered()?;
    let key = |group: &Group, high: bool| (high, group.world(0).map(|world| world.0));
    let own_first = key(&own, high) < key(&other, other_high != 0);
    let (first, second) = if own_first { (own, other) } else { (other, own) };
    let members = first.size() + second.size();
    call.intracomm(0, members, || first.union(&second))
}
