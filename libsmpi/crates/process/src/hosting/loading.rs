//! From programs to ranks that are ready to run: address plan, images, heaps and coroutines.

use super::asked::{AppSpec, Options, StartError};
use super::naming::{Noting, NotingCallers};
use super::ranks::{Nursery, Ranks};
use super::sharing::Watch;
use super::{start, valgrind};
use crate::calls::{self, environment, limits, malloc};
use crate::hooks::hooks;
use crate::host_cell::HostCell;
use crate::libraries;
use crate::record::{Application, Own, Record};
use crate::state::{self, Host, Records};
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_base::print;
use smpi_base::words::counted;
use smpi_image::{Image, Program, debugger, entries, unwind};
use smpi_ranks::layout::{LayoutError, PAGE};
use smpi_ranks::thread_state::{SavedState, ThreadSlots, TlsBlock};
use smpi_ranks::{Arena, Fiber, Layout, Request, region, walls};
use std::cell::RefCell;
use std::ffi::{CString, c_int, c_void};
use std::fs::canonicalize;
use std::path::Path;
use std::ptr;

/// Stack of a rank when the user does not say: what a process gets.
const DEFAULT_STACK: u64 = 8 << 20;
/// Bytes that a process needs beside the regions of its ranks, to come to where it says what it cannot have.
const BESIDE_RANKS: usize = 256 << 20;
/// The kernel's default limit on mappings, for when it does not tell.
const DEFAULT_MAX_MAPPINGS: usize = 65_530;

impl From<LayoutError> for StartError {
    fn from(error: LayoutError) -> StartError {
        StartError(error.to_string())
    }
}

/// Refuses more ranks than the kernel has mappings for, before anything is allocated for them.
///
/// # Errors
/// Text for the user.
pub fn check_count(ranks: u32) -> Result<(), StartError> {
    Ok(Layout::check_count(ranks as usize, max_mappings()).map(drop)?)
}

/// The most ranks that the kernel has mappings for.
pub fn most_ranks() -> u32 {
    Layout::check_count(0, max_mappings()).map_or(0, |most| u32::try_from(most).unwrap_or(u32::MAX))
}

/// Loads the programs and prepares every rank; nothing of them runs before [`Ranks::resume`].
///
/// # Errors
/// A program that cannot be loaded, or more ranks than fit: text for the user.
pub fn load(apps: &[AppSpec], options: &Options) -> Result<Ranks, StartError> {
    let ranks: u32 = apps.iter().map(|app| app.ranks).sum();
    if ranks == 0 {
        return Err(StartError("there are no ranks to run: -np must be at least 1".to_string()));
    }
    smpi_ranks::arena::set_damage_handler(malloc::die_of_damage);
    entries::clear_behind_calls(options.names_states);
    let process_libraries = libraries::loaded();
    let mut programs = open(apps, options, Layout::SMALL_ARENA)?;
    let layout = plan(&programs, ranks + options.reserved, options)?;
    if layout.arena_bytes() != Layout::SMALL_ARENA {
        programs = open(apps, options, layout.arena_bytes())?;
    }
    let all = ranks + options.reserved;
    check_limits(&layout, all)?;
    region::reserve(&layout).map_err(|error| no_room(&layout, all, (&print::reason(&error), "-v")))?;
    let mut first = 0;
    for (app, program) in apps.iter().zip(&programs) {
        for run in layout.runs(first..first + app.ranks) {
            let count = run.end - run.start;
            unwind::publish(program, layout.base(run.start), layout.stride(), count, run.start);
        }
        first += app.ranks;
    }
    let records = Records::new(ranks + options.reserved);
    let mut next = 0;
    for (app, program) in apps.iter().zip(&programs) {
        let mut application = None;
        for _ in 0..app.ranks {
            records.put(WorldRank(next), prepare(program, &layout, next, (app, &mut application))?);
            next += 1;
        }
    }
    let host = state::install(Host {
        // SAFETY: only `Ranks` uses them, which the event loop has.
        slots: unsafe { HostCell::new(ThreadSlots::of_this_thread()) },
        shuffled: options.shuffle.is_some(),
        layout,
        records,
        replacement: calls::address,
    });
    debugger::announce(host.records.iter().map(|record| &record.image), smpi_ranks::valgrind::is_running());
    let mut fibers: Vec<Option<Fiber>> = host.records.iter().map(|record| Some(fiber(record))).collect();
    fibers.resize_with((ranks + options.reserved) as usize, || None);
    let watch = Watch::new(&process_libraries, ranks + options.reserved);
    let files = apps.iter().zip(programs).filter_map(|(app, program)| Some((canonicalize(&app.path).ok()?, program)));
    let nursery = Nursery { options: options.clone(), first: ranks, opened: files.collect(), born: Map::default() };
    Ok(Ranks::new(host, fibers, watch, nursery))
}

/// Limits of a process's addresses, with the options of `ulimit`: addresses are counted where they are reserved, and
/// where they may be written, used or not.
const LIMITS: [(u32, &str); 2] = [(libc::RLIMIT_AS, "-v"), (libc::RLIMIT_DATA, "-d")];

fn limit_of(&(resource, _): &(u32, &str)) -> u64 {
    limits::of_process(resource as usize).map_or(libc::RLIM_INFINITY, |(now, _)| now)
}

fn is_limited(limit: &(u32, &str)) -> bool {
    limit_of(limit) != libc::RLIM_INFINITY
}

/// Refuses limits below what the regions take. Who has nothing left beside them ends where that can be told no more.
fn check_limits(layout: &Layout, ranks: u32) -> Result<(), StartError> {
    let needed = (layout.stride() * ranks as usize + BESIDE_RANKS) as u64;
    let is_low = |limit: &&(u32, &'static str)| limit_of(limit) < needed;
    LIMITS.iter().find(is_low).map_or(Ok(()), |limit| {
        let allowed = format!("a process may have {} MiB", limit_of(limit) >> 20);
        Err(no_room(layout, ranks, (&allowed, limit.1)))
    })
}

/// The regions of ranks do not fit, for a reason. The option of `ulimit` is named that may have to be raised.
fn no_room(layout: &Layout, ranks: u32, (reason, option): (&str, &str)) -> StartError {
    StartError(format!(
        "cannot reserve the address space of {}, which is {} GiB and takes no memory by itself: {reason}; raise ulimit \
         {option}, or give ranks less: --heap-size",
        counted(u64::from(ranks), "rank"),
        (layout.stride() * ranks as usize).div_ceil(1 << 30)
    ))
}

/// Opens each program once, however many entries of the command line run it.
fn open(apps: &[AppSpec], options: &Options, arena_bytes: usize) -> Result<Vec<Program>, StartError> {
    let mut opened: Map<&str, Program> = Map::default();
    let mut programs = Vec::new();
    for app in apps {
        let program = match opened.get(app.path.as_str()) {
            Some(program) => program.clone(),
            None => open_one(Path::new(&app.path), arena_bytes, options)?,
        };
        opened.insert(&app.path, program.clone());
        programs.push(program);
    }
    Ok(programs)
}

/// Opens a program.
pub(super) fn open_one(path: &Path, arena_bytes: usize, options: &Options) -> Result<Program, StartError> {
    let stack = if options.stack_size == 0 { DEFAULT_STACK } else { options.stack_size };
    let layout = smpi_image::Layout { stack_bytes: stack as usize, arena_bytes, tls_limit: tls_room() };
    let replacement = (hooks().opened)(&smpi_image::imported(path));
    let (noting, noting_callers) = (RefCell::new(Noting::default()), RefCell::new(NotingCallers::default()));
    let find = |name: &str, user: &str| {
        let found = calls::address(name, user).or_else(|| replacement(name));
        match options.puts_back {
            true => noting.borrow_mut().instead(name, found),
            false if options.notes_callers => noting_callers.borrow_mut().instead(name, found),
            false => found,
        }
    };
    Program::open(path, &layout, &options.privatize, &find).map_err(|error| StartError(error.to_string()))
}

fn plan(programs: &[Program], ranks: u32, options: &Options) -> Result<Layout, StartError> {
    let largest = |value: fn(&smpi_image::Region) -> usize| {
        programs.iter().map(|program| value(program.region())).max().unwrap_or(0)
    };
    let request = Request {
        ranks,
        split_mappings: programs.iter().map(Program::split_mappings).max().unwrap_or(0),
        arena_offset: largest(|region| region.arena_offset),
        image_offset: largest(|region| region.image_offset),
        align: largest(|region| region.align),
        heap: options.heap_size as usize,
        maps: options.puts_back,
        narrow: smpi_ranks::valgrind::is_running() || options.heap_size > 0 && LIMITS.iter().any(is_limited),
        shuffle: options.shuffle,
        max_mappings: max_mappings(),
    };
    Ok(Layout::plan(&request)?)
}

fn max_mappings() -> usize {
    let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
    text.trim().parse().unwrap_or(DEFAULT_MAX_MAPPINGS)
}

/// Bytes directly below the thread pointer that belong to the hosting executable, which uses none of them while it
/// hosts: the programs' thread-local variables go there.
fn tls_room() -> usize {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _size: usize, room: *mut c_void) -> c_int {
        // SAFETY: the dynamic linker describes the main executable first, with valid headers.
        unsafe {
            let headers = std::slice::from_raw_parts((*info).dlpi_phdr, usize::from((*info).dlpi_phnum));
            let tls = headers.iter().find(|header| header.p_type == libc::PT_TLS);
            *room.cast::<usize>() = tls.map_or(0, |header| header.p_memsz as usize);
        }
        1
    }
    let mut room = 0usize;
    // SAFETY: the callback writes to `room`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(first), ptr::from_mut(&mut room).cast()) };
    room
}

/// Maps the image of a rank. Its program is `app`; ranks of one program share what is made of it for the first.
pub(super) fn prepare(
    program: &Program,
    layout: &Layout,
    rank: u32,
    (app, application): (&AppSpec, &mut Option<&'static Application>),
) -> Result<Record, StartError> {
    let base = layout.base(rank);
    // SAFETY: the addresses were reserved for this rank by `load`, and the plan satisfies the program's alignment.
    let image = unsafe { Image::map(program, base, layout.stride(), layout.split_images()) }
        .map_err(|error| StartError(error.to_string()))?;
    valgrind::show(&image, layout, rank).map_err(|error| StartError(error.to_string()))?;
    let region = program.region();
    walls::note_file(region.file_len);
    let limit = layout.heap_limit(region.arena_offset);
    // SAFETY: the file has `arena_len` bytes of zeros there, and the rest of the region is the rank's.
    let arena = unsafe { Arena::create(base + region.arena_offset, region.arena_len.max(2 * PAGE).min(limit), limit) };
    let len = program.tls().size;
    // SAFETY: the region has `len` bytes in this place, and is never unmapped. Below the thread pointer are as many for
    // the ranks: `Program::open` refuses more than `tls_room`.
    let tls = unsafe { TlsBlock::new(image.tls_slot(), len) };
    environment::start(&image);
    let exported = |name: &str| Some(image.address(program.exported(None, name)?));
    let stack_low = base + region.stack_len - PAGE;
    Ok(Record {
        rank: WorldRank(rank),
        app: application.get_or_insert_with(|| Box::leak(Box::new(application_of(app, &image)))),
        landmark: (hooks().landmark)(&exported),
        keys: Default::default(),
        thread_locale: Default::default(),
        routes: Default::default(),
        // SAFETY: `state::current` and `Ranks` lead there, both on the hosting thread only; what threads of the rank
        // ask for (`keys::owner`, `state::record_at`) is beside it.
        own: unsafe { HostCell::new(Own::new(arena, layout.mapping_room(rank), stack_low, SavedState::new(tls))) },
        image,
    })
}

/// What ranks of a program have in common, from the image of the first.
fn application_of(app: &AppSpec, image: &Image) -> Application {
    let words = std::iter::once(&app.path).chain(&app.args);
    let arguments = words.map(|word| CString::new(word.as_str()).unwrap_or_default()).collect();
    Application { arguments, file: canonicalize(&app.path).unwrap_or_default(), tls_initial: initial_tls(image) }
}

/// The thread-local block of an image that has not run.
fn initial_tls(image: &Image) -> Vec<u8> {
    // SAFETY: the slot has this many bytes.
    unsafe { std::slice::from_raw_parts(image.tls_slot(), image.program().tls().size) }.to_vec()
}

/// The coroutine of a rank that has not run.
pub(super) fn fiber(record: &'static Record) -> Fiber {
    let base = record.image.region();
    let region = record.image.program().region();
    // SAFETY: the region is never unmapped; below it lies the unbacked tail of another region or the reserved guard.
    unsafe { Fiber::new(base, base + region.stack_len, move |home| start::begin(record, home)) }
}
