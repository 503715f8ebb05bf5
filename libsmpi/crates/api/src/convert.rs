//! From the raw arguments of C calls to checked, typed values.
//!
//! Every function takes the parameter's position (from 1) and name in the C prototype, so that its error can say which
//! argument is wrong, what it was and what is allowed.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::table::Key;
use smpi_mailbox::Context;
use smpi_mpi::collective::Part;
use smpi_mpi::comm::{CommCore, TrafficKind};
use smpi_mpi::datatype::{Basic, Datatype};
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::group::Group;
use smpi_mpi::info::Info;
use smpi_mpi::memory::Addr;
use smpi_mpi::op::{Op, Predefined, UserOp};

use crate::abi::constants::{MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_DATATYPE_NULL, MPI_PROC_NULL, MPI_ROOT, MPI_SUCCESS};
use crate::abi::counts::CountOut;
use crate::abi::types::{
    MPI_Comm, MPI_Count, MPI_Datatype, MPI_Errhandler, MPI_File, MPI_Group, MPI_Info, MPI_Op, MPI_Request, MPI_Session,
    MPI_Status, MPI_Win,
};
use smpi_abi::c::handles;
use smpi_runtime::objects::handles::{Decoded, Kind, decode, kind_name};
use smpi_runtime::objects::{self, Comm, Errhandler, File, RankObjects, Session, TypeEntry, Win};
use smpi_runtime::{current_rank, with, with_objects};
use smpi_watch::{access, checks};

use crate::own_memory;

pub use crate::own_memory::null;

/// Largest tag: what the attribute `MPI_TAG_UB` says.
pub const TAG_UB: c_int = c_int::MAX;

/// `MPI_IN_PLACE`, which only collective operations know.
pub const IN_PLACE: usize = handles::MPI_IN_PLACE;

/// The error for a handle that does not lead to a live object.
#[cold]
fn bad_handle(class: ErrorClass, kind: Kind, handle: u64, name: &str) -> MpiError {
    let found = match decode(kind, handle) {
        Decoded::Predefined(0) => "a null pointer".to_string(),
        Decoded::Predefined(value) => format!("the predefined handle {value:#x}, which is no {}", kind.name()),
        Decoded::Ours(_) => format!("a {} that was freed ({handle:#x})", kind.name()),
        Decoded::OtherKind(other) => format!("a handle of a {} ({handle:#x})", kind_name(other)),
        Decoded::Garbage => format!("{handle:#x}, which is not a handle"),
    };
    MpiError::parameter(class, name, found, &format!("a valid {}", kind.name()))
}

/// Finds a communicator in the rank's objects.
#[inline]
pub fn find_comm(objects: &mut RankObjects, handle: u64) -> Option<&mut Comm> {
    match decode(Kind::Comm, handle) {
        Decoded::Predefined(handles::MPI_COMM_WORLD) => objects.world.as_mut(),
        Decoded::Predefined(handles::MPI_COMM_SELF) => objects.self_comm.as_mut(),
        Decoded::Ours(key) => objects.comms.get_mut(key),
        _ => None,
    }
}

/// Finds a window in the rank's objects.
#[inline]
pub fn find_win(objects: &mut RankObjects, handle: u64) -> Option<&mut Win> {
    match decode(Kind::Win, handle) {
        Decoded::Ours(key) => objects.wins.get_mut(key),
        _ => None,
    }
}

/// Runs the action on a window.
///
/// # Errors
/// `MPI_ERR_WIN`.
#[inline]
pub fn with_win<R>(win: MPI_Win, name: &str, action: impl FnOnce(&mut Win) -> Result<R>) -> Result<R> {
    let handle = win as u64;
    with_objects(|objects| match find_win(objects, handle) {
        Some(win) => action(win),
        None if handle == u64::from(handles::MPI_WIN_NULL) => {
            Err(MpiError::parameter(ErrorClass::WIN, name, "MPI_WIN_NULL", "a valid window"))
        }
        None => Err(bad_handle(ErrorClass::WIN, Kind::Win, handle, name)),
    })
}

/// Finds a session.
pub fn find_session(objects: &mut RankObjects, handle: u64) -> Option<(Key, &mut Session)> {
    match decode(Kind::Session, handle) {
        Decoded::Ours(key) => objects.sessions.get_mut(key).map(|session| (key, session)),
        _ => None,
    }
}

/// Finds a file in the rank's objects.
pub fn find_file(objects: &mut RankObjects, handle: u64) -> Option<&mut File> {
    match decode(Kind::File, handle) {
        Decoded::Ours(key) => objects.files.get_mut(key),
        _ => None,
    }
}

/// Runs the action on a session.
///
/// # Errors
/// `MPI_ERR_SESSION`.
pub fn with_session<R>(session: MPI_Session, name: &str, action: impl FnOnce(Key, &mut Session) -> R) -> Result<R> {
    let handle = session as u64;
    with_objects(|objects| match find_session(objects, handle) {
        Some((key, session)) => Ok(action(key, session)),
        None if handle == u64::from(handles::MPI_SESSION_NULL) => {
            Err(MpiError::parameter(ErrorClass::SESSION, name, "MPI_SESSION_NULL", "a valid session"))
        }
        None => Err(bad_handle(ErrorClass::SESSION, Kind::Session, handle, name)),
    })
}

/// The session that a group comes from.
pub fn session_of(group: MPI_Group) -> Option<Context> {
    match decode(Kind::Group, group as u64) {
        Decoded::Ours(key) => with_objects(|objects| objects.session_of_group(key.slot)),
        _ => None,
    }
}

/// Runs the action on a file.
///
/// # Errors
/// `MPI_ERR_FILE`.
pub fn with_file<R>(file: MPI_File, name: &str, action: impl FnOnce(&mut File) -> Result<R>) -> Result<R> {
    let handle = file as u64;
    with_objects(|objects| match find_file(objects, handle) {
        Some(file) => action(file),
        None if handle == u64::from(handles::MPI_FILE_NULL) => {
            Err(MpiError::parameter(ErrorClass::FILE, name, "MPI_FILE_NULL", "an open file"))
        }
        None => Err(bad_handle(ErrorClass::FILE, Kind::File, handle, name)),
    })
}

/// Finds the error handler of a handle.
pub fn find_errhandler(objects: &RankObjects, handle: MPI_Errhandler) -> Option<Errhandler> {
    match decode(Kind::Errhandler, handle as u64) {
        Decoded::Predefined(handles::MPI_ERRORS_ARE_FATAL) => Some(Errhandler::Fatal),
        Decoded::Predefined(handles::MPI_ERRORS_ABORT) => Some(Errhandler::Abort),
        Decoded::Predefined(handles::MPI_ERRORS_RETURN) => Some(Errhandler::Return),
        Decoded::Ours(key) => objects.errhandlers.get(key).map(|held| Errhandler::User(Rc::clone(&held.handler))),
        _ => None,
    }
}

/// Runs the action on a communicator.
///
/// # Errors
/// `MPI_ERR_COMM`.
#[inline]
pub fn with_comm<R>(comm: MPI_Comm, name: &str, action: impl FnOnce(&mut Comm) -> Result<R>) -> Result<R> {
    with_objects(|objects| action(comm_in(objects, comm as u64, name)?))
}

/// A communicator of these objects.
#[inline]
fn comm_in<'a>(objects: &'a mut RankObjects, handle: u64, name: &str) -> Result<&'a mut Comm> {
    find_comm(objects, handle).ok_or_else(|| bad_comm(handle, name))
}

#[cold]
fn bad_comm(handle: u64, name: &str) -> MpiError {
    if handle == u64::from(handles::MPI_COMM_NULL) {
        let allowed = "a valid communicator";
        return MpiError::parameter(ErrorClass::COMM, name, "MPI_COMM_NULL", allowed);
    }
    bad_handle(ErrorClass::COMM, Kind::Comm, handle, name)
}

/// Contexts, groups and rank of a communicator.
///
/// # Errors
/// `MPI_ERR_COMM`.
pub fn comm(comm: MPI_Comm, name: &str) -> Result<CommCore> {
    with_comm(comm, name, |comm| Ok(comm.core.clone()))
}

/// What a message needs to know of its communicator.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    /// Context of messages between two ranks.
    pub context: Context,
    /// The own rank, as the other side names it.
    pub rank: u32,
    /// Ranks that can be named.
    pub peers: u32,
    /// The peer that was asked for, if it is one.
    pub peer: Option<WorldRank>,
}

/// The way to a peer of a communicator; `peer` is checked later, by [`destination`] or [`source`].
///
/// # Errors
/// `MPI_ERR_COMM`.
#[inline]
pub fn channel(comm: MPI_Comm, peer: c_int, name: &str) -> Result<Channel> {
    channel_for(TrafficKind::PointToPoint, comm, peer, name)
}

/// The same for another kind of traffic.
///
/// # Errors
/// `MPI_ERR_COMM`.
#[inline]
pub fn channel_for(traffic: TrafficKind, comm: MPI_Comm, peer: c_int, name: &str) -> Result<Channel> {
    with_comm(comm, name, |comm| {
        let core = &comm.core;
        Ok(Channel {
            context: core.context_of(traffic),
            rank: core.rank,
            peers: core.peers().size(),
            peer: u32::try_from(peer).ok().and_then(|rank| core.peer(rank)),
        })
    })
}

/// An intracommunicator.
///
/// # Errors
/// `MPI_ERR_COMM`, also for intercommunicators.
pub fn intracomm(handle: MPI_Comm, name: &str) -> Result<CommCore> {
    without_remote(comm(handle, name)?, name)
}

fn without_remote(core: CommCore, name: &str) -> Result<CommCore> {
    if core.remote.is_some() {
        let allowed = "an intracommunicator";
        return Err(MpiError::parameter(ErrorClass::COMM, name, "an intercommunicator", allowed));
    }
    Ok(core)
}

/// A group.
///
/// # Errors
/// `MPI_ERR_GROUP`.
pub fn group(group: MPI_Group, name: &str) -> Result<Group> {
    with_objects(|objects| group_in(objects, group as u64, name))
}

/// A group of these objects.
fn group_in(objects: &RankObjects, handle: u64, name: &str) -> Result<Group> {
    let found = match decode(Kind::Group, handle) {
        Decoded::Predefined(handles::MPI_GROUP_EMPTY) => Some(Group::range(0, 0)),
        Decoded::Predefined(handles::MPI_GROUP_NULL) => {
            return Err(MpiError::parameter(ErrorClass::GROUP, name, "MPI_GROUP_NULL", "a valid group"));
        }
        Decoded::Ours(key) => objects.groups.get(key).cloned(),
        _ => None,
    };
    found.ok_or_else(|| bad_handle(ErrorClass::GROUP, Kind::Group, handle, name))
}

/// Runs the action on a derived datatype's entry (name, attributes, committed).
///
/// # Errors
/// `MPI_ERR_TYPE`.
pub fn with_type<R>(datatype: MPI_Datatype, name: &str, action: impl FnOnce(&mut TypeEntry) -> Result<R>) -> Result<R> {
    with_objects(|objects| action(entry_in(objects, datatype as u64, name)?))
}

/// The entry of a datatype among these objects; a predefined one gets its own when it is asked for first.
fn entry_in<'a>(objects: &'a mut RankObjects, handle: u64, name: &str) -> Result<&'a mut TypeEntry> {
    let wrong = || bad_handle(ErrorClass::TYPE, Kind::Datatype, handle, name);
    match decode(Kind::Datatype, handle) {
        Decoded::Predefined(number) => {
            let datatype = Datatype::from_handle(number).ok_or_else(wrong)?;
            let entries = &mut objects.predefined_types;
            let place = entries.iter().position(|entry| entry.0 == number).unwrap_or_else(|| {
                entries.push((number, TypeEntry::predefined(datatype)));
                entries.len() - 1
            });
            Ok(&mut entries[place].1)
        }
        Decoded::Ours(key) => objects.types.get_mut(key).ok_or_else(wrong),
        _ => Err(wrong()),
    }
}

/// A datatype, committed or not.
///
/// # Errors
/// `MPI_ERR_TYPE`.
pub fn any_datatype(datatype: MPI_Datatype, name: &str) -> Result<Datatype> {
    type_of(datatype, name, false)
}

/// A datatype that may be used in communication.
///
/// # Errors
/// `MPI_ERR_TYPE`, also when it was not committed.
#[inline]
pub fn datatype(datatype: MPI_Datatype, name: &str) -> Result<Datatype> {
    type_of(datatype, name, true)
}

/// The datatype of `count` elements that are communicated. Where there are none, MPI libraries let a null handle pass:
/// that is said once for each line.
///
/// # Errors
/// As for [`datatype`].
#[inline]
pub fn datatype_of(count: i64, datatype: MPI_Datatype, name: &str) -> Result<Datatype> {
    match self::datatype(datatype, name) {
        Err(_) if count == 0 && datatype == MPI_DATATYPE_NULL => Ok(no_datatype()),
        outcome => outcome,
    }
}

#[cold]
fn no_datatype() -> Datatype {
    let place = checks::here();
    checks::note_once(place, |world, rank| world.note_no_datatype(rank, place));
    Datatype::basic(Basic::Byte)
}

#[inline]
fn type_of(datatype: MPI_Datatype, name: &str, must_be_committed: bool) -> Result<Datatype> {
    let handle = datatype as u64;
    if let Decoded::Predefined(number) = decode(Kind::Datatype, handle)
        && let Some(found) = Datatype::from_handle(number)
    {
        return Ok(found);
    }
    with_objects(|objects| derived_in(objects, handle, name, must_be_committed))
}

/// A derived datatype of these objects.
fn derived_in(objects: &RankObjects, handle: u64, name: &str, must_be_committed: bool) -> Result<Datatype> {
    let found = match decode(Kind::Datatype, handle) {
        Decoded::Ours(key) => objects.types.get(key),
        _ => None,
    };
    let entry = found.ok_or_else(|| bad_handle(ErrorClass::TYPE, Kind::Datatype, handle, name))?;
    if must_be_committed && !entry.committed {
        let allowed = "a committed datatype (call MPI_Type_commit)";
        return Err(MpiError::parameter(ErrorClass::TYPE, name, "not committed", allowed));
    }
    Ok(entry.datatype.clone())
}

/// An info object; `MPI_INFO_NULL` is an empty one.
///
/// # Errors
/// `MPI_ERR_INFO`.
pub fn info(info: MPI_Info, name: &str) -> Result<Info> {
    with_objects(|objects| info_in(objects, info as u64, name))
}

/// An info object of these objects.
fn info_in(objects: &RankObjects, handle: u64, name: &str) -> Result<Info> {
    let found = match decode(Kind::Info, handle) {
        Decoded::Predefined(handles::MPI_INFO_NULL) => Some(Info::default()),
        Decoded::Ours(key) => objects.infos.get(key).cloned(),
        _ => None,
    };
    found.ok_or_else(|| bad_handle(ErrorClass::INFO, Kind::Info, handle, name))
}

/// A reduction operation.
///
/// # Errors
/// `MPI_ERR_OP`.
pub fn op(op: MPI_Op, name: &str) -> Result<Op> {
    let handle = op as u64;
    if let Decoded::Predefined(number) = decode(Kind::Op, handle)
        && let Some(found) = Predefined::from_handle(number)
    {
        return Ok(Op::Predefined(found));
    }
    let found = with_objects(|objects| user_op_in(objects, handle, name))?;
    let id = smpi_runtime::callbacks::function_id(found.function, found.large_count);
    Ok(Op::User(UserOp { id, commutative: found.commutative }))
}

/// An operation of the program among these objects.
fn user_op_in(objects: &RankObjects, handle: u64, name: &str) -> Result<objects::UserOp> {
    let found = match decode(Kind::Op, handle) {
        Decoded::Ours(key) => objects.ops.get(key).copied(),
        _ => None,
    };
    found.ok_or_else(|| bad_handle(ErrorClass::OP, Kind::Op, handle, name))
}

/// The key of a request; `None` for `MPI_REQUEST_NULL`.
///
/// # Errors
/// `MPI_ERR_REQUEST`.
#[inline]
pub fn request(request: MPI_Request, name: &str) -> Result<Option<Key>> {
    let rank = current_rank();
    request_if(request as u64, name, |key| with(|runtime| runtime.world.has_request(rank, key)))
}

/// The key of a handle of a request, which may be stale; `None` for `MPI_REQUEST_NULL`.
///
/// # Errors
/// `MPI_ERR_REQUEST`.
pub fn key_of_request(handle: u64, name: &str) -> Result<Option<Key>> {
    request_if(handle, name, |_| true)
}

/// Checks that all of these are requests, or `MPI_REQUEST_NULL`.
///
/// # Errors
/// `MPI_ERR_REQUEST`.
pub fn check_requests(mut requests: impl Iterator<Item = MPI_Request>, name: &str) -> Result<()> {
    let rank = current_rank();
    with(|runtime| {
        requests.try_for_each(|request| {
            request_if(request as u64, name, |key| runtime.world.has_request(rank, key)).map(|_| ())
        })
    })
}

/// The key of a request, if there is such a one.
#[inline]
fn request_if(handle: u64, name: &str, exists: impl FnOnce(Key) -> bool) -> Result<Option<Key>> {
    if handle == u64::from(handles::MPI_REQUEST_NULL) {
        return Ok(None);
    }
    if let Decoded::Ours(key) = decode(Kind::Request, handle)
        && exists(key)
    {
        return Ok(Some(key));
    }
    Err(bad_handle(ErrorClass::REQUEST, Kind::Request, handle, name))
}

/// The key of one of our handles of `kind`.
///
/// # Errors
/// The given class, when the value is no such handle. It may still be stale.
pub fn key(kind: Kind, class: ErrorClass, handle: u64, name: &str) -> Result<Key> {
    match decode(kind, handle) {
        Decoded::Ours(key) => Ok(key),
        _ => Err(bad_handle(class, kind, handle, name)),
    }
}

/// The error for a stale or foreign handle, for callers that look it up themselves.
pub fn stale(kind: Kind, class: ErrorClass, handle: u64, name: &str) -> MpiError {
    bad_handle(class, kind, handle, name)
}

/// A count of elements.
///
/// # Errors
/// `MPI_ERR_COUNT` when negative.
#[inline]
pub fn count(count: MPI_Count, name: &str) -> Result<i64> {
    if count < 0 {
        return Err(MpiError::parameter(ErrorClass::COUNT, name, count, "0 or more"));
    }
    Ok(count)
}

/// A buffer of `count` elements.
///
/// # Errors
/// `MPI_ERR_BUFFER` for a null pointer where data would be read or written.
#[inline]
pub fn part(buffer: *const c_void, count: i64, datatype: Datatype, name: &str) -> Result<Part> {
    let part = described(buffer, count, datatype, name)?;
    own_memory::part(&part, false, name)?;
    access::inside(&part, name);
    Ok(part)
}

/// A buffer for at most `count` elements, which the call writes to.
///
/// # Errors
/// As for [`part`], also for memory that cannot be written. Where nobody looks for errors, memory may be missing for
/// elements that do not come.
#[inline]
pub fn room(buffer: *mut c_void, count: i64, datatype: Datatype, name: &str) -> Result<Part> {
    let part = described(buffer, count, datatype, name)?;
    own_memory::room(&part, name)?;
    access::inside(&part, name);
    Ok(part)
}

/// A buffer as the call describes it.
#[inline]
fn described(buffer: *const c_void, count: i64, datatype: Datatype, name: &str) -> Result<Part> {
    // MPI_BOTTOM is the null pointer: legal when the datatype brings absolute addresses.
    if buffer.is_null() && count > 0 && datatype.size() > 0 && datatype.true_lb() == 0 {
        let allowed = "a buffer (MPI_BOTTOM only with a datatype of absolute addresses)";
        return Err(MpiError::parameter(ErrorClass::BUFFER, name, "a null pointer", allowed));
    }
    if buffer.addr() == IN_PLACE {
        return Err(MpiError::parameter(ErrorClass::BUFFER, name, "MPI_IN_PLACE", "a buffer"));
    }
    Ok(Part { at: Addr(buffer as u64), count, datatype })
}

/// A destination: rank of one of `peers` peers or `MPI_PROC_NULL`.
///
/// # Errors
/// `MPI_ERR_RANK`.
#[inline]
pub fn destination(peers: u32, rank: c_int, name: &str) -> Result<c_int> {
    if rank == MPI_PROC_NULL || (rank >= 0 && (rank as u32) < peers) {
        return Ok(rank);
    }
    let allowed = format!("0 to {} or MPI_PROC_NULL", i64::from(peers) - 1);
    Err(MpiError::parameter(ErrorClass::RANK, name, rank_name(rank), &allowed))
}

/// A source: rank of one of `peers` peers, `MPI_ANY_SOURCE` or `MPI_PROC_NULL`.
///
/// # Errors
/// `MPI_ERR_RANK`.
#[inline]
pub fn source(peers: u32, rank: c_int, name: &str) -> Result<c_int> {
    if rank == MPI_ANY_SOURCE {
        return Ok(rank);
    }
    destination(peers, rank, name).map_err(|mut error| {
        error.message.push_str(" or MPI_ANY_SOURCE");
        error
    })
}

/// A rank in its symbolic form where it has one.
fn rank_name(rank: c_int) -> String {
    match rank {
        MPI_ANY_SOURCE => "MPI_ANY_SOURCE".into(),
        MPI_ROOT => "MPI_ROOT".into(),
        _ => rank.to_string(),
    }
}

/// The tag of a send.
///
/// # Errors
/// `MPI_ERR_TAG`.
#[inline]
pub fn send_tag(tag: c_int, name: &str) -> Result<c_int> {
    if tag >= 0 {
        return Ok(tag);
    }
    let value = if tag == MPI_ANY_TAG { "MPI_ANY_TAG".to_string() } else { tag.to_string() };
    Err(MpiError::parameter(ErrorClass::TAG, name, value, &format!("0 to {TAG_UB} (MPI_TAG_UB)")))
}

/// The tag of a receive.
///
/// # Errors
/// `MPI_ERR_TAG`.
#[inline]
pub fn recv_tag(tag: c_int, name: &str) -> Result<c_int> {
    if tag >= 0 || tag == MPI_ANY_TAG {
        return Ok(tag);
    }
    let allowed = format!("0 to {TAG_UB} (MPI_TAG_UB) or MPI_ANY_TAG");
    Err(MpiError::parameter(ErrorClass::TAG, name, tag, &allowed))
}

/// An output argument.
///
/// # Errors
/// `MPI_ERR_ARG` for a null pointer.
///
/// # Safety
/// By MPI's contract `place` is a place.
#[inline]
pub unsafe fn put<T>(place: *mut T, value: T, name: &str) -> Result<()> {
    if place.is_null() {
        return Err(null(name));
    }
    smpi_watch::access::results::written(place);
    // SAFETY: not null, so by MPI's contract `place` may be written.
    unsafe { place.write(value) };
    Ok(())
}

/// The memory of results, from and up to; `0..0` when they are ignored.
pub fn place_of<T>(first: *mut T, count: usize) -> (u64, u64) {
    let low = first.addr();
    if first.is_null() { (0, 0) } else { (low as u64, (low + count * size_of::<T>()) as u64) }
}

/// The same for a number of the width that the called form has.
///
/// # Errors
/// `MPI_ERR_ARG` for a null pointer.
///
/// # Safety
/// By MPI's contract `place` is a place.
pub unsafe fn put_count(place: CountOut, value: MPI_Count, name: &str) -> Result<()> {
    if place.is_null() {
        return Err(null(name));
    }
    // SAFETY: not null, so by MPI's contract `place` may be written.
    unsafe { place.set(value) };
    Ok(())
}

/// An argument that the function reads through a pointer: a handle, or a number that it changes.
///
/// # Errors
/// `MPI_ERR_ARG` for a null pointer.
///
/// # Safety
/// By MPI's contract `place` is a place.
#[inline]
pub unsafe fn read<T: Copy>(place: *const T, name: &str) -> Result<T> {
    if place.is_null() {
        return Err(null(name));
    }
    // SAFETY: not null, so by MPI's contract `place` may be read.
    Ok(unsafe { *place })
}

/// A C string argument.
///
/// # Errors
/// `MPI_ERR_ARG` for a null pointer.
///
/// # Safety
/// By MPI's contract `text` is a text.
pub unsafe fn string(text: *const c_char, name: &str) -> Result<String> {
    if text.is_null() {
        return Err(null(name));
    }
    own_memory::place(text, name)?;
    // SAFETY: not null, so by MPI's contract `text` ends with a zero.
    Ok(smpi_mpi::text::from_bytes(unsafe { CStr::from_ptr(text) }.to_bytes()))
}

/// Writes a string and its terminating zero into the program's array of `capacity` bytes, cut where it does not fit.
/// Returns the length without the zero; writes nothing through a null pointer, which callers refuse.
///
/// # Safety
/// By MPI's contract `place` has room for `capacity` bytes; no more than the text and its zero are used.
pub unsafe fn put_string(text: &str, place: *mut c_char, capacity: usize) -> c_int {
    if place.is_null() {
        return 0;
    }
    let text = smpi_mpi::text::to_bytes(text);
    let len = text.len().min(capacity.saturating_sub(1));
    // SAFETY: not null, so by MPI's contract there is room for `capacity` bytes, of which `len + 1` are used.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), place, len);
        place.add(len).write(0);
    }
    len as c_int
}

/// Writes a status, unless it is `MPI_STATUS_IGNORE`. The error field is left alone, as the standard prescribes for
/// calls with a single completion (MPI 5.0 §3.2.5).
///
/// # Safety
/// By MPI's contract `place` is a place.
pub unsafe fn put_status(place: *mut MPI_Status, status: &smpi_mpi::p2p::request::Status) {
    if !place.is_null() {
        smpi_watch::access::results::written(place);
        // SAFETY: not null, so by MPI's contract `place` is the program's status, which nobody else uses during the
        // call.
        let place = unsafe { &mut *place };
        place.MPI_SOURCE = status.source;
        place.MPI_TAG = status.tag;
        set_bytes(place, status.bytes);
        place.MPI_internal[2] = c_int::from(status.cancelled);
    }
}

/// Writes the empty status of a null or inactive request, unless it is `MPI_STATUS_IGNORE`. Its error is `MPI_SUCCESS`
/// (MPI 5.0 §3.7.3), in calls with a single completion, too.
///
/// # Safety
/// By MPI's contract `place` is a place.
pub unsafe fn put_empty_status(place: *mut MPI_Status) {
    // SAFETY: by MPI's contract `place` is null or the program's status, which nobody else uses during the call.
    unsafe {
        put_status(place, &smpi_mpi::p2p::request::Status::EMPTY);
        if let Some(place) = place.as_mut() {
            place.MPI_ERROR = MPI_SUCCESS;
        }
    }
}

/// Keeps the number of bytes received in the status' private fields.
pub fn set_bytes(status: &mut MPI_Status, bytes: u64) {
    status.MPI_internal[0] = bytes as u32 as c_int;
    status.MPI_internal[1] = (bytes >> 32) as u32 as c_int;
}

/// The bytes that [`set_bytes`] kept.
pub fn bytes_of(status: &MPI_Status) -> u64 {
    u64::from(status.MPI_internal[0] as u32) | u64::from(status.MPI_internal[1] as u32) << 32
}

#[cfg(test)]
mod tests;
