//! Sessions and process sets (MPI 5.0 §11.3).
//!
//! A session needs no other rank: it is an object of the rank that makes it. Process sets are those of the standard and
//! one for the ranks of the own host. Nothing takes time but the first start of MPI, as with `MPI_Init`.

use std::ffi::{c_char, c_int};

use smpi_mailbox::Context;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::group::Group;
use smpi_mpi::info::Info;

use super::errhandler::errhandler_of;
use super::{group, info as infos};
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::convert;
use crate::user_threads::MOST_THREADS;
use smpi_runtime::objects::Session;
use smpi_runtime::objects::handles::Kind;
use smpi_runtime::{MpiPhase, blocking, current_rank, with, with_objects};

/// The key of a session's info object that asks for a level of thread support.
const THREAD_LEVEL: &str = "thread_level";

/// The levels of thread support by their names. A session provides no more than [`MOST_THREADS`].
const LEVELS: [(&str, c_int); 4] = [
    ("MPI_THREAD_SINGLE", MPI_THREAD_SINGLE),
    ("MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED),
    ("MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED),
    ("MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE),
];

/// A set of ranks that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ProcessSet {
    /// `mpi://WORLD`
    World,
    /// `mpi://SELF`
    Own,
    /// The ranks on the own host.
    Host,
}

impl ProcessSet {
    /// All that a rank knows of, in the order of their numbers.
    const ALL: [ProcessSet; 3] = [ProcessSet::World, ProcessSet::Own, ProcessSet::Host];

    fn name(self) -> String {
        match self {
            ProcessSet::World => "mpi://WORLD".to_string(),
            ProcessSet::Own => "mpi://SELF".to_string(),
            ProcessSet::Host => {
                let name = with(|runtime| {
                    let host = runtime.layout.placement[current_rank().index()];
                    runtime.platform.hosts()[host.index()].name.clone()
                });
                format!("smpi://host/{name}")
            }
        }
    }

    /// The set of this name, which may be written in small letters, too.
    pub(super) fn named(name: &str) -> Option<ProcessSet> {
        ProcessSet::ALL.into_iter().find(|set| set.name().eq_ignore_ascii_case(name))
    }

    fn members(self) -> Group {
        let rank = current_rank();
        with(|runtime| match self {
            ProcessSet::World => runtime.world_of(rank).1,
            ProcessSet::Own => Group::range(rank.0, 1),
            ProcessSet::Host => {
                let host = runtime.layout.placement[rank.index()];
                let world = runtime.world_of(rank).1;
                let there = world.worlds().filter(|other| runtime.layout.placement[other.index()] == host);
                Group::list(there.map(|rank| rank.0).collect())
            }
        })
    }
}

/// The set that a call names.
unsafe fn set_of(pset_name: *const c_char) -> Result<ProcessSet> {
    // SAFETY: by MPI's contract `pset_name` is a text.
    let name = unsafe { convert::string(pset_name, "pset_name") }?;
    ProcessSet::named(&name).ok_or_else(|| {
        let names: Vec<String> = ProcessSet::ALL.iter().map(|set| set.name()).collect();
        MpiError::parameter(ErrorClass::ARG, "pset_name", format!("\"{name}\""), &names.join(", "))
    })
}

/// What names a session where others have contexts.
pub(super) fn number(session: MPI_Session) -> Result<Context> {
    convert::with_session(session, "session", |key, _| Session::number(key.slot))
}

/// What is provided of the thread support that is asked for.
fn provided(asked: &Info) -> Result<&'static str> {
    let Some(name) = asked.get(THREAD_LEVEL)? else { return Ok(LEVELS[0].0) };
    let level = LEVELS.iter().find(|level| level.0 == name).map(|level| level.1).ok_or_else(|| {
        let (value, allowed) = (format!("with {THREAD_LEVEL}={name}"), "the name of a level, as MPI_THREAD_SERIALIZED");
        MpiError::parameter(ErrorClass::INFO_VALUE, "info", value, allowed)
    })?;
    let most = level.min(MOST_THREADS);
    Ok(LEVELS.iter().find(|level| level.1 == most).map_or(LEVELS[0].0, |level| level.0))
}

/// `MPI_Session_init`.
///
/// # Safety
/// `session` must be null or valid for writing.
pub unsafe fn session_init(info: MPI_Info, errhandler: MPI_Errhandler, session: *mut MPI_Session) -> Result<()> {
    if session.is_null() {
        return Err(convert::null("session"));
    }
    let mut used = convert::info(info, "info")?;
    used.set(THREAD_LEVEL, provided(&used)?)?;
    let errhandler = errhandler_of(errhandler, "errhandler")?;
    let full = || MpiError::new(ErrorClass::OTHER, "this rank has 1048576 sessions, the most that handles can name");
    let made = Session { errhandler, info: used };
    let key = with_objects(|objects| objects.sessions.insert(made)).ok_or_else(full)?;
    let is_first = with_objects(|objects| !std::mem::replace(&mut objects.had_sessions, true));
    let handle = std::ptr::without_provenance_mut(smpi_watch::checks::made(Kind::Session, key) as usize);
    if is_first && with(|runtime| runtime.run(current_rank()).phase == MpiPhase::Before) {
        blocking::delay(with(|runtime| runtime.settings.mpi.init_secs));
    }
    // SAFETY: by MPI's contract `session` is a place.
    unsafe { convert::put(session, handle, "session") }
}

/// `MPI_Session_finalize`: messages in its attached buffer are waited for.
///
/// # Safety
/// `session` must be null or point to a handle.
pub unsafe fn session_finalize(session: *mut MPI_Session) -> Result<()> {
    // SAFETY: by MPI's contract `session` is a place.
    let handle = unsafe { convert::read(session, "session") }?;
    let owner = Some(number(handle)?);
    blocking::drain_buffer(owner);
    // There need be none.
    let _ = with(|runtime| runtime.world.rank(current_rank()).buffers.detach(owner));
    let key = convert::with_session(handle, "session", |key, _| key)?;
    with_objects(|objects| objects.sessions.remove(key));
    // SAFETY: the handle was read from this place.
    unsafe { *session = MPI_SESSION_NULL };
    Ok(())
}

/// `MPI_Session_get_num_psets`.
///
/// # Safety
/// `npset_names` must be null or valid for writing.
pub unsafe fn session_get_num_psets(session: MPI_Session, info: MPI_Info, npset_names: *mut c_int) -> Result<()> {
    number(session)?;
    convert::info(info, "info")?;
    // SAFETY: by MPI's contract `npset_names` is a place.
    unsafe { convert::put(npset_names, ProcessSet::ALL.len() as c_int, "npset_names") }
}

/// `MPI_Session_get_nth_pset`: with a length of 0, only the room that the name needs is told.
///
/// # Safety
/// `pset_len` must be null or point to a number, `pset_name` have so many bytes.
pub unsafe fn session_get_nth_pset(
    session: MPI_Session,
    info: MPI_Info,
    n: c_int,
    pset_len: *mut c_int,
    pset_name: *mut c_char,
) -> Result<()> {
    number(session)?;
    convert::info(info, "info")?;
    let set = usize::try_from(n)
        .ok()
        .and_then(|n| ProcessSet::ALL.get(n))
        .ok_or_else(|| MpiError::parameter(ErrorClass::ARG, "n", n, &format!("0 to {}", ProcessSet::ALL.len() - 1)))?;
    // SAFETY: by MPI's contract `pset_len` is a place.
    let room = unsafe { convert::read(pset_len, "pset_len") }?;
    if room < 0 {
        return Err(MpiError::parameter(ErrorClass::ARG, "pset_len", room, "0 or more"));
    }
    if room > 0 && pset_name.is_null() {
        return Err(convert::null("pset_name"));
    }
    let name = set.name();
    // SAFETY: by MPI's contract `pset_name` has room for `pset_len` bytes, which is a place.
    unsafe {
        if room > 0 {
            convert::put_string(&name, pset_name, room as usize);
        }
        convert::put(pset_len, name.len() as c_int + 1, "pset_len")
    }
}

/// `MPI_Session_get_info`.
///
/// # Safety
/// `info_used` must be null or valid for writing.
pub unsafe fn session_get_info(session: MPI_Session, info_used: *mut MPI_Info) -> Result<()> {
    let used = convert::with_session(session, "session", |_, session| session.info.clone())?;
    // SAFETY: by MPI's contract `info_used` is a place.
    unsafe { infos::give_info(used, info_used, "info_used") }
}

/// `MPI_Session_get_pset_info`.
///
/// # Safety
/// `pset_name` must be a string; `info` must be null or valid for writing.
pub unsafe fn session_get_pset_info(session: MPI_Session, pset_name: *const c_char, info: *mut MPI_Info) -> Result<()> {
    number(session)?;
    // SAFETY: by MPI's contract `pset_name` is a text.
    let set = unsafe { set_of(pset_name) }?;
    let mut facts = Info::new();
    facts.set("mpi_size", &set.members().size().to_string())?;
    // SAFETY: by MPI's contract `info` is a place.
    unsafe { infos::give_info(facts, info, "info") }
}

/// `MPI_Group_from_session_pset`.
///
/// # Safety
/// `pset_name` must be a string; `newgroup` must be null or valid for writing.
pub unsafe fn group_from_session_pset(
    session: MPI_Session,
    pset_name: *const c_char,
    newgroup: *mut MPI_Group,
) -> Result<()> {
    let number = number(session)?;
    // SAFETY: by MPI's contract `pset_name` is a text, and `newgroup` a place.
    unsafe {
        let set = set_of(pset_name)?;
        group::give(set.members(), Some(number), newgroup, "newgroup")
    }
}
