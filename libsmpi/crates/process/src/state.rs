//! The ranks of this process and which of them runs: what every other file of this module looks up.
//!
//! There is one host per process, made once and never taken down, so references to it and to its records live for ever.
//! Everything in it belongs to the hosting thread; other threads see [`current`] as `None`.

use super::directory::Standing;
use super::exit::Handlers;
use super::keys::Keys;
use super::output::Partial;
use super::random::Generators;
use super::signals::Signals;
use super::{HeapStats, running};
use smpi_base::WorldRank;
use smpi_image::Image;
use smpi_ranks::fiber::Home;
use smpi_ranks::thread_state::{SavedState, ThreadSlots};
use smpi_ranks::{Arena, Layout};
use smpi_report::source::SourceLocation;
use std::cell::{Cell, UnsafeCell};
use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// One rank, apart from its coroutine.
pub struct Record {
    pub rank: WorldRank,
    pub image: Image,
    pub arena: Arena,
    /// See [`super::Hooks::landmark`].
    pub landmark: usize,
    /// Way back to the event loop; set when the rank first runs.
    pub home: Cell<Option<Home>>,
    /// An address below all frames of the rank's stack while it is suspended.
    pub stack_low: Cell<usize>,
    /// Swapped by `Ranks::resume`.
    pub saved: UnsafeCell<SavedState>,
    pub handlers: Handlers,
    pub partial: UnsafeCell<Partial>,
    pub generators: UnsafeCell<Option<Box<Generators>>>,
    /// Where `strtok` goes on.
    pub strtok: Cell<*mut c_char>,
    /// Where `getopt` stands inside a group of short options.
    pub getopt: Cell<super::getopt::Position>,
    /// Thread-specific data of the rank's own thread.
    pub keys: Keys,
    /// Settings of the C and C++ libraries.
    pub settings: super::settings::Settings,
    /// Its working directory and file mode creation mask.
    pub standing: Cell<Standing>,
    /// Its signals and timers.
    pub signals: Signals,
    /// How often it asked for random bytes.
    pub entropy: Cell<u64>,
}

/// Everything about hosting; see the file's header.
pub struct Host {
    pub layout: Layout,
    pub records: Vec<Record>,
    pub slots: ThreadSlots,
    /// The programs of the run in rank order.
    pub apps: Vec<Application>,
    /// True when the order in which the host runs ranks is shuffled.
    pub shuffled: bool,
}

/// One program of the run.
pub struct Application {
    /// Its arguments, its name first.
    pub arguments: Vec<CString>,
    /// The rank that follows its last.
    pub end: u32,
    /// Initial values of its thread-local variables.
    pub tls_initial: Vec<u8>,
}

impl Record {
    /// What a switch may push below the caller's frame.
    const BELOW_FRAME: usize = 1024;

    /// Notes how far the rank's stack is in use, just before it is suspended.
    #[inline]
    pub fn note_stack(&self) {
        let here = 0_u8;
        self.stack_low.set(ptr::from_ref(&here).addr() - Self::BELOW_FRAME);
    }
}

impl Host {
    /// The program of a rank.
    pub fn app_of(&self, rank: WorldRank) -> &Application {
        &self.apps[self.apps.partition_point(|app| app.end <= rank.0)]
    }
}

static HOST: AtomicPtr<Host> = AtomicPtr::new(ptr::null_mut());
static REGIONS_START: AtomicUsize = AtomicUsize::new(usize::MAX);
static REGIONS_LEN: AtomicUsize = AtomicUsize::new(0);

/// Puts the host in place. It is never freed: libraries may keep pointers into regions until the process ends.
pub fn install(host: Host) -> &'static Host {
    let (start, end) = host.layout.span();
    let host = Box::leak(Box::new(host));
    HOST.store(host, Ordering::Release);
    REGIONS_START.store(start, Ordering::Relaxed);
    REGIONS_LEN.store(end - start, Ordering::Release);
    host
}

/// The host, once there is one.
#[inline]
pub fn host() -> Option<&'static Host> {
    // SAFETY: the pointer is null or was leaked by `install`.
    unsafe { HOST.load(Ordering::Acquire).as_ref() }
}

/// The rank that runs on this thread.
#[inline]
pub fn current() -> Option<&'static Record> {
    let record = running::record().cast::<Record>();
    if record.is_null() || !running::on_host_thread() {
        return None;
    }
    // SAFETY: `set_current` put the address of a record there, and records are never freed.
    Some(unsafe { &*record })
}

/// Notes which rank runs from now on.
#[inline]
pub fn set_current(record: Option<&'static Record>) {
    running::set_record(record.map_or(ptr::null_mut(), |record| ptr::from_ref(record).cast_mut().cast()));
}

/// True when the address lies in the range that the ranks' regions cover.
#[inline]
pub fn in_regions(address: usize) -> bool {
    address.wrapping_sub(REGIONS_START.load(Ordering::Relaxed)) < REGIONS_LEN.load(Ordering::Relaxed)
}

/// The rank whose region holds an address.
pub fn record_at(address: usize) -> Option<&'static Record> {
    if !in_regions(address) {
        return None;
    }
    let host = host()?;
    host.records.get(host.layout.rank_at(address)? as usize)
}

/// The arena of the rank whose region holds an address.
#[inline]
pub fn arena_of(address: usize) -> Option<Arena> {
    record_at(address).map(|record| record.arena)
}

/// The calling thread's `errno`.
pub fn errno() -> i32 {
    // SAFETY: always valid for the calling thread.
    unsafe { *libc::__errno_location() }
}

/// Sets the calling thread's `errno`.
pub fn set_errno(value: i32) {
    // SAFETY: always valid for the calling thread.
    unsafe { *libc::__errno_location() = value }
}

impl Record {
    /// Heap use of the rank.
    pub fn heap_stats(&self) -> HeapStats {
        let stats = self.arena.stats();
        HeapStats { in_use: stats.in_use, peak: stats.peak }
    }
}

static LOCATING: AtomicBool = AtomicBool::new(false);

struct Located(std::cell::RefCell<Option<SourceLocation>>);

// SAFETY: only the hosting thread uses it.
unsafe impl Sync for Located {}

static LOCATED: Located = Located(std::cell::RefCell::new(None));

/// The next rank that is resumed shall only tell where it is.
pub fn start_locating() {
    LOCATING.store(true, Ordering::Relaxed);
}

/// Whether the rank that was just resumed shall only tell where it is.
#[inline]
pub fn is_locating() -> bool {
    LOCATING.load(Ordering::Relaxed)
}

/// A rank tells where it is.
pub fn set_located(place: Option<SourceLocation>) {
    *LOCATED.0.borrow_mut() = place;
    LOCATING.store(false, Ordering::Relaxed);
}

/// What the rank told.
pub fn take_located() -> Option<SourceLocation> {
    LOCATING.store(false, Ordering::Relaxed);
    LOCATED.0.borrow_mut().take()
}
