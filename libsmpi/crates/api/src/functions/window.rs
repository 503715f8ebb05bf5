//! Windows: making and freeing them, their memory, and what is known of them (MPI 5.0 §12.2).

use std::ffi::{c_char, c_int, c_void};
use std::rc::Rc;

use smpi_abi::Function;
use smpi_mpi::comm::CommCore;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::info::Info;
use smpi_mpi::memory::Addr;
use smpi_mpi::rma::{Flavor, Member, WindowId};
use smpi_runtime::objects::handles::{Decoded, Kind, decode, encode};
use smpi_runtime::objects::{Attributes, Comm, Errhandler, KeyvalKind, Win, WinAttributes};
use smpi_runtime::{blocking, current_rank, with, with_objects};

use smpi_trace::Action;

use super::collective::{How, Needs, prepare_meeting};
use super::comm_create::Creation;
use super::{group, info};
use crate::abi::constants::*;
use crate::abi::counts::CountOut;
use crate::abi::types::*;
use crate::{attributes, convert, own_memory};

/// The key that lets the parts of shared memory lie apart.
const NONCONTIGUOUS: &str = "alloc_shared_noncontig";
/// The key that says which atomic accesses of one origin keep their order, and what it says by itself.
const ORDERING: &str = "accumulate_ordering";
const ORDERS: [&str; 4] = ["rar", "raw", "war", "waw"];
/// What every window is told to be, where the program has not said anything else.
const HINTS: [(&str, &str); 7] = [
    ("no_locks", "false"),
    (ORDERING, "rar,raw,war,waw"),
    ("accumulate_ops", "same_op_no_op"),
    ("mpi_accumulate_granularity", "0"),
    ("same_size", "false"),
    ("same_disp_unit", "false"),
    (NONCONTIGUOUS, "false"),
];
/// Shared memory begins at a multiple of this, and so do its parts where they lie apart.
const APART: u64 = 4096;

/// Why an exploration is not complete where the program gives up the order of accesses.
const UNORDERED: &str =
    "accesses of one origin to a window are taken to be in order, which its accumulate_ordering leaves open";
/// Why an exploration step by step is not complete.
const STEPPING: &str = "locks and accesses of windows are explored by --reduction matches only";

/// A window in a call: plain values, as the call may wait.
#[derive(Clone, Copy)]
pub(super) struct Here {
    /// Its name in the world.
    pub id: WindowId,
    /// The own rank in it.
    pub member: u32,
    /// Handle of its own communicator.
    pub comm: u64,
    /// How many ranks it has.
    pub size: u32,
}

impl Here {
    pub fn of(win: MPI_Win) -> Result<Here> {
        let (id, member, comm) = convert::with_win(win, "win", |win| Ok((win.id, win.rank, win.comm)))?;
        let size = with(|runtime| runtime.world.window(id).map_or(0, |window| window.group.size()));
        Ok(Here { id, member, comm, size })
    }

    /// Its own communicator.
    pub fn comm(self) -> MPI_Comm {
        std::ptr::without_provenance_mut(self.comm as usize)
    }

    /// A target, by the argument of this name; `None` for `MPI_PROC_NULL`.
    pub fn target(self, rank: c_int, name: &str) -> Result<Option<u32>> {
        let rank = convert::destination(self.size, rank, name)?;
        Ok((rank != MPI_PROC_NULL).then_some(rank as u32))
    }
}

/// What a call that makes a window is given.
struct Wanted {
    name: Function,
    flavor: Flavor,
    size: u64,
    unit: u64,
    info: MPI_Info,
    comm: MPI_Comm,
}

impl Wanted {
    /// Checks the arguments that most of these calls have.
    fn new(
        name: Function,
        flavor: Flavor,
        (size, unit): (MPI_Aint, MPI_Count),
        info: MPI_Info,
        comm: MPI_Comm,
    ) -> Result<Wanted> {
        convert::intracomm(comm, "comm")?;
        if size < 0 {
            return Err(MpiError::parameter(ErrorClass::SIZE, "size", size, "0 or more"));
        }
        if unit <= 0 {
            return Err(MpiError::parameter(ErrorClass::DISP, "disp_unit", unit, "1 or more"));
        }
        convert::info(info, "info")?;
        Ok(Wanted { name, flavor, size: size as u64, unit: unit as u64, info, comm })
    }

    /// Makes the window with this memory, together with the other ranks.
    fn make(self, base: Addr) -> Result<MPI_Win> {
        let Wanted { name, flavor, size, unit, info, comm } = self;
        with(|runtime| {
            if runtime.driver.verification().is_some_and(|driver| driver.is_stepping()) {
                runtime.world.observers.unexplored = Some(STEPPING);
            }
        });
        let call = Creation::begin(comm)?;
        let core = CommCore { context: call.context(0, call.members()), ..call.parent_core()? };
        let (id, group, member) = (core.context, core.group.clone(), core.rank);
        blocking::recording(|trace, rank| trace.comm(rank, &core));
        let hidden = Comm { is_hidden: true, ..Comm::new(core, Errhandler::Return) };
        let full = || MpiError::new(ErrorClass::OTHER, "this rank has 1048576 communicators and windows: the most");
        let own_comm = with_objects(|objects| objects.comms.insert(hidden)).ok_or_else(full)?;
        let rank = current_rank();
        with(|runtime| {
            let make = |number| Member::new(rank, base, size, unit, number);
            runtime.world.enter_window(id, (&group, flavor), (rank, member), make);
        });
        drop(group);
        blocking::recording(|trace, rank| trace.note(rank, Action::Window(id)));
        call.synchronise(name, Needs::Others)?;
        let base = if flavor == Flavor::Shared { share(id, member, info)? } else { base };
        smpi_watch::access::exposed();
        let predefined = WinAttributes {
            base: base.0 as usize,
            size: size as isize,
            unit: unit as c_int,
            flavor: flavor_of(flavor),
            model: MPI_WIN_UNIFIED,
        };
        let mut hints = Info::new();
        for (key, value) in HINTS {
            hints.set(key, value)?;
        }
        let win = Win {
            id,
            comm: encode(Kind::Comm, own_comm),
            rank: member,
            errhandler: Errhandler::Fatal,
            name: String::new(),
            attributes: Attributes::default(),
            info: hints,
            predefined: Rc::new(predefined),
            exposed: None,
        };
        let key = with_objects(|objects| objects.wins.insert(win)).ok_or_else(full)?;
        let handle = std::ptr::without_provenance_mut(smpi_watch::checks::made(Kind::Win, key) as usize);
        take_hints(handle, info)?;
        Ok(handle)
    }
}

fn flavor_of(flavor: Flavor) -> c_int {
    match flavor {
        Flavor::Create => MPI_WIN_FLAVOR_CREATE,
        Flavor::Allocate => MPI_WIN_FLAVOR_ALLOCATE,
        Flavor::Dynamic => MPI_WIN_FLAVOR_DYNAMIC,
        Flavor::Shared => MPI_WIN_FLAVOR_SHARED,
    }
}

/// Gives the ranks of a shared window their parts of one block, when all have said how much they want: the first to ask
/// does it for all. Who wants nothing gets a null pointer, as from `MPI_Alloc_mem`.
fn share(id: WindowId, member: u32, info: MPI_Info) -> Result<Addr> {
    let apart = convert::info(info, "info")?.get(NONCONTIGUOUS)?.is_some_and(|value| value == "true");
    let own = |runtime: &mut smpi_runtime::Runtime| {
        let window = runtime.world.window(id).filter(|window| window.shared.is_some())?;
        window.member(member).map(|member| member.base)
    };
    if let Some(base) = with(own) {
        return Ok(base);
    }
    let stride = |size: u64| if apart { size.next_multiple_of(APART) } else { size };
    let total =
        with(|runtime| runtime.world.window(id).map_or(0, |w| w.members().map(|m| stride(m.size)).sum::<u64>()));
    let len = total + APART;
    let start = with(|runtime| {
        let owner = runtime.world.window(id).and_then(|window| window.group.world(0));
        owner.map_or(Addr::BOTTOM, |owner| runtime.world.memory().reserve_zeros(owner, len as usize))
    });
    if start == Addr::BOTTOM {
        return Err(MpiError::new(ErrorClass::NO_MEM, format!("{total} bytes to be shared are not available")));
    }
    with(|runtime| {
        if let Some(window) = runtime.world.window_mut(id) {
            window.shared = Some((start, len));
            let mut at = Addr(start.0.next_multiple_of(APART));
            for member in window.members_mut().filter(|member| member.size > 0) {
                member.base = at;
                at = at.offset(stride(member.size) as i64);
            }
        }
    });
    Ok(with(own).unwrap_or(start))
}

/// Keeps those hints of the program that a window has (MPI 5.0 §12.2.7).
fn take_hints(win: MPI_Win, info: MPI_Info) -> Result<()> {
    let given = convert::info(info, "info")?;
    let orders = given.get(ORDERING)?;
    if orders.is_some_and(|orders| !ORDERS.iter().all(|order| orders.split(',').any(|one| one.trim() == *order))) {
        with(|runtime| runtime.world.observers.unexplored = Some(UNORDERED));
    }
    convert::with_win(win, "win", |win| {
        for (key, _) in HINTS {
            if let Some(value) = given.get(key)? {
                win.info.set(key, value)?;
            }
        }
        Ok(())
    })
}

/// `MPI_Win_create`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn win_create(
    base: *mut c_void,
    size: MPI_Aint,
    disp_unit: MPI_Count,
    info: MPI_Info,
    comm: MPI_Comm,
) -> Result<MPI_Win> {
    let wanted = Wanted::new(Function::Win_create, Flavor::Create, (size, disp_unit), info, comm)?;
    if base.is_null() && size > 0 {
        return Err(MpiError::parameter(ErrorClass::BUFFER, "base", "a null pointer", "memory of size bytes"));
    }
    own_memory::bytes(base, size as u64, true, "base")?;
    let at = base.expose_provenance() as u64;
    smpi_watch::access::inside_bytes(at, size as u64, "base");
    wanted.make(Addr(at))
}

/// Gives the program a window and the address of the memory that was allocated for it.
///
/// # Safety
/// `baseptr` must be a place for an address, and `win` one for a window.
unsafe fn give(handle: MPI_Win, baseptr: *mut c_void, win: *mut MPI_Win) -> Result<()> {
    let base = convert::with_win(handle, "win", |win| Ok(win.predefined.base))?;
    let base: *mut c_void = std::ptr::with_exposed_provenance_mut(base);
    // SAFETY: by the condition of this function; MPI declares `baseptr` as `void *`.
    unsafe {
        convert::put(baseptr.cast::<*mut c_void>(), base, "baseptr")?;
        convert::put(win, handle, "win")
    }
}

/// `MPI_Win_allocate`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn win_allocate(
    size: MPI_Aint,
    disp_unit: MPI_Count,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> Result<()> {
    let wanted = Wanted::new(Function::Win_allocate, Flavor::Allocate, (size, disp_unit), info, comm)?;
    // SAFETY: no conditions; the exported calloc serves the calling rank from its own heap.
    let block = unsafe { libc::calloc(wanted.size.max(1) as usize, 1) };
    if block.is_null() {
        return Err(MpiError::new(ErrorClass::NO_MEM, format!("{size} bytes are not available on this rank")));
    }
    let handle = wanted.make(Addr(block.expose_provenance() as u64))?;
    // SAFETY: by MPI's contract `baseptr` is a place for an address, and `win` is one.
    unsafe { give(handle, baseptr, win) }
}

/// `MPI_Win_allocate_shared`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn win_allocate_shared(
    size: MPI_Aint,
    disp_unit: MPI_Count,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> Result<()> {
    let wanted = Wanted::new(Function::Win_allocate_shared, Flavor::Shared, (size, disp_unit), info, comm)?;
    let group = convert::comm(comm, "comm")?.group;
    let apart = with(|runtime| {
        let host = runtime.layout.placement[current_rank().index()];
        group.worlds().find(|rank| runtime.layout.placement[rank.index()] != host)
    });
    drop(group);
    if let Some(rank) = apart {
        let text =
            format!("rank {rank} of MPI_COMM_WORLD is on another host: split the communicator by MPI_COMM_TYPE_SHARED");
        return Err(MpiError::new(ErrorClass::RMA_SHARED, text));
    }
    let handle = wanted.make(Addr::BOTTOM)?;
    // SAFETY: by MPI's contract `baseptr` is a place for an address, and `win` is one.
    unsafe { give(handle, baseptr, win) }
}

/// `MPI_Win_create_dynamic`.
pub fn win_create_dynamic(info: MPI_Info, comm: MPI_Comm) -> Result<MPI_Win> {
    let wanted = Wanted::new(Function::Win_create_dynamic, Flavor::Dynamic, (0, 1), info, comm)?;
    wanted.make(Addr::BOTTOM)
}

/// The own part of a dynamic window.
fn with_dynamic<R>(win: MPI_Win, action: impl FnOnce(&mut Member) -> Result<R>) -> Result<R> {
    let (id, member) = convert::with_win(win, "win", |win| Ok((win.id, win.rank)))?;
    with(|runtime| {
        let window = runtime.world.window_mut(id);
        let dynamic = window.filter(|window| window.flavor == Flavor::Dynamic);
        let wrong = || MpiError::parameter(ErrorClass::RMA_FLAVOR, "win", "another window", "a dynamic window");
        action(dynamic.and_then(|window| window.member_mut(member)).ok_or_else(wrong)?)
    })
}

/// `MPI_Win_attach`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn win_attach(win: MPI_Win, base: *mut c_void, size: MPI_Aint) -> Result<()> {
    if size < 0 {
        return Err(MpiError::parameter(ErrorClass::SIZE, "size", size, "0 or more"));
    }
    let (start, size) = (base.expose_provenance() as u64, size as u64);
    own_memory::bytes(base, size, true, "base")?;
    with_dynamic(win, |member| attach(member, start, size))?;
    smpi_watch::access::inside_bytes(start, size, "base");
    smpi_watch::access::exposed();
    // Who accesses the memory must have heard that it is there.
    smpi_watch::access::changes_hands(start, size);
    Ok(())
}

fn attach(member: &mut Member, start: u64, size: u64) -> Result<()> {
    let before = member.attached.range(..start.saturating_add(size)).next_back();
    if let Some((&other, &len)) = before.filter(|(other, len)| size > 0 && other.saturating_add(**len) > start) {
        let text =
            format!("{size} bytes at {start:#x} overlap the {len} bytes at {other:#x}, which are attached already");
        return Err(MpiError::new(ErrorClass::RMA_ATTACH, text));
    }
    // Nothing may be attached where something is.
    let there = member.attached.entry(start).or_default();
    *there = size.max(*there);
    Ok(())
}

/// `MPI_Win_detach`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn win_detach(win: MPI_Win, base: *const c_void) -> Result<()> {
    let start = base.addr() as u64;
    let size = with_dynamic(win, |member| {
        let found = format!("{start:#x}");
        let wrong = || MpiError::parameter(ErrorClass::BASE, "base", found, "the start of memory that is attached");
        member.attached.get(&start).copied().ok_or_else(wrong)
    })?;
    // Who has accessed the memory must have let this rank know.
    smpi_watch::access::changes_hands(start, size);
    with_dynamic(win, |member| Ok(member.attached.remove(&start)))?;
    smpi_watch::access::exposed();
    Ok(())
}

/// `MPI_Win_free`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn win_free(win: *mut MPI_Win) -> Result<()> {
    // SAFETY: by MPI's contract `win` is a place.
    let handle = unsafe { convert::read(win, "win") }?;
    let here = Here::of(handle)?;
    let Here { id, member, comm, .. } = here;
    with(|runtime| runtime.world.member(id, member).map_or(Ok(()), |member| member.epochs.free()))?;
    prepare_meeting(Function::Win_free, here.comm(), Needs::Others)?.run(How::Blocking)?;
    attributes::delete_all_of(KeyvalKind::Win, handle as u64)?;
    let last = with(|runtime| runtime.world.leave_window(id, current_rank(), member));
    smpi_watch::access::exposed();
    if let Some(window) = last
        && let Some(((start, len), owner)) = window.shared.zip(window.group.world(0))
    {
        with(|runtime| runtime.world.memory().release(owner, start, len as usize));
    }
    let predefined = with_objects(|objects| {
        if let Decoded::Ours(key) = decode(Kind::Comm, comm) {
            objects.comms.remove(key);
        }
        let Decoded::Ours(key) = decode(Kind::Win, handle as u64) else { return None };
        Some(objects.wins.remove(key)?.predefined)
    });
    if let Some(predefined) = predefined.filter(|predefined| predefined.flavor == MPI_WIN_FLAVOR_ALLOCATE) {
        // SAFETY: `MPI_Win_allocate` has got the memory from this rank's heap, and this is its end.
        unsafe { libc::free(std::ptr::with_exposed_provenance_mut(predefined.base)) };
    }
    // SAFETY: the handle was read from this place.
    unsafe { *win = MPI_WIN_NULL };
    Ok(())
}

/// `MPI_Win_shared_query`: 0 bytes and a null pointer for memory that this rank does not reach by loads and stores.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn win_shared_query(
    win: MPI_Win,
    rank: c_int,
    size: *mut MPI_Aint,
    disp_unit: CountOut,
    baseptr: *mut c_void,
) -> Result<()> {
    if disp_unit.is_null() {
        return Err(convert::null("disp_unit"));
    }
    let here = Here::of(win)?;
    let target = here.target(rank, "rank")?;
    let found = with(|runtime| {
        let window = runtime.world.window(here.id)?;
        let member = match (window.flavor, target) {
            (Flavor::Shared, None) => window.members().find(|member| member.size > 0),
            (Flavor::Shared, Some(target)) => window.member(target),
            // A rank reaches its own memory and no other.
            (Flavor::Create | Flavor::Allocate, _) => {
                window.member(here.member).filter(|_| target == Some(here.member))
            }
            (Flavor::Dynamic, _) => return None,
        };
        Some(member.map_or((Addr::BOTTOM, 0, 0), |member| (member.base, member.size, member.unit)))
    });
    let wrong = || MpiError::parameter(ErrorClass::RMA_FLAVOR, "win", "a dynamic window", "a window of another flavor");
    let (base, bytes, unit) = found.ok_or_else(wrong)?;
    let base: *mut c_void = std::ptr::with_exposed_provenance_mut(base.0 as usize);
    // SAFETY: by MPI's contract these are places; `baseptr`, which it declares as `void *`, is one for an address.
    unsafe {
        convert::put(size, bytes as MPI_Aint, "size")?;
        disp_unit.set(unit as MPI_Count);
        convert::put(baseptr.cast::<*mut c_void>(), base, "baseptr")
    }
}

/// `MPI_Win_get_group`.
pub fn win_get_group(win: MPI_Win) -> Result<MPI_Group> {
    let members = convert::comm(Here::of(win)?.comm(), "win")?.group;
    group::give(members, None)
}

/// `MPI_Win_set_info`.
pub fn win_set_info(win: MPI_Win, info: MPI_Info) -> Result<()> {
    take_hints(win, info)
}

/// `MPI_Win_get_info`.
pub fn win_get_info(win: MPI_Win) -> Result<MPI_Info> {
    info::give_info(convert::with_win(win, "win", |win| Ok(win.info.clone()))?)
}

/// `MPI_Win_set_name`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn win_set_name(win: MPI_Win, win_name: *const c_char) -> Result<()> {
    // SAFETY: by MPI's contract `win_name` is a text.
    let name = unsafe { convert::string(win_name, "win_name") }?;
    convert::with_win(win, "win", |win| {
        win.name = name;
        Ok(())
    })
}

/// `MPI_Win_get_name`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn win_get_name(win: MPI_Win, win_name: *mut c_char) -> Result<c_int> {
    let name = if win == MPI_WIN_NULL {
        "MPI_WIN_NULL".to_string()
    } else {
        convert::with_win(win, "win", |win| Ok(win.name.clone()))?
    };
    // SAFETY: by MPI's contract `win_name` has room for `MPI_MAX_OBJECT_NAME` bytes.
    unsafe {
        let len = convert::put_string(&name, win_name, MPI_MAX_OBJECT_NAME as usize);
        Ok(len)
    }
}
