//! Making and freeing communicators (MPI 5.0 §7.4.2–7.4.4). Intercommunicators are made in `intercomm`.
//!
//! A creating call is a barrier on the parent, so that it synchronises and costs what its messages cost; what the ranks
//! have to know of each other is left in the tables of [`smpi_mpi::agreements::Agreements`] before the barrier and read
//! after it. Only plain values are kept while the rank waits: groups are read again from the tables.

use std::ffi::{c_char, c_int};

use smpi_abi::Function;
use smpi_mailbox::Context;
use smpi_mpi::agreements::{Birth, GroupBirth, Offer};
use smpi_mpi::comm::{CommCore, Place, SELF_CONTEXT};
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::group::Group;
use smpi_mpi::world::Chooser;

use super::collective::{How, Needs, number, prepare_meeting};
use super::errhandler::errhandler_of;
use super::hardware;
use super::session::ProcessSet;
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::attributes;
use crate::convert;
use crate::user_threads;
use smpi_runtime::objects::handles::{Decoded, Kind, decode};
use smpi_runtime::objects::{Comm, Errhandler, KeyvalKind};
use smpi_runtime::with_objects;
use smpi_runtime::{blocking, current_rank, with};

/// The key that names a type of hardware for `MPI_Comm_split_type` (MPI 5.0 §7.4.2).
const RESOURCE_KEY: &str = "mpi_hw_resource_type";
/// The key that names a process set for `MPI_Comm_split_type`.
const SET_KEY: &str = "mpi_pset_name";

/// A creating call on a parent: what stays known while the rank waits.
#[derive(Clone, Copy)]
pub(super) struct Creation {
    parent: MPI_Comm,
    context: Context,
    number: u32,
    /// World rank of the first member of the own side.
    side: u32,
    /// World rank of the first member of the other side of an intercommunicator.
    other_side: Option<u32>,
    /// Members of both sides.
    members: u32,
    /// Members of the other side.
    remote: u32,
}

impl Creation {
    /// Counts a creating call on the parent. Its arguments must have been checked: all members count alike.
    pub(super) fn begin(parent: MPI_Comm) -> Result<Creation> {
        convert::with_comm(parent, "comm", |comm| {
            let number = comm.next_child();
            let core = &comm.core;
            let first = |group: &Group| group.world(0).map_or(0, |world| world.0);
            let remote = core.remote.as_ref().map_or(0, Group::size);
            Ok(Creation {
                parent,
                context: core.context,
                number,
                side: first(&core.group),
                other_side: core.remote.as_ref().map(first),
                members: core.group.size() + remote,
                remote,
            })
        })
    }

    /// Nobody returns from `name` before everybody has called it; or, where ranks need not wait for what they do not
    /// need, before everybody has whose contribution is needed.
    pub(super) fn synchronise(self, name: Function, needs: Needs) -> Result<()> {
        prepare_meeting(name, self.parent, needs)?.run(How::Blocking)
    }

    /// Where the own side leaves something.
    pub(super) fn place(self) -> Place {
        Place { parent: self.context, number: self.number, side: self.side }
    }

    /// Tells the other side of the intercommunicator something, before the synchronisation.
    pub(super) fn offer(self, offer: Offer) {
        with(|runtime| runtime.world.state.agreements.offer(self.place(), self.remote, offer));
    }

    /// Tells the own side something, before the synchronisation.
    pub(super) fn tell_own(self, offer: Offer) -> Result<()> {
        let readers = self.parent_core()?.group.size();
        with(|runtime| runtime.world.state.agreements.offer(self.place(), readers, offer));
        Ok(())
    }

    /// What the other side said; to be called once, after the synchronisation.
    pub(super) fn offered(self) -> Result<Offer> {
        let side = self.other_side.unwrap_or(self.side);
        let place = Place { side, ..self.place() };
        with(|runtime| runtime.world.state.agreements.take_offer(place)).ok_or_else(disagreement)
    }

    /// The context of the new communicator of this colour.
    pub(super) fn context(self, colour: u64, members: u32) -> Context {
        let birth = Birth { parent: self.context, number: self.number, colour };
        with(|runtime| runtime.world.state.agreements.context(birth, members))
    }

    /// The new intracommunicator of this colour with its group, which all members share.
    pub(super) fn intracomm(self, colour: u64, members: u32, make: impl FnOnce() -> Group) -> Result<CommCore> {
        let birth = Birth { parent: self.context, number: self.number, colour };
        let agreed = with(|runtime| runtime.world.state.agreements.context_and_group(birth, members, make));
        let (context, Some(group)) = agreed else { return Err(disagreement()) };
        let rank = group.rank_of(current_rank()).ok_or_else(disagreement)?;
        Ok(CommCore { context, group, remote: None, rank })
    }

    /// Members of both sides.
    pub(super) fn members(self) -> u32 {
        self.members
    }

    /// The parent's contexts and groups.
    pub(super) fn parent_core(self) -> Result<CommCore> {
        convert::comm(self.parent, "comm")
    }

    /// Stores a communicator that inherits the parent's error handler.
    pub(super) fn store(self, core: CommCore) -> Result<MPI_Comm> {
        let parent = convert::with_comm(self.parent, "comm", |comm| Ok((comm.errhandler.clone(), comm.session)))?;
        let (errhandler, session) = parent;
        store(Comm { session, ..Comm::new(core, errhandler) })
    }

    /// Stores the new communicator that `name` makes, or gives `MPI_COMM_NULL` where this rank gets none.
    fn store_if_any(self, name: Function, core: Option<CommCore>) -> Result<MPI_Comm> {
        let Some(core) = core else { return Ok(MPI_COMM_NULL) };
        let handle = self.store(core)?;
        number(name, handle).map(|()| handle)
    }
}

/// The error of a rank that finds the parent's members in different creating calls.
pub(super) fn disagreement() -> MpiError {
    let text = "the ranks of the communicator do not all call this function in the same order with fitting arguments";
    MpiError::new(ErrorClass::OTHER, text)
}

/// Stores a communicator and returns its handle.
pub(super) fn store(comm: Comm) -> Result<MPI_Comm> {
    let full =
        || MpiError::new(ErrorClass::OTHER, "this rank has 1048576 communicators, the most that handles can name");
    blocking::recording(|trace, rank| trace.comm(rank, &comm.core));
    let of_session = comm.session.map(|session| (comm.core.context, session));
    let place = (comm.core.rank as c_int, comm.core.group.size() as c_int);
    let key = with_objects(|objects| objects.comms.insert(comm)).ok_or_else(full)?;
    if let Some((context, session)) = of_session {
        with(|runtime| runtime.world.rank(current_rank()).buffers.serve(context, session));
    }
    let handle = smpi_watch::checks::made(Kind::Comm, key);
    // In a verification there are no threads that could ask.
    if !with(|runtime| runtime.driver.explores()) {
        user_threads::note_comm(current_rank(), handle, place);
    }
    Ok(std::ptr::without_provenance_mut(handle as usize))
}

/// Stores a communicator without a parent, with the error handler of `MPI_COMM_SELF`.
pub(super) fn store_like_self(core: CommCore) -> Result<MPI_Comm> {
    let errhandler = with_objects(|objects| objects.self_comm.as_ref().map(|comm| comm.errhandler.clone()));
    store(Comm::new(core, errhandler.unwrap_or(Errhandler::Fatal)))
}

/// Forgets a communicator.
fn discard(handle: MPI_Comm) {
    if let Decoded::Ours(key) = decode(Kind::Comm, handle as u64) {
        user_threads::forget_comm(current_rank(), handle as u64);
        let removed = with_objects(|objects| objects.comms.remove(key));
        if let Some(context) = removed.filter(|comm| comm.session.is_some()).map(|comm| comm.core.context) {
            with(|runtime| runtime.world.rank(current_rank()).buffers.forget(context));
        }
    }
}

/// Stores a communicator whose members alone create it: they meet on the new communicator itself.
pub(super) fn store_and_meet(name: Function, comm: Comm) -> Result<MPI_Comm> {
    let handle = store(comm)?;
    // The next creation of the same identity must not begin before all members have asked for this one.
    prepare_meeting(name, handle, Needs::Others)?.run(How::Blocking).inspect_err(|_| discard(handle)).map(|()| handle)
}

/// Stores the duplicate of the parent.
fn duplicate(call: Creation, info: MPI_Info) -> Result<MPI_Comm> {
    let context = call.context(0, call.members);
    let hints = convert::info(info, "info")?;
    let topology = convert::with_comm(call.parent, "comm", |comm| Ok(comm.topology.clone()))?;
    let handle = call.store(CommCore { context, ..call.parent_core()? })?;
    convert::with_comm(handle, "comm", |comm| {
        (comm.info, comm.topology) = (hints, topology);
        Ok(())
    })?;
    // Last, with nothing at hand that needs dropping: the program's functions may wait.
    attributes::copy_all(KeyvalKind::Comm, call.parent as u64, handle as u64).inspect_err(|_| discard(handle))?;
    Ok(handle)
}

/// A blocking duplication; hints are only those given (MPI 5.0 §7.4.2).
pub fn duplicate_now(name: Function, comm: MPI_Comm, info: MPI_Info) -> Result<MPI_Comm> {
    convert::info(info, "info")?;
    let call = Creation::begin(comm)?;
    call.synchronise(name, Needs::Nothing)?;
    let handle = duplicate(call, info)?;
    number(name, handle).map(|()| handle)
}

/// A nonblocking duplication: the handle is there at once, its use is up to completion of the request.
///
/// # Safety
/// By MPI's contract `newcomm` and `request` are places.
pub unsafe fn duplicate_later(
    name: Function,
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: *mut MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    convert::info(info, "info")?;
    let handle = duplicate(Creation::begin(comm)?, info)?;
    // SAFETY: by MPI's contract `newcomm` is a place.
    unsafe { convert::put(newcomm, handle, "newcomm") }?;
    prepare_meeting(name, comm, Needs::Nothing)?.run(How::Immediate(request))
}

/// A group argument at position 2 whose members are all in the communicator.
fn subgroup(core: &CommCore, group: MPI_Group) -> Result<Group> {
    let group = convert::group(group, "group")?;
    if let Some(stranger) = group.stranger_to(&core.group) {
        let found = format!("a group with rank {} of MPI_COMM_WORLD", stranger.0);
        let allowed = "a subset of the communicator's group";
        return Err(MpiError::parameter(ErrorClass::GROUP, "group", found, allowed));
    }
    Ok(group)
}

/// `MPI_Comm_create`.
pub fn comm_create(comm: MPI_Comm, group: MPI_Group) -> Result<MPI_Comm> {
    let call = begin_create(comm, group)?;
    let needs = if call.other_side.is_some() { Needs::Others } else { Needs::Nothing };
    call.synchronise(Function::Comm_create, needs)?;
    call.store_if_any(Function::Comm_create, created(call, group)?)
}

/// Checks the arguments and tells the other side of an intercommunicator the own group.
fn begin_create(comm: MPI_Comm, group: MPI_Group) -> Result<Creation> {
    let group = subgroup(&convert::comm(comm, "comm")?, group)?;
    let call = Creation::begin(comm)?;
    if call.other_side.is_some() {
        call.offer(Offer::new(group, 0));
    }
    Ok(call)
}

/// What `MPI_Comm_create` gives this rank, after the synchronisation.
fn created(call: Creation, group: MPI_Group) -> Result<Option<CommCore>> {
    let group = convert::group(group, "group")?;
    let remote = if call.other_side.is_some() { Some(call.offered()?.group) } else { None };
    let Some(rank) = group.rank_of(current_rank()) else { return Ok(None) };
    match remote {
        None => {
            // Groups given in one call on an intracommunicator are equal or disjoint: the first member tells which.
            let colour = group.world(0).map_or(0, |world| u64::from(world.0));
            call.intracomm(colour, group.size(), || group).map(Some)
        }
        Some(remote) if remote.size() == 0 => Ok(None),
        Some(remote) => {
            let context = call.context(0, group.size() + remote.size());
            Ok(Some(CommCore { context, group, remote: Some(remote), rank }))
        }
    }
}

/// `MPI_Comm_create_group`: only the members of the group take part.
pub fn comm_create_group(comm: MPI_Comm, group: MPI_Group, tag: c_int) -> Result<MPI_Comm> {
    let tag = convert::send_tag(tag, "tag")?;
    let handle = match create_in_group(comm, group, tag)? {
        Some(comm) => store_and_meet(Function::Comm_create_group, comm)?,
        None => MPI_COMM_NULL,
    };
    Ok(handle)
}

fn create_in_group(comm: MPI_Comm, group: MPI_Group, tag: i32) -> Result<Option<Comm>> {
    let core = convert::intracomm(comm, "comm")?;
    let group = subgroup(&core, group)?;
    let parent = convert::with_comm(comm, "comm", |comm| Ok((comm.errhandler.clone(), comm.session)))?;
    let (errhandler, session) = parent;
    let members = group.clone();
    let birth = GroupBirth {
        call: Function::Comm_create_group,
        parent: core.context,
        tag,
        text: String::new(),
        members,
        others: None,
    };
    Ok(member_comm(birth, group, None, errhandler).map(|comm| Comm { session, ..comm }))
}

/// The communicator that the members of a group make; none for ranks outside.
pub(super) fn member_comm(
    birth: GroupBirth,
    group: Group,
    remote: Option<Group>,
    errhandler: Errhandler,
) -> Option<Comm> {
    let rank = group.rank_of(current_rank())?;
    let members = group.size() + remote.as_ref().map_or(0, Group::size);
    let (context, shared) = with(|runtime| runtime.world.state.agreements.context_for_group(birth, members, &group));
    // The two sides of an intercommunicator find the group of whoever came first.
    let group = shared.filter(|shared| *shared == group).unwrap_or(group);
    Some(Comm::new(CommCore { context, group, remote, rank }, errhandler))
}

/// `MPI_Comm_create_from_group`: no parent is needed.
///
/// # Safety
/// `stringtag` must be a string; `newcomm` must be null or valid for writing.
pub unsafe fn comm_create_from_group(
    group: MPI_Group,
    stringtag: *const c_char,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
) -> Result<MPI_Comm> {
    // SAFETY: by MPI's contract `stringtag` is a text.
    let comm = unsafe { from_group(group, stringtag, info, errhandler) }?;
    let handle = match comm {
        Some(comm) => store_and_meet(Function::Comm_create_from_group, comm)?,
        None => MPI_COMM_NULL,
    };
    Ok(handle)
}

unsafe fn from_group(
    group: MPI_Group,
    stringtag: *const c_char,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
) -> Result<Option<Comm>> {
    let session = convert::session_of(group);
    let group = convert::group(group, "group")?;
    // SAFETY: by MPI's contract `stringtag` is a text.
    let text = unsafe { convert::string(stringtag, "stringtag") }?;
    let hints = convert::info(info, "info")?;
    let errhandler = errhandler_of(errhandler, "errhandler")?;
    let members = group.clone();
    let birth = GroupBirth {
        call: Function::Comm_create_from_group,
        parent: SELF_CONTEXT,
        tag: 0,
        text,
        members,
        others: None,
    };
    Ok(member_comm(birth, group, None, errhandler).map(|comm| Comm { info: hints, session, ..comm }))
}

/// `MPI_Comm_split`.
pub fn comm_split(comm: MPI_Comm, color: c_int, key: c_int) -> Result<MPI_Comm> {
    if color < 0 && color != MPI_UNDEFINED {
        let allowed = "0 or more, or MPI_UNDEFINED";
        return Err(MpiError::parameter(ErrorClass::ARG, "color", color, allowed));
    }
    split(Function::Comm_split, comm, color, key, false)
}

/// Splits a communicator; `MPI_COMM_NULL` for a negative colour, and with `strictly` where nothing was split off.
pub(super) fn split(name: Function, comm: MPI_Comm, colour: c_int, key: c_int, strictly: bool) -> Result<MPI_Comm> {
    let call = Creation::begin(comm)?;
    let colour = colour.max(-1);
    with(|runtime| runtime.world.state.agreements.split_deposit(call.place(), current_rank(), colour, key));
    call.synchronise(name, Needs::Others)?;
    let core = part(call, colour)?;
    call.store_if_any(name, core.filter(|core| !strictly || core.group.size() < call.members))
}

/// The part of this rank after a split: of both sides of an intercommunicator, the ranks with its colour.
fn part(call: Creation, colour: i32) -> Result<Option<CommCore>> {
    let parent = call.parent_core()?;
    let (own, other) = with(|runtime| {
        let agreements = &mut runtime.world.state.agreements;
        let mut side = |place, group: &Group| {
            agreements.split_group(place, colour, call.members, |world| group.rank_of(world).unwrap_or(u32::MAX))
        };
        let own = side(call.place(), &parent.group);
        let other = call.other_side.zip(parent.remote.as_ref());
        (own, other.map(|(first, group)| side(Place { side: first, ..call.place() }, group)))
    });
    // A colour that only one side has gives no communicator.
    let (Some(group), None | Some(Some(_))) = (own, &other) else { return Ok(None) };
    let remote = other.flatten();
    let rank = group.rank_of(current_rank()).ok_or_else(disagreement)?;
    let members = group.size() + remote.as_ref().map_or(0, Group::size);
    Ok(Some(CommCore { context: call.context(colour as u64, members), group, remote, rank }))
}

/// `MPI_Comm_split_type`: ranks on one simulated host share memory; larger hardware are the platform's zones.
pub fn comm_split_type(comm: MPI_Comm, split_type: c_int, key: c_int, info: MPI_Info) -> Result<MPI_Comm> {
    // The members are given up before the rank may wait: what a suspended rank holds is put back without being counted.
    let colour = colour_of(split_type, info, &convert::intracomm(comm, "comm")?.group)?;
    split(Function::Comm_split_type, comm, colour, key, split_type == MPI_COMM_TYPE_HW_UNGUIDED)
}

/// The colour that stands for the calling rank's part of the resource; negative for none.
fn colour_of(split_type: c_int, info: MPI_Info, members: &Group) -> Result<c_int> {
    let hints = convert::info(info, "info")?;
    let rank = current_rank();
    let host = with(|runtime| runtime.layout.placement[rank.index()].index() as c_int);
    let by_resource = || Ok(hints.get(RESOURCE_KEY)?.and_then(hardware::instance_of));
    let by_set = || {
        Ok(hints.get(SET_KEY)?.and_then(ProcessSet::named).map(|set| match set {
            ProcessSet::World => 0,
            ProcessSet::Own => rank.0 as c_int,
            ProcessSet::Host => host,
        }))
    };
    let colour = match split_type {
        MPI_UNDEFINED => None,
        MPI_COMM_TYPE_SHARED => Some(host),
        MPI_COMM_TYPE_HW_UNGUIDED => hardware::first_difference(members),
        MPI_COMM_TYPE_HW_GUIDED => by_resource()?,
        MPI_COMM_TYPE_RESOURCE_GUIDED => by_resource()?.map_or_else(by_set, |host| Ok(Some(host)))?,
        _ => {
            let allowed = "MPI_COMM_TYPE_SHARED, _HW_GUIDED, _HW_UNGUIDED or _RESOURCE_GUIDED, or MPI_UNDEFINED";
            return Err(MpiError::parameter(ErrorClass::ARG, "split_type", split_type, allowed));
        }
    };
    Ok(colour.unwrap_or(MPI_UNDEFINED))
}

/// The handle behind a pointer to a communicator that may be freed.
unsafe fn freeable(comm: *mut MPI_Comm) -> Result<MPI_Comm> {
    // SAFETY: by MPI's contract `comm`, the caller's argument, is a place.
    let handle = unsafe { convert::read(comm, "comm") }?;
    convert::with_comm(handle, "comm", |comm| match decode(Kind::Comm, handle as u64) {
        Decoded::Ours(_) => Ok(handle),
        _ => {
            let allowed = "a communicator that the program has made";
            Err(MpiError::parameter(ErrorClass::COMM, "comm", &comm.name, allowed))
        }
    })
}

/// `MPI_Comm_free`: local. Operations that are pending go on; they have their own contexts.
///
/// # Safety
/// `comm` must be null or point to a handle.
pub unsafe fn comm_free(comm: *mut MPI_Comm) -> Result<()> {
    // SAFETY: by MPI's contract `comm` is a place.
    let handle = unsafe { freeable(comm) }?;
    if with(|runtime| runtime.has_spawned() && !runtime.driver.explores()) {
        let core = convert::comm(handle, "comm")?;
        with(|runtime| runtime.note_freed(current_rank(), &core));
    }
    // SAFETY: as above.
    unsafe { give_up(handle, comm) }
}

/// Forgets a communicator, whose handle the program has in this place.
///
/// # Safety
/// `comm` must be valid for writing.
unsafe fn give_up(handle: MPI_Comm, comm: *mut MPI_Comm) -> Result<()> {
    attributes::delete_all(handle as u64)?;
    discard(handle);
    // SAFETY: the caller says so.
    unsafe { *comm = MPI_COMM_NULL };
    Ok(())
}

/// `MPI_Comm_disconnect`: waits until all members are here; their own operations must be complete by then.
///
/// # Safety
/// `comm` must be null or point to a handle.
pub unsafe fn comm_disconnect(comm: *mut MPI_Comm) -> Result<()> {
    // SAFETY: by MPI's contract `comm` is a place.
    unsafe {
        let handle = freeable(comm)?;
        prepare_meeting(Function::Comm_disconnect, handle, Needs::Others)?.run(How::Blocking)?;
        give_up(handle, comm)
    }
}

/// `MPI_Comm_set_info`: hints are kept and change nothing.
pub fn comm_set_info(comm: MPI_Comm, info: MPI_Info) -> Result<()> {
    let hints = convert::info(info, "info")?;
    convert::with_comm(comm, "comm", |comm| hints.iter().try_for_each(|(key, value)| comm.info.set(key, value)))
}

/// `MPI_Comm_get_info`.
pub fn comm_get_info(comm: MPI_Comm) -> Result<MPI_Info> {
    let info = convert::with_comm(comm, "comm", |comm| Ok(comm.info.clone()))?;
    super::info::give_info(info)
}
