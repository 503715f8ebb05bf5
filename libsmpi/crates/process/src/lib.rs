//! Hosting of programs: each rank is an ordinary executable that expects a process of its own, and all ranks run inside
//! this process.
//!
//! # What it does
//!
//! A process has a program image, a stack and a heap; exit handlers, an environment, a working directory; standard
//! streams and open files; signals, timers, clocks, random numbers, a locale; and it may crash. Here libc and the
//! kernel have each of these once, and there may be 50,000 ranks. So a rank's own state is in its record (`record/`).
//! Three mechanisms make a program see only this state:
//!
//! * *Instead of libc's functions* a program gets ours, bound when its image is loaded (`calls/`, `signals/`). The
//!   library above exports a few in libc's place, because other libraries must call them, too ([`exports`]).
//! * *In its turn* a rank finds in place the state that no function can return: `errno`, floating-point modes,
//!   thread-local variables, locale, directory, signal mask. It is installed when the next rank's state differs. For a
//!   rank that never changed it, this costs the test of a flag ([`Ranks::resume`]).
//! * *An address tells its owner*: a rank's image, stack and heap lie in one region. So `free`, the handler of crashes
//!   and the unwinder of C++ exceptions find the rank by a division.
//!
//! Under the checker, ranks are copied and restored ([`RankSnapshot`]), their output is compared and not written
//! ([`use_output`]), and a crash ends one rank and not the run ([`take_crash`]).
//!
//! # What it does not
//!
//! It knows no MPI and no clock: it asks the library above it, by the functions in [`Hooks`]. It neither switches
//! stacks nor lays out regions (`smpi_ranks`), nor maps programs (`smpi_image`). It exports no symbol.
//!
//! # From start to end
//!
//! 1. `__libc_start_main` ([`exports::libc_start_main`]) finds that this process is `smpirun` with a plan, replaces
//!    the standard streams, installs the handler of crashes, and calls [`Hooks::main`] instead of `main`.
//! 2. That calls [`load`]: programs are opened and bound, one image each is mapped for the ranks, heaps and coroutines
//!    are made. Nothing of the programs runs yet.
//! 3. The event loop resumes ranks, one after the other ([`Ranks::resume`]). A rank's first turn begins at its
//!    program's `_start`, which comes to `__libc_start_main` again and finds itself on a rank's stack.
//! 4. A rank that has to wait calls [`suspend`]. What it printed comes out at the end of the instant
//!    ([`commit_output`]).
//! 5. `exit`, a return from `main` or a crash ends the rank: [`Resumed::Exited`].
//!
//! # Invariants
//!
//! * One thread hosts: the event loop and all ranks are on it. Data for this thread alone is in a [`HostCell`]; threads
//!   that a rank starts reach only the other data.
//! * A rank may never be resumed after it is suspended, crashes or waits in the kernel. So its stack then holds no
//!   value of ours with a destructor, and no lock is held.
//! * Our own values lie in libc's heap, whichever rank runs. A rank's allocations lie in its region, including those of
//!   libraries on its behalf. libc's own data lies in no rank's heap.
//! * Regions stay where they are, so pointers in snapshots stay right.
//!
//! # Where to begin
//!
//! `hosting/ranks.rs` has a rank's turn, `record/mod.rs` a rank's state. `calls/mod.rs` lists the replaced functions,
//! the files beside it define them, and `contract.rs` says what they owe their callers. For crashes read
//! `signals/handler.rs`, then `faults/crash.rs`. Each folder uses only those before it:
//!
//! ```text
//!   hooks · running · contract · mask        what is asked for; who runs; what functions in libc's place share
//!   moving                                   whose buffer a message goes to
//!   record/ · state                          what one rank has; which ranks there are
//!   verification · waiting · keys            under the checker?; in the kernel?; whose thread?
//!   libraries                                what the process has loaded
//!   libc_words                               what libc has once and belongs to a rank
//!   descriptors · overlay                    numbers of files; what ranks find under names, under the checker
//!   addresses · objects                      whether there is memory at an address; what lies there
//!   declared                                 as what the program declared it
//!   streams/ · directory                     what is printed and read; where ranks stand
//!   faults/                                  where a rank is; what becomes of it when it goes wrong
//!   signals/                                 who is told of signals, and the kernel's handler
//!   calls/                                   the functions of libc
//!   hosting/                                 start, loading, turns, snapshots
//! ```
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod addresses;
mod calls;
mod contract;
mod declared;
mod descriptors;
mod directory;
mod faults;
mod hooks;
mod host_cell;
mod hosting;
mod keys;
mod libc_words;
mod libraries;
mod mask;
mod memory;
mod moving;
mod objects;
mod overlay;
mod placed;
mod rank_heap;
mod record;
mod running;
mod signals;
mod state;
mod streams;
mod thread_time;
mod verification;
mod waiting;

pub use addresses::{NotOwn, not_own};
pub use calls::exit::exit_now;
pub use calls::fresh::{Fresh, fill_fresh, fill_variable, is_mark, mark_at};
pub use calls::limits::without_limits;
pub use calls::malloc::report_freed;
pub use calls::{own_address, own_function, own_program, place_in_program};
pub use declared::{Declared, Surroundings, surroundings};
pub use descriptors::{hide, is_hidden, open_now as open_descriptors};
pub use directory::at_home;
pub use faults::crash::{
    Crash, LastWords, Reason, end_after_bug, faults_mean, leave_asserting, set_last_words, take_crash,
};
pub use faults::places::{PATH, own_path, own_place, own_place_in_words, own_site, site_of_call};
pub use faults::places::{exit_of, frames_left, place_of_site, places_of_path, site_of_caller};
pub use faults::refusals::refuse_caller;
pub use faults::watchdog::{Naps, shares_memory, start as watch_steps};
pub use hooks::{Clock, Exported, Hooks, PathUse, Paths, Replacement};
pub use host_cell::HostCell;
pub use hosting::asked::{AppSpec, Options, StartError};
pub use hosting::loading::{check_count, load, most_ranks};
pub use hosting::ranks::{Ranks, Resumed, suspend};
pub use hosting::snapshot::RankSnapshot;
pub use hosting::{FilesFingerprint, Fingerprint, OpenFiles, grow_table, keep_error};
pub use keys::thread_owner;
pub use moving::moving_to;
pub use objects::{Glance, Object, glance, keep_objects, object_at, variable_name};
pub use overlay::{
    is_untouched as have_no_files_changed, name_of as name_of_file, open_file, remove_all as remove_files, remove_file,
    turn as turn_of_files,
};
pub use rank_heap::{own_allocate, own_free, rank_allocate, rank_free};
pub use record::HeapStats;
pub use running::{is_hosted, is_rank, note_call, note_step};
pub use signals::deliver::take_own as take_signals;
pub use signals::handler::catch_crashes;
pub use signals::question::{answer as answer_questions, is_asked};
pub use signals::timers::note_timer;
pub use smpi_image::entries::{clear_behind_calls as tell_states_apart, forget as forget_entry};
pub use smpi_image::entries::{set_caller, take_caller};
pub use smpi_ranks::keys::share as share_memory;
pub use state::{current_rank, landmark};
pub use streams::output::{
    Use as OutputUse, commit as commit_output, end_process, flush as flush_output, has_some as has_output,
    keep as keep_output, last_error, losses, print_error, set_use as use_output,
};
pub use thread_time::{started as threads_started, take as take_thread_time, want as want_thread_time};
pub use verification::{note_uncontrolled, uncontrolled};

/// libsmpi's own Rust values lie in libc's heap, whatever rank runs.
#[global_allocator]
static ALLOCATOR: calls::malloc::LibcAllocator = calls::malloc::LibcAllocator;

/// What the library above exports in libc's place.
pub mod exports {
    pub use crate::calls::malloc::{
        aligned_alloc, calloc, free, malloc, malloc_usable_size, memalign, posix_memalign, pvalloc, realloc, valloc,
    };
    pub use crate::calls::names::{
        canonicalize_file_name, chmod, chown, fchmod, fchmodat, fchown, fchownat, futimens, getcwd, lchown, mkdir,
        mkdirat, mkfifo, mkfifoat, mknod, mknodat, readlink, readlinkat, realpath, statvfs, statvfs64, symlink,
        symlinkat, utime, utimensat, utimes,
    };
    pub use crate::calls::paths::{
        __open_2, __open64_2, access, close_from, closedir_from, creat, creat64, euidaccess, faccessat, fclose_from,
        fopen, fopen64, freopen, freopen64, fstatat, fstatat64, link, linkat, lstat, lstat64, open, open64, openat,
        openat64, opendir, remove, rename, renameat, renameat2, rmdir, scandir, scandir64, stat, stat64, statx,
        truncate, truncate64, unlink, unlinkat,
    };
    pub use crate::calls::temporary::{mkdtemp, mkostemp, mkostemp64, mkstemp, mkstemp64, mkstemps, mkstemps64};
    pub use crate::calls::threads::{Start, pthread_create};
    pub use crate::calls::unwinding::{_dl_find_object, Callback, dl_iterate_phdr};
    pub use crate::calls::wide::{fgetwc, fgetwc as getwc, fputwc, fputwc as putwc, ungetwc};
    pub use crate::directory::{chdir, fchdir, umask};
    pub use crate::hosting::start::{Main, libc_start_main};
}
