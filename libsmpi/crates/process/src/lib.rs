//! Hosts programs: ranks inside this process, each with its own program image, stack, heap, exit handlers and standard
//! streams. Nothing here knows MPI.

mod calls;
mod contract;
mod directory;
mod faults;
mod hooks;
mod host_cell;
mod hosting;
mod keys;
mod mask;
mod rank_heap;
mod record;
mod running;
mod signals;
mod state;
mod streams;
mod thread_time;
mod verification;
mod waiting;

pub use calls::exit::exit_now;
pub use calls::malloc::report_freed;
pub use calls::own_function;
pub use directory::at_home;
pub use faults::crash::{Crash, end_after_bug, leave_asserting, set_last_words, take_crash};
pub use faults::frames::frames_left;
pub use faults::places::{own_place, own_site, place_of_site};
pub use faults::refusals::refuse_caller;
pub use faults::watchdog::{Naps, start as watch_steps};
pub use hooks::{Clock, Exported, Hooks, Replacement};
pub use host_cell::HostCell;
pub use hosting::loading::{AppSpec, Options, StartError, load};
pub use hosting::ranks::{Ranks, Resumed, suspend};
pub use hosting::snapshot::RankSnapshot;
pub use hosting::{OpenFiles, hide};
pub use keys::thread_owner;
pub use rank_heap::{own_allocate, own_free, rank_allocate, rank_free};
pub use record::HeapStats;
pub use running::{is_hosted, is_rank, note_step};
pub use signals::deliver::take_own as take_signals;
pub use signals::handler::catch_crashes;
pub use signals::timers::note_timer;
pub use state::{current_rank, landmark};
pub use streams::output::{
    Use as OutputUse, commit as commit_output, end_process, flush as flush_output, keep as keep_output, print_error,
    set_use as use_output,
};
pub use thread_time::{started as threads_started, take as take_thread_time, want as want_thread_time};
pub use verification::uncontrolled;

/// libsmpi's own Rust values lie in libc's heap, whatever rank runs.
#[global_allocator]
static ALLOCATOR: calls::malloc::LibcAllocator = calls::malloc::LibcAllocator;

/// What the library above exports in libc's place.
pub mod exports {
    pub use crate::calls::malloc::{
        aligned_alloc, calloc, free, malloc, malloc_usable_size, memalign, posix_memalign, pvalloc, realloc, valloc,
    };
    pub use crate::calls::threads::{Start, pthread_create};
    pub use crate::calls::unwinding::{_dl_find_object, Callback, dl_iterate_phdr};
    pub use crate::directory::{chdir, fchdir, umask};
    pub use crate::hosting::start::{Main, libc_start_main};
}
