//! Working directory and file mode creation mask, which a process has and so every rank.
//!
//! The kernel keeps one of each for the process. They are changed when a rank comes whose own are others than those in
//! place, and not when a rank leaves: so ranks that never change theirs cost one look at a flag, and all functions that
//! take relative paths find the right ones, in every library. What the hosting process reads and writes itself it does
//! [`at_home`]. Threads that a rank starts when some rank has a directory of its own keep the one that they begin with.
//! Source: POSIX.1-2017 chdir, umask.

use crate::contract::refuse;
use crate::host_cell::HostCell;
use crate::overlay::{self, Target};
use crate::record::{Record, Standing};
use crate::streams::output::end_process;
use crate::{running, state, verification};
use smpi_base::eprintln;
use smpi_base::map::{FxBuildHasher, Map};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::atomic::{AtomicBool, Ordering};

/// What this process began with, and what is in place now.
struct Places {
    home: RefCell<Option<(&'static CStr, libc::mode_t)>>,
    now: Cell<Standing>,
    /// Directories that ranks went to; they stay, because snapshots point to them.
    known: RefCell<Map<CString, &'static CStr>>,
}

// SAFETY: this file uses it for the rank that runs and for the event loop, after it has asked for the thread.
static PLACES: HostCell<Places> = unsafe {
    HostCell::new(Places {
        home: RefCell::new(None),
        now: Cell::new(Standing { directory: None, mask: None }),
        known: RefCell::new(Map::with_hasher(FxBuildHasher)),
    })
};

/// Some rank has changed its directory or mask.
static ANY: AtomicBool = AtomicBool::new(false);

fn real_chdir(path: &CStr) -> c_int {
    // SAFETY: a null-terminated path. `chdir` itself is ours.
    unsafe { libc::syscall(libc::SYS_chdir, path.as_ptr()) as c_int }
}

fn real_umask(mask: libc::mode_t) -> libc::mode_t {
    // SAFETY: takes a number, and any. `umask` itself is ours.
    unsafe { libc::syscall(libc::SYS_umask, mask) as libc::mode_t }
}

impl Places {
    /// The name of the directory that is in place; `None` when it has none any more.
    fn here(&self) -> Option<&'static CStr> {
        let mut path = [0_u8; libc::PATH_MAX as usize];
        // SAFETY: room for any name of a directory. By its number, because it is to be the system's name.
        if unsafe { libc::syscall(libc::SYS_getcwd, path.as_mut_ptr(), path.len()) } <= 0 {
            return None;
        }
        let path = CStr::from_bytes_until_nul(&path).ok()?.to_owned();
        Some(self.known.borrow_mut().entry(path.clone()).or_insert_with(|| Box::leak(path.into_boxed_c_str())))
    }

    /// Notes what the process began with, before the first change.
    fn note_home(&self) {
        if self.home.borrow().is_none() {
            let mask = real_umask(0o077);
            real_umask(mask);
            *self.home.borrow_mut() = self.here().map(|here| (here, mask));
            ANY.store(true, Ordering::Relaxed);
        }
    }

    /// Puts a standing in place; false when its directory is gone.
    fn put(&self, wanted: Standing) -> bool {
        let now = self.now.get();
        let Some(home) = *self.home.borrow() else { return true };
        let (directory, mask) = changes(now, wanted, home);
        mask.map(real_umask);
        self.now.set(Standing { mask: wanted.mask, ..now });
        if directory.is_some_and(|directory| real_chdir(directory) != 0) {
            return false;
        }
        self.now.set(wanted);
        true
    }
}

/// What has to be set when one standing is in place and another is wanted; `home` is what the process began with.
fn changes(
    now: Standing,
    wanted: Standing,
    home: (&'static CStr, libc::mode_t),
) -> (Option<&'static CStr>, Option<libc::mode_t>) {
    let directory = (wanted.directory != now.directory).then(|| wanted.directory.unwrap_or(home.0));
    let mask = (wanted.mask != now.mask).then(|| wanted.mask.unwrap_or(home.1));
    (directory, mask)
}

/// Puts a rank's directory and mask in place before it runs.
#[inline]
pub fn enter(record: &Record) {
    if ANY.load(Ordering::Relaxed) {
        put(record);
    }
}

#[cold]
fn put(record: &Record) {
    let wanted = record.own.standing.get();
    if !PLACES.put(wanted) {
        let directory = wanted.directory.unwrap_or(c"the first one").to_string_lossy();
        eprintln!(
            "smpirun: error: rank {}: its working directory {directory} cannot be entered again: {}; \
             expected that directories stay where they are as long as ranks are in them",
            record.rank,
            std::io::Error::last_os_error()
        );
        end_process(smpi_base::exit::REFUSED)
    }
}

/// Runs what reads or writes the hosting process's own files, from the directory in which `smpirun` was started. It is
/// not the rank that opens and closes them.
pub fn at_home<R>(action: impl FnOnce() -> R) -> R {
    let action = || state::outside_heaps(action);
    if !ANY.load(Ordering::Relaxed) || !running::on_host_thread() {
        return action();
    }
    PLACES.put(Standing::default());
    let result = action();
    if let Some(record) = state::current() {
        put(record);
    }
    result
}

/// A thread that a rank starts: it keeps the directory that it begins with.
pub fn keep_in_thread() {
    if ANY.load(Ordering::Relaxed) {
        // SAFETY: concerns the calling thread only. Where the system does not allow it, the thread goes where ranks go.
        unsafe { libc::unshare(libc::CLONE_FS) };
    }
}

/// Lets a rank that has not run begin in a directory; a relative one is looked up from that of the process.
pub fn begin_in(record: &Record, directory: &str) {
    PLACES.note_home();
    let path = std::path::Path::new(directory);
    let Some((home, _)) = *PLACES.home.borrow() else { return };
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(home.to_bytes())).join(path);
    let Ok(path) = CString::new(path.into_os_string().into_vec()) else { return };
    let mut known = PLACES.known.borrow_mut();
    let directory: &'static CStr = known.entry(path.clone()).or_insert_with(|| Box::leak(path.into_boxed_c_str()));
    record.own.standing.set(Standing { directory: Some(directory), ..record.own.standing.get() });
}

/// Changes the calling rank's directory by `change`, which returns 0 when it did.
fn change_directory(change: impl FnOnce() -> c_int) -> c_int {
    let Some(record) = state::caller() else { return change() };
    PLACES.note_home();
    let result = change();
    if result == 0 {
        let standing = Standing { directory: PLACES.here(), ..record.own.standing.get() };
        record.own.standing.set(standing);
        PLACES.now.set(standing);
    }
    result
}

/// `chdir`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn chdir(path: *const c_char) -> c_int {
    // SAFETY: by C's contract a string, or null.
    match unsafe { place_of(path) } {
        // SAFETY: by C's contract a string; the kernel checks the pointer, too.
        None => change_directory(|| unsafe { libc::syscall(libc::SYS_chdir, path) as c_int }),
        Some(Ok(place)) => change_directory(|| real_chdir(&place)),
        Some(Err(error)) => refuse(error),
    }
}

/// Where the directory of this name is, if it is not where the disk has it.
///
/// # Safety
/// By C's contract the path is a string or null.
unsafe fn place_of(path: *const c_char) -> Option<Result<CString, c_int>> {
    if path.is_null() || !verification::is_on() || state::caller().is_none() {
        return None;
    }
    // SAFETY: a string by C's contract.
    let path = overlay::path_of(unsafe { CStr::from_ptr(path) }.to_bytes());
    let found = overlay::with(|files| {
        if files.are_untouched() {
            return Ok(None);
        }
        match files.look(&overlay::start(files, libc::AT_FDCWD, path)?, path, true)? {
            Target::Place(place) => Ok(CString::new(place.into_os_string().into_vec()).ok()),
            Target::Same | Target::New(_) => Ok(None),
        }
    });
    found?.transpose()
}

/// `fchdir`.
///
/// # Safety
/// None: it asks nothing of its callers.
pub unsafe extern "C" fn fchdir(descriptor: c_int) -> c_int {
    // SAFETY: takes a number, and any.
    change_directory(|| unsafe { libc::syscall(libc::SYS_fchdir, descriptor) as c_int })
}

/// `umask`.
///
/// # Safety
/// None: it asks nothing of its callers.
pub unsafe extern "C" fn umask(mask: libc::mode_t) -> libc::mode_t {
    let Some(record) = state::caller() else { return real_umask(mask) };
    PLACES.note_home();
    let standing = Standing { mask: Some(mask & 0o777), ..record.own.standing.get() };
    record.own.standing.set(standing);
    PLACES.now.set(Standing { mask: standing.mask, ..PLACES.now.get() });
    real_umask(mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: (&CStr, libc::mode_t) = (c"/home", 0o022);

    fn standing(directory: Option<&'static CStr>, mask: Option<libc::mode_t>) -> Standing {
        Standing { directory, mask }
    }

    #[test]
    fn ranks_that_stand_alike_cost_nothing() {
        let away = standing(Some(c"/tmp"), Some(0o077));
        assert_eq!(changes(away, away, HOME), (None, None));
        assert_eq!(changes(Standing::default(), Standing::default(), HOME), (None, None));
    }

    #[test]
    fn what_a_rank_never_changed_is_what_the_process_began_with() {
        let away = standing(Some(c"/tmp"), Some(0o077));
        assert_eq!(changes(away, Standing::default(), HOME), (Some(c"/home"), Some(0o022)));
        assert_eq!(changes(away, standing(Some(c"/tmp"), None), HOME), (None, Some(0o022)));
        assert_eq!(changes(Standing::default(), standing(Some(c"/x"), None), HOME), (Some(c"/x"), None));
    }
}
