//! What a process is to the simulation: ranks hosted inside this one, each with its own program image, stack, heap,
//! exit handlers and standard streams.
//!
//! The event loop (`runtime`) drives [`Ranks`]; code that runs on a rank's stack calls [`suspend`], [`current_rank`]
//! and [`exit_rank`]. Nothing here knows MPI. Model: design.md §3.2 and §3.3.

mod caches;
mod clock;
mod directory;
mod environment;
mod exit;
mod faults;
mod files;
mod getopt;
mod hooks;
mod interposed;
mod keys;
mod libgfortran;
mod loading;
mod malloc;
mod output;
mod programs;
mod random;
mod rank_heap;
mod running;
mod settings;
mod sharing;
mod signals;
mod snapshot;
mod start;
mod state;
mod symbols;
mod thread_time;
mod threads;
mod uncontrolled;
mod unwinding;
mod watchdog;

use files::Files;
use sharing::Watch;
use smpi_base::WorldRank;
use smpi_ranks::keys as protection;
use smpi_ranks::{Fiber, Switch};
use smpi_report::source::SourceLocation;
use state::Host;
use std::fmt;
use std::path::Path;

pub use directory::at_home;
pub use faults::{Crash, catch_crashes, end_after_bug, leave_asserting, set_last_words, take_crash};
pub use files::{OpenFiles, hide};
pub use hooks::{Clock, Exported, Hooks, Replacement};
pub use keys::thread_owner;
pub use loading::landmark;
pub use malloc::report_freed;
pub use output::{Use as OutputUse, keep as keep_output, set_use as use_output};
pub use rank_heap::{own_allocate, own_free, rank_allocate, rank_free};
pub use running::{is_hosted, is_rank, note_step};
pub use signals::note_timer;
pub use snapshot::RankSnapshot;
pub use symbols::own_function;
pub use thread_time::{started as threads_started, take as take_thread_time, want as want_thread_time};
pub use threads::refuse_caller;
pub use uncontrolled::noted as uncontrolled;
pub use watchdog::{Naps, start as watch_steps};

/// What the library above exports in libc's place.
pub mod exports {
    pub use super::directory::{chdir, fchdir, umask};
    pub use super::malloc::{
        aligned_alloc, calloc, free, malloc, malloc_usable_size, memalign, posix_memalign, pvalloc, realloc, valloc,
    };
    pub use super::start::{Main, libc_start_main};
    pub use super::threads::{Start, pthread_create};
    pub use super::unwinding::{_dl_find_object, Callback, dl_iterate_phdr};
}

/// libsmpi's own Rust values lie in libc's heap, whatever rank runs.
#[global_allocator]
static ALLOCATOR: malloc::LibcAllocator = malloc::LibcAllocator;

/// One program of the run, as `smpirun` resolved it.
#[derive(Clone, Debug)]
pub struct AppSpec {
    /// Path of the executable.
    pub path: String,
    /// Arguments after the program's name.
    pub args: Vec<String>,
    /// Number of ranks that run it.
    pub ranks: u32,
}

/// What the user may choose about ranks.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Stack of a rank in bytes; 0 = 8 MiB.
    pub stack_size: u64,
    /// Largest heap of a rank in bytes; 0 = what the address space gives.
    pub heap_size: u64,
    /// Testing aid: seed that moves the ranks' regions to other addresses.
    pub shuffle: Option<u64>,
    /// Libraries that every rank shall have for itself, by name.
    pub privatize: Vec<String>,
}

/// Why ranks could not be started: refused input or a limit of this machine. The caller prints it and exits with 2.
#[derive(Clone, Debug, PartialEq)]
pub struct StartError(pub String);

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Heap use of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeapStats {
    /// Bytes in blocks that are allocated now.
    pub in_use: u64,
    /// The largest value `in_use` had.
    pub peak: u64,
}

/// How a rank came back to the event loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resumed {
    /// It called [`suspend`] and goes on at the next [`Ranks::resume`].
    Suspended,
    /// It ended with this exit code and must not be resumed again.
    Exited(i32),
}

/// All ranks of the run.
pub struct Ranks {
    host: &'static Host,
    fibers: Vec<Fiber>,
    /// Looks for data that ranks share by mistake, where there are libraries that may have some.
    watch: Option<Watch>,
    /// Under the checker: the table of descriptors.
    files: Option<Files>,
}

/// Loads the programs and prepares every rank; nothing of them runs before [`Ranks::resume`].
///
/// # Errors
/// A program that cannot be loaded, or more ranks than fit: text for the user.
pub fn load(apps: &[AppSpec], options: &Options) -> Result<Ranks, StartError> {
    loading::load(apps, options)
}

impl Ranks {
    /// Number of ranks.
    pub fn count(&self) -> u32 {
        self.fibers.len() as u32
    }

    /// Whether a program of the run, or a library that was loaded with it, calls a function whose name `is_wanted`.
    pub fn call(&self, is_wanted: fn(&str) -> bool) -> bool {
        let mut programs: Vec<&smpi_image::Program> = Vec::new();
        for record in &self.host.records {
            let program = record.image.program();
            if programs.last().is_none_or(|last| last.path() != program.path()) {
                programs.push(program);
            }
        }
        let private = programs.iter().flat_map(|program| program.files()).map(|file| file.path().to_path_buf());
        let mut files = private.chain(sharing::libraries());
        files.any(|path| smpi_image::imported(&path).iter().any(|name| is_wanted(name)))
    }

    /// Runs a rank until it suspends or ends.
    #[inline]
    pub fn resume(&mut self, rank: WorldRank) -> Resumed {
        let record = &self.host.records[rank.index()];
        output::select_input(rank.0);
        running::note_step();
        if let Some(watch) = &mut self.watch {
            watch.before(rank);
        }
        settings::enter(record);
        state::set_current(Some(record));
        // SAFETY: we are on the hosting thread; `loading` checked that the programs' thread-local blocks fit.
        unsafe { self.host.slots.enter(&*record.saved.get()) };
        record.signals.enter();
        directory::enter(record);
        protection::enter(record.image.region());
        let switch = self.fibers[rank.index()].resume();
        protection::leave();
        record.signals.leave();
        // SAFETY: as above; nothing else looks at the saved state while a rank runs.
        unsafe { self.host.slots.leave(&mut *record.saved.get()) };
        state::set_current(None);
        if let Some(watch) = &mut self.watch {
            watch.after(rank);
        }
        match switch {
            Switch::Suspended => Resumed::Suspended,
            Switch::Exited(code) => Resumed::Exited(code),
        }
    }

    /// From now on a rank reaches no memory of other ranks, as far as the processor can see to that: such an access is
    /// a crash. What shared libraries keep per thread is each rank's own, too, and libc's lists of streams are, so that
    /// it is put back with the rank; files that are open are put back with all of them.
    pub fn isolate(&mut self) {
        self.files = Some(Files::new());
        protection::protect(&self.host.layout);
        // SAFETY: on the hosting thread, and no rank runs.
        unsafe { self.host.slots.separate_libraries(load as *const () as usize, output::streams_of_libc()) };
        settings::separate_thread_locals();
    }

    /// The files that ranks have open, after [`Ranks::isolate`].
    pub fn capture_files(&mut self) -> OpenFiles {
        self.files.as_mut().map_or(OpenFiles::default(), Files::capture)
    }

    /// Puts the files that ranks have open back.
    pub fn restore_files(&mut self, files: &OpenFiles) {
        if let Some(table) = &mut self.files {
            table.restore(files);
        }
    }

    /// Where in its program a suspended rank is. It runs for a moment to find out, so its state must not be used
    /// afterwards.
    pub fn locate(&mut self, rank: WorldRank) -> Option<SourceLocation> {
        state::start_locating();
        self.resume(rank);
        state::take_located()
    }

    /// Warnings about variables of libraries that two ranks wrote since the last call.
    #[inline]
    pub fn sharing_warnings(&mut self) -> Vec<String> {
        self.watch.as_mut().map_or(Vec::new(), Watch::take_warnings)
    }

    /// The files of the programs: executables, and libraries that each rank has for itself, those of compilers left
    /// out.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let programs = self.host.apps.iter().map(|app| self.host.records[app.end as usize - 1].image.program());
        programs.flat_map(|program| program.files()).filter(|file| !file.is_runtime()).map(|file| file.path())
    }

    /// A hash of what a rank has printed; see [`use_output`].
    pub fn output_hash(&self, rank: WorldRank) -> u64 {
        output::hash_of(&self.host.records[rank.index()])
    }

    /// What a rank has printed to standard output since [`keep_output`].
    pub fn output_text(&self, rank: WorldRank) -> String {
        output::text_of(&self.host.records[rank.index()])
    }

    /// Heap use of a rank.
    pub fn heap_stats(&self, rank: WorldRank) -> HeapStats {
        self.host.records[rank.index()].heap_stats()
    }
}

/// Gives control back to the event loop; returns when it resumes this rank. Must be called on a rank's stack.
#[inline]
pub fn suspend() {
    if let Some(record) = state::current()
        && let Some(home) = record.home.get()
    {
        loop {
            record.note_stack();
            // SAFETY: the current rank's stack is the one we are on.
            unsafe { home.switch(Switch::Suspended) };
            if !state::is_locating() {
                break;
            }
            state::set_located(faults::place_of(record));
        }
    }
}

/// Delivers the signals that came for the calling rank while it was suspended.
#[inline]
pub fn take_signals() {
    if let Some(record) = state::current() {
        signals::take(record);
    }
}

/// The rank whose stack we are on; `None` in the event loop and in a program that runs without `smpirun`.
#[inline]
pub fn current_rank() -> Option<WorldRank> {
    state::current().map(|record| record.rank)
}

/// Ends the whole run at once, from wherever it is called: writes what ranks printed and leaves without handlers.
pub fn end_process(code: i32) -> ! {
    if let Some(host) = state::host()
        && running::on_host_thread()
        && !running::is_child()
    {
        output::flush_all(host);
    }
    // SAFETY: flushes the files that the program has open, then ends the process.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(code)
    }
}

/// Writes the whole lines that ranks printed since the last call, in rank order.
#[inline]
pub fn commit_output() {
    output::commit();
}

/// Writes what ranks have printed and not finished with a line end: they will not go on.
pub fn flush_output() {
    if let Some(host) = state::host() {
        output::flush_all(host);
    }
}

/// Prints a message of ours among the calling rank's error output, so that it appears in the order of the ranks; off a
/// rank's stack, on standard error at once.
pub fn print_error(text: &str) {
    match state::current() {
        Some(record) => output::print(record, output::Stream::Err, text.as_bytes()),
        None => eprint!("{text}"),
    }
}

/// Where in its program the calling rank is.
pub fn own_place() -> Option<SourceLocation> {
    state::current().and_then(faults::place_of)
}

/// Where the program called us, as a number that is the same for all ranks that run it; 0 when it is not known.
pub fn own_site() -> u64 {
    state::current().and_then(|_| faults::link_address()).unwrap_or(0)
}

/// The part of the calling rank's stack that no function of the program uses any more, from and up to.
pub fn frames_left() -> Option<(usize, usize)> {
    faults::frames_left()
}

/// The source line of a number of [`own_site`] in the program of `rank`.
pub fn place_of_site(rank: WorldRank, site: u64) -> Option<SourceLocation> {
    let record = state::host()?.records.get(rank.index())?;
    (site != 0).then(|| faults::source_of(record, site))
}

/// Ends the calling rank at once, without exit handlers, because the whole run is over; off a rank's stack, ends the
/// process.
pub fn exit_now(code: i32) -> ! {
    match state::current() {
        Some(record) => exit::leave_now(record, code),
        None if is_hosted() => end_process(code),
        None => std::process::exit(code),
    }
}
