//! Spawning ranks (MPI 5.0 §11.8).
//!
//! The root of the call spawns the ranks and tells the others who they are; nobody waits for them to start. What they
//! know of their parents they have from the beginning, and make a communicator of it in `MPI_Init`.

use std::ffi::{c_char, c_int};

use smpi_abi::Function;
use smpi_base::{HostId, WorldRank};
use smpi_mpi::agreements::Offer;
use smpi_mpi::comm::CommCore;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::group::Group;
use smpi_mpi::info::Info;

use super::collective::Needs;
use super::comm_create::{Creation, store};
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::{convert, ending, own_memory, spawning};
use smpi_mpi::world::Chooser;
use smpi_process::AppSpec;
use smpi_runtime::jobs::{Spawn, Spawned};
use smpi_runtime::objects::handles::{Decoded, Kind, decode, encode};
use smpi_runtime::objects::{Comm, Errhandler};
use smpi_runtime::{blocking, current_rank, with, with_objects};

/// Why an exploration is not complete.
const SHORT: &str = "more ranks are spawned than there is room for: raise --cfg=smpi/spawn-ranks";

/// What is spawned: programs, and the hosts for each.
type Programs = Vec<(AppSpec, Vec<HostId>)>;

/// The root of a collective call, by its rank in the group.
pub(super) fn is_root(core: &CommCore, root: c_int) -> Result<(u32, bool)> {
    match u32::try_from(root).ok().filter(|&root| root < core.group.size()) {
        Some(root) => Ok((root, root == core.rank)),
        None => {
            let allowed = format!("0 to {}", core.group.size() - 1);
            Err(MpiError::parameter(ErrorClass::ROOT, "root", root, &allowed))
        }
    }
}

/// The words of a list that ends with a null; none for a null list.
///
/// # Safety
/// By MPI's contract `words` is null, or a list of strings that ends with a null.
unsafe fn words_of(words: *mut *mut c_char) -> Result<Vec<String>> {
    let mut all = Vec::new();
    if words.is_null() {
        return Ok(all);
    }
    // SAFETY: the list goes on up to its null, at which the loop ends.
    unsafe {
        let mut at = words;
        own_memory::place(at, "argv")?;
        while !(*at).is_null() {
            all.push(convert::string(*at, "argv")?);
            at = at.add(1);
            own_memory::place(at, "argv")?;
        }
    }
    Ok(all)
}

/// A number of ranks that the program asks for.
fn count_of(maxprocs: c_int) -> Result<u32> {
    let bad = || MpiError::parameter(ErrorClass::ARG, "maxprocs", maxprocs, "0 or more");
    u32::try_from(maxprocs).map_err(|_| bad())
}

/// One program as the root names it: the ranks that it asks for, and what is spawned.
///
/// # Safety
/// As for [`comm_spawn`].
unsafe fn program_of(
    command: *const c_char,
    argv: *mut *mut c_char,
    maxprocs: c_int,
    info: MPI_Info,
) -> Result<(AppSpec, Vec<HostId>)> {
    // SAFETY: by MPI's contract `command` is a string, and `argv` a list of such or null.
    let (command, args) = unsafe { (convert::string(command, "command")?, words_of(argv)?) };
    let info: Info = convert::info(info, "info")?;
    let ranks = spawning::soft(count_of(maxprocs)?, &info)?;
    let (platform, own) = with(|runtime| (runtime.platform.clone(), runtime.layout.placement[current_rank().index()]));
    Ok((spawning::program(&command, args, ranks, &info)?, spawning::hosts(&info, &platform, own)?))
}

/// What the root tells the others: the new ranks and the context, or nobody and the class of an error.
fn spawn_at_root(programs: Result<Programs>, asked: u32, parents: Group) -> Offer {
    let nobody = |error: MpiError| Offer {
        group: Group::range(0, 0),
        value: error.class.0 as u32,
        more: asked,
        failure: Some(error.text(Function::Comm_spawn).into()),
    };
    let apps = match programs {
        Ok(apps) => apps,
        Err(error) => return nobody(error),
    };
    match blocking::spawn(Spawn { apps, parents }) {
        Spawned::There { members, context } => Offer { group: members, value: context, more: asked, failure: None },
        Spawned::Refused(why) => nobody(MpiError::new(ErrorClass::SPAWN, why.to_string())),
        Spawned::TooMany(left) => {
            stop_if_explored();
            let text = format!(
                "no more than {left} ranks can be spawned in this run; expected fewer, or --cfg=smpi/spawn-ranks:N for N \
                 ranks in all"
            );
            nobody(MpiError::new(ErrorClass::SPAWN, text))
        }
    }
}

/// Where executions are explored, one that cannot go on as the program wants ends here.
fn stop_if_explored() {
    if with(|runtime| runtime.driver.explores()) {
        with(|runtime| runtime.world.observers.unexplored = Some(SHORT));
        ending::stop();
    }
}

/// The common part: the root alone says which `programs`, and how many ranks it asks for.
fn spawn(
    name: Function,
    (root, comm): (c_int, MPI_Comm),
    programs: impl FnOnce() -> (Result<Programs>, u32),
    place: *mut MPI_Comm,
    codes: *mut c_int,
) -> Result<()> {
    let (root, is_here) = is_root(&convert::intracomm(comm, "comm")?, root)?;
    if is_here {
        blocking::delay(with(|runtime| runtime.settings.mpi.spawn_secs));
    }
    let call = Creation::begin(comm)?;
    if is_here {
        let (programs, asked) = programs();
        let parents = call.parent_core()?.group;
        let offer = spawn_at_root(programs, asked, parents);
        call.tell_own(offer)?;
    }
    call.synchronise(name, Needs::Of(root))?;
    let Offer { group, value, more: asked, failure } = call.offered()?;
    // SAFETY: by MPI's contract `codes` is null or has room for a number of each rank that was asked for.
    unsafe { put_codes(codes, group.size(), asked) };
    if let Some(why) = failure {
        return Err(MpiError::new(ErrorClass(value as i32), &*why));
    }
    let handle = call.store(CommCore { context: value, remote: Some(group), ..call.parent_core()? })?;
    // SAFETY: by MPI's contract `intercomm` is a place.
    unsafe { convert::put(place, handle, "intercomm") }
}

/// Says which of the ranks that were asked for are there.
///
/// # Safety
/// `codes` must be null or have room for `asked` numbers.
unsafe fn put_codes(codes: *mut c_int, there: u32, asked: u32) {
    if codes.is_null() {
        return;
    }
    for index in 0..asked {
        let code = if index < there { MPI_SUCCESS } else { ErrorClass::SPAWN.0 };
        // SAFETY: the caller says that there is room.
        unsafe { codes.add(index as usize).write(code) };
    }
}

/// `MPI_Comm_spawn`.
///
/// # Safety
/// At the root, `command` must be a string and `argv` null or a list of strings that ends with a null; `intercomm` must
/// be null or valid for writing, and `array_of_errcodes` null or have room for `maxprocs` numbers.
pub unsafe fn comm_spawn(
    command: *const c_char,
    argv: *mut *mut c_char,
    maxprocs: c_int,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: *mut MPI_Comm,
    array_of_errcodes: *mut c_int,
) -> Result<()> {
    let programs = || {
        // SAFETY: the caller's arguments, at the root.
        let program = unsafe { program_of(command, argv, maxprocs, info) };
        (program.map(|program| vec![program]), maxprocs.max(0) as u32)
    };
    spawn(Function::Comm_spawn, (root, comm), programs, intercomm, array_of_errcodes)
}

/// `MPI_Comm_spawn_multiple`.
///
/// # Safety
/// At the root, the arrays must have `count` elements, as [`comm_spawn`] asks of them, and `array_of_argv` may be null;
/// the other arguments are as there.
pub unsafe fn comm_spawn_multiple(
    count: c_int,
    array_of_commands: *mut *mut c_char,
    array_of_argv: *mut *mut *mut c_char,
    array_of_maxprocs: *const c_int,
    array_of_info: *const MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: *mut MPI_Comm,
    array_of_errcodes: *mut c_int,
) -> Result<()> {
    let programs = || {
        if count < 1 || array_of_commands.is_null() || array_of_maxprocs.is_null() || array_of_info.is_null() {
            let bad = MpiError::parameter(ErrorClass::ARG, "count", count, "1 or more, with an array of each argument");
            return (Err(bad), 0);
        }
        let arrays = own_memory::array(array_of_commands, count as usize, "array_of_commands")
            .and_then(|()| own_memory::array(array_of_argv, count as usize, "array_of_argv"))
            .and_then(|()| own_memory::array(array_of_maxprocs, count as usize, "array_of_maxprocs"))
            .and_then(|()| own_memory::array(array_of_info, count as usize, "array_of_info"));
        if let Err(bad) = arrays {
            return (Err(bad), 0);
        }
        let (mut list, mut asked) = (Ok(Vec::new()), 0);
        for index in 0..count as usize {
            // SAFETY: by MPI's contract the arrays have `count` elements at the root.
            let (program, maxprocs) = unsafe {
                let argv = if array_of_argv.is_null() { std::ptr::null_mut() } else { *array_of_argv.add(index) };
                let maxprocs = *array_of_maxprocs.add(index);
                (program_of(*array_of_commands.add(index), argv, maxprocs, *array_of_info.add(index)), maxprocs)
            };
            asked += maxprocs.max(0) as u32;
            list = list.and_then(|mut list: Programs| {
                list.push(program?);
                Ok(list)
            });
        }
        (list, asked)
    };
    spawn(Function::Comm_spawn_multiple, (root, comm), programs, intercomm, array_of_errcodes)
}

/// `MPI_Comm_get_parent`: null for those that nobody has spawned, and once it was freed.
pub fn comm_get_parent() -> Result<MPI_Comm> {
    let handle = with_objects(|objects| {
        let key = objects.parent.filter(|key| objects.comms.contains(*key))?;
        Some(std::ptr::without_provenance_mut(encode(Kind::Comm, key) as usize))
    });
    Ok(handle.unwrap_or(MPI_COMM_NULL))
}

/// A rank that was spawned starts MPI: it gets the communicator with those that spawned it.
pub(super) fn meet_parents(rank: WorldRank) -> Result<()> {
    let Some(core) = with(|runtime| {
        let job = runtime.run(rank).job.clone()?;
        let (context, parents) = job.parents.clone();
        let place = job.members.rank_of(rank)?;
        Some(CommCore { context, group: job.members.clone(), remote: Some(parents), rank: place })
    }) else {
        return Ok(());
    };
    let errhandler = with_objects(|objects| objects.world.as_ref().map(|world| world.errhandler.clone()));
    let mut parent = Comm::new(core, errhandler.unwrap_or(Errhandler::Fatal));
    parent.name = "MPI_COMM_PARENT".to_string();
    let handle = store(parent)?;
    if let Decoded::Ours(key) = decode(Kind::Comm, handle as u64) {
        with_objects(|objects| objects.parent = Some(key));
    }
    Ok(())
}
