//! Everything that one rank has for itself although libc or the kernel has it once for a process.
//!
//! These are data and what can be said of them alone; the functions that programs call are in [`crate::calls`] and
//! [`crate::signals`]. Snapshots copy each part ([`crate::hosting`]).

mod generators;
mod handlers;
mod keys;
mod limits;
mod mappings;
mod printed;
mod routes;
mod settings;
mod signals;
mod timers;

pub use generators::{Drand48Data, Generators, RandomData};
pub use handlers::{Call, Handler, Handlers, List};
pub use keys::{Destructor, Keys, Values};
pub use limits::{Limits, RESOURCES};
pub use mappings::{Mapping, Mappings, NO_CALL, Source};
pub use printed::{Printed, Stream};
pub use routes::{Route, Routes};
pub use settings::{EXCHANGES, Settings};
pub use signals::{Action, DEFAULT, SignalState, Signals, is_harmless};
pub use timers::{OFF, Timer};

use crate::host_cell::HostCell;
use smpi_base::WorldRank;
use smpi_image::Image;
use smpi_image::entries::Entry;
use smpi_ranks::Arena;
use smpi_ranks::fiber::Home;
use smpi_ranks::thread_state::SavedState;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::ffi::{CStr, CString, c_char, c_int};
use std::ops::Range;
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One program of the run.
pub struct Application {
    /// Its arguments, its name first.
    pub arguments: Vec<CString>,
    /// The absolute path of its file.
    pub file: PathBuf,
    /// Initial values of its thread-local variables.
    pub tls_initial: Vec<u8>,
}

/// One rank, apart from its coroutine.
pub struct Record {
    pub rank: WorldRank,
    pub image: Image,
    /// What it runs.
    pub app: &'static Application,
    /// See [`crate::Hooks::landmark`].
    pub landmark: usize,
    /// Thread-specific data; the keys are for all threads of the rank.
    pub keys: Keys,
    /// C's locale for threads that the rank starts, as `setlocale` made it; 0 for that of the process.
    pub thread_locale: AtomicUsize,
    /// Where its descriptors 0 to 2 lead, for its threads, too.
    pub routes: Routes,
    /// What only the rank's own thread may touch, which is the hosting one.
    pub own: HostCell<Own>,
}

/// So many functions convert characters and remember where they stand (see [`crate::calls`]).
pub const CONVERSIONS: usize = 13;

/// What is the rank's alone, and not its threads'.
pub struct Own {
    pub arena: Arena,
    /// What it has mapped beside, under the checker.
    pub mappings: RefCell<Mappings>,
    /// Way back to the event loop; set when the rank first runs.
    pub home: Cell<Option<Home>>,
    /// Where the frames of its program end; 0 before `main`.
    pub frames_end: Cell<usize>,
    /// An address below all frames of the rank's stack while it is suspended.
    pub stack_low: Cell<usize>,
    /// Swapped by `Ranks::resume`.
    pub saved: UnsafeCell<SavedState>,
    pub handlers: Handlers,
    pub printed: UnsafeCell<Printed>,
    /// Made when the rank first asks for a random number.
    pub generators: UnsafeCell<Option<Box<Generators>>>,
    /// Words of libc, by the order in which [`crate::libc_words`] found them; those that are missing are as at first.
    pub words: RefCell<Vec<u32>>,
    /// Where functions that convert characters stand, each for itself (`mbstate_t`).
    pub conversions: [Cell<u64>; CONVERSIONS],
    /// Which of its standard streams are wide, one bit each; and the wide character that it put back into its input.
    pub wide: Cell<u8>,
    pub unread: Cell<Option<u32>>,
    /// What it may use, as it has set it.
    pub limits: RefCell<Limits>,
    /// Where `strtok` goes on.
    pub strtok: Cell<*mut c_char>,
    /// Where `getopt` stands.
    pub getopt: Cell<Position>,
    /// Settings of the C and C++ libraries.
    pub settings: Cell<Settings>,
    /// Its working directory and file mode creation mask.
    pub standing: Cell<Standing>,
    /// Its signals and timers.
    pub signals: Signals,
    /// How often it asked for random bytes.
    pub entropy: Cell<u64>,
    /// What its program had at the call in which it waits, where that is noted.
    pub entry: Cell<Entry>,
    /// A line on stderr has said that, and how, it ended.
    pub end_is_told: Cell<bool>,
    /// Addresses of the variable that was looked for last: programs give the same ones to MPI again and again.
    pub last_variable: Cell<(usize, usize)>,
    /// The same of the block of the heap, with [`Arena::blocks_gone`] at that time.
    pub last_block: Cell<(usize, usize, u64)>,
    /// Where its program ended it.
    pub exit: Cell<Exit>,
}

/// Where a program ended its rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    /// As [`crate::own_site`] says it; 0 if that is not known.
    pub site: u64,
    /// By a return from `main`, where the site is.
    pub returned: bool,
}

impl Own {
    /// What a rank has that has not run. Its heap is `arena`, its mappings go to `room`; no frame of its stack lies
    /// below `stack_low`.
    pub fn new(arena: Arena, room: Range<usize>, stack_low: usize, saved: SavedState) -> Own {
        Own {
            arena,
            mappings: RefCell::new(Mappings::within(room)),
            home: Cell::new(None),
            frames_end: Cell::new(0),
            stack_low: Cell::new(stack_low),
            saved: UnsafeCell::new(saved),
            handlers: Handlers::default(),
            printed: UnsafeCell::default(),
            generators: UnsafeCell::new(None),
            words: RefCell::default(),
            conversions: [const { Cell::new(0) }; CONVERSIONS],
            wide: Cell::new(0),
            unread: Cell::new(None),
            limits: RefCell::default(),
            strtok: Cell::new(ptr::null_mut()),
            getopt: Cell::new(Position::START),
            settings: Cell::default(),
            standing: Cell::default(),
            signals: Signals::new(),
            entropy: Cell::new(0),
            entry: Cell::default(),
            end_is_told: Cell::new(false),
            last_variable: Cell::default(),
            last_block: Cell::default(),
            exit: Cell::new(Exit::default()),
        }
    }
}

/// Where a rank stands; `None` where it has never changed what the process began with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    pub directory: Option<&'static CStr>,
    pub mask: Option<libc::mode_t>,
}

/// Where `getopt` stands, apart from `optind`.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// Rest of a group of short options.
    pub next: *const c_char,
    /// Arguments that were skipped: from `first` up to `last`.
    pub first: c_int,
    pub last: c_int,
    pub started: bool,
}

impl Position {
    /// Before the first call.
    pub const START: Position = Position { next: ptr::null(), first: 1, last: 1, started: false };
}

/// Heap use of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeapStats {
    /// Bytes in blocks that are allocated now.
    pub in_use: u64,
    /// The largest value `in_use` had.
    pub peak: u64,
}

impl Record {
    /// What a switch may push below the caller's frame.
    const BELOW_FRAME: usize = 1024;

    /// Notes how far the rank's stack is in use, just before it is suspended.
    #[inline]
    pub fn note_stack(&self) {
        let here = 0_u8;
        self.own.stack_low.set(ptr::from_ref(&here).addr() - Self::BELOW_FRAME);
    }

    /// Changes the settings of the libraries; what is in place is not touched.
    pub fn set_settings(&self, settings: Settings) {
        self.own.settings.set(settings);
        self.thread_locale.store(settings.c_locale, Ordering::Relaxed);
    }

    /// Heap use of the rank.
    pub fn heap_stats(&self) -> HeapStats {
        let stats = self.own.arena.stats();
        HeapStats { in_use: stats.in_use, peak: stats.peak }
    }
}
