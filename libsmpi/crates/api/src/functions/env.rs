//! Starting, ending and asking about the environment (MPI 5.0 §9.1, §11).

use std::ffi::{c_char, c_double, c_int};

use smpi_mpi::error::{ErrorClass, MpiError, Result};

use super::collective::{How, prepare_barrier};
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::convert;
use crate::user_threads;
use crate::user_threads::MOST_THREADS;
use smpi_abi::c::handles;
use smpi_runtime::objects::Errhandler;
use smpi_runtime::{self, MpiPhase, blocking, current_rank, with};
use smpi_trace::Action;

/// What `MPI_Get_library_version` says.
const LIBRARY_VERSION: &str = concat!("libsmpi ", env!("CARGO_PKG_VERSION"), ", simulated MPI, standard ABI 1.0");

/// The version of the standard whose functions are complete here.
const COMPLETE_VERSION: (c_int, c_int) = (MPI_VERSION, MPI_SUBVERSION);

fn initialize() -> Result<()> {
    let rank = current_rank();
    let here = smpi_watch::checks::here();
    with(|runtime| {
        if runtime.run(rank).phase == MpiPhase::Active {
            return Err(MpiError::new(ErrorClass::OTHER, "MPI is already initialized"));
        }
        let world = runtime.world_of(rank);
        let errhandler = if runtime.settings.mpi.errors_are_fatal { Errhandler::Fatal } else { Errhandler::Return };
        runtime.objects[rank.index()].init(rank, world, errhandler);
        runtime.run(rank).phase = MpiPhase::Active;
        runtime.run(rank).initialised = here;
        user_threads::note_init(rank, runtime.ranks.len());
        let host = runtime.layout.placement[rank.index()];
        user_threads::note_host(rank, &runtime.platform.hosts()[host.index()].name);
        let objects = &runtime.objects[rank.index()];
        for (handle, comm) in [(handles::COMM_WORLD, &objects.world), (handles::COMM_SELF, &objects.self_comm)] {
            if let Some(comm) = comm {
                let place = (comm.core.rank as c_int, comm.core.group.size() as c_int);
                user_threads::note_comm(rank, handle.into(), place);
            }
        }
        Ok(runtime.settings.mpi.init_secs)
    })
    .map(|seconds| {
        blocking::recording(|trace, rank| trace.note_call(rank, Action::Init(1)));
        blocking::delay(seconds);
    })?;
    super::spawn::meet_parents(rank)
}

/// `MPI_Init`.
///
/// # Safety
/// The arguments are not used.
pub unsafe fn init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) -> Result<()> {
    initialize()
}

/// `MPI_Init_thread`. Ranks may have threads, but only the main one communicates.
///
/// # Safety
/// `provided` must be null or valid for writing.
pub unsafe fn init_thread(
    _argc: *mut c_int,
    _argv: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
) -> Result<()> {
    initialize()?;
    let level = required.clamp(MPI_THREAD_SINGLE, MOST_THREADS);
    with(|runtime| runtime.run(current_rank()).thread_level = level);
    user_threads::note_level(current_rank(), level);
    // SAFETY: by MPI's contract `provided` is a place.
    unsafe { convert::put(provided, level, "provided") }
}

/// `MPI_Finalize`: the attributes of `MPI_COMM_SELF` are deleted first (MPI 5.0 §11.4.2); messages in attached buffers
/// are waited for.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn finalize() -> Result<()> {
    let rank = current_rank();
    crate::attributes::delete_all(handles::COMM_SELF.into())?;
    let busy = || with(|runtime| runtime.world.rank(rank).buffers.busy());
    if busy().is_some() {
        blocking::note(Action::Drain);
    }
    while let Some(owner) = busy() {
        blocking::drain_buffer(owner);
    }
    blocking::recording(|trace, rank| trace.note_call(rank, Action::Finalize));
    if with(|runtime| smpi_runtime::tooling::has_barrier_in_finalize(runtime, rank)) {
        // SAFETY: the handle is valid until the phase changes below.
        unsafe { prepare_barrier(MPI_COMM_WORLD) }?.run(How::Blocking)?;
    }
    with(|runtime| {
        runtime.run(rank).phase = MpiPhase::After;
        let objects = &mut runtime.objects[rank.index()];
        if !objects.sessions.is_empty() {
            // Whoever goes on with a session has neither.
            (objects.world, objects.self_comm) = (None, None);
        }
    });
    smpi_watch::access::ended(rank);
    user_threads::note_finalize(rank);
    Ok(())
}

fn phase() -> MpiPhase {
    user_threads::phase().unwrap_or_else(|| with(|runtime| runtime.run(current_rank()).phase))
}

/// `MPI_Initialized`.
///
/// # Safety
/// `flag` must be null or valid for writing.
pub unsafe fn initialized(flag: *mut c_int) -> Result<()> {
    // SAFETY: by MPI's contract `flag` is a place.
    unsafe { convert::put(flag, c_int::from(phase() != MpiPhase::Before), "flag") }
}

/// `MPI_Finalized`.
///
/// # Safety
/// `flag` must be null or valid for writing.
pub unsafe fn finalized(flag: *mut c_int) -> Result<()> {
    // SAFETY: by MPI's contract `flag` is a place.
    unsafe { convert::put(flag, c_int::from(phase() == MpiPhase::After), "flag") }
}

/// `MPI_Query_thread`.
///
/// # Safety
/// `provided` must be null or valid for writing.
pub unsafe fn query_thread(provided: *mut c_int) -> Result<()> {
    let level =
        user_threads::thread_level().unwrap_or_else(|| with(|runtime| runtime.run(current_rank()).thread_level));
    // SAFETY: by MPI's contract `provided` is a place.
    unsafe { convert::put(provided, level, "provided") }
}

/// `MPI_Is_thread_main`: a rank is on the thread that started MPI; other threads of it are not.
///
/// # Safety
/// `flag` must be null or valid for writing.
pub unsafe fn is_thread_main(flag: *mut c_int) -> Result<()> {
    // SAFETY: by MPI's contract `flag` is a place.
    unsafe { convert::put(flag, c_int::from(smpi_process::thread_owner().is_none()), "flag") }
}

/// `MPI_Abort`: ends all ranks that are connected with the caller (MPI 5.0 §11.10.4), whatever the communicator.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn abort(_comm: MPI_Comm, errorcode: c_int) -> Result<()> {
    crate::ending::abort(errorcode, &format!("MPI_Abort with error code {errorcode}"))
}

/// `MPI_Get_version`.
///
/// # Safety
/// Both pointers must be null or valid for writing.
pub unsafe fn get_version(version: *mut c_int, subversion: *mut c_int) -> Result<()> {
    // SAFETY: by MPI's contract `version` and `subversion` are places.
    unsafe {
        convert::put(version, COMPLETE_VERSION.0, "version")?;
        convert::put(subversion, COMPLETE_VERSION.1, "subversion")
    }
}

/// `MPI_Get_library_version`.
///
/// # Safety
/// `version` must have `MPI_MAX_LIBRARY_VERSION_STRING` bytes.
pub unsafe fn get_library_version(version: *mut c_char, resultlen: *mut c_int) -> Result<()> {
    if version.is_null() {
        return Err(convert::null("version"));
    }
    // SAFETY: by MPI's contract `version` has room for `MPI_MAX_LIBRARY_VERSION_STRING` bytes, and `resultlen` is a
    // place.
    unsafe {
        let len = convert::put_string(LIBRARY_VERSION, version, MPI_MAX_LIBRARY_VERSION_STRING as usize);
        convert::put(resultlen, len, "resultlen")
    }
}

/// `MPI_Get_processor_name`: the simulated host.
///
/// # Safety
/// `name` must have `MPI_MAX_PROCESSOR_NAME` bytes.
pub unsafe fn get_processor_name(name: *mut c_char, resultlen: *mut c_int) -> Result<()> {
    if name.is_null() {
        return Err(convert::null("name"));
    }
    let of_rank = || {
        with(|runtime| {
            let host = runtime.layout.placement[current_rank().index()];
            runtime.platform.hosts()[host.index()].name.clone()
        })
    };
    let host = user_threads::host().map_or_else(of_rank, str::to_string);
    // SAFETY: by MPI's contract `name` has room for `MPI_MAX_PROCESSOR_NAME` bytes, and `resultlen` is a place.
    unsafe {
        let len = convert::put_string(&host, name, MPI_MAX_PROCESSOR_NAME as usize);
        convert::put(resultlen, len, "resultlen")
    }
}

/// `MPI_Wtime`: simulated seconds. The call itself takes `smpi/wtime`, so that a rank that spins on it moves the clock.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn wtime() -> c_double {
    if !smpi_runtime::is_running() {
        return 0.0;
    }
    user_threads::now().unwrap_or_else(blocking::tick)
}

/// `MPI_Wtick`: the precision of the simulated clock.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn wtick() -> c_double {
    1e-9
}

/// `MPI_Pcontrol`: after level 0 a profile does not tell the calls of this rank apart, after level 1 it does again. One
/// level says what matters in the following Waitany; others change nothing. The further arguments mean something with
/// that level only: with others, a caller need not have passed any.
///
/// # Safety
/// With the level [`smpi_watch::annotation::LEVEL`], `vector` must be null or point to `count` numbers.
pub unsafe fn pcontrol(level: c_int, count: c_int, vector: *const c_int) -> Result<()> {
    if level == smpi_watch::annotation::LEVEL {
        // SAFETY: with this level `vector` is null or an array of `count`, as smpi/smpi.h asks of its callers.
        unsafe { smpi_watch::annotation::announce(count, vector) };
    } else if (0..=1).contains(&level) && smpi_runtime::is_running() {
        let rank = current_rank();
        with(|runtime| {
            if let Some(recorder) = runtime.driver.recorder() {
                recorder.tell_apart(rank, level == 1);
            }
        });
    }
    Ok(())
}
