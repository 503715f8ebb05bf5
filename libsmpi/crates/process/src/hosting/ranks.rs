//! The ranks of the run as the event loop drives them: one after the other, each for a turn.

use super::asked::{AppSpec, Options};
use super::files::{Files, OpenFiles};
use super::kept::Ranges;
use super::sharing::Watch;
use crate::calls::{caches, malloc, settings};
use crate::faults::{places, refusals};
use crate::host_cell::HostCell;
use crate::record::{HeapStats, Record};
use crate::state::Host;
use crate::streams::{output, stdio};
use crate::{directory, libc_words, libraries, overlay, running, state, thread_time};
use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named};
use smpi_base::map::Map;
use smpi_dwarf::source::SourceLocation;
use smpi_image::Program;
use smpi_image::entries;
use smpi_ranks::fiber::Home;
use smpi_ranks::keys as protection;
use smpi_ranks::walls;
use smpi_ranks::{Fiber, Switch};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    pub(super) host: &'static Host,
    /// By rank; `None` before it is spawned.
    pub(super) fibers: Vec<Option<Fiber>>,
    /// What is needed to spawn ranks.
    pub(super) nursery: Nursery,
    /// Looks for data that ranks share by mistake.
    watch: Watch,
    /// Under the checker: the table of descriptors.
    pub(super) files: Option<Files>,
    /// Threads of this process that were started before ranks ran.
    pub(super) threads_before: u32,
    /// What large ranges of their memory hold.
    pub(super) kept: Ranges,
}

/// What is needed to spawn ranks.
pub(super) struct Nursery {
    pub options: Options,
    /// Ranks at the start.
    pub first: u32,
    /// Programs that are open, by the paths of their files.
    pub opened: Map<PathBuf, Program>,
    /// Under the checker: what ranks run that were spawned before, and what puts them back to their beginning.
    pub born: Map<WorldRank, (AppSpec, Beginning)>,
}

/// Puts a rank back to its beginning.
pub(super) type Beginning = Rc<dyn Fn(&mut Ranks)>;

impl Ranks {
    /// All ranks of a host, before they run; `watch` looks for data that they share by mistake.
    pub(super) fn new(host: &'static Host, fibers: Vec<Option<Fiber>>, watch: Watch, nursery: Nursery) -> Ranks {
        libc_words::prepare(parts_of_libc(true), &looked_after());
        libc_words::note(caches::prepare);
        let kept = Ranges::new(nursery.options.tracks_pages);
        Ranks { host, fibers, nursery, watch, files: None, threads_before: 0, kept }
    }

    /// Number of ranks, with those that may be spawned.
    pub fn count(&self) -> u32 {
        self.fibers.len() as u32
    }

    /// Number of ranks at the start.
    pub fn first_count(&self) -> u32 {
        self.nursery.first
    }

    /// Whether a rank is there: those that may be spawned are from then on.
    pub fn is_there(&self, rank: WorldRank) -> bool {
        self.fibers[rank.index()].is_some()
    }

    /// Whether a line has said already how this rank ended: that of a crash, or of Fortran's STOP.
    pub fn end_is_told(&self, rank: WorldRank) -> bool {
        self.host.records[rank.index()].own.end_is_told.get()
    }

    /// A rank ends, and a line has said so already.
    pub fn tell_end(&self, rank: WorldRank) {
        self.host.records[rank.index()].own.end_is_told.set(true);
    }

    /// The programs in rank order, each once where ranks that follow each other run it.
    fn programs(&self) -> Vec<&'static Program> {
        let mut programs: Vec<&Program> = Vec::new();
        for record in self.host.records.iter() {
            let program = record.image.program();
            if programs.last().is_none_or(|last| last.path() != program.path()) {
                programs.push(program);
            }
        }
        programs
    }

    /// Whether a program of the run, or a library that was loaded with it, calls a function whose name `is_wanted`.
    pub fn call(&self, is_wanted: fn(&str) -> bool) -> bool {
        let programs = self.programs();
        let private = programs.iter().flat_map(|program| program.files()).map(|file| file.path().to_path_buf());
        let mut files = private.chain(libraries::brought());
        files.any(|path| smpi_image::imported(&path).iter().any(|name| is_wanted(name)))
    }

    /// Whether some file of a program may open libraries, which may call anything for it.
    pub fn may_open_libraries(&self) -> bool {
        self.files().any(|path| smpi_image::imported(path).iter().any(|name| name == "dlopen"))
    }

    /// Runs a rank until it suspends or ends.
    #[inline]
    pub fn resume(&mut self, rank: WorldRank) -> Resumed {
        let record = &self.host.records[rank.index()];
        stdio::select_input(record);
        running::note_turn();
        self.watch.before(rank);
        walls::look();
        output::forget_last_error();
        settings::enter(record);
        libc_words::enter(record);
        record.image.bind();
        state::set_current(Some(record));
        // SAFETY: no rank runs. The state is what `leave` kept of this rank below, or what `snapshot` put back together
        // with the rank's memory.
        unsafe { self.host.slots.enter(&*record.own.saved.get()) };
        record.own.signals.enter();
        directory::enter(record);
        protection::enter(record.image.region());
        walls::raise(record.image.region());
        if entries::is_in_use() {
            entries::set_last(record.own.entry.get());
        }
        if entries::clears() {
            let base = record.image.region();
            entries::set_stack(base..base + record.image.program().region().stack_len);
        }
        let Some(fiber) = &mut self.fibers[rank.index()] else { panic!("rank {rank} was not spawned") };
        let switch = fiber.resume();
        protection::leave();
        walls::lower();
        record.image.unbind();
        record.own.signals.leave();
        // SAFETY: the rank whose state was entered has stopped; nothing else looks at the saved state while a rank
        // runs.
        unsafe { self.host.slots.leave(&mut *record.own.saved.get()) };
        state::set_current(None);
        self.watch.after(rank);
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
        self.disregard_threads();
        if !protection::protect(&self.host.layout) {
            walls::build(&self.host.layout);
        }
        // SAFETY: no rank runs. The streams are variables of libc; libraries that are loaded at the start stay.
        unsafe { self.host.slots.separate_libraries(Ranks::isolate as *const () as usize, stdio::streams_of_libc()) };
        settings::separate_thread_locals();
        libc_words::prepare(parts_of_libc(false), &looked_after());
        self.watch.be_strict();
    }

    /// The threads that there are now are none of the ranks'.
    pub fn disregard_threads(&mut self) {
        self.threads_before = thread_time::started();
    }

    /// The files that ranks have open or changed, after [`Ranks::isolate`].
    pub fn capture_files(&mut self) -> OpenFiles {
        self.files.as_mut().map_or(OpenFiles::default(), Files::capture)
    }

    /// Adds what tells the files that ranks have changed, and those that they have open, from those of other states.
    ///
    /// # Errors
    /// Not all can be seen of what is open.
    pub fn name_files(&mut self, into: &mut Digest) -> Named {
        overlay::name(into);
        self.files.as_mut().map_or(Ok(()), |files| files.name(into))
    }

    /// Puts the files that ranks have open or changed back.
    pub fn restore_files(&mut self, files: &OpenFiles) {
        if let Some(table) = &mut self.files {
            table.restore(files);
        }
    }

    /// Where in its program a suspended rank is. It runs for a moment to find out; its program sees nothing of it:
    /// under the checker, what that leaves in its heap is taken back.
    pub fn locate(&mut self, rank: WorldRank) -> Option<SourceLocation> {
        if self.files.is_none() {
            return self.locate_running(rank);
        }
        let before = self.capture(rank);
        let found = self.locate_running(rank);
        self.restore(rank, &before);
        found
    }

    /// Calls a function on the stack of a suspended rank, in its call, as if the rank had called it: so a debugger sees
    /// the rank's stack while the function runs. The program sees nothing of it, as of [`Ranks::locate`]. The function
    /// makes system calls only.
    pub fn visit(&mut self, rank: WorldRank, look: fn()) {
        VISITING.set(Some(look));
        self.locate(rank);
        VISITING.set(None);
    }

    fn locate_running(&mut self, rank: WorldRank) -> Option<SourceLocation> {
        let saved = &self.host.records[rank.index()].own.saved;
        // SAFETY: no rank is running, and nothing else looks at the saved state then.
        let before = unsafe { (*saved.get()).clone() };
        LOCATING.store(true, Ordering::Relaxed);
        self.resume(rank);
        LOCATING.store(false, Ordering::Relaxed);
        // Whatever it looked at may have set `errno`.
        // SAFETY: the rank has stopped again, and nothing else looks at the saved state then.
        unsafe { *self.host.records[rank.index()].own.saved.get() = before };
        LOCATED.take()
    }

    /// Warnings about variables of libraries that two ranks wrote since the last call.
    #[inline]
    pub fn sharing_warnings(&mut self) -> Vec<String> {
        self.watch.take_warnings()
    }

    /// The files of the programs: executables, and libraries that each rank has for itself, those of compilers left
    /// out.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let programs = self.programs().into_iter();
        programs.flat_map(|program| program.files()).filter(|file| !file.is_runtime()).map(|file| file.path())
    }

    /// Names of the other libraries of the programs: those that ranks share, and those of compilers, sorted; last the C
    /// library, which is in every process.
    pub fn libraries(&self) -> Vec<String> {
        let name_of = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut names: Vec<String> = Vec::new();
        for program in self.programs() {
            names.extend(program.shared_libraries().iter().filter_map(|name| name_of(Path::new(name))));
            names.extend(
                program.files().iter().filter(|file| file.is_runtime()).filter_map(|file| name_of(file.path())),
            );
        }
        names.sort();
        names.dedup();
        names.push("libc".into());
        names
    }

    /// A hash of what a rank has printed; see [`crate::use_output`].
    pub fn output_hash(&self, rank: WorldRank) -> u64 {
        self.host.records.get(rank.index()).map_or(0, output::hash_of)
    }

    /// What a rank has printed to standard output since [`crate::keep_output`].
    pub fn output_text(&self, rank: WorldRank) -> String {
        self.host.records.get(rank.index()).map_or(String::new(), output::text_of)
    }

    /// Heap use of a rank.
    pub fn heap_stats(&self, rank: WorldRank) -> HeapStats {
        self.host.records.get(rank.index()).map_or(HeapStats::default(), Record::heap_stats)
    }
}

/// Words of libc that are not its functions' to keep: `errno`, the list of streams, its heap, and the kernel's.
fn looked_after() -> Vec<(*mut u8, usize)> {
    // SAFETY: no conditions; libc answers the address of this thread's variable.
    let errno = unsafe { libc::__errno_location() };
    let heap = [malloc::state_of_libc(), malloc::break_of_libc()];
    let others = [(errno.cast(), size_of::<i32>()), libraries::thread_of_libc()[1]].into_iter().chain(heap);
    stdio::streams_of_libc().into_iter().chain(others).collect()
}

/// Where libc keeps things: its variables of this thread, too, unless they are each rank's own already.
fn parts_of_libc(locals: bool) -> Vec<(*mut u8, usize)> {
    let locals = locals.then(libraries::locals_of_libc);
    libraries::data_of_libc().into_iter().chain(locals).chain([libraries::thread_of_libc()[0]]).collect()
}

/// The rank that was just resumed shall only tell where it is.
static LOCATING: AtomicBool = AtomicBool::new(false);

/// What it told.
// SAFETY: `Ranks::locate` reads it in the event loop, and a rank writes it in its turn.
static LOCATED: HostCell<Cell<Option<SourceLocation>>> = unsafe { HostCell::new(Cell::new(None)) };

/// What a rank does on its stack for somebody who visits it.
type Look = fn();

/// What it shall do instead.
// SAFETY: as for [`LOCATED`].
static VISITING: HostCell<Cell<Option<Look>>> = unsafe { HostCell::new(Cell::new(None)) };

/// Gives control back to the event loop; returns when it resumes this rank. Must be called on a rank's stack.
#[inline]
pub fn suspend() {
    if let Some(record) = state::current()
        && let Some(home) = record.own.home.get()
    {
        if running::is_child() {
            refusals::refuse_to_wait_in_child();
        }
        record.note_stack();
        if let Some(entry) = entries::last() {
            record.own.entry.set(entry);
        }
        // SAFETY: `home` is that of the rank that runs, and its stack is the one we are on.
        unsafe { home.switch(Switch::Suspended) };
        while LOCATING.load(Ordering::Relaxed) {
            tell_place(record, home);
        }
    }
}

#[cold]
fn tell_place(record: &Record, home: Home) {
    LOCATING.store(false, Ordering::Relaxed);
    match VISITING.get() {
        Some(look) => look(),
        None => LOCATED.set(places::place_of(record)),
    }
    record.note_stack();
    // SAFETY: `home` is that of the rank that runs, and its stack is the one we are on.
    unsafe { home.switch(Switch::Suspended) };
}
